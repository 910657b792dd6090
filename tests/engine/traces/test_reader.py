"""Opening and writing trace logs: damage is kept and named, and what was read is written byte for byte."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import Cancelled, RavenglassError, SessionError
from ravenglass.replay import replay
from ravenglass.trace import TraceEvent, logged
from ravenglass.traces import append_log, log_path, open_trace, write_log, write_turn
from tests.engine import builders as b
from tests.engine.traces.logs import accepted, line, request, response, result, start, written


def test_that_records_come_in_order_with_name_payload_and_time(tmp_path: Path) -> None:
    path = written(tmp_path / "t1.jsonl", start(), line("fast_path", {"path": "fast"}, ts=None))
    (turn,) = open_trace(path).turns
    assert turn.name == "t1"
    assert [record.event for record in turn.records] == ["curator_start", "fast_path"]
    assert turn.records[1].payload == {"path": "fast"}
    assert turn.records[0].ts is not None
    assert turn.records[1].ts is None
    assert turn.warnings == ()


def test_that_calls_begin_at_their_start_and_none_is_lost(tmp_path: Path) -> None:
    lines = (line("item_registered"), start(), line("fast_path"), start(), line("fallback"), start())
    (turn,) = open_trace(written(tmp_path / "t.jsonl", *lines)).turns
    assert [[r.event for r in call.records] for call in turn.calls] == [
        ["item_registered", "curator_start", "fast_path"], ["curator_start", "fallback"], ["curator_start"],
    ]  # fmt: skip
    assert [call.number for call in turn.calls] == [1, 2, 3]


def test_that_a_log_without_a_start_is_one_call(tmp_path: Path) -> None:
    (turn,) = open_trace(written(tmp_path / "t.jsonl", line("fast_path"), line("x"))).turns
    assert len(turn.calls) == 1


@pytest.mark.rule("8.6")
def test_that_unknown_events_survive_a_round_trip_byte_equal(tmp_path: Path) -> None:
    odd = b'{"event":"cosmic_ray",  "extra": [1.0, 1e3, "\\u914d\\ud83d\\ude00"], "payload": null, "ts": "yesterday"}'
    plain = b'{"note": "no event at all"}'
    path = written(tmp_path / "t.jsonl", start(), odd, plain, b"[1, 2]", line("fast_path"))
    (turn,) = open_trace(path).turns
    assert [(r.event, r.known) for r in turn.records][1:4] == [("cosmic_ray", False), ("", False), ("", False)]
    assert turn.records[1].ts is None
    copy = tmp_path / "copy.jsonl"
    write_log(copy, turn.records)
    assert copy.read_bytes() == path.read_bytes()
    assert [r.raw for r in open_trace(copy).turns[0].records] == [r.raw for r in turn.records]


def test_that_damaged_lines_are_named_with_line_and_offset_and_kept(tmp_path: Path) -> None:
    cut = line("curator_llm_request")[:-20]
    path = written(tmp_path / "t.jsonl", start(), b"not json", cut + line("fast_path"), line("fallback"))
    (turn,) = open_trace(path).turns
    assert [r.event for r in turn.records] == ["curator_start", "fast_path", "fallback"]
    offset = len(start()) + 1
    assert f"t.jsonl, line 2, offset {offset:,}: " in turn.warnings[0]
    assert "line 3" in turn.warnings[1]
    assert [damage.span.line for damage in turn.damage] == [2, 3]
    kept = b"".join(turn.lines())
    assert kept == path.read_bytes().replace(b"\n", b"")


def test_that_a_cut_last_line_is_pending_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(start() + b"\n" + line("fast_path")[:25])
    (turn,) = open_trace(path).turns
    assert turn.damage == ()
    assert turn.pending is not None
    assert turn.pending.line == 2
    assert "the last line is cut; it was kept" in turn.warnings[0]
    assert list(turn.lines()) == [start(), line("fast_path")[:25]]


def test_that_lines_split_at_newlines_only(tmp_path: Path) -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf"
    odd = json.dumps({"ts": None, "event": "note", "payload": {"t": text}}, ensure_ascii=False).encode()
    (turn,) = open_trace(written(tmp_path / "t.jsonl", odd + b"\r", line("fast_path"))).turns
    assert turn.records[0].payload == {"t": text}
    assert turn.records[0].raw == odd


@pytest.mark.parametrize("payload", [None, 3, "text", [1], True])
def test_that_a_payload_of_another_kind_is_read_as_empty_and_kept_in_the_bytes(tmp_path: Path, payload: Any) -> None:
    raw = json.dumps({"ts": None, "event": "odd", "payload": payload}).encode()
    (turn,) = open_trace(written(tmp_path / "t.jsonl", raw)).turns
    assert (turn.records[0].payload, turn.records[0].raw) == ({}, raw)


def test_that_a_folder_is_read_in_order_of_time(tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "cli_1"
    folder.mkdir(parents=True)
    written(folder / "b.jsonl", line("fast_path", ts="2026-01-01T00:00:00Z"))
    written(folder / "a.jsonl", line("fast_path", ts="2026-01-02T00:00:00Z"))
    written(folder / "notes.txt", b"not looked at")
    written(folder / "other.jsonl", b'{"role": "user", "content": "a session"}')
    log = open_trace(tmp_path)
    assert [turn.name for turn in log.turns] == ["b", "a"]
    assert [turn.session for turn in log.turns] == ["cli_1", "cli_1"]
    assert len(log.warnings) == 1
    assert "other.jsonl is no trace log" in log.warnings[0]
    assert log.warnings[0].endswith("It was left out.")


def test_that_the_session_is_what_the_log_says_of_itself(tmp_path: Path) -> None:
    folder = tmp_path / "traces" / "cli_1"
    folder.mkdir(parents=True)
    (turn,) = open_trace(written(folder / "t.jsonl", start(), request(1, cut=300))).turns
    assert turn.session == "cli:1"
    (turn,) = open_trace(written(tmp_path / "t.jsonl", start())).turns
    assert turn.session == ""


def test_that_compressed_logs_open(tmp_path: Path) -> None:
    path = tmp_path / "turn.jsonl.gz"
    path.write_bytes(gzip.compress(start() + b"\n" + line("fast_path") + b"\n"))
    (turn,) = open_trace(path).turns
    assert (turn.name, len(turn.records)) == ("turn", 2)


def test_that_a_json_array_of_events_opens(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps([json.loads(start()), json.loads(line("fast_path"))], indent=1))
    (turn,) = open_trace(path).turns
    assert [r.event for r in turn.records] == ["curator_start", "fast_path"]
    copy = tmp_path / "copy.jsonl"
    write_log(copy, turn.records)
    assert [r.event for r in open_trace(copy).turns[0].records] == ["curator_start", "fast_path"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is empty"),
        (b"hello\n", "no line decodes"),
        (b'{"role": "user", "content": "x"}\n', "line 1 holds an object with the keys role, content"),
        (b'{"event": 3}\n', "no line is an event"),
    ],
)
def test_that_what_is_no_log_is_refused_with_a_sentence(tmp_path: Path, content: bytes, told: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with pytest.raises(SessionError) as caught:
        open_trace(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_that_a_missing_path_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="does not exist"):
        open_trace(tmp_path / "none.jsonl")
    with pytest.raises(SessionError, match="holds no trace logs"):
        open_trace(tmp_path)


def test_that_reading_can_be_cancelled(tmp_path: Path) -> None:
    with pytest.raises(RavenglassError, match="cancelled") as caught:
        open_trace(written(tmp_path / "t.jsonl", start()), progress=lambda *_: False)
    assert type(caught.value).__name__ == Cancelled.__name__


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
GOOD = st.builds(
    lambda event, payload, ts: json.dumps({"ts": ts, "event": event, "payload": payload}, ensure_ascii=False).encode(
        "utf-8", "backslashreplace"
    ),
    st.sampled_from(("curator_start", "fast_path", "curator_llm_request", "unheard_of")), JSON, JSON,
)  # fmt: skip
JUNK = st.one_of(
    st.binary(min_size=1, max_size=12).map(lambda data: data.replace(b"\n", b" ").strip() or b"x"),
    GOOD.map(lambda data: data[: len(data) // 2]),
    st.just(b"\x00\x00"),
    JSON.map(lambda value: json.dumps(value).encode()),
)


@pytest.mark.rule("8.6")
@given(first=GOOD, rest=st.lists(GOOD | JUNK | st.tuples(JUNK, GOOD).map(b"".join), max_size=6))
def test_that_any_log_that_opens_is_written_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, first: bytes, rest: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("logs")
    path = written(folder / "t.jsonl", first, *rest)
    (turn,) = open_trace(path).turns
    copy = folder / "copy.jsonl"
    write_turn(copy, turn)

    def bare(data: bytes) -> bytes:
        """Without blanks, breaks and NUL bytes between records, which are no record's."""
        return b"".join(data.replace(b"\x00", b"").split())

    assert bare(copy.read_bytes()) == bare(path.read_bytes())
    again = open_trace(copy).turns[0]
    # A piece of damage on a line of its own may be JSON by chance, but never an event.
    events = [(r.event, r.payload, r.ts) for r in turn.records if r.event]
    assert [(r.event, r.payload, r.ts) for r in again.records if r.event] == events


