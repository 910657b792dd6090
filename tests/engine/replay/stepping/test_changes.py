from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.item import Form, State
from ravenglass.presets import preset
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.stepping.changes import RollBack, rolled_back
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, call, filler, profiles, result, session, sessions, user, with_calls
from tests.engine.replay.runs import KINDS, changes_for, thorough
from tests.engine.scheduler.views import plain


@thorough
@given(st.data(), sessions().filter(with_calls), profiles())
def test_that_a_change_leaves_the_calls_before_it_as_they_were(data: st.DataObject, built: Session, p: Profile) -> None:
    changes = data.draw(changes_for(built))
    base, branch = replay(built, p), replay(built, p, changes)
    for number in range(1, min(change.call for change in changes)):
        assert repr(branch.window(number)) == repr(base.window(number))
        assert repr(branch.frame(number)) == repr(base.frame(number))
        assert branch.events(number) == base.events(number)


@pytest.mark.rule("6.25")
@thorough
@given(st.data(), sessions().filter(with_calls), profiles())
def test_that_a_pin_by_hand_holds_from_its_call_on(data: st.DataObject, built: Session, p: Profile) -> None:
    number = data.draw(st.integers(1, len(built.structure.calls)))
    known = built.structure.calls[number - 1].message
    if not known:
        return
    message = data.draw(st.integers(0, known - 1))
    run = replay(built, p, [HandChange(number, "pin", message)])
    for later in range(number, run.calls + 1):
        row = run.row(later, message)
        assert row.pinned
        assert "pinned" in row.flags
        assert row.state is not State.ARCHIVED or run.state(later - 1, message) is State.ARCHIVED
    if number > 1 and message < run.rows(number - 1):
        plain_run = replay(built, p)
        assert run.row(number - 1, message).pinned == plain_run.row(number - 1, message).pinned


EXCHANGES = 12


def _pressed(*changes: HandChange, **more: object) -> SimulatedRun:
    """Twelve exchanges of 410 tokens; about three of them fit. Message 2n+1 is the call of exchange n."""
    messages = [user("fix the login")]
    for number in range(EXCHANGES):
        messages += [assistant("", call("Bash", command=f"make step{number}")), result(f"{number} {filler(400)}")]
    quotas = {"quota_global": 0, "quota_session": 0, "quota_task": 1, "quota_atomic": 0}
    curator = {"fast_path_threshold": 0.7, "trim_target": 0.7, "standby_calls": 40}
    profile = plain(1_800, **{**quotas, **curator, **more})
    return replay(session(*messages, assistant("end")), profile, changes)


def test_that_nothing_of_the_first_group_is_left_without_a_change() -> None:
    run = _pressed()
    assert not run.in_window(run.calls, 1)


@pytest.mark.rule("6.26")
def test_that_a_pinned_group_stays_whole_to_the_end() -> None:
    run = _pressed(HandChange(2, "pin", 2))
    assert all(run.in_window(number, m) for number in range(2, run.calls + 1) for m in (1, 2))
    assert "Pinned by hand." in run.why(run.calls, 1).reasons


def test_that_pinning_an_archived_message_brings_it_back() -> None:
    run = _pressed(HandChange(4, "archive", 2), HandChange(6, "pin", 1))
    assert run.state(5, 1) is State.ARCHIVED
    assert all(run.in_window(number, 2) for number in range(6, run.calls + 1))
    assert [e.payload["by"] for e in run.events(6) if e.event == "retrieved"] == ["hand"]


@pytest.mark.rule("6.25")
def test_that_unpinning_what_a_rule_pins_lets_it_go() -> None:
    messages = [user("go"), assistant("", call("Skill", skill="review")), result(filler(400))]
    for number in range(EXCHANGES):
        messages += [assistant("", call("Bash", command="make")), result(f"{number} {filler(400)}")]
    built = session(*messages, assistant("end"))
    profile = plain(1_800, fast_path_threshold=0.7, trim_target=0.7)
    kept, gone = replay(built, profile), replay(built, profile, [HandChange(3, "unpin", 1)])
    assert all(kept.in_window(number, 2) for number in range(2, kept.calls + 1))
    assert gone.row(2, 1).pinned
    assert not gone.row(3, 1).pinned
    assert not gone.in_window(gone.calls, 2)
    assert "A rule pins it ('review'), but it was unpinned by hand." in gone.why(gone.calls, 1).reasons


@pytest.mark.rule("R7")
def test_that_archiving_takes_the_whole_group_out_at_once() -> None:
    run = _pressed(HandChange(3, "archive", 1))
    assert run.state(3, 1) is run.state(3, 2) is State.ARCHIVED
    assert not run.in_window(3, 1)
    entry = run.archive(3)[0]
    assert (entry.messages, entry.by, entry.reason, entry.call) == ((1, 2), "hand", "archived by hand", 3)
    assert [e.payload["by"] for e in run.events(3) if e.event == "archived"] == ["hand"]


@pytest.mark.parametrize("message", [0, 23], ids=["current request", "newest group"])
def test_that_what_a_call_cannot_do_without_is_not_archived(message: int) -> None:
    run = _pressed(HandChange(EXCHANGES + 1, "archive", message))
    assert run.in_window(run.calls, message)
    assert run._log.by_hand == {}


