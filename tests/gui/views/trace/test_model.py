"""Trace events as a list, in words, and gathered over slow paths."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy
from pytestqt.qtbot import QtBot

from ravenglass.replay import Run
from ravenglass.trace import EVENT_NAMES, TraceEvent, logged
from ravenglass_gui.text.event_text import KINDS, kind, summary
from ravenglass_gui.views.trace.model import EventRole, TraceModel
from ravenglass_gui.views.trace.slow_paths import SlowPathEvents
from tests.gui.replayed import slow_call


def checked() -> TraceModel:
    model = TraceModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    return model


def listed(model: TraceModel) -> list[TraceEvent]:
    return [model.index(row).data(EventRole.EVENT) for row in range(model.rowCount())]


def test_that_every_event_of_the_engine_has_a_title_and_an_icon() -> None:
    assert set(KINDS) == set(EVENT_NAMES)


def test_that_every_event_of_a_replay_says_something(run: Run) -> None:
    loop = run.loop(slow_call(run))
    events = [*loop.run(), *run.events(1), *run.events(run.calls)]
    for event in events:
        said = summary(event)
        assert said, event
        assert "\n" not in said
        assert "unknown" not in said, (event.event, said, event.payload)


@pytest.mark.rule("8.6")
def test_that_an_unknown_event_is_shown_under_its_own_name() -> None:
    event = logged("skill_loaded", {"name": "pdf", "ids": [1, 2], "inner": {"a": 1}})
    assert kind(event).title == "skill_loaded"
    assert summary(event) == "name pdf · ids 2 items"


@pytest.mark.parametrize("name", EVENT_NAMES)
def test_that_a_payload_from_elsewhere_never_breaks_a_summary(name: str) -> None:
    for payload in ({}, {"plan": 3, "validation": [], "errors": 1, "tool_calls": "x", "result": None, "step": []}):
        summary(logged(name, payload))


def test_that_markup_in_a_payload_stays_text(run: Run) -> None:
    from PySide6.QtCore import Qt

    model = checked()
    model.show([logged("main_agent_result", {"response": "<img src=x>\n<b>bold</b>"})])
    assert model.index(0).data() == "Response of the agent: <img src=x> <b>bold</b>"
    assert "&lt;img" in str(model.index(0).data(Qt.ItemDataRole.ToolTipRole))


def test_that_new_events_at_the_end_are_appended(run: Run) -> None:
    model = checked()
    events = run.events(slow_call(run))
    model.show(events[:3])
    inserted, reset = QSignalSpy(model.rowsInserted), QSignalSpy(model.modelReset)
    model.show(events[:5])
    assert (inserted.count(), reset.count()) == (1, 0)
    assert listed(model) == list(events[:5])


def test_that_kinds_and_text_choose_what_is_listed(run: Run) -> None:
    model = checked()
    events = run.events(slow_call(run))
    model.show(events)
    model.filter_by(frozenset({"state_changed"}), "")
    assert listed(model) == [e for e in events if e.event != "state_changed"]
    model.filter_by(frozenset(), "VERDICT")
    assert [e.event for e in listed(model)] == ["slow_path_accepted"]
    assert model.total == len(events)
    assert sum(model.kinds().values()) == len(events)


def test_that_slow_paths_are_gathered_in_order_and_once(qtbot: QtBot, run: Run) -> None:
    gathered = SlowPathEvents()
    gathered.gather(run)
    qtbot.waitUntil(lambda: gathered.complete, timeout=10_000)
    wanted = [e for n, path in enumerate(run.paths, 1) if path != "fast" for e in run.events(n)]
    assert list(gathered.events) == wanted
    grown = QSignalSpy(gathered.grown)
    gathered.gather(run)
    assert gathered.complete
    assert grown.count() == 0


def test_that_gathering_stops_while_nobody_looks(qtbot: QtBot, run: Run) -> None:
    gathered = SlowPathEvents()
    gathered.gather(run)
    gathered.pause()
    qtbot.wait(20)
    assert gathered.events == ()
    gathered.gather(run)
    qtbot.waitUntil(lambda: gathered.complete, timeout=10_000)


def test_that_a_wrapped_response_is_shown_by_its_text() -> None:
    event = logged("main_agent_result", {"response": {"final_content": "完成 done", "messages": [1]}}, 1)
    assert summary(event) == "完成 done"
    assert summary(logged("main_agent_result", {"response": {"messages": [1]}}, 1)) == "messages 1 items"
    assert summary(logged("main_agent_result", {"response": "ok"}, 1)) == "ok"


def test_that_what_the_writer_did_is_told_as_the_writers() -> None:
    payload = {"by": "writer", "kind": "compaction", "note": "auto", "kept": 2, "cleared": 0}
    done = logged("summarized", payload, 3, None, (0, 2))
    assert kind(done).title == "Writer's compaction"
    assert summary(done) == "auto; 2 earlier messages stayed"
    cleared = logged("offloaded", {**payload, "kind": "clearing", "note": "", "kept": None, "cleared": 4}, 3, None, ())
    assert summary(cleared) == "the text of 4 results was cleared"
    ours = logged("summarized", {"messages": 3, "full_tokens": 900, "tokens": 80}, 3, None, ())
    assert kind(ours).title == "Summarized"


def test_that_the_events_of_another_call_take_the_place_of_those_before(run: Run) -> None:
    model = checked()
    call = slow_call(run)
    for events in (run.events(1)[:2], run.events(call), run.events(call + 1)):
        model.show(events)
        assert listed(model) == list(events)


def test_that_the_kinds_are_counted(run: Run) -> None:
    model = checked()
    events = run.events(slow_call(run))
    model.show(events)
    assert model.kinds() == Counter(event.event for event in events)
    assert max(model.kinds().values()) > 1
