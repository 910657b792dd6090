"""The one registry of what a person can do: menus, toolbar, shortcuts and the list of keys are made from it.

Handlers are given by the window; a spec without one, or a handler without a spec, is an error at start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.tokens import theme

MenuName = Literal["File", "Go", "Curator", "View", "Help"]
Needs = Literal["nothing", "session", "calls", "recorded", "damage"]
"""When an action makes sense: always, with a session open, with a replay that has calls, with a recorded run that can
be shown, with bytes that could not be read."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`keys` are portable key names, the first is the one shown; `starts` begins a new section of its menu."""

    id: str
    menu: MenuName
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    icon: str = ""
    needs: Needs = "nothing"
    starts: bool = False
    repeats: bool = False
    """Holding the key repeats it."""
    checkable: bool = False
    """It is on or off, and shows which."""


# One action a line: a table that is read down its columns.
# ruff: noqa: E501
# fmt: off
SPECS: tuple[ActionSpec, ...] = (
    ActionSpec("open", "File", "Open…", "Open a recorded session.", ("Ctrl+O",), "open"),
    ActionSpec("open_folder", "File", "Open folder…", "List the sessions of a folder; sessions, databases and folders can also be dropped on the window.", ("Ctrl+Shift+O",), "project"),
    ActionSpec("demo", "File", "Open the demo", "Open the session that comes with the program.", (), "demo"),
    ActionSpec("save", "File", "Save run…", "Write this run into a folder: profile, manifest, trace, windows.", ("Ctrl+S",), "save", "session", starts=True),
    ActionSpec("close", "File", "Close session", "Close the session; its file is untouched.", ("Ctrl+W",), "close", "session"),
    ActionSpec("quit", "File", "Quit", "End the program.", ("Ctrl+Q",), "quit", starts=True),

    ActionSpec("previous", "Go", "Previous call", "One model call back.", ("Left",), "previous", "calls", repeats=True),
    ActionSpec("next", "Go", "Next call", "One model call on.", ("Right",), "next", "calls", repeats=True),
    ActionSpec("previous_turn", "Go", "Previous turn", "To the first call of this turn, or of the one before.", ("Shift+Left",), "previous_turn", "calls", repeats=True),
    ActionSpec("next_turn", "Go", "Next turn", "To the first call of the next turn.", ("Shift+Right",), "next_turn", "calls", repeats=True),
    ActionSpec("first", "Go", "First call", "To the first model call.", ("Home",), "first", "calls"),
    ActionSpec("last", "Go", "Last call", "To the last model call.", ("End",), "last", "calls"),
    ActionSpec("next_event", "Go", "Next marked event", "To the next call with an event that the timeline marks.", ("N", "."), "right", "calls", starts=True, repeats=True),
    ActionSpec("previous_event", "Go", "Previous marked event", "To the previous call with an event that the timeline marks.", ("P", ","), "left", "calls", repeats=True),
    ActionSpec("play", "Go", "Play", "Move through the calls; again stops.", ("Space",), "play", "calls", starts=True),

    ActionSpec("follow", "Go", "Follow", "Show what the agent is writing as it comes, at the last call until you look at an earlier one.", ("Ctrl+L",), "follow", starts=True, checkable=True),

    ActionSpec("step", "Curator", "Step curator", "One event of the curator's conversation at this call.", ("F10",), "step", "calls"),
    ActionSpec("plan", "Curator", "Plan by hand", "Fill in the plan of this slow path by ticking rows of the manifest.", ("F9",), "plan", "calls"),
    ActionSpec("run_to_break", "Curator", "Run to break", "To the next call that took the slow path.", ("F5",), "run", "calls"),
    ActionSpec("undo_change", "Curator", "Undo last change", "Take back the last change made by hand: the run before it is shown again.", ("Ctrl+Z",), "undo", "session", starts=True),

    ActionSpec("recorded", "View", "Recorded run", "Show what really was in the window, in place of what the profile would have made of it.", ("R",), "recorded", "recorded", checkable=True),
    ActionSpec("damage", "View", "Damaged bytes…", "List what of the file could not be read: line, offset, length, reason, what was kept.", (), "warning", "damage"),
    ActionSpec("filter", "View", "Filter the manifest", "Type what the manifest should show.", ("Ctrl+F",), "filter", starts=True),
    ActionSpec("refresh", "View", "List sessions again", "Look again for the sessions of every listed folder.", ("Ctrl+R",), "refresh"),
    ActionSpec("zoom_in", "View", "Zoom in", "Fewer calls in the timeline.", ("W", "Ctrl++"), "zoom_in", "calls", starts=True, repeats=True),
    ActionSpec("zoom_out", "View", "Zoom out", "More calls in the timeline.", ("S", "Ctrl+-"), "zoom_out", "calls", repeats=True),
    ActionSpec("pan_left", "View", "Earlier calls", "Move the timeline to earlier calls.", ("A",), "left", "calls", repeats=True),
    ActionSpec("pan_right", "View", "Later calls", "Move the timeline to later calls.", ("D",), "right", "calls", repeats=True),
    ActionSpec("zoom_all", "View", "All calls", "The whole timeline.", ("Ctrl+0",), "fit", "calls"),
    ActionSpec("theme", "View", "Dark or light", "Switch between the dark and the light palette.", ("Ctrl+T",), "theme", starts=True),
    ActionSpec("reset_layout", "View", "Reset layout", "All panels back where they were at first.", (), "reset"),

    ActionSpec("keys", "Help", "All keys", "Every action with its key.", ("?", "F1"), "keys"),
    ActionSpec("hints", "Help", "Show the hints", "The five hints of the first start.", (), "info"),
)
# fmt: on


