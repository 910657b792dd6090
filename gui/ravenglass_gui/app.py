"""Starts the desktop: application, theme, window, and what is opened first."""

from __future__ import annotations

from pathlib import Path

from ravenglass.profile import Profile
from ravenglass_gui.shell.application import application, fit_to_screen
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.theme.apply import Choice
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.library_owner import LibraryOwner
from ravenglass_gui.work.memory import own_process, settle_window
from ravenglass_gui.work.replay_bridge import Bridge


def main(files: list[Path], *, profile: Profile | None = None, theme: Choice = "system", format_name: str = "") -> int:
    """Show the window until it is closed; the exit code of the program.

    Without `files` the session that was open last is opened, at the first start the demo. A `theme` other than
    `system` overrides the remembered choice for this run. `files` are read as the format of a name where one is given.
    """
    with own_process():
        return _shown(files, profile, theme, format_name)


def _shown(files: list[Path], profile: Profile | None, theme: Choice, format_name: str) -> int:
    settings = Settings()
    app = application(theme if theme != "system" else settings.theme or "system")
    state = DebuggerState()
    library = LibraryOwner()
    bridge = Bridge(state, library=library)
    if profile is not None:
        state.set_profile(profile)
    browser = Browser(library=library)
    window = MainWindow(state, bridge, settings, browser)
    fit_to_screen(window)
    window.show()
    settle_window()
    bridge.load_recent()
    browser.begin(settings.folders)
    last = settings.last_session
    if files:
        window.open_paths(files, format_name)
    elif last is not None:
        bridge.open([last])
    else:
        window.open_demo()
    code = app.exec()
    browser.shutdown()
    bridge.shutdown()
    library.close()
    return code
