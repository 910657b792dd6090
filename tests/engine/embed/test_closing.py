"""What closing an engine leaves in its workspace, besides what was there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenglass import Engine
from ravenglass.embed.keeper import SESSION_CLOSED
from tests.acceptance.run_cli import run
from tests.engine.embed.conversations import drive
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT


def _told(root: Path) -> list[dict[str, object]]:
    lines = [
        line
        for path in (root / "memory" / ".curator" / "traces").rglob("*.jsonl")
        for line in path.read_bytes().split(b"\n")
    ]
    events = [json.loads(line) for line in lines if line]
    return [e["payload"] for e in events if e["event"] == "archived" and e["payload"]["reason"] == SESSION_CLOSED]


@pytest.mark.rule("7.17")
def test_that_closing_archives_what_the_session_tier_held_once(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="a:b") as engine:
        drive(engine, long_chat(12))
        frame, made = engine.frame(), engine.run()
        call = engine.decide().call
        held = {m.id for m in engine.decide().messages if m.id is not None}
        session_tier = {m for m in held if m < made.rows(made.calls) and made.row(made.calls, m).tier == "session"}
    assert frame.call == call
    told = _told(tmp_path)
    assert told
    with Engine(TIGHT, tmp_path, session_key="c:d") as other:
        other.observe({"role": "user", "content": "hello"})
        texts = "".join(other.retrieve(str(payload["ref"])).text for payload in told)
    for m in session_tier:
        assert made.session.messages[m].text in texts


@pytest.mark.rule("7.17")
def test_that_the_command_line_says_what_closing_archived(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="a:b") as engine:
        drive(engine, long_chat(12))
    traces = tmp_path / "memory" / ".curator" / "traces"
    made = run("trace", traces, "--json")
    calls = [call for turn in json.loads(made.printed)["turns"] for call in turn["calls"]]
    sentence = f"archived {len(_told(tmp_path)):,}: {SESSION_CLOSED}"
    assert [said for call in calls for said in call["told"] if SESSION_CLOSED in said] == [sentence]
    assert sentence in run("trace", traces).printed


@pytest.mark.rule("7.17", "10.11")
def test_that_a_session_that_goes_on_stands_where_it_stood_and_is_archived_only_once(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key="a:b") as engine:
        drive(engine, long_chat(12))
        before = engine.decide()
    told = _told(tmp_path)
    with Engine(TIGHT, tmp_path, session_key="a:b") as again:
        assert again.decide() == before
    assert _told(tmp_path) == told
