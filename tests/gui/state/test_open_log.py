"""What a trace log by itself says of its calls and messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtTest import QAbstractItemModelTester

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from ravenglass.traces import open_trace
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.log_text import manifest_facts, window_facts
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.views.shared.log_table import UNSAID, LogColumn, LogTableModel, cell_text
from tests.gui.recorded import KEY, leave_workspace, write_log


@pytest.fixture
def log(tmp_path: Path) -> OpenLog:
    return OpenLog(open_trace(write_log(tmp_path / "cli_1")))


def test_that_calls_are_numbered_over_all_turns(log: OpenLog) -> None:
    assert log.calls == 3
    assert log.paths == ("fast", "slow", "fail_safe")
    assert log.turn_starts == [1, 3]
    assert log.facts() == "2 turns, 3 calls (1 fast path, 1 slow path, 1 fail-safe)"


def test_that_every_event_is_there_in_order_unknown_ones_too(log: OpenLog) -> None:
    assert [e.event for e in log.events(1)] == ["curator_start", "fast_path"]
    assert log.events(2)[-1].event == "someone_elses_event"
    assert {e.call for e in log.events(2)} == {2}


def test_that_what_a_call_knew_is_listed_as_far_as_the_log_describes_it(log: OpenLog) -> None:
    rows = log.rows(2)
    assert [row.message.id for row in rows] == [0, 1, 2, 3]
    assert [row.included for row in rows] == [True, True, True, False]
    assert (rows[0].message.role, rows[0].message.tokens, rows[0].message.snippet) == ("user", 10, "text 0")
    assert (rows[3].message.role, rows[3].message.tokens) == (None, None)


def test_that_on_the_fast_path_everything_is_in_and_other_calls_describe_it(log: OpenLog) -> None:
    rows = log.rows(1)
    assert [row.included for row in rows] == [True, True, True]
    assert rows[2].message.snippet == "text 2"


def test_that_unknown_is_a_dash_and_never_a_nought(log: OpenLog) -> None:
    undescribed = log.rows(2)[3]
    assert [cell_text(undescribed, column) for column in LogColumn] == [
        "3",
        UNSAID,
        UNSAID,
        UNSAID,
        UNSAID,
        "out",
        UNSAID,
    ]


def test_that_the_lines_above_the_tables_say_recorded_and_unknown(log: OpenLog) -> None:
    assert window_facts(log.summary(2)) == "Recorded: 3 messages · 100 of 21,952 tokens · slow path · accepted"
    assert manifest_facts(log, 3).startswith("Recorded: 6 messages known · history 900 tokens · threshold unknown")
    assert "fail-safe: the model is gone" in window_facts(log.summary(3))


def test_that_the_table_is_a_model_that_qt_accepts(log: OpenLog) -> None:
    model = LogTableModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for number in (1, 2, 3, 1):
        model.show(log.rows(number))
        assert model.rowCount() == len(log.rows(number))
        assert model.row_of(0) == (0 if number != 3 or log.rows(3)[0].message.id == 0 else None)
    del tester


def test_that_a_log_belongs_to_the_session_and_not_to_its_sub_agents(
    log: OpenLog, state: DebuggerState, session: Session
) -> None:
    agent = replace(session, id="agent")
    state.set_session(session, log=log)
    assert state.log is log
    state.set_session(agent, session)
    assert state.log is None
    state.set_session(session, session)
    assert state.log is log


def test_that_events_beside_a_session_carry_the_call_that_was_decided(tmp_path: Path) -> None:
    root = leave_workspace(tmp_path)
    session = open_session(root / "sessions" / "agent" / "demo.jsonl")
    log = OpenLog(open_trace(root / "memory" / ".curator" / "traces" / KEY.replace(":", "_")))
    events = log.beside(session)
    assert [e.call for e in events if e.event == "curator_start"] == [c.number for c in session.structure.calls]
    assert len(events) == sum(len(log.events(n)) for n in range(1, log.calls + 1))
