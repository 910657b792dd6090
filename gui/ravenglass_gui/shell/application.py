"""The one application of the process: its name and icon, translations, theme. No window is made here."""

from __future__ import annotations

import logging
import os
import sys

from PySide6.QtCore import (
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QRect,
    QtMsgType,
    QTranslator,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QWidget

from ravenglass.errors import RavenglassError
from ravenglass.resources import asset
from ravenglass.tokens import tokenizer
from ravenglass_gui.theme.apply import Choice, install

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


def fit_to_screen(window: QWidget, available: QRect | None = None) -> None:
    """Make a window no larger than the screen it starts on, and put it wholly on it. `available` is that screen's free
    area in pixels if not the real one. A screen smaller than the least size of the window shows its top left corner."""
    screen = window.screen() or QGuiApplication.primaryScreen()
    free = available if available is not None else screen.availableGeometry()
    window.resize(window.size().boundedTo(free.size()))
    place = window.geometry()
    place.moveRight(min(place.right(), free.right()))
    place.moveBottom(min(place.bottom(), free.bottom()))
    place.moveLeft(max(place.left(), free.left()))
    place.moveTop(max(place.top(), free.top()))
    window.move(place.topLeft())
