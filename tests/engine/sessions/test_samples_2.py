"""The second set of recorded sessions: figures counted in the raw records, by a script that shares no code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.sessions import counts, open_session
from tests.conftest import ROOT

SAMPLES = ROOT.parent / "shared" / "samples-2"
pytestmark = pytest.mark.samples

FIGURES = (
    ("qwen-code/432a501b-7714-4aae-b6da-1fff3b329f8e.jsonl", "", "qwen-code", 9, 9, 9, 1),
    ("goose/sessions.db", "20260210_1", "goose", 9, 9, 0, 1),
    ("goose/sessions.db", "20260210_2", "goose", 0, 0, 0, 0),
    ("goose/20250801_120000.jsonl", "", "goose", 1, 1, 0, 0),
    ("droid/session_store_large.jsonl", "", "droid", 1, 1, 0, 0),
    ("amp/T-42b38755-cd37-480e-96ac-4191a26aa0ae.json", "", "amp", 9, 9, 9, 0),
    ("continue/d9ab161e-1a3f-415b-8e3e-f978968544c0.json", "", "continue", 9, 9, 9, 0),
    ("hermes/state.db", "", "hermes", 12, 12, 0, 0),
    ("vscode-copilot-chat/chatSession_mutationlog_handmade.jsonl", "", "vscode-chat", 6, 6, 2, 1),
    ("vscode-copilot-chat/chatSession_json_toolfixture.json", "", "vscode-chat", 0, 0, 5, 0),
)
"""File, key, format, calls of tools, their results, requests with usage, compactions."""


@pytest.mark.parametrize(("name", "key", "format_name", "asked", "came", "usage", "compactions"), FIGURES)
def test_that_a_sample_has_the_figures_of_its_raw_records(
    name: str, key: str, format_name: str, asked: int, came: int, usage: int, compactions: int
) -> None:
    path: Path = SAMPLES / name
    if not path.exists():
        pytest.skip(f"the recorded sessions are not here ({SAMPLES})")
    session = open_session(path, key)
    found = counts(session)
    assert (session.format, found.tool_calls, found.tool_results) == (format_name, asked, came)
    assert sum(message.usage is not None for message in session.messages) == usage
    assert sum(marker.kind == "compaction" for marker in session.markers) == compactions


def test_that_what_was_rewound_is_a_child_and_what_was_archived_is_before_the_marker() -> None:
    path = SAMPLES / "hermes" / "state_rewound_compacted.db"
    if not path.exists():
        pytest.skip(f"the recorded sessions are not here ({SAMPLES})")
    session = open_session(path)
    (marker,) = session.markers
    kept = len(marker.keep or ()) + len(session.messages) - marker.before
    assert (len(session.messages), kept, [len(child.messages) for child in session.children]) == (24, 3, [7])
