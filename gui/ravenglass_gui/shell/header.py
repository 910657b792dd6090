"""The row at the top: menus and toolbar side by side, and below it room for hints and notices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QActionGroup, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QMenuBar, QSizePolicy, QToolBar, QToolButton, QVBoxLayout, QWidget

from ravenglass_gui.actions.specs import MenuName
from ravenglass_gui.shell.actions import Actions
from ravenglass_gui.shell.bars.follow_chip import FollowChip
from ravenglass_gui.shell.bars.header_bar import CallBox, ProfileBox, SpeedBox
from ravenglass_gui.shell.bars.run_switch import RunSwitch
from ravenglass_gui.shell.layout import Layout
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.navigation import Navigator
from ravenglass_gui.theme.apply import chosen
from ravenglass_gui.work.follow.following import Following

_ROOMY = 1_400
"""Pixels from which every word of the toolbar finds room, the number of new calls included."""


def make_header(
    state: DebuggerState,
    navigator: Navigator,
    following: Following,
    actions: Actions,
    layout: Layout,
    bars: Iterable[QWidget],
) -> QWidget:
    """Menus and toolbar, and below them `bars` (hints, notices), shown when they have something to say."""
    header = QWidget()
    header.setObjectName("header")
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    row.addWidget(_menus(actions, layout), 0, Qt.AlignmentFlag.AlignVCenter)
    row.addWidget(_toolbar(state, navigator, following, actions), 1)
    column = QVBoxLayout(header)
    column.setContentsMargins(0, 0, 0, 4)
    column.setSpacing(4)
    column.addLayout(row)
    for bar in bars:
        column.addWidget(bar)
    return header


def _menus(actions: Actions, layout: Layout) -> QMenuBar:
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
            _themes(menu, actions)
    return bar


def _panels(menu: QMenu, layout: Layout) -> None:
    menu.addSeparator()
    panels = menu.addMenu("Panels")
    for dock in layout.docks.values():
        panels.addAction(dock.toggleViewAction())


def _themes(menu: QMenu, actions: Actions) -> None:
    themes = menu.addMenu("Theme")
    group = QActionGroup(themes)
    for action, _ in actions.menu("View", "Theme"):
        themes.addAction(action)
        group.addAction(action)

    def mark() -> None:
        actions[f"theme_{chosen()}"].setChecked(True)

    themes.aboutToShow.connect(mark)


class _Bar(QToolBar):
    """`yielding` buttons show their icon only where there is little room."""

    def __init__(self) -> None:
        super().__init__()
        self.yielding: list[QToolButton] = []

    def resizeEvent(self, event: QResizeEvent) -> None:
        roomy = self.window().width() >= _ROOMY
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if roomy else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in self.yielding:
            button.setToolButtonStyle(style)
        super().resizeEvent(event)


def _toolbar(state: DebuggerState, navigator: Navigator, following: Following, actions: Actions) -> QToolBar:
    bar = _Bar()
    bar.setIconSize(QSize(18, 18))
    bar.setMovable(False)
    bar.setFloatable(False)
    for name in ("open", "follow", None, "first", "previous"):
        if name is None:
            bar.addSeparator()
        else:
            bar.addAction(actions[name])
    bar.addWidget(CallBox(state))
    for name in ("next", "last"):
        bar.addAction(actions[name])
    _chip(bar, following)
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
    bar.addWidget(RunSwitch(state, actions["recorded"]))
    bar.addWidget(ProfileBox(state))
    bar.addAction(actions["theme"])
    bar.addAction(actions["keys"])
    for name in ("open", "follow", "step", "run_to_break"):
        button = bar.widgetForAction(actions[name])
        if isinstance(button, QToolButton):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        if isinstance(button, QToolButton) and name in ("open", "follow", "step", "run_to_break"):
            bar.yielding.append(button)
    for action in bar.actions():
        button = bar.widgetForAction(action)
        if isinstance(button, QToolButton):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(action.text())
    return bar


def _chip(bar: QToolBar, following: Following) -> None:
    """Behind the button for the last call, where it leads; a toolbar shows and hides the place of a widget."""
    place = bar.addWidget(FollowChip(following))
    place.setVisible(following.new > 0)
    following.changed.connect(lambda: place.setVisible(following.new > 0))
