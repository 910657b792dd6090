"""Conversations as an agent would hold them, and an engine driven through them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ravenglass import Engine, Profile
from ravenglass.errors import MessageError
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.frame import Window
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.builders import damaged_sessions, valid_sessions

Chat = dict[str, Any]

MOMENT = 1_772_409_600.0
"""2026-03-02, 00:00 UTC."""


def chat(built: Session) -> list[Chat]:
    """The messages of a session in chat form."""
    return [json.loads(built.raw(m.id)) for m in built.messages]


def conversations() -> st.SearchStrategy[list[Chat]]:
    """Well-formed ones: every call answered at once."""
    return valid_sessions().map(chat)


def odd_conversations() -> st.SearchStrategy[list[Chat]]:
    """Late, repeated, missing and orphan results, reused call ids."""
    return damaged_sessions().map(chat)


def said(role: str, text: str, **more: object) -> Chat:
    return {"role": role, "content": text, **more}


def asks(call_id: str, name: str = "Read", **arguments: object) -> Chat:
    """An assistant message with one tool call."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return said("assistant", "", tool_calls=[{"id": call_id, "type": "function", "function": function}])


def answers(call_id: str, text: str = "ok") -> Chat:
    return said("tool", text, tool_call_id=call_id)


class Clock:
    """A second for every look."""

    def __init__(self, start: float = MOMENT) -> None:
        self.now = start

    def __call__(self) -> float:
        self.now += 1
        return self.now


@dataclass
class Driven:
    """What an engine did with a conversation. `windows`: call -> the window it gave for it."""

    windows: dict[int, Window] = field(default_factory=dict)
    bodies: list[list[Chat]] = field(default_factory=list)
    refused: int = 0


def drive(engine: Engine, messages: Sequence[Chat]) -> Driven:
    """Observe everything, ask for a window before each response."""
    driven = Driven()
    calls = 0
    for message in messages:
        try:
            if message["role"] != "assistant":
                engine.observe(message)
                continue
            if calls or engine._conversation:
                driven.windows[calls + 1] = engine.decide()
                driven.bodies.append(engine.window())
            engine.record_response(message)
            calls += 1
        except MessageError:
            driven.refused += 1
    return driven


def replayed(engine: Engine) -> SimulatedRun:
    """The replay of the session that an engine wrote."""
    assert engine.session_file is not None
    return replay(open_session(engine.session_file), engine.profile, engine.changes)


def late(run: SimulatedRun) -> bool:
    """Whether some result came after the model had gone on."""
    features = run.inputs.features
    return any(features.ready[group.index] > group.call for group in features.groups)


def small(window: int = 16_000, **values: object) -> Profile:
    return Profile().with_values(window=window, **values)


def lines(path: Path) -> list[Chat]:
    """The records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]
