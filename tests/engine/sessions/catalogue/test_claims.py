"""A claim is checked after reading: foreign files are refused in words, unknown blocks are kept and counted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.catalogue.registry import format_names
from ravenglass.sessions.model.counts import not_understood
from tests.acceptance.run_cli import run
from tests.engine.sessions.conftest import assistant, result, say, use, user

Write = Callable[..., Path]

STRANGE = {"type": "hologram", "scene": {"content": [{"text": "a blue door"}, {"output": "and a key"}], "id": "x9"}}


def _foreign(number: int) -> dict[str, object]:
    """A record that claims to be Claude Code's by its chain, whose message holds something else."""
    return {
        "type": "system" if number == 0 else "user",
        "uuid": f"u{number}",
        "parentUuid": None,
        "sessionId": "s",
        "message": {"role": "user", "content": [STRANGE]},
    }


def test_that_an_unknown_block_keeps_its_texts_and_is_counted(write: Write) -> None:
    session = open_session(write(user([say("look"), STRANGE]), assistant(say("a door"), STRANGE)))
    assert "a blue door\nand a key" in session.messages[0].text
    assert not_understood(session) == {"hologram": 2}
    assert any("2 content blocks are of kinds that are not understood (hologram 2)" in w for w in session.warnings)


def test_that_a_known_kind_with_its_words_elsewhere_is_not_lost(write: Write) -> None:
    nested = {"type": "text", "text": {"value": "inside"}}
    session = open_session(write(user([say("look"), nested]), assistant(say("x"))))
    assert "inside" in session.messages[0].text
    assert not_understood(session) == {"text": 1}


def test_that_a_content_of_one_object_is_a_list_of_one(write: Write) -> None:
    lines = (user("go"), assistant(use("t1")), user(result("t1", say("it is done"))), user(say("on")))
    session = open_session(write(*lines))
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "user"]
    single = open_session(write(user("go"), assistant(use("t1")), user(result("t1")), name="b.jsonl"))
    assert single.messages[2].tool_call_id == "t1"
    lone = {**user("x"), "message": {"role": "user", "content": result("t1", "answered")}}
    found = open_session(write(user("go"), assistant(use("t1")), lone, name="c.jsonl"))
    assert (found.messages[2].role, found.messages[2].text) == ("tool", "answered")


def test_that_a_file_of_mostly_unknown_blocks_is_refused_with_what_it_resembles(write: Write) -> None:
    path = write(*(_foreign(number) for number in range(4)))
    with pytest.raises(SessionError) as caught:
        open_session(path)
    sentence = str(caught.value)
    assert "resembles Claude Code transcript" in sentence
    assert "hologram 3" in sentence
    assert "--format" in sentence
    assert list(listing(path)) == []
    with pytest.raises(SessionError, match="resembles"):
        Follower(path).look()


def test_that_a_file_whose_messages_all_stay_empty_is_refused(write: Write) -> None:
    record = {"type": "message", "id": "m", "parentId": None, "message": {"role": "user", "words": {"text": "hello"}}}
    with pytest.raises(SessionError, match="each of its 1 messages is empty"):
        open_session(write(record))


def test_that_messages_which_say_nothing_are_no_reason_to_refuse(write: Write) -> None:
    record = {"type": "message", "id": "m", "parentId": None, "message": {"role": "user", "content": None}}
    assert len(open_session(write(record)).messages) == 1


def test_that_a_forced_format_says_what_the_file_looks_like(write: Write) -> None:
    path = write({"role": "user", "content": "hello"}, {"role": "assistant", "content": "well"})
    session = open_session(path, format_name="anthropic-messages")
    assert session.format == "anthropic-messages"
    assert "by its content it is OpenAI chat messages" in session.warnings[0]
    assert open_session(path, format_name="openai-chat").warnings == ()
    with pytest.raises(SessionError, match="holds no message that is one of"):
        open_session(path, format_name="codex")
    with pytest.raises(SessionError, match="is no format; there are claude-code"):
        open_session(path, format_name="nothing")
    look = Follower(path, format_name="anthropic-messages").look()
    assert look is not None
    assert look.session.format == "anthropic-messages"


def test_that_a_holder_can_be_forced_only_on_what_is_its_own(tmp_path: Path) -> None:
    assert "opencode" in format_names()
    with pytest.raises(SessionError, match="is not"):
        open_session(tmp_path, format_name="opencode")


def test_that_the_command_line_forces_a_format_and_counts_what_was_not_understood(write: Write) -> None:
    path = write(user([say("look"), STRANGE]), assistant(say("a door")))
    outcome = run("replay", path, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.printed)["not_understood"] == {"hologram": 1}
    assert "hologram 1" in outcome.said
    assert run("replay", path, "--format", "codex").code == 3
    assert "is no format" in run("replay", path, "--format", "nothing").said


def test_that_a_format_that_a_person_forced_is_read_however_little_of_it_is_known(write: Write) -> None:
    path = write(*(_foreign(number) for number in range(4)))
    session = open_session(path, format_name="claude-code")
    assert not_understood(session) == {"hologram": 3}
    assert any("hologram 3" in warning for warning in session.warnings)
