"""What following says on screen: `12 new` in the toolbar, which jumps to the end, and the line in the status bar."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from ravenglass_gui.text.numbers import amount
from ravenglass_gui.work.follow.following import Following


class FollowChip(QPushButton):
    """There only while calls came that the playhead does not stand behind."""

    def __init__(self, following: Following, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("followChip")
        self.setProperty("role", "primary")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._following = following
        self.clicked.connect(following.to_end)
        following.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        new = self._following.new
        self.setText(f"{new:,} new")
        waits = self._following.held
        tip = (
            f"{amount(new, 'call')} came while this branch is on screen; undo its changes to see them"
            if waits
            else f"{amount(new, 'call')} came meanwhile; go to the last one and follow it"
        )
        self.setToolTip(tip)
        self.setAccessibleName(tip)


class FollowStatus(QLabel):
    """`following, last change 3 s ago`."""

    def __init__(self, following: Following, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("role", "dim")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Following")
        self._following = following
        following.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        said = self._following.status()
        if said != self.text():
            self.setText(said)
        self.setVisible(bool(said))
