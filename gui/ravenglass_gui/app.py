"""Starts the desktop: application, theme, window, and what is opened first."""

from __future__ import annotations

import gc
import logging
import os
import sys
from pathlib import Path

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QtMsgType,
    QTranslator,
    qInstallMessageHandler,
)
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass.resources import asset
from ravenglass.tokens import tokenizer
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.theme.apply import Choice, install
from ravenglass_gui.work.browsing import Browser
from ravenglass_gui.work.replay_bridge import Bridge

_log = logging.getLogger(__name__)


def has_display() -> bool:
    """Whether a window can be shown: on Linux that needs X11 or Wayland, or a platform chosen by the person."""
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def application(theme: Choice = "system") -> QApplication:
    """The one QApplication of this process, made and themed if there is none yet."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    app = QApplication([sys.argv[0] if sys.argv else "ravenglass"])
    app.setApplicationName("ravenglass")
    app.setApplicationDisplayName("Ravenglass")
    app.setDesktopFileName("ravenglass")
    try:
        app.setWindowIcon(QIcon(str(asset("icon.svg"))))
    except RavenglassError as error:
        _log.info("%s", error)
    translator = QTranslator(app)
    if translator.load(QLocale(), "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
    if app.platformName() == "offscreen":
        qInstallMessageHandler(_without_platform_talk)
    install(app, theme)
    tokenizer("o200k_base").count("")  # its table takes a tenth of a second: now, rather than under the first replay
    return app


def _without_platform_talk(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:  # noqa: ARG001
    """Pass Qt's messages on, except that the offscreen platform has no window manager: nobody can act on that."""
    if not message.startswith("This plugin does not support"):
        print(message, file=sys.stderr)


def settle_memory() -> None:
    """Tell the garbage collector that everything there is now stays: a full collection, which holds up every
    thread, then walks only what was made since. Call once the window is shown."""
    gc.collect()
    gc.freeze()


def main(files: list[Path], *, profile: Profile | None = None, theme: Choice = "system") -> int:
    """Show the window until it is closed; the exit code of the program.

    Without `files` the session that was open last is opened, at the first start the demo. A `theme` other than
    `system` overrides the remembered choice for this run.
    """
    settings = Settings()
    app = application(theme if theme != "system" else settings.theme or "system")
    state = DebuggerState()
    bridge = Bridge(state)
    if profile is not None:
        state.set_profile(profile)
    browser = Browser()
    window = MainWindow(state, bridge, settings, browser)
    window.show()
    settle_memory()
    bridge.load_recent()
    browser.begin(settings.folders)
    last = settings.last_session
    if files:
        window.open_paths(files)
    elif last is not None:
        bridge.open([last])
    else:
        window.open_demo()
    code = app.exec()
    browser.shutdown()
    bridge.shutdown()
    return code
