"""History that was rewritten (R6): after an undo, a clear or a fork no message inherits what was said of another.

The reference implementation keeps flags by position, so they stick to whatever stands there next.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass import Engine
from ravenglass.embed.files.layout import session_file
from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Message
from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from ravenglass.store.layout import CURATOR
from tests.engine.builders import assistant, call, filler, result, session, user, written
from tests.engine.embed.conversations import Chat, Clock, answers, asks, drive, said, small
from tests.engine.scheduler.views import plain
from tests.engine.store.archive.builders import DAY, record


def work(count: int, tokens: int) -> list[Message]:
    """Tool exchanges, no two with the same result."""
    made = ((assistant("", call("Bash", command=f"make {n}")), result(f"{n} {filler(tokens)}")) for n in range(count))
    return [m for exchange in made for m in exchange]


def long_chat(word: str, rounds: int = 20) -> list[Chat]:
    found = [said("user", f"Find the {word} in src/app.py.")]
    for n in range(rounds):
        found += [
            asks(f"{word}{n}", file_path=f"src/{word}{n}.py"),
            answers(f"{word}{n}", f"{word} {n}\n{filler(900)}"),
        ]
    return [*found, said("assistant", f"Done with {word}.")]


def manifest(root: Path, key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((root / CURATOR / "manifest" / f"{key}.json").read_bytes())["items"]
    return found


TIGHT = small(archive_below=1.0)


@pytest.mark.rule("R6")
def test_that_after_a_clear_no_message_inherits_flags_of_the_one_that_stood_there(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="agent:demo", clock=Clock()) as first:
        drive(first, long_chat("login"))
        first.pin(2)
        refs = [entry.ref for entry in ArchiveStore(tmp_path / CURATOR, writable=False).entries()]
    assert sum(item["archived"] for item in manifest(tmp_path, "agent_demo")) > 10
    session_file(tmp_path, "agent:demo").unlink()
    with Engine(TIGHT, tmp_path, session_key="agent:demo", clock=Clock()) as second:
        drive(second, long_chat("quota", rounds=3))
        assert second.changes == ()
        run = second.run()
    items = manifest(tmp_path, "agent_demo")
    assert [item["snippet"] for item in items] == [run.row(run.calls, m).snippet for m in range(run.rows(run.calls))]
    assert not any(item["archived"] or item["pinned"] or item["archive_ref"] for item in items)
    fresh = Engine(TIGHT, session_key="agent:demo", clock=Clock())
    drive(fresh, long_chat("quota", rounds=3))
    assert [item["relevance"] for item in items] == [
        round(fresh.run().row(run.calls, m).relevance, 4) for m in range(run.rows(run.calls))
    ]
    # What the cleared session left is kept under a name of its own, and its archive is whole.
    kept = {path.name for kind in ("manifest", "snapshots", "traces") for path in (tmp_path / CURATOR / kind).iterdir()}
    assert kept == {"agent_demo.json", "agent_demo.earlier-1.json", "agent_demo", "agent_demo.earlier-1"}
    store = ArchiveStore(tmp_path / CURATOR, writable=False)
    assert all(isinstance(item, StoredRecord) and item.proved for ref in refs for item in store.records(ref))


@pytest.mark.rule("R6")
def test_that_after_an_undo_a_replay_knows_nothing_of_what_was_there(tmp_path: Path) -> None:
    built = session(user("fix the login"), *work(12, 400), assistant("end"))
    path = written(built, tmp_path / "s.jsonl")
    profile = plain(1_500, trim_target=0.7, standby_calls=2)
    before = replay(open_session(path), profile)
    assert before.archive()
    again = session(*built.messages[:5], user("something else"), *work(3, 20), assistant("end"))
    written(again, path)
    (tmp_path / "copy").mkdir()
    elsewhere = written(again, tmp_path / "copy" / path.name)
    after, fresh = replay(open_session(path), profile), replay(open_session(elsewhere), profile)
    assert after.archive() == fresh.archive() == ()
    for number in range(1, after.calls + 1):
        assert after.window(number) == fresh.window(number)
        assert [after.row(number, m) for m in range(after.rows(number))] == [
            fresh.row(number, m) for m in range(fresh.rows(number))
        ]


@pytest.mark.rule("R6")
def test_that_a_fork_archives_its_own_messages_and_leaves_those_of_its_parent(tmp_path: Path) -> None:
    parent_chat = long_chat("login")
    shared = parent_chat[:7]
    with Engine(TIGHT, tmp_path, session_key="agent:parent", clock=Clock()) as parent:
        drive(parent, parent_chat)
    theirs = manifest(tmp_path, "agent_parent")
    with Engine(TIGHT, tmp_path, session_key="agent:fork", clock=Clock()) as fork:
        drive(fork, [*shared, *long_chat("quota")[1:]])
        ours = fork.run()
    items = manifest(tmp_path, "agent_fork")
    archived = [item for item in items if item["archived"]]
    assert len(archived) > 10
    store = ArchiveStore(tmp_path / CURATOR, writable=False)
    for item in archived:
        back = {r.id: r.raw for r in store.records(item["archive_ref"]) if isinstance(r, StoredRecord)}
        assert back[item["id"]] == ours.session.raw(item["id"])
    assert manifest(tmp_path, "agent_parent") == theirs
    by_ref = {item["archive_ref"] for item in theirs if item["archived"]}
    assert not by_ref & {item["archive_ref"] for item in archived}


@pytest.mark.rule("R6")
def test_that_the_same_ids_with_other_content_are_another_archive(tmp_path: Path) -> None:
    with ArchiveStore(tmp_path) as store:
        before = store.write("s", [record(4, "before"), record(5, "the undo")], created=DAY)
        after = store.write("s", [record(4, "something"), record(5, "else")], created=DAY)
        assert before != after
        assert store.retrieve(before).raw == (b"before", b"the undo")
        assert store.retrieve(after).raw == (b"something", b"else")
