"""The builders make what they say, or every test that uses them proves less than it claims."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass import Profile, open_session
from ravenglass.sessions.model.session import Session
from ravenglass.tokens import EncodingName, tokenizer
from tests.engine.builders import (
    assistant,
    call,
    damaged_sessions,
    filler,
    profiles,
    result,
    session,
    sessions,
    user,
    valid_sessions,
    written,
)


def test_that_results_answer_the_oldest_open_call() -> None:
    built = session(
        user("Fix it"), assistant("", call("Read"), call("Bash")), result("x"), result("y"), assistant("ok")
    )
    assert [m.tool_call_id for m in built.messages if m.role == "tool"] == ["call_1", "call_2"]
    assert [group.messages for group in built.structure.groups] == [(0,), (1, 2, 3), (4,)]


def test_that_a_result_without_an_open_call_must_name_one() -> None:
    with pytest.raises(ValueError, match="message 1 answers no call"):
        session(user("Fix it"), result("x"))


@given(st.integers(0, 200), st.sampled_from(("o200k_base", "cl100k_base")))
def test_that_filler_has_exactly_the_tokens_asked_for(tokens: int, table: EncodingName) -> None:
    assert tokenizer(table).count(filler(tokens)) == tokens


def test_that_a_written_session_reads_back_with_the_same_records(tmp_path: Path) -> None:
    built = session(user("Fix it"), assistant("", call("Read", file_path="a.py")), result("x = 1"), assistant("Done."))
    opened = open_session(written(built, tmp_path / "s.jsonl"))
    assert opened.structure == built.structure
    assert [opened.raw(m.id) for m in opened.messages] == [built.raw(m.id) for m in built.messages]
    assert [(m.role, m.text, m.tool_calls) for m in opened.messages] == [
        (m.role, m.text, m.tool_calls) for m in built.messages
    ]


@given(valid_sessions())
def test_that_a_well_formed_session_has_nothing_to_flag(built: Session) -> None:
    assert not any(group.unanswered or group.orphan for group in built.structure.groups)
    assert not any(message.flags for message in built.messages)
    for group in built.structure.groups:
        assert list(group.messages) == list(range(group.messages[0], group.messages[-1] + 1))


@given(sessions(), st.data())
def test_that_every_record_comes_back_verbatim(built: Session, data: st.DataObject) -> None:
    if built.messages:
        message = data.draw(st.sampled_from(built.messages))
        assert message.role.encode() in built.raw(message.id)


@pytest.mark.proof
def test_that_damaged_sessions_show_every_kind_of_damage() -> None:
    seen: set[str] = set()

    @settings(max_examples=300, derandomize=True, database=None)
    @given(damaged_sessions())
    def look(built: Session) -> None:
        seen.update(flag for message in built.messages for flag in message.flags)
        lines = [message.spans[0].line for message in built.messages]
        seen.update(["early result"] * (lines != sorted(lines)))
        for group in built.structure.groups:
            holder = next((m for m in group.messages if built.messages[m].tool_calls), None)
            if holder is None:
                continue
            responses = [m.id for m in built.messages[holder + 1 :] if m.role == "assistant"]
            seen.update(["unanswered"] * bool(group.unanswered))
            seen.update(["late result"] * any(m > responses[0] for m in group.messages if responses))

    look()
    assert {"orphan_result", "duplicate_result", "synthetic", "unanswered", "late result", "early result"} <= seen


@given(profiles())
def test_that_random_profiles_leave_a_budget(profile: Profile) -> None:
    assert profile.available() > 0
