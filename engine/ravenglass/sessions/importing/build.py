"""From an importer's messages to a Session: the steps that every importer ends with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ravenglass.sessions.importing.content.titles import first_words, without_tags
from ravenglass.sessions.model.session import Damage, Message, Span
from ravenglass.sessions.records.reader import Records

_TITLE = 80
"""Characters of the first prompt that stand for a title."""
_NAMED = 5
"""Damaged lines that are named one by one; the rest is counted."""


def title_of(messages: Sequence[Message]) -> str:
    """The first words of a person: of the first prompt that has some, else of the first command, on one line."""
    for kind in ("prompt", "command"):
        for message in messages:
            if message.role == "user" and message.kind == kind:
                words = first_words(message.text) if kind == "prompt" else without_tags(message.text[: 8 * _TITLE])
                if words := " ".join(words[: 8 * _TITLE].split()):
                    return words[:_TITLE]
    return ""


def plain_title(title: str, messages: Sequence[Message]) -> str:
    """A recorded title without the harness's tags; one that is nothing else is the first words of a person."""
    if not title.lstrip().startswith("<"):
        return title
    return " ".join(first_words(title).split())[:_TITLE] or title_of(messages) or without_tags(title)[:_TITLE]


def model_of(messages: Sequence[Message]) -> str | None:
    """The model of most messages, the earliest of equals."""
    names = Counter(message.model for message in messages if message.model)
    return names.most_common(1)[0][0] if names else None


def warnings_of(records: Records, messages: Sequence[Message]) -> tuple[str, ...]:
    """Sentences on everything in the file that could not be read as it should be."""
    found = [*records.warnings, *damage_sentences(records.damage, records.pending)]
    orphans = sum("orphan_result" in message.flags for message in messages)
    if orphans:
        found.append(f"{orphans:,} tool result{'s have' if orphans > 1 else ' has'} no tool call in the file.")
    if not messages:
        found.append("The file holds no messages.")
    return tuple(found)


def damage_sentences(damage: Sequence[Damage], pending: Span | None) -> tuple[str, ...]:
    """What could not be read, in sentences: the first places by name, and a last line that is not finished."""
    found = [_sentence(item) for item in damage[:_NAMED]]
    if len(damage) > _NAMED:
        found.append(f"{len(damage) - _NAMED:,} more places could not be decoded; all other records were read.")
    if pending is not None:
        found.append(f"The last line ({pending.line}) is cut; it is left out until it is complete.")
    return tuple(found)


def _sentence(damage: Damage) -> str:
    size = f", {damage.span.length:,} bytes" if damage.span.length else ""
    return f"Line {damage.span.line} is damaged ({damage.reason}{size}); kept: {damage.kept}."
