"""Finds the data files that come with the program: token tables, icon, demo session.

They live in `assets/` and `fixtures/demo/` of a checkout and in `ravenglass/_data/` of an installed wheel.
Nothing here reads a file; whoever needs one knows its format.
"""

from __future__ import annotations

from pathlib import Path

from ravenglass.errors import RavenglassError

_PACKAGE = Path(__file__).resolve().parent
_INSTALLED = _PACKAGE / "_data"
_CHECKOUT = _PACKAGE.parents[1]


def asset(name: str) -> Path:
    """Path of the file `assets/<name>`. RavenglassError names the file if it did not come along."""
    return _existing(f"assets/{name}", _INSTALLED / "assets" / name, _CHECKOUT / "assets" / name)


def demo_folder() -> Path:
    """Folder of the bundled demo session: its transcript and, below it, those of its sub-agents."""
    return _existing("fixtures/demo", _INSTALLED / "demo", _CHECKOUT / "fixtures" / "demo")


def demo_session() -> Path:
    """The demo session's own transcript: the one `.jsonl` file that stands directly in `demo_folder()`."""
    folder = demo_folder()
    transcripts = sorted(path for path in folder.glob("*.jsonl") if not path.name.startswith("agent-"))
    if len(transcripts) != 1:
        raise RavenglassError(
            f"The demo folder {folder} should hold exactly one session transcript (*.jsonl) and holds "
            f"{len(transcripts)}; in a checkout `make demo` writes it again."
        )
    return transcripts[0]


def _existing(name: str, *candidates: Path) -> Path:
    for path in candidates:
        if path.exists():
            return path
    looked = " and ".join(str(path) for path in candidates)
    raise RavenglassError(
        f"The data file {name} is missing from this installation of Ravenglass (looked for {looked}); "
        "installing the package again restores it."
    )
