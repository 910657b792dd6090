"""Nothing lost without a word: every text, call and result of a written session is in the session that is read.

`python -m tests.engine.show_proofs importers` runs it with many more conversations.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from ravenglass.sessions import holder_of, holders, importers, open_session
from ravenglass.sessions.catalogue.registry import choose
from ravenglass.sessions.model.counts import family
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.source import open_path
from tests.engine.sessions.written.documents import DOCUMENTS
from tests.engine.sessions.written.lines import LINES, chat_log
from tests.engine.sessions.written.places import PLACES
from tests.engine.sessions.written.shapes import SHAPES
from tests.engine.sessions.written.talk import Answer, Call, Talk, Turn, calls, talks, texts
from tests.proofs import examples

EXAMPLES = examples(60)
"""Conversations a format."""
RAN: Counter[str] = Counter()
"""What was tried, for the proofs."""
NO_PROMPTS = frozenset({"codex-stream"})
USAGE_OF_TURNS = {"codex-stream": "The stream tells usage a turn"}
"""What is said of a conversation that is whole."""
NO_THOUGHTS = frozenset({"gemini-stream"})

short = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def lines(records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def check(session: Session, talk: Talk, name: str) -> None:
    """Everything that was written is there, and there once."""
    assert session.format == name.split()[0]
    assert all(warning.startswith(USAGE_OF_TURNS.get(name, "?")) for warning in session.warnings)
    messages = [message for part in family(session) for message in part.messages]
    said = Counter(part.text for message in messages if message.role != "tool" for part in message.parts)
    wanted = texts(talk, prompts=name not in NO_PROMPTS, thoughts=name not in NO_THOUGHTS)
    assert {words: said[words] for words in wanted} == dict.fromkeys(wanted, 1)
    asked = {call.id: json.loads(call.arguments)["command"] for message in messages for call in message.tool_calls}
    assert asked == {call.id: call.argument for call in calls(talk)}
    brought = {message.tool_call_id: message.text for message in messages if message.role == "tool"}
    assert brought == {call.id: call.result for call in calls(talk) if call.result is not None}
    RAN[f"conversations as {name}"] += 1


def written(folder: Path, name: str, talk: Talk) -> Path:
    """A conversation as a format writes it."""
    if name in PLACES:
        return PLACES[name](folder, talk)
    path = folder / "session.jsonl"
    path.write_bytes(lines(LINES[name](talk)) if name in LINES else lines([DOCUMENTS[name](talk)]))
    return path


@pytest.mark.parametrize("name", [*LINES, *DOCUMENTS, *PLACES])
@given(talk=talks())
@short
def test_that_no_format_loses_anything(tmp_path: Path, name: str, talk: Talk) -> None:
    shaped = SHAPES.get(name, lambda talk: talk)(talk)
    with TemporaryDirectory(dir=tmp_path) as folder:
        check(open_session(written(Path(folder), name, shaped)), shaped, name)


def test_that_every_importer_and_every_holder_has_a_way_of_writing_that_it_reads(tmp_path: Path) -> None:
    talk: Talk = (Turn("ask", (Answer("say", "", (Call("c", "do", "got"),)), Answer("end", "", ()))),)
    readers = set()
    for number, name in enumerate([*LINES, *DOCUMENTS, *PLACES]):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        path = written(folder, name, talk)
        reporter = Reporter(None, "")
        holder = holder_of(path)
        readers.add(holder.name if holder else choose(open_path(path, reporter), reporter)[0].name)
    assert ({one.name for one in importers()} | {one.name for one in holders()}) - readers == set()


@given(talk=talks())
@short
def test_that_a_log_of_requests_loses_nothing(tmp_path: Path, talk: Talk) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines(chat_log(talk)))
    session = open_session(path)
    whole = Counter(part.text for message in session.messages if message.role == "user" for part in message.parts)
    assert all(count == 1 for count in whole.values())
    assert session.children == ()
    final = {answer.text for turn in talk for answer in turn.answers if answer.text}
    assert final <= {message.text for message in session.messages}
