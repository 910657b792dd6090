"""Calls that fetch again what an earlier result showed, judged by hand from docs/design/metrics.md before there was
code."""

from __future__ import annotations

from typing import Any

import pytest

from ravenglass.replay.measures.needs.session import SessionNeeds, needs_of
from ravenglass.sessions.model.session import Message, Session, ToolCall
from tests.engine.builders import assistant, call, result, session, user

LINES = [f"row {n}: total = price_{n} * amount" for n in range(1, 41)]
TEXT = "\n".join(LINES)


def part(first: int, last: int) -> str:
    """Lines of the file, counted from 1, as a tool prints them."""
    return "\n".join(LINES[first - 1 : last])


def numbered(first: int, last: int) -> str:
    return "\n".join(f"{n:6}\t{LINES[n - 1]}" for n in range(first, last + 1))


def did(one: ToolCall, shown: str = "ok", *, error: bool = False) -> tuple[Message, Message]:
    return assistant("", one), result(shown, error=error)


def read(first: int = 1, last: int = 40, path: str = "src/a.py") -> tuple[Message, Message]:
    ask: dict[str, Any] = {} if (first, last) == (1, 40) else {"offset": first, "limit": last - first + 1}
    return did(call("Read", file_path=path, **ask), numbered(first, last))


def sh(command: str, shown: str = "ok", *, error: bool = False) -> tuple[Message, Message]:
    return did(call("Bash", command=command), shown, error=error)


def again(*parts: tuple[Message, ...]) -> tuple[int, ...]:
    """Sources of the fetch again in the last call; empty where it is none."""
    made = session(user("go"), *(m for p in parts for m in p))
    last = made.structure.calls[-1].message
    found = [need for need in needs_of(made).of(last) if need.kind == "fetch_again"]
    assert len(found) <= 1
    return found[0].sources if found else ()


_AGAIN = {
    "same file": (read(), read()),
    "absolute spelling": (read(), read(path="/home/dev/shop/src/a.py")),
    "dotted spelling": (read(), read(path="./src/../src/a.py")),
    "part of what was read whole": (read(), read(5, 20)),
    "whole of what was read in part": (read(5, 20), read()),
    "ranges that overlap": (read(1, 20), read(15, 30)),
    "cat after a read": (read(), sh("cat src/a.py", TEXT)),
    "sed after a read": (read(), sh("sed -n '5,20p' src/a.py", part(5, 20))),
    "head after cat": (sh("cat src/a.py", TEXT), sh("head -n 10 src/a.py", part(1, 10))),
    "read after tail": (sh("tail -20 src/a.py", part(21, 40)), read(25, 35)),
    "in another folder's words": (read(), sh("cd src && cat a.py", TEXT)),
    "numbered and cut by a pipe": (read(), sh("cat -n src/a.py | head -20", numbered(1, 20))),
    "context of a search": (sh("grep -n -A 10 'row 5' src/a.py", part(5, 15)), read(6, 14)),
    "same search": (did(call("Grep", pattern="price_7", path="src"), f"src/a.py:7:{LINES[6]}"),
                    did(call("Grep", pattern="price_7", path="src"), f"src/a.py:7:{LINES[6]}")),
    "same search by a command": (sh("grep -rn price_7 src", f"src/a.py:7:{LINES[6]}"),
                                 did(call("Grep", pattern="price_7", path="src"), f"src/a.py:7:{LINES[6]}")),
    "same status": (sh("git status", "On branch main\nnothing to commit"),
                    sh("git status", "On branch main\nnothing to commit")),
    "same listing": (sh("ls -la src", "total 8\na.py\nb.py"), sh("ls -la src", "total 8\na.py\nb.py")),
    "same address": (did(call("WebFetch", url="https://x.example/doc", prompt="a"), "The page says 1"),
                     did(call("WebFetch", url="https://x.example/doc", prompt="b"), "It says 2")),
    "answer that says it is unchanged": (read(),
                                         did(call("Read", file_path="src/a.py"), "File unchanged since last read.")),
    "no answer recorded": (read(), (assistant("", call("Read", file_path="src/a.py")),)),
}  # fmt: skip


@pytest.mark.parametrize("parts", _AGAIN.values(), ids=_AGAIN)
def test_that_asking_for_what_was_shown_is_a_fetch_again(parts: tuple[tuple[Message, ...], ...]) -> None:
    assert again(*parts) == (2,)


