"""`ravenglass [FILE ...]` and `ravenglass screenshot`: the way from the command line to the desktop.

The desktop is an extra: it is imported only here, by name, and a missing one is a sentence. Where there is no
display, opening prints the replay as a table and writes a picture of the desktop instead.
"""

from __future__ import annotations

import ctypes.util
import os
import sys
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import typer

from ravenglass.cli.loading import FormatName, choose, load_session, replayed
from ravenglass.cli.printing.console import stdout
from ravenglass.cli.printing.output import Force, warn
from ravenglass.cli.report import print_tables
from ravenglass.cli.trace import trace_command
from ravenglass.errors import RavenglassError
from ravenglass.resources import demo_session
from ravenglass.safe.visible import visible
from ravenglass.sessions import holder_of
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.catalogue.registry import reader_named
from ravenglass.sessions.records.collecting import loaded, uncollected
from ravenglass.store.outputs import refuse_existing
from ravenglass.traces import is_trace_log

Theme = Annotated[str, typer.Option("--theme", metavar="T", help="system, light or dark.")]
ProfileName = Annotated[str, typer.Option("--profile", metavar="P", help="A preset's name or a TOML file.")]
_THEMES = ("system", "light", "dark")
_RUNS = ("simulated", "recorded")
_VIEWS = ("manifest", "window", "trace", "archive", "needs", "registry", "snapshots")


def open_files(
    files: Annotated[list[Path] | None, typer.Argument(metavar="[FILE ...]", show_default=False)] = None,
    profile: ProfileName = "default",
    theme: Theme = "system",
    format_name: FormatName = "",
) -> int:
    """Open sessions in the desktop."""
    _known("--theme", theme, _THEMES)
    if format_name:
        reader_named(format_name)
    chosen = choose(profile, [])
    missing = _no_display()
    if missing:
        return _without_display(missing, _session_of((files or [demo_session()])[0]), chosen.name, profile, format_name)
    app = _desktop("app")
    shown = None if profile == "default" else chosen
    return int(app.main(files or [], profile=shown, theme=theme, format_name=format_name))


def screenshot(
    file: Annotated[Path, typer.Argument(metavar="FILE", show_default=False)],
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="OUT.png", help="Where the picture goes.", show_default=False)
    ],
    call: Annotated[int | None, typer.Option("--call", metavar="N", help="The call; else one with a decision.")] = None,
    view: Annotated[str, typer.Option("--view", metavar="V", help=f"One of {', '.join(_VIEWS)}.")] = "manifest",
    size: Annotated[str, typer.Option("--size", metavar="WxH", help="Size in pixels.")] = "1600x1000",
    theme: Annotated[str, typer.Option("--theme", metavar="T", help="dark or light.")] = "dark",
    profile: ProfileName = "default",
    run: Annotated[str, typer.Option("--run", metavar="R", help="simulated or recorded.")] = "simulated",
    format_name: FormatName = "",
    force: Force = False,
) -> None:
    """Draw the desktop into a PNG."""
    _known("--run", run, _RUNS)
    _known("--theme", theme, _THEMES[1:])
    _known("--view", view, _VIEWS)
    width, height = _size(size)
    refuse_existing(out, force=force)
    chosen = choose(profile, [])
    shown = {"call": call, "view": view, "size": (width, height), "theme": theme, "run": run}
    _picture(file, out, profile=chosen, format_name=format_name, force=force, **shown)
    stdout().print(f"Wrote {visible(str(out))}")


def _picture(file: Path, out: Path, **options: Any) -> None:
    if not _has_display():
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
    _desktop("screenshot").take(file, out, **options)


def _known(option: str, value: str, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise typer.BadParameter(f"{option} is {value!r}; it can be {', '.join(choices)}")


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 200 <= int(width) <= 10_000 and 200 <= int(height) <= 10_000):
        raise typer.BadParameter(f"--size is {text!r}; it is written WIDTHxHEIGHT, each 200 to 10000, as in 1600x1000")
    return int(width), int(height)


def _desktop(module: str) -> Any:
    """A module of the desktop. Raises RavenglassError saying what to install where it cannot run."""
    for package in ("PySide6", "pyqtgraph", "superqt", "qtawesome"):
        if find_spec(package) is None:
            raise RavenglassError(
                f"The desktop needs {package}, which is not installed."
                " Install it with: pip install 'ravenglass[desktop]'"
            )
    with uncollected():
        found = import_module(f"ravenglass_gui.{module}")
    loaded()
    return found


def _has_display() -> bool:
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("QT_QPA_PLATFORM") or os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY"))


def _no_display() -> str:
    """Why no window can be shown here; empty where one can."""
    if not _has_display():
        return "There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set)"
    x11 = sys.platform.startswith("linux") and os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY")
    if x11 and not os.environ.get("QT_QPA_PLATFORM") and ctypes.util.find_library("xcb-cursor") is None:
        return "The X11 library libxcb-cursor is missing (on Debian and Ubuntu: apt install libxcb-cursor0)"
    return ""


def _session_of(path: Path) -> Path:
    """The path itself, or the latest session of a folder that is no session by itself."""
    if not path.is_dir() or holder_of(path) is not None:
        return path
    return next((entry.place for entry in listing(path) if entry.parent is None), path)


def _free(path: Path) -> Path:
    """The path, or with a number where it is taken."""
    numbered = (path.with_name(f"{path.stem}-{number}{path.suffix}") for number in count(2))
    return path if not os.path.lexists(path) else next(name for name in numbered if not os.path.lexists(name))


def _without_display(why: str, file: Path, name: str, profile: str, format_name: str) -> int:
    """Print the replay and write a picture instead of failing."""
    warn(f"{why}; printing the replay and drawing a picture instead.")
    chosen = choose(profile, [])
    log = is_trace_log(file) if file.is_file() else file.is_dir() and holder_of(file) is None
    if log and not format_name:
        trace_command(file)
    else:
        print_tables(replayed(load_session(file, format_name), chosen))
    out = _free(Path.cwd() / "ravenglass.png")
    shown = {"call": None, "view": "manifest", "size": (1600, 1000), "theme": "dark"}
    _picture(file, out, profile=chosen, format_name=format_name, **shown)
    stdout().print(f"\nA picture of the desktop with this session ({visible(name)}): {visible(str(out))}")
    return 0
