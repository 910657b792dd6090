"""Reads and searches that name a symbol: its address and scope, what it stands for, and which edits outdate it."""

from __future__ import annotations

import pytest

from ravenglass.hub.files.named_symbol import NamedSymbol, named_symbol
from ravenglass.hub.item import State
from ravenglass.replay import Run, replay
from ravenglass.sessions.model.session import Message, ToolCall
from tests.engine.builders import assistant, call, result, session, user

LOGIN = "def login(name):\n    return check(name)"
LOGOUT = "def logout():\n    forget()"
FILE = "cxt://project/shop/file/src/auth.py"


@pytest.mark.rule("4.36")
@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (call("find_symbol", name_path="Auth/login", relative_path="src/auth.py"), ("src/auth.py", "Auth.login", True)),
        (call("mcp__serena__find_symbol", name_path="login", relative_path="a.py"), ("a.py", "login", True)),
        (call("lsp_hover", symbol="f", file_path="a.py"), ("a.py", "f", False)),
        (call("Grep", pattern="def login", path="src/auth.py"), ("src/auth.py", "login", False)),
        (call("Grep", pattern=r"^class\s+User\b", path="a.py"), ("a.py", "User", False)),
        (call("Grep", pattern="def login", path="src"), None),
        (call("Grep", pattern="login", path="src/auth.py"), None),
        (call("find_symbol", name_path="login"), None),
        (call("Read", file_path="a.py"), None),
    ],
)
def test_that_a_symbol_is_named_by_its_tool_or_by_the_pattern_of_a_definition(
    made: ToolCall, expected: tuple[str, str, bool] | None
) -> None:
    assert named_symbol(made) == (None if expected is None else NamedSymbol(*expected))


def _read(symbol: str, text: str) -> tuple[Message, Message]:
    return assistant("", call("find_symbol", name_path=symbol, relative_path="src/auth.py")), result(text)


def _edited(old: str) -> Run:
    edit = assistant("", call("Edit", file_path="src/auth.py", old_string=old, new_string="pass")), result("ok")
    return replay(session(user("go"), *_read("login", LOGIN), *_read("logout", LOGOUT), *edit, assistant("Done.")))


@pytest.mark.rule("4.36")
def test_that_the_item_has_the_address_and_the_scope_of_the_symbol() -> None:
    run = _edited("unknown")
    entry = next(e for e in run.registry(3) if e.message == 2)
    assert (entry.scope, entry.namespace, entry.context_id.endswith("#login")) == ("symbol", "repo", True)
    for address in (f"{FILE}#login", entry.context_id):
        found = run.resolve(address, 3)
        assert (found.text, found.message) == (LOGIN, 2)


@pytest.mark.rule("4.36")
def test_that_a_later_read_of_the_file_is_what_the_symbol_stands_for() -> None:
    whole = assistant("", call("Read", file_path="src/auth.py")), result("def login(name):\n    return True\n")
    run = replay(session(user("go"), *_read("login", LOGIN), *whole, assistant("Done.")))
    assert run.resolve(f"{FILE}#login", 2).text == LOGIN
    assert run.resolve(f"{FILE}#login", 3).text == "def login(name):\n    return True"


@pytest.mark.rule("4.37")
@pytest.mark.parametrize(
    ("old", "expired"),
    [("return check(name)", [True, False]), ("    forget()", [False, True]), ("x = 1", [False, False]),
     ("    return check(name)\n\ndef logout():", [True, True])],
)  # fmt: skip
def test_that_an_edit_outdates_only_the_symbols_whose_lines_it_changes(old: str, expired: list[bool]) -> None:
    run = _edited(old)
    assert [run.state(4, message) is State.EXPIRED for message in (2, 4)] == expired
    assert bool(run.resolve(f"{FILE}#login", 4).changed) == expired[0]


@pytest.mark.rule("4.37")
def test_that_a_symbol_read_again_or_a_file_written_outdates_the_older_one() -> None:
    again = replay(session(user("go"), *_read("login", LOGIN), *_read("login", "def login(): ..."), assistant("Done.")))
    assert [again.state(3, m) for m in (2, 4)] == [State.EXPIRED, State.ACTIVE]
    write = assistant("", call("Write", file_path="src/auth.py", content="x")), result("ok")
    written = replay(session(user("go"), *_read("login", LOGIN), *write, assistant("Done.")))
    assert written.state(3, 2) is State.EXPIRED
