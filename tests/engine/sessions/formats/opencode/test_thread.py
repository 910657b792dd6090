"""What opencode's messages and parts mean, whichever place they stand in: every test reads all four."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Part, Session, Usage
from tests.engine.sessions.formats.opencode.store import T0, Chat, database, export, finish, start, storage, tool, words

Open = Callable[..., Session]
PLACES = ("database", "storage", "legacy", "export")


@pytest.fixture(params=PLACES)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Open:
    """Writes the chats (the last one is opened) to one kind of place and reads it."""

    def _open(*chats: Chat) -> Session:
        place = str(request.param)
        if place == "export" and len(chats) == 1:
            path = tmp_path / "session.json"
            path.write_text(json.dumps(export(chats[0]), indent=2))
            return open_session(path)
        if place == "database":
            return open_session(database(tmp_path / "opencode.db", *chats), chats[-1].id)
        return open_session(storage(tmp_path / "storage", *chats, legacy=place == "legacy"), chats[-1].id)

    return _open


def roles(session: Session) -> str:
    return " ".join(f"{message.role[0]}" for message in session.messages)


def test_that_a_prompt_and_an_answer_are_messages_with_times_model_title_and_directory(opened: Open) -> None:
    session = opened(Chat().user(words("Hello")).assistant(start(), words("Hi"), finish(input=10, output=2)))
    assert [(m.role, m.kind, m.text) for m in session.messages] == [
        ("user", "prompt", "Hello"),
        ("assistant", "ordinary", "Hi"),
    ]
    assert (session.id, session.title, session.project, session.model) == ("ses_1", "A title", "/home/dev/x", "m-1")
    assert [m.ts for m in session.messages] == [T0 / 1000 + 1, T0 / 1000 + 2]
    assert (session.format, session.warnings, session.damage) == ("opencode", (), ())


def test_that_a_tool_part_is_a_call_and_its_result(opened: Open) -> None:
    done = tool("c1", time={"start": T0 + 2100, "end": T0 + 2900})
    failed = tool("c2", "error", error="no such file")
    session = opened(Chat().user(words("x")).assistant(start(), done, failed, finish(input=5, output=1)))
    call, first, second = session.messages[1:]
    assert [(c.id, c.name, json.loads(c.arguments)) for c in call.tool_calls] == [
        ("c1", "bash", {"command": "ls"}),
        ("c2", "bash", {"command": "ls"}),
    ]
    assert (first.tool_call_id, first.text, first.is_error, first.ts) == ("c1", "a.txt", False, T0 / 1000 + 2.9)
    assert (second.tool_call_id, second.text, second.is_error) == ("c2", "no such file", True)
    assert len(session.structure.groups) == 2


@pytest.mark.parametrize("status", ["pending", "running"])
def test_that_a_call_that_was_never_done_is_unanswered(opened: Open, status: str) -> None:
    half = tool("c1", status, raw='{"comm', input={}) if status == "pending" else tool("c1", status)
    session = opened(Chat().user(words("x")).assistant(start(), half))
    assert [group.unanswered for group in session.structure.groups] == [(), ("c1",)]
    assert session.messages[-1].tool_calls[0].arguments == ('{"comm' if status == "pending" else '{"command": "ls"}')


def test_that_an_interrupted_call_gives_what_it_had_put_out(opened: Open) -> None:
    cut = tool("c1", "error", error="aborted", metadata={"interrupted": True, "output": "half"})
    session = opened(Chat().user(words("x")).assistant(start(), cut))
    assert (session.messages[-1].text, session.messages[-1].is_error) == ("half", True)


def test_that_one_message_with_two_steps_is_two_calls_each_with_its_usage(opened: Open) -> None:
    session = opened(
        Chat()
        .user(words("x"))
        .assistant(
            start(),
            {"type": "reasoning", "text": "think"},
            tool("c1"),
            finish(input=100, output=7, read=50, write=20),
            start(),
            words("done"),
            finish(input=30, output=3, read=170, write=0),
            tokens={"input": 30, "output": 3, "cache": {"read": 170, "write": 0}},
        )
    )
    assert roles(session) == "u a t a"
    assert [call.message for call in session.structure.calls] == [1, 3]
    assert session.messages[1].thinking == "think"
    assert session.messages[1].usage == Usage(170, 7, 50, 20)
    assert session.messages[3].usage == Usage(200, 3, 170, 0)


def test_that_an_aborted_last_step_does_not_repeat_the_usage_of_the_step_before(opened: Open) -> None:
    session = opened(
        Chat()
        .user(words("x"))
        .assistant(
            start(), tool("c1"), finish(input=100, output=7), start(), words("ha"),
            tokens={"input": 100, "output": 7, "cache": {}},
            error={"name": "MessageAbortedError", "data": {"message": "Aborted"}},
        )
    )  # fmt: skip
    assert [m.usage for m in session.messages if m.role == "assistant"] == [Usage(100, 7), None]
    assert session.messages[-1].flags == {"interrupted"}


def test_that_usage_comes_from_the_message_where_no_step_tells_it_and_zeros_are_unknown(opened: Open) -> None:
    told = {"input": 8, "output": 2, "reasoning": 5, "total": 18, "cache": {"read": 3, "write": 0}}
    zero = {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}
    session = opened(Chat().user(words("x")).assistant(words("a"), tokens=told).assistant(words("b"), tokens=zero))
    assert session.messages[1].usage == Usage(11, 7, 3, 0)
    assert session.messages[2].usage is None


def test_that_reasoning_inside_the_output_is_not_added_twice(opened: Open) -> None:
    inside = {"input": 8, "output": 7, "reasoning": 5, "total": 15, "cache": {"read": 0, "write": 0}}
    session = opened(Chat().user(words("x")).assistant(words("a"), tokens=inside))
    assert session.messages[1].usage == Usage(8, 7, 0, 0)


def test_that_texts_of_the_harness_are_meta_and_ignored_ones_are_no_message(opened: Open) -> None:
    session = opened(
        Chat()
        .user(words("Called the Read tool", synthetic=True))
        .user(words("typed"), words("file content", synthetic=True), words("shown only", ignored=True))
        .assistant(words("ok"))
    )
    assert [(m.kind, m.text) for m in session.messages[:2]] == [
        ("meta", "Called the Read tool"),
        ("prompt", "typed\nfile content"),
    ]
    assert "text part, not sent" in {record.label for record in session.other}


def test_that_pictures_and_documents_are_described_and_text_files_are_not_sent_twice(opened: Open) -> None:
    image = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,QUJDRA=="}
    document = {
        "type": "file",
        "mime": "application/pdf",
        "filename": "a.pdf",
        "url": "data:application/pdf;base64,QUI=",
    }
    plain = {"type": "file", "mime": "text/plain", "filename": "a.txt", "url": "file:///a.txt"}
    session = opened(
        Chat().user(words("see"), image, document, plain).assistant(tool("c1", attachments=[image]), words("ok"))
    )
    assert session.messages[0].parts[1:] == (
        Part("image", "[image image/png, 4 bytes]"),
        Part("document", "[document application/pdf, 2 bytes]"),
    )
    assert session.messages[2].images == 1
    assert [record.label for record in session.other].count("file part") == 1


def test_that_a_cleared_result_is_marked_where_the_next_message_begins(opened: Open) -> None:
    chat = Chat().user(words("one")).assistant(tool("c1", time={"end": T0, "compacted": T0 + 2500}), words("ok"))
    session = opened(chat.user(words("two")).assistant(words("yes")))
    assert roles(session) == "u a t u a"
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep, marker.cleared) == ("clearing", 3, None, (2,))


def compacted(**part: object) -> Chat:
    asked = {"type": "compaction", "auto": True, **part}
    chat = Chat().user(words("one")).assistant(words("a")).user(words("two")).assistant(words("b"))
    chat.user(asked).assistant(words("the summary"), summary=True, mode="compaction")
    return chat.user(words("three")).assistant(words("c"))


def test_that_after_a_compaction_the_window_holds_request_and_summary(opened: Open) -> None:
    session = opened(compacted())
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 6, (4, 5))
    assert (session.messages[4].kind, session.messages[5].text) == ("summary", "the summary")
    assert len(session.structure.calls) == 4


def test_that_the_tail_of_a_compaction_stays_in_the_window(opened: Open) -> None:
    (marker,) = opened(compacted(tail_start_id="msg_ses_1_03")).markers
    assert marker.keep == (2, 3, 4, 5)


def test_that_a_compaction_whose_tail_is_not_there_says_so(opened: Open) -> None:
    (marker,) = opened(compacted(tail_start_id="msg_gone")).markers
    assert marker.keep == (4, 5)
    assert "msg_gone" in marker.note


@pytest.mark.parametrize("problem", [{"finish": None}, {"error": {"name": "ContextOverflowError", "data": {}}}])
def test_that_a_compaction_that_failed_leaves_the_window(opened: Open, problem: dict[str, object]) -> None:
    chat = Chat().user(words("one")).assistant(words("a")).user({"type": "compaction", "auto": False})
    session = opened(chat.assistant(words("half a summ"), summary=True, **problem).user(words("go on")))
    assert session.markers == ()


def test_that_a_failed_answer_is_no_call_and_an_aborted_one_that_spoke_is(opened: Open) -> None:
    failure = {"name": "APIError", "data": {"message": "overloaded"}}
    aborted = {"name": "MessageAbortedError", "data": {"message": "Aborted"}}
    chat = Chat().user(words("x")).assistant(start(), error=failure).assistant(start(), words("I am"), error=aborted)
    session = opened(chat.assistant(start(), error=aborted))
    assert [m.flags for m in session.messages[1:]] == [{"api_error"}, {"interrupted"}, {"interrupted", "api_error"}]
    assert session.messages[1].text == "[APIError: overloaded]"
    assert [call.message for call in session.structure.calls] == [2]


def test_that_reverted_messages_are_a_child_session(opened: Open) -> None:
    chat = Chat(revert={"messageID": "msg_ses_1_03"}).user(words("one")).assistant(words("a"))
    session = opened(chat.user(words("two")).assistant(tool("c1"), words("b")))
    assert [m.text for m in session.messages] == ["one", "a"]
    (child,) = session.children
    assert (child.title, [m.role for m in child.messages]) == ("rolled back: two", ["user", "assistant", "tool"])
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 2, None)
    assert "3 messages" in marker.note


def test_that_a_revert_inside_a_message_keeps_the_parts_before(opened: Open) -> None:
    chat = Chat(revert={"messageID": "msg_ses_1_02", "partID": "prt_ses_1_02_02"}).user(words("one"))
    session = opened(chat.assistant(words("kept"), tool("c1"), words("gone")))
    assert [m.text for m in session.messages] == ["one", "kept", "a.txt"]
    assert [m.text for m in session.children[0].messages] == ["gone"]


def test_that_a_revert_to_an_unknown_message_shows_everything_and_says_so(opened: Open) -> None:
    session = opened(Chat(revert={"messageID": "msg_x"}).user(words("one")).assistant(words("a")))
    assert len(session.messages) == 2
    assert session.warnings == ("The session was reverted to msg_x, which is not in the record; all is shown.",)


def test_that_a_sub_agent_is_a_child_of_the_call_that_started_it(opened: Open) -> None:
    child = Chat("ses_2", "Explore", parent="ses_1").user(words("look")).assistant(words("seen"))
    task = tool("c7", name="task", metadata={"sessionId": "ses_2"})
    session = opened(child, Chat().user(words("go")).assistant(start(), task, finish(input=1, output=1)))
    assert [(inner.id, inner.title, inner.parent_call_id) for inner in session.children] == [("ses_2", "Explore", "c7")]


def test_that_a_command_of_the_user_is_a_command(opened: Open) -> None:
    run = {"type": "subtask", "prompt": "p", "description": "d", "agent": "explore"}
    session = opened(Chat().user(run).assistant(words("ok")))
    assert (session.messages[0].kind, session.messages[0].text) == (
        "command",
        "The following tool was executed by the user",
    )


def test_that_every_record_is_in_a_message_or_another_record(opened: Open) -> None:
    odd = [{"type": kind, "x": 1} for kind in ("snapshot", "patch", "agent", "retry", "from-the-future")]
    chat = Chat().user(words("x"), *odd).assistant(start(), words("y"), *odd, finish(input=1, output=1))
    session = opened(chat.assistant())
    spans = {span for m in session.messages for span in m.spans} | {record.span for record in session.other}
    read = [json.loads(session.source.read(span)) for span in spans]
    kinds = [value["type"] for value in read if "type" in value]
    assert sorted(kinds) == sorted([part["type"] for said in chat.messages for part in said.parts])
    assert sum("role" in value for value in read) == 3


def test_that_raw_is_the_record_as_it_is_stored(opened: Open) -> None:
    chat = Chat().user(words("x\u2028y é")).assistant(words("z"))
    session = opened(chat)
    pieces = session.raw(0).decode()
    assert json.JSONDecoder().raw_decode(pieces)[0]["role"] == "user"
    assert session.messages[0].text == "x\u2028y é"
