from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.twins import Twins
from ravenglass.hub.files.uses import uses
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, result, session, sessions, user


def twins(*messages: Message) -> Twins:
    built = session(*messages)
    return Twins(built, uses(built))


def read(text: str, path: str = "a.py", error: bool = False, **more: Any) -> list[Message]:
    return [assistant("", call("Read", file_path=path, **more)), result(text, error=error)]


@given(sessions(), st.data())
def test_that_a_later_twin_says_the_same_and_was_seen(built: Session, data: st.DataObject) -> None:
    found = Twins(built, uses(built))
    boundary = data.draw(st.integers(0, len(built.messages)))
    for message in built.messages:
        same = [m.id for m in built.messages[:boundary] if m.role == message.role == "tool" and m.text == message.text]
        latest = max((m for m in same if m > message.id and message.text), default=None)
        assert found.later(message.id, boundary) == latest


@given(sessions())
def test_that_the_base_of_a_version_is_the_first_whole_read_of_the_file(built: Session) -> None:
    made = uses(built)
    found = Twins(built, made)
    whole = {u.result: u.use.path for u in made if u.use.op == "read" and not u.use.part and u.result is not None}
    for message in built.messages:
        reads = [m for m, path in whole.items() if path == whole.get(message.id)]
        first = reads[0] if reads else message.id
        assert found.base(message.id) == (first if first < message.id else None)


def test_that_a_version_is_the_difference_from_its_base() -> None:
    found = twins(user("go"), *read("a\nb\nc"), *read("a\nB\nc"))
    assert found.base(4) == 2
    assert found.patch(4).split("\n") == ["--- #2", "+++ #4", "@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"]
    assert found.patch(2) == ""


def test_that_line_numbers_do_not_make_a_difference() -> None:
    old = "     1→a\n     2→c"
    new = "     1→a\n     2→b\n     3→c"
    lines = twins(user("go"), *read(old), *read(new)).patch(4).split("\n")
    assert [line for line in lines[3:] if line[0] in "+-"] == ["+b"]


def test_that_parts_other_files_and_failed_reads_have_no_base() -> None:
    assert twins(user("go"), *read("a"), *read("b", offset=2)).base(4) is None
    assert twins(user("go"), *read("a"), *read("b", path="b.py")).base(4) is None
    assert twins(user("go"), *read("a", error=True), *read("b")).base(4) is None
    assert twins(user("go"), *read("a"), *read("b", error=True)).base(4) is None


def test_that_very_long_versions_are_not_compared() -> None:
    long = "\n".join(map(str, range(5_000)))
    found = twins(user("go"), *read(long), *read(long + "\nend"))
    assert found.base(4) == 2
    assert found.patch(4) == ""


def test_that_empty_results_are_no_twins() -> None:
    assert twins(user("go"), *read(""), *read("")).later(2, 9) is None
