from __future__ import annotations

import pytest

from ravenglass.hub.item import Form, State
from ravenglass.profile import make_profile
from ravenglass.replay import Run, replay
from ravenglass.rules import TtlRule
from tests.engine.builders import assistant, call, result, session, user

FETCH = [assistant("", call("WebFetch", url="x")), result("page of the manual")]
TALK = session(
    user("read the manual"),
    *FETCH,
    assistant("Read."),
    user("and now"),
    assistant("Yes."),
    user("on"),
    assistant("So."),
)


def run(**values: object) -> Run:
    """Messages are ten seconds apart; what was fetched in message 2 is 35 s old from call 4 on."""
    return replay(TALK, make_profile(ttl_rules=(TtlRule(tool="WebFetch", ttl=35),), **values))


def states(made: Run) -> list[State]:
    return [made.state(number, 2) for number in range(2, made.calls + 1)]


@pytest.mark.rule("4.27")
def test_that_an_item_past_its_time_to_live_expires_and_says_why() -> None:
    made = run(task_boundary="todo")
    assert states(made) == [State.ACTIVE, State.STANDBY, State.EXPIRED]
    reasons = [e.payload.get("reason") for e in made.events(4) if e.event == "state_changed"]
    assert reasons == ["its time to live of 35 s (WebFetch) had passed"]
    assert "Its content is outdated: its time to live of 35 s (WebFetch) had passed." in made.why(4, 2).reasons
    assert not any("outdated" in reason for reason in made.why(3, 2).reasons)


def test_that_it_leaves_at_once_only_where_the_lifecycle_is_eager() -> None:
    assert run(protect_first_n=0).row(4, 2).form is Form.FULL
    assert run(protect_first_n=0, eager_lifecycle=True).row(4, 2).form is Form.OUT


def test_that_a_day_is_long_enough_by_default() -> None:
    assert states(replay(TALK)) == [State.ACTIVE, State.STANDBY, State.STANDBY]


def test_that_the_registry_names_the_time_to_live() -> None:
    assert [entry.ttl for entry in run().registry(2)][:3] == ["none", "none", 35]
