"""A newer version of a file stands as a difference only where its first version stands whole in the same window."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass.hub.item import Form
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.stepping.changes import Compaction, HandChange, HandPlan
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.scheduler.views import plain
from tests.proofs import examples

OLD = "\n".join(f"line {n}" for n in range(300))
NEW = OLD.replace("line 100", "line one hundred")
BASE, NEWER = 2, 5
"""Results of the first read and of the second; the first one's group also holds what no edit outdates."""
_SAID = re.compile(r"\A\[a newer version of message #(\d+), as the difference from it\]")


def conversation(*later: Message) -> list[Message]:
    look = assistant("", call("Read", file_path="a.py"), call("Bash", command="pytest"))
    again = assistant("", call("Read", file_path="a.py"))
    return [user("go"), look, result(OLD), result("1 passed"), again, result(NEW), *later]


def ran(changes: tuple[Any, ...] = (), *, calls: int = 3, **fields: Any) -> SimulatedRun:
    more = [m for _ in range(calls) for m in (assistant("", call("Bash", command="x")), result("ok"))]
    return replay(session(*conversation(*more), assistant("Done.")), plain(20_000, **fields), changes)


def alone(run: SimulatedRun) -> list[tuple[int, int]]:
    """(call, message) of differences in windows that do not hold their first version whole."""
    found = []
    for number in range(1, run.calls + 1):
        window = {m.id: m for m in run.window(number).messages if m.id is not None}
        for m, shown in window.items():
            said = _SAID.match(shown.text)
            base = window.get(int(said[1])) if said else None
            if said and (base is None or not base.verbatim):
                found.append((number, m))
    return found


@pytest.mark.rule("5.26")
def test_that_a_difference_stands_beside_a_base_that_nothing_protects() -> None:
    run = ran((Compaction(4, 15_000),))
    assert run.row(4, NEWER).form is Form.REFERENCE
    assert run.row(4, BASE).form is Form.FULL
    assert alone(run) == []


@pytest.mark.rule("5.26")
def test_that_it_stands_by_itself_again_at_the_call_at_which_its_base_leaves() -> None:
    run = ran((Compaction(4, 15_000), HandChange(5, "archive", BASE)))
    assert run.row(4, NEWER).form is Form.REFERENCE
    assert [run.row(n, NEWER).form for n in (5, 6)] == [Form.FULL, Form.FULL]
    assert alone(run) == []
    texts = {m.id: m.text for m in run.window(5).messages}
    assert texts[NEWER] == NEW
    assert BASE not in texts


@pytest.mark.rule("5.26")
def test_that_a_slow_path_that_drops_the_base_shows_the_newer_version() -> None:
    run = ran((Compaction(4, 15_000), HandChange(5, "relevance", BASE, 0.0), Compaction(5, 1_300)))
    assert alone(run) == []
    assert run.frame(5).tokens <= run.inputs.budget.available


@pytest.mark.rule("5.26")
def test_that_it_stands_by_itself_where_the_assembler_has_to_drop_its_base() -> None:
    more = [m for _ in range(3) for m in (assistant("", call("Bash", command="x")), result("ok"))]
    built = session(*conversation(*more), assistant("Done."))
    everything = HandPlan(4, frozenset(range(len(built.messages))))
    changes = (HandChange(4, "relevance", BASE, 0.0), HandChange(4, "relevance", NEWER, 1.0), everything)
    run = replay(built, plain(1_250), (*changes, Compaction(4, 1_250)))
    texts = {m.id: m.text for m in run.window(4).messages}
    assert BASE not in texts
    assert texts[NEWER] == NEW
    assert alone(run) == []


_KINDS = st.sampled_from(["archive", "retrieve", "pin", "unpin"])
_HAND = st.builds(HandChange, st.integers(2, 6), _KINDS, st.sampled_from([BASE, NEWER, 7]))
_SLOW = st.builds(Compaction, st.integers(2, 6), st.sampled_from([200, 1_000, 1_500, 3_000, 15_000]))


@given(
    changes=st.lists(st.one_of(_HAND, _SLOW), max_size=5, unique_by=lambda c: (c.call, type(c))),
    eager=st.booleans(), offload=st.sampled_from([100, 200_000]),
)  # fmt: skip
@settings(max_examples=examples(300))
def test_that_no_window_holds_a_difference_without_its_first_version(
    changes: list[Any], eager: bool, offload: int
) -> None:
    run = ran(tuple(sorted(changes, key=lambda c: c.call)), eager_lifecycle=eager, offload_tokens=offload)
    assert alone(run) == []
