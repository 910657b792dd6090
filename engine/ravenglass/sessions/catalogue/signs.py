"""The light table of what a file must show for a format to be asked at all: most formats are never imported.

A sign is necessary, not sufficient: where none of a format's signs is there, its importer says 0 of the file; where one
is, the importer itself is asked. Signs are words of single objects: the records, and the objects in them where a record
is a list. The words of an object are its keys (`role`), its type (`type=user`), the same of what stands right inside of
it (`content.type=tool_use`, for an object as for each of a list), and where it stands (`@json`, `@listed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ravenglass.sessions.importing.importer import Head, Importer

_LISTED = 1_000
"""Objects of a list that are looked at: as many as the importer that looks at most."""

_CHAT = ("user", "gemini", "model", "assistant", "info", "error", "warning")
_LISTS = ("messages", "history")
_SAID = ("content", "parts", "toolCalls")

SIGNS: dict[str, tuple[str, ...]] = {
    "claude-code": (
        "parentUuid",
        "sessionId uuid",
        "type=summary leafUuid",
        "type=file-history-snapshot",
        "type=queue-operation",
        "type=last-prompt",
        "type=custom-title",
        "type=ai-title",
        "type=permission-mode",
    ),
    "qwen-code": ("uuid sessionId type message.parts", "uuid sessionId type subtype"),
    "claude-stream": (
        "session_id type parent_tool_use_id",
        "session_id type=system subtype tools",
        "session_id type=result num_turns",
        "session_id type=result total_cost_usd",
    ),
    "cursor-stream": ("type=tool_call tool_call", "type=system subtype apiKeySource"),
    "gemini-stream": ("type=tool_use tool_id", "type=tool_result tool_id", "type=init session_id model"),
    "codex-stream": (
        "type=thread.started",
        "type=turn.started",
        "type=turn.completed",
        "type=turn.failed",
        "type=item.started",
        "type=item.updated",
        "type=item.completed",
    ),
    "droid": ("type=session_start id", "type=message id message.role message.content"),
    "goose": (
        "working_dir",
        "role content.type=toolRequest",
        "role content.type=frontendToolRequest",
        "role content.type=toolResponse",
    ),
    "amp": ("v messages",),
    "continue": ("sessionId history",),
    "hermes": ("session_id messages",),
    "vscode-chat": ("requests", "kind v", "kind k"),
    "codex": ("payload type", "record_type", "instructions id timestamp"),
    "raven": ("_type", "role timestamp"),
    "gemini-cli": (
        "sessionId projectHash",
        "$rewindTo",
        "role parts",
        *(f"id type={kind} {said}" for kind in _CHAT for said in _SAID),
        *(f"{at}.id {at}.type={kind} {at}.{said}" for at in _LISTS for kind in _CHAT for said in _SAID),
        *(f"{at}.role {at}.parts" for at in _LISTS),
    ),
    "pi": ("type=session id", "type=message message.role"),
    "atif": ("schema_version steps", "step_id source"),
    "inspect": ("eval status version", "id epoch input", "run_id task_id dataset"),
    "otel": ("resourceSpans", "resourceLogs", "name traceId spanId", "name context.span_id"),
    "swe-agent": (
        "history",
        "trajectory",
        "attempts",
        *(f"role content {mark} @json" for mark in ("agent", "is_demo", "message_type", "thought")),
        *(f"observation {mark} @json" for mark in ("action", "response", "thought")),
    ),
    "mini-swe-agent": (
        "info.mini_version",
        "trajectory_format",
        "messages.role",
        "messages.extra",
        *(f"{mark} {where}" for mark in ("role", "extra") for where in ("@json", "@listed")),
    ),
    "opencode": ("info messages", "info.role parts"),
    "openhands": (
        "kind",
        "source action",
        "source observation",
        "actorType type",
        "history",
        "trajectory",
        "events",
        "entries",
    ),
    "gemini-api": ("contents", "request"),
    "anthropic-messages": (
        "request response",
        "type=message role content",
        "messages system",
        "messages tools",
        "messages.content",
        *(
            f"role content.type={kind}"
            for kind in ("tool_use", "tool_result", "redacted_thinking", "server_tool_use", "mcp_tool_use")
        ),
        "role content.thinking content.signature",
    ),
    "openai-responses": (
        "input",
        "output",
        "request",
        "response",
        *(f"type=message role content.type={kind}" for kind in ("input_text", "output_text", "input_image")),
        "type=reasoning summary",
        "type=reasoning encrypted_content",
        *(f"type={kind}" for kind in ("function_call", "function_call_output", "custom_tool_call")),
        *(f"type={kind}" for kind in ("custom_tool_call_output", "local_shell_call", "web_search_call")),
        *(f"type={kind}" for kind in ("item_reference", "compaction")),
    ),
    "openai-chat": (
        "role content",
        "role tool_calls",
        "role function_call",
        "messages",
        "request response",
    ),
}
"""Name of an importer -> its signs, of which a file of this format has at least one; each is words that stand in one
object."""

_ASKED: dict[str, tuple[frozenset[str], ...]] = {
    name: tuple(frozenset(sign.split()) for sign in signs) for name, signs in SIGNS.items()
}


def likely(head: Head, importers: Sequence[Importer]) -> tuple[Importer, ...]:
    """Those of the importers that may say more than 0 of a file, in their order. One without signs always may."""
    shown = {frozenset(_words(value, where)) for value, where in _objects(head)}
    return tuple(
        importer
        for importer in importers
        if (signs := _ASKED.get(importer.name)) is None or any(sign <= words for sign in signs for words in shown)
    )


def _objects(head: Head) -> Iterator[tuple[dict[str, object], tuple[str, ...]]]:
    """Every object that is a record, or stands in a record that is a list or a list of lists; and where."""
    here = ("@json",) if head.container == "json" else ()
    for record in head.records:
        if isinstance(record, dict):
            yield record, here
        elif isinstance(record, list):
            inner = (one for item in record[:_LISTED] for one in (item if isinstance(item, list) else (item,)))
            yield from ((value, (*here, "@listed")) for value in inner if isinstance(value, dict))


def _words(value: dict[str, object], where: tuple[str, ...]) -> Iterator[str]:
    yield from where
    yield from _own(value, "")
    for key, inside in value.items():
        if isinstance(inside, dict):
            yield from _own(inside, f"{key}.")
        elif isinstance(inside, list):
            for item in inside:
                if isinstance(item, dict):
                    yield from _own(item, f"{key}.")


def _own(value: dict[str, object], before: str) -> Iterator[str]:
    for key, inside in value.items():
        yield f"{before}{key}"
        if key == "type" and isinstance(inside, str):
            yield f"{before}type={inside}"
