"""A summary in a running engine: the session is on the disk for good before the window holds one."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given

from ravenglass import Engine, Profile
from ravenglass.embed.files import journal
from ravenglass.embed.files.transcript import SessionTranscript
from ravenglass.embed.files.workspace import EngineWorkspace
from ravenglass.store.layout import CURATOR
from ravenglass.store.workspace import Workspace
from tests.engine.builders import filler
from tests.engine.embed.conversations import (
    Chat,
    Clock,
    answers,
    asks,
    conversations,
    drive,
    lines,
    replayed,
    said,
    small,
)
from tests.engine.embed.test_replay import same, short
from tests.engine.replay.runs import summary_profiles
from tests.engine.store.forced import Forced

KEY = "agent:demo"
OPEN_FILES = Path("/proc/self/fd")
PRESSED = small(8_000, system_overhead=0)


def pressed_chat() -> list[Chat]:
    """Work, then a result larger than the window, then an answer."""
    found = [said("user", "Find the KeyError in src/app.py. You must not touch migrations/.")]
    for n, size in enumerate((900, 900, 900, 9_000)):
        found += [asks(f"c{n}", file_path=f"src/f{n}.py"), answers(f"c{n}", f"file {n}\n{filler(size)}")]
    return [*found, said("assistant", "Done.")]


def summary_of(engine: Engine) -> str | None:
    """The text of the summary in the window that was decided last."""
    found = [m.text for m in engine.decide().messages if m.label == "summary"]
    return found[0] if found else None


def observed(engine: Engine) -> None:
    """Everything up to the call that needs a summary."""
    for message in pressed_chat()[:-1]:
        (engine.record_response if message["role"] == "assistant" else engine.observe)(message)


@pytest.mark.rule("10.6")
def test_that_every_message_is_synced_to_the_file_before_the_window_holds_a_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    real = os.fsync

    def noting(descriptor: int) -> None:
        if OPEN_FILES.is_dir():
            path = (OPEN_FILES / str(descriptor)).readlink()
            if path.name == "demo.jsonl":
                synced.append(path.read_bytes().count(b"\n"))
        real(descriptor)

    with Engine(PRESSED, tmp_path, session_key=KEY, clock=Clock()) as engine:
        monkeypatch.setattr("ravenglass.embed.files.journal.os.fsync", noting)
        observed(engine)
        assert synced == [], "nothing needed it so far"
        text = summary_of(engine)
        assert text is not None
        assert engine.session_file is not None
        assert text.split("\n")[-1] == f"Read the full transcript at: {engine.session_file.absolute()}"
        records = lines(engine.session_file)
        assert [r["content"] for r in records if "role" in r] == [m["content"] for m in pressed_chat()[:-1]]
        if OPEN_FILES.is_dir():
            assert synced == [len(records)]
        body = engine.window()
        assert [m["content"] for m in body if m["role"] == "system"][-1] == text


@pytest.mark.rule("10.6")
def test_that_there_is_no_summary_where_the_disk_does_not_take_the_transcript(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    engine = Engine(PRESSED, tmp_path, session_key=KEY, clock=Clock())
    observed(engine)

    def full(_: journal.Journal) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(journal.Journal, "sync", full)
        assert summary_of(engine) is None
    assert f"{engine.session_file} cannot be written (No space left on device)." in caplog.text
    assert summary_of(engine) is None, "the window of this call is decided"
    assert engine.frame().tokens <= engine.run().budget.available
    engine.record_response(said("assistant", "Next."))
    engine.observe(said("user", f"And this: {filler(3_000)}"))
    engine.record_response(asks("c9", file_path="src/f9.py"))
    engine.observe(answers("c9", f"file 9\n{filler(9_000)}"))
    assert summary_of(engine) is not None, "the disk takes it again"
    engine.close()


def test_that_a_call_decided_anew_has_the_new_messages_on_the_disk_first(tmp_path: Path) -> None:
    with Engine(PRESSED, tmp_path, session_key=KEY, clock=Clock()) as engine:
        observed(engine)
        first = summary_of(engine)
        engine.observe(said("user", "One more thing: never touch src/f1.py."))
        second = summary_of(engine)
        assert first is not None
        assert second is not None
        engine.record_response(said("assistant", "Done."))
        same(engine.run(), replayed(engine))


@pytest.mark.rule("10.6")
def test_that_without_a_file_there_is_no_summary(tmp_path: Path) -> None:
    with Engine(PRESSED, session_key=KEY) as engine:
        observed(engine)
        assert summary_of(engine) is None
    with Workspace.open(tmp_path / CURATOR), Engine(PRESSED, tmp_path, session_key=KEY) as second:
        observed(second)
        assert second.warnings
        assert summary_of(second) is None, "another process writes this workspace"


def test_that_the_trace_tells_of_it_and_what_left_comes_back(tmp_path: Path) -> None:
    with Engine(PRESSED, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, pressed_chat())
        run = engine.run()
    trace = lines(tmp_path / "memory/.curator/traces/agent_demo/0000.jsonl")
    (event,) = [e for e in trace if e["event"] == "summarized"]
    assert event["payload"]["transcript"] == str(engine.session_file)
    (call,) = run.markers()["summarized"]
    out = [m for m in range(run.rows(call)) if not run.in_window(call, m)]
    assert out
    assert all(engine.retrieve(engine.ref(m), max_tokens=0).raw for m in out)


@short
@given(conversations(), summary_profiles())
def test_that_an_engine_and_the_replay_of_its_session_make_the_same_summaries(
    messages: list[Chat], profile: Profile
) -> None:
    with tempfile.TemporaryDirectory() as folder, Engine(profile, folder, clock=Clock()) as engine:
        driven = drive(engine, messages)
        run = replayed(engine)
        assert {call: run.window(call) for call in driven.windows} == driven.windows
        same(engine.run(), run)


class Disk:
    """A workspace of which only the session file counts: whether the disk takes it, and how often it was asked to."""

    session_file = Path("sessions/agent/demo.jsonl")

    def __init__(self) -> None:
        self.full = False
        self.asked = 0

    def sync_session(self) -> bool:
        self.asked += 1
        return not self.full


def _kept_in(disk: Disk) -> SessionTranscript:
    made = SessionTranscript()
    made.keep_in(cast(EngineWorkspace, disk))
    return made


def test_that_a_window_that_was_decided_without_a_summary_stays_so() -> None:
    disk = Disk()
    transcript = _kept_in(disk)
    disk.full = True
    assert not transcript.dump(5)
    disk.full = False
    assert not transcript.dump(5)
    assert transcript.dump(6)


def test_that_what_is_on_the_disk_for_good_is_not_forced_there_again() -> None:
    disk = Disk()
    transcript = _kept_in(disk)
    for count in (5, 5, 4, 6, 6):
        assert transcript.dump(count)
    assert disk.asked == 2


def test_that_the_name_of_the_transcript_is_on_the_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced = Forced(monkeypatch)
    with Engine(PRESSED, tmp_path, session_key=KEY, clock=Clock()) as engine:
        observed(engine)
        assert summary_of(engine) is not None
        assert engine.session_file is not None
        assert engine.session_file in forced
        assert engine.session_file.parent in forced
