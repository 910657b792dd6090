"""Which path a call takes, and what the fast path does to what stands beside the window."""

from __future__ import annotations

import pytest

from ravenglass.hub.item import State
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.stepping.changes import ChangeKind
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.scheduler.views import plain


def _exchange(command: str, size: int) -> tuple[Message, Message]:
    return assistant("", call("Bash", command=command)), result(f"{command} {filler(size)}")


@pytest.mark.rule("6.1")
@pytest.mark.parametrize(("size", "path"), [(499, "fast"), (500, "slow")])
def test_that_a_history_of_exactly_the_threshold_takes_the_slow_path(size: int, path: str) -> None:
    run = replay(session(user(filler(size)), assistant("end")), plain(1_000, fast_path_threshold=0.5))
    assert run.frame(1).history_tokens == size
    assert run.paths == [path]


@pytest.mark.rule("6.1")
def test_that_a_history_below_the_threshold_takes_the_slow_path_where_the_window_would_pass_c() -> None:
    said = (assistant(filler(500)), user(filler(492)), assistant("end"))
    run = replay(session(*said), plain(1_000, fast_path_threshold=1.0))
    assert run.frame(2).history_tokens == 992 < run.budget.threshold
    assert run.paths[1] == "slow", "the mark at the beginning of a window takes 14 tokens more"
    assert run.window_tokens[1] <= 1_000


def _aside(*changes: HandChange) -> SimulatedRun:
    """An exchange of 400 tokens, messages 1 and 2, that has to leave at call 4; then small ones, and room at the end.
    What is out for ten calls is archived."""
    messages = [user("fix the login"), *_exchange("first", 400)]
    for n in range(30):
        messages += _exchange(f"step {n}", 250 if n in (0, 1, 2, 6) else 1)
    quotas = {"quota_global": 0, "quota_session": 0, "quota_task": 1, "quota_atomic": 0}
    curator = {"fast_path_threshold": 0.8, "trim_target": 0.6, "archive_below": 0.0, "standby_calls": 10}
    return replay(session(*messages, assistant("end")), plain(1_000, **quotas, **curator), changes)


def _archivings(run: SimulatedRun, message: int) -> list[tuple[int, str]]:
    return [(entry.call, entry.reason) for entry in run.archive() if message in entry.messages]


@pytest.mark.rule("5.14")
def test_that_what_came_back_and_left_again_is_unused_since_it_left_last() -> None:
    assert _archivings(_aside(), 1) == [(14, "unused for 10 calls")]
    again = _aside(HandChange(5, "retrieve", 1), HandChange(6, "relevance", 1, 0.0))
    assert [again.in_window(number, 1) for number in (4, 5, 8, 9)] == [False, True, True, False]
    assert again.paths[13] == "fast"
    assert _archivings(again, 1) == [(19, "unused for 10 calls")]


@pytest.mark.rule("5.14")
def test_that_a_pinned_group_that_found_no_room_is_never_archived() -> None:
    messages = [user("go"), *_exchange("one", 600), *_exchange("two", 600)]
    messages += [message for n in range(15) for message in _exchange(f"step {n}", 1)]
    profile = plain(1_000, fast_path_threshold=0.95, standby_calls=10, archive_below=0.0)
    pins = [HandChange(2, "pin", 1), HandChange(3, "pin", 3)]
    run = replay(session(*messages, assistant("end")), profile, pins)
    assert not any(run.in_window(number, 1) for number in range(3, run.calls + 1))
    assert set(run.paths[3:]) == {"fast"}
    assert run.state(run.calls, 1) is State.STANDBY
    assert not run.archive()


@pytest.mark.parametrize("kind", ["retrieve", "pin", "protect"])
def test_that_archived_and_taken_back_at_one_call_is_not_archived(kind: ChangeKind) -> None:
    run = _aside(HandChange(3, "archive", 1), HandChange(3, kind, 1))
    assert run.in_window(3, 1)
    assert run.state(3, 1) is State.ACTIVE
    assert not run.archive(3)
    assert not [e for e in run.events(3) if e.event == "archived"]


@pytest.mark.rule("6.37")
def test_that_a_result_that_was_cut_makes_room_for_a_late_one_of_the_same_message() -> None:
    both = assistant("", call("Bash", command="a"), call("Bash", command="b"))
    talk = (user(f"hm {filler(100)}"), assistant("wait"))
    said = (user("go"), both, result(f"x {filler(2_000)}"), *talk, result(f"y {filler(300)}"), assistant("end"))
    run = replay(session(*said), plain(1_000))
    first, second = run.window(2), run.window(3)
    texts = [next(m.text for m in window.messages if m.id == 2) for window in (first, second)]
    assert len(texts[0]) > len(texts[1]) + 300
    assert any(m.id == 5 for m in second.messages)
    for number, window in ((2, first), (3, second)):
        assert window.tokens == run.window_tokens[number - 1] <= 1_000
