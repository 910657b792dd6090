"""From rows of a database to a Session, for holders whose sessions stand in few tables."""

from __future__ import annotations

from pathlib import Path

from ravenglass.sessions.importing.assembly import SessionDraft
from ravenglass.sessions.importing.build import damage_sentences, model_of, title_of
from ravenglass.sessions.model.session import Damage, Session
from ravenglass.sessions.model.structure import linked
from ravenglass.sessions.records.joined import JoinedSource


def stored_session(
    draft: SessionDraft, name: str, path: Path, source: JoinedSource, damage: tuple[Damage, ...] = ()
) -> Session:
    """The session of a draft whose spans are places in `source`. `name` is the holder's."""
    found = linked(draft.messages, draft.markers)
    warnings = list(damage_sentences(damage, None))
    orphans = sum("orphan_result" in message.flags for message in found.messages)
    if orphans:
        warnings.append(f"{orphans:,} tool result{'s have' if orphans > 1 else ' has'} no tool call in the database.")
    if not found.messages:
        warnings.append("The session holds no messages.")
    return Session(
        id=draft.id,
        format=name,
        path=path,
        messages=found.messages,
        structure=found.structure,
        source=source,
        title=draft.title or title_of(found.messages),
        project=draft.project,
        model=draft.model or model_of(found.messages),
        system_prompt=draft.system,
        other=tuple(draft.other),
        damage=damage,
        markers=found.markers,
        warnings=tuple(warnings),
    )
