"""The house is as docs/design/house.md says: every stop of a walk is there, no walk, file or room is too large."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST_STOPS = 8
MOST_LINES = 400
MOST_FILES = 15
"""Modules of a folder of the sources, `__init__` aside."""
SOURCES = ("engine/ravenglass", "gui/ravenglass_gui")

WALKS = {
    part.partition("\n")[0]: re.findall(r"^\d+\. `([^`:]+):(\w+)`", part, re.MULTILINE)
    for part in (ROOT / "docs" / "design" / "house.md").read_text(encoding="utf-8").split("\n### ")[1:]
}


def test_that_there_are_five_walks() -> None:
    assert len(WALKS) == 5


@pytest.mark.parametrize("name", WALKS)
def test_that_a_walk_has_few_stops_and_every_stop_is_there(name: str) -> None:
    stops = WALKS[name]
    assert 1 < len(stops) <= MOST_STOPS
    for file, function in stops:
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        assert function in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}, file


def test_that_every_module_that_a_page_names_is_there() -> None:
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "design").glob("*.md")]
    named = {
        (page.name, path) for page in pages for path in re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", page.read_text("utf-8"))
    }
    assert named
    tops = (ROOT, *(ROOT / top for top in SOURCES))
    assert {(page, path) for page, path in named if not any((top / path).is_file() for top in tops)} == set()


def test_that_no_file_is_long() -> None:
    found = [path for top in (*SOURCES, "tests") for path in (ROOT / top).rglob("*.py")]
    assert len(found) > 100
    lines = {str(path.relative_to(ROOT)): path.read_bytes().count(b"\n") for path in found}
    assert {name: count for name, count in lines.items() if count > MOST_LINES} == {}


def test_that_no_room_is_crowded() -> None:
    rooms = [room for top in SOURCES for room in (ROOT / top, *(ROOT / top).rglob("*/")) if room.is_dir()]
    files = {
        str(room.relative_to(ROOT)): sum(1 for path in room.glob("*.py") if path.name != "__init__.py")
        for room in rooms
    }
    assert {name: count for name, count in files.items() if count > MOST_FILES} == {}


def test_that_every_package_says_what_it_is_for() -> None:
    for top in SOURCES:
        for path in (ROOT / top).rglob("__init__.py"):
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_that_the_page_counts_the_files_of_today() -> None:
    done = subprocess.run(
        [sys.executable, "docs/make_rooms.py", "--check"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr


def test_that_the_page_names_every_room_at_the_top() -> None:
    tree = (ROOT / "docs" / "design" / "house.md").read_text(encoding="utf-8").partition("## What may import what")[0]
    rooms = {room.name for top in SOURCES for room in (ROOT / top).iterdir() if (room / "__init__.py").is_file()}
    assert {room for room in rooms if f"{room}/" not in tree} == set()


def test_that_no_two_classes_share_a_name() -> None:
    """One word for one thing; what begins with an underscore is its module's own."""
    where: defaultdict[str, list[str]] = defaultdict(list)
    for top in SOURCES:
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    where[node.name].append(str(path.relative_to(ROOT)))
    assert {name: files for name, files in where.items() if len(files) > 1} == {}
