"""How formats that are a folder, a database or an archive write a conversation down."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.engine.sessions.formats.opencode import store
from tests.engine.sessions.formats.openhands import events
from tests.engine.sessions.written import agents, lines
from tests.engine.sessions.written.talk import Talk

GOOSE = (
    "CREATE TABLE sessions (id, name, description, working_dir, created_at, updated_at)",
    "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content_json, created_timestamp, metadata_json)",
)
HERMES = (
    "CREATE TABLE sessions (id, source, model, system_prompt, parent_session_id, started_at, ended_at, cwd, title)",
    (
        "CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id, role, content, tool_calls, tool_call_id, tool_name,"
        " timestamp, active, compacted, reasoning_content)"
    ),
)


def database(path: Path, tables: tuple[str, ...], about: dict[str, Any], rows: list[dict[str, Any]]) -> Path:
    """A database of one session."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as made, made:
        for table in tables:
            made.execute(table)
        for name, row in (("sessions", about), *(("messages", row) for row in rows)):
            marks = ", ".join("?" * len(row))
            made.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
    return path


def goose_row(role: str, content: list[Any], *, agent: bool = True, user: bool = True) -> dict[str, Any]:
    """A message of goose's database."""
    seen = json.dumps({"userVisible": user, "agentVisible": agent})
    return {"session_id": "g", "role": role, "content_json": json.dumps(content), "created_timestamp": 1_750_000_000,
            "metadata_json": seen}  # fmt: skip


def goose_database(folder: Path, talk: Talk) -> Path:
    _, *messages = lines.goose(talk)
    rows = [goose_row(message["role"], message["content"]) for message in messages]
    about = {"id": "g", "name": "n", "working_dir": "/w", "created_at": "2026-01-01 10:00:00"}
    return database(folder / "sessions.db", GOOSE, about, rows)


def hermes_database(folder: Path, talk: Talk) -> Path:
    rows: list[dict[str, Any]] = []
    for message in lines.chat(talk):
        calls = {"tool_calls": json.dumps(message["tool_calls"])} if "tool_calls" in message else {}
        state = {"session_id": "h", "timestamp": 1_750_000_000.5, "active": 1, "compacted": 0}
        rows.append({**message, **calls, **state})
    return database(folder / "state.db", HERMES, {"id": "h", "title": "t", "cwd": "/w", "model": "m"}, rows)


def inspect_archive(folder: Path, talk: Talk) -> Path:
    path = folder / "log.eval"
    log = agents.inspect_log(talk, events=True)
    (sample,) = log.pop("samples")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(log))
        archive.writestr("samples/t_epoch_1.json", json.dumps(sample))
    return path


def opencode_database(folder: Path, talk: Talk) -> Path:
    return store.database(folder / "opencode.db", agents.opencode_chat(talk))


def opencode_storage(folder: Path, talk: Talk) -> Path:
    return store.storage(folder / "storage", agents.opencode_chat(talk))


def opencode_old_storage(folder: Path, talk: Talk) -> Path:
    return store.storage(folder / "storage", agents.opencode_chat(talk), legacy=True)


def openhands_folder(folder: Path, talk: Talk) -> Path:
    return events.conversation(folder / "c", *agents.openhands_v1(talk))


def openhands_old_folder(folder: Path, talk: Talk) -> Path:
    return events.old_conversation(folder / "c", *agents.openhands_v0(talk))


PLACES: dict[str, Callable[[Path, Talk], Path]] = {
    "goose database": goose_database,
    "hermes database": hermes_database,
    "inspect archive": inspect_archive,
    "opencode database": opencode_database,
    "opencode storage": opencode_storage,
    "opencode storage of before": opencode_old_storage,
    "openhands folder": openhands_folder,
    "openhands folder of the first generation": openhands_old_folder,
}
"""The first word is the format's name."""
