"""The message panel: verbatim, searchable, and never frozen by size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run, replay
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import ToolCall
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.display_text import LONGEST_LINE
from ravenglass_gui.views.message.facts import readable_calls
from ravenglass_gui.views.message.panel import MessagePanel
from ravenglass_gui.views.shared.verbatim_view import PAGE, WHOLE


@pytest.fixture
def panel(loaded: DebuggerState, show: Any) -> MessagePanel:
    shown: MessagePanel = show(MessagePanel(loaded))
    return shown


def opened(state: DebuggerState, show: Any, folder: Path, content: str) -> MessagePanel:
    """The panel with a session of one message of that content."""
    import json

    path = folder / "one.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": content}]}), encoding="utf-8")
    state.set_session(open_session(path))
    panel: MessagePanel = show(MessagePanel(state))
    state.select(0)
    return panel


def test_that_without_a_selection_it_says_how_to_get_a_message(panel: MessagePanel) -> None:
    panel.state.select(None)
    assert panel._empty.isVisible()
    assert "Select a message" in panel._empty.sentence()


def test_that_the_text_is_the_recorded_text(panel: MessagePanel, run: Run) -> None:
    panel.state.select(2)
    assert panel.text.view.text == run.session.messages[2].text
    assert panel.text.view.toPlainText() == run.session.messages[2].text
    assert panel.title.title == "MESSAGE #2 · TOOL · READ_FILE"


def test_that_the_header_says_tokens_how_they_were_counted_and_the_digest(panel: MessagePanel, run: Run) -> None:
    panel.state.select(2)
    tokens = run.row(60, 2).tokens
    assert panel.title.facts == f"verbatim · {tokens:,} tokens exact · sha256 {run.session.digest(2)[:8]}…"


def test_that_the_raw_record_is_shown_byte_for_byte_and_can_be_indented(panel: MessagePanel, run: Run) -> None:
    panel.state.select(1)
    panel.tabs.setCurrentIndex(2)
    assert panel.raw.view.text == run.session.raw(1).decode()
    panel.pretty.setChecked(True)
    assert panel.raw.view.text.startswith('{\n  "role": "assistant"')


def test_that_the_structure_names_role_calls_and_digest(panel: MessagePanel, run: Run) -> None:
    panel.state.select(1)
    panel.tabs.setCurrentIndex(1)
    facts = {panel.tree.index(r, 0).data(): panel.tree.index(r, 1).data() for r in range(panel.tree.rowCount())}
    assert facts["role"] == "assistant"
    assert facts["tool calls"] == "1 item"
    assert facts["sha256"] == run.session.digest(1)


def test_that_arguments_of_calls_are_readable(panel: MessagePanel) -> None:
    panel.state.select(1)
    assert "read_file\n  path: billing/part_0.py" in panel.text.view.text
    assert "labels" in panel.text.notice()


def test_that_text_that_looks_like_markup_stays_text(state: DebuggerState, show: Any, tmp_path: Path) -> None:
    panel = opened(state, show, tmp_path, "<b>bold</b> <img src='http://x'> [a](b)")
    assert panel.text.view.toPlainText() == "<b>bold</b> <img src='http://x'> [a](b)"


def test_that_a_line_separator_is_shown_said_and_copied_back_as_recorded(
    state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    panel = opened(state, show, tmp_path, "one\u2028two\u2029three")
    assert panel.text.view.document().blockCount() == 1
    assert "U+2028" in panel.text.notice()
    panel.text.view.selectAll()
    panel.text.view.copy()
    assert QGuiApplication.clipboard().text() == "one\u2028two\u2029three"


def test_that_a_line_of_twelve_million_characters_is_shown_in_part(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    panel = opened(state, show, tmp_path, "x" * 12_000_000)
    qtbot.waitUntil(lambda: not panel.text.view.filling)
    assert panel.text.notice().startswith("Characters 1 to 1,000,000 of 12,000,000 are shown.")
    assert panel.text.view.document().blockCount() > 200
    assert "1 line is longer than" in panel.text.notice()
    qtbot.mouseClick(panel.text.more_button(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.text.view.filling)
    assert (panel.text.view.before, panel.text.view.after) == (1_000_000, 10_000_000)
    qtbot.mouseClick(panel.text.less_button(), Qt.MouseButton.LeftButton)
    assert panel.text.view.before == 0


def test_that_the_view_holds_one_part_of_a_long_text_and_all_of_it_can_be_reached(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    text = "".join(f"{number} 登录😀" for number in range(400_000))
    panel = opened(state, show, tmp_path, text)
    view, parts = panel.text.view, []
    for _ in range(20):
        qtbot.waitUntil(lambda: not view.filling)
        assert view.document().characterCount() <= 2 * PAGE + PAGE // LONGEST_LINE + 2  # a character may be two units
        # Two slices may meet in a line.
        assert max(len(block) for block in view.toPlainText().split("\n")) <= 2 * LONGEST_LINE
        view.selectAll()
        view.copy()
        parts.append(QGuiApplication.clipboard().text())
        if panel.text.more_button().isHidden():
            break
        panel.text.more_button().click()
    assert len(parts) == -(-len(text) // PAGE)
    assert "".join(parts) == text


def test_that_a_search_goes_over_all_of_a_long_text_and_turns_to_the_part_of_a_hit(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    text = "a" * 400_000 + "Needle" + "😀b" * 1_200_000 + "needle" + "c" * 700_000 + "NEEDLE"
    panel = opened(state, show, tmp_path, text)
    panel._open_find()
    panel.find_bar.field.setText("needle")
    panel.find_bar.search()
    view = panel.text.view
    qtbot.waitUntil(lambda: not view.searching)
    assert panel.find_bar.count_text() == "1 of 3"
    found = []
    for _ in range(3):
        qtbot.waitUntil(lambda: view.textCursor().hasSelection() and not view.filling)
        found.append((view.before, view.textCursor().selectedText()))
        panel.find_bar.step(1)
    assert found == [(0, "Needle"), (2_000_000, "needle"), (3_000_000, "NEEDLE")]
    assert panel.find_bar.count_text() == "1 of 3"


def test_that_a_hit_at_the_seam_of_two_searched_slices_is_found_once(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    panel = opened(state, show, tmp_path, "x" * 499_997 + "needle" + "x" * 100)
    view = panel.text.view
    view.look_for("needle")
    qtbot.waitUntil(lambda: not view.searching)
    assert view.hits == 1


def test_that_a_session_that_was_read_on_leaves_the_shown_message_where_it_was_scrolled(
    panel: MessagePanel, run: Run
) -> None:
    panel.state.select(2)
    panel.text.view.verticalScrollBar().setValue(40)
    later = replace(run.session, title="later")
    panel.state.set_grown(later, replay(later, run.profile))
    assert panel.state.session is later
    assert panel.text.view.verticalScrollBar().value() == 40


def test_that_search_counts_hits_and_walks_around(qtbot: QtBot, panel: MessagePanel, run: Run) -> None:
    panel.state.select(2)
    panel._open_find()
    panel.find_bar.field.setText("PART_0_1(")
    panel.find_bar.search()
    assert panel.find_bar.count_text() == "1 of 1"
    panel.find_bar.field.setText("def ")
    panel.find_bar.search()
    assert panel.find_bar.count_text() == "1 of 160"
    qtbot.keyClick(panel.find_bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert panel.find_bar.count_text() == "160 of 160"
    assert panel.text.view.textCursor().selectedText() == "def "
    panel.find_bar.field.setText("登录")
    panel.find_bar.search()
    assert panel.find_bar.count_text() == "no hit"


def test_that_a_retrieval_is_shown_and_says_whether_it_was_cut(panel: MessagePanel, run: Run) -> None:
    panel.state.select(2)
    entry = run.archive()[0]
    panel.state.show_retrieved(run.retrieve(entry.ref, max_tokens=50))
    assert panel.title.title.startswith("RETRIEVED ")
    assert panel.title.facts.startswith("truncated at the cap")
    assert panel.text.notice().startswith("Truncated: the token cap cut this retrieval.")
    panel.tabs.setCurrentIndex(2)
    assert panel.raw.view.text == b"\n".join(run.session.raw(m) for m in entry.messages).decode()
    panel.back.click()
    assert panel.title.title.startswith("MESSAGE #2")
    assert panel.back.isHidden()


def test_that_arguments_that_are_no_json_are_shown_as_recorded(run: Run) -> None:
    record = run.session.messages[1]
    broken = replace(record, tool_calls=(ToolCall("call_0", "read_file", '{"path": "cut'),))
    assert readable_calls(broken) == 'read_file\n{"path": "cut'


def test_that_a_text_of_many_lines_arrives_in_slices_and_whole(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    text = "\n".join(f"line {number}" for number in range(12_000))
    panel = opened(state, show, tmp_path, text)
    assert panel.text.view.document().blockCount() < 3_000
    qtbot.waitUntil(lambda: not panel.text.view.filling)
    assert panel.text.view.toPlainText() == text
    assert panel.text.notice() == ""


def test_that_places_that_overlap_are_one_hit(qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path) -> None:
    view = opened(state, show, tmp_path, "aaaa aaa").text.view
    view.look_for("aa")
    qtbot.waitUntil(lambda: not view.searching)
    assert view.hits == 3


def test_that_there_is_no_empty_part_behind_the_last(
    qtbot: QtBot, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    text = "x" * (PAGE * 8)
    assert len(text) > WHOLE
    view = opened(state, show, tmp_path, text).text.view
    view.turn(100)
    qtbot.waitUntil(lambda: not view.filling)
    assert view.before == len(text) - PAGE
