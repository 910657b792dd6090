"""A dock that looks like a card: the panel's own header is its title bar, with float and close on hover."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QEnterEvent, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QFrame, QHBoxLayout, QScrollArea, QToolButton, QWidget

from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.widgets.card import paint_card
from ravenglass_gui.widgets.section import SectionTitle

_BUTTON = 14


class PanelDock(QDockWidget):
    """Holds one panel. `name` is what menus call it; its object name is `dock_` and the panel's."""

    def __init__(self, name: str, panel: QWidget, parent: QWidget, *, scrolls: bool = False) -> None:
        """With `scrolls` the panel gets a scroll area, so that the dock can be lower than the panel needs."""
        super().__init__(name, parent)
        self.setObjectName(f"dock_{panel.objectName()}")
        self.panel = panel
        header = panel.findChild(SectionTitle)
        self._title = _TitleBar(header if header is not None else SectionTitle(name), self)
        self.setTitleBarWidget(self._title)
        layout = panel.layout()
        if header is not None and layout is not None:
            margins = layout.contentsMargins()
            layout.setContentsMargins(margins.left(), 2, margins.right(), margins.bottom())
        self.setWidget(_scrolling(panel) if scrolls else panel)
        theme.changed.connect(self._recolour)
        self._recolour()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002
        paint_card(self)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._title.show_buttons(True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._title.show_buttons(False)
        super().leaveEvent(event)

    def _recolour(self) -> None:
        self._title.recolour()
        self.update()


class _TitleBar(QWidget):
    def __init__(self, header: SectionTitle, dock: QDockWidget) -> None:
        super().__init__(dock)
        self._float = self._button("Float or dock this panel")
        self._close = self._button("Close this panel; the View menu brings it back")
        self._float.clicked.connect(lambda: dock.setFloating(not dock.isFloating()))
        self._close.clicked.connect(dock.close)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(9, 7, 6, 1)
        layout.setSpacing(2)
        layout.addWidget(header, 1)
        layout.addWidget(self._float)
        layout.addWidget(self._close)
        self.show_buttons(False)

    def _button(self, what: str) -> QToolButton:
        button = QToolButton(self)
        button.setAccessibleName(what)
        button.setToolTip(what)
        button.setIconSize(QSize(_BUTTON, _BUTTON))
        button.setFixedSize(_BUTTON + 6, _BUTTON + 4)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setProperty("role", "tiny")
        return button

    def show_buttons(self, shown: bool) -> None:
        self._float.setVisible(shown)
        self._close.setVisible(shown)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, _BUTTON + 14)

    def sizeHint(self) -> QSize:
        return QSize(200, _BUTTON + 14)

    def recolour(self) -> None:
        self._float.setIcon(icon("float", colours().dim))
        self._close.setIcon(icon("close", colours().dim))


def _scrolling(panel: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(panel)
    area.viewport().setAutoFillBackground(False)
    panel.setAutoFillBackground(False)
    return area
