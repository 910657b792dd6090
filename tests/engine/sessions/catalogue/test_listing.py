"""A folder is a list of sessions, told by their first records; what is no session is left out."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from ravenglass.cli.sessions import nested
from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue import known as formats
from ravenglass.sessions.catalogue import registry
from ravenglass.sessions.catalogue.copies import holds
from ravenglass.sessions.catalogue.head import head_of
from ravenglass.sessions.catalogue.listing import described, discovered, listing, settled
from ravenglass.sessions.catalogue.places import places
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter
from tests.engine.builders import assistant, session, user
from tests.engine.sessions import conftest as claude
from tests.engine.sessions.formats.codex import records as codex
from tests.engine.sessions.formats.gemini import lines as gemini
from tests.engine.sessions.formats.opencode import store as opencode
from tests.engine.sessions.formats.pi import lines as pi


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


def test_that_of_two_states_of_one_session_the_one_that_holds_more_is_listed_whatever_their_times(
    tmp_path: Path,
) -> None:
    whole = chat(tmp_path / "b" / "chat.jsonl", "cli:1", turns=4)
    earlier = chat(tmp_path / "a" / "chat.jsonl", "cli:1", turns=2)
    for times in ((1_000, 2_000), (2_000, 1_000)):
        os.utime(whole, (times[0],) * 2)
        os.utime(earlier, (times[1],) * 2)
        assert [entry.path for entry in listing(tmp_path)] == [whole]


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

    def entries(self, path: Path) -> Iterator[HolderEntry]:
        for key in ("one", "two"):
            yield HolderEntry("shelf", path, key, id=key, updated=float(len(key)))
        yield HolderEntry("shelf", path, "child", id="child", parent="one", updated=99.0)

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


def lines(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in records))
    return path


def depths(folder: Path) -> list[tuple[str, int]]:
    """What `ravenglass sessions` shows, as id and depth."""
    return [(item.entry.id, item.depth) for item in nested(listing(folder))]


def test_that_a_gemini_document_and_the_lines_it_goes_on_in_are_one_session(tmp_path: Path) -> None:
    document = gemini.document(*gemini.TALK)
    for padding in ("", "x" * 100_000):  # also where the first bytes do not hold the whole document
        place = tmp_path / f"p{len(padding)}" / "chats"
        place.mkdir(parents=True)
        data = gemini.document(*gemini.TALK, gemini.ask("u9", padding)) if padding else document
        (place / "session-x.json").write_bytes(data)
        goes_on = lines(
            place / "session-x.jsonl", gemini.HEAD, *gemini.TALK, gemini.ask("u9", padding), gemini.ask("u10")
        )
        assert [entry.path for entry in listing(place)] == [goes_on]


def test_that_a_codex_rollout_and_its_compressed_copy_are_one_session(tmp_path: Path) -> None:
    day = tmp_path / "sessions" / "2026" / "02" / "23"
    records = [codex.meta("thread-1"), *codex.typed("go"), *(codex.output(f"c{n}", "x" * 900) for n in range(200))]
    plain = lines(day / "rollout-2026-02-23T10-00-00-thread-1.jsonl", *records)
    packed = plain.with_name(f"{plain.name}.zst")
    packed.write_bytes(zstandard.compress(plain.read_bytes()))
    assert [entry.path for entry in listing(tmp_path)] == [plain]
    plain.unlink()
    assert [(entry.path, entry.id, entry.title) for entry in listing(tmp_path)] == [(packed, "thread-1", "go")]


def test_that_sub_agents_of_codex_are_listed_under_their_session(tmp_path: Path) -> None:
    def spawned(name: str, parent: str) -> list[object]:
        spawn = {"subagent": {"thread_spawn": {"parent_thread_id": parent, "agent_path": f"/root/{name}"}}}
        return [codex.meta(name, source=spawn), *codex.answered(f"I am {name}")]

    lines(tmp_path / "rollout-1-p.jsonl", codex.meta("p"), *codex.typed("go"))
    lines(tmp_path / "rollout-2-kid.jsonl", *spawned("kid", "p"))
    lines(tmp_path / "rollout-3-grandkid.jsonl", *spawned("grandkid", "kid"))
    lines(tmp_path / "rollout-4-fork.jsonl", codex.meta("fork", forked_from_id="p"), *codex.typed("other"))
    found = depths(tmp_path)
    assert sorted(found) == [("fork", 0), ("grandkid", 2), ("kid", 1), ("p", 0)]
    assert found.index(("kid", 1)) == found.index(("p", 0)) + 1
    whole = {entry.id: described(entry).parent for entry in listing(tmp_path)}
    assert whole == {"fork": None, "grandkid": "kid", "kid": "p", "p": None}


def test_that_sub_agents_of_gemini_are_listed_under_their_session(tmp_path: Path) -> None:
    chats = tmp_path / "slug" / "chats"
    sub = {**gemini.HEAD, "sessionId": "sub-1", "kind": "subagent"}
    lines(chats / "session-x.jsonl", gemini.HEAD, *gemini.TALK)
    child = lines(chats / "s-1" / "sub-1.jsonl", sub, gemini.ask("u", "first task"))
    assert depths(tmp_path) == [("s-1", 0), ("sub-1", 1)]
    assert [entry.project for entry in listing(child)] == ["slug"]
    assert open_session(child).parent == "s-1"
    assert open_session(chats / "session-x.jsonl").parent is None


def test_that_sub_agents_of_claude_code_are_listed_under_their_session(tmp_path: Path) -> None:
    side = {**claude.user("look", uuid="c1"), "isSidechain": True, "agentId": "ag1"}
    lines(tmp_path / "s1.jsonl", claude.user("go"), claude.assistant(claude.say("done")))
    lines(tmp_path / "s1" / "subagents" / "agent-ag1.jsonl", side)
    assert depths(tmp_path) == [("s1", 0), ("ag1", 1)]


def test_that_sub_agents_of_opencode_are_listed_under_their_session(tmp_path: Path) -> None:
    opencode.storage(
        tmp_path / "storage",
        opencode.Chat("ses_1").user(opencode.words("go")),
        opencode.Chat("ses_2", parent="ses_1").user(opencode.words("look")),
    )
    assert depths(tmp_path) == [("ses_1", 0), ("ses_2", 1)]
    assert open_session(tmp_path / "storage", "ses_2").parent == "ses_1"


def test_that_a_pi_session_that_was_forked_is_no_sub_agent(tmp_path: Path) -> None:
    head = {**pi.HEAD, "parentSession": str(tmp_path / "first.jsonl")}
    lines(tmp_path / "first.jsonl", *pi.linear(pi.typed("go")))
    lines(tmp_path / "second.jsonl", {**head, "id": "s-2"}, *pi.linear(pi.typed("other"))[1:])
    assert sorted(depths(tmp_path)) == [("s-1", 0), ("s-2", 0)]
    assert open_session(tmp_path / "second.jsonl").forked_from == str(tmp_path / "first.jsonl")


def test_that_a_list_that_grows_on_screen_settles_into_the_whole_list(tmp_path: Path) -> None:
    for number in range(4):
        chat(tmp_path / f"{number}" / "chat.jsonl", f"cli:{number}")
    found = list(discovered(tmp_path))
    assert {entry.id for entry in found} == {f"cli:{number}" for number in range(4)}
    assert settled(found) == list(listing(tmp_path))
    assert settled([*found, *found]) == settled(found)


def test_that_two_files_of_one_id_are_one_only_where_one_holds_all_of_the_other(tmp_path: Path) -> None:
    whole = chat(tmp_path / "a.jsonl", "cli:1", turns=3)
    chat(tmp_path / "b.jsonl", "cli:1", turns=2)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(whole.read_bytes()))
    assert [entry.path.name for entry in listing(tmp_path)] == ["a.jsonl"]
    chat(tmp_path / "d.jsonl", "cli:1", turns=2, text="went on otherwise")
    found = {entry.path.name: entry for entry in listing(tmp_path)}
    assert set(found) == {"a.jsonl", "d.jsonl"}
    assert found["a.jsonl"].beside == (str(tmp_path / "d.jsonl"),)
    assert found["d.jsonl"].beside == (str(tmp_path / "a.jsonl"),)


def test_that_a_later_state_in_a_copy_is_listed_instead_of_an_earlier_one(tmp_path: Path) -> None:
    later = chat(tmp_path / "later.jsonl", "cli:1", turns=4)
    (tmp_path / "copy.jsonl.gz").write_bytes(gzip.compress(later.read_bytes()))
    chat(later, "cli:1", turns=2)
    (entry,) = listing(tmp_path)
    assert (entry.path.name, entry.beside) == ("copy.jsonl.gz", ())


def test_that_the_same_words_said_more_often_are_not_held_by_fewer(tmp_path: Path) -> None:
    twice = {"role": "user", "content": "go on", "timestamp": "2026-01-01T00:00:00"}
    head = {"_type": "metadata", "key": "cli:1", "metadata": {"title": "t"}}
    for name, lines in {"a": [head, twice, twice], "b": [head, {**twice, "content": "stop"}, twice]}.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert len(list(listing(tmp_path))) == 2


def test_that_a_database_that_cannot_be_read_is_told_and_the_others_are_listed(tmp_path: Path) -> None:
    chat(tmp_path / "a.jsonl", "cli:a")
    path = tmp_path / "store" / "opencode.db"
    path.parent.mkdir()
    path.write_bytes(b"SQLite format 3\x00 and no more")
    told: list[tuple[Path, str]] = []
    assert [entry.path.name for entry in listing(tmp_path, lambda *what: told.append(what))] == ["a.jsonl"]
    ((left, why),) = told
    assert left == path.parent
    assert why.startswith("cannot be listed (")
    assert "could not be read" in why


def test_that_a_copy_that_changed_without_growing_is_compared_anew(tmp_path: Path) -> None:
    whole = chat(tmp_path / "a.jsonl", "cli:1", turns=3)
    part = chat(tmp_path / "b.jsonl", "cli:1", turns=2)
    entries = [HolderEntry("raven", path) for path in (whole, part)]
    assert holds(*entries)
    size = part.stat().st_size
    part.write_text(part.read_text().replace("fix the login 1", "fix the logic 1"))
    assert part.stat().st_size == size
    assert not holds(*entries)


def test_that_the_line_at_which_a_head_ends_is_no_damage(tmp_path: Path) -> None:
    head = head_of(chat(tmp_path / "a.jsonl", "cli:1", turns=2_000))
    assert head is not None
    assert (head.damage, head.pending) == ((), None)
    assert 100 < len(head.messages) < 4_000
