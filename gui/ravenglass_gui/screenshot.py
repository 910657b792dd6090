"""A picture of the desktop with a session in it, without anyone sitting in front of it.

The same session, call and profile give the same picture: nothing of the user's settings is read, no hint is
shown, no clock is in it.
"""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QEventLoop, QIODevice, QTimer
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QWidget

from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass.replay.run import Run
from ravenglass.safe.private import folders
from ravenglass.store.outputs import write_output
from ravenglass_gui.shell.application import application, has_display
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState, Showing
from ravenglass_gui.state.recorded.told import record_marks
from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.theme.apply import Choice, chosen, set_theme
from ravenglass_gui.work.looking import Looking
from ravenglass_gui.work.replay_bridge import Bridge

VIEWS = ("manifest", "window", "trace", "archive", "needs", "registry", "snapshots")
_SETTLE_MS = 60
"""Time for layouts, delayed fills and elided texts after the last change."""
_ANSWERS_MS = 60_000
"""Longest wait for what a view asked a thread for."""
_LOOKS = 20
"""Pictures taken at most until two in a row are the same."""


def take(
    session_path: Path,
    out: Path,
    *,
    call: int | None = None,
    view: str = "manifest",
    size: tuple[int, int] = (1600, 1000),
    theme: Choice = "dark",
    profile: Profile | None = None,
    run: Showing = "simulated",
    format_name: str = "",
    force: bool = False,
) -> None:
    """Open a session, as the format of a name where one is given, replay it, and write a picture of the window to
    `out` (its suffix says the format).

    Without `call` the last slow path is shown (of the recorded run, where the writer last changed its window), or
    the last call. Raises RavenglassError where the session cannot be read or replayed, `view`, `call` or the recorded
    run do not exist, or `out` cannot be written, or is there and `force` is not given.
    """
    if view not in VIEWS:
        raise RavenglassError(f"There is no view {view!r}; there are {', '.join(VIEWS)}.")
    if not has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    application(theme)
    before = chosen()
    set_theme(theme)
    state = DebuggerState()
    bridge = Bridge(state, remember=False)
    window = MainWindow(state, bridge)
    try:
        if profile is not None:
            state.set_profile(profile)
        window.resize(*size)
        window.show()
        _opened(state, bridge, session_path, format_name)
        _choose(state, bridge, run)
        _look_at(state, call)
        window.tabs.setCurrentWidget(window.views[view])
        if state.run is not None:
            window.facts.show_replayed(state.run.calls, None)
        window.notice.clear()
        picture = settled(window)
        folders(out.parent)
        write_output(out, [_encoded(picture, out)], force=force)
    except OSError as error:
        raise RavenglassError(f"{out}: the picture cannot be written ({error.strerror or error}).") from error
    finally:
        window.close()
        bridge.shutdown()
        window.deleteLater()
        _wait(0)
        set_theme(before)


def settled(window: QWidget) -> QPixmap:
    """A picture of a window that has come to rest and whose views wait for no answer: on a busy machine a layout may
    take longer than the pause."""
    for _ in range(_ANSWERS_MS // _SETTLE_MS):
        if not any(looking.waiting for looking in window.findChildren(Looking)):
            break
        _wait(_SETTLE_MS)
    picture, last = window.grab(), None
    for _ in range(_LOOKS):
        if last is not None and picture.toImage() == last.toImage():
            break
        _wait(_SETTLE_MS)
        picture, last = window.grab(), picture
    return picture


def _encoded(picture: QPixmap, out: Path) -> bytes:
    """The picture as a file of the suffix's kind: what a session says is in it, so Qt may not write it for all to read.
    Raises RavenglassError where the suffix names none."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    kind = out.suffix.removeprefix(".").lower() or "png"
    if not picture.save(buffer, kind):
        raise RavenglassError(f"{out}: the picture could not be written; check the folder and the suffix (.png).")
    return bytes(data.data())


def _opened(state: DebuggerState, bridge: Bridge, path: Path, format_name: str) -> None:
    failures: list[RavenglassError] = []
    loop = QEventLoop()
    bridge.failed.connect(failures.append)
    bridge.settled.connect(loop.quit)
    bridge.open([path], format_name)
    loop.exec()
    if state.run is None and state.log is None:
        raise failures[0] if failures else RavenglassError(f"{path}: was not replayed.")


def _choose(state: DebuggerState, bridge: Bridge, run: Showing) -> None:
    """Wait for the recorded run, and show the run that is wanted."""
    loop = QEventLoop()
    state.other_changed.connect(loop.quit)
    bridge.recorded.changed.connect(loop.quit)
    while bridge.recorded.making:
        loop.exec()
    if run == "recorded":
        if bridge.recorded.missing:
            raise RavenglassError(f"There is no recorded run to show. {bridge.recorded.missing}")
        state.show_recorded(True)


def _look_at(state: DebuggerState, call: int | None) -> None:
    if call is not None and not 1 <= call <= state.calls:
        raise RavenglassError(f"There is no call {call}; the session has calls 1 to {state.calls}.")
    run = state.run
    if run is None:
        paths = state.log.paths if state.log is not None else ()
        state.set_call(call or next((n for n, path in enumerate(paths, 1) if path != "fast"), 1))
        rows = state.log.rows(state.call) if state.log is not None else []
        state.select(next((row.message.id for row in rows if row.message.snippet), None))
        return
    state.set_call(call or interesting_call(run))
    message = interesting_message(run, state.call)
    if message is not None:
        state.select(message)


def interesting_call(run: Run) -> int:
    """The last call on the slow path, of a recorded run the one after the writer's last marker; else the last."""
    if is_recorded(run):
        marks = record_marks(run.session)
        return marks[-1].call if marks else run.calls
    return next((n for n in range(run.calls, 0, -1) if run.paths[n - 1] != "fast"), run.calls)


def interesting_message(run: Run, call: int) -> int | None:
    """The largest message of at most 4,000 tokens that is not in the window, else the largest that is."""
    if not call:
        return None
    found = run.query(call, "tokens<4000", sort="tokens", descending=True) or run.query(call)
    out = (message for message in found if not run.row(call, message).included)
    return next(out, found[0] if found else None)


def _wait(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()
