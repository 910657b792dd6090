"""What Claude Code did to its own window: compactions with what they kept, cleared results, resumes, retractions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

Write = Callable[..., Path]
EARLY, LATE, LATER = (f"2026-02-04T0{hour}:00:00.000Z" for hour in (1, 5, 6))


def compacted(**meta: object) -> dict[str, object]:
    return {
        "type": "system", "subtype": "compact_boundary", "uuid": "b1", "parentUuid": None, "timestamp": LATE,
        "compactMetadata": {"trigger": "auto", "preTokens": 1000, **meta},
    }  # fmt: skip


def lines(**meta: object) -> list[dict[str, Any]]:
    return [
        user("go", uuid="u1", timestamp=EARLY),
        assistant(use("t1"), uuid="a1", mid="m1", timestamp=EARLY),
        user([result("t1", "out")], uuid="u2", parentUuid="a1", timestamp=EARLY),
        assistant(say("half done"), uuid="a2", mid="m2", parentUuid="u2", timestamp=EARLY),
        compacted(**meta),
        user("summary of it", uuid="u3", parentUuid="b1", isCompactSummary=True, timestamp=LATE),
    ]


def keeps(session: Session) -> list[tuple[int, ...] | None]:
    return [marker.keep for marker in session.markers]


def test_that_a_compaction_says_its_sizes_and_keeps_nothing_by_itself(write: Write) -> None:
    session = open_session(write(*lines(postTokens=200)))
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("compaction", 4, ())
    assert (marker.tokens_before, marker.tokens_after) == (1000, 200)
    assert marker.note == "auto, 1,000 tokens before, 200 tokens after"


@pytest.mark.parametrize(
    ("meta", "keep"),
    [
        ({"preservedMessages": {"uuids": ["a1", "u2", "gone"]}}, (1, 2)),
        ({"preservedMessages": {"allUuids": ["a2"]}}, (3,)),
        ({"preservedMessages": {"uuids": ["a2"], "allUuids": ["a2", "u1"]}}, (3,)),
        ({"preservedSegment": {"headUuid": "a1", "anchorUuid": "u3", "tailUuid": "a2"}}, (1, 2, 3)),
        ({"preservedSegment": {"headUuid": "a1", "tailUuid": "nowhere"}}, ()),
        ({"preservedSegment": None, "preservedMessages": [1]}, ()),
    ],
)
def test_that_preserved_records_are_kept_by_message(
    write: Write, meta: dict[str, object], keep: tuple[int, ...]
) -> None:
    assert keeps(open_session(write(*lines(**meta)))) == [keep]


def test_that_all_results_of_a_kept_record_are_kept(write: Write) -> None:
    found = [
        user("go", uuid="u1", timestamp=EARLY),
        assistant(use("t1"), use("t2"), uuid="a1", timestamp=EARLY),
        user([result("t1"), result("t2")], uuid="u2", timestamp=EARLY),
        compacted(preservedMessages={"uuids": ["u2"]}),
        user("summary", uuid="u3", isCompactSummary=True, timestamp=LATE),
    ]
    assert keeps(open_session(write(*found))) == [(2, 3)]


def test_that_records_written_again_behind_a_compaction_are_no_second_messages(write: Write) -> None:
    made = lines()
    again = [
        # The same record with a new parent, a line of an API message under a new id, a result, an attachment's place.
        {**made[3], "parentUuid": "u3"},
        {**made[1], "uuid": "a9", "parentUuid": "a2"},
        {**made[2], "uuid": "u9", "parentUuid": "a9"},
    ]
    after = assistant(say("goes on"), uuid="a5", mid="m5", parentUuid="u9", timestamp=LATER)
    session = open_session(write(*made, *again, after))
    assert [(m.role, m.text) for m in session.messages] == [
        ("user", "go"),
        ("assistant", ""),
        ("tool", "out"),
        ("assistant", "half done"),
        ("user", "summary of it"),
        ("assistant", "goes on"),
    ]
    assert keeps(session) == [(1, 2, 3)]
    assert [record.label for record in session.other] == [
        "system/compact_boundary",
        "assistant, written again",
        "assistant, written again",
        "user, written again",
    ]
    assert len(session.structure.calls) == 3


def test_that_a_late_line_of_a_new_message_is_no_copy(write: Write) -> None:
    """Clocks may go back: an old time alone makes no copy."""
    session = open_session(write(*lines(), assistant(say("new"), uuid="a7", mid="m7", timestamp=EARLY)))
    assert [m.text for m in session.messages][-1] == "new"


def test_that_cleared_results_and_attachments_are_named_by_message(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            {"type": "attachment", "uuid": "x1", "attachment": {"type": "date_change", "newDate": "today"}},
            assistant(use("t1"), use("t2")),
            user([result("t1"), result("t2")], uuid="u2"),
            {
                "type": "system",
                "subtype": "microcompact_boundary",
                "uuid": "s0",
                "microcompactMetadata": {
                    "preTokens": 900, "tokensSaved": 300, "compactedToolIds": ["t2", "elsewhere"],
                    "clearedAttachmentUUIDs": ["x1"],
                },
            },
            assistant(say("done"), uuid="a2", mid="m2"),
        )
    )  # fmt: skip
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep, marker.cleared) == ("clearing", 5, None, (1, 4))
    assert (marker.tokens_before, marker.tokens_after) == (900, 600)
    assert marker.note == "2 tool results cleared, 1 attachments cleared, 300 tokens saved"


def resumed(before: int, after: int) -> list[dict[str, Any]]:
    """Two parallel calls, of which the chain of parents passes only one; then a resume."""
    return [
        user("go", uuid="u1"),
        assistant(use("t1"), uuid="a1", mid="m1", usage={"input_tokens": before}),
        assistant(use("t2"), uuid="a2", mid="m1", parentUuid="a1", usage={"input_tokens": before}),
        user([result("t2", "two")], uuid="r2", parentUuid="a2"),
        user([result("t1", "one")], uuid="r1", parentUuid="a1"),
        assistant(say("ok"), uuid="a3", mid="m2", parentUuid="r2", usage={"input_tokens": before + 10}),
        assistant(say("No response requested."), uuid="s1", mid="m3", model="<synthetic>", parentUuid="a3"),
        user("and now", uuid="u2", parentUuid="s1"),
        assistant(say("yes"), uuid="a4", mid="m4", parentUuid="u2", usage={"input_tokens": after}),
    ]


def test_that_a_resume_after_which_the_window_shrank_lost_what_stands_beside_the_chain(write: Write) -> None:
    session = open_session(write(*resumed(100, 60)))
    (marker,) = session.markers
    assert (marker.kind, marker.before) == ("resume", 5)
    assert [session.messages[m].text for m in range(5) if m not in (marker.keep or ())] == ["one"]
    assert "1 messages beside the chain of parents were not read back" in marker.note


@pytest.mark.parametrize(("before", "after"), [(100, 200), (0, 60), (100, 0)])
def test_that_a_resume_without_the_providers_word_takes_nothing_out(write: Write, before: int, after: int) -> None:
    assert open_session(write(*resumed(before, after))).markers == ()


def test_that_retracted_messages_leave_the_window(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            assistant(say("I will not"), uuid="a1"),
            {"type": "system", "subtype": "model_refusal_fallback", "uuid": "s1", "retractedMessageUuids": ["a1"]},
            assistant(say("I will"), uuid="a2", mid="m2"),
        )
    )
    (marker,) = session.markers
    assert (marker.kind, marker.before, marker.keep) == ("rollback", 2, (0,))
    assert marker.note == "1 records taken back after model refusal fallback"


def test_that_the_plan_which_the_harness_adds_to_a_call_is_counted_as_not_sent(write: Write) -> None:
    plan = "step " * 50
    for given, unsent in (({"plan": plan, "allowedPrompts": []}, True), ({"plan": plan}, False)):
        session = open_session(write(user("go"), assistant(use("t1", "ExitPlanMode", **given))))
        assert (session.messages[1].unsent > len(plan)) == unsent
        assert json.loads(session.messages[1].tool_calls[0].arguments) == given


def test_that_no_record_of_a_boundary_is_lost(write: Write) -> None:
    made = lines(preservedMessages={"uuids": ["u2"]})
    path = write(*made, {**made[2], "parentUuid": "u3"})
    session = open_session(path)
    spans = [span for m in session.messages for span in m.spans] + [record.span for record in session.other]
    assert sorted({session.source.read(span) for span in spans}) == sorted(
        {encoded(line) for line in [*made, {**made[2], "parentUuid": "u3"}]}
    )


def test_that_a_kept_result_which_belongs_behind_the_boundary_needs_no_keeping(write: Write) -> None:
    """A result before its call is moved behind it; there it is in the window like everything that follows."""
    session = open_session(
        write(
            user("go", uuid="u1", timestamp=EARLY),
            user([result("t1", "early")], uuid="u2", timestamp=EARLY),
            compacted(preservedMessages={"uuids": ["u1", "u2"]}),
            assistant(use("t1"), uuid="a1", timestamp=LATER),
        )
    )
    assert [m.role for m in session.messages] == ["user", "assistant", "tool"]
    (marker,) = session.markers
    assert (marker.before, marker.keep) == (1, (0,))


def test_that_of_a_persisted_output_only_the_preview_was_in_the_window(write: Write) -> None:
    shown = "<persisted-output>\nOutput too large (91KB). Full output saved to: s1/tool-results/x.txt\n\nPreview"
    path = write(user("go"), assistant(use("t1")), user([result("t1", shown)], uuid="u2"))
    spilled = path.with_suffix("") / "tool-results" / "x.txt"
    spilled.parent.mkdir(parents=True)
    spilled.write_text("all of it")
    assert open_session(path).messages[2].text == shown
