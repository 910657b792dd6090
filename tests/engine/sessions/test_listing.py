"""A folder is a list of sessions, told by their first records; what is no session is left out."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from ravenglass.errors import SessionError
from ravenglass.sessions import formats, registry
from ravenglass.sessions.head import head_of
from ravenglass.sessions.holder import Entry
from ravenglass.sessions.listing import described, listing
from ravenglass.sessions.model import Session
from ravenglass.sessions.places import places
from ravenglass.sessions.progress import Reporter
from tests.engine.builders import assistant, session, user


def chat(path: Path, key: str, turns: int = 1, text: str = "fix the login") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [{"_type": "metadata", "key": key, "metadata": {"title": f"title of {key}"}}]
    for n in range(turns):
        lines += [{"role": "user", "content": f"{text} {n}", "timestamp": "2026-01-01T00:00:00"}]
        lines += [{"role": "assistant", "content": "done", "timestamp": f"2026-01-01T00:{n % 60:02d}:00"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_that_every_session_below_a_folder_is_listed_newest_first(tmp_path: Path) -> None:
    first = chat(tmp_path / "a" / "one.jsonl", "cli:1")
    second = chat(tmp_path / "b" / "c" / "two.jsonl", "cli:2")
    (tmp_path / "a" / "package.json").write_text('{"name": "no session"}')
    (tmp_path / "a" / "notes.txt").write_text("no session")
    (tmp_path / "a" / "broken.jsonl").write_text("no JSON\n")
    (tmp_path / "a" / "empty.jsonl").write_text("")
    chat(tmp_path / ".hidden" / "three.jsonl", "cli:3")
    os.utime(first, (1_000, 1_000))
    os.utime(second, (2_000, 2_000))
    found = list(listing(tmp_path))
    assert [(entry.path, entry.id, entry.title, entry.format) for entry in found] == [
        (second, "cli:2", "title of cli:2", "raven"),
        (first, "cli:1", "title of cli:1", "raven"),
    ]
    assert found[0].calls is None
    assert found[0].size == second.stat().st_size


def test_that_a_list_is_made_without_reading_the_sessions_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = chat(tmp_path / "long.jsonl", "cli:1", turns=4_000, text="x" * 100)
    taken: list[int] = []
    monkeypatch.setattr(Reporter, "report", lambda _self, done, _total, **_: taken.append(done))
    assert [entry.title for entry in listing(tmp_path)] == ["title of cli:1"]
    assert max(taken) < path.stat().st_size / 10


def test_that_details_come_from_reading_the_whole_session(tmp_path: Path) -> None:
    path = chat(tmp_path / "long.jsonl", "cli:1", turns=2_000)
    entry = next(iter(listing(path)))
    whole = described(entry)
    assert (entry.calls, whole.calls) == (None, 2_000)
    assert whole.started is not None
    assert whole.updated is not None
    assert whole.updated > whole.started


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_that_a_session_and_its_compressed_copy_are_one(tmp_path: Path, pack: object) -> None:
    plain = chat(tmp_path / "rollout.jsonl", "cli:1", turns=900)
    packed = tmp_path / "rollout.jsonl.packed.zst"
    packed.write_bytes(pack(plain.read_bytes()))  # type: ignore[operator]
    assert [entry.path for entry in listing(tmp_path)] == [plain]
    plain.unlink()
    assert [(entry.path, entry.id) for entry in listing(tmp_path)] == [(packed, "cli:1")]


def test_that_a_document_larger_than_its_head_is_told_as_well(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    messages = [{"role": "user", "content": "fix it " * 20_000}, {"role": "assistant", "content": "done"}]
    path.write_text(json.dumps({"model": "m", "messages": messages}, indent=1))
    head = head_of(path)
    assert head is not None
    assert (head.format, len(head.messages)) == ("openai-chat", 2)


class Shelf:
    """A holder of folders that hold a `shelf` file."""

    name, label, description = "shelf", "a shelf", "Maps nothing, keeps everything."

    def recognises(self, path: Path) -> bool:
        return (path / "shelf").is_file()

    def entries(self, path: Path) -> Iterator[Entry]:
        for key in ("one", "two"):
            yield Entry("shelf", path, key, id=key, updated=float(len(key)))
        yield Entry("shelf", path, "child", id="child", parent="one", updated=99.0)

    def open(self, path: Path, key: str, reporter: Reporter) -> Session:  # noqa: ARG002
        if key not in ("one", "two"):
            raise SessionError(f"{path} holds no session {key}.", path=str(path))
        return session(user(key), assistant("done"), session_id=key, title=key)


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(registry, "HOLDERS", (*formats.HOLDERS, Shelf()))
    (tmp_path / "sessions.d").mkdir()
    (tmp_path / "sessions.d" / "shelf").touch()
    return tmp_path / "sessions.d"


def test_that_a_folder_that_holds_several_sessions_is_listed_and_each_opens_by_its_place(shelf: Path) -> None:
    found = list(listing(shelf.parent))
    assert [(entry.key, entry.parent) for entry in found] == [("child", "one"), ("two", None), ("one", None)]
    opened = registry.open_session(found[1].place)
    assert (opened.title, opened.key, opened.place) == (
        "two",
        "two",
        session(session_id="two").path.with_name("two.jsonl#two"),
    )
    assert described(found[2]).calls == 1


def test_that_without_a_key_the_latest_is_opened_and_the_others_are_named(shelf: Path) -> None:
    opened = registry.open_session(shelf)
    assert opened.id in ("one", "two")
    assert "holds 2 sessions" in opened.warnings[0]
    with pytest.raises(SessionError, match="holds no session three"):
        registry.open_session(shelf.with_name("sessions.d#three"))


def test_that_a_file_with_a_hash_in_its_name_is_a_file(tmp_path: Path) -> None:
    path = chat(tmp_path / "a#b.jsonl", "cli:1")
    assert registry.open_session(path).id == "cli:1"


def test_that_a_missing_path_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="does not exist"):
        list(listing(tmp_path / "none"))


def test_that_only_places_that_are_there_are_found_each_once(tmp_path: Path) -> None:
    for folder in (".claude/projects", ".codex/sessions", ".gemini/tmp", ".local/share/opencode"):
        (tmp_path / folder).mkdir(parents=True)
    other = tmp_path / "elsewhere"
    (other / "sessions").mkdir(parents=True)
    found = places({"CODEX_HOME": str(other)}, tmp_path)
    assert [(place.agent, place.path) for place in found] == [
        ("Claude Code", tmp_path / ".claude/projects"),
        ("Codex", other / "sessions"),
        ("Gemini CLI", tmp_path / ".gemini/tmp"),
        ("opencode", tmp_path / ".local/share/opencode"),
    ]
    assert places({}, tmp_path / "nobody") == ()
