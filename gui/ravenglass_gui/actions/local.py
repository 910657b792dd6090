"""Actions of one panel: they hold while it, or something in it, has the focus.

A shortcut of the panel with a key of the window would be ambiguous, and then neither is asked. So where a spec says
`claims`, the panel takes the key before shortcuts are looked up (`ShortcutOverride`) and acts when it arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from ravenglass_gui.actions.specs import ActionSpec, PanelName, of_panel, tip
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import theme


class LocalActions(QObject):
    """The actions that the registry has for a panel, by id; `panel` is the widget in which they hold."""

    def __init__(self, panel: QWidget, name: PanelName, handlers: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(panel)
        self._specs = {spec.id: spec for spec in of_panel(name)}
        if set(self._specs) != set(handlers):
            raise ValueError(f"actions without a handler or the reverse: {sorted(set(self._specs) ^ set(handlers))}")
        self.enabled = True
        """While it is off, claimed keys mean what they mean in the rest of the window."""
        self._actions: dict[str, QAction] = {}
        self._claimed: dict[str, QAction] = {}
        for spec in self._specs.values():
            self._actions[spec.id] = self._made(spec, panel, handlers[spec.id])
        if self._claimed:
            panel.installEventFilter(self)
        theme.changed.connect(self._recolour)
        self._recolour()

    def _made(self, spec: ActionSpec, panel: QWidget, act: Callable[[], object]) -> QAction:
        action = QAction(spec.text, self)
        action.setObjectName(spec.id)
        action.setToolTip(tip(spec))
        action.triggered.connect(lambda: act())
        if spec.claims:
            self._claimed |= {QKeySequence(key).toString(): action for key in spec.keys}
        else:
            action.setShortcuts([QKeySequence(key) for key in spec.keys])
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            action.setAutoRepeat(spec.repeats)
            panel.addAction(action)
        return action

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def fill(self, menu: QMenu, names: Iterable[str] | None = None) -> None:
        """Put the actions into a menu, in the order and the sections of the registry; `names`: only these."""
        wanted = set(self._specs if names is None else names)
        for spec in self._specs.values():
            if spec.id in wanted:
                if spec.starts and menu.actions():
                    menu.addSeparator()
                menu.addAction(self._actions[spec.id])

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.enabled and isinstance(event, QKeyEvent):
            action = self._claimed.get(QKeySequence(event.keyCombination()).toString())
            if action is not None and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if action is not None and event.type() == QEvent.Type.KeyPress:
                action.trigger()
                return True
        return super().eventFilter(watched, event)

    def _recolour(self) -> None:
        for spec in self._specs.values():
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon))
