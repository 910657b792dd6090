"""Recorded Codex rollouts against what their JSON says, counted here anew (they are not part of the checkout)."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import zstandard

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.formats.codex.test_usage import used

pytestmark = pytest.mark.samples

CALLS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")
LARGE = "rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl"
FIGURES = {
    # messages, calls, tool calls, results, markers
    "rollout-2026-02-23T12-40-23": (205, 81, 104, 104, 0),
    "rollout-2026-02-23T12-41-04": (153, 28, 118, 118, 0),
    "rollout-2026-02-23T12-54-34": (748, 286, 365, 365, 1),
    "rollout-2026-02-23T20-34-25": (18, 6, 5, 5, 0),
    "rollout-2026-07-30T09-00-00": (8, 4, 2, 2, 0),
    "rollout-2026-08-01T10-00-00": (10, 5, 3, 3, 0),
    "rollout-2026-08-01T11-00-00": (14, 6, 5, 5, 0),
    "rollout-2026-08-01T11-01-00": (7, 3, 2, 2, 0),
    "rollout-2026-08-01T11-02-00": (4, 2, 1, 1, 0),
}


def files(samples: Path) -> list[Path]:
    return sorted((samples / "codex").rglob("*.jsonl"))


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]


def items(path: Path) -> list[dict[str, Any]]:
    return [record["payload"] for record in records(path) if record["type"] == "response_item"]


def token_counts(path: Path) -> list[dict[str, Any]]:
    events = [record["payload"] for record in records(path) if record["type"] == "event_msg"]
    infos = [event["info"] for event in events if event["type"] == "token_count" and event["info"]]
    return [info for info in infos if "total_token_usage" in info]


def assistant(item: dict[str, Any]) -> bool:
    return item.get("role") == "assistant" or item["type"] in (*CALLS, "reasoning", "web_search_call")


def test_that_the_counter_is_read_from_increases_only_and_every_sum_is_exact(samples: Path) -> None:
    rows: list[tuple[str, int, int, int, int, int]] = []
    for path in sorted((samples / "codex").glob("rollout-*.jsonl")):
        infos = token_counts(path)
        totals = [info["total_token_usage"] for info in infos]
        repeats = sum(a == b for a, b in pairwise(totals))
        naive = sum(info["last_token_usage"]["total_tokens"] for info in infos)
        rows.append((path.name[8:27], len(infos), repeats, naive, totals[-1]["total_tokens"], used(open_session(path))))
    print(f"\n{'rollout':20}{'counts':>8}{'repeats':>9}{'sum of last':>14}{'final total':>14}{'sum of calls':>14}")
    for row in rows:
        print(f"{row[0]:20}{row[1]:8,}{row[2]:9,}{row[3]:14,}{row[4]:14,}{row[5]:14,}")
    assert [row[5] for row in rows] == [row[4] for row in rows] == [7_240_100, 1_766_028, 33_944_484, 299_496]
    assert [row[3] for row in rows] == [14_315_501, 3_416_998, 69_395_466, 535_265]
    assert [row[2] for row in rows] == [80, 27, 286, 5]


def test_that_every_call_of_the_real_rollouts_has_the_usage_of_its_own_request(samples: Path) -> None:
    for path in sorted((samples / "codex").glob("rollout-*.jsonl")):
        infos = token_counts(path)
        requests = [
            info["last_token_usage"]
            for number, info in enumerate(infos)
            if number == 0 or info["total_token_usage"] != infos[number - 1]["total_token_usage"]
        ]
        session = open_session(path)
        usages = [session.messages[call.message].usage for call in session.structure.calls]
        assert [(u.context, u.output, u.cache_read) for u in usages if u is not None] == [
            (last["input_tokens"], last["output_tokens"], last["cached_input_tokens"]) for last in requests
        ]
        assert len(usages) == len(requests)


def test_that_every_file_opens_with_the_figures_its_json_has(samples: Path) -> None:
    assert len(files(samples)) == 14
    for path in files(samples):
        session = open_session(path)
        figures = counts(session)
        kinds = Counter(item["type"] for item in items(path))
        calls = sum(kinds[kind] for kind in CALLS)
        results = sum(kinds[kind] for kind in kinds if kind.endswith("_output"))
        if "schema" not in path.name:  # there, a compaction brings calls and results besides
            assert (figures.tool_calls, figures.tool_results) == (calls, results), path.name
        asked = {item["call_id"] for item in items(path) if item["type"] in CALLS}
        answers = {item["call_id"] for item in items(path) if item["type"].endswith("_output")}
        unanswered = {call for group in session.structure.groups for call in group.unanswered}
        assert unanswered == asked - answers
        assert sum(group.orphan for group in session.structure.groups) == len(answers - asked)
        assert (session.format, session.damage, session.pending) == ("codex", (), None)
        if path.name[:27] in FIGURES:
            wanted = (figures.messages, figures.calls, figures.tool_calls, figures.tool_results, len(session.markers))
            assert wanted == FIGURES[path.name[:27]], path.name


def test_that_no_record_is_lost(samples: Path) -> None:
    for path in files(samples):
        session = open_session(path)
        held = {
            span.line
            for record in [*(m.spans for m in session.messages), *((r.span,) for r in session.other)]
            for span in record
        }
        assert held == set(range(1, len(records(path)) + 1)), path.name
        data = path.read_bytes()
        for message in session.messages:
            pieces = [data[span.offset : span.offset + span.length] for span in message.spans]
            assert session.raw(message.id) == b"\n".join(pieces)
            assert all(json.loads(piece) for piece in pieces)
            assert all(data.count(b"\n", 0, span.offset) + 1 == span.line for span in message.spans)


@pytest.mark.proof
def test_that_no_text_stands_twice_although_events_repeat_it(samples: Path) -> None:
    for path in sorted((samples / "codex").glob("rollout-*.jsonl")):
        session = open_session(path)
        events = Counter(r["payload"]["type"] for r in records(path) if r["type"] == "event_msg")
        brought = {span for m in session.messages for span in m.spans if _is_inside_compacted(path, span.line)}
        mine = [message for message in session.messages if not set(message.spans) & brought]
        assert sum(len(message.spans) for message in mine) == len(items(path)), path.name
        assert sum(message.kind == "prompt" for message in mine) == events["user_message"]
        asked = [item for item in items(path) if item.get("role") == "user"]
        assert sum(message.role == "user" for message in mine) == len(asked)
        assert len(brought) == (6 if path.name == LARGE else 0)


def _is_inside_compacted(path: Path, line: int) -> bool:
    return bool(records(path)[line - 1]["type"] == "compacted") if path.name == LARGE else False


def test_that_the_large_file_is_compacted_to_what_its_replacement_lists(samples: Path) -> None:
    session = open_session(samples / "codex" / LARGE)
    (marker,) = session.markers
    history = next(
        r["payload"]["replacement_history"] for r in records(samples / "codex" / LARGE) if r["type"] == "compacted"
    )
    assert marker.keep is not None
    new = session.messages[marker.before : marker.before + 6]
    assert len(marker.keep) + len(new) == len(history) == 40
    assert [message.kind for message in new] == ["meta"] * 3 + ["ordinary", "meta", "summary"]
    assert new[-1].text == "[compaction, encrypted, 51 bytes]"
    assert marker.tokens_before == 212_134
    roles = Counter(session.messages[m].role for m in marker.keep)
    assert roles == {"user": 17, "assistant": 15, "developer": 2}
    assert not any(session.messages[m].tool_calls for m in marker.keep)


def test_that_sub_agents_hang_under_the_calls_that_started_them(samples: Path) -> None:
    folder = samples / "codex/rungraph"
    session = open_session(next(folder.glob("*000000000002.jsonl")))
    (child,) = session.children
    (grandchild,) = child.children
    assert (child.parent_call_id, grandchild.parent_call_id) == ("call_c2spawn", "call_c2g")
    assert (child.title, grandchild.title) == ("/root/auth_map (Darwin)", "/root/auth_map/token_check (Bohr)")
    assert (used(session), used(child), used(grandchild)) == (25_200, 5_400, 1_100)
    assert any("interrupted" in message.flags for message in session.messages)
    for alone in ("000000000001", "000000000003"):
        assert open_session(next(folder.glob(f"*{alone}.jsonl"))).children == ()


def test_that_events_speak_where_no_item_says_the_same(samples: Path) -> None:
    session = open_session(next((samples / "codex/rungraph").glob("*000000000003.jsonl")))
    assert [(m.role, m.kind) for m in session.messages if m.role != "tool"][:3] == [
        ("user", "prompt"),
        ("assistant", "ordinary"),
        ("assistant", "ordinary"),
    ]
    spoken = [record["payload"]["message"] for record in records(session.path) if "message" in record["payload"]]
    assert [message.text for message in session.messages if message.text and message.role != "tool"] == spoken
    assert [turn.prompt is not None for turn in session.structure.turns] == [True, True]


def test_that_a_compressed_rollout_is_the_same_session(samples: Path, tmp_path: Path) -> None:
    plain = open_session(samples / "codex" / LARGE)
    packed = tmp_path / (LARGE + ".zst")
    packed.write_bytes(zstandard.ZstdCompressor().compress((samples / "codex" / LARGE).read_bytes()))
    session: Session = open_session(packed)
    assert session.messages == plain.messages
    assert session.markers == plain.markers
    assert (session.id, session.title, session.project) == (plain.id, plain.title, plain.project)
    assert [session.digest(m) for m in (0, 100, 510)] == [plain.digest(m) for m in (0, 100, 510)]


def test_that_the_derived_requests_hold_the_same_items(samples: Path) -> None:
    folder = samples / "openai-responses"
    request = open_session(folder / "derived_input_items_from_codex_redacted.json")
    rollout = open_session(next((samples / "codex").glob("rollout-2026-02-23T20*")))
    assert [(m.role, m.text, m.tool_calls, m.tool_call_id) for m in request.messages] == [
        (m.role, m.text, m.tool_calls, m.tool_call_id) for m in rollout.messages
    ]
    assert (request.format, request.model, request.system_prompt) == ("openai-responses", "gpt-5.3-codex", "[REDACTED]")
    compacted = open_session(folder / "derived_compacted_replacement_history.json")
    assert len(compacted.messages) == 40
    assert compacted.messages[-1].kind == "summary"
