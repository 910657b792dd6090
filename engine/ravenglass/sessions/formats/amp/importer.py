"""Imports Amp threads: one JSON document with messages in Anthropic's blocks, whose results are runs."""

from __future__ import annotations

from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.importing.turns import Turns, usage_sum
from ravenglass.sessions.model.session import OtherRecord, Session, Usage
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, kind_of, mapping, sequence, text, text_or_none

_KNOWN = ("v", "id", "created", "title", "messages")


class Amp:
    """Amp: `~/.local/share/amp/threads/`."""

    name = "amp"
    label = "Amp thread (JSON)"
    description = (
        "Maps messages with thinking, tool calls, results of runs, times, and the usage of every answer; keeps the "
        "environment and other fields of the thread, and values that are no message, as other records."
    )

    def sniff(self, head: Head) -> float:
        """1 for a thread: an id, a version, and messages numbered by `messageId` or an id beginning with `T-`."""
        return 1.0 if any(_is_thread(record) for record in head.records) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The document is one session."""
        return _Reading(records)


def _is_thread(record: object) -> bool:
    fields = mapping(record)
    messages = sequence(fields.get("messages"))
    named = text(fields.get("id")).startswith("T-") and "v" in fields and isinstance(fields.get("messages"), list)
    return named or ("v" in fields and any("messageId" in mapping(item) for item in messages[:20]))


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._turns = Turns()
        self._draft = SessionDraft()

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        fields = found.object
        if isinstance(fields.get("messages"), list):
            self._draft.id = text(fields.get("id"))
            self._draft.title = text(fields.get("title"))
            self._draft.project = _project(fields)
            for item in found.elements("messages"):
                self._message(item)
            self._draft.other += found.others(*_KNOWN)
        elif "role" in fields:  # what is left of a damaged document
            self._message(found)
        else:
            self._draft.other.append(OtherRecord(kind_of(record.value), record.span))

    def _message(self, item: Located) -> None:
        fields = item.object
        role = text(fields.get("role"))
        if role not in ("user", "assistant", "system"):
            self._draft.other.append(OtherRecord(f"role {role}" if role else kind_of(item.value), item.span))
            return
        usage = mapping(fields.get("usage"))
        if role == "assistant":
            self._turns.close()
        ts = seconds(mapping(fields.get("meta")).get("sentAt")) or seconds(usage.get("timestamp"))
        number = fields.get("messageId")
        source = str(number) if isinstance(number, int) else text_or_none(number)
        model = text_or_none(usage.get("model"))
        self._turns.blocks(
            "assistant" if role == "assistant" else "system" if role == "system" else "user",
            fields.get("content"), item.span, ts, source_id=source, model=model, usage=_usage(usage),
        )  # fmt: skip
        state = mapping(fields.get("state")).get("type")
        if role == "assistant" and state in ("cancelled", "streaming"):
            self._turns.drafts[-1].flags |= {"interrupted"}

    def session(self) -> Session:
        self._draft.id = self._draft.id or stem(self._records.opened.path)
        self._draft.messages = self._turns.messages()
        return assembled(self._draft, Amp.name, self._records)


def _usage(value: dict[str, object]) -> Usage | None:
    found = usage_sum(value, "inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens")
    total = count(value.get("totalInputTokens"))
    if found is None or not total:
        return found
    return Usage(total, found.output, found.cache_read, found.cache_write)


def _project(fields: dict[str, object]) -> str:
    trees = sequence(mapping(mapping(fields.get("env")).get("initial")).get("trees"))
    place = next((text(mapping(tree).get("uri")) for tree in trees if text(mapping(tree).get("uri"))), "")
    return place.removeprefix("file://")
