"""A small recorded session that gets trimmed, replayed, and the shared state that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import Run, SimulatedRun, replay
from ravenglass.sessions import open_session
from ravenglass.sessions.model import structure
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.debugger_state import DebuggerState
from tests.gui.recordings import write_chat

W = TypeVar("W", bound=QWidget)
Shown = Callable[..., W]


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """60 calls in English and Chinese, each reading a file."""
    return open_session(write_chat(tmp_path_factory.mktemp("gui") / "chat.json", exchanges=60))


@pytest.fixture(scope="session")
def run(session: Session) -> SimulatedRun:
    return replay(session, load("tight-32k"))


@pytest.fixture
def loaded(state: DebuggerState, session: Session, run: SimulatedRun) -> DebuggerState:
    """The state with the session and its run, the playhead at the last call."""
    state.set_session(session)
    state.set_profile(run.profile)
    state.set_run(run)
    return state


@pytest.fixture
def show(qtbot: QtBot) -> Shown[QWidget]:
    """Shows a panel at a size and lets it lay itself out."""

    def shown(panel: W, width: int = 900, height: int = 400) -> W:
        qtbot.addWidget(panel)
        panel.resize(width, height)
        panel.show()
        QApplication.processEvents()
        return panel

    return shown


def cut_off(session: Session, messages: int) -> Session:
    """The session as it was when it had only so many messages."""
    kept = session.messages[:messages]
    return replace(session, messages=kept, structure=structure.analyse(kept), derived={})


def slow_call(run: Run) -> int:
    """The first call on the slow path."""
    return next(number for number, path in enumerate(run.paths, start=1) if path == "slow")
