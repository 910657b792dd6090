"""Recorded sessions of real agents, against what is known of them (they are not part of the checkout)."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.session import Session

pytestmark = pytest.mark.samples

FOLDERS = ("claude-code", "openai-chat", "raven/workspace/sessions")


def sessions(samples: Path) -> list[Path]:
    """Top-level session files: not the sub-agents' files, not what stands beside them."""
    found = [path for folder in FOLDERS for path in sorted((samples / folder).rglob("*.json*"))]
    return [path for path in found if not {"subagents", "workflows"} & set(path.parts)]


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


def family(session: Session) -> list[Session]:
    return [session, *(inner for child in session.children for inner in family(child))]


def test_that_every_session_opens_and_raw_is_byte_equal_to_the_file(samples: Path) -> None:
    paths = sessions(samples)
    assert len(paths) >= 20
    for path in paths:
        for session in family(open_session(path)):
            data = content(session.path)
            for message in session.messages:
                slices = [data[span.offset : span.offset + span.length] for span in message.spans]
                assert session.raw(message.id) == b"\n".join(slices)
                assert all(json.loads(piece) is not None for piece in slices)
                for span in message.spans:
                    assert data.count(b"\n", 0, span.offset) + 1 == span.line
                    assert b"\n" not in data[span.offset : span.offset + span.length] or path.suffix == ".json"


def test_that_no_record_of_a_claude_code_file_is_lost(samples: Path) -> None:
    for path in sorted((samples / "claude-code").glob("*.jsonl*")):
        session = open_session(path)
        data = content(path)
        held = {
            span.offset
            for inner in family(session)
            if inner.path == path
            for span in [*(s for m in inner.messages for s in m.spans), *(record.span for record in inner.other)]
        }
        assert len(held) == sum(_records_in(line) for line in data.split(b"\n") if line.strip()), path.name
        assert session.damage == ()
        assert session.pending is None


def _records_in(line: bytes) -> int:
    text, position, found = line.decode(), 0, 0
    while position < len(text):
        _, position = json.JSONDecoder().raw_decode(text, position)
        found += 1
    return found


def test_that_every_tool_call_and_result_of_a_claude_code_file_is_there_once(samples: Path) -> None:
    for path in sorted((samples / "claude-code").glob("entire_*")):
        calls = results = 0
        for line in content(path).split(b"\n"):
            text, position = line.decode(), 0
            while position < len(text):
                record, position = json.JSONDecoder().raw_decode(text, position)
                body = record.get("message") if record["type"] in ("user", "assistant") else None
                blocks = body["content"] if body and isinstance(body["content"], list) else []
                calls += sum(block["type"] == "tool_use" for block in blocks)
                results += sum(block["type"] == "tool_result" for block in blocks)
        figures = counts(open_session(path))
        assert (figures.tool_calls, figures.tool_results) == (calls, results), path.name


def test_that_the_file_which_starts_in_the_middle_has_one_orphan_result(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_orphan_tool_result_122lines.jsonl")
    assert sum(group.orphan for group in session.structure.groups) == 1
    assert sum("orphan_result" in message.flags for message in session.messages) == 1
    assert counts(session).tool_results == counts(session).tool_calls + 1


def test_that_both_records_of_the_glued_line_are_read(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_glued_records_170lines.jsonl")
    spans = [span for message in session.messages for span in message.spans] + [record.span for record in session.other]
    assert sum(span.line == 128 for span in spans) == 2
    assert session.warnings == ("Line 128 holds 2 records without a line break; all were read.",)
    assert session.title != ""


def test_that_the_large_file_has_three_compactions_each_followed_by_its_summary(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz")
    assert [marker.kind for marker in session.markers] == ["resume", *["compaction"] * 3]
    compactions = session.markers[1:]
    assert [session.messages[marker.before].kind for marker in compactions] == ["summary"] * 3
    figures = counts(session)
    assert (figures.tool_calls, figures.tool_results, figures.damaged_lines) == (206, 206, 0)
    before = [
        next(m.usage.context for m in reversed(session.messages[: marker.before]) if m.usage and m.usage.context)
        for marker in compactions
    ]
    assert [marker.tokens_before for marker in compactions] == [156_699, 155_241, 155_413]
    assert before == pytest.approx([156_699, 155_241, 155_413], rel=0.18)


def test_that_compaction_and_clearing_of_one_file_are_both_marked(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_compact_and_microcompact_236lines.jsonl")
    assert [marker.kind for marker in session.markers] == ["clearing", "compaction"]


def test_that_the_sub_agent_embedded_in_progress_is_a_child_of_its_task_call(samples: Path) -> None:
    session = open_session(samples / "claude-code/entire_subagent_progress_mcp_236lines.jsonl")
    (child,) = session.children
    task = next(call for message in session.messages for call in message.tool_calls if call.id == child.parent_call_id)
    assert json.loads(task.arguments)["prompt"].strip() == child.messages[0].text.strip()
    assert counts(child).tool_calls == counts(child).tool_results == 20


def test_that_the_sidechains_of_old_versions_are_children_of_their_task_calls(samples: Path) -> None:
    for name, children in (("ccv_v1.0.98_438lines", 5), ("ccv_v1.0.108_53lines", 2)):
        session = open_session(samples / f"claude-code/{name}.jsonl")
        assert len(session.children) == children
        calls = {call.id for message in session.messages for call in message.tool_calls}
        assert {child.parent_call_id for child in session.children} <= calls
        assert len({child.parent_call_id for child in session.children}) == children


def test_that_sub_agent_files_of_the_new_layout_are_children(samples: Path) -> None:
    folder = samples / "claude-code/rungraph_projects/-home-dev-acme"
    session = open_session(folder / "11111111-1111-4111-8111-111111111111.jsonl")
    assert [child.id for child in session.children] == [
        "a123456789abcdef0",
        "aaaa000000000001f",
        "aaaa000000000002f",
        "aaaa000000000003f",
    ]
    assert session.children[0].parent_call_id == "toolu_fxA001"


def test_that_the_logged_request_ends_with_its_response(samples: Path) -> None:
    session = open_session(samples / "openai-chat/openhands_llmlog_request_tools_response.json")
    assert len(session.messages) == 13
    assert session.messages[-1].usage is not None
    assert (session.messages[-1].usage.context, session.messages[-1].usage.output) == (6729, 199)
    assert session.tools_text is not None
    assert json.loads(session.tools_text)


def test_that_the_two_fine_tuning_lines_are_a_session_and_its_child(samples: Path) -> None:
    session = open_session(samples / "openai-chat/derived_finetune_lines.jsonl")
    assert [len(session.messages), *(len(child.messages) for child in session.children)] == [14, 10]


def test_that_raven_sessions_hold_every_message_and_the_last_call_is_unanswered(samples: Path) -> None:
    for path in sorted((samples / "raven/workspace/sessions/cli").glob("*.jsonl")):
        figures = counts(open_session(path))
        assert (figures.messages, figures.tool_calls, figures.tool_results) == (376, 188, 187)
        unanswered = [group.unanswered for group in open_session(path).structure.groups if group.unanswered]
        assert len(unanswered) == 1
    chat = open_session(samples / "raven/workspace/sessions/telegram/chat_42.jsonl")
    assert "\u2028" in chat.messages[0].text
    assert len(chat.messages) == 2


def test_that_nanobot_files_are_read_with_their_consolidated_count(samples: Path) -> None:
    session = open_session(samples / "nanobot/cli_direct.jsonl")
    assert (session.format, session.markers[0].before, len(session.messages)) == ("raven", 20, 61)
