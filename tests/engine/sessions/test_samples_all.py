"""Every file and folder of the recorded sessions opens, or says in a sentence what it is instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ravenglass.sessions.catalogue.listing import listing
from tests.engine.sessions.sample_table import Row, rows

pytestmark = pytest.mark.samples

NO_SESSION = (
    (r"\.meta\.json$", "the description of a sub-agent"),
    (r"journal\.jsonl$", "workflow journal"),
    (r"workflows/wf_[^/]+\.json$", "the description of a workflow run"),
    (r"\.js$", "is no JSON"),
    (r"\.curator/archive/", "an archive file"),
    (r"\.curator/traces/", "a trace log"),
    (r"\.curator/manifest/", "a manifest of Raven's curator"),
    (r"\.curator/working_state/", "a working state of Raven's curator"),
)
"""What is no session, and what the sentence calls it."""
FOLDERS = {
    "anthropic-messages": "anthropic-messages",
    "claude-code": "claude-code",
    "codex": "codex",
    "gemini-cli": "gemini-cli",
    "nanobot": "raven",
    "openai-chat": "openai-chat",
    "openai-responses": "openai-responses",
    "openclaw-pi": "pi",
    "opencode": "opencode",
    "openhands": "openhands",
    "raven": "raven",
}
EMPTY = (
    r"agentsessions_codex_05\d",
    r"22222222-2222-4222-8222-222222222222",
    r"_warning_only\.json",
)
"""Only counters and events, only a last prompt, only a warning: they open, and say that there are no messages."""


def expected(name: str) -> str | None:
    return next((words for pattern, words in NO_SESSION if re.search(pattern, name)), None)


@pytest.fixture(scope="module")
def table(samples: Path) -> list[Row]:
    return list(rows(samples))


def test_that_every_session_opens_as_its_format(table: list[Row]) -> None:
    assert len(table) >= 100
    for row in table:
        if expected(row.name) is not None:
            continue
        assert row.session is not None, row.refusal
        agent = "mini-swe-agent" if "/mini_" in row.name else "swe-agent"
        assert row.session.format == FOLDERS.get(row.name.split("/")[0], agent), row.name
        assert row.session.damage == (), row.name
        assert row.session.pending is None, row.name
        empty = any(re.search(pattern, row.name) for pattern in EMPTY)
        assert bool(row.session.messages) is not empty, row.name
        assert empty is ("The file holds no messages." in row.session.warnings), row.name


def test_that_what_is_no_session_says_what_it_is(table: list[Row]) -> None:
    refused = {row.name: row.refusal for row in table if row.session is None}
    assert len(refused) >= 20
    for name, sentence in refused.items():
        words = expected(name)
        assert words is not None, f"{name} should open: {sentence}"
        assert words in sentence, sentence
        assert Path(name).name in sentence
        assert sentence.endswith(".")


def test_that_only_the_file_that_begins_in_the_middle_has_an_orphan(table: list[Row]) -> None:
    assert [row.name for row in table if row.session is not None and row.figures[5]] == [
        "claude-code/entire_orphan_tool_result_122lines.jsonl"
    ]


def test_that_a_list_of_all_samples_has_every_session_once(samples: Path, table: list[Row]) -> None:
    listed = list(listing(samples))
    # Two files of one session of which neither holds all of the other are both listed, and linked.
    alone = [entry for entry in listed if not entry.beside]
    assert len({(entry.format, entry.id) for entry in alone}) == len(alone)
    places = {(entry.path, entry.key) for entry in listed}
    sessions = {(entry.format, entry.id) for entry in listed}
    for row in table:
        # Two files may be one session at two times; sub-agents that a holder holds have no row of their own here.
        if row.session is not None and (row.session.path, row.session.key) not in places:
            assert (row.session.format, row.session.id) in sessions, row.name
