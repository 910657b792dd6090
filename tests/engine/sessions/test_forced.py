"""Every sample under every format that is forced on it: refused, or opened with a warning, or with all its texts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from ravenglass.errors import SessionError
from ravenglass.sessions import importers, open_session
from ravenglass.sessions.model.counts import family
from ravenglass.sessions.model.session import Session
from tests.conftest import ROOT
from tests.engine.sessions.test_nothing_lost import lines
from tests.engine.sessions.written.documents import DOCUMENTS
from tests.engine.sessions.written.lines import LINES
from tests.engine.sessions.written.talk import Talk, calls, talks, texts

SHARED = ROOT.parent / "shared"
_MOST = 60_000
"""Bytes of a sample that is read under every format; the formats repeat themselves in larger ones."""
_ENDINGS = (".json", ".jsonl", ".traj", ".af", ".lhar")


def _samples() -> Iterator[Path]:
    for folder in ("samples", "samples-2", "cases"):
        for path in sorted((SHARED / folder).rglob("*")):
            if path.is_file() and path.name.endswith(_ENDINGS) and 0 < path.stat().st_size <= _MOST:
                yield path


def told(session: Session) -> str:
    """All that can be read in a session."""
    messages = [message for part in family(session) for message in part.messages]
    said = [part.text for message in messages for part in message.parts]
    return "\n".join([*said, *(call.arguments for message in messages for call in message.tool_calls)])


@pytest.mark.proof
@pytest.mark.samples
def test_that_no_sample_opens_without_a_word_under_a_format_that_is_not_its_own() -> None:
    if not SHARED.is_dir():
        pytest.skip(f"the recorded sessions are not here ({SHARED})")
    tried = refused = warned = 0
    for path in _samples():
        try:
            own = open_session(path).format
        except SessionError:
            own = ""
        for importer in importers():
            tried += 1
            try:
                session = open_session(path, format_name=importer.name)
            except SessionError:
                refused += 1
                continue
            if session.warnings:
                warned += 1
            else:
                assert importer.name == own, f"{path.name} as {importer.name}"
    print(f"{tried:,} forced reads: {refused:,} refused, {warned:,} with a warning")
    assert tried > 1_000


@pytest.mark.parametrize("forced", [importer.name for importer in importers()])
@given(talk=talks(most=2))
@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
def test_that_what_a_forced_format_does_not_read_is_said(tmp_path: Path, forced: str, talk: Talk) -> None:
    files = [(name, lines(write(talk)), "jsonl") for name, write in LINES.items()]
    files += [(name, json.dumps(write(talk)).encode(), "json") for name, write in DOCUMENTS.items()]
    for name, content, ending in files:
        path = tmp_path / f"session.{ending}"
        path.write_bytes(content)
        try:
            session = open_session(path, format_name=forced)
        except SessionError:
            continue
        if name != forced:
            own = open_session(path).format if session.warnings == () else ""
            assert session.warnings or own == session.format, f"{name} as {forced}"
            continue
        shown = told(session)
        wanted = texts(talk, prompts=name != "codex-stream", thoughts=name != "gemini-stream")
        assert all(words in shown for words in wanted)
        assert all(json.dumps(call.argument)[1:-1] in shown or call.argument in shown for call in calls(talk))
