"""Every contract of import-linter is broken once on purpose, in a copy of the sources, and says so.

`make proofs ARGS=contracts` prints what lint-imports said.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("engine/ravenglass", "gui/ravenglass_gui")
CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
    "contracts"
]


@dataclass(frozen=True, slots=True)
class Breach:
    """`line` is added to the top of `file`, which is made where it is not there. `breaks` are the contracts that then
    stand broken, the one that it is meant for first; `said` is what lint-imports says of it."""

    file: str
    line: str
    breaks: tuple[str, ...]
    said: str


_CIRCLE = "Nothing imports in a circle"

BREACHES = (
    Breach(
        "engine/ravenglass/hub/live.py",
        "import PySide6.QtCore",
        ("The engine never imports Qt or the desktop",),
        "ravenglass is not allowed to import PySide6:",
    ),
    Breach(
        "engine/ravenglass/replay/run.py",
        "import ravenglass.store.outputs",
        ("Layers of the engine",),
        "ravenglass.replay is not allowed to import ravenglass.store:",
    ),
    Breach(
        "engine/ravenglass/hub/live.py",
        "import ravenglass.curator.loop",
        ("Layers of the engine", _CIRCLE),
        "ravenglass.hub is not allowed to import ravenglass.curator:",
    ),
    Breach(
        "engine/ravenglass/attic.py",
        "",
        ("Layers of the engine",),
        "- ravenglass.attic",
    ),
    Breach(
        "engine/ravenglass/sessions/model/session.py",
        "import ravenglass.sessions.records.reader",
        ("Layers of sessions", _CIRCLE),
        "ravenglass.sessions.model is not allowed to import ravenglass.sessions.records:",
    ),
    Breach(
        "engine/ravenglass/sessions/formats/amp/importer.py",
        "import ravenglass.sessions.formats.pi.importer",
        ("Formats are independent of each other",),
        "ravenglass.sessions.formats.amp is not allowed to import ravenglass.sessions.formats.pi:",
    ),
    Breach(
        "engine/ravenglass/hub/files/uses.py",
        "import ravenglass.hub.registry.ttl",
        (_CIRCLE,),
        "No cycles are allowed in ravenglass.hub.",
    ),
    Breach(
        "gui/ravenglass_gui/theme/palette.py",
        "import ravenglass_gui.text.plain",
        ("Layers of the desktop",),
        "ravenglass_gui.theme is not allowed to import ravenglass_gui.text:",
    ),
    Breach(
        "gui/ravenglass_gui/views/archive/panel.py",
        "import ravenglass_gui.views.why.panel",
        ("No view imports another",),
        "ravenglass_gui.views.archive is not allowed to import ravenglass_gui.views.why:",
    ),
    Breach(
        "gui/ravenglass_gui/work/replaying.py",
        "import ravenglass.hub.live",
        ("The desktop uses the engine by its front doors",),
        "ravenglass_gui is not allowed to import ravenglass.hub:",
    ),
)


@pytest.fixture
def lint(tmp_path: Path) -> Callable[[], str]:
    """A copy of the sources in `tmp_path`, and what lint-imports says of it."""
    for top in SOURCES:
        shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    paths = os.pathsep.join(str(tmp_path / Path(top).parent) for top in SOURCES)
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"

    def run() -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, "--no-cache"],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": paths, "PYTHONUTF8": "1", "COLUMNS": "200"},
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == (1 if " BROKEN" in done.stdout else 0), done.stderr
        return done.stdout

    return run


def _broken(said: str) -> set[str]:
    return set(re.findall(r"^(.+?) BROKEN", said, re.MULTILINE))


def test_that_every_contract_is_broken_once() -> None:
    assert {breach.breaks[0] for breach in BREACHES} == {contract["name"] for contract in CONTRACTS}


@pytest.mark.proof
def test_that_the_copy_keeps_every_contract(lint: Callable[[], str]) -> None:
    said = lint()
    assert _broken(said) == set()
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in said


@pytest.mark.proof
@pytest.mark.parametrize("breach", BREACHES, ids=lambda breach: f"{breach.file} {breach.line}".strip())
def test_that_a_forbidden_import_is_named(breach: Breach, tmp_path: Path, lint: Callable[[], str]) -> None:
    file = tmp_path / breach.file
    before = file.read_text("utf-8") if file.exists() else '"""A room without a place."""\n'
    file.write_text(
        re.sub(r"^(from __future__ .*\n)", rf"\1{breach.line}\n", before, count=1, flags=re.MULTILINE), "utf-8"
    )
    said = lint()
    assert _broken(said) == set(breach.breaks)
    assert breach.said in said
    sentence = next(line for line in said.splitlines() if breach.said in line)
    print(f"contract {breach.breaks[0]} | {breach.file}: {breach.line or '(a new module)'} | {sentence.strip()}")


def test_that_every_view_is_in_its_contract() -> None:
    views = ROOT / "gui" / "ravenglass_gui" / "views"
    there = {room.name for room in views.iterdir() if (room / "__init__.py").is_file()} - {"shared"}
    named = next(contract["modules"] for contract in CONTRACTS if contract["name"] == "No view imports another")
    assert {module.rpartition(".")[2] for module in named} == there
