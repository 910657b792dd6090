"""The recorded run is made in the worker, once a session and for sub-agents too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QThread
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass.replay.recorded.run import RecordedRun, recorded_run
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.recorded import kept as recording
from tests.gui.claude_recordings import (
    CALLS,
    CLEARED_AT,
    COMPACTED_AT,
    write_recording,
)
from tests.gui.recorded_run.test_recorded_run import SAMPLE, opened, press

pytestmark = pytest.mark.usefixtures("unstyled")


def test_that_the_recorded_run_is_made_in_the_worker_once_a_session(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    make = recorded_run

    def counted(*arguments: object, **options: object) -> RecordedRun:
        threads.append(QThread.currentThread().objectName())
        return make(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(recording, "recorded_run", counted)
    run = opened(qtbot, window, path)
    assert "fidelity" in run.__dict__  # the fit was made there too
    window.state.set_profile(window.state.profile.with_values(trim_target=0.9))
    qtbot.waitUntil(lambda: not window.bridge.busy, timeout=30_000)
    press(window)
    press(window)
    qtbot.waitUntil(lambda: not window.bridge.recorded.making, timeout=30_000)
    # Once, and once more because it was looked at under another profile.
    assert threads == ["ravenglass replay"] * 2
    press(window)
    qtbot.wait(20)
    assert len(threads) == 2


def test_that_a_sub_agent_has_a_recorded_run_of_its_own_and_the_first_is_kept(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    run = opened(qtbot, window, write_recording(tmp_path / "session.jsonl", agent=True))
    press(window)
    root = window.state.root
    assert root is not None
    (child,) = root.children
    window.bridge.show_session(child)
    qtbot.waitUntil(lambda: window.state.recorded is not None, timeout=30_000)
    assert window.state.recorded is not None
    assert window.state.recorded.session is child
    assert window.state.showing == "recorded"
    window.bridge.show_session(root)
    assert window.state.recorded is run  # at once: it was kept
    assert window.state.run is run
    qtbot.waitUntil(lambda: not window.bridge.busy and not window.bridge.recorded.making, timeout=30_000)


def test_that_a_growing_session_grows_in_its_recorded_run_too(
    qtbot: QtBot, window: MainWindow, path: Path, tmp_path: Path
) -> None:
    """The recorded run on screen stays the one on screen, and is at every moment that of the session on screen."""
    lines = path.read_bytes().splitlines(keepends=True)
    growing = tmp_path / "growing.jsonl"
    half = next(n for n, line in enumerate(lines) if b"compact_boundary" in line and b"micro" not in line)
    growing.write_bytes(b"".join(lines[:half]))
    opened(qtbot, window, growing)
    press(window)
    window.actions_["follow"].trigger()
    qtbot.waitUntil(lambda: window.following.on and not window.bridge.busy, timeout=20_000)
    seen: list[bool] = []
    window.state.run_changed.connect(lambda: seen.append(window.state.run.session is window.state.session))  # type: ignore[union-attr]
    before = window.state.calls
    with growing.open("ab") as file:
        file.write(b"".join(lines[half:]))
    qtbot.waitUntil(lambda: window.state.calls == CALLS, timeout=20_000)
    assert before == COMPACTED_AT - 1
    assert window.state.showing == "recorded"
    assert set(window.state.run.paths) == {"recorded"}  # type: ignore[union-attr]
    assert all(seen)
    assert window.navigator.marks() == [CLEARED_AT, COMPACTED_AT]
    window.actions_["follow"].trigger()


def test_that_a_session_that_is_closed_leaves_no_recorded_run(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    opened(qtbot, window, path)
    press(window)
    window.state.set_session(None)
    assert window.state.run is None
    assert window.which.text() == ""
    assert not window.actions_["recorded"].isEnabled()


def test_that_a_failure_is_a_sentence_and_the_simulated_run_stays(
    qtbot: QtBot, window: MainWindow, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object, **options: object) -> RecordedRun:
        raise ValueError("no")

    monkeypatch.setattr(recording, "recorded_run", fail)
    monkeypatch.setattr("ravenglass_gui.work.workers._log.exception", lambda *_: None)
    window.bridge.open([path])
    qtbot.waitUntil(lambda: "could not be made" in window.bridge.recorded.missing, timeout=30_000)
    assert window.state.simulated is not None
    assert window.actions_["recorded"].toolTip().startswith("The recorded run could not be made: ValueError: no")


def test_that_a_real_session_with_compactions_is_shown_as_it_was(qtbot: QtBot, window: MainWindow) -> None:
    if not SAMPLE.exists():
        pytest.skip(f"{SAMPLE} is not there")
    run = opened(qtbot, window, SAMPLE)
    press(window)
    assert window.navigator.marks() == [19, 51, 128, 221]
    window.state.set_call(125)
    QApplication.processEvents()
    assert window.facts.text("provider") == "provider 154.4k reported"
    drawn = window.timeline.series
    assert drawn is not None
    assert drawn.reported is not None
    known = ~np.isnan(drawn.reported)
    assert known.sum() == run.calls
    assert "provider tokens 154,432 (reported), estimate 1" in drawn.describe(125)
