"""Written sessions of every format with values of other types and damaged bytes: refused in words, or opened."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.catalogue.listing import listing
from tests.engine.sessions.damaged import opened
from tests.engine.sessions.mutations import damaged, mistyped
from tests.engine.sessions.test_nothing_lost import EXAMPLES, lines
from tests.engine.sessions.written.documents import DOCUMENTS
from tests.engine.sessions.written.lines import LINES
from tests.engine.sessions.written.places import GOOSE, HERMES, database, goose_row
from tests.engine.sessions.written.talk import talks
from tests.proofs import examples

WRITTEN = {**LINES, **DOCUMENTS}
quick = settings(max_examples=examples(2) * EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


def records(name: str, talk: Any) -> list[Any]:
    return list(LINES[name](talk)) if name in LINES else [DOCUMENTS[name](talk)]


@pytest.mark.parametrize("name", WRITTEN)
@given(data=st.data())
@quick
def test_that_no_value_of_another_type_is_an_error(tmp_path: Path, name: str, data: st.DataObject) -> None:
    written = data.draw(mistyped(records(name, data.draw(talks(most=2)))))
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(written))
    opened(path)
    with suppress(SessionError):
        open_session(path, format_name=name.split()[0])


@pytest.mark.parametrize("name", WRITTEN)
@given(data=st.data())
@quick
def test_that_no_damaged_byte_is_an_error(tmp_path: Path, name: str, data: st.DataObject) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(data.draw(damaged(lines(records(name, data.draw(talks(most=2)))))))
    opened(path)


def words(text: str) -> list[Any]:
    return [{"type": "text", "text": text}]


ABOUT = {"id": "g", "name": "a name", "working_dir": "/w", "created_at": "2026-01-01 10:00:00"}


def test_that_a_goose_database_opens_with_what_the_agent_no_longer_sees_before_a_marker(tmp_path: Path) -> None:
    called = {"type": "toolRequest", "id": "c", "toolCall": {"value": {"name": "sh", "arguments": {"command": "ls"}}}}
    came = {
        "type": "toolResponse",
        "id": "c",
        "toolResult": {"status": "success", "value": {"content": words("a.txt")}},
    }
    rows = [
        goose_row("user", words("count"), agent=False), goose_row("assistant", [called], agent=False),
        goose_row("user", [came], agent=False), goose_row("user", words("a summary"), user=False),
        goose_row("assistant", words("one file")),
    ]  # fmt: skip
    path = database(tmp_path / "sessions.db", GOOSE, ABOUT, rows)
    session = open_session(path)
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "user", "assistant"]
    assert [message.kind for message in session.messages][3] == "summary"
    assert (session.messages[2].text, session.title, session.project) == ("a.txt", "a name", "/w")
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 3, ())
    assert session.started == 1_750_000_000
    (entry,) = listing(path)
    assert (entry.id, entry.started) == ("g", 1_767_261_600)


def test_that_a_hermes_database_opens_with_archived_and_rewound_messages(tmp_path: Path) -> None:
    call = [{"id": "c", "type": "function", "function": {"name": "sh", "arguments": "{}"}}]

    def row(role: str, content: str, active: int = 1, compacted: int = 0, **more: Any) -> dict[str, Any]:
        state = {"timestamp": 1_750_000_000.5, "active": active, "compacted": compacted}
        return {"session_id": "g", "role": role, "content": content, **state, **more}

    rows = [
        row("user", "count", 0, 1), row("assistant", "", 0, 1, tool_calls=json.dumps(call)),
        row("tool", "a.txt", 0, 1, tool_call_id="c", tool_name="sh"),
        row("user", "[CONTEXT COMPACTION — REFERENCE ONLY] one"), row("user", "no", 0, 0), row("assistant", "well"),
        row("narrator", "nobody's"),
    ]  # fmt: skip
    about = {"id": "g", "title": "t", "cwd": "/w", "model": "m", "system_prompt": "be kind"}
    session = open_session(database(tmp_path / "state.db", HERMES, about, rows))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "user", "assistant"]
    assert session.messages[3].kind == "summary"
    assert [record.label for record in session.other] == ["session", "role narrator"]
    assert (session.markers[0].before, session.markers[0].keep) == (3, ())
    assert (session.system_prompt, session.model) == ("be kind", "m")
    assert [[message.text for message in child.messages] for child in session.children] == [["no"]]


@given(data=st.data())
@quick
def test_that_no_value_in_a_row_is_an_error(tmp_path: Path, data: st.DataObject) -> None:
    odd = st.one_of(
        st.none(), st.integers(-9, 9), st.binary(max_size=9), st.sampled_from(["", "x", "[", "[1]", '{"a":1}'])
    )
    tables = data.draw(st.sampled_from([GOOSE, HERMES]))
    row: dict[str, Any] = (
        goose_row("user", words("x")) if tables is GOOSE else {"session_id": "g", "role": "user", "content": "x"}
    )
    row[data.draw(st.sampled_from(sorted(row)))] = data.draw(odd)
    about: dict[str, Any] = {**ABOUT} if tables is GOOSE else {"id": "g", "title": "t"}
    about[data.draw(st.sampled_from(sorted(about)))] = data.draw(odd)
    path = database(tmp_path / "any.db", tables, about, [row])
    assert holder_of(path) is not None
    with suppress(SessionError):
        open_session(path)
        list(listing(path))
