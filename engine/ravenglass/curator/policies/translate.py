"""Tool calls of the reference implementation's curator in the words of ours. Ours pass unchanged. Never fails.

The tools are the same eight; some arguments are named otherwise, and one call that sets several relevances becomes
several. Arguments that ours does not have (tags, summaries, memory sections) have no effect there either, and go.
"""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.curator.plan import BUILD_CONTEXT
from ravenglass.curator.tools import TOOLS
from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.trace import Json

_RENAMED: dict[str, dict[str, str]] = {
    "curator_search_history": {"top_k": "limit"},
    "curator_check_budget": {"include_message_ids": "message_ids"},
    "curator_retrieve_archived": {"archive_refs": "refs"},
}


def translated(tool: str, arguments: Json, result: Json) -> Iterator[Json]:
    """The arguments of one logged call as ours takes them: one set, or several. `result` is what it got in the log."""
    known = TOOLS.get(tool)
    if known is None or arguments.keys() <= known.arguments.model_fields.keys():
        yield _plain(tool, arguments)
        return
    if tool == "curator_set_relevance" and "updates" in arguments:
        yield from _relevances(arguments, result)
        return
    names = _RENAMED.get(tool, {})
    renamed = {names.get(name, name): value for name, value in arguments.items()}
    yield _plain(tool, {name: value for name, value in renamed.items() if name in known.arguments.model_fields})


def _plain(tool: str, arguments: Json) -> Json:
    """The working state was injected as a text there; here it is injected or not."""
    injected = arguments.get("working_state_injection")
    if tool == BUILD_CONTEXT and not isinstance(injected, bool) and "working_state_injection" in arguments:
        return {**arguments, "working_state_injection": bool(text(injected))}
    return arguments


def _relevances(arguments: Json, result: Json) -> Iterator[Json]:
    """One call a value; ids that the log's own tool rejected are left out, as they had no effect."""
    refused = {count(mapping(item).get("message_id")) for item in sequence(result.get("rejected"))}
    levels: dict[float, list[int]] = {}
    for item in map(mapping, sequence(arguments.get("updates"))):
        message, value = count(item.get("message_id")), item.get("relevance")
        if message is not None and message not in refused and isinstance(value, int | float):
            levels.setdefault(float(value), []).append(message)
    for value, messages in levels.items():
        yield {"message_ids": messages, "relevance": value}
