"""Base of panels that follow the playhead: they do their work only while someone can see them.

A panel behind another tab or in a closed dock is marked stale and catches up when it is shown, so that moving
the playhead costs what is on screen and no more.
"""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.theme.palette import theme


class LivePanel(QWidget):
    """Subclasses implement `refresh`, connect signals to `invalidate`, and read `self.state` only."""

    def __init__(self, state: DebuggerState, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.state = state
        self._stale = True
        state.run_changed.connect(self.invalidate)
        state.call_changed.connect(self.invalidate)
        theme.changed.connect(self.restyle)

    def invalidate(self) -> None:
        """What is shown is out of date: refresh now if visible, else when shown."""
        if self.isVisible():
            self._stale = False
            self.refresh()
        else:
            self._stale = True

    def sees(self) -> bool:
        """Whether someone looks; if not, the panel catches up when it is shown."""
        if not self.isVisible():
            self._stale = True
        return self.isVisible()

    def refresh(self) -> None:
        """Show what `self.state` holds now."""
        raise NotImplementedError

    def restyle(self) -> None:
        """The palette was switched. Painted widgets ask for colours when they paint, so an update is enough."""
        self.update()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._stale = False
            self.refresh()
