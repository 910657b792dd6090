from __future__ import annotations

from typing import Any

from hypothesis import given

from ravenglass.hub.fingerprint import Outdated, outdated
from ravenglass.hub.uses import uses
from ravenglass.sessions.model import Message, Session, ToolCall
from tests.engine.builders import assistant, call, result, session, sessions, user


def exchange(*calls: ToolCall, error: bool = False) -> list[Message]:
    return [assistant("", *calls), *(result("x", error=error) for _ in calls)]


def read(path: str = "a.py", **more: Any) -> ToolCall:
    return call("Read", file_path=path, **more)


def edit(path: str = "a.py") -> ToolCall:
    return call("Edit", file_path=path, old_string="a", new_string="b")


def write(path: str = "a.py") -> ToolCall:
    return call("Write", file_path=path, content="x")


def stale(*exchanges: list[Message]) -> dict[int, tuple[int, str]]:
    """Exchange -> (exchange that outdated it, how); exchanges count from 1, as groups after the prompt."""
    found = outdated(uses(session(user("go"), *(m for exchange in exchanges for m in exchange))))
    return {group: (o.by, o.how) for group, o in found.items()}


def test_that_an_edit_a_write_and_a_newer_read_outdate_a_read() -> None:
    assert stale(exchange(read()), exchange(edit())) == {1: (2, "edited")}
    assert stale(exchange(read()), exchange(write())) == {1: (2, "written")}
    assert stale(exchange(read()), exchange(read())) == {1: (2, "read again")}


def test_that_a_write_shows_content_and_an_edit_does_not() -> None:
    assert stale(exchange(write()), exchange(edit())) == {1: (2, "edited")}
    assert stale(exchange(edit()), exchange(edit()), exchange(read())) == {}


def test_that_another_file_outdates_nothing() -> None:
    assert stale(exchange(read("a.py")), exchange(edit("b.py")), exchange(call("Bash", command="rm a.py"))) == {}


def test_that_only_the_first_change_of_a_file_outdates_it() -> None:
    assert stale(exchange(read()), exchange(edit()), exchange(edit())) == {1: (2, "edited")}


def test_that_a_partial_read_outdates_only_the_same_part() -> None:
    first, second = read(offset=1, limit=9), read(offset=10, limit=9)
    assert stale(exchange(first), exchange(second)) == {}
    assert stale(exchange(first), exchange(first)) == {1: (2, "read again")}
    assert stale(exchange(read()), exchange(first)) == {}
    assert stale(exchange(first), exchange(second), exchange(read())) == {1: (3, "read again"), 2: (3, "read again")}
    assert stale(exchange(first), exchange(second), exchange(edit())) == {1: (3, "edited"), 2: (3, "edited")}


def test_that_a_group_expires_only_when_all_it_shows_is_outdated() -> None:
    both = exchange(read("a.py"), read("b.py"))
    assert stale(both, exchange(edit("a.py"))) == {}
    assert stale(both, exchange(edit("b.py")), exchange(edit("a.py"))) == {1: (3, "edited")}


def test_that_a_group_that_also_shows_something_else_never_expires() -> None:
    assert stale(exchange(read(), call("Bash", command="pytest")), exchange(edit())) == {}
    assert stale(exchange(read("a.py"), edit("b.py")), exchange(edit("a.py"))) == {}


def test_that_a_call_that_failed_or_was_not_answered_outdates_nothing() -> None:
    assert stale(exchange(read()), exchange(edit(), error=True)) == {}
    assert stale(exchange(read()), [assistant("", edit())]) == {}


def test_that_a_read_that_failed_does_not_expire() -> None:
    assert stale(exchange(read(), error=True), exchange(read())) == {}


def test_that_the_same_file_twice_in_one_group_does_not_outdate_itself() -> None:
    assert stale(exchange(read(), read())) == {}
    assert stale(exchange(read(), read()), exchange(edit())) == {1: (2, "edited")}


def test_that_what_was_outdated_says_which_file() -> None:
    built = session(user("go"), *exchange(read("src/a.py")), *exchange(edit("src/a.py")))
    assert outdated(uses(built)) == {1: Outdated(2, "src/a.py", "edited")}


@given(sessions())
def test_that_only_a_later_group_that_uses_the_file_outdates_one(built: Session) -> None:
    made = uses(built)
    for group, found in outdated(made).items():
        assert found.by > group
        assert any(use.group == found.by and use.use.path == found.path and use.result is not None for use in made)
        own = [use for use in made if use.group == group]
        assert all(use.use.op in ("read", "write") and use.result is not None for use in own)
        assert found.path in {use.use.path for use in own}
