from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given

from ravenglass.profile import Profile, make_profile
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.tasks import Task, tasks
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, meta, profiles, result, session, sessions, user
from tests.engine.scheduler.views import ruled

SHIFT = Profile()
EVERY = make_profile(task_boundary="every_user_message")
TODO = make_profile(task_boundary="todo")


def found(profile: Profile, *messages: Message) -> tuple[Task, ...]:
    return tasks(Features(session(*messages)), profile)


def prompts(profile: Profile, *messages: Message) -> list[int | None]:
    """Prompts that open a task."""
    return [task.prompt for task in found(profile, *messages)]


def todo(*states: str, name: str = "TodoWrite", key: str = "todos") -> list[Message]:
    items: Any = [{"content": f"step {n}", "status": state} for n, state in enumerate(states)]
    return [assistant("", call(name, **{key: items})), result("ok")]


LOGIN = user("Fix the login in src/auth.py, it raises KeyError")
SAME = user("The KeyError in src/auth.py is still there after the login")
OTHER = user("Write release notes about invoice_totals and src/ledger.py")
VAGUE = user("go on")


@pytest.mark.rule("4.8")
def test_that_every_user_message_can_be_a_boundary() -> None:
    talk = (LOGIN, assistant("Done."), VAGUE, assistant("Done."), meta("reminder"), assistant("Hm."), SAME)
    assert prompts(EVERY, *talk) == [0, 2, 6]
    assert [task.why for task in found(EVERY, *talk)] == ["the first request", "a new request", "a new request"]


@pytest.mark.rule("4.9")
def test_that_a_request_about_something_else_is_a_new_task() -> None:
    assert prompts(SHIFT, LOGIN, assistant("Done."), OTHER) == [0, 2]
    assert "the topic changed (overlap 0.00)" in found(SHIFT, LOGIN, assistant("Done."), OTHER)[1].why


@pytest.mark.rule("4.9")
def test_that_a_request_about_the_same_stays_in_the_task() -> None:
    assert prompts(SHIFT, LOGIN, assistant("Done."), SAME) == [0]


def test_that_a_request_that_says_little_never_starts_a_task() -> None:
    assert prompts(SHIFT, LOGIN, assistant("Done."), VAGUE, assistant("Done."), user("ok")) == [0]
    assert prompts(SHIFT, LOGIN, assistant("Done."), user("deploy")) == [0]
    assert prompts(SHIFT, LOGIN, assistant("Done."), user("deploy staging")) == [0, 2]


def test_that_a_request_is_compared_with_all_of_its_task_and_with_nothing_older() -> None:
    talk = (LOGIN, assistant("Done."), OTHER, assistant("Done."))
    assert prompts(SHIFT, LOGIN, assistant("See src/ledger.py and invoice_totals."), OTHER) == [0]
    assert prompts(SHIFT, *talk, LOGIN) == [0, 2, 4]


@pytest.mark.rule("4.9")
@pytest.mark.parametrize(("overlap", "starts"), [(0.0, [0]), (0.2, [0]), (0.9, [0, 2]), (1.0, [0, 2])])
def test_that_the_threshold_decides_how_much_must_be_shared(overlap: float, starts: list[int]) -> None:
    mixed = user("src/auth.py and src/ledger.py and invoice_totals and release_notes")
    profile = make_profile(topic_overlap=overlap)
    assert prompts(profile, LOGIN, assistant("Done."), mixed) == starts


def test_that_a_rare_entity_weighs_more_than_a_common_one_in_the_overlap() -> None:
    talk = [m for _ in range(4) for m in (user("the login"), assistant("login"))]
    shared, new = math.log(1 + 9 / 9), 2 * math.log(1 + 9 / 1)
    last = found(make_profile(topic_overlap=0.9), *talk, user("login invoice_totals release_notes"))[-1]
    assert last.why == f"the topic changed (overlap {shared / (shared + new):.2f})"


def test_that_sharing_exactly_the_threshold_is_enough() -> None:
    assert prompts(make_profile(topic_overlap=1), LOGIN, assistant("Done."), LOGIN) == [0]
    assert prompts(make_profile(topic_overlap=0), LOGIN, assistant("Done."), OTHER) == [0]


