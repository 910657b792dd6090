from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import AddressError, ArchiveError
from ravenglass.hub.files.content import fingerprint
from ravenglass.hub.item import State
from ravenglass.replay import Run, replay
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.replay.runs import any_runs, thorough

OLD = "def f():\n    return 1\n\ndef g():\n    return 2"
NEW = "def f():\n    return 3\n\ndef g():\n    return 2"
FILE = "cxt://project/shop/file/src/a.py"


def numbered(text: str, first: int = 1) -> str:
    return "\n".join(f"{n:6}→{line}" for n, line in enumerate(text.split("\n"), start=first))


@pytest.fixture(scope="module")
def run() -> Run:
    return replay(
        session(
            user("go"),
            assistant("", call("Read", file_path="/home/dev/shop/src/a.py")),
            result(numbered(OLD)),
            assistant("", call("Edit", file_path="src/a.py", old_string="1", new_string="3")),
            result("edited"),
            assistant("", call("exec_command", cmd="cat src/a.py")),
            result(NEW),
            assistant("", call("Read", file_path="src/a.py", offset=4, limit=2)),
            result(numbered("def g():\n    return 2", 4)),
            assistant("", call("Bash", command="pytest")),
            result("1 passed"),
            assistant("Done."),
        )
    )


@pytest.mark.rule("4.35")
def test_that_a_file_address_stands_for_the_newest_version_known_at_the_call(run: Run) -> None:
    assert (run.resolve(FILE, 2).text, run.resolve(FILE, 2).message) == (OLD, 2)
    assert (run.resolve(FILE, 4).text, run.resolve(FILE, 4).message) == (NEW, 6)
    assert run.resolve(FILE, 4).fingerprint == fingerprint(NEW)


def test_that_a_part_does_not_take_the_place_of_the_whole_file(run: Run) -> None:
    found = run.resolve(FILE)
    assert (found.text, found.part, found.call) == (NEW, "", 6)


def test_that_a_part_is_all_there_is_of_a_file_that_changed_before_it() -> None:
    part = [assistant("", call("Read", file_path="a.py", offset=4)), result("     4→y")]
    edit = [assistant("", call("Edit", file_path="a.py")), result("ok")]
    whole = [assistant("", call("Read", file_path="a.py")), result("     1→x")]
    changed = replay(session(user("go"), *whole, *edit, *part, assistant("Done.")))
    found = changed.resolve("cxt://project/shop/file/a.py")
    assert (found.text, found.part, found.changed) == ("y", "offset=4", "")
    later = replay(session(user("go"), *whole, *part, *edit, assistant("Done.")))
    found = later.resolve("cxt://project/shop/file/a.py")
    assert (found.text, found.part, found.changed) == ("x", "", "a.py was edited in #5")


@pytest.mark.rule("4.19", "4.32")
def test_that_a_version_brings_back_what_it_was(run: Run) -> None:
    for digits in (6, 12, 64):
        found = run.resolve(f"{FILE}@{fingerprint(OLD)[:digits]}")
        assert (found.text, found.state) == (OLD, State.EXPIRED)
        assert found.changed == "src/a.py was edited in #3"
    assert run.resolve(f"{FILE}@{fingerprint(OLD)[:12]}", 2).state is State.ACTIVE


@pytest.mark.rule("4.19")
def test_that_a_symbol_narrows_a_file_to_its_definition(run: Run) -> None:
    found = run.resolve(f"{FILE}#g")
    assert (found.text, found.lines, found.fingerprint) == ("def g():\n    return 2", (4, 5), fingerprint(NEW))
    assert run.resolve(f"{FILE}@{fingerprint(OLD)[:8]}#f").text == "def f():\n    return 1"


def test_that_messages_and_tool_outputs_resolve_to_themselves(run: Run) -> None:
    message = run.resolve("cxt://session/s1/message/0")
    assert (message.text, message.message, message.state) == ("go", 0, State.ACTIVE)
    output = run.resolve("cxt://tool/Bash/call_5/output")
    assert (output.text, output.message) == ("1 passed", 10)
    assert run.resolve("cxt://tool/Edit/call_2/output").text == "edited"


@pytest.mark.parametrize(
    ("address", "number", "sentence"),
    [
        (FILE, 1, "stands for nothing at call 1: no message has shown src/a.py so far."),
        ("cxt://project/shop/file/b.py", 6, "no message has shown b.py so far."),
        ("cxt://project/other/file/src/a.py", 6, "is of project 'other'; this session's is 'shop'."),
        (f"{FILE}@{'0' * 12}", 6, "src/a.py was shown 3 times, none of them in that version."),
        (f"{FILE}#h", 6, "no definition of 'h' was found in message 6."),
        ("cxt://session/s1/message/10", 2, "stands for nothing at call 2: message 10 comes later."),
        ("cxt://session/s1/message/99", 6, "stands for nothing: the session has 12 messages, counted from 0."),
        ("cxt://session/s2/message/0", 6, "is of session 's2'; this one is 's1'."),
        ("cxt://tool/Bash/call_9/output", 6, "no result of Bash has that invocation."),
        ("cxt://tool/Bash/call_5/output", 2, "stands for nothing at call 2: message 10 comes later."),
        ("cxt://session/s1/task/0/decision/x", 6, "its working state holds no such decision."),
    ],
)
def test_that_an_address_that_stands_for_nothing_says_why(run: Run, address: str, number: int, sentence: str) -> None:
    with pytest.raises(ArchiveError) as error:
        run.resolve(address, number)
    assert str(error.value).startswith(address)
    assert str(error.value).endswith(sentence)


@pytest.mark.rule("4.21")
def test_that_a_malformed_address_names_the_position(run: Run) -> None:
    with pytest.raises(AddressError) as error:
        run.resolve("cxt://project/shop/file/a b.py")
    assert error.value.position == 25


def test_that_a_call_outside_the_run_is_refused(run: Run) -> None:
    with pytest.raises(IndexError, match="call 7 is not between 1 and 6"):
        run.resolve(FILE, 7)


@pytest.mark.rule("4.22")
@thorough
@given(any_runs(), st.data())
def test_that_the_address_of_every_entry_resolves_to_its_content(run: Run, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, run.calls))
    for entry in run.registry(number):
        found = run.resolve(entry.context_id, number)
        if entry.namespace == "tool":
            # An invocation id may have been used again.
            assert found.message >= entry.message
            continue
        assert found.fingerprint == entry.fingerprint
        if entry.group is not None and entry.namespace != "repo":
            assert (found.message, found.state) == (entry.message, entry.state)
