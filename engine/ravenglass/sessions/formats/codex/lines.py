"""What one line of a Codex rollout is: an item of the conversation, the mirror of one, or a sign of what happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from ravenglass.sessions.formats.codex.usage import RolloutTokens, tokens_of
from ravenglass.sessions.importing.responses.items import ResponsesItem, digest, is_item, read_item
from ravenglass.sessions.model.session import Part, Span
from ravenglass.sessions.records.decode import Record
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, dump, kind_of, mapping, sequence, text, text_or_none

TYPES = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication",
        "inter_agent_communication_metadata",
    }
)


@dataclass(frozen=True, slots=True)
class Meta:
    """The session's own description; a fork has its parent's behind it."""

    id: str | None
    created: float | None
    cwd: str
    parent: str | None
    """Thread that started this one as a sub-agent."""
    forked_from: str | None
    start: int | None
    """Ordinal of the first record that is no copy of the parent's."""
    path: str
    nickname: str
    system_prompt: str | None
    tools: str | None

    @property
    def inherits(self) -> bool:
        return self.parent is not None or self.forked_from is not None or self.start is not None


@dataclass(frozen=True, slots=True)
class RolloutTurn:
    """A turn begins, or (with `model`, `cwd`) says what its next request is made with."""

    id: str | None
    model: str | None = None
    cwd: str = ""
    begins: bool = False


@dataclass(frozen=True, slots=True)
class Mirror:
    """An event that says again what an item says."""

    kind: Literal["user", "assistant", "reasoning"]
    digest: str
    item: ResponsesItem
    """What it becomes where no item says the same."""
    only_mirror: bool = False
    """It never stands alone."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """The window was replaced. The items are read from the record's bytes when they are needed."""

    message: str
    listed: bool


@dataclass(frozen=True, slots=True)
class RolloutRollback:
    turns: int


@dataclass(frozen=True, slots=True)
class Spawned:
    """A tool call started a sub-agent."""

    call: str
    thread: str


@dataclass(frozen=True, slots=True)
class Named:
    title: str


@dataclass(frozen=True, slots=True)
class Sign:
    """Something without figures."""

    kind: Literal["aborted", "ended", "context_compacted"]


What = (
    ResponsesItem
    | Mirror
    | Meta
    | RolloutTurn
    | Compacted
    | RolloutRollback
    | Spawned
    | Named
    | Sign
    | RolloutTokens
    | None
)


@dataclass(frozen=True, slots=True)
class RolloutLine:
    span: Span
    label: str
    ts: float | None
    ordinal: int | None
    what: What
    digests: frozenset[str] = frozenset()
    """Of a message, a reasoning item or a mirror of one: its whole text and each part's."""


def codex_line(record: Record) -> RolloutLine:
    """Name what the record holds; what is unknown has only its label."""
    value = mapping(record.value)
    kind, payload = _envelope(value)
    label = f"{kind}/{inner}" if (inner := text(payload.get("type"))) and kind != inner else kind
    if not isinstance(record.value, dict):
        label = f"{kind_of(record.value)}, no record"
    what = _what(kind, payload, record.span)
    ts = seconds(value.get("timestamp"))
    ordinal = count(value.get("ordinal"))
    return RolloutLine(record.span, label or "record without a type", ts, ordinal, what, _digests(what))


def is_codex(value: object) -> bool:
    """Whether the value is a record that only Codex writes."""
    found = mapping(value)
    return "payload" in found and text(found.get("type")) in TYPES


def is_legacy(value: object) -> bool:
    """Whether the value is a first line or a state line as written up to September 2025."""
    found = mapping(value)
    return "record_type" in found or ("instructions" in found and {"id", "timestamp"} <= found.keys())


def _digests(what: What) -> frozenset[str]:
    if isinstance(what, Mirror):
        return frozenset({what.digest})
    if not isinstance(what, ResponsesItem) or what.type not in ("message", "reasoning"):
        return frozenset()
    words = [part.text for part in what.parts if part.kind in ("text", "thinking")]
    return frozenset({digest("\n".join(words).strip()), *(digest(word.strip()) for word in words)})


