"""The log of a replay gives every earlier state back."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ravenglass.errors import TransitionError
from ravenglass.hub.item import TRANSITIONS, Form, State
from ravenglass.hub.live import Live, Track, code, decode
from tests.proofs import examples

COUNT = 4


@dataclass(frozen=True)
class Snapshot:
    states: tuple[int, ...]
    forms: tuple[int, ...]
    caps: dict[int, int]
    out_since: tuple[int, ...]

    @classmethod
    def of(cls, live: Live) -> Snapshot:
        return cls(tuple(live.states), tuple(live.forms), dict(live.caps), tuple(live.out_since))


class LiveMachine(RuleBasedStateMachine):
    """Groups come in, change state and form, some several times within one call."""

    @initialize()
    def start(self) -> None:
        self.live = Live(COUNT)
        self.tracks = [Track() for _ in range(COUNT)]
        self.known = 0
        self.call = 1
        self.history = [Snapshot.of(self.live)]
        self.known_at = [0]

    @precondition(lambda self: self.known < COUNT)
    @rule(form=st.sampled_from((Form.FULL, Form.OUT)))
    def register(self, form: Form) -> None:
        """As intake does it: whole at first, maybe cut at the very same call."""
        self.live.move(self.known, State.ACTIVE)
        self.live.place(self.known, Form.FULL, self.call)
        self.live.place(self.known, form, self.call)
        self.known += 1

    @precondition(lambda self: self.known > 0)
    @rule(data=st.data(), state=st.sampled_from(State))
    def move(self, data: st.DataObject, state: State) -> None:
        group = data.draw(st.integers(0, self.known - 1))
        before = State(self.live.states[group])
        if state is before or state in TRANSITIONS[before]:
            self.live.move(group, state)
            assert self.live.states[group] == state
        else:
            with pytest.raises(TransitionError):
                self.live.move(group, state)
            assert self.live.states[group] == before

    @precondition(lambda self: self.known > 0)
    @rule(data=st.data(), form=st.sampled_from(Form), cap=st.integers(1, 3))
    def place(self, data: st.DataObject, form: Form, cap: int) -> None:
        group = data.draw(st.integers(0, self.known - 1))
        self.live.place(group, form, self.call, cap if form is Form.SHRUNK else 0)

    @rule()
    def commit(self) -> None:
        now = Snapshot.of(self.live)
        before = self.history[-1]
        changed = self.live.commit(self.tracks, self.call)
        assert changed == [
            g
            for g in range(COUNT)
            if (before.states[g], before.forms[g], before.caps.get(g)) != (now.states[g], now.forms[g], now.caps.get(g))
        ]
        assert self.live.commit(self.tracks, self.call) == []
        self.history.append(now)
        self.known_at.append(self.known)
        self.call += 1

    @invariant()
    def every_earlier_call_reads_as_it_was(self) -> None:
        for call, was in enumerate(self.history):
            for group, track in enumerate(self.tracks):
                assert decode(track.at(call)) == (was.states[group], was.forms[group])
                assert track.cap_at(call) == was.caps.get(group, 0)
                assert track.out_since(call) == was.out_since[group]
            assert Snapshot.of(Live.restore(self.tracks, call, self.known_at[call])) == was

    @invariant()
    def a_cut_log_is_the_log_of_the_shorter_replay(self) -> None:
        last = len(self.history) - 1
        for call in range(last + 1):
            cut = [track.cut(call) for track in self.tracks]
            assert all(set(track.caps) <= set(track.calls) for track in cut)
            assert Snapshot.of(Live.restore(cut, last, self.known_at[call])) == self.history[call]

    @rule()
    def forget(self) -> None:
        """What was tried at a call that has not happened is taken back, from copies."""
        copies = [track.copy() for track in self.tracks]
        for track, copy in zip(self.tracks, copies, strict=True):
            if track.calls and track.calls[-1] == self.call - 1:
                copy.forget(self.call - 1)
            was = self.history[max(0, self.call - 2)]
            group = self.tracks.index(track)
            assert decode(copy.at(self.call)) == (was.states[group], was.forms[group])
            assert copy.cap_at(self.call) == was.caps.get(group, 0)
        self.every_earlier_call_reads_as_it_was()

    @invariant()
    def the_log_grows_with_the_changes_only(self) -> None:
        for track in self.tracks:
            assert track.calls == sorted(set(track.calls))
            entries = [(c, track.caps.get(call, 0)) for call, c in zip(track.calls, track.codes, strict=True)]
            assert all(entries[n] != entries[n + 1] for n in range(len(entries) - 1))


TestLive = LiveMachine.TestCase
TestLive.settings = settings(max_examples=examples(60), stateful_step_count=25, deadline=None)


@pytest.mark.parametrize(("state", "form"), [*product(State, Form)])
def test_that_state_and_form_come_back_from_one_number(state: State, form: Form) -> None:
    assert decode(code(state, form)) == (state, form)


def test_that_a_group_before_its_first_change_is_registered_and_out() -> None:
    track = Track()
    assert decode(track.at(5)) == (State.REGISTERED, Form.OUT)
    assert (track.cap_at(5), track.out_since(5)) == (0, 0)


def test_that_what_came_in_and_left_within_one_call_was_out_all_the_time() -> None:
    live, tracks = Live(1), [Track()]
    live.move(0, State.ACTIVE)
    live.place(0, Form.FULL, 1)
    live.commit(tracks, 1)
    live.place(0, Form.OUT, 2)
    live.commit(tracks, 2)
    live.place(0, Form.FULL, 5)
    live.place(0, Form.OUT, 5)
    assert live.commit(tracks, 5) == []
    assert live.out_since[0] == tracks[0].out_since(5) == 2


def test_that_leaving_later_counts_from_the_later_call() -> None:
    live, tracks = Live(1), [Track()]
    live.move(0, State.ACTIVE)
    for call, form in ((1, Form.FULL), (2, Form.OUT), (5, Form.FULL), (8, Form.OUT)):
        live.place(0, form, call)
        live.commit(tracks, call)
    assert live.out_since[0] == tracks[0].out_since(9) == 8
    assert [tracks[0].out_since(call) for call in (1, 2, 4, 5, 7)] == [0, 2, 2, 0, 0]


def test_that_staying_in_a_state_or_form_changes_nothing() -> None:
    live = Live(1)
    live.move(0, State.REGISTERED)
    live.place(0, Form.OUT, 1)
    assert live.touched == set()


def test_that_a_new_cap_is_a_change_of_its_own() -> None:
    live, tracks = Live(1), [Track()]
    live.move(0, State.ACTIVE)
    for call, cap in enumerate((50, 50, 40), start=1):
        live.place(0, Form.SHRUNK, call, cap)
        live.commit(tracks, call)
    assert tracks[0].calls == [1, 3]
    assert [tracks[0].cap_at(call) for call in range(4)] == [0, 50, 50, 40]


def test_that_taking_over_a_log_takes_over_that_there_is_no_cap_any_more() -> None:
    live, tracks = Live(1), [Track()]
    live.move(0, State.ACTIVE)
    live.place(0, Form.SHRUNK, 1, 50)
    live.commit(tracks, 1)
    live.place(0, Form.FULL, 2)
    live.commit(tracks, 2)
    other = Live(1)
    other.take_over(tracks, [0], 1)
    assert other.caps == {0: 50}
    other.take_over(tracks, [0], 2)
    assert (other.caps, other.forms[0]) == ({}, Form.FULL)
