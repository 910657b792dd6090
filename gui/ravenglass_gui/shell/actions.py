"""The actions of the window, made from the registry. Handlers are given by the window; a spec without one, or a handler
without a spec, is an error at start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ravenglass_gui.actions.specs import WINDOW, MenuName, tip
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import theme


class Actions(QObject):
    """The actions of one window, by id."""

    def __init__(self, window: QWidget, handlers: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(window)
        names = {spec.id for spec in WINDOW}
        if names != set(handlers):
            raise ValueError(f"actions without a handler or the reverse: {sorted(names ^ set(handlers))}")
        self._playing = False
        self._actions: dict[str, QAction] = {}
        for spec in WINDOW:
            action = QAction(spec.text, window)
            action.setObjectName(spec.id)
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
            action.setAutoRepeat(spec.repeats)
            action.setCheckable(spec.checkable)
            action.setToolTip(tip(spec))
            action.setStatusTip(spec.tip)
            action.triggered.connect(_without_argument(handlers[spec.id]))
            window.addAction(action)
            self._actions[spec.id] = action
        theme.changed.connect(self.recolour)
        self.recolour()

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def menu(self, name: MenuName, submenu: str = "") -> list[tuple[QAction, bool]]:
        """The actions of a menu in order, each with whether it begins a new section."""
        found = (spec for spec in WINDOW if (spec.menu, spec.submenu) == (name, submenu))
        return [(self._actions[spec.id], spec.starts) for spec in found]

    def enable(self, *, session: bool, calls: bool, recorded: bool = False, damage: bool = False) -> None:
        """Enable what makes sense with what is open."""
        met = {"nothing": True, "session": session, "calls": calls, "recorded": recorded, "damage": damage}
        for spec in WINDOW:
            self._actions[spec.id].setEnabled(met[spec.needs])

    def recolour(self) -> None:
        """Icons in the colours of the palette shown now."""
        for spec in WINDOW:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon))
        self.show_playing(self._playing)

    def show_following(self, on: bool) -> None:
        """The follow action is pressed while something is followed."""
        self._actions["follow"].setChecked(on)

    def show_recorded(self, on: bool, missing: str) -> None:
        """The action is pressed while the recorded run is shown; `missing` says why there is none to show."""
        spec = next(spec for spec in WINDOW if spec.id == "recorded")
        action = self._actions["recorded"]
        action.setChecked(on)
        action.setEnabled(not missing)
        action.setToolTip(missing or tip(spec))

    def show_playing(self, playing: bool) -> None:
        """The play action says what it would do now."""
        self._playing = playing
        self._actions["play"].setText("Pause" if playing else "Play")
        self._actions["play"].setIcon(icon("pause" if playing else "play"))


def _without_argument(handler: Callable[[], object]) -> Callable[[bool], None]:
    def run(checked: bool = False) -> None:  # noqa: ARG001
        handler()

    return run
