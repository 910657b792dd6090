"""opencode sessions written on the spot, into a database, into JSON storage of both layouts, or as an export."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
T0 = 1_785_000_000_000
"""Milliseconds; message n is made n seconds later."""

SCHEMA = """
CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT,
    version TEXT, revert TEXT, time_created INTEGER NOT NULL, time_updated INTEGER, agent TEXT, model TEXT);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
    time_updated INTEGER, data TEXT NOT NULL);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
    time_created INTEGER NOT NULL, time_updated INTEGER, data TEXT NOT NULL);
CREATE TABLE todo (session_id TEXT NOT NULL, content TEXT, status TEXT);
CREATE INDEX part_session ON part (session_id);
CREATE INDEX part_message ON part (message_id, id);
CREATE INDEX message_session ON message (session_id, time_created, id);
"""


@dataclass
class Said:
    """One stored message."""

    id: str
    info: Json
    parts: list[Json]


@dataclass
class Chat:
    """One stored session."""

    id: str = "ses_1"
    title: str = "A title"
    parent: str | None = None
    revert: Json | None = None
    messages: list[Said] = field(default_factory=list)

    def user(self, *parts: Json, **info: object) -> Chat:
        """Add a user message; its id is msg_01, msg_02, ... ."""
        self._add({"role": "user", "agent": "build", "model": {"providerID": "p", "modelID": "m"}, **info}, parts)
        return self

    def assistant(self, *parts: Json, **info: object) -> Chat:
        """Add a finished assistant message that answers the latest user message."""
        asked = next((said.id for said in reversed(self.messages) if said.info["role"] == "user"), "")
        info = {"parentID": asked, "modelID": "m-1", "providerID": "p", "finish": "stop", **info}
        self._add({"role": "assistant", **info}, parts)
        return self

    def _add(self, info: Json, parts: tuple[Json, ...]) -> None:
        number = len(self.messages) + 1
        name = f"msg_{self.id}_{number:02}"
        listed = [{"id": f"prt_{self.id}_{number:02}_{n:02}", **part} for n, part in enumerate(parts)]
        time = {"created": T0 + 1000 * number, **info.pop("time", {})}
        self.messages.append(Said(name, {"time": time, **info}, listed))

    @property
    def info(self) -> Json:
        found: Json = {
            "id": self.id,
            "version": "1.18.0",
            "projectID": "prj",
            "directory": "/home/dev/x",
            "title": self.title,
        }
        more: Json = {"parentID": self.parent, "revert": self.revert, "time": {"created": T0, "updated": T0 + 60_000}}
        return {**found, **{key: value for key, value in more.items() if value is not None}}


def words(said: str, **more: object) -> Json:
    """A text part."""
    return {"type": "text", "text": said, **more}


def start() -> Json:
    return {"type": "step-start", "snapshot": "abc"}


def finish(**tokens: int) -> Json:
    """A step-finish; cache figures are named read and write."""
    cache = {name: tokens.pop(name) for name in ("read", "write") if name in tokens}
    return {"type": "step-finish", "reason": "stop", "cost": 0, "tokens": {**tokens, "cache": cache}}


def tool(call: str, status: str = "completed", name: str = "bash", **state: object) -> Json:
    """A tool part with call and result."""
    given: Json = {"status": status, "input": {"command": "ls"}, **state}
    if status == "completed":
        given.setdefault("output", "a.txt")
    return {"type": "tool", "callID": call, "tool": name, "state": given}


def fill(connection: sqlite3.Connection, *chats: Chat) -> None:
    """Insert sessions; ids are columns and not in the data."""
    for chat in chats:
        revert = None if chat.revert is None else json.dumps(chat.revert)
        connection.execute(
            "INSERT INTO session (id, project_id, parent_id, directory, title, version, revert, time_created,"
            " time_updated, model) VALUES (?, 'prj', ?, '/home/dev/x', ?, '1.18.0', ?, ?, ?, '{\"id\":\"m-1\"}')",
            (chat.id, chat.parent, chat.title, revert, T0, T0 + 60_000),
        )
        for said in chat.messages:
            made = said.info["time"]["created"]
            connection.execute(
                "INSERT INTO message VALUES (?, ?, ?, ?, ?)", (said.id, chat.id, made, made, compact(said.info))
            )
            for part in said.parts:
                data = {key: value for key, value in part.items() if key != "id"}
                connection.execute(
                    "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
                    (part["id"], said.id, chat.id, made, made, compact(data)),
                )
    connection.commit()


def database(path: Path, *chats: Chat) -> Path:
    """Write a database that is closed and has no log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    fill(connection, *chats)
    connection.close()
    return path


def storage(folder: Path, *chats: Chat, legacy: bool = False) -> Path:
    """Write JSON storage, pretty-printed as opencode does."""
    for chat in chats:
        home = folder / "session" / ("info" if legacy else "prj")
        put(home / f"{chat.id}.json", chat.info)
        below = folder / "session" if legacy else folder
        for said in chat.messages:
            ids = {"id": said.id, "sessionID": chat.id}
            put(below / "message" / chat.id / f"{said.id}.json", {**ids, **said.info})
            parts = below / "part" / chat.id / said.id if legacy else below / "part" / said.id
            for part in said.parts:
                put(parts / f"{part['id']}.json", {**part, "messageID": said.id, "sessionID": chat.id})
    return folder


def export(chat: Chat) -> Json:
    """What `opencode export` prints."""
    messages: list[Json] = [
        {"info": {"id": said.id, "sessionID": chat.id, **said.info}, "parts": said.parts} for said in chat.messages
    ]
    return {"info": chat.info, "messages": messages}


def put(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