@given(st.lists(st.builds(logged, st.text(min_size=1), st.dictionaries(st.text(), JSON, max_size=3)), min_size=1))
def test_that_events_written_are_events_read(
    tmp_path_factory: pytest.TempPathFactory, events: list[TraceEvent]
) -> None:
    path = tmp_path_factory.mktemp("logs") / "t.jsonl"
    write_log(path, events[:1])
    append_log(path, events[1:])
    (turn,) = open_trace(path).turns
    assert [(r.event, r.payload) for r in turn.records] == [(e.event, e.payload) for e in events]
    assert [r.to_event().event for r in turn.records] == [e.event for e in events]


def test_that_appending_behind_a_cut_line_begins_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "t.jsonl"
    append_log(path, [logged("fast_path")])
    path.write_bytes(path.read_bytes() + b'{"ts": nul')
    append_log(path, [logged("fallback")])
    (turn,) = open_trace(path).turns
    assert [r.event for r in turn.records] == ["fast_path", "fallback"]
    assert [damage.span.line for damage in turn.damage] == [2]


def test_that_a_log_that_cannot_be_written_is_a_sentence_and_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "t.jsonl", start())
    before = path.read_bytes()

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(RavenglassError, match="cannot be written"):
            write_log(path, [logged("fallback")])
    assert [other.name for other in tmp_path.iterdir()] == ["t.jsonl"]
    assert path.read_bytes() == before
    with pytest.raises(RavenglassError, match="cannot be written"):
        append_log(path / "below.jsonl", [logged("fallback")])


