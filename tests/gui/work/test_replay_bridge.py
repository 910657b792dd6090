"""Workers: newest wins, cancelling and errors leave what was there, threads end."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

import ravenglass_gui.work.workers as workers
from ravenglass.errors import ProfileError
from ravenglass.presets import load, to_toml
from ravenglass.replay import replay
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.progress import Cancelled
from ravenglass.store import Library, SavedRun
from ravenglass.tokens import Tokenizer
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.library_owner import LibraryOwner
from ravenglass_gui.work.loading import load as load_path
from ravenglass_gui.work.replay_bridge import Bridge, Busy, measure_stall
from tests.gui.recordings import write_chat


@pytest.fixture
def bridge(state: DebuggerState) -> Iterator[Bridge]:
    made = Bridge(state)
    yield made
    made.shutdown()


def opened(qtbot: QtBot, bridge: Bridge, *paths: Path) -> None:
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        bridge.open(paths)
    while bridge.busy:
        with qtbot.waitSignal(bridge.settled, timeout=30_000):
            pass
    qtbot.waitUntil(lambda: not bridge.recorded.making, timeout=30_000)


class Gate:
    """Stands in for the engine's replay: notes what was asked and waits until it is let through."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self.open = threading.Event()

    def __call__(
        self,
        session: Session,
        profile: object,
        changes: object,
        *,
        progress: Callable[[int, int], bool],
        store: object,
        came: object,
    ) -> object:
        del came
        self.asked.append(profile.trim_target)  # type: ignore[attr-defined]
        while not self.open.wait(0.01):
            if not progress(1, len(session.structure.calls)):
                raise Cancelled("The replay was cancelled.")
        return replay(session, profile, changes, progress=progress, store=store)  # type: ignore[arg-type]


