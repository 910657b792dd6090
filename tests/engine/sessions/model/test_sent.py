"""Which messages of a record were never sent: copies are known by an id that is theirs alone."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.model.sent import never_sent
from tests.engine.builders import assistant, session, user


def _under_one_id(*parts: tuple[str, str]) -> list[int]:
    """Ids of what was never sent of (role, text) pairs that all carry the same id."""
    said = [user(text) if role == "user" else assistant(text) for role, text in parts]
    messages = [replace(m, source_id="m") for m in session(*said).messages]
    return sorted(never_sent(messages))


def test_that_a_record_written_twice_is_sent_once() -> None:
    assert _under_one_id(("user", "go"), ("user", "go")) == [1]


def test_that_an_id_which_several_speakers_share_tells_no_copy() -> None:
    assert _under_one_id(("user", "go"), ("assistant", "ok"), ("user", "go"), ("assistant", "ok")) == []


def test_that_another_text_under_the_same_id_is_another_message() -> None:
    assert _under_one_id(("user", "go"), ("user", "stop"), ("user", "go")) == [2]
