from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.registry.address import (
    Address,
    FileAddress,
    MessageAddress,
    ToolAddress,
    format_address,
    parse_address,
)
from ravenglass.hub.registry.addressing import message_address, project_id
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, call, result, session, sessions, user


def address_of_result(tool: str, *, error: bool = False, project: str = "/home/dev/shop", **arguments: Any) -> Address:
    built = session(user("go"), assistant("", call(tool, **arguments)), result("x", error=error), project=project)
    return message_address(built, 2)


@pytest.mark.parametrize(
    ("project", "name"),
    [
        ("/home/dev/shop", "shop"),
        ("/home/dev/shop/", "shop"),
        ("C:\\work\\shop", "shop"),
        ("shop", "shop"),
        ("", "project"),
        ("/", "project"),
    ],
)
def test_that_a_project_is_called_like_its_folder(project: str, name: str) -> None:
    assert project_id(session(project=project)) == name


def test_that_what_is_no_result_has_the_address_of_its_message() -> None:
    built = session(user("go"), assistant("", call("Read", file_path="a.py")), session_id="s7")
    assert message_address(built, 0) == MessageAddress("s7", 0)
    assert message_address(built, 1) == MessageAddress("s7", 1)
    assert message_address(session(user("go"), session_id=""), 0) == MessageAddress("session", 0)


def test_that_a_file_is_addressed_inside_its_project() -> None:
    assert address_of_result("Read", file_path="/home/dev/shop/src/a.py") == FileAddress("shop", "src/a.py")
    assert address_of_result("Write", file_path="src/a.py", content="x") == FileAddress("shop", "src/a.py")
    assert address_of_result("Read", file_path="/etc/hosts") == FileAddress("shop", "/etc/hosts")
    assert address_of_result("Read", file_path="/home/dev/shopping/a.py") == FileAddress(
        "shop", "/home/dev/shopping/a.py"
    )
    assert address_of_result("Read", file_path="/a.py", project="") == FileAddress("project", "/a.py")
    assert address_of_result("Read", file_path="/home/dev/shop/") == FileAddress("shop", "/home/dev/shop/")


def test_that_other_output_is_addressed_by_tool_and_invocation() -> None:
    assert address_of_result("Bash", command="ls") == ToolAddress("Bash", "call_1")
    assert address_of_result("Edit", file_path="a.py") == ToolAddress("Edit", "call_1")
    assert address_of_result("Read", file_path="a.py", error=True) == ToolAddress("Read", "call_1")
    assert address_of_result("") == ToolAddress("tool", "call_1")


def test_that_a_result_without_its_call_has_an_address_too() -> None:
    built = session(result("x", to="lost"), result("y", to=None), result("z", to="gone", name="Bash"))
    assert message_address(built, 0) == ToolAddress("tool", "lost")
    assert message_address(built, 1) == MessageAddress("s1", 1)
    assert message_address(built, 2) == ToolAddress("Bash", "gone")


@given(sessions(), st.data())
def test_that_every_message_has_an_address_that_reads_back(built: Session, data: st.DataObject) -> None:
    if built.messages:
        address = message_address(built, data.draw(st.integers(0, len(built.messages) - 1)))
        assert parse_address(format_address(address)) == address
