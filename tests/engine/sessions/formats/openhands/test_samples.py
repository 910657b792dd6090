"""OpenHands' samples against counts made of the raw events."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from ravenglass.sessions import counts, open_session
from ravenglass.sessions.formats.openhands.folder import OpenHandsFolder
from ravenglass.sessions.model.session import Session

pytestmark = pytest.mark.samples

Json = dict[str, Any]


def pieces(session: Session) -> list[bytes]:
    spans = {span for m in session.messages for span in m.spans} | {record.span for record in session.other}
    return [session.source.read(span) for span in spans]


def test_that_the_demo_of_the_first_generation_is_read_whole(samples: Path) -> None:
    path = samples / "openhands/v0_demo1_18events.json"
    events: list[Json] = json.loads(path.read_bytes())
    session = open_session(path)
    acts = [event for event in events if event.get("action") and event.get("tool_call_metadata")]
    results = [event for event in events if event.get("observation") and event.get("tool_call_metadata")]
    figures = counts(session)
    assert (figures.messages, figures.calls, figures.turns) == (10, 5, 1)
    assert (figures.tool_calls, figures.tool_results) == (len(acts), len(results)) == (4, 4)
    assert not any(group.unanswered or group.orphan for group in session.structure.groups)
    assert [m.usage.context for m in session.messages if m.usage] == [
        event["tool_call_metadata"]["model_response"]["usage"]["prompt_tokens"] for event in acts
    ]
    noise = [event for event in events if event.get("observation") in ("null", "agent_state_changed")]
    assert len(session.other) == len(noise) + sum(event.get("action") == "change_agent_state" for event in events)
    assert sorted(json.loads(piece)["id"] for piece in pieces(session)) == list(range(18))
    assert session.model == "claude-3-5-sonnet-20241022"


def test_that_the_timeline_is_read(samples: Path) -> None:
    session = open_session(samples / "openhands/v0_sample-trajectory.json")
    assert [m.role for m in session.messages] == ["user", "assistant", "assistant"]
    assert [json.loads(piece)["id"] for piece in sorted(pieces(session))] == [1, 2, 3]
    assert sum(len(group.unanswered) for group in session.structure.groups) == 1


def test_that_the_conversation_of_the_second_generation_is_read_whole(samples: Path) -> None:
    folder = samples / "openhands/v1_conv/probe_3fdb3160"
    files = sorted((folder / "events").glob("*.json"))
    kinds = Counter(json.loads(path.read_bytes())["kind"] for path in files)
    session = open_session(folder)
    figures = counts(session)
    assert figures.messages == sum(kinds.values()) == 11
    assert (figures.tool_calls, figures.tool_results) == (kinds["ActionEvent"], kinds["ObservationEvent"]) == (3, 3)
    assert figures.turns == kinds["MessageEvent"] == 3
    prompts = kinds["SystemPromptEvent"] + kinds["SystemPromptUpdateEvent"]
    assert [m.role for m in session.messages].count("system") == prompts == 2
    assert sorted(pieces(session)) == sorted(path.read_bytes() for path in [*files, folder / "base_state.json"])
    stats = json.loads((folder / "base_state.json").read_bytes())["stats"]["usage_to_metrics"]["probe"]
    told = [m.usage for m in session.messages if m.usage]
    assert [(usage.context, usage.output) for usage in told] == [
        (item["prompt_tokens"], item["completion_tokens"]) for item in stats["token_usages"]
    ]
    last = json.loads(files[4].read_bytes())["tools"]
    assert json.loads(session.tools_text or "") == last
    assert (session.damage, session.warnings) == ((), ())


def test_that_the_folder_above_lists_it(samples: Path) -> None:
    (entry,) = OpenHandsFolder().entries(samples / "openhands/v1_conv")
    assert (entry.key, entry.model) == ("probe_3fdb3160", "gpt-4o-mini")
    assert open_session(entry.path, entry.key).id == entry.id