@pytest.mark.parametrize(
    ("session", "turn", "wanted"),
    [
        ("cli:1", "0003", "traces/cli_1/0003.jsonl"),
        ("../../etc", "a/b", "traces/_.._etc-74ccf3c5b4/a_b-c14cddc033.jsonl"),
        ("", "", "traces/session-e3b0c44298/session-e3b0c44298.jsonl"),
        ("..", " ", "traces/session-5ec1f7e700/session-36a9e7f1c9.jsonl"),
        ("配额", "第一", "traces/配额/第一.jsonl"),
    ],
)
def test_that_a_log_stays_in_its_folder(tmp_path: Path, session: str, turn: str, wanted: str) -> None:
    assert log_path(tmp_path, session, turn) == tmp_path / wanted


@given(st.text(), st.text())
def test_that_no_name_leaves_the_folder(session: str, turn: str) -> None:
    path = log_path(Path("/w"), session, turn)
    assert path.parts[:3] == ("/", "w", "traces")
    assert len(path.parts) == 5
    assert ".." not in path.parts


def test_that_our_own_logs_open(tmp_path: Path) -> None:
    session = b.session(
        b.user("Fix it"), b.assistant("", b.call("Read", file_path="a.py")), b.result("x"), b.assistant("ok")
    )
    run = replay(session)
    path = log_path(tmp_path, session.id, "0000")
    append_log(path, [event for call in range(1, run.calls + 1) for event in run.loop(call).run()])
    (turn,) = open_trace(tmp_path).turns
    assert (turn.session, turn.name, len(turn.calls)) == (session.id, "0000", run.calls)
    assert all(record.known for record in turn.records)


@pytest.mark.samples
def test_that_every_log_of_the_reference_implementation_opens_and_is_written_as_it_was(
    samples: Path, tmp_path: Path
) -> None:
    folder = samples / "raven" / "workspace" / "memory" / ".curator" / "traces"
    log = open_trace(folder)
    files = sorted(folder.rglob("*.jsonl"))
    assert sorted(turn.path for turn in log.turns) == files
    assert files
    for turn in log.turns:
        assert turn.warnings == ()
        assert len(turn.calls) == 1
        assert all(record.known for record in turn.records)
        write_turn(tmp_path / "copy.jsonl", turn)
        assert (tmp_path / "copy.jsonl").read_bytes() == turn.path.read_bytes()


def test_that_a_full_conversation_reads_back(tmp_path: Path) -> None:
    call = ("curator_build_context", {"include_message_ids": [0]})
    lines = (start(), request(1), response(1, call), result(1, *call, {"accepted": True}), accepted([0]))
    (turn,) = open_trace(written(tmp_path / "t.jsonl", *lines)).turns
    assert turn.started is not None
    assert len(turn.calls[0].all("curator_tool_result")) == 1
    assert turn.calls[0].first("nothing") is None
