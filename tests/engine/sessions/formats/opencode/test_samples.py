"""opencode's sample database and storage folders, against counts made of the raw rows and files."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.opencode.holder import OpenCode
from ravenglass.sessions.model.session import Session

pytestmark = pytest.mark.samples

Json = dict[str, Any]
DATABASE = "opencode/rungraph_opencode.db"
OPEN = {"pending", "running"}


@pytest.fixture(scope="module")
def raw(samples: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{(samples / DATABASE).as_uri()}?mode=ro", uri=True)


def family(session: Session) -> list[Session]:
    return [session, *(inner for child in session.children for inner in family(child))]


def parts(raw: sqlite3.Connection, session: str) -> list[Json]:
    return [json.loads(data) for (data,) in raw.execute("SELECT data FROM part WHERE session_id = ?", (session,))]


def test_that_every_session_of_the_database_has_its_calls_results_and_open_calls(
    samples: Path, raw: sqlite3.Connection
) -> None:
    ids = [key for (key,) in raw.execute("SELECT id FROM session ORDER BY id")]
    assert len(ids) == 19
    assert sorted(entry.id for entry in OpenCode().entries(samples / DATABASE)) == ids
    total: Counter[str] = Counter()
    for key in ids:
        tools = [part["state"]["status"] for part in parts(raw, key) if part["type"] == "tool"]
        session = open_session(samples / DATABASE, key)
        own = [inner for inner in family(session) if inner.id in (key, f"{key}:rolled-back")]
        found = [counts(inner) for inner in own]
        waiting = sum(len(group.unanswered) for inner in own for group in inner.structure.groups)
        assert sum(item.tool_calls for item in found) == len(tools), key
        assert sum(item.tool_results for item in found) == sum(status not in OPEN for status in tools), key
        assert waiting == sum(status in OPEN for status in tools), key
        assert sum(m.is_error for inner in own for m in inner.messages) == tools.count("error"), key
        assert session.damage == ()
        assert not any(group.orphan for inner in own for group in inner.structure.groups)
        total.update(calls=len(tools), waiting=waiting, messages=sum(item.messages for item in found))
    assert dict(total) == {"calls": 61, "waiting": 1, "messages": 133}


def test_that_no_row_of_the_database_is_lost(samples: Path, raw: sqlite3.Connection) -> None:
    for (key,) in raw.execute("SELECT id FROM session").fetchall():
        stored = [data for (data,) in raw.execute("SELECT data FROM message WHERE session_id = ?", (key,))]
        stored += [data for (data,) in raw.execute("SELECT data FROM part WHERE session_id = ?", (key,))]
        session = open_session(samples / DATABASE, key)
        spans = set()
        for inner in family(session):
            if inner.id in (key, f"{key}:rolled-back"):
                spans |= {span for m in inner.messages for span in m.spans} | {record.span for record in inner.other}
        read = Counter(session.source.read(span).decode() for span in spans)
        assert not Counter(stored) - read


def test_that_usage_is_that_of_each_message_once(samples: Path, raw: sqlite3.Connection) -> None:
    told = 0
    for (key,) in raw.execute("SELECT id FROM session WHERE revert IS NULL").fetchall():
        rows = raw.execute("SELECT id, data FROM message WHERE session_id = ?", (key,)).fetchall()
        tokens = {name: json.loads(data).get("tokens") or {} for name, data in rows}
        for message in open_session(samples / DATABASE, key).messages:
            given = tokens.get(message.source_id or "", {})
            if message.usage is None:
                assert not given.get("input")
                continue
            if "input" not in given:  # one message has other names for its figures
                assert message.usage.context is None
                continue
            cache = given["cache"]
            assert message.usage.context == given.get("input", 0) + cache["read"] + cache["write"]
            assert (message.usage.cache_read, message.usage.output) == (cache["read"], given.get("output"))
            told += 1
    assert told == sum(bool(json.loads(data).get("tokens", {}).get("input")) for (data,) in raw.execute(
        "SELECT data FROM message WHERE session_id IN (SELECT id FROM session WHERE revert IS NULL)"
    ))  # fmt: skip


def test_that_sub_agents_are_children_and_linked_where_a_task_call_names_them(
    samples: Path, raw: sqlite3.Connection
) -> None:
    linked = 0
    for key, parent in raw.execute("SELECT id, parent_id FROM session WHERE parent_id IS NOT NULL").fetchall():
        inside = {inner.id: inner for inner in family(open_session(samples / DATABASE, parent))}
        assert key in inside
        calls = [
            part["callID"]
            for part in parts(raw, parent)
            if part.get("tool") == "task" and part["state"].get("metadata", {}).get("sessionId") == key
        ]
        assert inside[key].parent_call_id == (calls[0] if calls else None)
        linked += bool(calls)
    assert linked == 2


def test_that_the_compaction_and_the_two_reverts_are_marked(samples: Path) -> None:
    session = open_session(samples / DATABASE, "ses_fxb00000000000compact")
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 2, (0, 1))]
    for key, hidden in (("ses_fx1000000000000revert", 6), ("ses_fxe0000000000revertlane", 3)):
        session = open_session(samples / DATABASE, key)
        assert [marker.kind for marker in session.markers] == ["rollback"]
        assert [len(child.messages) for child in session.children if child.id.endswith(":rolled-back")] == [hidden]


@pytest.mark.parametrize(
    ("folder", "key", "figures"),
    [
        ("storage_v2", "s_stage0_small", (3, 1, 1)),
        ("storage_v2", "s_stage0_large", (5, 1, 1)),
        ("storage_legacy", "s_stage0_drift", (3, 1, 1)),
    ],
)
def test_that_the_storage_folders_are_read_whole(
    samples: Path, folder: str, key: str, figures: tuple[int, int, int]
) -> None:
    session = open_session(samples / "opencode" / folder, key)
    found = counts(session)
    assert (found.messages, found.tool_calls, found.tool_results) == figures


@pytest.mark.parametrize("folder", ["storage_v2", "storage_legacy"])
def test_that_no_file_of_a_storage_folder_is_lost(samples: Path, folder: str) -> None:
    read: set[bytes] = set()
    for entry in OpenCode().entries(samples / "opencode" / folder):
        session = open_session(samples / "opencode" / folder, entry.key)
        read |= {session.source.read(span) for m in session.messages for span in m.spans}
        read |= {session.source.read(record.span) for record in session.other}
    assert read == {path.read_bytes() for path in (samples / "opencode" / folder).rglob("*.json")}


def test_that_the_sample_database_is_left_as_it_is(samples: Path) -> None:
    path = samples / DATABASE
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir()))
    list(OpenCode().entries(path))
    open_session(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(path.parent.iterdir())) == before
