"""Random values in the rows of opencode's database: nothing but the row is lost."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.formats.opencode.holder import OpenCode
from tests.engine.sessions.formats.opencode.store import Chat, database, finish, start, tool, words
from tests.engine.sessions.mutations import ODD, mistyped

CHAT = (
    Chat()
    .user(words("alpha"))
    .assistant(start(), words("beta"), tool("c1", output="gamma"), finish(input=5, output=1))
    .user(words("delta"))
    .assistant(start(), words("epsilon"), finish(input=9, output=1))
)
WORDS = {
    part["id"]: part.get("text") or "gamma"
    for said in CHAT.messages
    for part in said.parts
    if "step" not in part["type"]
}
ROWS = [
    *(("message", said.id, said.info) for said in CHAT.messages),
    *(("part", part["id"], part) for said in CHAT.messages for part in said.parts),
]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return database(tmp_path_factory.mktemp("opencode") / "opencode.db", CHAT)


@given(row=st.sampled_from(ROWS), data=st.data())
def test_that_a_row_of_any_content_loses_no_other_row(
    path: Path, row: tuple[str, str, Any], data: st.DataObject
) -> None:
    table, name, value = row
    content = data.draw(
        st.one_of(
            mistyped(value).map(json.dumps),
            ODD.map(json.dumps),
            st.binary(max_size=40),
            st.integers(-9, 9),
            st.floats(allow_nan=False),
            st.sampled_from([b"\x00", b"\xff{}", b'{"role":"assistant"', "", b'{"type":"text","text":"\xff"}']),
        )
    )
    connection = sqlite3.connect(path)
    try:
        before = connection.execute(f"SELECT data FROM {table} WHERE id = ?", (name,)).fetchone()[0]
        connection.execute(f"UPDATE {table} SET data = ? WHERE id = ?", (content, name))
        connection.commit()
        assert len(list(OpenCode().entries(path))) == 1
        session = open_session(path)
        held = {span for m in session.messages for span in m.spans}
        held |= {record.span for record in session.other} | {item.span for item in session.damage}
        stored = b" ".join(session.source.read(span) for span in held).decode("utf-8", "replace")
        for part, said in WORDS.items():
            assert part == name or said in stored
        assert len(held) >= len(ROWS)
        connection.execute(f"UPDATE {table} SET data = ? WHERE id = ?", (before, name))
        connection.commit()
    finally:
        connection.close()


@given(columns=st.fixed_dictionaries({
    "parent_id": st.one_of(st.none(), st.text(max_size=5), st.integers(-9, 9), st.binary(max_size=4)),
    "title": st.one_of(st.none(), st.text(max_size=5), st.integers(-9, 9), st.binary(max_size=4)),
    "time_updated": st.one_of(st.none(), st.text(max_size=5), st.integers(-(2**62), 2**62), st.binary(max_size=4)),
    "model": st.one_of(st.none(), st.text(max_size=5), st.just("[1]"), st.just("{\"id\": 3}"), st.binary(max_size=4)),
    "revert": st.one_of(st.none(), st.text(max_size=5), st.just("[]"), st.just("{\"messageID\": [1]}")),
}))  # fmt: skip
def test_that_session_columns_of_any_type_are_read(path: Path, columns: dict[str, Any]) -> None:
    connection = sqlite3.connect(path)
    try:
        changes = ", ".join(f"{name} = ?" for name in columns)
        connection.execute(f"UPDATE session SET {changes}", tuple(columns.values()))
        connection.commit()
        assert [entry.id for entry in OpenCode().entries(path)] == ["ses_1"]
        assert len(open_session(path, "ses_1").messages) == 5
        connection.execute("UPDATE session SET parent_id = NULL, title = 'x', revert = NULL, model = NULL")
        connection.commit()
    finally:
        connection.close()