def _envelope(value: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Type and payload; old rollouts write the payload bare."""
    kind = text(value.get("type"))
    if "payload" in value:
        return kind, mapping(value.get("payload"))
    if "record_type" in value:
        return text(value.get("record_type")), {}
    if "instructions" in value and "id" in value:
        return "session_meta", value
    return ("response_item", value) if is_item(value) or kind == "message" else (kind, {})


def _what(kind: str, payload: dict[str, Any], span: Span) -> What:
    if kind == "response_item":
        item = read_item(payload, str(span.offset))
        return None if item is not None and item.type == "compaction" else item
    if kind == "event_msg":
        return _event(payload)
    if kind == "session_meta":
        return _meta(payload)
    if kind == "turn_context":
        return RolloutTurn(
            text_or_none(payload.get("turn_id")), text_or_none(payload.get("model")), text(payload.get("cwd"))
        )
    if kind == "compacted":
        return Compacted(text(payload.get("message")), isinstance(payload.get("replacement_history"), list))
    if kind == "inter_agent_communication" and "content" in payload:
        return read_item({**payload, "type": "agent_message"}, str(span.offset))
    return None


def _event(payload: dict[str, Any]) -> What:
    kind = text(payload.get("type"))
    if kind in _SPOKEN:
        return _mirror(_SPOKEN[kind], text(payload.get("message")) or text(payload.get("text")), payload)
    if kind == "item_completed":
        return _completed(mapping(payload.get("item")))
    if kind == "token_count":
        return tokens_of(payload.get("info"))
    if kind in ("task_started", "turn_started"):
        return RolloutTurn(text_or_none(payload.get("turn_id")), begins=True)
    if kind == "thread_rolled_back":
        return RolloutRollback(count(payload.get("num_turns")) or 0)
    if kind == "thread_name_updated":
        return Named(text(payload.get("thread_name")) or text(payload.get("name")))
    if kind == "sub_agent_activity" and payload.get("kind") != "started":
        return None
    if kind in ("sub_agent_activity", "collab_agent_spawn_end"):
        call = text_or_none(payload.get("call_id")) or text_or_none(payload.get("event_id"))
        thread = text_or_none(payload.get("new_thread_id")) or text_or_none(payload.get("agent_thread_id"))
        return Spawned(call, thread) if call and thread else None
    return _SIGNS.get(kind)


def _mirror(
    kind: Literal["user", "assistant", "reasoning"], words: str, payload: dict[str, Any], *, only: bool = False
) -> Mirror:
    blobs = [*sequence(payload.get("images")), *sequence(payload.get("local_images"))]
    shown = tuple(Part("thinking" if kind == "reasoning" else "text", word) for word in (words,) if word)
    shown += tuple(Part("image", "[image]") for _ in blobs)
    role: Literal["user", "assistant"] = "user" if kind == "user" else "assistant"
    type_ = "reasoning" if kind == "reasoning" else "message"
    name = digest(words.strip())
    return Mirror(
        kind, name, ResponsesItem(type_, role, shown, kind="prompt" if kind == "user" else "ordinary", key=name), only
    )


def _completed(item: dict[str, Any]) -> Mirror | None:
    kind = _COMPLETED.get(text(item.get("type")))
    if kind is None:
        return None
    blocks = item.get("summary_text") if kind == "reasoning" else item.get("content")
    words = [block if isinstance(block, str) else text(mapping(block).get("text")) for block in sequence(blocks)]
    return _mirror(kind, "\n".join(word for word in words if word), {}, only=True)


def _meta(payload: dict[str, Any]) -> Meta:
    spawn = mapping(mapping(mapping(payload.get("source")).get("subagent")).get("thread_spawn"))
    prompt = text(mapping(payload.get("base_instructions")).get("text")) or text(payload.get("base_instructions"))
    tools = payload.get("dynamic_tools")
    start = count(payload.get("subagent_history_start_ordinal"))
    if start is None:
        start = count(mapping(payload.get("history_base")).get("end_ordinal_exclusive"))
    return Meta(
        id=text_or_none(payload.get("id")) or text_or_none(payload.get("session_id")),
        created=seconds(payload.get("timestamp")),
        cwd=text(payload.get("cwd")),
        parent=text_or_none(payload.get("parent_thread_id")) or text_or_none(spawn.get("parent_thread_id")),
        forked_from=text_or_none(payload.get("forked_from_id")),
        start=start,
        path=text(payload.get("agent_path")) or text(spawn.get("agent_path")),
        nickname=text(payload.get("agent_nickname")) or text(spawn.get("agent_nickname")),
        system_prompt=prompt or text_or_none(payload.get("instructions")),
        tools=dump(tools) if isinstance(tools, (list, dict)) and tools else None,
    )


_SPOKEN: dict[str, Literal["user", "assistant", "reasoning"]] = {
    "user_message": "user",
    "agent_message": "assistant",
    "agent_reasoning": "reasoning",
    "agent_reasoning_raw_content": "reasoning",
}
_COMPLETED: dict[str, Literal["user", "assistant", "reasoning"]] = {
    "UserMessage": "user",
    "AgentMessage": "assistant",
    "Reasoning": "reasoning",
}
_SIGNS = {
    "turn_aborted": Sign("aborted"),
    "task_complete": Sign("ended"),
    "turn_complete": Sign("ended"),
    "context_compacted": Sign("context_compacted"),
}
