"""What each provider refuses in a request's structure, read from the request alone.

Written from the providers' rules, not from the producers: nothing here is shared with them. Unknown fields are fine.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ravenglass.sessions.records.values import mapping, sequence, text
from ravenglass.trace import Json

_MOST_BREAKPOINTS = 4
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_openai_chat(request: Json) -> Iterator[str]:
    """Calls answered at once and only once, results right behind their call, the history begun by the user."""
    messages = [mapping(m) for m in sequence(request.get("messages"))]
    begun = False
    waiting: Counter[str] = Counter()
    for n, message in enumerate(messages):
        role = message.get("role")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            yield f"message {n} has the role {role!r}"
        if role not in ("system", "developer") and not begun:
            begun = True
            if role != "user":
                yield f"the history begins with message {n}, which is no user's but {role!r}"
        if not isinstance(message.get("content"), str) and not (message.get("content") or message.get("tool_calls")):
            yield f"message {n} has no content"
        if role == "tool":
            call_id = text(message.get("tool_call_id"))
            if waiting[call_id] <= 0:
                yield f"message {n} answers {call_id!r}, which no call right before it has open"
            waiting[call_id] -= 1
            continue
        if +waiting:
            yield f"message {n} comes before the results of {sorted(+waiting)}"
        if "tool_call_id" in message:
            yield f"message {n} is no result, but answers a call"
        if message.get("tool_calls") is not None and (role != "assistant" or not sequence(message["tool_calls"])):
            yield f"message {n} may not have this list of tool calls"
        waiting = Counter()
        for call in map(mapping, sequence(message.get("tool_calls"))):
            waiting[text(call.get("id"))] += 1
            if not isinstance(mapping(call.get("function")).get("arguments"), str):
                yield f"message {n} has a call whose arguments are no text"
    if +waiting:
        yield f"the request ends before the results of {sorted(+waiting)}"
    if not begun:
        yield "the request has no message of a user"


def check_openai_responses(request: Json) -> Iterator[str]:
    """Every call has one output behind it, every reasoning item the item that it belongs to right behind it."""
    items = [mapping(item) for item in sequence(request.get("input"))]
    open_calls: dict[str, int] = {}
    done: set[str] = set()
    for n, item in enumerate(items):
        kind = item.get("type")
        after = items[n + 1] if n + 1 < len(items) else {}
        if kind == "message":
            wanted = "output_text" if item.get("role") == "assistant" else "input_text"
            parts = [mapping(part) for part in sequence(item.get("content"))]
            texts = [p for p in parts if p.get("type") != "input_image" or item.get("role") != "user"]
            if not parts or any(p.get("type") != wanted or not isinstance(p.get("text"), str) for p in texts):
                yield f"item {n}: a message of {item.get('role')!r} holds {wanted} parts, and at least one"
        elif kind == "reasoning":
            own = after.get("type") == "function_call" or (
                after.get("type") == "message" and after.get("role") == "assistant"
            )
            if not own:
                yield f"item {n}: the reasoning is not followed by the item that it belongs to"
            if not text(item.get("id")):
                yield f"item {n}: the reasoning has no id"
        elif kind == "function_call":
            call_id = text(item.get("call_id"))
            if not call_id or call_id in open_calls or call_id in done:
                yield f"item {n}: the call id {call_id!r} is empty or used before"
            if not _NAME.fullmatch(text(item.get("name"))):
                yield f"item {n}: {item.get('name')!r} is no function name"
            if not isinstance(item.get("arguments"), str):
                yield f"item {n}: arguments have to be a text"
            open_calls[call_id] = n
        elif kind == "function_call_output":
            call_id = text(item.get("call_id"))
            if open_calls.pop(call_id, None) is None:
                yield f"item {n}: there is no open call {call_id!r}"
            done.add(call_id)
            if not isinstance(item.get("output"), str):
                yield f"item {n}: the output has to be a text"
        else:
            yield f"item {n} is of the unknown type {kind!r}"
        if open_calls and kind in ("message", "reasoning"):
            yield f"item {n} stands between a call and its output"
    for call_id, n in open_calls.items():
        yield f"item {n}: the call {call_id!r} has no output"
    first = next((i for i in items if mapping(i).get("role") not in ("system", "developer")), None)
    if first is None or first.get("type") != "message" or first.get("role") != "user":
        yield "the conversation does not begin with a user's message"


def check_anthropic(request: Json) -> Iterator[str]:
    """Roles alternate from user on, results open the message behind their calls, no empty text, no thinking last."""
    messages = [mapping(m) for m in sequence(request.get("messages"))]
    yield from _breakpoints(request)
    for part in map(mapping, sequence(request.get("system"))):
        if part.get("type") != "text" or not text(part.get("text")).strip():
            yield "the system text holds a block without text"
    if not messages:
        yield "the request has no message"
    seen: set[str] = set()
    asked: set[str] = set()
    for n, message in enumerate(messages):
        role, content = message.get("role"), [mapping(b) for b in sequence(message.get("content"))]
        if role != ("user", "assistant")[n % 2]:
            yield f"message {n} has the role {role!r}; roles alternate from user on"
        if not content:
            yield f"message {n} has no content"
        kinds = [block.get("type") for block in content]
        answered = [text(b.get("tool_use_id")) for b in content if b.get("type") == "tool_result"]
        if sorted(answered) != sorted(asked):
            yield f"message {n} answers {sorted(answered)}, but {sorted(asked)} were asked for"
        if "tool_result" in kinds and (role != "user" or "tool_result" in kinds[len(answered) :]):
            yield f"message {n}: results come first, in a user's message"
        allowed = {
            "user": {"text", "image", "tool_result"},
            "assistant": {"text", "thinking", "redacted_thinking", "tool_use"},
        }.get(str(role), set())
        if not set(kinds) <= allowed:
            yield f"message {n} of {role!r} may not hold {sorted(map(str, set(kinds) - allowed))}"
        if kinds and kinds[-1] in ("thinking", "redacted_thinking"):
            yield f"message {n} ends with thinking"
        asked = set()
        for block in content:
            yield from (f"message {n}: {problem}" for problem in _anthropic_block(block, seen, asked))
    if asked:
        yield f"the request ends before the results of {sorted(asked)}"
    if messages and messages[-1].get("role") == "assistant":
        last = mapping((sequence(messages[-1].get("content")) or [None])[-1])
        if text(last.get("text")) != text(last.get("text")).rstrip():
            yield "the last assistant text ends in blanks"


def _breakpoints(request: Json) -> Iterator[str]:
    """At most four cache breakpoints, the automatic one at the top included, none on thinking."""
    blocks = [mapping(part) for name in ("tools", "system") for part in sequence(request.get(name))]
    for message in map(mapping, sequence(request.get("messages"))):
        blocks += map(mapping, sequence(message.get("content")))
    marked = [block for block in (request, *blocks) if "cache_control" in block]
    if len(marked) > _MOST_BREAKPOINTS:
        yield f"the request has {len(marked)} cache breakpoints; at most {_MOST_BREAKPOINTS} are taken"
    for block in marked:
        control = mapping(block["cache_control"])
        if control.get("type") != "ephemeral" or control.get("ttl", "5m") not in ("5m", "1h"):
            yield f"{control} is no cache control"
        if block.get("type") in ("thinking", "redacted_thinking"):
            yield "a thinking block has a cache breakpoint"


def _anthropic_block(block: Json, seen: set[str], asked: set[str]) -> Iterator[str]:
    kind = block.get("type")
    if kind == "text" and not text(block.get("text")).strip():
        yield "a text block is empty"
    if kind == "thinking" and not (text(block.get("thinking")) and isinstance(block.get("signature"), str)):
        yield "a thinking block has no thinking or no signature"
    if kind == "tool_use":
        call_id = text(block.get("id"))
        if not _NAME.fullmatch(call_id) or call_id in seen:
            yield f"the tool_use id {call_id!r} is no id or was used before"
        if not _NAME.fullmatch(text(block.get("name"))):
            yield f"{block.get('name')!r} is no tool name"
        if not isinstance(block.get("input"), dict):
            yield "the input of a tool_use is no object"
        seen.add(call_id)
        asked.add(call_id)
    if kind == "tool_result" and not isinstance(block.get("content"), str | list):
        yield "a tool_result has no content"


def check_gemini(request: Json) -> Iterator[str]:
    """Calls come right behind a user's turn or responses, and the next content answers all of them and nothing else."""
    contents = [mapping(c) for c in sequence(request.get("contents"))]
    if not contents or contents[0].get("role") != "user":
        yield "the contents do not begin with a user's"
    asked: list[tuple[str, str]] = []
    for n, content in enumerate(contents):
        role, parts = content.get("role"), [mapping(p) for p in sequence(content.get("parts"))]
        if role not in ("user", "model"):
            yield f"content {n} has the role {role!r}"
        if not parts:
            yield f"content {n} has no parts"
        answers = [mapping(p["functionResponse"]) for p in parts if "functionResponse" in p]
        if sorted((text(a.get("id")), text(a.get("name"))) for a in answers) != sorted(asked):
            yield f"content {n} does not answer exactly the calls before it"
        if answers and (role != "user" or len(answers) != len(parts)):
            yield f"content {n}: responses stand alone, in a user's content"
        if any(not isinstance(a.get("response"), dict) for a in answers):
            yield f"content {n}: a response is no object"
        calls = [mapping(p["functionCall"]) for p in parts if "functionCall" in p]
        if calls and (role != "model" or n == 0 or contents[n - 1].get("role") != "user"):
            yield f"content {n}: calls come right behind a user's content"
        for call in calls:
            if not _NAME.fullmatch(text(call.get("name"))) or not isinstance(call.get("args"), dict):
                yield f"content {n}: a call has no name or no object of arguments"
        for part in parts:
            if (
                not {"functionCall", "functionResponse", "inlineData"} & part.keys()
                and not text(part.get("text")).strip()
            ):
                yield f"content {n} has a part without text"
        asked = [(text(c.get("id")), text(c.get("name"))) for c in calls]
    if asked:
        yield "the contents end before the responses to the last calls"