@pytest.mark.rule("6.27")
def test_that_a_pinned_message_is_not_archived() -> None:
    run = _pressed(HandChange(2, "pin", 1), HandChange(3, "archive", 1))
    assert run.in_window(run.calls, 1)
    assert run._log.by_hand == {}


def test_that_retrieving_brings_the_whole_group_back_active() -> None:
    run = _pressed(HandChange(3, "archive", 1), HandChange(5, "retrieve", 2))
    assert not run.in_window(4, 2)
    assert run.in_window(5, 1)
    assert run.in_window(5, 2)
    assert run.state(5, 2) is State.ACTIVE
    assert run.archive()[0].retrieved_at == 5
    assert run.metrics.retrievals == 1


def test_that_what_was_retrieved_is_not_offloaded_again() -> None:
    run = _pressed(HandChange(8, "retrieve", 2), offload_tokens=100, offload_after=0, trim_target=0.9)
    later = range(8, run.calls + 1)
    assert {run.row(number, 2).form for number in later if run.in_window(number, 2)} == {Form.FULL}


def test_that_a_relevance_set_by_hand_is_the_relevance_that_counts() -> None:
    run = _pressed(HandChange(5, "relevance", 2, 0.75))
    assert run.row(5, 1).relevance == run.why(5, 2).relevance == 0.75
    assert run.row(4, 1).relevance != 0.75
    high, low = _pressed(HandChange(3, "relevance", 2, 1.0)), _pressed(HandChange(3, "relevance", 2, 0.0))
    assert high.in_window(high.calls, 2)
    assert not low.in_window(low.calls, 2)


def test_that_the_last_change_of_a_kind_counts() -> None:
    run = _pressed(HandChange(2, "pin", 1), HandChange(4, "unpin", 1), HandChange(5, "relevance", 1, 0.0))
    assert run.row(3, 1).pinned
    assert not run.row(4, 1).pinned
    assert not run.in_window(run.calls, 1)


def test_that_a_rating_by_hand_outlives_a_retrieval_but_no_archiving() -> None:
    rated = _pressed(HandChange(2, "relevance", 1, 0.2), HandChange(4, "retrieve", 1))
    archived = _pressed(HandChange(2, "relevance", 1, 0.2), HandChange(3, "archive", 1), HandChange(4, "retrieve", 1))
    assert rated.row(5, 1).relevance == 0.2
    assert archived.row(3, 1).relevance == 0.0
    assert archived.row(5, 1).relevance == 1.0


def test_that_a_change_to_a_message_that_its_call_does_not_know_has_no_effect() -> None:
    base = _pressed()
    early = [HandChange(2, kind, message, 1.0) for kind in KINDS for message in (9, 11)]
    run = _pressed(*early, HandChange(0, "pin", 1), HandChange(99, "archive", 1))
    for number in range(1, run.calls + 1):
        assert repr(run.window(number)) == repr(base.window(number))
        assert run.row(number, 0) == base.row(number, 0)
    assert (run._log.by_hand, run._log.retrieved) == ({}, {})


def test_that_what_a_person_retrieves_is_in_the_window_of_that_call_even_under_quota_pressure() -> None:
    opened = open_session(demo_session())
    profile = preset("tight-32k").profile()
    before = replay(opened, profile)
    slow = [c for c, path in enumerate(before.paths, 1) if path == "slow"][-1]
    archived = [m for m in range(before.rows(slow)) if before.state(slow, m) is State.ARCHIVED]
    largest = max(archived, key=lambda m: before.row(slow, m).tokens)
    for message in (archived[0], largest):
        after = replay(opened, profile, (HandChange(slow, "retrieve", message),))
        assert after.in_window(slow, message)
        assert after.window_tokens[slow - 1] <= after.budget.available


def test_that_a_protected_group_stays_and_an_unprotected_head_may_go() -> None:
    run = _pressed(HandChange(2, "protect", 2), protect_first_n=0)
    assert all(run.in_window(number, 1) and run.row(number, 1).protected for number in range(2, run.calls + 1))
    assert "Protected by hand." in run.why(run.calls, 1).reasons
    head, bare = _pressed(protect_first_n=1), _pressed(HandChange(2, "unprotect", 1), protect_first_n=1)
    assert head.in_window(head.calls, 1)
    assert not bare.in_window(bare.calls, 1)
    assert not bare.row(3, 1).protected
    said = bare.why(bare.calls, 1).reasons
    assert "It is in the head of the session, but its protection was taken away by hand." in said


def test_that_protecting_what_is_out_brings_it_back() -> None:
    run = _pressed(HandChange(4, "archive", 2), HandChange(6, "protect", 1))
    assert run.state(5, 1) is State.ARCHIVED
    assert all(run.in_window(number, 2) for number in range(6, run.calls + 1))


def test_that_going_back_to_a_snapshot_keeps_what_was_changed_at_its_call() -> None:
    changes = [HandChange(call, "pin", 1) for call in (4, 5, 6)]
    kept = rolled_back(changes, 5, "snapshot", 0, 9)
    assert list(kept[:-1]) == changes[:2]
    assert isinstance(kept[-1], RollBack)
    assert kept[-1].call == 6
