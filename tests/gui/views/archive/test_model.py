"""The archive model: entries in the order of archiving."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from ravenglass.replay import HandChange, Run, SimulatedRun, replay
from ravenglass.replay.stepping.changes import ChangeKind
from ravenglass_gui.views.archive.model import ArchiveColumn, ArchiveModel, cell_text


def checked() -> ArchiveModel:
    model = ArchiveModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


def test_that_moving_through_the_calls_adds_and_removes_at_the_end(run: Run) -> None:
    model = checked()
    model.show(run.archive(30))
    inserted, removed, reset = (QSignalSpy(s) for s in (model.rowsInserted, model.rowsRemoved, model.modelReset))
    model.show(run.archive(60))
    model.show(run.archive(10))
    assert model.rowCount() == len(run.archive(10))
    assert reset.count() == 0
    assert inserted.count() + removed.count() >= 1


def test_that_a_search_result_replaces_the_list(run: Run) -> None:
    model = checked()
    entries = run.archive()
    assert len(entries) > 2
    model.show(entries)
    model.show(entries[1::2])
    assert [model.entry(row) for row in range(model.rowCount())] == list(entries[1::2])


def test_that_a_row_says_when_what_why_and_by_whom(run: Run) -> None:
    entry = run.archive()[0]
    words = [cell_text(entry, column) for column in ArchiveColumn]
    assert words[ArchiveColumn.CALL] == str(entry.call)
    assert words[ArchiveColumn.MESSAGES] == " ".join(f"#{m}" for m in entry.messages)
    assert words[ArchiveColumn.BY] in ("scheduler", "curator", "hand")
    assert words[ArchiveColumn.REASON]
    assert words[ArchiveColumn.REF] == entry.ref


def test_that_the_latest_entry_of_a_message_is_found(run: SimulatedRun) -> None:
    kinds: tuple[ChangeKind, ...] = ("archive", "retrieve", "archive")
    changes = [HandChange(call, kind, 3) for call, kind in zip((10, 12, 14), kinds, strict=True)]
    twice = replay(run.session, run.profile, changes)
    model = checked()
    model.show(twice.archive())
    rows = [row for row, entry in enumerate(twice.archive()) if 3 in entry.messages]
    assert len(rows) == 2
    assert model.row_of(3) == rows[1]
    assert model.row_of(10_000) is None


def test_that_entries_of_another_run_take_the_place_of_those_that_differ(run: Run) -> None:
    model = checked()
    entries = run.archive()
    for listed in (entries[:4], (entries[0], *entries[2:5])):
        model.show(listed)
        assert [model.entry(row) for row in range(model.rowCount())] == list(listed)


def test_that_numbers_align_right_with_their_headers(run: Run) -> None:
    model = checked()
    model.show(run.archive())
    for column in ArchiveColumn:
        header = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        assert header == model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole)
