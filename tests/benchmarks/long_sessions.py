"""Sessions of some megabytes in every format: prompts, calls, results and answers, with texts as long as real ones."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.big_session import write_session
from tests.engine.sessions.formats.codex import records as codex
from tests.engine.sessions.formats.gemini.lines import HEAD, answer, ask, call
from tests.engine.sessions.formats.inspect.test_importer import LOG
from tests.engine.sessions.formats.opencode.store import Chat, database, export, storage, tool, words
from tests.engine.sessions.formats.openhands import events as hands
from tests.engine.sessions.formats.otel.test_importer import chat, part, span
from tests.engine.sessions.formats.otel.test_importer import export as spans_of
from tests.engine.sessions.formats.pi import lines as pi

Json = dict[str, Any]
_LENGTHS = (60, 120, 250, 435, 435, 700, 1_200, 2_500, 5_164, 12_000)
"""Characters of tool results, about as real ones are spread, without the very longest."""


_SEEDS = itertools.count()
"""Other texts for every session: a text that was counted once is not counted again."""


@dataclass(frozen=True)
class Exchange:
    """One model call with its tool call: `number` makes ids, the texts are what was asked, said and found."""

    number: int
    prompt: str
    """Empty where no prompt begins here."""
    said: str
    found: str

    @property
    def id(self) -> str:
        return f"c{self.number}"


def exchanges(size: int) -> list[Exchange]:
    """As many as have about `size` characters together."""
    rng = random.Random(next(_SEEDS))
    pool = " ".join(f"{rng.choice('abcdefghkmnprstw')}{rng.randrange(10**5):x}" for _ in range(50_000)) + " 测试 错误"
    made: list[Exchange] = []
    while size > 0:
        length, start = rng.choice(_LENGTHS), rng.randrange(200_000)
        found, said = pool[start : start + length], pool[start // 2 :][:120]
        made.append(Exchange(len(made), said * 2 if len(made) % 20 == 0 else "", said, found))
        size -= length + 500
    return made


Writer = Callable[[Path, int], Path]
"""Writes about so many bytes below a folder, and returns what is to be opened."""


def _lines(build: Callable[[list[Exchange]], Iterator[Any]], name: str = "session.jsonl") -> Writer:
    def write(folder: Path, size: int) -> Path:
        path = folder / name
        rows = (json.dumps(record, ensure_ascii=False) for record in build(exchanges(size)))
        path.write_text("\n".join(rows) + "\n", encoding="utf-8")
        return path

    return write


def _document(build: Callable[[list[Exchange]], Any], name: str = "session.json") -> Writer:
    def write(folder: Path, size: int) -> Path:
        path = folder / name
        path.write_text(json.dumps(build(exchanges(size)), ensure_ascii=False, indent=1), encoding="utf-8")
        return path

    return write


def _claude(folder: Path, size: int) -> Path:
    write_session(folder / "session.jsonl", size)
    return folder / "session.jsonl"


def _codex(given: list[Exchange]) -> Iterator[Json]:
    yield codex.meta()
    for one in given:
        yield codex.turn(f"turn-{one.number}")
        if one.prompt:
            yield from codex.typed(one.prompt)
        yield from codex.thought(one.said)
        yield codex.called(one.id)
        yield codex.output(one.id, one.found)
        yield codex.tokens((900 * (one.number + 1), 20 * (one.number + 1)), (900, 20, 700))


def _gemini(given: list[Exchange]) -> Iterator[Json]:
    yield HEAD
    for one in given:
        if one.prompt:
            yield ask(f"u{one.number}", one.prompt)
        yield answer(f"g{one.number}", one.said)
        yield answer(f"g{one.number}", one.said, call(one.id, one.found))


def _pi(given: list[Exchange]) -> Iterator[Json]:
    items = [
        item
        for one in given
        for item in (
            *([pi.typed(one.prompt)] if one.prompt else []),
            pi.reply(one.said, pi.call(one.id), stopReason="toolUse"),
            pi.result(one.id, [{"type": "text", "text": one.found}]),
        )
    ]
    yield from pi.tree(*items)


def _chat(given: list[Exchange]) -> Iterator[Json]:
    for one in given:
        if one.prompt:
            yield {"role": "user", "content": one.prompt}
        function = {"name": "shell", "arguments": '{"cmd": "ls"}'}
        yield {
            "role": "assistant",
            "content": one.said,
            "tool_calls": [{"id": one.id, "type": "function", "function": function}],
        }
        yield {"role": "tool", "tool_call_id": one.id, "content": one.found}


def _raven(given: list[Exchange]) -> Iterator[Json]:
    yield {"_type": "metadata", "key": "cli:1", "metadata": {"title": "A title"}}
    yield from ({**message, "timestamp": "2026-01-01T00:00:00"} for message in _chat(given))


def _items(given: list[Exchange]) -> Iterator[Json]:
    for one in given:
        records = [*([codex.said("user", one.prompt)] if one.prompt else []), codex.said("assistant", one.said)]
        yield from (record["payload"] for record in (*records, codex.called(one.id), codex.output(one.id, one.found)))  # type: ignore[misc]


def _blocks(given: list[Exchange]) -> Json:
    messages: list[Json] = []
    for one in given:
        if one.prompt:
            messages.append({"role": "user", "content": one.prompt})
        use = {"type": "tool_use", "id": one.id, "name": "Bash", "input": {"command": "ls"}}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": one.said}, use]})
        messages.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": one.id, "content": one.found}]}
        )
    return {"model": "claude-x", "max_tokens": 9, "system": "You are", "messages": messages}


def _swe(given: list[Exchange]) -> Json:
    history: list[Json] = []
    for one in given:
        called = {"id": one.id, "type": "function", "function": {"name": "bash", "arguments": "{}"}}
        history.append(
            {
                "role": "assistant",
                "content": one.said,
                "agent": "main",
                "message_type": "action",
                "tool_calls": [called],
            }
        )
        history.append(
            {
                "role": "tool",
                "content": one.found,
                "agent": "main",
                "message_type": "observation",
                "tool_call_ids": [one.id],
            }
        )
    return {"trajectory": [], "history": history, "info": {}, "environment": "e"}


def _mini(given: list[Exchange]) -> Json:
    return {"trajectory_format": "mini-swe-agent-1.1", "info": {"mini_version": "2"}, "messages": list(_chat(given))}


def _atif(given: list[Exchange]) -> Json:
    steps: list[Json] = [
        {
            "step_id": one.number + 1,
            "source": "agent",
            "message": one.said,
            "tool_calls": [{"tool_call_id": one.id, "function_name": "look", "arguments": {"at": "x"}}],
            "observation": {"results": [{"source_call_id": one.id, "content": one.found}]},
        }
        for one in given
    ]
    return {"schema_version": "ATIF-v1.7", "session_id": "r", "agent": {"name": "a", "version": "1"}, "steps": steps}


def _inspect(given: list[Exchange]) -> Json:
    messages: list[Json] = []
    for one in given:
        called = [{"id": one.id, "function": "bash", "arguments": {"cmd": "ls"}, "type": "function"}]
        messages.append({"id": f"a{one.number}", "role": "assistant", "content": one.said, "tool_calls": called})
        messages.append(
            {"id": f"t{one.number}", "role": "tool", "content": one.found, "tool_call_id": one.id, "function": "bash"}
        )
    sample = {"id": 1, "epoch": 1, "input": "go", "target": "t", "messages": messages, "output": {}}
    return {**LOG, "samples": [sample]}


def _otel(given: list[Exchange]) -> Iterator[Json]:
    """Conversations of twelve calls, each of which sends its history again, as real traces do: a sixth is new."""
    history: list[Json] = []
    for one in given[: len(given) // 6]:
        if one.number % 12 == 0:
            history = [{"role": "user", "parts": [part("text", content=one.prompt or one.said)]}]
        called = part("tool_call", id=one.id, name="x", arguments={})
        said = {"role": "assistant", "parts": [part("text", content=one.said), called]}
        more = chat(history, [said], 900, conversation=f"conv-{one.number // 12}")
        yield spans_of(span(f"s{one.number}", one.number, more))
        answer = part("tool_call_response", id=one.id, response=one.found)
        history = [*history, said, {"role": "tool", "parts": [answer]}]


def _opencode(given: list[Exchange]) -> Chat:
    made = Chat()
    for one in given:
        if one.prompt:
            made.user(words(one.prompt))
        made.assistant(words(one.said), tool(one.id, output=one.found))
    return made


def _events(given: list[Exchange]) -> Iterator[Json]:
    for one in given:
        at = 3 * one.number
        record = [
            hands.prompt(0, one.prompt or one.said),
            hands.act(0, one.id, hands.response(f"r{at}", one.id, said=one.said)),
            hands.seen(0, at + 1, one.id, one.found),
        ]
        for offset, event in enumerate(record):
            yield {**event, "id": at + offset, "timestamp": "2025-01-20T20:00:00.000000"}


def _conversation(folder: Path, size: int) -> Path:
    events: list[Json] = []
    for one in exchanges(size):
        at = 2 * one.number
        made = [hands.action(0, one.id, f"r{at}", one.said), hands.observed(0, one.id, one.found)]
        events += [{**event, "id": f"e{at + n}", "timestamp": "2026-01-21T22:00:00"} for n, event in enumerate(made)]
    return hands.conversation(folder / "conversation", *events)


WRITERS: dict[str, Writer] = {
    "claude-code": _claude,
    "codex": _lines(_codex),
    "gemini-cli, lines": _lines(_gemini),
    "gemini-cli, document": _document(lambda given: {**HEAD, "messages": [*_last(_gemini(given))]}),
    "pi": _lines(_pi),
    "raven": _lines(_raven),
    "openai-chat, lines": _lines(_chat),
    "openai-chat, document": _document(lambda given: {"model": "m", "messages": [*_chat(given)]}),
    "openai-responses": _document(lambda given: [*_items(given)]),
    "anthropic-messages": _document(_blocks),
    "swe-agent": _document(_swe),
    "mini-swe-agent": _document(_mini),
    "atif": _document(_atif),
    "inspect": _document(_inspect),
    "otel": _lines(_otel),
    "opencode, export": _document(lambda given: export(_opencode(given))),
    "opencode, database": lambda folder, size: database(folder / "opencode.db", _opencode(exchanges(size))),
    "opencode, storage": lambda folder, size: storage(folder / "storage", _opencode(exchanges(size))),
    "openhands, events": _document(lambda given: [*_events(given)]),
    "openhands, folder": _conversation,
}


def _last(records: Iterator[Json]) -> list[Json]:
    """Of messages that are written twice the last version, without the header."""
    return list({str(record.get("id")): record for record in records if "id" in record}.values())
