"""One item of OpenAI's Responses API, which Codex rollouts consist of as well: its parts, calls or result."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.responses.kinds import user_kind
from ravenglass.sessions.model.session import Kind, Part, Role, ToolCall
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import dump, mapping, sequence, text, text_or_none

_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "developer": "developer", "system": "system"}
_ENVELOPE = 631
"""Bytes that encrypted reasoning holds besides what was thought. Measured on 305 responses with one such item against
the reasoning tokens reported for them: bytes = 631 + 4.87 a token, r² 0.998."""
_SEAL = "gAAAA"
"""How encrypted text begins."""
_BLOCKS = {"input_text", "output_text", "input_image"}
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
"""How Codex reports a command's end in the text of its result."""
_REPORT = 400
"""Characters at the start of a result in which that stands."""


@dataclass(frozen=True, slots=True)
class ResponsesItem:
    """An item of a conversation; several consecutive ones of the assistant make one message."""

    type: str
    role: Role
    parts: tuple[Part, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    """Of a result: the call that it answers."""
    is_error: bool = False
    id: str | None = None
    """The item's own id, which is not its `call_id`."""
    kind: Kind = "ordinary"
    hidden: int = 0
    """Characters of reasoning that only the provider can read."""
    key: str = ""
    """Equal for two copies of the same item, whatever ids they carry."""


def read_item(value: dict[str, Any], place: str) -> ResponsesItem | None:
    """The item, or None where the value is none that has a place in the conversation.

    `place` makes ids for calls that have none, so it must be different for every item of a file.
    """
    kind = text(value.get("type")) or ("message" if "role" in value else "")
    reader = _READERS.get(kind)
    item = reader(value) if reader is not None else None
    if item is None or not item.calls or item.calls[0].id:
        return item
    return replace(item, calls=tuple(ToolCall(f"call-{place}", call.name, call.arguments) for call in item.calls))


def is_item(value: object) -> bool:
    """Whether the value has the type of an item that can be nothing else."""
    found = mapping(value)
    kind = found.get("type")
    if kind == "message":
        blocks = {text(mapping(block).get("type")) for block in sequence(found.get("content"))}
        return text(found.get("role")) in _ROLES and bool(blocks & _BLOCKS)
    return isinstance(kind, str) and kind in _MARKS and bool(_MARKS[kind] & found.keys())


def item_key(value: dict[str, Any]) -> str:
    """Equal for two copies of the same item."""
    kind = text(value.get("type")) or "message"
    if (call := text_or_none(value.get("call_id"))) is not None:
        return f"{kind}:{call}"
    inner = [value.get(name) for name in ("role", "content", "summary", "encrypted_content", "action", "author")]
    if isinstance(inner[1], str):
        inner[1] = [inner[1]]
    elif isinstance(inner[1], list):
        inner[1] = [_block_key(block) for block in inner[1]]
    return f"{kind}:{digest(dump(inner))}"


def digest(words: str) -> str:
    """A short name for a text."""
    return hashlib.blake2b(words.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _block_key(block: object) -> object:
    found = mapping(block)
    return found["text"] if isinstance(found.get("text"), str) else block


def _message(value: dict[str, Any]) -> ResponsesItem | None:
    role = _ROLES.get(text(value.get("role")))
    if role is None:
        return None
    parts = parts_of(value.get("content"))
    kind = user_kind(parts) if role == "user" else "ordinary"
    return ResponsesItem("message", role, parts, id=text_or_none(value.get("id")), kind=kind, key=item_key(value))


def _reasoning(value: dict[str, Any]) -> ResponsesItem:
    """Summaries and raw reasoning as thinking; of what is encrypted only its length."""
    blocks = [*sequence(value.get("summary")), *sequence(value.get("content"))]
    words = [block if isinstance(block, str) else text(mapping(block).get("text")) for block in blocks]
    parts = [Part("thinking", word) for word in words if word]
    sealed = text(value.get("encrypted_content"))
    if sealed:
        parts.append(Part("thinking", f"[reasoning, encrypted, {len(sealed):,} bytes]"))
    hidden = max(0, len(sealed) * 3 // 4 - _ENVELOPE - sum(map(len, words)))
    own = text_or_none(value.get("id"))
    return ResponsesItem("reasoning", "assistant", tuple(parts), id=own, hidden=hidden, key=item_key(value))


def _call(value: dict[str, Any]) -> ResponsesItem:
    given = value.get("arguments", value.get("input"))
    return _called(value, _name(value), _unsealed(given) if isinstance(given, str) and _SEAL in given else given)


def _unsealed(given: str) -> str:
    """Arguments without what the provider encrypted in them, such as a sub-agent's task: only its length is told."""
    try:
        found = mapping(decode_value(given.encode("utf-8", "surrogatepass")))
    except ValueError:
        return given
    sealed = {key: text(value) for key, value in found.items() if text(value).startswith(_SEAL)}
    told = {key: f"[encrypted, {len(value):,} bytes]" for key, value in sealed.items()}
    return dump({**found, **told}) if told else given


def _local_shell(value: dict[str, Any]) -> ResponsesItem:
    return _called(value, "local_shell", value.get("action"))


def _tool_search(value: dict[str, Any]) -> ResponsesItem:
    if text_or_none(value.get("call_id")) is None:
        return _server_tool(value)  # run by the provider: nothing answers it
    return _called(value, "tool_search", value.get("arguments"))


def _called(value: dict[str, Any], name: str, given: object) -> ResponsesItem:
    own = text_or_none(value.get("id"))
    call_id = text_or_none(value.get("call_id")) or own or ""
    arguments = given if isinstance(given, str) else "" if given is None else dump(given)
    return ResponsesItem(
        text(value.get("type")), "assistant", calls=(ToolCall(call_id, name, arguments),), id=own, key=item_key(value)
    )


def _name(value: dict[str, Any]) -> str:
    name, space = text(value.get("name")), text(value.get("namespace"))
    if not space or name.startswith(space):
        return name
    return space + name if space.endswith("__") else f"{space}.{name}"


def _output(value: dict[str, Any]) -> ResponsesItem:
    given = value.get("output")
    found = mapping(given)
    failed = found.get("success") is False or value.get("status") == "failed"
    if found and "type" not in found:
        inner = found.get("content", found.get("output"))
        given = inner if isinstance(inner, (str, list)) else dump(found)
    parts = parts_of(given)
    failed = failed or (isinstance(given, str) and _failed(given)) or any(_exit(part.text) for part in parts[:1])
    return _answer(value, parts, is_error=failed)


def _search_output(value: dict[str, Any]) -> ResponsesItem:
    if text_or_none(value.get("call_id")) is None:
        return _server_tool(value)
    return _answer(value, parts_of(dump(value.get("tools"))), is_error=False)


def _answer(value: dict[str, Any], parts: tuple[Part, ...], *, is_error: bool) -> ResponsesItem:
    call = text_or_none(value.get("call_id"))
    own = text_or_none(value.get("id"))
    return ResponsesItem(text(value.get("type")), "tool", parts, (), call, is_error, own, key=item_key(value))


def _failed(words: str) -> bool:
    """Whether a result says that it failed; it may be JSON with the exit code beside the output."""
    if words.startswith('{"') and '"metadata"' in words:
        try:
            code = mapping(mapping(decode_value(words.encode("utf-8", "surrogatepass"))).get("metadata"))
        except ValueError:
            return False
        return code.get("exit_code") not in (None, 0)
    return False


def _exit(words: str) -> bool:
    found = _EXIT.search(words[:_REPORT])
    return found is not None and found.group(1) != "0"


def _server_tool(value: dict[str, Any]) -> ResponsesItem:
    """A tool that the provider runs itself inside the response: no call of ours, and nothing answers it."""
    name = text(value.get("type")).removesuffix("_call")
    what = next((value[key] for key in ("action", "queries", "arguments", "code", "tools") if value.get(key)), None)
    shown = f"[{name}]" if what is None else f"[{name} {what if isinstance(what, str) else dump(what)}]"
    parts = (Part("other", shown),)
    return ResponsesItem(
        text(value.get("type")), "assistant", parts, id=text_or_none(value.get("id")), key=item_key(value)
    )


def _image(value: dict[str, Any]) -> ResponsesItem:
    data = text(value.get("result"))
    words = f"[image, {len(data) * 3 // 4:,} bytes]" if data else "[image]"
    asked = text(value.get("revised_prompt"))
    parts = (Part("image", words), *parts_of(asked and f"[image_generation {asked}]"))
    return ResponsesItem(
        "image_generation_call", "assistant", parts, id=text_or_none(value.get("id")), key=item_key(value)
    )


def _agent_message(value: dict[str, Any]) -> ResponsesItem:
    """A message from one agent to another, which the receiving model reads as it reads a user's."""
    way = f"[{text(value.get('author')) or 'agent'} -> {text(value.get('recipient')) or 'agent'}]"
    parts = (Part("text", way), *parts_of(value.get("content")))
    return ResponsesItem(
        "agent_message", "user", parts, id=text_or_none(value.get("id")), kind="meta", key=item_key(value)
    )


def _compaction(value: dict[str, Any]) -> ResponsesItem:
    """What stands for the conversation before; only its length can be read."""
    sealed = text(value.get("encrypted_content"))
    parts = (Part("other", f"[compaction, encrypted, {len(sealed):,} bytes]"),)
    return ResponsesItem(
        "compaction", "user", parts, id=text_or_none(value.get("id")), kind="summary", key=item_key(value)
    )


def _reference(value: dict[str, Any]) -> ResponsesItem | None:
    """An item that only the provider still has: it was in the window, its text is not in the file."""
    named = text_or_none(value.get("id"))
    parts = (Part("other", f"[item {named}, kept by the provider]"),)
    return ResponsesItem("item_reference", "assistant", parts, id=named, key=f"item:{named}") if named else None


_READERS: dict[str, Callable[[dict[str, Any]], ResponsesItem | None]] = {
    "message": _message,
    "reasoning": _reasoning,
    "function_call": _call,
    "custom_tool_call": _call,
    "local_shell_call": _local_shell,
    "tool_search_call": _tool_search,
    "computer_call": _local_shell,
    "function_call_output": _output,
    "custom_tool_call_output": _output,
    "local_shell_call_output": _output,
    "computer_call_output": _output,
    "tool_search_output": _search_output,
    "web_search_call": _server_tool,
    "file_search_call": _server_tool,
    "code_interpreter_call": _server_tool,
    "mcp_call": _server_tool,
    "image_generation_call": _image,
    "agent_message": _agent_message,
    "compaction": _compaction,
    "compaction_summary": _compaction,
    "item_reference": _reference,
}

_MARKS: dict[str, set[str]] = {
    "reasoning": {"summary", "encrypted_content"},
    "function_call": {"call_id", "arguments", "name"},
    "function_call_output": {"call_id", "output"},
    "custom_tool_call": {"call_id", "input"},
    "custom_tool_call_output": {"call_id", "output"},
    "local_shell_call": {"call_id", "action"},
    "web_search_call": {"action", "status"},
    "item_reference": {"id"},
    "compaction": {"encrypted_content"},
}
"""Types that name an item, each with the keys of which it has at least one."""