_EDIT = did(call("Edit", file_path="src/a.py", old_string="row 7", new_string="row seven"))
_FIRST_NOT = {
    "another file": (read(), did(call("Read", file_path="src/b.py"), "other = 1\nsecond = 2")),
    "another range": (read(1, 10), read(11, 20)),
    "another pattern": (did(call("Grep", pattern="price_7"), "a.py"), did(call("Grep", pattern="price_8"), "a.py")),
    "another place": (did(call("Grep", pattern="price_7", path="src"), "src/a.py:7: price_7"),
                      did(call("Grep", pattern="price_7", path="lib"), "lib/c.py:9: price_7")),
    "only named by a listing": (sh("ls src", "a.py\nb.py"), read()),
    "only a hit line shown": (did(call("Grep", pattern="price_7", path="src"), f"src/a.py:7:{LINES[6]}"), read()),
    "earlier answer an error": (did(call("Read", file_path="src/a.py"), "File does not exist.", error=True), read()),
    "earlier answer an error without a flag": (sh("cat src/a.py", "cat: src/a.py: No such file or directory"), read()),
    "earlier answer empty": (sh("cat src/a.py", ""), read()),
    "empty search again": (sh("grep -rn nothing src", ""), sh("grep -rn nothing src", "")),
    "cut before the place": (did(call("Read", file_path="src/a.py"),
                             numbered(1, 10) + "\n... [truncated]"), read(25, 35)),
    "test run again": (sh("pytest -q", "3 passed"), sh("pytest -q", "3 passed")),
    "retry of a failed call": (sh("ls srcc", "ls: cannot access 'srcc': No such file or directory"),
                               sh("ls srcc", "ls: cannot access 'srcc': No such file or directory")),
    "polling": (sh("sleep 5 && cat job.log", "step one done\nstep two runs"),
                sh("sleep 5 && cat job.log", "step one done\nstep two runs")),
    "a log that grows": (sh("tail -3 job.log", "first line here\nsecond line here\nthird line here"),
                         sh("tail -3 job.log", "seventh line here\neighth line here\nninth line here")),
    "output of a job": (did(call("BashOutput", bash_id="1"),
                        "running still"), did(call("BashOutput", bash_id="1"), "running still")),
}  # fmt: skip


@pytest.mark.parametrize("parts", _FIRST_NOT.values(), ids=_FIRST_NOT)
def test_that_what_was_not_shown_is_no_fetch_again(parts: tuple[tuple[Message, ...], ...]) -> None:
    assert again(*parts) == ()


_BETWEEN = {
    "edit": _EDIT,
    "write": did(call("Write", file_path="/home/dev/shop/src/a.py", content="x")),
    "sed in place": sh("sed -i 's/a/b/' src/a.py"),
    "redirection": sh("echo hi >> src/a.py"),
    "formatter": sh("ruff format ."),
    "checkout": sh("git checkout main"),
    "pull": sh("git pull"),
    "unknown script": sh("./tools/regenerate.sh"),
    "script with quotes": sh("python3 - <<'EOF'\nopen('src/a.py', 'w').write('x')\nEOF"),
    "sub-agent": did(call("Task", prompt="tidy up"), "done"),
    "the person changed it": (user("I changed it, look again"),),
    "the person changed it, in Chinese": (user("我改了这个文件，再看看"),),
}


@pytest.mark.parametrize("between", _BETWEEN.values(), ids=_BETWEEN)
def test_that_a_look_after_a_change_is_no_fetch_again(between: tuple[Message, ...]) -> None:
    assert again(read(), between, read()) == ()


_HARMLESS = {
    "edit of another file": did(call("Edit", file_path="src/b.py", old_string="a", new_string="b")),
    "failed edit": did(call("Edit", file_path="src/a.py", old_string="a", new_string="b"), "not found", error=True),
    "test run": sh("pytest -q", "3 passed"),
    "lint run": sh("make lint", "12 warnings"),
    "other looks": sh("git log --oneline | head -5 && ls -la 2>/dev/null", "82b4027 fix"),
    "commit": sh("git add -A && git commit -m 'fix'", "1 file changed"),
    "another prompt": (user("go on"),),
    "note to self": did(call("TodoWrite", todos=[{"content": "x", "status": "pending"}])),
}


@pytest.mark.parametrize("between", _HARMLESS.values(), ids=_HARMLESS)
def test_that_what_cannot_have_changed_it_leaves_a_fetch_again(between: tuple[Message, ...]) -> None:
    assert again(read(), between, read()) == (2,)


