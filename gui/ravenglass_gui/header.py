"""The row at the top: menus and toolbar side by side, and below it room for hints and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QVBoxLayout, QWidget

from ravenglass_gui.actions import Actions, MenuName
from ravenglass_gui.layout import Layout
from ravenglass_gui.navigation import Navigator
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.theme.apply import CHOICES, chosen
from ravenglass_gui.widgets.header_bar import CallBox, ProfileBox, SpeedBox

if TYPE_CHECKING:
    from ravenglass_gui.main_window import MainWindow

_THEMES = {"dark": "Dark", "light": "Light", "system": "As the system"}


def make_header(
    window: MainWindow, state: DebuggerState, navigator: Navigator, actions: Actions, layout: Layout
) -> QWidget:
    """Build the header of `window`; the hint and notice bars of the window are put into it."""
    header = QWidget(window)
    header.setObjectName("header")
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    row.addWidget(_menus(window, actions, layout), 0, Qt.AlignmentFlag.AlignVCenter)
    row.addWidget(_toolbar(state, navigator, actions), 1)
    column = QVBoxLayout(header)
    column.setContentsMargins(0, 0, 0, 4)
    column.setSpacing(4)
    column.addLayout(row)
    column.addWidget(window.hints)
    column.addWidget(window.notice)
    return header


def _menus(window: MainWindow, actions: Actions, layout: Layout) -> QMenuBar:
    bar = QMenuBar()
    bar.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
    for name in get_args(MenuName):
        menu = bar.addMenu(f"&{name}")
        for action, starts in actions.menu(name):
            if starts:
                menu.addSeparator()
            menu.addAction(action)
        if name == "View":
            _panels(menu, layout)
            _themes(menu, window)
    return bar


def _panels(menu: QMenu, layout: Layout) -> None:
    menu.addSeparator()
    panels = menu.addMenu("Panels")
    for dock in layout.docks.values():
        panels.addAction(dock.toggleViewAction())


def _themes(menu: QMenu, window: MainWindow) -> None:
    themes = menu.addMenu("Theme")
    group = QActionGroup(themes)
    for choice in CHOICES:
        action = themes.addAction(_THEMES[choice])
        action.setCheckable(True)
        action.setData(choice)
        group.addAction(action)
        action.triggered.connect(lambda checked=False, choice=choice: window.choose_theme(choice))  # noqa: ARG005

    def mark() -> None:
        for action in group.actions():
            action.setChecked(action.data() == chosen())

    themes.aboutToShow.connect(mark)


def _toolbar(state: DebuggerState, navigator: Navigator, actions: Actions) -> QToolBar:
    bar = QToolBar()
    bar.setIconSize(QSize(18, 18))
    bar.setMovable(False)
    bar.setFloatable(False)
    for name in ("open", None, "first", "previous"):
        if name is None:
            bar.addSeparator()
        else:
            bar.addAction(actions[name])
    bar.addWidget(CallBox(state))
    for name in ("next", "last"):
        bar.addAction(actions[name])
    bar.addSeparator()
    bar.addAction(actions["play"])
    speed = SpeedBox()
    speed.speed_chosen.connect(navigator.set_speed)
    bar.addWidget(speed)
    bar.addSeparator()
    bar.addAction(actions["step"])
    bar.addAction(actions["run_to_break"])
    stretch = QWidget()
    stretch.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    bar.addWidget(stretch)
    bar.addWidget(ProfileBox(state))
    bar.addAction(actions["theme"])
    bar.addAction(actions["keys"])
    for name in ("open", "step", "run_to_break"):
        button = bar.widgetForAction(actions[name])
        if isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    for action in bar.actions():
        button = bar.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(action.text())
    return bar
