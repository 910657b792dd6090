"""Which attachments of Claude Code become messages, and with which text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.formats.claude.attachments import attached
from tests.engine.sessions.conftest import assistant, say, user

Write = Callable[..., Path]


def text_of(**attachment: object) -> str | None:
    found = attached(attachment)
    return None if found is None else "\n".join(part.text for part in found[0])


@pytest.mark.parametrize(
    ("attachment", "text"),
    [
        (
            {"type": "file", "filename": "a.py", "content": {"type": "text", "file": {"content": "x = 1"}}},
            "a.py\n\nx = 1",
        ),
        ({"type": "edited_text_file", "filename": "a.py", "snippet": "1 x"}, "a.py\n\n1 x"),
        (
            {"type": "nested_memory", "path": "x.md", "content": {"path": "x.md", "content": "Be kind"}},
            "x.md\n\nBe kind",
        ),
        (
            {"type": "relevant_memories", "memories": [{"path": "m.md", "content": "one"}, {"content": "two"}]},
            "m.md\n\none\n\ntwo",
        ),
        ({"type": "hook_success", "content": "hook says"}, "hook says"),
        ({"type": "hook_additional_context", "content": ["a", {"text": "b"}]}, "a\nb"),
        ({"type": "hook_blocking_error", "blockingError": {"blockingError": "no"}}, "no"),
        (
            {"type": "todo_reminder", "content": [{"status": "pending", "content": "write"}]},
            "[pending] write",
        ),
        ({"type": "task_reminder", "content": [{"status": "done", "subject": "read"}]}, "[done] read"),
        ({"type": "task_reminder", "content": []}, "[task reminder; its text is not in the record]"),
        ({"type": "auto_mode"}, "[auto mode reminder; its text is not in the record]"),
        (
            {"type": "plan_mode", "planFilePath": "p.md"},
            "[plan mode reminder; its text is not in the record; plan file p.md]",
        ),
        ({"type": "skill_listing", "content": "- a skill"}, "- a skill"),
        ({"type": "invoked_skills", "skills": [{"name": "s", "content": "do"}]}, "s\n\ndo"),
        (
            {"type": "deferred_tools_delta", "addedLines": ["read", "write"], "removedNames": ["old"]},
            "read\nwrite\nremoved: old",
        ),
        ({"type": "mcp_instructions_delta", "addedBlocks": ["# server"]}, "# server"),
        ({"type": "date_change", "newDate": "2026-03-02"}, "The date is now 2026-03-02"),
        (
            {"type": "compact_file_reference", "filename": "b.py"},
            "Read before the summary, too large to be shown again: b.py",
        ),
        ({"type": "total_tokens_reminder", "text": "half is left"}, "half is left"),
        ({"type": "budget_usd", "used": 1, "total": 5, "remaining": 4}, "used 1, total 5, remaining 4"),
        ({"type": "task_status", "taskId": "t", "status": "done", "deltaSummary": None}, "t; done"),
        (
            {
                "type": "diagnostics",
                "files": [{"uri": "a.py", "diagnostics": [{"message": "bad"}, {"message": "worse"}]}],
            },
            "a.py: bad\na.py: worse",
        ),
        (
            {"type": "mcp_resource", "uri": "mcp://x", "content": {"contents": [{"text": "body"}]}},
            "mcp://x\n\nbody",
        ),
    ],
)  # fmt: skip
def test_that_what_the_model_saw_becomes_a_meta_message_with_its_text(attachment: dict[str, object], text: str) -> None:
    found = attached(attachment)
    assert found is not None
    assert found[1] == "meta"
    assert text_of(**attachment) == text


@pytest.mark.parametrize(
    "attachment",
    [
        {"type": "hook_success", "content": ""},
        {"type": "command_permissions", "allowedTools": []},
        {"type": "hook_non_blocking_error", "stderr": "x"},
        {"type": "dynamic_skill", "skillNames": ["a"]},
        {"type": "deferred_tools_delta", "addedLines": []},
        {"type": "file"},
        {"type": "file", "content": [1]},
        {"type": "brand_new", "text": "x"},
        {"type": 3},
        {},
        None,
        "text",
    ],
)
def test_that_what_the_model_did_not_see_is_no_message(attachment: object) -> None:
    assert attached(attachment) is None


def test_that_an_attached_image_is_an_image_part() -> None:
    content = {"type": "image", "file": {"base64": "QUJD", "type": "image/png"}}
    found = attached({"type": "file", "filename": "a.png", "content": content})
    assert found is not None
    assert [(part.kind, part.text) for part in found[0]] == [("text", "a.png"), ("image", "[image image/png, 3 bytes]")]


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"commandMode": "prompt"}, "prompt"),
        ({"commandMode": "prompt", "isMeta": True}, "meta"),
        ({"commandMode": "task-notification"}, "meta"),
        ({}, "meta"),
    ],
)
def test_that_a_queued_command_is_a_prompt_only_where_a_person_typed_it(more: dict[str, object], kind: str) -> None:
    found = attached({"type": "queued_command", "prompt": "and the tests too", **more})
    assert found is not None
    assert (found[0][0].text, found[1]) == ("and the tests too", kind)


def test_that_attachments_stand_where_they_were_written_and_the_others_stay_other_records(write: Write) -> None:
    session = open_session(
        write(
            user("go"),
            {"type": "attachment", "uuid": "x1", "attachment": {"type": "hook_success", "content": ""}},
            {"type": "attachment", "uuid": "x2", "attachment": {"type": "date_change", "newDate": "today"}},
            assistant(say("fine")),
        )
    )
    assert [(m.role, m.kind, m.text) for m in session.messages] == [
        ("user", "prompt", "go"),
        ("user", "meta", "The date is now today"),
        ("assistant", "ordinary", "fine"),
    ]
    assert session.messages[1].source_id == "x2"
    assert [record.label for record in session.other] == ["attachment/hook_success"]