@pytest.mark.rule("4.9", "4.10")
@pytest.mark.parametrize("profile", [SHIFT, TODO], ids=["topic_shift", "todo"])
@pytest.mark.parametrize(
    ("made", "starts"),
    [
        ([todo("completed", "completed")], [0, 3]),
        ([todo("completed", "cancelled")], [0, 3]),
        ([todo("completed", "in_progress")], [0]),
        ([todo("pending")], [0]),
        ([todo()], [0]),
        ([todo("pending"), todo("completed")], [0, 5]),
        ([todo("completed"), todo("pending")], [0]),
        ([todo("completed", name="update_plan", key="plan")], [0, 3]),
        ([todo("completed", name="SomethingElse")], [0]),
        ([[assistant("", call("TodoWrite", todos='[{"status": "completed"}]')), result("ok")]], [0, 3]),
        ([[assistant("", call("TodoWrite", todos="[")), result("ok")]], [0]),
        ([[assistant("", call("TodoWrite", todos="[" * 100_000)), result("ok")]], [0]),
        ([[assistant("", call("TodoWrite", todos={"a": 1})), result("ok")]], [0]),
        ([[assistant("", call("TodoWrite", todos=["completed"])), result("ok")]], [0]),
        ([[assistant("", call("TodoWrite", raw="{")), result("ok")]], [0]),
    ],
)
def test_that_a_done_todo_list_ends_the_task_at_the_next_request(
    profile: Profile, made: list[list[Message]], starts: list[int]
) -> None:
    assert prompts(profile, LOGIN, *(m for one in made for m in one), SAME) == starts


def test_that_a_todo_list_of_an_earlier_task_does_not_count_twice() -> None:
    talk = (LOGIN, *todo("completed"), SAME, assistant("Done."), SAME)
    assert prompts(TODO, *talk) == [0, 3]


@pytest.mark.rule("4.10")
def test_that_with_todo_lists_as_boundary_the_topic_does_not_matter() -> None:
    assert prompts(TODO, LOGIN, assistant("Done."), OTHER) == [0]


def test_that_a_task_ends_at_the_call_that_sees_the_next_one() -> None:
    first, second = found(EVERY, LOGIN, *todo("pending"), assistant("Done."), SAME, assistant("Done."))
    assert (first.first_group, first.end) == (0, 3)
    assert (second.first_group, second.end) == (3, 4)


def test_that_what_stands_before_the_first_request_belongs_to_the_first_task() -> None:
    assert found(EVERY, meta("hello"), assistant("Hi."), LOGIN, assistant("Done.")) == (
        Task(0, 0, 3, 2, "the first request"),
    )


def test_that_a_session_without_a_request_is_one_task() -> None:
    assert found(SHIFT, meta("hello"), assistant("Hi.")) == (Task(0, 0, 2, None, "the session began"),)
    assert found(SHIFT) == (Task(0, 0, 1, None, "the session began"),)


@pytest.mark.rule("4.7")
@given(sessions(), profiles())
def test_that_tasks_follow_one_another_and_cover_the_session(built: Session, profile: Profile) -> None:
    features = Features(built)
    parts = tasks(features, profile)
    calls = len(features.calls)
    assert parts[0].first_group == 0
    assert parts[-1].end == calls + 1
    assert [task.index for task in parts] == list(range(len(parts)))
    for one, following in pairwise(parts):
        assert one.first_group < following.first_group
        assert one.end <= following.end
        assert one.end == features.groups[following.first_group].call
        assert following.prompt == features.groups[following.first_group].messages[0]
        assert following.why


@given(sessions())
def test_that_no_boundary_has_more_tasks_than_every_user_message(built: Session) -> None:
    features = Features(built)
    counts: dict[str, Any] = {p.task_boundary: {t.prompt for t in tasks(features, p)} for p in (EVERY, SHIFT, TODO)}
    assert counts["todo"] <= counts["topic_shift"] | counts["todo"] <= counts["every_user_message"]


@pytest.mark.rule("4.11")
@pytest.mark.parametrize("profile", [SHIFT, TODO], ids=["topic_shift", "todo"])
def test_that_the_return_of_a_sub_agent_ends_its_task(profile: Profile) -> None:
    work = [assistant("", call("Bash", command="ls")), result("login")]
    talk = [LOGIN, *work, assistant("Found it."), LOGIN, *work, LOGIN, assistant("Done.")]
    sub_agent = tasks(Features(session(*talk, parent_call_id="call_7")), profile)
    assert [(task.prompt, task.why) for task in sub_agent] == [
        (0, "the first request"),
        (4, "the sub-agent had returned"),
    ]
    assert [task.prompt for task in tasks(Features(session(*talk)), profile)] == [0]


def test_that_the_result_of_a_sub_agent_stays_for_the_task_that_asked_for_it() -> None:
    asked = [assistant("", call("Task", prompt="look at login")), result("login is in src/auth.py")]
    built = session(LOGIN, *asked, assistant("So it is there."), user("login again"), assistant("Done."))
    found = tasks(Features(built), SHIFT)
    assert [(task.first_group, task.end) for task in found] == [(0, 4)]
    assert ruled(built, SHIFT)[1].released_at[1] == 4