def test_that_a_command_is_outdated_by_a_change_of_what_it_looks_at() -> None:
    status = sh("git diff", "-old line here\n+new line here")
    assert again(status, _EDIT, status) == ()
    assert again(status, sh("git commit -am x"), status) == ()
    found = did(call("Grep", pattern="price_7", path="lib"), f"lib/a.py:7:{LINES[6]}")
    assert again(found, _EDIT, found) == (2,)


def test_that_calls_of_one_response_are_no_fetch_again_of_each_other() -> None:
    both = (
        assistant("", call("Read", file_path="src/a.py"), call("Read", file_path="src/a.py")),
        result(TEXT),
        result(TEXT),
    )
    assert again(both) == ()


def test_that_after_a_fetch_again_both_results_are_sources() -> None:
    assert again(read(), read(), read()) == (2, 4)


def test_that_an_item_needed_by_name_and_fetched_again_is_both() -> None:
    made = session(user("go"), *read(), assistant("price_33 matters", call("Read", file_path="src/a.py")), result(TEXT),
                   assistant("end"))  # fmt: skip
    found = {(n.kind, n.what, n.sources) for n in needs_of(made).of(3)}
    assert found == {("name", "price_33", (2,)), ("name", "src/a.py", (1,)), ("fetch_again", "src/a.py", (2,))}


def test_that_an_edit_without_a_result_outdates_what_was_shown_once() -> None:
    edit = (assistant("", call("Edit", file_path="src/a.py", old_string="row 7", new_string="x", call_id="lost")),)
    first = (assistant("", call("Read", file_path="src/a.py", call_id="one")), result(numbered(1, 40), to="one"))
    assert again(edit, first, (assistant("hm"), user("on")), read()) == (3,)


def test_that_what_a_harness_showed_before_the_file_was_read_is_no_source() -> None:
    carried = (user(f"Recently accessed file:\n\n## src/a.py\n{TEXT}", kind="summary"),)
    assert again(carried, read(), read()) == (3,)
    assert again(read(), carried, read()) == (2, 3)


@pytest.mark.parametrize(("first", "then"), [(0, 1), (1, 0)])
def test_that_lines_counted_from_0_by_one_tool_are_those_counted_from_1_by_another(first: int, then: int) -> None:
    def counted(start: int) -> str:
        return "\n".join(f"{number:6}\t{line}" for number, line in enumerate(LINES, start=start))

    looks = [did(call("Read", file_path="src/a.py"), counted(start)) for start in (first, then)]
    assert again(*looks) == (2,)


@pytest.mark.parametrize(("kept", "sources"), [(2, (2,)), (1, ())])
def test_that_an_answer_is_the_same_where_half_of_it_was_shown(kept: int, sources: tuple[int, ...]) -> None:
    hits = [f"src/a.py:{n}:{LINES[n - 1]}" for n in range(1, 9)]
    looks = [
        did(call("Grep", pattern="price", path="src"), "\n".join(h)) for h in (hits[:4], hits[4 - kept : 8 - kept])
    ]
    assert again(*looks) == sources


def test_that_the_last_line_that_is_asked_for_is_the_place_too() -> None:
    unchanged = did(call("Read", file_path="src/a.py", offset=5, limit=1), "File unchanged since last read.")
    made = session(user("go"), *read(), *unchanged)
    (need,) = (found for found in needs_of(made).of(3) if found.kind == "fetch_again")
    assert need.places == ((LINES[4],),)


def test_that_a_long_file_that_speaks_of_unchanged_files_shows_its_lines() -> None:
    text = f"{TEXT}\n# the file is unchanged"
    looks = [did(call("Read", file_path="src/a.py"), text) for _ in range(2)]
    assert again(*looks) == (2,)
    made = session(user("go"), *looks[0], *looks[1])
    (need,) = (found for found in needs_of(made).of(3) if found.kind == "fetch_again")
    assert len(need.places[0]) == len(LINES) + 1


def test_that_a_message_of_the_settled_part_that_became_another_is_read_anew() -> None:
    def talk(shown: str) -> Session:
        more = [m for n in range(5) for m in (user(f"on {n}"), assistant("so parseWidget and mergeLedgers"))]
        return session(user("go"), *sh("make", shown), *more)

    before, after = talk("parseWidget"), talk("mergeLedgers")
    carried, fresh = SessionNeeds(after, SessionNeeds(before), 2), SessionNeeds(after)
    ids = range(len(after.messages))
    assert [carried.of(m) for m in ids] == [fresh.of(m) for m in ids] != [needs_of(before).of(m) for m in ids]
