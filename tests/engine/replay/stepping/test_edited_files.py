"""What was read of a file and edited since stands once, as the edits left it. The examples were judged by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass.hub.files.fingerprint import Edited
from ravenglass.hub.files.uses import uses
from ravenglass.hub.item import Form, State
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.stepping.changes import Compaction, HandChange
from ravenglass.sessions.model.session import Message, ToolCall
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.scheduler.views import plain
from tests.proofs import examples

OLD = "def f():\n    return 1\n\ndef g():\n    return 2"
NEW = "def f():\n    return 3\n\ndef g():\n    return 2"
NUMBERED = "     1\tdef f():\n     2\t    return 1\n     3\t\n     4\tdef g():\n     5\t    return 2"
ENVELOPE = "*** Begin Patch\n*** Update File: a.py\n@@\n def f():\n-    return 1\n+    return 3\n*** End Patch"
READ = 2
"""The result of the read in every example, in group 1."""


def edit(old: str = "return 1", new: str = "return 3") -> ToolCall:
    return call("Edit", file_path="a.py", old_string=old, new_string=new)


def group(made: ToolCall, text: str = "ok", **more: Any) -> list[Message]:
    return [assistant("", made), result(text, **more)]


def ran(*later: Message, shown: str = OLD, changes: tuple[Any, ...] = (), **fields: Any) -> SimulatedRun:
    """A read of a.py in message 2, what comes later, two more calls, and a slow path at the last of them."""
    messages = [user("go"), *group(call("Read", file_path="a.py"), shown), *later, *group(call("Bash", command="x"))]
    built = session(*messages, assistant("Done."))
    profile = plain(20_000, **fields)
    last = len(built.structure.calls)
    return replay(built, profile, (*changes, Compaction(last, 15_000)))


def stands(run: SimulatedRun, call_number: int | None = None) -> str:
    """The text of the read in a window; empty where it is out."""
    window = run.window(call_number or run.calls)
    return next((m.text for m in window.messages if m.id == READ), "")


@pytest.mark.rule("5.25")
@pytest.mark.parametrize("shown", [OLD, NUMBERED], ids=["plain", "numbered"])
@pytest.mark.parametrize(
    "made",
    [
        edit(),
        call("str_replace_editor", command="str_replace", path="a.py", old_str="return 1", new_str="return 3"),
        call("MultiEdit", file_path="a.py", edits=[{"old_string": "1", "new_string": "9"},
                                                   {"old_string": "9", "new_string": "3"}]),
        call("apply_patch", input=ENVELOPE),
    ],
    ids=["edit", "str_replace", "multi", "patch"],
)  # fmt: skip
def test_that_a_slow_path_shows_the_file_as_the_edit_left_it(made: ToolCall, shown: str) -> None:
    run = ran(*group(made), shown=shown)
    assert stands(run, run.calls - 1) == shown, "the fast path rewrites nothing"
    assert stands(run) == f"[this file as the edit in message #4 left it]\n{NEW}"
    assert (run.row(run.calls, READ).form, run.row(run.calls, READ).state) == (Form.UPDATED, State.ACTIVE)


@pytest.mark.rule("5.25")
@pytest.mark.parametrize(
    "made",
    [
        group(edit("return", "yield")),  # stands there twice: it says not which
        group(edit("nothing like it")),
        group(call("Write", file_path="a.py", content=NEW)),
        group(call("Bash", command="rm a.py")),
    ],
    ids=["twice", "nowhere", "written", "removed"],
)
def test_that_what_is_not_known_after_an_edit_expires(made: list[Message]) -> None:
    run = ran(*made)
    assert stands(run) == ""
    assert run.row(run.calls, READ).state in (State.EXPIRED, State.ARCHIVED)


@pytest.mark.rule("5.25")
def test_that_an_edit_that_failed_changes_nothing() -> None:
    run = ran(*group(edit(), "String not found", error=True))
    assert stands(run) == OLD
    assert run.row(run.calls, READ).form is Form.FULL


@pytest.mark.rule("5.25")
def test_that_two_edits_add_up_and_an_unknown_one_ends_it() -> None:
    second = edit("return 2", "return 4")
    run = ran(*group(edit()), *group(second))
    assert stands(run) == f"[this file as the edit in message #6 left it]\n{NEW.replace('return 2', 'return 4')}"
    ended = ran(*group(edit()), *group(edit("return", "yield")))
    assert stands(ended) == ""


def test_that_a_read_of_a_part_expires_with_an_edit() -> None:
    part = group(call("Read", file_path="a.py", offset=1, limit=2), "def f():\n    return 1")
    run = ran(*part, *group(edit()))
    assert run.row(run.calls, 4).state in (State.EXPIRED, State.ARCHIVED)
    assert stands(run).endswith(NEW)


def test_that_the_newer_of_two_reads_is_the_one_that_stands() -> None:
    run = ran(*group(call("Read", file_path="a.py"), OLD), *group(edit()))
    window = {m.id: m.text for m in run.window(run.calls).messages}
    assert READ not in window
    assert window[4].endswith(NEW)


def test_that_without_it_the_read_expires_as_before() -> None:
    run = ran(*group(edit()), edited_files=False)
    assert stands(run) == ""
    assert run.row(run.calls, READ).state in (State.EXPIRED, State.ARCHIVED)


@pytest.mark.rule("5.25")
def test_that_under_the_eager_lifecycle_it_stands_so_at_once() -> None:
    built = session(
        user("go"), *group(call("Read", file_path="a.py"), OLD), *group(call("Bash", command="x")), *group(edit()),
        *group(call("Bash", command="y")), assistant("Done."),
    )  # fmt: skip
    run = replay(built, plain(eager_lifecycle=True))
    assert [stands(run, n).endswith(NEW) for n in range(2, 6)] == [False, False, True, True]
    assert all(run.frame(n).path == "fast" for n in range(1, 6))
    event = next(e for e in run.events(4) if e.event == "state_changed" and READ in e.messages)
    assert (event.payload["form_before"], event.payload["form"]) == ("full", "updated")


def test_that_a_pinned_read_is_brought_up_to_date_and_a_retrieved_one_stays() -> None:
    pinned = ran(*group(edit()), changes=(HandChange(2, "pin", READ),))
    assert stands(pinned).endswith(NEW)
    retrieved = ran(*group(edit()), changes=(HandChange(2, "archive", READ), HandChange(3, "retrieve", READ)))
    assert stands(retrieved) == OLD


@pytest.mark.rule("5.25")
def test_that_a_large_old_one_is_a_stub_of_what_stands_now() -> None:
    long = OLD + "\n" + "\n".join(f"# {n}" for n in range(600))
    run = ran(*group(edit()), *group(call("Bash", command="y")), *group(call("Bash", command="z")),
              shown=long, offload_tokens=500, offload_after=1)  # fmt: skip
    said = stands(run)
    assert "return 3" in said
    assert "return 1" not in said
    assert "moved out of the window" in said
    assert len(said) < 1_000


@pytest.mark.rule("5.25")
def test_that_trace_and_why_say_what_brought_it_up_to_date() -> None:
    run = ran(*group(edit()))
    event = next(e for e in run.events(run.calls) if e.event == "updated")
    assert event.payload["edits"] == (4,)
    assert event.messages == (1, READ)
    assert any("as the edits since left the file" in line for line in run.why(run.calls, READ).reasons)


def test_that_what_a_name_was_needed_for_is_found_behind_an_edit() -> None:
    wanted = "compute_shipping_rate"
    made = group(edit("return 1", f"return {wanted}(1)"))
    run = ran(*made, *group(call("Grep", pattern=wanted)))
    assert wanted in stands(run)


_LINES = st.lists(st.sampled_from(["a = 1", "b = 2", "", "c", "  d", "# 注", "x" * 30]), min_size=1, max_size=12)


@given(before=_LINES, rounds=st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["", "new", "a = 1"])), max_size=6))
@settings(max_examples=examples(200))
def test_that_the_text_is_what_the_file_on_disk_would_hold(before: list[str], rounds: list[tuple[int, str]]) -> None:
    text = "\n".join(before)
    disk, made = text, list[tuple[str, str]]()
    for place, new in rounds:
        rows = disk.split("\n")
        old = rows[place % len(rows)]
        fits = old != "" and disk.count(old) == 1
        made.append((old, new))
        if not fits:
            break
        disk = disk.replace(old, new)
    else:
        messages = [user("go"), *group(call("Read", file_path="a.py"), text)]
        for old, new in made:
            messages += group(edit(old, new))
        found = Edited(uses(session(*messages)))
        cap = found.cap(1, len(messages), offloaded=False)
        assert bool(cap) == bool(made and text)
        if cap:
            assert found.content(READ, cap) == disk
            states = [text]
            for old, new in made:
                states.append(states[-1].replace(old, new))
            for known in range(len(made), 0, -1):  # asked in any order, it is the same
                earlier = found.cap(1, READ + 2 * known + 1, offloaded=False)
                assert found.content(READ, earlier) == states[known]
            assert found.cap(1, READ + 2, offloaded=False) == 0, "the result itself is not below the boundary"
            assert found.content(READ, cap) == disk


def test_that_the_count_of_tokens_is_that_of_the_text_that_stands() -> None:
    run = ran(*group(edit()), *group(edit("return 2", filler(300))))
    window, sizes = run.window(run.calls), run.inputs.sizes
    shown = next(m for m in window.messages if m.id == READ)
    assert shown.tokens == sizes.tokenizer.count(shown.text) > 300
    assert sum(m.tokens for m in window.messages) == run.frame(run.calls).tokens


@pytest.mark.rule("5.25")
def test_that_under_the_eager_lifecycle_what_a_person_retrieved_stays_as_it_was_read() -> None:
    built = session(
        user("go"), *group(call("Read", file_path="a.py"), OLD), *group(call("Bash", command="x")), *group(edit()),
        *group(call("Bash", command="y")), assistant("Done."),
    )  # fmt: skip
    changes = (HandChange(2, "retrieve", READ), HandChange(2, "pin", READ))
    for eager in (True, False):
        run = replay(built, plain(20_000, eager_lifecycle=eager), (*changes, Compaction(5, 15_000)))
        assert [stands(run, number) for number in (3, 4, 5)] == [OLD] * 3
