"""Checks the claim of an importer after it has read: whether what it made of a file is what the file holds.

An importer claims a file by what its first records look like. Files of other writers can look the same; then most of
their content is of kinds that the importer does not know, or nothing of it arrives in a message.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.importing.build import plain_title
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.holder import Holder
from ravenglass.sessions.importing.importer import Importer
from ravenglass.sessions.model.counts import family, not_understood
from ravenglass.sessions.model.session import Message, Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import kind_of, mapping

_NAMED = 6
"""Kinds of blocks that a sentence names."""


def checked(session: Session, reader: Importer | Holder, *, forced: bool = False) -> Session:
    """The session under a title in a person's words, with a sentence on content blocks of unknown kinds.

    Raises SessionError where the claim does not hold: every message is empty although its record says something,
    or, unless the format was `forced`, most content blocks are of unknown kinds.
    """
    session = replace(session, title=plain_title(session.title, session.messages))
    unknown = not_understood(session)
    known = sum(_known(message) for part in family(session) for message in part.messages)
    messages = sum(len(part.messages) for part in family(session))
    if messages and not known and not unknown and (unread := _unread(session)):
        raise _refused(session.path, reader, f"each of its {messages:,} messages is empty as one ({unread})")
    lost = sum(unknown.values())
    if lost > known and not forced and _unread(session):
        blocks = f"{lost:,} of {lost + known:,} content blocks are of kinds that it does not have"
        raise _refused(session.path, reader, f"{blocks} ({_kinds(unknown)})")
    if not unknown:
        return session
    return replace(session, warnings=(*session.warnings, sentence(unknown)))


def sentence(unknown: dict[str, int]) -> str:
    """What was not understood, for a person."""
    lost = sum(unknown.values())
    blocks = "1 content block is of a kind that is" if lost == 1 else f"{lost:,} content blocks are of kinds that are"
    return f"{blocks} not understood ({_kinds(unknown)}); its text is kept as far as it could be told."


def _known(message: Message) -> int:
    """Blocks of a message that its importer knows; a result and reported usage are one each, whatever they brought."""
    said = sum(not part.unknown for part in message.parts)
    return max(said, message.role == "tool") + len(message.tool_calls) + (message.usage is not None)


def _kinds(unknown: dict[str, int]) -> str:
    named = ", ".join(f"{kind} {count:,}" for kind, count in list(unknown.items())[:_NAMED])
    more = len(unknown) - _NAMED
    return f"{named} and {more:,} more kinds" if more > 0 else named


def _unread(session: Session) -> str:
    """The first record of a message that says something, in words on what it holds; empty where none does."""
    for span in (span for part in family(session) for message in part.messages for span in message.spans):
        try:
            value = decode_value(session.source.read(span))
        except (ValueError, SessionError):
            continue  # nothing can be said of what cannot be read
        if next(told(value), None) is not None:
            inner = mapping(mapping(value).get("message"))
            about = f", its message {kind_of(inner)}" if inner else ""
            return f"line {span.line} holds {kind_of(value)}{about}"
    return ""


def _refused(path: Path, reader: Importer | Holder, why: str) -> SessionError:
    instead = "--format NAME reads it as another one, `ravenglass formats` lists them"
    return SessionError(f"{path} resembles {reader.label}, but {why}; {instead}.", path=str(path), tried=(reader.name,))
