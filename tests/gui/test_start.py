"""What the desktop loads before its first window: by the names of modules, never by the time it takes."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = """
import sys
from ravenglass_gui import app
print(*sorted(sys.modules))
"""


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """Every module that is there when the desktop is about to be shown."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.split())


def test_that_the_window_waits_for_no_database(loaded: set[str]) -> None:
    """The library's own thread imports it, with its first question."""
    assert {name.partition(".")[0] for name in loaded} & {"sqlalchemy", "sqlmodel"} == set()


def test_that_the_window_waits_for_no_format_and_nobody_to_ask(loaded: set[str]) -> None:
    assert {name.partition(".")[0] for name in loaded} & {"openai", "httpx", "IPython"} == set()
    assert {name for name in loaded if name.startswith("ravenglass.sessions.formats.")} == set()
