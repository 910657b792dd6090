"""The one registry of what a person can do: menus, toolbar, shortcuts and the list of keys are made from it.

An action belongs to the window, or to a panel and holds only while that has the focus. No key may stand twice where both
would hold: Qt then asks neither. A test builds the window and presses every key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from PySide6.QtGui import QKeySequence

MenuName = Literal["File", "Go", "Curator", "View", "Help"]
PanelName = Literal["Manifest", "Plan", "Filter", "Message", "Tuning", "Sessions"]
Needs = Literal["nothing", "session", "calls", "recorded", "damage"]
"""When an action makes sense: always, with a session open, with a replay that has calls, with a recorded run that can
be shown, with bytes that could not be read."""


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`keys` are portable key names, the first is the one shown; `starts` begins a new section of its menu."""

    id: str
    menu: MenuName | PanelName
    """A menu of the window, or the panel in which the action holds."""
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
    submenu: str = ""
    claims: bool = False
    """The panel takes the key before the window's shortcuts are looked up, so that it may mean something else there."""


# One action a line: a table that is read down its columns.
# ruff: noqa: E501
# fmt: off
SPECS: tuple[ActionSpec, ...] = (
    ActionSpec("open", "File", "Open…", "Open a recorded session.", ("Ctrl+O",), "open"),
    ActionSpec("open_as", "File", "Open as…", "Open a recorded session as one format, whatever it looks like.", ()),
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
    ActionSpec("ask", "Curator", "Ask a model or a trace log…", "Have a model, or the answers of a trace log, decide the slow paths of this run; its cost is shown first.", ("Ctrl+M",), "mdi6.robot-outline", "calls"),
    ActionSpec("run_to_break", "Curator", "Run to break", "To the next call that took the slow path.", ("F5",), "run", "calls"),
    ActionSpec("undo_change", "Curator", "Undo last change", "Take back the last change made by hand: the run before it is shown again.", ("Ctrl+Z",), "undo", "session", starts=True),
    ActionSpec("redo_change", "Curator", "Redo change", "Make the change by hand again that was taken back last.", ("Ctrl+Shift+Z",), "redo", "session"),

    ActionSpec("recorded", "View", "Recorded run", "Show what really was in the window, in place of what the profile would have made of it.", ("R",), "recorded", "recorded", checkable=True),
    ActionSpec("needs", "View", "Regrets", "List what responses needed and the window lacked, with the control and what compactions took.", ("G",), "mdi6.heart-broken-outline", "calls"),
    ActionSpec("damage", "View", "Damaged bytes…", "List what of the file could not be read: line, offset, length, reason, what was kept.", (), "warning", "damage"),
    ActionSpec("filter", "View", "Filter the manifest", "Type what the manifest should show.", ("Ctrl+F",), "filter", starts=True),
    ActionSpec("refresh", "View", "List sessions again", "Look again for the sessions of every listed folder.", ("Ctrl+R",), "refresh"),
    ActionSpec("zoom_in", "View", "Zoom in", "Fewer calls in the timeline.", ("W", "Ctrl++"), "zoom_in", "calls", starts=True, repeats=True),
    ActionSpec("zoom_out", "View", "Zoom out", "More calls in the timeline.", ("S", "Ctrl+-"), "zoom_out", "calls", repeats=True),
    ActionSpec("pan_left", "View", "Earlier calls", "Move the timeline to earlier calls.", ("A",), "left", "calls", repeats=True),
    ActionSpec("pan_right", "View", "Later calls", "Move the timeline to later calls.", ("D",), "right", "calls", repeats=True),
    ActionSpec("zoom_all", "View", "All calls", "The whole timeline.", ("Ctrl+0",), "fit", "calls"),
    ActionSpec("theme", "View", "Dark or light", "Switch between the dark and the light palette.", ("Ctrl+T",), "theme", starts=True),
    ActionSpec("theme_dark", "View", "Dark", "Use the dark palette.", (), "", submenu="Theme", checkable=True),
    ActionSpec("theme_light", "View", "Light", "Use the light palette.", (), "", submenu="Theme", checkable=True),
    ActionSpec("theme_system", "View", "As the system", "Use the palette that the system uses.", (), "", submenu="Theme", checkable=True),
    ActionSpec("reset_layout", "View", "Reset layout", "All panels back where they were at first.", (), "reset"),

    ActionSpec("keys", "Help", "All keys", "Every action with its key.", ("?", "F1"), "keys"),
    ActionSpec("hints", "Help", "Show the hints", "The five hints of the first start.", (), "info"),

    ActionSpec("pin", "Manifest", "Pin", "Keep this message in the window, whatever its score.", ("Ctrl+P",), "pinned"),
    ActionSpec("protect", "Manifest", "Protect", "Keep this message from being cut, archived or evicted.", ("Ctrl+Shift+P",), "protected"),
    ActionSpec("relevance", "Manifest", "Set relevance…", "Say how relevant this message is from here on.", ("Ctrl+Shift+R",), "mdi6.tune-variant"),
    ActionSpec("archive", "Manifest", "Archive", "Archive this message with its group.", ("Delete",), "archived"),
    ActionSpec("retrieve", "Manifest", "Retrieve into the window", "Bring this message back into the window in full.", ("Insert",), "retrieved"),
    ActionSpec("compact", "Manifest", "Compact here…", "A slow path at this call, into as many tokens as you say, as a branch.", ("Ctrl+Shift+K",), "mdi6.arrow-collapse-vertical", starts=True),
    ActionSpec("first_use", "Manifest", "Go to first call with it in the window", "To the first call whose window held this message.", ("[",), "first", starts=True),
    ActionSpec("last_use", "Manifest", "Go to last call with it in the window", "To the last call whose window held this message.", ("]",), "last"),
    ActionSpec("copy_address", "Manifest", "Copy address", "Copy the address of this message.", ("Ctrl+Shift+C",), "mdi6.link-variant", starts=True),
    ActionSpec("copy_text", "Manifest", "Copy text", "Copy the text of this message.", ("Ctrl+C",), "copy"),
    ActionSpec("filter_value", "Manifest", "Filter by this value", "Show only messages with the value of this cell.", ("Ctrl+Return",), "filter", starts=True),

    ActionSpec("toggle_tick", "Plan", "Tick or untick", "Take the row of the keyboard into the plan by hand, or out of it.", ("Space",), claims=True),
    ActionSpec("offer", "Filter", "Offer completions", "List what can be typed here.", ("Ctrl+Space",), claims=True),
    ActionSpec("find", "Message", "Find in the message", "Search the text of the message.", ("Ctrl+F",), claims=True),
    ActionSpec("undo_value", "Tuning", "Undo the last value", "Take back the last change of the profile.", ("Ctrl+Z",), claims=True),
    ActionSpec("redo_value", "Tuning", "Redo the value", "Make the change of the profile again that was taken back.", ("Ctrl+Shift+Z",), claims=True),

    ActionSpec("session_open", "Sessions", "Open", "Open this session, a saved run's with its profile."),
    ActionSpec("session_details", "Sessions", "Read its details now", "Read what the list does not say of this session yet."),
    ActionSpec("list_again", "Sessions", "List again", "Look for the sessions of this folder again."),
    ActionSpec("copy_path", "Sessions", "Copy path", "Copy the path of this session, folder or saved run."),
    ActionSpec("forget", "Sessions", "Take off this list", "List the sessions of this folder no more; its files stay."),
)
# fmt: on

WINDOW = tuple(spec for spec in SPECS if spec.menu in get_args(MenuName))
"""Actions that hold wherever the focus is."""


def of_panel(name: PanelName) -> tuple[ActionSpec, ...]:
    """The actions that hold in a panel, in the order of its menu."""
    return tuple(spec for spec in SPECS if spec.menu == name)


def key_names(spec: ActionSpec) -> list[str]:
    """The keys as this platform writes them."""
    return [QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in spec.keys]


def tip(spec: ActionSpec) -> str:
    """The tooltip: what it does, and its key."""
    return f"{spec.tip.rstrip('.')} ({key_names(spec)[0]})" if spec.keys else spec.tip
