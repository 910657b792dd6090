"""What the benchmarks run on: the demo always, the large recorded session where it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ravenglass.resources import demo_session
from tests.conftest import SAMPLES

LARGE = SAMPLES / "claude-code" / "entire_LARGE_3compactions_893lines_3.8MB.jsonl.gz"


@pytest.fixture(params=["demo", "large"])
def recording(request: pytest.FixtureRequest) -> Path:
    """The path of a session."""
    if request.param == "demo":
        return demo_session()
    if not LARGE.exists():
        pytest.skip("../shared/samples is not there")
    return LARGE


@pytest.fixture
def figures(capfd: pytest.CaptureFixture[str]) -> Iterator[list[str]]:
    """Lines that are printed at the end, past pytest's capture."""
    lines: list[str] = []
    yield lines
    with capfd.disabled():
        for line in lines:
            print(f"\n    {line}", end="")
