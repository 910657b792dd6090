"""Usage in Codex's stream: told a turn, as the thread's sum so far; a call has what is certainly its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.sessions.conftest import Write

Json = dict[str, Any]
START: Json = {"type": "thread.started", "thread_id": "t1"}


def item(kind: str, name: str = "i", **fields: Any) -> Json:
    return {"type": "item.completed", "item": {"id": name, "type": kind, **fields}}


def said(words: str) -> Json:
    return item("agent_message", text=words)


def ran(name: str) -> Json:
    return item("command_execution", name, command="ls", aggregated_output="a", exit_code=0, status="completed")


def done(sent: int, cached: int = 0, came: int = 0) -> Json:
    usage = {"input_tokens": sent, "cached_input_tokens": cached, "output_tokens": came}
    return {"type": "turn.completed", "usage": usage}


def usages(session: Session) -> list[Usage | None]:
    return [message.usage for message in session.messages if message.role == "assistant"]


def opened(write: Write, *lines: Json) -> Session:
    path: Path = write(START, *lines)
    return open_session(path)


def test_that_a_turn_of_one_call_has_what_the_turn_added(write: Write) -> None:
    session = opened(
        write, said("one"), done(9_000, 100, 20), ran("c"), said("two"), done(30_000, 18_000, 90), said("three"),
        done(42_000, 29_000, 95),
    )  # fmt: skip
    assert usages(session) == [Usage(9_000, 20, 100), None, None, Usage(12_000, 5, 11_000)]
    assert session.warnings[-1] == (
        "The stream tells usage a turn: 21,000 tokens were sent and 70 received in 1 turn of several calls (2 answers);"
        " what each call sent is unknown."
    )


def test_that_an_answer_whose_result_went_back_is_no_single_call(write: Write) -> None:
    session = opened(write, ran("c"), done(9_000, 0, 20))
    assert usages(session) == [None]
    assert "9,000 tokens were sent" in session.warnings[-1]


def test_that_a_stream_of_single_calls_says_nothing_more(write: Write) -> None:
    session = opened(write, item("reasoning", text="hm"), said("one"), done(9_000, 0, 20))
    assert usages(session) == [Usage(9_000, 20, 0)]
    assert session.warnings == ()


def test_that_figures_that_fall_or_fail_leave_the_next_turn_unknown(write: Write) -> None:
    fell = opened(write, said("one"), done(9_000), said("two"), done(4_000), said("three"), done(7_000))
    assert [usage and usage.context for usage in usages(fell)] == [9_000, None, 3_000]
    failed: Json = {"type": "turn.failed", "error": {"message": "no quota"}}
    after = opened(write, said("one"), done(9_000), said("two"), failed, said("three"), done(20_000))
    assert [usage and usage.context for usage in usages(after)] == [9_000, None, None, None]
    zero = opened(write, said("one"), done(0), said("two"), done(5_000), said("three"), done(8_000))
    assert [usage and usage.context for usage in usages(zero)] == [None, None, 3_000]


def test_that_a_stream_behind_another_goes_on_with_its_thread_or_begins_anew(write: Write) -> None:
    again = opened(write, said("one"), done(9_000), START, said("two"), done(20_000))
    assert [usage and usage.context for usage in usages(again)] == [9_000, 11_000]
    other = opened(write, said("one"), done(9_000), {**START, "thread_id": "t2"}, said("two"), done(20_000))
    assert [usage and usage.context for usage in usages(other)] == [9_000, 20_000]
    assert other.id == "t1"
