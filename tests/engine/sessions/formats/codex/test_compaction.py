"""What a compaction of Codex leaves in the window."""

from __future__ import annotations

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.conftest import Write
from tests.engine.sessions.formats.codex.records import (
    Record,
    answered,
    called,
    event,
    line,
    meta,
    output,
    said,
    tokens,
    turn,
    typed,
)


def compacted(*items: Record, message: str = "") -> Record:
    return line("compacted", {"message": message, "replacement_history": [one["payload"] for one in items]})


def window(session: Session) -> list[str]:
    """What the last marker left, and what came after."""
    marker = session.markers[-1]
    assert marker.keep is not None
    ids = [*marker.keep, *range(marker.before, len(session.messages))]
    return [session.messages[m].text for m in ids]


def test_that_the_window_becomes_the_replacement_and_what_follows(write: Write) -> None:
    history = [said("user", "one"), said("assistant", "2", id="other", phase="final_answer"), said("user", "recap")]
    hidden: Record = {"payload": {"type": "compaction", "encrypted_content": "x" * 12}}
    session = open_session(
        write(
            meta(), *typed("one"), *answered("1"), called("c"), tokens((900, 50), (900, 50, 0)), output("c"), turn(),
            *answered("2"), tokens((1900, 90), (1000, 40, 900)), compacted(*history, hidden),
            event("context_compacted"), *typed("two"), *answered("3"),
        )
    )  # fmt: skip
    (marker,) = session.markers
    assert (marker.kind, marker.keep, marker.tokens_before) == ("compaction", (0, 3), 1040)
    assert marker.note == "2 messages stayed, 2 were put in"
    assert window(session) == ["one", "2", "recap", "[compaction, encrypted, 12 bytes]", "two", "3"]
    assert [m.kind for m in session.messages[4:6]] == ["meta", "summary"]
    assert len(session.structure.calls) == 3
    assert [record.label for record in session.other].count("compacted") == 1


def test_that_the_messages_put_in_stand_at_their_own_bytes_in_the_record(write: Write) -> None:
    recap = said("user", "recap é")
    path = write(meta(), *typed("one"), compacted(said("user", "one"), recap))
    session = open_session(path)
    (span,) = session.messages[-1].spans
    assert (span.line, session.raw(len(session.messages) - 1)) == (4, session.source.read(span))
    assert b'"recap' in session.raw(len(session.messages) - 1)
    assert session.raw(len(session.messages) - 1) in path.read_bytes()
    assert session.raw(len(session.messages) - 1).startswith(b'{"type": "message"')


def test_that_an_answer_of_which_only_the_text_stayed_is_put_in_anew_and_is_no_call(write: Write) -> None:
    session = open_session(
        write(meta(), *typed("one"), *answered("1"), called("c"), output("c"), compacted(said("assistant", "1")))
    )
    assert session.markers[0].keep == ()
    assert (session.messages[-1].text, session.messages[-1].flags) == ("1", frozenset({"synthetic"}))
    assert len(session.structure.calls) == 1


def test_that_a_group_that_stayed_whole_is_kept_whole(write: Write) -> None:
    tool_group = [said("assistant", "1"), called("c"), output("c")]
    session = open_session(write(meta(), *typed("one"), *answered("1"), *tool_group[1:], compacted(*tool_group)))
    assert session.markers[0].keep == (1, 2)
    assert session.markers[0].before == len(session.messages) == 3


def test_that_equal_messages_are_kept_as_often_as_they_are_listed(write: Write) -> None:
    records = [*typed("go on"), *answered("1"), *typed("go on"), *answered("2"), *typed("go on"), *answered("3")]
    session = open_session(write(meta(), *records, compacted(said("user", "go on"), said("user", "go on"))))
    assert session.markers[0].keep == (0, 2)


def test_that_older_versions_keep_the_start_and_the_latest_prompts_and_add_a_summary(write: Write) -> None:
    long = "x" * 79_990
    session = open_session(
        write(
            meta(), said("developer", "rules"), said("user", "<environment_context>"), *typed("early"), *answered("1"),
            *typed(long), *answered("2"), *typed("late request"), *answered("3"),
            line("compacted", {"message": "What was done"}), *typed("next"),
        )
    )  # fmt: skip
    assert session.markers[0].keep == (0, 1, 4, 6)
    assert (session.messages[8].kind, session.messages[8].text) == ("summary", "What was done")
    assert session.markers[0].before == 8
    assert [record.label for record in session.other].count("compacted") == 0


def test_that_a_compaction_of_which_only_an_event_tells_is_marked_without_a_guess(write: Write) -> None:
    for records in ([event("context_compacted")], [line("compacted", {"message": ""}), event("context_compacted")]):
        session = open_session(write(meta(), *typed("one"), *answered("1"), *records, *typed("two")))
        (marker,) = session.markers
        assert (marker.before, marker.keep, marker.note) == (2, None, "what stayed in the window is not recorded")


def test_that_the_event_may_stand_before_its_record(write: Write) -> None:
    session = open_session(write(meta(), *typed("one"), event("context_compacted"), compacted(said("user", "one"))))
    (marker,) = session.markers
    assert marker.keep == (0,)


def test_that_a_second_compaction_keeps_what_the_first_put_in(write: Write) -> None:
    recap = said("user", "recap")
    session = open_session(write(meta(), *typed("one"), compacted(recap), *typed("two"), compacted(recap)))
    assert [(marker.before, marker.keep) for marker in session.markers] == [(1, ()), (3, (1,))]


def test_that_a_rollback_behind_a_compaction_moves_its_marker(write: Write) -> None:
    session = open_session(
        write(
            meta(), *typed("one"), *answered("1"), *typed("two"), compacted(said("user", "one"), said("user", "two")),
            event("thread_rolled_back", num_turns=1), *typed("three"),
        )
    )  # fmt: skip
    assert [(m.kind, m.before, m.keep) for m in session.markers] == [("compaction", 2, (0,)), ("rollback", 2, None)]
    assert window_texts(session) == ["one", "1", "three"]


def window_texts(session: Session) -> list[str]:
    return [message.text for message in session.messages]
