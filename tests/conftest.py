"""What every test may rely on: a data directory of its own, and recorded sessions where present.

Random tests have no deadlines, since a busy machine is no defect, and the same examples in every run, so that a test
passes or fails for a reason in the change. `RANDOM_TESTS=1 make test` draws new ones: run that before a release.
"""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.proofs import examples

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT.parent / "shared" / "samples"

settings.register_profile(
    "ravenglass",
    deadline=None,
    max_examples=examples(40),
    derandomize=not os.environ.get("RANDOM_TESTS"),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("ravenglass")
# For `make mutants`: that an example fails is all it asks, so none is made smaller.
settings.register_profile("mutants", settings.get_profile("ravenglass"), phases=(Phase.explicit, Phase.generate))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Modules and collected tests live as long as the process: the garbage collector need not look at them again."""
    gc.collect()
    gc.freeze()


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
