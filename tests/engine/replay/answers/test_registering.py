from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.item import State
from ravenglass.hub.registry.address import FileAddress, parse_address
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.replay import Run, replay
from tests.engine.builders import assistant, call, result, session, system, user
from tests.engine.replay.runs import any_runs, thorough

TALK = session(
    system("Be brief."),
    user("Always use tabs. Fix src/a.py"),
    assistant("", call("Read", file_path="/home/dev/shop/src/a.py"), call("Bash", command="git diff")),
    result("     1→x = 1"),
    result("diff --git a/b.py b/b.py\n--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y"),
    assistant("", call("WebFetch", url="x"), call("lsp_hover", symbol="f")),
    result('{"ok": true}'),
    result("def f(): ..."),
    assistant("", call("Bash", command="tree")),
    result(".\n├── src\n└── b.py"),
    assistant("Done."),
)


def entries(run: Run, call: int) -> list[RegistryEntry]:
    return [entry for entry in run.registry(call) if entry.group is not None]


@pytest.mark.rule("4.23", "4.24", "4.25", "4.32")
def test_that_an_entry_says_what_an_item_is() -> None:
    found = entries(replay(TALK), 4)
    assert [(e.namespace, e.scope, e.source, e.schema, e.ttl, e.tier) for e in found] == [
        ("session", "global", "instruction", "text", "none", "global"),
        ("session", "project", "user_input", "text", "none", "session"),
        ("task", "project", "assistant", "text", "none", "task"),
        ("repo", "file", "tool_result", "text", "until_invalidated", "task"),
        ("tool", "project", "git_diff", "patch", "none", "task"),
        ("task", "project", "assistant", "text", "none", "task"),
        ("tool", "project", "tool_result", "json", 86_400, "task"),
        ("tool", "symbol", "lsp_symbol", "text", "none", "task"),
        ("task", "project", "assistant", "text", "none", "task"),
        ("tool", "project", "tool_result", "tree", "none", "task"),
    ]
    version = hashlib.sha256(b"x = 1").hexdigest()
    assert found[3].fingerprint == version
    assert found[3].context_id == f"cxt://project/shop/file/src/a.py@{version[:12]}"
    assert found[4].context_id == "cxt://tool/Bash/call_2/output"
    assert found[1].context_id == "cxt://session/s1/message/1"


def test_that_a_constraint_of_the_user_is_an_entry_of_its_own() -> None:
    run = replay(TALK)
    decision = run.registry(4).entries[-1]
    assert (decision.group, decision.message, decision.namespace) == (None, 1, "task")
    assert (decision.source, decision.state) == ("user_input", State.STANDBY)
    assert run.resolve(decision.context_id, 4).text == "Always use tabs."


@pytest.mark.rule("4.15")
def test_that_an_item_has_the_state_of_its_group() -> None:
    edit = [assistant("", call("Edit", file_path="a.py")), result("ok")]
    run = replay(
        session(user("go"), assistant("", call("Read", file_path="a.py")), result("x"), *edit, assistant("Done."))
    )
    assert [e.state for e in entries(run, 2)] == [State.ACTIVE] * 3
    assert [e.state for e in entries(run, 3)] == [State.ACTIVE, State.EXPIRED, State.EXPIRED, *[State.ACTIVE] * 2]


@pytest.mark.rule("4.23", "4.26")
@thorough
@given(any_runs(), st.data())
def test_that_a_registry_holds_every_known_item_as_the_manifest_has_it(run: Run, data: st.DataObject) -> None:
    number = data.draw(st.integers(1, run.calls))
    found = run.registry(number)
    messages = [entry for entry in found if entry.group is not None]
    assert [entry.message for entry in messages] == list(range(run.rows(number)))
    for entry in messages:
        row = run.row(number, entry.message)
        assert (entry.group, entry.tier, entry.state, entry.tokens) == (row.group, row.tier, row.state, row.tokens)
        assert 0 <= entry.priority <= 1
        assert abs(entry.priority - min(1, row.score)) < 1e-4
        address = parse_address(entry.context_id)
        assert (entry.namespace == "repo") == isinstance(address, FileAddress)
        # A result that shares its call's id with another one is only a message.
        own = f"cxt://session/{run.session.id}/message/{entry.message}"
        assert entry.context_id.split("@")[0] in (row.address, own)
    for entry in found:
        assert found.find(entry.context_id) is not None
        assert len(entry.fingerprint) == 64


@thorough
@given(any_runs())
def test_that_equal_ids_stand_for_equal_content(run: Run) -> None:
    by_id: dict[str, str] = {}
    for entry in run.registry(run.calls):
        if entry.namespace in ("repo", "task") or entry.group is None:
            assert by_id.setdefault(entry.context_id, entry.fingerprint) == entry.fingerprint


@pytest.mark.rule("4.23")
def test_that_an_entry_says_its_task_how_its_call_ended_and_with_which_arguments() -> None:
    built = session(
        user("Fix src/a.py"), assistant("", call("Bash", raw='{"command": "make", "n": 1}')), result("no", error=True),
        assistant("", call("Bash", raw='{"n":1,"command":"make"}')), result("yes"), assistant("Done."),
    )  # fmt: skip
    found = entries(replay(built), 3)
    assert [(e.result, e.parameters is None, e.task) for e in found] == [
        (None, True, 0), (None, True, 0), ("error", False, 0), (None, True, 0), ("ok", False, 0),
    ]  # fmt: skip
    assert found[2].parameters == found[4].parameters
    assert found[2].parameters == hashlib.sha256(b'{"command":"make","n":1}').hexdigest()
    (registered,) = [e for e in replay(built).events(2) if e.event == "item_registered"]
    told = [{"message": 2, "status": "error", "parameters": found[2].parameters}]
    assert registered.payload["results"] == told


@pytest.mark.rule("4.23")
@thorough
@given(any_runs())
def test_that_an_entry_names_the_latest_call_whose_window_held_it(run: Run) -> None:
    last: dict[int, int] = {}
    for number in range(1, run.calls + 1):
        last |= {m: number for m in range(run.rows(number)) if run.row(number, m).included}
        for entry in entries(run, number):
            assert entry.group is not None
            held = [last[m] for m in run.session.structure.groups[entry.group].messages if m in last]
            assert entry.scheduled == max(held, default=None)


def test_that_of_calls_with_one_id_the_first_says_what_the_result_is() -> None:
    both = assistant("", call("Read", file_path="a.py", call_id="c"), call("Bash", command="ls", call_id="c"))
    run = replay(session(user("go"), both, result("     1→x = 1", to="c"), assistant("Done.")))
    found = next(e for e in run.registry(2) if e.message == 2)
    assert found.context_id.startswith("cxt://project/shop/file/a.py@")
    assert (found.ttl, found.source) == ("until_invalidated", "tool_result")
    swapped = assistant("", *reversed(both.tool_calls))
    run = replay(session(user("go"), swapped, result("     1→x = 1", to="c"), assistant("Done.")))
    found = next(e for e in run.registry(2) if e.message == 2)
    assert (found.context_id, found.ttl) == ("cxt://tool/Bash/c/output", "none")
