"""Branches that a person rewound away from, and forks that are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

Write = Callable[..., Path]


def asked(text: str, uuid: str, parent: str | None) -> dict[str, Any]:
    return user(text, uuid=uuid, parentUuid=parent)


def said(text: str, uuid: str, parent: str) -> dict[str, Any]:
    return assistant(say(text), uuid=uuid, mid=f"m-{uuid}", parentUuid=parent)


def texts(session: Session) -> list[str]:
    return [message.text for message in session.messages]


def rewound() -> list[dict[str, Any]]:
    return [
        asked("one", "u1", None),
        said("1", "a1", "u1"),
        asked("two", "u2", "a1"),
        assistant(use("t1"), uuid="a2", mid="m2", parentUuid="u2"),
        user([result("t1", "out")], uuid="r1", parentUuid="a2"),
        said("2", "a3", "r1"),
        asked("two, otherwise", "u3", "a1"),
        said("2b", "a4", "u3"),
    ]


def test_that_what_was_rewound_is_a_child_and_the_main_session_a_marker(write: Write) -> None:
    session = open_session(write(*rewound()))
    assert texts(session) == ["one", "1", "two, otherwise", "2b"]
    (branch,) = session.children
    assert texts(branch) == ["two", "", "out", "2"]
    assert (branch.id, branch.title, branch.parent_call_id) == ("s1/branch-1", "branch: two", None)
    assert branch.structure.groups[1].messages == (1, 2)
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 2, None)
    assert marker.note == "rewound; 4 messages left on a branch"


def test_that_no_record_of_a_branch_is_lost(write: Write) -> None:
    made = rewound()
    session = open_session(write(*made))
    spans = [span for inner in (session, *session.children) for m in inner.messages for span in m.spans]
    assert sorted(session.source.read(span) for span in spans) == sorted(encoded(line) for line in made)


def test_that_every_rewind_makes_its_own_branch(write: Write) -> None:
    lines = [*rewound(), asked("two, for the third time", "u5", "a1"), said("2c", "a5", "u5")]
    session = open_session(write(*lines))
    assert texts(session) == ["one", "1", "two, for the third time", "2c"]
    assert [texts(child) for child in session.children] == [["two", "", "out", "2"], ["two, otherwise", "2b"]]
    assert [marker.before for marker in session.markers] == [2, 2]


def test_that_a_rewind_inside_a_branch_belongs_to_that_branch_alone(write: Write) -> None:
    lines = [
        asked("one", "u1", None),
        said("1", "a1", "u1"),
        asked("two", "u2", "a1"),
        said("2", "a2", "u2"),
        asked("three", "u3", "a2"),
        said("3", "a3", "u3"),
        asked("three, otherwise", "u4", "a2"),
        said("3b", "a4", "u4"),
        asked("two, otherwise", "u5", "a1"),
        said("2b", "a5", "u5"),
    ]
    session = open_session(write(*lines))
    assert texts(session) == ["one", "1", "two, otherwise", "2b"]
    assert [texts(child) for child in session.children] == [["three", "3"], ["two", "2", "three, otherwise", "3b"]]


def test_that_a_compaction_on_a_branch_is_no_compaction_of_the_main_session(write: Write) -> None:
    boundary = {
        "type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None, "logicalParentUuid": "a3",
        "compactMetadata": {"trigger": "manual"},
    }  # fmt: skip
    made = rewound()
    summary = user("summary", uuid="c1", parentUuid="b1", isCompactSummary=True)
    session = open_session(write(*made[:6], boundary, summary, said("after it", "a9", "c1"), *made[6:]))
    assert texts(session) == ["one", "1", "two, otherwise", "2b"]
    assert [marker.kind for marker in session.markers] == ["rollback"]
    (branch,) = session.children
    assert texts(branch) == ["two", "", "out", "2", "summary", "after it"]
    assert [(marker.kind, marker.before) for marker in branch.markers] == [("compaction", 4)]


def test_that_parallel_calls_progress_and_notes_are_no_branches(write: Write) -> None:
    lines = [
        asked("one", "u1", None),
        assistant(use("t1"), uuid="a1", mid="m1", parentUuid="u1"),
        assistant(use("t2"), uuid="a2", mid="m1", parentUuid="a1"),
        user([result("t1")], uuid="r1", parentUuid="a1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "a2", "data": {"type": "bash_progress"}},
        user([result("t2")], uuid="r2", parentUuid="a2"),
        # A person's message that hangs below a call which has its result elsewhere.
        asked("two", "u2", "a2"),
        said("2", "a3", "u2"),
        # The harness's note hangs beside the answer; nobody wrote it.
        user("<system-reminder>note</system-reminder>", uuid="n1", parentUuid="u2"),
        said("3", "a4", "n1"),
    ]
    session = open_session(write(*lines))
    assert session.children == ()
    assert session.markers == ()
    assert len(session.messages) == 8


def test_that_what_is_still_written_after_a_message_was_not_left_by_it(write: Write) -> None:
    lines = [
        asked("one", "u1", None),
        said("1", "a1", "u1"),
        asked("while you work", "u2", "u1"),
        said("goes on", "a2", "a1"),
        said("and answers", "a3", "u2"),
    ]
    session = open_session(write(*lines))
    assert session.children == ()
    assert len(session.messages) == 5


def test_that_uuids_which_come_twice_prove_no_branch(write: Write) -> None:
    first, second = (assistant(say(text), uuid="x", mid=text, parentUuid="x") for text in "12")
    lines = [asked("one", "x", "x"), first, asked("two", "x", "x"), second]
    session = open_session(write(*lines))
    assert session.children == ()
    assert texts(session) == ["one", "1", "two", "2"]


def test_that_a_rewind_to_before_a_file_that_starts_in_the_middle_is_seen_as_far_as_it_can_be(write: Write) -> None:
    """Both messages hang below a record that is not in the file: what they share is unknown, so both stay."""
    session = open_session(write(asked("a", "u1", "gone"), said("1", "a1", "u1"), asked("b", "u2", "gone")))
    assert texts(session) == ["a", "1", "b"]


def system(subtype: str, uuid: str, parent: str) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, "uuid": uuid, "parentUuid": parent, "sessionId": "s1"}


@pytest.mark.parametrize(
    "between",
    [
        system("api_error", "e1", "r1"),
        system("stop_hook_summary", "e1", "r1"),
        {"type": "progress", "uuid": "e1", "parentUuid": "r1", "data": {"type": "hook_progress"}},
        {"type": "attachment", "uuid": "e1", "parentUuid": "r1", "attachment": {"type": "hook_success"}},
    ],
)
def test_that_what_the_harness_wrote_between_a_prompt_and_an_earlier_message_makes_no_branch(
    write: Write, between: dict[str, Any]
) -> None:
    lines = [
        asked("one", "u1", None),
        assistant(use("t1"), uuid="a1", mid="m1", parentUuid="u1"),
        user([result("t1", "out")], uuid="r1", parentUuid="a1"),
        said("done", "a2", "r1"),
        between,
        asked("two", "u2", "e1"),
        said("done too", "a3", "u2"),
    ]
    session = open_session(write(*lines))
    assert (session.children, session.markers, len(session.messages)) == ((), (), 6)


def measured(text: str, uuid: str, parent: str, context: int) -> dict[str, Any]:
    return assistant(
        say(text), uuid=uuid, mid=f"m-{uuid}", parentUuid=parent, usage={"input_tokens": context, "output_tokens": 5}
    )


@pytest.mark.parametrize(("after", "branches"), [(10_200, 1), (14_300, 0)])
@pytest.mark.parametrize("between", [True, False])
def test_that_figures_tell_a_rewind(write: Write, after: int, branches: int, *, between: bool) -> None:
    lines = [
        asked("one", "u1", None),
        measured("1", "a1", "u1", 10_000),
        asked("two " * 3_000, "u2", "a1"),
        measured("2", "a2", "u2", 14_100),
        *([system("stop_hook_summary", "h1", "a1")] if between else []),
        asked("two, otherwise", "u3", "h1" if between else "a1"),
        measured("2b", "a3", "u3", after),
    ]
    assert len(open_session(write(*lines)).children) == branches


def cleared(context: int | None = None) -> list[dict[str, Any]]:
    """A conversation, and a second one below a record without a parent."""
    last = said("planned", "a4", "u4") if context is None else measured("planned", "a4", "u4", context)
    return [
        asked("one", "u1", None),
        measured("word " * 4_000, "a1", "u1", 10_000),
        asked("two", "u2", "a1"),
        measured("2", "a2", "u2", 15_000),
        {"type": "progress", "uuid": "p1", "parentUuid": None, "data": {"type": "hook_progress"}},
        asked("the plan", "u4", "p1"),
        last,
    ]


@pytest.mark.parametrize("context", [None, 10_100])
def test_that_a_person_below_a_record_without_a_parent_begins_a_new_chain(write: Write, context: int | None) -> None:
    session = open_session(write(*cleared(context)))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("new_chain", 4, ())
    assert len(session.messages) == 6


def test_that_a_context_which_grew_on_was_not_cleared(write: Write) -> None:
    assert open_session(write(*cleared(15_400))).markers == ()


def test_that_records_which_are_never_linked_are_no_chains(write: Write) -> None:
    lines = [asked("a", "u1", None), assistant(say("1"), uuid="a1", mid="m1"), asked("b", "u2", None)]
    lines.append(assistant(say("2"), uuid="a2", mid="m2"))
    assert open_session(write(*lines)).markers == ()
