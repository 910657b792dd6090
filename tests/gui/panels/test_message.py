"""The message panel: verbatim, searchable, and never frozen by size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run
from ravenglass.sessions import open_session
from ravenglass_gui.models.message_facts import readable_calls
from ravenglass_gui.panels.message import MessagePanel
from ravenglass_gui.state import DebuggerState


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
    assert panel.text.notice().startswith("The first 1,000,000 of 12,000,000 characters are shown.")
    assert panel.text.view.document().blockCount() > 200
    assert "1 line is longer than" in panel.text.notice()
    qtbot.mouseClick(panel.text.more_button(), Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not panel.text.view.filling)
    assert panel.text.view.hidden == 10_000_000


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
    broken = replace(record, tool_calls=(replace(record.tool_calls[0], arguments='{"path": "cut'),))
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
