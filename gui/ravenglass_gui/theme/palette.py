"""The two palettes and the one object that says which of them is shown.

Every colour on screen is a field of `Palette`; a widget asks `colours()` when it paints and repaints on
`theme.changed`. Colours only: fonts are in fonts.py, the style sheet made from these in qss.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Signal

Scheme = Literal["dark", "light"]


@dataclass(frozen=True, slots=True)
class Palette:
    """One palette; every colour is `#rrggbb` and readable on the surface it is meant for (4.5:1 for text)."""

    scheme: Scheme
    window: str
    """Behind and between the panels."""
    panel: str
    field: str
    """Text fields, combo boxes, buttons and the groove of bars."""
    hover: str
    pressed: str
    stripe: str
    """Rows that changed at this call, and every other faint area inside a panel."""
    line: str
    grid: str
    """Grid lines of plots: fainter than `line`."""
    text: str
    dim: str
    faint: str
    """Disabled text and decoration; never the only place of a fact."""
    accent: str
    accent_text: str
    """Text on `accent`."""
    bad: str
    warn: str
    good: str
    selection: str
    selection_text: str
    global_: str
    session: str
    task: str
    atomic: str
    added: str
    """Background of text that is new."""
    removed: str

    @property
    def tiers(self) -> dict[str, str]:
        """Colour by tier name; they differ in lightness as well as in hue."""
        return {"global": self.global_, "session": self.session, "task": self.task, "atomic": self.atomic}

    @property
    def states(self) -> dict[str, str]:
        """Colour by the label of a `State`; always shown with its word."""
        return {
            "registered": self.accent,
            "active": self.good,
            "standby": self.warn,
            "expired": self.bad,
            "archived": self.dim,
        }

    def tier(self, name: str) -> str:
        return self.tiers.get(name, self.dim)

    def state(self, label: str) -> str:
        return self.states.get(label, self.dim)


DARK = Palette(
    scheme="dark",
    window="#15181d",
    panel="#1b1f26",
    field="#232934",
    hover="#2a313d",
    pressed="#323b49",
    stripe="#202732",
    line="#2d3440",
    grid="#252b35",
    text="#dfe4ec",
    dim="#8b95a5",
    faint="#5d6675",
    accent="#6ea8fe",
    accent_text="#0d1420",
    bad="#ff6b6b",
    warn="#f0b04a",
    good="#6fcf97",
    selection="#2f5ea8",
    selection_text="#ffffff",
    global_="#5b8def",
    session="#35b9a5",
    task="#e0a33a",
    atomic="#c678dd",
    added="#1d3a2c",
    removed="#432528",
)

LIGHT = Palette(
    scheme="light",
    window="#f4f5f7",
    panel="#ffffff",
    field="#f0f2f5",
    hover="#e6eaf0",
    pressed="#d9dfe8",
    stripe="#f3f7ff",
    line="#d9dde4",
    grid="#eceff3",
    text="#1d2430",
    dim="#667085",
    faint="#98a2b3",
    accent="#2563eb",
    accent_text="#ffffff",
    bad="#c2332b",
    warn="#a15c07",
    good="#1a7f4b",
    selection="#cfe0ff",
    selection_text="#0f2550",
    global_="#3f6fd8",
    session="#138f80",
    task="#c98512",
    atomic="#9b4fc0",
    added="#dff5e6",
    removed="#fde4e2",
)


class Theme(QObject):
    """Holds the palette that is shown. `changed` is emitted after it was replaced, never without a difference."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._palette = DARK

    @property
    def palette(self) -> Palette:
        return self._palette

    def show(self, palette: Palette) -> None:
        if palette is not self._palette:
            self._palette = palette
            self.changed.emit()


theme = Theme()


def colours() -> Palette:
    """The palette shown now."""
    return theme.palette
