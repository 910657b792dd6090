"""The manifest model: ids in, rows on demand, changes in place."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from ravenglass.replay import Run
from ravenglass.replay.frame import ManifestRow
from ravenglass_gui.state.planning import Tick
from ravenglass_gui.views.manifest import model as manifest
from ravenglass_gui.views.manifest.model import ManifestColumn, ManifestModel, ManifestRole, cell_text


def checked() -> ManifestModel:
    model = ManifestModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


def ids(model: ManifestModel) -> list[int | None]:
    return [model.message_at(row) for row in range(model.rowCount())]


def test_that_rows_are_fetched_only_when_they_are_looked_at(run: Run) -> None:
    asked: list[int] = []

    class Counting:
        def row(self, call: int, message: int) -> ManifestRow:
            asked.append(message)
            return run.row(call, message)

    model = ManifestModel()
    model.show(Counting(), 60, list(range(100)))  # type: ignore[arg-type]
    assert asked == []
    model.index(7, ManifestColumn.ROLE).data()
    model.index(7, ManifestColumn.TIER).data()
    assert asked == [7]


def test_that_a_hundred_thousand_ids_are_listed_without_fetching_one() -> None:
    model = ManifestModel()
    model.show(None, 1, list(range(100_000)))
    assert model.rowCount() == 100_000
    assert model.row_of(99_999) == 99_999
    assert model.index(0, 0).data() is None


def test_that_another_call_with_the_same_ids_changes_the_rows_in_place(run: Run) -> None:
    model = checked()
    model.show(run, 50, list(range(80)))
    kept = QPersistentModelIndex(model.index(40, 0))
    changed, reset = QSignalSpy(model.dataChanged), QSignalSpy(model.modelReset)
    model.show(run, 60, list(range(80)))
    assert (changed.count(), reset.count()) == (1, 0)
    assert kept.data(ManifestRole.MESSAGE) == 40


def test_that_a_later_call_appends_and_an_earlier_one_removes_at_the_end(run: Run) -> None:
    model = checked()
    model.show(run, 10, list(range(run.rows(10))))
    inserted, removed, reset = (QSignalSpy(s) for s in (model.rowsInserted, model.rowsRemoved, model.modelReset))
    model.show(run, 20, list(range(run.rows(20))))
    model.show(run, 5, list(range(run.rows(5))))
    assert (inserted.count(), removed.count(), reset.count()) == (1, 1, 0)
    assert ids(model) == list(range(run.rows(5)))


LISTS = st.lists(st.integers(0, 60), unique=True, max_size=12)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LISTS, min_size=1, max_size=6))
def test_that_any_order_of_lists_ends_in_the_last_one(run: Run, lists: list[list[int]]) -> None:
    model = checked()
    for listed in lists:
        model.show(run, 60, listed)
    assert ids(model) == lists[-1]
    for row, message in enumerate(lists[-1]):
        assert model.row_of(message) == row
        assert model.index(row, 0).data(ManifestRole.MESSAGE) == message
    assert model.row_of(61) is None


def test_that_cells_say_the_row_in_words(run: Run) -> None:
    row = run.row(60, 2)
    assert cell_text(row, ManifestColumn.ROLE) == "tool read_file"
    assert cell_text(row, ManifestColumn.TOKENS) == f"{row.tokens:,}"
    assert cell_text(row, ManifestColumn.STATE) == row.state.label
    assert row.address in cell_text(row, ManifestColumn.TEXT)


def test_that_every_flag_of_a_row_is_in_words_in_its_tooltip(run: Run) -> None:
    model = checked()
    model.show(run, 60, [0])
    tip = str(model.index(0, ManifestColumn.FLAGS).data(Qt.ItemDataRole.ToolTipRole))
    assert "protected" in run.row(60, 0).flags
    assert tip.startswith("protected: ")


def test_that_a_cell_offers_the_filter_that_keeps_its_row(run: Run) -> None:
    model = checked()
    model.show(run, 60, list(range(run.rows(60))))
    for message in (0, 1, 2, 50):
        for column in ManifestColumn:
            term = str(model.index(message, column).data(ManifestRole.TERM))
            assert not term or message in run.query(60, term), term


def test_that_headers_align_with_their_cells_and_say_the_order(run: Run) -> None:
    model = checked()
    model.show(run, 60, [0])
    for column in ManifestColumn:
        header = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
        assert header == model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole)
    model.set_sort(ManifestColumn.TOKENS, descending=True)
    assert model.headerData(ManifestColumn.TOKENS, Qt.Orientation.Horizontal) == "↓ tokens"
    assert model.headerData(ManifestColumn.ID, Qt.Orientation.Horizontal) == "#"


def test_that_the_rows_are_those_of_the_call_that_is_shown(run: Run) -> None:
    model = ManifestModel()
    listed = list(range(run.rows(10)))
    seen: list[list[object]] = []
    for call in (10, 60, 10):
        model.show(run, call, listed)
        shown = [model.index(row, ManifestColumn.STATE).data(ManifestRole.ROW) for row in range(len(listed))]
        assert [row.form for row in shown] == [run.row(call, m).form for m in listed]
        seen.append([row.form for row in shown])
    assert seen[0] == seen[2] != seen[1]


def test_that_a_message_is_found_where_it_stands_now(run: Run) -> None:
    model = ManifestModel()
    for listed in ([5, 3, 1], [3, 1, 5], [1, 5]):
        model.show(run, 60, listed)
        assert [model.row_of(m) for m in listed] == list(range(len(listed)))
    assert model.row_of(3) is None


def test_that_the_rows_looked_at_last_are_remembered(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Counting:
        def row(self, call: int, message: int) -> ManifestRow:
            asked.append(message)
            return run.row(call, message)

    monkeypatch.setattr(manifest, "_CACHED_ROWS", 3)
    model = ManifestModel()
    model.show(Counting(), 60, list(range(100)))  # type: ignore[arg-type]
    for row in (0, 1, 2, 3, 4, 4, 3, 2, 0):
        model.row_data(row)
    assert asked == [0, 1, 2, 3, 4, 0]


def test_that_the_arrow_points_the_way_of_the_order() -> None:
    model = ManifestModel()
    for descending, arrow in ((True, "↓"), (False, "↑")):
        model.set_sort(ManifestColumn.TOKENS, descending)
        assert arrow in str(model.headerData(ManifestColumn.TOKENS, Qt.Orientation.Horizontal))


def test_that_what_stays_whatever_the_plan_says_is_ticked(run: Run) -> None:
    model = ManifestModel()
    model.show(run, 60, [0, 1, 2, 3])
    model.set_ticks(lambda message: (Tick.IN, Tick.OUT, Tick.ARCHIVE, Tick.FIXED)[message])
    ticked = [model.index(row, ManifestColumn.TICK).data(Qt.ItemDataRole.CheckStateRole) for row in range(4)]
    on, off = Qt.CheckState.Checked, Qt.CheckState.Unchecked
    assert ticked == [on, off, off, on]
