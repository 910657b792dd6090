"""A session is followed while it is written: every whole line once, nothing torn, nothing twice."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower, Look
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records import source
from tests.engine.sessions.formats.gemini import lines as gemini


def line(number: int, text: str = "") -> bytes:
    role = "assistant" if number % 2 else "user"
    message = {"role": role, "content": text or f"message {number}", "timestamp": "2026-01-01T00:00:00"}
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


HEAD = b'{"_type": "metadata", "key": "cli:1"}\n'


def append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


def seen(look: Look | None) -> tuple[str, list[str]]:
    assert look is not None
    return look.reason, [message.text for message in look.session.messages]


def same(one: Session, other: Session) -> None:
    assert one.messages == other.messages
    assert one.structure == other.structure
    assert (one.other, one.damage, one.pending) == (other.other, other.damage, other.pending)
    assert [one.raw(m.id) for m in one.messages] == [other.raw(m.id) for m in other.messages]


def test_that_a_look_reads_what_was_appended_and_the_next_one_nothing(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + line(0))
    follower = Follower(path)
    assert seen(follower.look()) == ("opened", ["message 0"])
    assert follower.look() is None
    append(path, line(1) + line(2))
    assert seen(follower.look()) == ("grown", ["message 0", "message 1", "message 2"])
    assert follower.look() is None


def test_that_a_torn_line_waits_until_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    whole = line(1, "错误 in src/登录.py")
    path.write_bytes(HEAD + line(0) + whole[:30])
    follower = Follower(path)
    opened = follower.look()
    assert seen(opened) == ("opened", ["message 0"])
    assert opened is not None
    assert opened.session.pending is not None
    assert opened.session.damage == ()
    append(path, whole[30:50])
    assert follower.look() is None
    append(path, whole[50:])
    grown = follower.look()
    assert seen(grown) == ("grown", ["message 0", "错误 in src/登录.py"])
    assert grown is not None
    assert grown.session.pending is None


def test_that_a_whole_last_line_without_a_line_feed_is_there_once(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + line(0).removesuffix(b"\n"))
    follower = Follower(path)
    assert seen(follower.look()) == ("opened", ["message 0"])
    append(path, b"\n" + line(1))
    look = follower.look()
    assert seen(look) == ("grown", ["message 0", "message 1"])
    assert look is not None
    same(look.session, open_session(path))


@pytest.mark.parametrize("how", ["shortened", "rewritten", "replaced"])
def test_that_a_file_that_is_another_one_now_is_read_anew(tmp_path: Path, how: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + line(0) + line(1) + line(2))
    follower = Follower(path)
    follower.look()
    changed = HEAD + line(0, "another") + (line(1) * 9 if how == "rewritten" else b"")
    if how == "replaced":
        (tmp_path / "new").write_bytes(changed)
        (tmp_path / "new").replace(path)
    else:
        path.write_bytes(changed)
    reason, texts = seen(follower.look())
    assert reason == "replaced"
    assert texts[0] == "another"
    append(path, line(3))
    assert seen(follower.look())[0] == "grown"


def test_that_a_file_that_is_gone_is_said_once_and_read_when_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + line(0))
    follower = Follower(path)
    follower.look()
    path.unlink()
    look = follower.look()
    assert seen(look) == ("gone", ["message 0"])
    assert look is not None
    assert b"message 0" in look.session.raw(0)
    assert follower.look() is None
    path.write_bytes(HEAD + line(0) + line(1))
    assert seen(follower.look()) == ("replaced", ["message 0", "message 1"])


def test_that_a_file_that_is_no_session_yet_is_tried_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD[:10])
    follower = Follower(path)
    with pytest.raises(SessionError, match="no whole record"):
        follower.look()
    append(path, HEAD[10:] + line(0))
    assert seen(follower.look()) == ("opened", ["message 0"])


def document(*lines: bytes) -> bytes:
    return json.dumps([json.loads(one) for one in lines], indent=1).encode()


def packed(*lines: bytes) -> bytes:
    return gzip.compress(b"".join(lines))


@pytest.mark.parametrize("pack", [document, packed])
def test_that_what_is_no_file_of_lines_is_read_anew_when_it_changes(tmp_path: Path, pack: Callable[..., bytes]) -> None:
    path = tmp_path / "chat"
    path.write_bytes(pack(line(0)))
    follower = Follower(path)
    assert seen(follower.look()) == ("opened", ["message 0"])
    assert follower.look() is None
    path.write_bytes(pack(line(0), line(1)))
    assert seen(follower.look()) == ("replaced", ["message 0", "message 1"])


def test_that_a_new_file_of_a_sub_agent_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "1111.jsonl"
    envelope = {"sessionId": "1111", "timestamp": "2026-01-01T00:00:00Z"}
    first = {"type": "user", "uuid": "a", "parentUuid": None, "message": {"role": "user", "content": "go"}, **envelope}
    path.write_bytes(json.dumps(first).encode() + b"\n")
    follower = Follower(path)
    opened = follower.look()
    assert opened is not None
    assert opened.session.children == ()
    folder = tmp_path / "1111" / "subagents"
    folder.mkdir(parents=True)
    (folder / "agent-x.jsonl").write_text(json.dumps({**first, "isSidechain": True, "agentId": "x"}) + "\n")
    look = follower.look()
    assert look is not None
    assert (look.reason, [child.id for child in look.session.children]) == ("grown", ["x"])


def test_that_a_large_file_is_followed_without_keeping_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "_IN_MEMORY", 500)
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + line(0, "long " * 500))
    follower = Follower(path)
    follower.look()
    append(path, line(1, "longer " * 500))
    look = follower.look()
    assert look is not None
    same(look.session, open_session(path))


@given(
    st.lists(st.text(max_size=12), min_size=1, max_size=12),
    st.sets(st.integers(1, 2_000), max_size=8),
    st.sampled_from((b"", b"\n", b"\x00\x00", b'{"cut": ', b"\xff\xfe\n")),
)
def test_that_following_in_any_pieces_ends_as_opening_the_whole(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: set[int], noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("follow") / "chat.jsonl"
    data = HEAD + b"".join(line(n, text) + (noise + b"\n" if n == 1 and noise else b"") for n, text in enumerate(texts))
    follower = Follower(path)
    last: Session | None = None
    places = sorted({*(cut % len(data) for cut in cuts), len(data)} - {0})
    for begin, end in zip([0, *places], places, strict=False):
        append(path, data[begin:end])
        try:
            look = follower.look()
        except SessionError:
            continue
        last = look.session if look is not None else last
    assert last is not None
    same(last, open_session(path))


def test_that_a_sub_agent_in_the_folder_that_bears_the_sessions_id_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "chats" / "session-x.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in (gemini.HEAD, *gemini.TALK)))
    follower = Follower(path)
    assert seen(follower.look())[0] == "opened"
    assert follower.look() is None
    child = path.parent / "s-1" / "sub-1.jsonl"
    child.parent.mkdir()
    head = {**gemini.HEAD, "sessionId": "sub-1", "kind": "subagent"}
    child.write_bytes(b"".join(json.dumps(record).encode() + b"\n" for record in (head, gemini.ask("u", "look"))))
    look = follower.look()
    assert look is not None
    assert [(inner.id, len(inner.messages)) for inner in look.session.children] == [("sub-1", 1)]
    assert follower.look() is None
    append(child, json.dumps(gemini.answer("g", "found")).encode() + b"\n")
    look = follower.look()
    assert look is not None
    assert (look.reason, [message.text for message in look.session.children[0].messages]) == (
        "grown",
        ["look", "found"],
    )


def test_that_a_line_that_was_given_up_is_read_once_those_behind_it_make_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(HEAD + b"".join(map(line, range(30))) + b'{"role": "user", "content": "one\n')
    follower = Follower(path)
    opened = follower.look()
    assert opened is not None
    assert len(opened.session.messages) == 30
    append(path, b'two", "timestamp": "2026-01-01T00:00:00"}\n')
    look = follower.look()
    assert seen(look)[1][-1] == "one\ntwo"
    assert look is not None
    same(look.session, open_session(path))


def test_that_a_file_that_took_the_place_of_another_is_read_anew_though_both_ends_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    before, middle, after = (b"".join(map(line, range(n, n + 60))) for n in (0, 60, 120))
    path.write_bytes(HEAD + before + middle + after)
    follower = Follower(path)
    follower.look()
    (tmp_path / "new").write_bytes(HEAD + before + middle.replace(b"message 90", b"massage 90") + after + line(180))
    (tmp_path / "new").replace(path)
    look = follower.look()
    assert look is not None
    assert look.reason == "replaced"
    same(look.session, open_session(path))


def test_that_the_format_is_looked_for_again_while_few_records_are_there(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"role": "user", "content": "hello"}\n')
    follower = Follower(path)
    opened = follower.look()
    assert opened is not None
    block = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}
    append(path, json.dumps({"role": "assistant", "content": [block]}).encode() + b"\n")
    look = follower.look()
    assert look is not None
    assert look.session.format == open_session(path).format != opened.session.format
