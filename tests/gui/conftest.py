"""The desktop under test: offscreen, themed, and clean. A test that leaves a thread, a running timer or a
top-level widget behind fails, and so does one during which Qt warned."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
from PySide6.QtWidgets import QApplication

from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.theme.apply import install, set_theme
from ravenglass_gui.theme.palette import DARK, colours
from tests.gui.recordings import write_chat
from tests.gui.replayed import loaded, run, session, show

__all__ = ["loaded", "run", "session", "show"]
"""A session that gets trimmed, for tests of views and models."""

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says that it has no window manager; that is no fault of the window."""
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("This plugin does not support", extend=True))


@pytest.fixture(scope="session", autouse=True)
def _themed(qapp: QApplication) -> None:
    install(qapp, "dark")


@pytest.fixture
def unstyled(qapp: QApplication) -> None:
    """For tests of what a main window does: without its style sheet it is made in less than half the time. The palette
    is there, and the sheet is put back before the next test that has not this fixture."""
    if qapp.styleSheet():
        qapp.setStyleSheet("")


@pytest.fixture(scope="module", autouse=True)
def _nothing_left_by_the_module(qapp: QApplication) -> Iterator[None]:
    before = {id(widget) for widget in qapp.topLevelWidgets()}
    yield
    _settled(qapp, before)


@pytest.fixture(autouse=True)
def _nothing_left_behind(qapp: QApplication, request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs after the test's own widgets were closed; what is alive then was forgotten."""
    if "unstyled" not in request.fixturenames:
        set_theme("dark")
    before = {id(widget) for widget in qapp.topLevelWidgets()}
    yield
    if colours() is not DARK:
        set_theme("dark")
    _settled(qapp, before)


def _settled(qapp: QApplication, before: set[int]) -> None:
    left: list[str] = []
    for _ in range(3):  # what only waits for the garbage collector is not forgotten
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
        left = _left(qapp, before)
        if not left:
            break
        gc.collect()
    assert not left, f"left behind: {', '.join(left)}"


def _left(qapp: QApplication, before: set[int]) -> list[str]:
    widgets = [w for w in qapp.topLevelWidgets() if id(w) not in before and shiboken6.isValid(w)]
    things = shiboken6.getAllValidWrappers()
    threads = [t for t in things if isinstance(t, QThread) and t.isRunning()]
    timers = [t for t in things if isinstance(t, QTimer) and t.isActive()]
    return [f"{type(thing).__name__} {thing.objectName()!r}" for thing in (*widgets, *threads, *timers)]


@pytest.fixture
def state() -> DebuggerState:
    return DebuggerState()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Remembered things of a user who does not exist."""
    return Settings(tmp_path / "desktop.ini")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A recorded session of 60 calls in Chinese and English, long enough for slow paths under `tight-32k`."""
    return write_chat(tmp_path / "chat.json", exchanges=60)
