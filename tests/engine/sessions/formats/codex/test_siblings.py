"""Sub-agents' rollouts beside a Codex session."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ravenglass.sessions import open_session
from ravenglass.sessions.formats.codex import siblings as codex_siblings
from ravenglass.sessions.formats.codex.siblings import Siblings, first_meta
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.formats.codex.records import (
    Record,
    answered,
    called,
    event,
    meta,
    output,
    tokens,
    turn,
    typed,
)

Rollout = Callable[..., Path]
PARENT = "aaaaaaaa-0000-4000-8000-000000000000"


def named(day: str, name: str) -> str:
    return f"rollout-{day}T10-00-00-{name}.jsonl"


@pytest.fixture
def rollout(tmp_path: Path) -> Rollout:
    def _write(folder: str, name: str, *records: Record, end: str = "", pack: Any = bytes) -> Path:
        path = tmp_path / ".codex" / folder / (name + end)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pack(b"".join(json.dumps(record).encode() + b"\n" for record in records)))
        return path

    return _write


def child(name: str, parent: str = PARENT, **more: object) -> list[Record]:
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "agent_path": f"/root/{name}"}}}
    return [meta(name, source=spawn, **more), turn(f"turn-{name}"), *answered(f"I am {name}")]


def parent(*records: Record) -> list[Record]:
    return [meta(PARENT), *typed("go"), *records]


def names(session: Session) -> list[str]:
    return [inner.id for inner in session.children]


def test_that_sub_agents_of_the_day_and_its_neighbours_are_found(rollout: Rollout) -> None:
    path = rollout("sessions/2026/02/28", named("2026-02-28", PARENT), *parent())
    rollout("sessions/2026/02/28", named("2026-02-28", "b"), *child("b"))
    rollout("sessions/2026/02/27", named("2026-02-27", "a"), *child("a"))
    rollout("sessions/2026/03/01", named("2026-03-01", "c"), *child("c"))
    rollout("sessions/2026/03/02", named("2026-03-02", "far"), *child("far"))
    rollout("sessions/2026/02/28", named("2026-02-28", "x"), *child("x", parent="somebody else"))
    rollout("sessions/2026/02/28", "notes.jsonl", *child("notes"))
    assert sorted(names(open_session(path))) == ["a", "b", "c"]


def test_that_archived_sub_agents_are_found_and_those_of_an_archived_session(rollout: Rollout) -> None:
    path = rollout("sessions/2026/02/28", named("2026-02-28", PARENT), *parent())
    archived = rollout("archived_sessions", named("2026-03-01", "a"), *child("a"))
    rollout("archived_sessions", named("2025-03-01", "old"), *child("old"))
    rollout("sessions/2026/03/01", named("2026-03-01", "d"), *child("d", parent="a"))
    (found,) = open_session(path).children
    assert (found.id, names(found)) == ("a", ["d"])
    assert names(open_session(archived)) == ["d"]


def test_that_of_a_file_and_its_compressed_twin_the_plain_one_is_read(rollout: Rollout) -> None:
    path = rollout("s", named("2026-02-28", PARENT), *parent())
    rollout("s", named("2026-02-28", PARENT), *parent(), end=".zst", pack=zstandard.ZstdCompressor().compress)
    rollout("s", named("2026-02-28", "b"), *child("b"))
    rollout("s", named("2026-02-28", "b"), *child("b"), end=".zst", pack=zstandard.ZstdCompressor().compress)
    rollout("s", named("2026-02-28", "c"), *child("c"), end=".zst", pack=zstandard.ZstdCompressor().compress)
    rollout("s", named("2026-02-28", "d"), *child("d"), end=".gz", pack=gzip.compress)
    session = open_session(path)
    assert names(session) == ["b", "c", "d"]
    assert [inner.path.suffix for inner in session.children] == [".jsonl", ".zst", ".gz"]


def test_that_a_session_that_stands_in_two_places_is_one_child(rollout: Rollout) -> None:
    path = rollout("sessions/2026/02/28", named("2026-02-28", PARENT), *parent())
    rollout("sessions/2026/02/28", named("2026-02-28", "b"), *child("b"))
    rollout("archived_sessions", named("2026-02-28", "b"), *child("b"))
    assert names(open_session(path)) == ["b"]


def test_that_children_hang_under_the_call_that_an_event_or_a_result_names(rollout: Rollout) -> None:
    started = event("sub_agent_activity", event_id="c1", agent_thread_id="a", kind="started")
    spawned = event("collab_agent_spawn_end", call_id="c2", new_thread_id="b")
    calls = [called(f"c{n}", name="spawn_agent") for n in range(1, 6)]
    results = [output("c3", '{"agent_id":"c"}'), output("c4", '{"task_name":"/root/d"}'), output("c5", "{}")]
    path = rollout("s", named("2026-02-28", PARENT), *parent(*calls, started, spawned, *results))
    for name in "abcde":
        rollout("s", named("2026-02-28", name), *child(name))
    session = open_session(path)
    assert {inner.id: inner.parent_call_id for inner in session.children} == {
        "a": "c1", "b": "c2", "c": "c3", "d": "c4", "e": None,
    }  # fmt: skip
    assert session.children[3].title == "/root/d"


def test_that_sub_agents_nest_and_files_that_claim_each_other_do_no_harm(rollout: Rollout) -> None:
    path = rollout("s", named("2026-02-28", PARENT), *parent())
    rollout("s", named("2026-02-28", "b"), *child("b"))
    rollout("s", named("2026-02-28", "c"), *child("c", parent="b"))
    rollout("s", named("2026-02-28", "x"), *child("x", parent="y"))
    loop = rollout("s", named("2026-02-28", "y"), *child("y", parent="x"))
    rollout("s", named("2026-02-28", "z"), *child("z", parent="z"))
    (found,) = open_session(path).children
    assert names(found) == ["c"]
    (claimed,) = open_session(loop).children
    assert (claimed.id, claimed.children) == ("x", ())


def test_that_the_parents_turns_tell_what_a_sub_agent_copied(rollout: Rollout) -> None:
    shared = [event("task_started", turn_id="t1"), *typed("go"), *answered("one"), tokens((5000, 90), (500, 9, 0))]
    path = rollout("s", named("2026-02-28", PARENT), meta(PARENT), *shared)
    own = [event("task_started", turn_id="t2"), *answered("two"), tokens((5600, 99), (600, 9, 0))]
    spawn = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}}
    rollout("s", named("2026-02-28", "b"), meta("b", source=spawn), meta(PARENT), *shared, *own)
    (found,) = open_session(path).children
    assert [m.usage.context if m.usage else None for m in found.messages if m.role == "assistant"] == [None, 600]
    assert len(found.structure.calls) == 1


def test_that_a_sub_agents_file_that_cannot_be_read_is_named(rollout: Rollout, monkeypatch: pytest.MonkeyPatch) -> None:
    path = rollout("s", named("2026-02-28", PARENT), *parent())
    beside = rollout("s", named("2026-02-28", "b"), *child("b"))
    siblings = codex_siblings.Siblings.by_parent

    def gone(self: Siblings) -> object:
        found = siblings(self)
        beside.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(codex_siblings.Siblings, "by_parent", gone)
    session = open_session(path)
    assert session.children == ()
    assert session.warnings[-1].startswith(f"The sub-agent file {beside.name} was left out: ")


def test_that_only_first_lines_are_read_to_find_them(rollout: Rollout) -> None:
    path = rollout("s", named("2026-02-28", PARENT), *parent())
    for number in range(3):
        rollout("s", named("2026-02-28", f"o{number}"), meta(f"o{number}"), *typed("x"))
    broken = path.parent / named("2026-02-28", "broken")
    broken.write_bytes(b"\x28\xb5\x2f\xfd damaged")
    (path.parent / named("2026-02-28", "empty")).write_bytes(b"")
    (path.parent / named("2026-02-28", "half")).write_bytes(b'{"timestamp": "2026')
    assert first_meta(broken) is None
    assert first_meta(path.parent / "nowhere.jsonl") is None
    assert Siblings(path).by_parent() == {}
    assert open_session(path).warnings == ()
