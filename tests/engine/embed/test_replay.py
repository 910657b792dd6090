"""A running engine and a replay of the session it wrote are the same, call by call."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass import Engine, Profile
from ravenglass.replay import SimulatedRun
from tests.engine.builders import profiles
from tests.engine.embed.conversations import Chat, Clock, conversations, drive, late, odd_conversations, replayed
from tests.engine.replay.runs import caps, states_and_forms
from tests.engine.replay.validity import problems
from tests.proofs import examples

thorough = settings(
    max_examples=examples(25),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
"""An example is some ten calls, each decided twice and written to the disk."""
short = settings(thorough, max_examples=examples(12))
"""For what the examples of other tests show as well."""


@contextmanager
def fixed_folder() -> Iterator[Path]:
    """An empty folder that has the same path every time."""
    root = Path(tempfile.gettempdir(), f"ravenglass-test-{os.getpid()}")
    root.mkdir()
    try:
        yield root
    finally:
        shutil.rmtree(root)


def same(ours: SimulatedRun, theirs: SimulatedRun) -> None:
    """Everything that a run knows of its calls."""
    assert ours.calls == theirs.calls
    assert ours.metrics == theirs.metrics
    assert ours.regrets == theirs.regrets
    for call in range(1, ours.calls + 1):
        assert ours.window(call) == theirs.window(call)
        assert ours.frame(call) == theirs.frame(call)
        assert (states_and_forms(ours, call), caps(ours, call)) == (states_and_forms(theirs, call), caps(theirs, call))
        events = [(e.event, e.payload) for e in ours.events(call) if e.event not in ("archived", "retrieved")]
        assert events == [(e.event, e.payload) for e in theirs.events(call) if e.event not in ("archived", "retrieved")]


@pytest.mark.rule("5.16")
@thorough
@given(conversations(), profiles())
def test_that_the_windows_are_those_of_a_replay_of_the_written_session(messages: list[Chat], profile: Profile) -> None:
    with tempfile.TemporaryDirectory() as folder, Engine(profile, folder, clock=Clock()) as engine:
        driven = drive(engine, messages)
        run = replayed(engine)
        assert not driven.refused
        assert {call: run.window(call) for call in driven.windows} == driven.windows
        same(engine.run(), run)


@thorough
@given(odd_conversations(), profiles())
def test_that_odd_conversations_give_valid_windows_and_the_same_ones_unless_a_result_came_late(
    messages: list[Chat], profile: Profile
) -> None:
    with tempfile.TemporaryDirectory() as folder, Engine(profile, folder, clock=Clock()) as engine:
        driven = drive(engine, messages)
        ours, theirs = engine.run(), replayed(engine)
        for window in driven.windows.values():
            assert problems(window.messages) == []
            assert window.tokens <= ours.budget.available
        for call in range(1, ours.calls + 1):
            assert problems(ours.window(call).messages) == []
        if not late(theirs):
            same(ours, theirs)


@thorough
@given(conversations(), profiles(), st.data())
def test_that_looking_pinning_and_asking_too_early_keep_the_engine_and_its_replay_the_same(
    messages: list[Chat], profile: Profile, data: st.DataObject
) -> None:
    acts = st.lists(st.sampled_from(("window", "frame", "run", "pin", "unpin", "search", "retrieve")), max_size=2)
    with tempfile.TemporaryDirectory() as folder, Engine(profile, folder, clock=Clock()) as engine:
        for count, message in enumerate(messages):
            for act in data.draw(acts) if count else ():
                _act(engine, act, data.draw(st.integers(0, count - 1)))
            if message["role"] == "assistant" and data.draw(st.booleans()):
                engine.record_response(message)
            else:
                engine.observe(message)
        same(engine.run(), replayed(engine))


def _act(engine: Engine, act: str, message: int) -> None:
    match act:
        case "window":
            before = engine.decide(), json.dumps(engine.window())
            assert before == (engine.decide(), json.dumps(engine.window()))
        case "frame":
            assert engine.frame() == engine.frame()
        case "run":
            assert engine.run().calls <= message + 1 + len(engine._conversation)
        case "pin":
            engine.pin(message)
        case "unpin":
            engine.unpin(message)
        case "search":
            engine.search("login cache")
        case "retrieve":
            assert engine.retrieve(engine.ref(message), max_tokens=0).raw


@pytest.mark.rule("5.24")
@thorough
@given(conversations() | odd_conversations(), profiles())
def test_that_the_same_conversation_gives_byte_equal_windows_traces_and_files(
    messages: list[Chat], profile: Profile
) -> None:
    assert _written(messages, profile) == _written(messages, profile)


def _written(messages: list[Chat], profile: Profile) -> tuple[str, dict[str, bytes]]:
    # The same folder each time: a summary ends with the path of the transcript.
    with fixed_folder() as root:
        with Engine(profile, root, session_key="agent:demo", clock=Clock()) as engine:
            bodies = json.dumps(drive(engine, messages).bodies)
        files = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        files.pop("memory/.curator/.lock")  # it names the process
        return bodies, files


@short
@given(conversations(), profiles())
def test_that_without_a_workspace_the_windows_are_the_same(messages: list[Chat], profile: Profile) -> None:
    profile = profile.with_values(summarize=False)  # a summary needs a transcript on the disk
    with tempfile.TemporaryDirectory() as folder, Engine(profile, folder, session_key="a:b") as engine:
        on_disk = drive(engine, messages)
    with Engine(profile, session_key="a:b") as engine:
        in_memory = drive(engine, messages)
    assert (on_disk.windows, on_disk.bodies) == (in_memory.windows, in_memory.bodies)


@short
@given(conversations(), profiles())
def test_that_a_refused_message_changes_nothing(messages: list[Chat], profile: Profile) -> None:
    with fixed_folder() as folder, Engine(profile, folder, session_key="a:b", clock=lambda: 1e9) as one:
        undisturbed = drive(one, messages)
        plain = one.session_file.read_bytes() if one.session_file else b""
    with fixed_folder() as folder, Engine(profile, folder, session_key="a:b", clock=lambda: 1e9) as two:
        found = drive(two, [odd for message in messages for odd in (*REFUSED, message)])
        assert found.refused == len(REFUSED) * len(messages)
        assert (found.windows, found.bodies) == (undisturbed.windows, undisturbed.bodies)
        assert two.session_file is not None
        assert two.session_file.read_bytes() == plain


REFUSED: tuple[Chat, ...] = (
    {"role": "nobody", "content": "x"},
    {"role": "tool", "tool_call_id": "no such call", "content": "x"},
    {"role": "user", "content": "x", "_type": "metadata"},
)