class Actions(QObject):
    """The actions of one window, by id."""

    def __init__(self, window: QWidget, handlers: Mapping[str, Callable[[], object]]) -> None:
        super().__init__(window)
        names = {spec.id for spec in SPECS}
        if names != set(handlers):
            raise ValueError(f"actions without a handler or the reverse: {sorted(names ^ set(handlers))}")
        self._playing = False
        self._actions: dict[str, QAction] = {}
        for spec in SPECS:
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

    def menu(self, name: MenuName) -> list[tuple[QAction, bool]]:
        """The actions of a menu in order, each with whether it begins a new section."""
        return [(self._actions[spec.id], spec.starts) for spec in SPECS if spec.menu == name]

    def enable(self, *, session: bool, calls: bool, recorded: bool = False, damage: bool = False) -> None:
        """Enable what makes sense with what is open."""
        met = {"nothing": True, "session": session, "calls": calls, "recorded": recorded, "damage": damage}
        for spec in SPECS:
            self._actions[spec.id].setEnabled(met[spec.needs])

    def recolour(self) -> None:
        """Icons in the colours of the palette shown now."""
        for spec in SPECS:
            if spec.icon:
                self._actions[spec.id].setIcon(icon(spec.icon))
        self.show_playing(self._playing)

    def show_following(self, on: bool) -> None:
        """The follow action is pressed while something is followed."""
        self._actions["follow"].setChecked(on)

    def show_recorded(self, on: bool, missing: str) -> None:
        """The action is pressed while the recorded run is shown; `missing` says why there is none to show."""
        spec = next(spec for spec in SPECS if spec.id == "recorded")
        action = self._actions["recorded"]
        action.setChecked(on)
        action.setEnabled(not missing)
        action.setToolTip(missing or tip(spec))

    def show_playing(self, playing: bool) -> None:
        """The play action says what it would do now."""
        self._playing = playing
        self._actions["play"].setText("Pause" if playing else "Play")
        self._actions["play"].setIcon(icon("pause" if playing else "play"))


def tip(spec: ActionSpec) -> str:
    """The tooltip: what it does, and its key."""
    return f"{spec.tip.rstrip('.')} ({key_names(spec)[0]})" if spec.keys else spec.tip


def key_names(spec: ActionSpec) -> list[str]:
    """The keys as this platform writes them."""
    return [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys]


def _without_argument(handler: Callable[[], object]) -> Callable[[bool], None]:
    def run(checked: bool = False) -> None:  # noqa: ARG001
        handler()

    return run
