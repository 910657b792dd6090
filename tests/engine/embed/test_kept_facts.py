"""A running engine goes on with what it knows, and gives what one gives that knows nothing but the messages, at each
call: the same windows, requests and traces, whatever is pinned, noted, retrieved, compacted, or comes late."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from ravenglass import Engine, Profile
from ravenglass.curator.dialects import Dialect
from ravenglass.embed.archive import Written
from ravenglass.embed.decider import Decided, Decider
from ravenglass.errors import RavenglassError
from ravenglass.hub.live import Track
from ravenglass.replay.frame import Window
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import stepper_before
from ravenglass.replay.stepping.step import Stepper
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.trace import TraceEvent
from tests.engine.builders import profiles
from tests.engine.embed.conversations import MOMENT, Chat, answers, asks, conversations, said, small
from tests.engine.embed.lively import lively
from tests.engine.embed.test_replay import short

Act = tuple[str, int]
ACTS: tuple[str, ...] = ("pin", "unpin", "note", "compact", "window", "window", "retrieve", "search", "frame", "run")


class Anew(Decider):
    """Finds everything anew from the messages whenever something came or was changed."""

    @property
    def inputs(self) -> Inputs:
        before = (self._read, self._inputs.changes)
        if before != (len(self._conversation), tuple(sorted(self.changes, key=lambda change: change.call))):
            self._inputs = Inputs.grown(
                self._conversation.snapshot(next_call=True), self._profile, None, self.changes, self._transcript
            )
            self._read = len(self._conversation)
            tracks = self.log.tracks
            tracks.extend(Track() for _ in range(len(tracks), len(self._inputs.features.groups)))
        return self._inputs

    def advance(self, store: ArchiveStore | None, written: Written) -> Decided:
        self._breakpoints.forget()
        self._made.clear()
        self.log.importance.pop(self.log.calls, None)
        return super().advance(store, written)

    def _stand(self, inputs: Inputs) -> Stepper:
        self._stepper = None
        return stepper_before(inputs, self.log, self.log.calls + 1)


def pair(profile: Profile) -> tuple[Engine, Engine]:
    """The engine, and one whose facts and state are found anew."""
    running, other = (Engine(profile, session_key="a:b", clock=lambda: MOMENT) for _ in range(2))
    other._decider.__class__ = Anew
    return running, other


def outcome(act: Callable[[], object]) -> object:
    try:
        return act()
    except RavenglassError as error:
        return str(error)


def decided(engine: Engine) -> tuple[list[TraceEvent], Window, list[object]]:
    """The events of a decision, its window, and the requests in all dialects."""
    events: list[TraceEvent] = []
    keep = engine._keeper.decided

    def heard(found: Decided) -> None:
        events.extend(found.events)
        keep(found)

    with patch.object(engine._keeper, "decided", heard):
        window = engine.decide()
        return events, window, [engine.request(dialect) for dialect in get_args(Dialect)]


def do(engine: Engine, act: Act) -> object:
    what, number = act
    count = len(engine._conversation)
    message = number % count if count else 0
    match what:
        case "pin":
            return outcome(lambda: engine.pin(message))
        case "unpin":
            return outcome(lambda: engine.unpin(message))
        case "note":
            return outcome(lambda: engine.note(f"note {number}"))
        case "compact":
            return outcome(lambda: engine.compact(0.2))
        case "retrieve":
            return outcome(lambda: engine.retrieve(f"#{message}"))
        case "search":
            return outcome(lambda: engine.search("login"))
        case "frame":
            return outcome(engine.frame)
        case "run":
            return engine.run().metrics if count else None
    return decided(engine) if count else None


@short
@given(
    conversations() | lively(), profiles(),
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from(ACTS), st.integers(0, 99)), max_size=20),
)  # fmt: skip
def test_that_what_is_kept_is_what_is_found_anew(
    messages: list[Chat], profile: Profile, acts: list[tuple[int, str, int]]
) -> None:
    running, anew = pair(profile)
    left = [*acts]
    for count, message in enumerate(messages):
        if message["role"] == "assistant":
            if count:
                assert decided(running) == decided(anew)
            assert running.record_response(message) == anew.record_response(message)
        else:
            assert running.observe(message) == anew.observe(message)
        while left and left[0][0] == 0:
            act = left.pop(0)[1:]
            assert do(running, act) == do(anew, act)
        if left:
            left[0] = (left[0][0] - 1, *left[0][1:])


def test_that_a_pin_counts_at_once_after_a_question() -> None:
    with Engine(small(4_000, system_overhead=0), session_key="a:b") as engine:
        engine.observe(said("user", "Begin."))
        engine.record_response(asks("c1", file_path="a.py"))
        engine.observe(answers("c1", "word " * 1_000))
        for n in range(4):
            engine.observe(said("user", f"Now {n}. " + "other " * 300))
            engine.record_response(said("assistant", "word " * 200))
        engine.observe(said("user", "And now?"))
        engine.ref(1)
        engine.pin(1)
        assert 1 in {block.id for block in engine.decide().messages}
