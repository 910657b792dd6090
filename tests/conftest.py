"""What every test may rely on: a data directory of its own, and recorded sessions where present."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT.parent / "shared" / "samples"


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new, empty data directory: no test reads or writes the library of whoever runs the tests."""
    folder = tmp_path_factory.mktemp("ravenglass-data")
    monkeypatch.setenv("RAVENGLASS_DATA", str(folder))
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def samples() -> Path:
    """Folder of recorded sessions, beside the checkout; they are not part of it."""
    if not SAMPLES.is_dir():
        pytest.skip(f"the recorded sessions are not here ({SAMPLES})")
    return SAMPLES
