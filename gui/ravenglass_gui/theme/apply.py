"""Which palette is shown: a choice of the person (`dark`, `light`, `system`), applied to the whole application.

Fusion is the style everywhere, so that the same palette gives the same picture on every platform.
"""

from __future__ import annotations

from typing import Literal, get_args

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from ravenglass_gui.theme import fonts, icons
from ravenglass_gui.theme.palette import DARK, LIGHT, Palette, colours, theme
from ravenglass_gui.theme.qss import style_sheet

Choice = Literal["dark", "light", "system"]
CHOICES: tuple[Choice, ...] = get_args(Choice)


class _Chosen:
    """What was chosen, and what the desktop looked like before this program gave it a palette."""

    choice: Choice = "system"
    native_dark: bool = False


def install(app: QApplication, choice: Choice = "system") -> None:
    """Style, fonts and palette of the application; call once, right after it was made."""
    _Chosen.native_dark = app.palette().color(QPalette.ColorRole.Window).lightness() < 128
    app.setStyle(QStyleFactory.create("Fusion"))
    fonts.install(app)
    app.styleHints().colorSchemeChanged.connect(_follow)
    app.aboutToQuit.connect(icons.forget)
    _apply(app, _wanted(choice))
    _Chosen.choice = choice


def set_theme(choice: Choice) -> None:
    """Switch at once; `system` follows the desktop from now on. Without an application only the palette changes."""
    _Chosen.choice = choice
    palette = _wanted(choice)
    app = QApplication.instance()
    if isinstance(app, QApplication) and (palette is not colours() or not app.styleSheet()):
        _apply(app, palette)
    else:
        theme.show(palette)


def chosen() -> Choice:
    return _Chosen.choice


def _wanted(choice: Choice) -> Palette:
    if choice != "system":
        return DARK if choice == "dark" else LIGHT
    known = QGuiApplication.styleHints().colorScheme() if QGuiApplication.instance() else Qt.ColorScheme.Unknown
    if known is Qt.ColorScheme.Unknown:
        return DARK if _Chosen.native_dark else LIGHT
    return DARK if known is Qt.ColorScheme.Dark else LIGHT


def _follow() -> None:
    if _Chosen.choice == "system":
        set_theme("system")


def _apply(app: QApplication, palette: Palette) -> None:
    # From one sheet to another Qt restyles widgets with a sheet of their own again for each that is above them. From
    # none to one it does not: taking the old sheet away first is three times faster, and the picture is the same.
    app.setStyleSheet("")
    app.setPalette(qt_palette(palette))
    app.setStyleSheet(style_sheet(palette, fonts.base_px()))
    theme.show(palette)


def qt_palette(t: Palette) -> QPalette:
    """The palette as a QPalette, for everything that a style sheet does not reach."""
    role = QPalette.ColorRole
    colours = {
        role.Window: t.window,
        role.WindowText: t.text,
        role.Base: t.panel,
        role.AlternateBase: t.stripe,
        role.ToolTipBase: t.field,
        role.ToolTipText: t.text,
        role.PlaceholderText: t.dim,
        role.Text: t.text,
        role.Button: t.field,
        role.ButtonText: t.text,
        role.BrightText: t.bad,
        role.Link: t.accent,
        role.Highlight: t.selection,
        role.HighlightedText: t.selection_text,
        role.Light: t.hover,
        role.Midlight: t.hover,
        role.Mid: t.line,
        role.Dark: t.line,
        role.Shadow: t.window,
        role.Accent: t.accent,
    }
    palette = QPalette()
    for which, colour in colours.items():
        palette.setColor(which, QColor(colour))
    for which in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, which, QColor(t.faint))
    return palette
