"""Sessions that were glued together in one file: said, nothing lost, each reachable."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from tests.acceptance.run_cli import run

Lines = list[dict[str, Any]]


def claude(name: str, turns: int = 3) -> Lines:
    found: Lines = []
    last = None
    for n in range(turns):
        for role in ("user", "assistant"):
            content: Any = f"{role} {n} of {name}"
            if role == "assistant":
                content = [{"type": "text", "text": content}]
            uuid = f"{name}-{role}-{n}"
            found.append(
                {"type": role, "sessionId": name, "uuid": uuid, "parentUuid": last, "cwd": "/p",
                 "timestamp": f"2026-01-01T00:00:{2 * n:02}Z",
                 "message": {"role": role, "content": content, "id": uuid}}
            )  # fmt: skip
            last = uuid
    return found


def codex(name: str, forked_from: str | None = None) -> Lines:
    meta: dict[str, Any] = {"id": name, "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z"}
    if forked_from is not None:
        meta["forked_from_id"] = forked_from
    said = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": f"asked in {name}"}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"done in {name}"}]},
    ]
    time = {"timestamp": "2026-01-01T00:00:01Z"}
    return [
        {**time, "type": "session_meta", "payload": meta},
        *({**time, "type": "response_item", "payload": item} for item in said),
    ]


def pi(name: str) -> Lines:
    head = {"type": "session", "version": 3, "id": name, "timestamp": "2026-01-01T00:00:00Z", "cwd": "/p"}
    user = {"type": "message", "id": f"{name}1", "parentId": None, "timestamp": "2026-01-01T00:00:01Z",
            "message": {"role": "user", "content": [{"type": "text", "text": f"asked in {name}"}]}}  # fmt: skip
    answer = {"type": "message", "id": f"{name}2", "parentId": f"{name}1", "timestamp": "2026-01-01T00:00:02Z",
              "message": {"role": "assistant", "content": [{"type": "text", "text": "done"}]}}  # fmt: skip
    return [head, user, answer]


def raven(name: str) -> Lines:
    return [
        {"_type": "metadata", "key": name, "created_at": "2026-01-01T00:00:00", "metadata": {}, "last_consolidated": 0},
        {"role": "user", "content": f"asked in {name}", "timestamp": "2026-01-01T00:00:01"},
        {"role": "assistant", "content": "done", "timestamp": "2026-01-01T00:00:02"},
    ]


WRITERS = [claude, codex, pi, raven]


def written(path: Path, *parts: Lines) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for part in parts for line in part))
    return path


@pytest.mark.parametrize("first", WRITERS)
@pytest.mark.parametrize("second", WRITERS)
def test_that_a_foreign_session_is_said_and_both_are_read_as_alone(tmp_path: Path, first: Any, second: Any) -> None:
    path = written(tmp_path / "glued.jsonl", first("aaaa"), second("bbbb"))
    alone = [open_session(written(tmp_path / f"{n}.jsonl", part)) for n, part in
             enumerate((first("aaaa"), second("bbbb")))]  # fmt: skip
    session = open_session(path)
    assert [m.text for m in session.messages] == [m.text for m in alone[0].messages]
    (other,) = session.children
    assert [m.text for m in other.messages] == [m.text for m in alone[1].messages]
    assert (other.format, other.parent_call_id) == (alone[1].format, None)
    line = len(first("aaaa")) + 1
    assert any(f"From line {line} on glued.jsonl holds another session" in said for said in session.warnings)
    reached = open_session(other.place)
    assert [m.text for m in reached.messages] == [m.text for m in other.messages]
    assert other.raw(0) in path.read_bytes()
    outcome = run("replay", f"{path}#{other.id}", "--json")
    assert outcome.code == 0
    assert json.loads(outcome.printed)["session"]["messages"] == len(other.messages)


def test_that_three_sessions_and_one_that_comes_again_are_told_apart(tmp_path: Path) -> None:
    session = open_session(written(tmp_path / "x.jsonl", claude("aaaa"), codex("bbbb"), codex("cccc"), claude("dddd")))
    assert [child.id for child in session.children] == ["bbbb", "cccc", "dddd"]
    assert len(session.warnings) == 3


def test_that_a_fork_and_a_resumed_session_are_one(tmp_path: Path) -> None:
    fork = open_session(written(tmp_path / "fork.jsonl", codex("bbbb", forked_from="aaaa"), codex("aaaa")))
    assert not [said for said in fork.warnings if "another session" in said]
    resumed = claude("bbbb")
    resumed[0]["parentUuid"] = "aaaa-assistant-2"
    again = open_session(written(tmp_path / "resumed.jsonl", claude("aaaa"), resumed))
    assert len(again.messages) == 12
    assert not again.children


def test_that_records_that_are_no_session_by_themselves_stay_with_the_one_before(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", claude("aaaa"), codex("bbbb")[:1])
    session = open_session(path)
    assert len(session.messages) == 6
    assert not session.children
    assert any(b"bbbb" in session.source.read(record.span) for record in session.other)


def test_that_a_key_of_no_session_names_those_that_there_are(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", claude("aaaa"), codex("bbbb"))
    with pytest.raises(SessionError, match=r"holds no session 'zzzz'; it holds aaaa, bbbb"):
        open_session(path, "zzzz")


@pytest.mark.parametrize("first", WRITERS)
@pytest.mark.parametrize("second", WRITERS)
def test_that_a_session_glued_on_while_the_file_is_followed_is_told_apart(
    tmp_path: Path, first: Callable[[str], Lines], second: Callable[[str], Lines]
) -> None:
    path = written(tmp_path / "glued.jsonl", first("aaaa"))
    follower = Follower(path)
    opened = follower.look()
    assert opened is not None
    assert opened.session.children == ()
    for line in second("bbbb"):
        with path.open("a") as file:
            file.write(json.dumps(line) + "\n")
        look = follower.look()
        assert look is not None
        assert look.reason == "grown"
        whole = open_session(path)
        assert (look.session.messages, look.session.warnings) == (whole.messages, whole.warnings)
        assert [child.messages for child in look.session.children] == [child.messages for child in whole.children]
    assert len(open_session(path).children) == 1