def test_that_a_drag_never_queues_work_and_the_newest_value_wins(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    gate = Gate()
    monkeypatch.setattr(workers, "replay", gate)
    bridge.replaying.lane.grace_s = 1e9
    values = [round(0.2 + n / 1_000, 3) for n in range(400)]
    for value in values:
        state.set_profile(state.profile.with_values(trim_target=value))
    qtbot.waitUntil(lambda: bool(gate.asked))
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        gate.open.set()
    assert gate.asked == [values[0], values[-1]]
    assert state.run is not None
    assert state.run.profile.trim_target == values[-1]


def test_that_a_long_run_is_dropped_once_a_newer_value_waits(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    gate = Gate()
    monkeypatch.setattr(workers, "replay", gate)
    bridge.replaying.lane.grace_s = 0.0
    state.set_profile(state.profile.with_values(trim_target=0.3))
    state.set_profile(state.profile.with_values(trim_target=0.4))
    qtbot.waitUntil(lambda: gate.asked == [0.3, 0.4], timeout=5_000)
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        gate.open.set()
    assert state.run is not None
    assert state.run.profile.trim_target == 0.4


def test_that_going_back_to_the_value_on_screen_replays_nothing(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    run, gate = state.run, Gate()
    gate.open.set()
    monkeypatch.setattr(workers, "replay", gate)
    state.profile_changed.emit()
    assert not bridge.busy
    assert (gate.asked, state.run) == ([], run)


def test_that_cancelling_a_replay_keeps_the_run_and_gives_its_profile_back(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    run, before = state.run, state.profile
    gate = Gate()
    monkeypatch.setattr(workers, "replay", gate)
    state.set_profile(load("strict-quota"))
    qtbot.waitUntil(lambda: bool(gate.asked))
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        bridge.cancel()
    assert (state.run, state.profile) == (run, before)
    assert len(gate.asked) == 1


def test_that_cancelling_a_read_keeps_the_session_and_says_so(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    session = state.session
    began = threading.Event()

    def slow(path: Path, progress: Callable[[int, int], bool], format_name: str) -> Session:
        began.set()
        while progress(1, 10):
            began.wait(0.001)
        raise Cancelled(f"Reading {path.name} was cancelled.")

    monkeypatch.setattr(workers, "load", slow)
    said: list[tuple[str, str]] = []
    state.message_posted.connect(lambda level, sentence: said.append((level, sentence)))
    bridge.open([chat])
    qtbot.waitUntil(began.is_set)
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        bridge.cancel()
    assert state.session is session
    assert said == [("info", "Reading chat.json was cancelled; nothing was changed.")]


def test_that_a_second_file_replaces_the_one_being_read(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, tmp_path: Path
) -> None:
    other = write_chat(tmp_path / "other.json", exchanges=3)
    bridge.open([chat])
    opened(qtbot, bridge, other)
    assert state.session is not None
    assert state.session.path.name == "other.json"


def test_that_an_error_in_a_replay_is_a_sentence_and_the_run_stays(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    run, before = state.run, state.profile

    def refuse(*_: object, **__: object) -> None:
        raise ProfileError("system_overhead: leaves nothing of a window of 1,000", field="system_overhead")

    monkeypatch.setattr(workers, "replay", refuse)
    with qtbot.waitSignal(state.message_posted, timeout=5_000) as posted:
        state.set_profile(load("lingmiao"))
    assert posted.args == ["error", "system_overhead: leaves nothing of a window of 1,000"]
    assert (state.run, state.profile) == (run, before)
    assert not bridge.busy


@pytest.mark.filterwarnings("ignore")
def test_that_a_defect_in_a_worker_does_not_leave_the_window_waiting(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("of ours")

    monkeypatch.setattr(workers, "load", broken)
    with qtbot.waitSignal(state.message_posted, timeout=5_000) as posted:
        bridge.open([chat])
    assert posted.args is not None
    assert "Reading chat.json failed: ZeroDivisionError" in posted.args[1]
    assert not bridge.busy


def test_that_progress_has_a_count(qtbot: QtBot, bridge: Bridge, chat: Path) -> None:
    seen: list[Busy] = []
    bridge.busy_changed.connect(lambda busy: seen.append(busy) if busy else None)
    opened(qtbot, bridge, chat)
    assert seen[0].what == "Reading chat.json"
    assert any(busy.what.startswith("Replaying 60 calls") for busy in seen)
    assert all(0 <= busy.done <= busy.total for busy in seen if busy.total)


def test_that_opened_sessions_are_remembered_newest_first(
    qtbot: QtBot, bridge: Bridge, chat: Path, tmp_path: Path
) -> None:
    other = write_chat(tmp_path / "other.json", exchanges=3)
    lists: list[list[str]] = []
    bridge.recent_changed.connect(lambda recent: lists.append([entry.path.name for entry in recent]))
    opened(qtbot, bridge, chat)
    opened(qtbot, bridge, other)
    qtbot.waitUntil(lambda: len(lists) == 2, timeout=5_000)
    assert lists[-1] == ["other.json", "chat.json"]


def test_that_a_saved_run_is_in_its_folder_and_on_the_list(
    qtbot: QtBot, state: DebuggerState, bridge: Bridge, chat: Path, tmp_path: Path
) -> None:
    with qtbot.waitSignal(bridge.settled):
        bridge.open([chat])
    folder = tmp_path / "saved"
    with qtbot.waitSignal(state.message_posted) as posted:
        bridge.save(folder)
    assert posted.args is not None
    assert str(folder) in posted.args[1]
    assert {path.name for path in folder.iterdir()} >= {"run.json", "profile.toml", "manifest.json", "windows.jsonl"}
    with qtbot.waitSignal(bridge.runs_changed) as told:
        bridge.load_recent()
    assert told.args is not None
    assert [saved.session for saved in told.args[0]] == [chat.absolute()]
    with Library.open() as library:
        assert [saved.folder for saved in library.runs(chat)] == [folder]


def test_that_a_saved_run_opens_its_session_under_its_profile(
    qtbot: QtBot, state: DebuggerState, bridge: Bridge, chat: Path, tmp_path: Path
) -> None:
    other = write_chat(tmp_path / "other.json", exchanges=3)
    saved = SavedRun(1, chat.absolute(), "mine", to_toml(load("tight-32k")), 0.0, "{}", None)
    opened(qtbot, bridge, other)
    state.show_recorded(True)
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        bridge.open_run(saved)
    qtbot.waitUntil(lambda: not bridge.recorded.making, timeout=30_000)
    assert state.root is not None
    assert state.root.path == chat
    assert state.run is not None
    assert (state.showing, state.run.profile) == ("simulated", load("tight-32k"))
    with qtbot.waitSignal(bridge.replayed, timeout=30_000):
        bridge.open_run(replace(saved, profile=to_toml(load("default"))))
    assert state.run.profile == load("default")


def test_that_a_saved_run_that_cannot_be_opened_is_a_sentence_and_changes_nothing(
    qtbot: QtBot, state: DebuggerState, bridge: Bridge, chat: Path, tmp_path: Path
) -> None:
    opened(qtbot, bridge, chat)
    profile, run = state.profile, state.simulated
    for saved in (
        SavedRun(1, chat.absolute(), "mine", "trim_target = 9", 0.0, "{}", None),
        SavedRun(2, tmp_path / "gone.json", "mine", to_toml(load("tight-32k")), 0.0, "{}", None),
    ):
        with qtbot.waitSignal(state.message_posted, timeout=30_000) as posted:
            bridge.open_run(saved)
        assert posted.args is not None
        assert posted.args[0] == "error"
        assert "mine" in posted.args[1] or "gone.json" in posted.args[1]
    qtbot.waitUntil(lambda: not bridge.busy, timeout=30_000)
    assert (state.profile, state.simulated) == (profile, run)


def test_that_long_texts_are_counted_once_between_runs_of_the_program(
    qtbot: QtBot, bridge: Bridge, tmp_path: Path
) -> None:
    path = tmp_path / "long.json"
    path.write_text(
        json.dumps([{"role": "user", "content": "a long text " * 900}, {"role": "assistant", "content": "ok"}])
    )
    with qtbot.waitSignal(bridge.settled):
        bridge.open([path])
    bridge.shutdown()
    with Library.open() as library:
        digest = Tokenizer.digest("a long text " * 900)
        assert library.counts.get_many("o200k_base", [digest])


def test_that_further_files_go_on_the_list_and_the_first_is_shown(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, tmp_path: Path
) -> None:
    other = write_chat(tmp_path / "other.json", exchanges=3)
    lists: list[set[str]] = []
    bridge.recent_changed.connect(lambda recent: lists.append({entry.path.name for entry in recent}))
    opened(qtbot, bridge, chat, other)
    qtbot.waitUntil(lambda: bool(lists) and lists[-1] == {"chat.json", "other.json"}, timeout=5_000)
    assert state.session is not None
    assert state.session.path.name == "chat.json"


def test_that_a_library_that_cannot_be_opened_is_told_and_does_without(
    qtbot: QtBot, state: DebuggerState, chat: Path, tmp_path: Path
) -> None:
    said: list[str] = []
    state.message_posted.connect(lambda _, sentence: said.append(sentence))
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder", encoding="utf-8")
    library = LibraryOwner(blocked / "library.sqlite3")
    bridge = Bridge(state, library=library)
    with qtbot.waitSignal(bridge.recent_changed, timeout=5_000) as recent:
        bridge.load_recent()
    bridge.shutdown()
    library.close()
    assert recent.args == [()]
    assert any("kept in memory" in sentence for sentence in said)


def test_that_shutting_down_ends_every_thread_and_twice_is_no_error(state: DebuggerState) -> None:
    bridge = Bridge(state)
    threads = list(bridge._threads)
    assert len(threads) == 4
    assert all(thread.isRunning() for thread in threads)
    bridge.shutdown()
    bridge.shutdown()
    assert all(thread.isFinished() for thread in threads)


def test_that_a_stall_is_measured(qtbot: QtBot, bridge: Bridge, chat: Path) -> None:
    stall = measure_stall(lambda: bridge.open([chat]), bridge.settled, timeout_s=30)
    assert not stall.timed_out
    assert stall.beats > 0
    assert stall.longest_ms <= stall.elapsed_s * 1_000


def test_that_a_busy_gui_thread_counts_as_a_stall(qtbot: QtBot, bridge: Bridge) -> None:
    def block() -> None:
        threading.Event().wait(0.12)
        bridge.settled.emit()

    stall = measure_stall(block, bridge.settled, timeout_s=30)
    assert stall.longest_ms > 100
    assert stall.over_50_ms == 1


def test_that_the_rest_of_the_time_is_estimated_from_what_is_done(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    gate = Gate()
    monkeypatch.setattr(workers, "replay", gate)
    state.set_profile(state.profile.with_values(trim_target=0.3))
    qtbot.waitUntil(lambda: bool(gate.asked))
    lane = bridge.replaying.lane
    said: list[Busy] = []
    lane._clock = lambda: lane._began + 1.0
    bridge.busy_changed.connect(said.append)
    bridge._replay_progressed(workers.Step(lane._ticket, 15, 60))
    assert (said[-1].done, said[-1].total, said[-1].left) == (15, 60, 3.0)
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        gate.open.set()


def test_that_further_files_wait_for_the_replay_of_what_is_on_screen(
    qtbot: QtBot, bridge: Bridge, chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = write_chat(tmp_path / "other.json", exchanges=3)
    gate, real = Gate(), load_path
    read: list[Path] = []

    def noting(path: Path, progress: Callable[[int, int], bool], format_name: str) -> object:
        read.append(path)
        return real(path, progress, format_name)

    monkeypatch.setattr(workers, "replay", gate)
    monkeypatch.setattr(workers, "load", noting)
    bridge.open([chat, other])
    qtbot.waitUntil(lambda: bool(gate.asked))
    qtbot.wait(50)
    assert read == [chat]
    gate.open.set()
    qtbot.waitUntil(lambda: read == [chat, other], timeout=30_000)
    qtbot.waitUntil(lambda: not bridge.busy and not bridge.recorded.making, timeout=30_000)


def test_that_what_a_model_answered_is_not_replaced_by_the_planners_run_begun_before(
    qtbot: QtBot, bridge: Bridge, state: DebuggerState, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(qtbot, bridge, chat)
    gate, before = Gate(), state.run
    monkeypatch.setattr(workers, "replay", gate)
    state.set_profile(state.profile.with_values(trim_target=0.3))
    qtbot.waitUntil(lambda: bool(gate.asked))
    answers = SimpleNamespace(asked="model", answered=(), spent_sentence="", notes=())
    bridge.asking.answered.emit(answers)
    with qtbot.waitSignal(bridge.settled, timeout=30_000):
        gate.open.set()
    assert state.run is before
