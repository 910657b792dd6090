"""The wheel holds everything the program needs, and works from where it is installed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.proof]

USE_IT = """
import json, ravenglass
from ravenglass.resources import asset, demo_session
from ravenglass.tokens import tokenizer
demo = demo_session()
count = tokenizer("o200k_base").measure(demo.read_text("utf-8"))
print(json.dumps({
    "package": ravenglass.__path__[0], "demo": str(demo), "icon": str(asset("icon.svg")),
    "tokens": count.value, "how": count.how,
}))
"""


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(root)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path, names: set[str]) -> Message:
    (name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


@pytest.mark.parametrize(("package", "above"), [("ravenglass", "engine"), ("ravenglass_gui", "gui")])
def test_that_every_module_of_both_packages_is_in_it(root: Path, names: set[str], package: str, above: str) -> None:
    sources = {path.relative_to(root / above).as_posix() for path in (root / above / package).rglob("*.py")}
    assert sources
    assert sources <= names
    assert f"{package}/py.typed" in names


def test_that_assets_and_demo_are_in_it(root: Path, names: set[str]) -> None:
    for folder, carried in (("assets", "assets"), ("fixtures/demo", "demo")):
        files = [path for path in (root / folder).rglob("*") if path.is_file()]
        assert files, f"{folder} is empty"
        for path in files:
            assert f"ravenglass/_data/{carried}/{path.relative_to(root / folder).as_posix()}" in names


def test_that_nothing_else_is_in_it(names: set[str]) -> None:
    roots = {name.partition("/")[0] for name in names}
    assert {name for name in roots if not name.endswith(".dist-info")} == {"ravenglass", "ravenglass_gui"}
    assert not [name for name in names if "__pycache__" in name]


def test_that_it_carries_its_licence_and_command(wheel: Path, names: set[str]) -> None:
    (licence,) = (name for name in names if name.endswith("/LICENSE"))
    (entry,) = (name for name in names if name.endswith("/entry_points.txt"))
    with zipfile.ZipFile(wheel) as archive:
        assert b"Apache License" in archive.read(licence)
        assert b"ravenglass = ravenglass.cli.main:run" in archive.read(entry)


def test_that_the_desktop_is_an_extra_and_the_base_needs_no_qt(metadata: Message) -> None:
    required = metadata.get_all("Requires-Dist") or []
    qt = [line for line in required if line.lower().startswith("pyside6")]
    assert qt
    assert all("extra == 'desktop'" in line for line in qt)
    assert set(metadata.get_all("Provides-Extra") or []) == {"desktop", "model", "dev"}


def test_that_the_installed_wheel_opens_the_demo_and_counts_offline(
    wheel: Path, tmp_path: Path, data_folder: Path
) -> None:
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*install, "--no-index", "--no-deps", "--target", str(target), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", USE_IT],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for key in ("package", "demo", "icon"):
        assert Path(found[key]).is_relative_to(target), found
    assert found["tokens"] > 1_000
    assert found["how"] == "exact"
