"""From messages to a Session, for formats whose conversations stand inside JSON documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ravenglass.sessions.importing.build import model_of, title_of, warnings_of
from ravenglass.sessions.model.session import Marker, Message, OtherRecord, Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.reader import Records

_ENDINGS = (".gz", ".zst", ".jsonl", ".json", ".traj")


@dataclass(slots=True)
class SessionDraft:
    """One conversation before groups and turns are made of it. Everything empty is unknown."""

    id: str = ""
    messages: list[Message] = field(default_factory=list)
    markers: list[Marker] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    title: str = ""
    project: str = ""
    model: str | None = None
    tools: str | None = None
    system: str | None = None
    parent_call_id: str | None = None


def stem(path: Path) -> str:
    """The file's name without the endings that session files have."""
    name = path.name
    for ending in _ENDINGS:
        name = name.removesuffix(ending)
    return name or path.name


def assembled(
    draft: SessionDraft, name: str, records: Records, *, children: Sequence[Session] = (), main: bool = True
) -> Session:
    """The session of a draft. Damage, the cut last line and warnings of the file belong to the main one.

    `name` is the importer's.
    """
    found = linked(draft.messages, draft.markers)
    path = records.opened.path
    return Session(
        id=draft.id or stem(path),
        format=name,
        path=path,
        messages=found.messages,
        structure=found.structure,
        source=records.opened.source,
        title=draft.title or title_of(found.messages),
        project=draft.project,
        model=draft.model or model_of(found.messages),
        tools_text=draft.tools,
        system_prompt=draft.system,
        other=tuple(draft.other),
        damage=records.damage if main else (),
        markers=found.markers,
        children=tuple(children),
        parent_call_id=draft.parent_call_id,
        pending=records.pending if main else None,
        warnings=warnings_of(records, found.messages) if main else (),
    )
