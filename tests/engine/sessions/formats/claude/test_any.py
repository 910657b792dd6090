"""Any records and any damage in sessions of Claude Code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user
from tests.engine.sessions.damaged import family, hurt, is_held, mistyped, opened
from tests.engine.sessions.stepwise import held, read_stepwise, value_of

Write = Callable[..., Path]
UUIDS = st.sampled_from([f"x{n}" for n in range(8)])
STAMPS = st.sampled_from([f"2026-02-04T0{n}:00:00.000Z" for n in range(1, 6)] + ["never", None])
USAGE = st.sampled_from([{"input_tokens": n} for n in (5, 50, 500)] + [{}])


def placed(record: dict[str, Any], uuid: str, parent: str, ts: object, side: object) -> dict[str, Any]:
    return {**record, "uuid": uuid, "parentUuid": parent, "timestamp": ts, "isSidechain": side}


RECORDS = st.builds(
    placed,
    st.one_of(
        st.builds(user, st.sampled_from(["one", "two", "<command-name>/x</command-name>", [result("t1")], None])),
        st.builds(
            lambda block, mid, model, usage: assistant(block, mid=mid, model=model, usage=usage),
            st.sampled_from([
                say("yes"), say("No response requested."), use("t1"), use("t2", "Task", prompt="one"),
                {"type": "thinking", "thinking": "hm", "signature": "A" * 400}, {"type": "tool_use"},
            ]),
            st.sampled_from(["m1", "m2", "m3", None]), st.sampled_from(["claude-x", "<synthetic>"]), USAGE,
        ),
        st.builds(
            lambda meta: {"type": "system", "subtype": "compact_boundary", "compactMetadata": meta},
            st.one_of(
                st.builds(lambda ids: {"preservedMessages": {"uuids": ids}}, st.lists(UUIDS, max_size=3)),
                st.builds(lambda a, b: {"preservedSegment": {"headUuid": a, "tailUuid": b}}, UUIDS, UUIDS),
                st.sampled_from([None, {}, {"preservedMessages": [3]}]),
            ),
        ),
        st.builds(
            lambda ids: {
                "type": "system", "subtype": "microcompact_boundary",
                "microcompactMetadata": {"compactedToolIds": ["t1"], "clearedAttachmentUUIDs": ids},
            },
            st.lists(UUIDS, max_size=2),
        ),
        st.builds(
            lambda ids: {"type": "system", "subtype": "api_refusal", "retractedMessageUuids": ids},
            st.lists(UUIDS, max_size=2),
        ),
        st.sampled_from([
            {"type": "attachment", "attachment": {"type": "date_change", "newDate": "today"}},
            {"type": "attachment", "attachment": {"type": "hook_success"}},
            {"type": "progress", "data": {"type": "agent_progress", "agentId": "g", "message": user("one")}},
            {"type": "brand-new"},
        ]),
    ),
    UUIDS, st.one_of(UUIDS, st.none()), STAMPS, st.sampled_from([False, False, False, True]),
)  # fmt: skip


def places(lines: list[bytes]) -> list[tuple[int, int]]:
    starts = [sum(map(len, lines[:n])) + n for n in range(len(lines))]
    return [(start, start + len(line)) for start, line in zip(starts, lines, strict=True)]


@given(st.lists(RECORDS, min_size=1, max_size=12))
def test_that_no_record_of_any_sequence_is_lost_and_reading_on_is_reading_at_once(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "session.jsonl"
    lines = [encoded(record) for record in records]
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = open_session(path)
    for inner in family(session):
        assert [message.id for message in inner.messages] == list(range(len(inner.messages)))
        for marker in inner.markers:
            assert 0 <= marker.before <= len(inner.messages)
            assert list(marker.keep or ()) == sorted({m for m in marker.keep or () if 0 <= m < marker.before})
            assert all(0 <= m < len(inner.messages) for m in marker.cleared)
    assert value_of(read_stepwise(path)) == value_of(session)
    found = held(session)
    for start, end in places(lines):
        assert any(start <= span.offset and span.offset + span.length <= end for span in found)


@given(st.lists(RECORDS, min_size=1, max_size=5), st.data())
def test_that_wrong_types_are_no_error_and_cost_no_other_record(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("types") / "session.jsonl"
    # A first record that is whole says which format it is.
    lines = [encoded(user("go")), *(json.dumps(data.draw(mistyped(record))).encode() for record in records)]
    path.write_bytes(b"\n".join(lines) + b"\n")
    session = opened(path)
    assert session is not None
    for start, end in places(lines):
        assert is_held(session, start, end)


@given(st.data())
def test_that_damaged_bytes_cost_no_record_outside_them(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "session.jsonl"
    before = [encoded(user("go")), encoded(assistant(use("t1")))]
    after = [encoded(user([result("t1")], uuid="u2")), encoded(assistant(say("yes"), uuid="a2", mid="m2"))]
    broken = data.draw(hurt(encoded(assistant(say("broken"), uuid="b1", mid="m9")))).replace(b"\n", b" ")
    path.write_bytes(b"\n".join([*before, broken, *after]) + b"\n")
    session = opened(path)
    assert session is not None
    texts = [(message.role, message.text) for message in session.messages]
    assert texts[:2] == [("user", "go"), ("assistant", "")]
    assert texts[-2:] == [("tool", "done"), ("assistant", "yes")]
