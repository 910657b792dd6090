"""A titled group that folds away."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QVBoxLayout, QWidget

from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import colours, theme


class Fold(QWidget):
    """Add widgets with `add`; the title's button opens and closes it."""

    def __init__(self, title: str, parent: QWidget | None = None, *, opened: bool = True) -> None:
        super().__init__(parent)
        self.button = QToolButton(self)
        self.button.setText(title)
        self.button.setAccessibleName(f"{title}: show or hide this group")
        self.button.setCheckable(True)
        self.button.setChecked(opened)
        self.button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.button.toggled.connect(self._toggled)
        self._body = QWidget(self)
        self._inner = QVBoxLayout(self._body)
        self._inner.setContentsMargins(4, 2, 0, 6)
        self._inner.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.button)
        layout.addWidget(self._body)
        theme.changed.connect(self._restyle)
        self._toggled(opened)

    def add(self, widget: QWidget) -> None:
        self._inner.addWidget(widget)

    def _toggled(self, opened: bool) -> None:
        self._body.setVisible(opened)
        self._restyle()

    def _restyle(self) -> None:
        palette = colours()
        self.button.setIcon(icon("mdi6.chevron-down" if self.button.isChecked() else "mdi6.chevron-right", palette.dim))
        self.button.setStyleSheet(
            f"QToolButton {{ border: none; background: transparent; color: {palette.dim}; font-weight: 600;"
            f" text-align: left; padding: 2px 0; }} QToolButton:hover, QToolButton:focus {{ color: {palette.text}; }}"
        )
