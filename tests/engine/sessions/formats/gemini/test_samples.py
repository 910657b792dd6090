"""Recorded sessions of Gemini CLI, against counts of their raw JSON (they are not part of the checkout)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.model.structure import analyse
from tests.engine.sessions.stepwise import check, held, read_stepwise, value_of

pytestmark = pytest.mark.samples

NOTES = ("info", "warning", "error")


@dataclass(frozen=True)
class Counted:
    """Figures of one file, counted here. `divided`: responses whose calls stand behind a note, in another record."""

    messages: int
    calls: int
    tool_calls: int
    results: int
    prompts: int
    usage: list[tuple[int, int]]


def raw_messages(path: Path) -> list[dict[str, Any]]:
    """The final list of messages: of a document its list, of lines the last version of each id."""
    if path.suffix == ".json":
        value = json.loads(path.read_bytes())
        return list(value.get("messages") or value.get("history"))
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_bytes().split(b"\n"):
        record = json.loads(line) if line.strip() else {}
        if "id" in record:
            found[record["id"]] = record
    return list(found.values())


def divided(messages: list[dict[str, Any]]) -> set[int]:
    """Positions of records that hold only the calls of the response before a note."""
    found = set()
    for n in range(2, len(messages)):
        one, between, before = messages[n], messages[n - 1], messages[n - 2]
        empty = not one.get("content") and not one.get("thoughts") and not any((one.get("tokens") or {}).values())
        told = between.get("type") in NOTES and before.get("type") == "gemini" and not before.get("toolCalls")
        if one.get("type") == "gemini" and empty and told:
            found.add(n)
    return found


def counted(path: Path) -> Counted:
    messages = raw_messages(path)
    skipped = divided(messages)
    mine = [
        m for n, m in enumerate(messages) if (m.get("type") or m["role"]) not in (*NOTES, "user") and n not in skipped
    ]
    asked = [m for m in messages if (m.get("type") or m["role"]) == "user"]
    tools = [tool for m in messages for tool in m.get("toolCalls") or []]
    results = [tool for tool in tools if tool.get("result")]
    tokens = [m["tokens"] for m in mine if any((m.get("tokens") or {}).values())]
    return Counted(
        messages=len(mine) + len(asked) + len(results),
        calls=len(mine),
        tool_calls=len(tools),
        results=len(results),
        prompts=sum(m.get("content") != "System: Please continue." for m in asked),
        usage=[(figures["input"], figures["output"] + figures["thoughts"]) for figures in tokens],
    )


def files(samples: Path) -> list[Path]:
    return sorted((samples / "gemini-cli").iterdir())


def test_that_every_file_has_the_messages_calls_and_results_of_its_raw_json(samples: Path) -> None:
    assert len(files(samples)) == 9
    for path in files(samples):
        session, own = open_session(path), counted(path)
        figures = counts(session)
        assert session.format == "gemini-cli"
        assert (
            Counted(
                messages=figures.messages,
                calls=figures.calls,
                tool_calls=figures.tool_calls,
                results=figures.tool_results,
                prompts=figures.turns,
                usage=[(m.usage.context or 0, m.usage.output or 0) for m in session.messages if m.usage],
            )
            == own
        ), path.name
        assert (figures.damaged_lines, figures.children, session.pending) == (0, 0, None)
        assert not any(group.orphan or group.unanswered for group in session.structure.groups)
        assert session.structure == analyse(session.messages)
        check(session)


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("entire_12_cbfeaa512b.json", (8, 4, 2, 2, 2)),
        ("entire_51_3fab7adf0b.json", (5, 2, 1, 1, 1)),
        ("entire_9c_53780d06b7.json", (10, 5, 4, 4, 1)),
        ("entire_c9_45f262e88d.json", (4, 2, 1, 1, 1)),
        ("entire_ec_38b74f08e3_warning_only.json", (0, 0, 0, 0, 0)),
        ("agentsessions_small.json", (2, 1, 0, 0, 1)),
        ("agentsessions_large.json", (8, 4, 2, 2, 2)),
        ("agentsessions_schema_drift.json", (2, 1, 0, 0, 1)),
        ("agentsessions_jsonl_v040.jsonl", (4, 2, 1, 1, 1)),
    ],
)
def test_that_the_figures_of_each_file_are_these(samples: Path, name: str, figures: tuple[int, ...]) -> None:
    found = counts(open_session(samples / "gemini-cli" / name))
    assert (found.messages, found.calls, found.tool_calls, found.tool_results, found.turns) == figures


def test_that_no_record_is_lost_and_every_place_is_exact(samples: Path) -> None:
    for path in files(samples):
        session = open_session(path)
        pieces = [json.loads(session.source.read(span)) for span in held(session)]
        if path.suffix == ".jsonl":
            assert len(pieces) == sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
        else:
            assert len(pieces) == len(raw_messages(path))
            assert all(message in pieces for message in raw_messages(path))
        data = path.read_bytes()
        for span in held(session):
            assert data.count(b"\n", 0, span.offset) + 1 == span.line


def test_that_reading_on_gives_what_reading_at_once_gives(samples: Path) -> None:
    for path in files(samples):
        assert value_of(read_stepwise(path)) == value_of(open_session(path))


def test_that_what_the_person_sees_of_a_tool_is_not_in_the_window(samples: Path) -> None:
    session = open_session(samples / "gemini-cli" / "entire_9c_53780d06b7.json")
    text = "\n".join(message.text for message in session.messages)
    assert "This tool executes a given shell command" not in text
    assert session.messages[7].usage is not None
    assert [call.name for call in session.messages[7].tool_calls] == ["run_shell_command"]
    assert len(session.messages[7].spans) == 2


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8, 0.99])
def test_that_a_file_cut_while_it_was_written_keeps_all_whole_messages(
    samples: Path, tmp_path: Path, share: float
) -> None:
    data = (samples / "gemini-cli" / "entire_9c_53780d06b7.json").read_bytes()
    whole = open_session(samples / "gemini-cli" / "entire_9c_53780d06b7.json")
    cut = int(len(data) * share)
    path = tmp_path / "session-cut.json"
    path.write_bytes(data[:cut])
    session = open_session(path)
    assert session.id == whole.id
    expected = {span for span in held(whole) if span.offset + span.length <= cut}
    assert expected <= held(session)
    assert counts(session).damaged_lines == 1
