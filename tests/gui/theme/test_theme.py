"""Palettes, their switch, and what is made from them."""

from __future__ import annotations

import dataclasses
import re

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass.replay.vocabulary import State
from ravenglass.rules import TIERS
from ravenglass_gui.theme import apply, fonts
from ravenglass_gui.theme.apply import chosen, qt_palette, set_theme
from ravenglass_gui.theme.icons import ICONS, icon, pixmap
from ravenglass_gui.theme.palette import DARK, LIGHT, Palette, colours, theme
from ravenglass_gui.theme.qss import style_sheet

BOTH = pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2."""
    ink = QColor(colour)

    def channel(value: float) -> float:
        return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4

    return 0.2126 * channel(ink.redF()) + 0.7152 * channel(ink.greenF()) + 0.0722 * channel(ink.blueF())


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@BOTH
def test_that_text_is_readable_on_every_surface(palette: Palette) -> None:
    for surface in (palette.window, palette.panel, palette.field, palette.hover, palette.stripe):
        assert contrast(palette.text, surface) >= 7
        assert contrast(palette.dim, surface) >= 3.9
    for ink in (palette.bad, palette.warn, palette.good, palette.accent):
        assert contrast(ink, palette.panel) >= 4.5
    assert contrast(palette.selection_text, palette.selection) >= 4.5
    assert contrast(palette.accent_text, palette.accent) >= 4.5


@BOTH
def test_that_tiers_differ_in_lightness_and_stand_out_from_the_panel(palette: Palette) -> None:
    shades = [luminance(palette.tier(tier)) for tier in TIERS]
    assert all(abs(one - other) > 0.008 for n, one in enumerate(shades) for other in shades[:n])
    assert all(contrast(palette.tier(tier), palette.panel) >= 2.7 for tier in TIERS)


@BOTH
def test_that_every_tier_and_state_has_a_colour_of_its_own(palette: Palette) -> None:
    assert set(palette.tiers) == set(TIERS)
    assert set(palette.states) == {state.label for state in State}
    assert len(set(palette.tiers.values())) == len(TIERS)
    assert palette.tier("unknown") == palette.dim


@BOTH
def test_that_colours_are_plain_hex(palette: Palette) -> None:
    for field in dataclasses.fields(palette):
        if field.name != "scheme":
            assert re.fullmatch("#[0-9a-f]{6}", getattr(palette, field.name)), field.name


@BOTH
def test_that_the_style_sheet_holds_only_colours_of_the_palette(palette: Palette) -> None:
    known = {getattr(palette, field.name) for field in dataclasses.fields(palette)}
    sheet = style_sheet(palette, 13)
    assert set(re.findall("#[0-9a-fA-F]{3,8}", sheet)) <= known
    assert sheet.count("{") == sheet.count("}")
    assert "None" not in sheet


def test_that_a_switch_reaches_tokens_palette_and_sheet_at_once(qtbot: QtBot, qapp: QApplication) -> None:
    with qtbot.waitSignal(theme.changed):
        set_theme("light")
    assert colours() is LIGHT
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == LIGHT.window
    assert LIGHT.window in qapp.styleSheet()
    assert chosen() == "light"


def test_that_the_same_theme_again_is_no_change(qtbot: QtBot, qapp: QApplication) -> None:
    set_theme("dark")
    with qtbot.assertNotEmitted(theme.changed):
        set_theme("dark")


class Desktop:
    """Stands in for Qt's application: what the desktop around it looks like."""

    def __init__(self, scheme: Qt.ColorScheme) -> None:
        self._scheme = scheme

    def instance(self) -> Desktop:
        return self

    def styleHints(self) -> Desktop:
        return self

    def colorScheme(self) -> Qt.ColorScheme:
        return self._scheme


@pytest.mark.parametrize(
    ("scheme", "native_dark", "palette"),
    [
        (Qt.ColorScheme.Dark, False, DARK),
        (Qt.ColorScheme.Light, True, LIGHT),
        (Qt.ColorScheme.Unknown, True, DARK),
        (Qt.ColorScheme.Unknown, False, LIGHT),
    ],
)
def test_that_the_system_theme_is_that_of_the_desktop(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scheme: Qt.ColorScheme, native_dark: bool, palette: Palette
) -> None:
    monkeypatch.setattr(apply, "QGuiApplication", Desktop(scheme))
    monkeypatch.setattr(apply._Chosen, "native_dark", native_dark)
    set_theme("system")
    assert colours() is palette
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == palette.window
    assert chosen() == "system"


def test_that_icons_are_drawn_in_the_colour_asked_for_and_cached(qapp: QApplication) -> None:
    for name in ICONS:
        assert not icon(name).isNull(), name
    picture = pixmap("open", "#ff0000", 32).toImage()
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() == 255
    }
    assert colours == {"#ff0000"}
    assert icon("open").cacheKey() == icon("open").cacheKey()
    assert icon("open").actualSize(QSize(16, 16)) == QSize(16, 16)


def test_that_fonts_are_installed_ones_and_no_smaller_than_the_base(qapp: QApplication) -> None:
    assert fonts.base_px() >= fonts.BASE_PX
    assert fonts.ui_font(-2).pixelSize() == fonts.base_px() - 2
    assert fonts.ui_font(bold=True).weight() > fonts.ui_font().weight()
    assert fonts.mono_families()
    assert fonts.ui_families()


def test_that_the_palette_covers_disabled_text() -> None:
    palette = qt_palette(DARK)
    assert palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name() == DARK.faint
