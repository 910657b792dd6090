"""Where the panels stand: the docks, their first arrangement, and how a layout is saved and brought back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QMainWindow, QWidget

from ravenglass_gui.shell.dock import PanelDock
from ravenglass_gui.state.settings import LAYOUT_VERSION

_AREA = Qt.DockWidgetArea


@dataclass(frozen=True, slots=True)
class DockPlace:
    """`size` is the first width (left, right) or height (top, bottom, and inside the right column), in pixels."""

    name: str
    area: Qt.DockWidgetArea
    size: int
    scrolls: bool = False


PLACES: Mapping[str, DockPlace] = {
    "sessions": DockPlace("Sessions", _AREA.LeftDockWidgetArea, 212),
    "timeline": DockPlace("Timeline", _AREA.TopDockWidgetArea, 290),
    "message": DockPlace("Message", _AREA.BottomDockWidgetArea, 210),
    "quota": DockPlace("Quota", _AREA.RightDockWidgetArea, 204),
    "why": DockPlace("Why", _AREA.RightDockWidgetArea, 230, scrolls=True),
    "working_state": DockPlace("Working state", _AREA.RightDockWidgetArea, 190, scrolls=True),
    "tuning": DockPlace("Tuning", _AREA.RightDockWidgetArea, 330),
}
"""In the order of the View menu, and from top to bottom in the right column."""

RIGHT_WIDTH = 344
_BARS = 90
"""Height of header, status bar and the gaps between the docks, pixels."""


class Layout:
    """The docks of one main window."""

    def __init__(self, window: QMainWindow, panels: Mapping[str, QWidget]) -> None:
        """`panels` has one panel for each name in `PLACES`."""
        self._window = window
        for corner, area in (
            (Qt.Corner.TopLeftCorner, _AREA.LeftDockWidgetArea),
            (Qt.Corner.BottomLeftCorner, _AREA.LeftDockWidgetArea),
            (Qt.Corner.TopRightCorner, _AREA.RightDockWidgetArea),
            (Qt.Corner.BottomRightCorner, _AREA.RightDockWidgetArea),
        ):
            window.setCorner(corner, area)
        self.docks = {
            name: PanelDock(place.name, panels[name], window, scrolls=place.scrolls) for name, place in PLACES.items()
        }
        self._place()

    def _place(self) -> None:
        for name, place in PLACES.items():
            self._window.addDockWidget(place.area, self.docks[name])

    def reset(self) -> None:
        """The first arrangement: every dock shown, docked and of its first size."""
        for dock in self.docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        self._place()
        for dock in self.docks.values():
            dock.show()
        self.first_sizes()

    def first_sizes(self) -> None:
        """Give the docks their first sizes, shrunk evenly where the window is small; needs a shown window."""
        height = self._window.height()
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        docks = self.docks
        sessions = min(max(PLACES["sessions"].size, self._window.width() // 6), 320)
        self._window.resizeDocks([docks["sessions"]], [sessions], across)
        self._window.resizeDocks([docks["quota"]], [min(RIGHT_WIDTH, self._window.width() // 4 + 10)], across)
        share = min(1.0, height / 1_000)
        for name in ("timeline", "message"):
            self._window.resizeDocks([docks[name]], [round(PLACES[name].size * share)], down)
        right = [name for name, place in PLACES.items() if place.area is _AREA.RightDockWidgetArea]
        # The gauges need what they need; the others share what is left, be it little or much.
        others = sum(PLACES[name].size for name in right if name != "quota")
        left = (height - _BARS - PLACES["quota"].size) / others
        sizes = [PLACES[name].size if name == "quota" else round(PLACES[name].size * left) for name in right]
        self._window.resizeDocks([docks[name] for name in right], sizes, down)

    def save(self) -> QByteArray:
        return self._window.saveState(LAYOUT_VERSION)

    def restore(self, layout: QByteArray) -> bool:
        """Bring a saved layout back; False, and nothing changes, where it is of another version or damaged."""
        return bool(layout) and self._window.restoreState(layout, LAYOUT_VERSION)
