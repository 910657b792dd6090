"""The window model: blocks in order, headings, cache breakpoints, and the end of what is as it was."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from ravenglass.replay import Run
from ravenglass.replay.frame import Window, WindowMessage
from ravenglass_gui.text.event_text import KINDS
from ravenglass_gui.views.window.model import (
    ICONS,
    Block,
    Entry,
    Line,
    WindowColumn,
    WindowModel,
    WindowRole,
    cell_text,
    entries,
    tooltip,
)
from tests.gui.replayed import slow_call
from tests.proofs import examples


def checked() -> WindowModel:
    model = WindowModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


def whole(window: Window) -> list[Entry]:
    return entries(window, None, changed_only=False)


def test_that_the_list_holds_exactly_the_window_in_its_order(run: Run) -> None:
    for call in range(1, run.calls + 1):
        window = run.window(call)
        assert tuple(e.message for e in whole(window) if isinstance(e, Block)) == window.messages


def test_that_the_cache_line_stands_after_the_stable_prefix(run: Run) -> None:
    call = slow_call(run) + 1
    window = run.window(call)
    listed = whole(window)
    at = next(n for n, e in enumerate(listed) if isinstance(e, Line) and e.kind == "cache")
    assert sum(isinstance(e, Block) for e in listed[:at]) == window.stable_prefix
    assert listed[at].text.startswith("as in the call before up to here · ")  # type: ignore[union-attr]


def test_that_a_first_call_has_no_cache_line(run: Run) -> None:
    assert all(not isinstance(e, Line) or e.kind != "cache" for e in whole(run.window(1)))


def test_that_every_breakpoint_is_a_line_at_its_place(run: Run) -> None:
    for call in (1, slow_call(run), run.calls):
        window = run.window(call)
        listed = whole(window)
        marks = [n for n, e in enumerate(listed) if isinstance(e, Line) and e.kind == "mark"]
        places = [sum(isinstance(e, Block) for e in listed[:n]) for n in marks]
        assert places == [mark.blocks for mark in window.breakpoints]
        assert listed[marks[-1]].text.startswith("cache breakpoint behind the whole window, automatic · ")  # type: ignore[union-attr]


def test_that_only_changes_are_what_came_and_what_left(run: Run) -> None:
    call = slow_call(run)
    now, before = run.window(call), run.window(call - 1)
    listed = entries(now, before, changed_only=True)
    gone = {e.message.id for e in listed if isinstance(e, Block) and e.gone}
    assert gone == {m.id for m in before.messages} - {m.id for m in now.messages}
    assert gone
    assert all(e.message.added for e in listed if isinstance(e, Block) and not e.gone)
    assert len(gone) == run.frame(call).evicted


def test_that_a_working_state_that_is_not_injected_any_more_is_no_message_that_left(run: Run) -> None:
    before = run.window(slow_call(run) + 1)
    assert any(m.id is None for m in before.messages)
    window = replace(before, messages=tuple(m for m in before.messages[1:] if m.id is not None))
    gone = [e.message.id for e in entries(window, before, changed_only=True) if isinstance(e, Block) and e.gone]
    assert gone == [m.id for m in before.messages[:1] if m.id is not None]


def test_that_a_window_that_shares_nothing_with_the_one_before_has_no_cache_line(run: Run) -> None:
    window = replace(run.window(slow_call(run)), stable_prefix=0, stable_tokens=0)
    assert not [e for e in whole(window) if isinstance(e, Line) and e.kind == "cache"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(30))
@given(st.lists(st.tuples(st.integers(1, 60), st.booleans()), min_size=1, max_size=5))
def test_that_any_way_through_the_calls_ends_in_the_last_window(run: Run, way: list[tuple[int, bool]]) -> None:
    model = checked()
    listed: list[Entry] = []
    for call, changed_only in way:
        listed = entries(run.window(call), run.window(max(1, call - 1)), changed_only=changed_only)
        model.show(listed)
    assert [model.entry(row) for row in range(model.rowCount())] == listed


def test_that_the_next_call_keeps_the_rows_before_what_changed(run: Run) -> None:
    model = checked()
    model.show(entries(run.window(5), None, changed_only=False)[:-2])
    removed, reset = QSignalSpy(model.rowsRemoved), QSignalSpy(model.modelReset)
    model.show(entries(run.window(5), None, changed_only=False))
    assert (removed.count(), reset.count()) == (0, 0)


def test_that_headings_cannot_be_selected(run: Run) -> None:
    model = checked()
    model.show(whole(run.window(5)))
    for row in range(model.rowCount()):
        selectable = bool(model.flags(model.index(row, 0)) & Qt.ItemFlag.ItemIsSelectable)
        assert selectable is isinstance(model.entry(row), Block)


def test_that_a_block_of_calls_shows_what_is_called(run: Run) -> None:
    block = next(e for e in whole(run.window(5)) if isinstance(e, Block) and e.message.tool_calls)
    assert "read_file({" in cell_text(block, WindowColumn.TEXT)


def test_that_a_summary_is_shown_as_what_it_is_and_no_row_is_a_message() -> None:
    block = WindowMessage(None, "system", "# Summary", 300, "session", False, None, "summary")
    window = Window(3, "slow", (block,), 300, 0, 0)
    heading, row = whole(window)
    assert isinstance(heading, Line)
    assert heading.text == "session: working state, summary"
    assert isinstance(row, Block)
    assert [cell_text(row, column) for column in (WindowColumn.ID, WindowColumn.WHAT, WindowColumn.TOKENS)] == [
        "",
        "summary",
        "300",
    ]
    assert "stands for messages that left the window; they stay retrievable" in tooltip(row)
    assert ICONS["summary"] == KINDS["summarized"].icon, "the same sign as in the trace"
    model = checked()
    model.show(whole(window))
    assert model.row_of(0) is None


def test_that_bars_are_measured_by_the_largest_block_that_is_shown(run: Run) -> None:
    model = checked()
    listed = whole(run.window(5))
    for count in (3, len(listed), 3):
        model.show(listed[:count])
        largest = max(e.message.tokens for e in listed[:count] if isinstance(e, Block))
        assert {model.index(row, 0).data(WindowRole.LARGEST) for row in range(count)} == {largest}
