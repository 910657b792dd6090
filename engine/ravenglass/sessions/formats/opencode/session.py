"""From a stored opencode session to a Session: reverted messages and sub-agents become children."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.formats.opencode.stored import Stored, StoredMessage
from ravenglass.sessions.formats.opencode.thread import OpencodeThread
from ravenglass.sessions.importing.build import model_of, title_of
from ravenglass.sessions.model.session import Marker, Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.values import mapping, text, text_or_none

NAME = "opencode"
_DEEPEST = 32
"""Levels of sub-agents inside sub-agents; more is a record that names itself."""


def session_of(stored: Stored, parent_call: str | None = None, depth: int = 0) -> Session:
    """The session with its children. Pure: may be asked again after more was stored."""
    shown, hidden, problem = _split(stored)
    thread, undone = OpencodeThread(), OpencodeThread()
    for message in shown:
        thread.add(message)
    for message in hidden:
        undone.add(message)
    children: list[Session] = []
    left: list[Session] = []
    for child in stored.children if depth < _DEEPEST else ():
        by = undone if child.id in undone.started else thread
        made = session_of(child, by.started.get(child.id), depth + 1)
        (left if by is undone else children).append(made)
    main = _session(stored, thread, parent_call, tuple(children))
    if not hidden:
        return replace(main, warnings=(*main.warnings, *problem))
    lost = _session(stored, undone, None, tuple(left), undone=True)
    note = f"{len(lost.messages):,} messages from here on were rolled back; they are the child session {lost.title!r}"
    back = Marker("rollback", len(main.messages), note, keep=None)
    return replace(main, markers=(*main.markers, back), children=(*main.children, lost))


def _split(stored: Stored) -> tuple[list[StoredMessage], list[StoredMessage], tuple[str, ...]]:
    """Messages that stand, and those that a revert hides: opencode deletes them with the next prompt."""
    revert = mapping(stored.info.get("revert"))
    name, part = text(revert.get("messageID")), text(revert.get("partID"))
    if not name:
        return stored.messages, [], ()
    at = next((n for n, message in enumerate(stored.messages) if message.id == name), None)
    if at is None:
        return stored.messages, [], (f"The session was reverted to {name}, which is not in the record; all is shown.",)
    shown, hidden = stored.messages[:at], stored.messages[at:]
    cut = next((n for n, piece in enumerate(hidden[0].parts) if piece.id == part), 0) if part else 0
    if cut > 0:
        shown = [*shown, replace(hidden[0], parts=hidden[0].parts[:cut])]
        hidden = [replace(hidden[0], parts=hidden[0].parts[cut:]), *hidden[1:]]
    return shown, hidden, ()


def _session(
    stored: Stored,
    thread: OpencodeThread,
    parent_call: str | None,
    children: tuple[Session, ...],
    *,
    undone: bool = False,
) -> Session:
    found = linked(thread.messages, thread.markers())
    own = title_of(found.messages)
    path = mapping(stored.info.get("path")) or {"cwd": stored.info.get("path")}
    return Session(
        id=f"{stored.id}:rolled-back" if undone else stored.id,
        format=NAME,
        path=stored.path,
        messages=found.messages,
        structure=found.structure,
        source=stored.source,
        title=f"rolled back: {own or 'messages'}" if undone else text(stored.info.get("title")) or own,
        project=text(stored.info.get("directory")) or text(path.get("cwd")),
        model=model_of(found.messages) or text_or_none(mapping(stored.info.get("model")).get("id")),
        system_prompt=None if undone else _system(stored),
        other=tuple(thread.other) if undone else (*stored.other, *thread.other),
        damage=() if undone else stored.damage,
        markers=found.markers,
        children=children,
        parent_call_id=parent_call,
        parent=None if undone else text_or_none(stored.info.get("parentID")),
        pending=None if undone else stored.pending,
        warnings=() if undone else _warnings(stored, thread),
    )


def _system(stored: Stored) -> str | None:
    """The prompt that a user message adds to the system prompt; the latest there is."""
    added = (text_or_none(message.info.get("system")) for message in reversed(stored.messages))
    return next((words for words in added if words), None)


def _warnings(stored: Stored, thread: OpencodeThread) -> tuple[str, ...]:
    found = list(stored.warnings)
    lost = sum(not message.spans and bool(message.parts) for message in stored.messages)
    if lost:
        found.append(
            f"{lost:,} message{'s have' if lost > 1 else ' has'} no readable record of {'their' if lost > 1 else 'its'}"
            " own; the parts are kept, and who said them is told by their types."
        )
    if not thread.messages:
        found.append("The session holds no messages.")
    return tuple(found)
