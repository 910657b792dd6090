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


@pytest.mark.rule("4.27")
def test_that_what_lives_for_good_by_a_rule_is_not_expired_by_a_change_of_its_file() -> None:
    talk = session(
        user("fix it"),
        *(assistant("", call("Read", file_path="a.py")), result("x = 1")),
        *(assistant("", call("Write", file_path="a.py", content="x = 2")), result("ok")),
        assistant("Done."),
    )
    rules = {"none": State.ACTIVE, "until_invalidated": State.EXPIRED, 3_600: State.EXPIRED}
    for ttl, state in rules.items():
        made = replay(talk, make_profile(ttl_rules=(TtlRule(tool="Read", ttl=ttl),)))
        assert [entry.ttl for entry in made.registry(3) if entry.message == 2] == [ttl]
        assert made.state(3, 2) is state


@pytest.mark.rule("4.27")
def test_that_the_archive_says_that_the_time_has_passed() -> None:
    made = run(task_boundary="todo", protect_first_n=0, trim_target=1.0, fast_path_threshold=0)
    assert {entry.messages: entry.reason for entry in made.archive()}[(1, 2)] == (
        "its time to live of 35 s (WebFetch) had passed"
    )
