"""Simulated and recorded windows agree on what was ever sent: notices, copies, and nothing else, stay out of both."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass.presets import load
from ravenglass.profile import Profile
from ravenglass.replay.bulk import replay
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.replay.run import Run
from ravenglass.replay.stepping.changes import ChangeKind, HandChange
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.proofs import examples


def ever(run: Run) -> set[int]:
    """Messages that any window of a run held."""
    return {m.id for number in range(1, run.calls + 1) for m in run.window(number).messages if m.id is not None}


@st.composite
def with_copies(draw: st.DrawFn) -> Session:
    """Turns of exchanges, with error notices, answers of the harness, and records and whole turns written twice."""
    turns: list[list[Message]] = []
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        turn = [user(f"do {number}")]
        for _ in range(draw(st.integers(0, 3))):
            number += 1
            name = f"c{number}"
            turn += [assistant("", call("Read", call_id=name, file_path=f"{number}.py")), result(filler(9), to=name)]
        turn.append(assistant(f"done {number}"))
        extra = draw(st.sampled_from(["", "notice", "harness"]))
        if extra:
            turn.append(assistant("API Error", flags=["api_error" if extra == "notice" else "synthetic"]))
        turns.append([replace(m, source_id=f"u{len(turns)}-{place}") for place, m in enumerate(turn)])
    again = draw(st.lists(st.sampled_from(range(len(turns))), max_size=2))
    messages = [m for turn in turns for m in turn]
    for place in again:
        messages += turns[place] if draw(st.booleans()) else draw(st.lists(st.sampled_from(turns[place]), max_size=2))
    messages.append(replace(assistant("the end"), source_id="last"))
    return session(*messages)


@settings(max_examples=examples(60))
@given(with_copies())
def test_that_recorded_windows_ever_held_what_simulated_windows_may_hold(made: Session) -> None:
    recorded = ever(recorded_run(made))
    assert recorded == ever(replay(made, Profile()))
    last = made.structure.calls[-1].message
    assert recorded == set(range(last)) - made.structure.never_sent.keys()


@settings(max_examples=examples(40))
@given(with_copies(), st.sampled_from(["tight-32k", "default"]), st.data())
def test_that_no_change_by_hand_and_no_pressure_brings_in_what_was_never_sent(
    made: Session, preset: str, data: st.DataObject
) -> None:
    never = sorted(made.structure.never_sent)
    changes = []
    if never:
        kinds: list[ChangeKind] = ["pin", "protect", "retrieve", "archive"]
        kind = data.draw(st.sampled_from(kinds))
        number = data.draw(st.integers(1, len(made.structure.calls)))
        changes = [HandChange(number, kind, data.draw(st.sampled_from(never)))]
    small = load(preset).with_values(window=4_600, fast_path_threshold=0.1)
    assert not ever(replay(made, small, changes)) & set(never)


def test_that_a_record_written_twice_is_one_response_and_why_says_so() -> None:
    first = replace(assistant("read it", call("Read", call_id="a", file_path="a.py")), source_id="m1")
    answer = replace(result("x = 1", to="a"), source_id="r1")
    made = session(user("go"), first, first, answer, answer, assistant("done"))
    assert set(made.structure.never_sent) == {2, 4}
    assert [c.message for c in made.structure.calls] == [1, 5]
    run = replay(made, Profile())
    assert [m.id for m in run.window(2).messages] == [0, 1, 3]
    assert run.why(2, 2).headline == "It is out because it is the record of #1, written a second time."
    assert recorded_run(made).why(2, 4).headline == "It is out because it is the record of #3, written a second time."
