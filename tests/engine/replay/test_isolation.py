"""Sub-agents: sessions of their own, of which only the result enters the parent."""

from __future__ import annotations

import pytest

from ravenglass.replay import replay
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.scheduler.views import plain


@pytest.fixture(scope="module")
def parent() -> Session:
    return open_session(demo_session())


@pytest.mark.rule("10.8")
def test_that_a_sub_agent_has_windows_of_its_own(parent: Session) -> None:
    assert parent.children
    for child in parent.children:
        run = replay(child)
        assert run.calls > 0
        shown = {m.text for number in range(1, run.calls + 1) for m in run.window(number).messages if m.id is not None}
        assert shown == {m.text for m in child.messages[: run.rows(run.calls)]}
        asked = [m for m in parent.messages if any(c.id == child.parent_call_id for c in m.tool_calls)]
        assert len(asked) == 1


@pytest.mark.rule("10.9")
def test_that_only_its_result_is_in_the_windows_of_the_parent(parent: Session) -> None:
    run = replay(parent, plain(4_000_000))
    window = run.window(run.calls)
    shown = "\n".join(m.text for m in window.messages)
    records = {parent.raw(m.id) for m in window.messages if m.id is not None}
    assert len(records) == run.rows(run.calls) > 100
    for child in parent.children:
        (report,) = (m for m in parent.messages if m.tool_call_id == child.parent_call_id)
        assert report.text in shown
        assert not records & {child.raw(m.id) for m in child.messages}
