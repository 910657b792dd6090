"""The reference is worth something only if it tells a broken engine: each deliberate break, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from tests.acceptance.breaks.broken import BREAKS, Break
from tests.acceptance.breaks.recording import write
from tests.acceptance.reference.__main__ import everything
from tests.acceptance.reference.compare import compare
from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import observe
from tests.acceptance.reference.tally import Tally

PROFILE = "tight-32k"
EXCHANGES = 56


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("breaks") / "session.json", EXCHANGES)


@pytest.fixture(scope="module")
def whole(recording: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[int, Json]:
    """Every message in full, as the unbroken engine has it."""
    return everything(str(recording), tmp_path_factory.mktemp("whole"))


def compared(recording: Path, whole: dict[int, Json], folder: Path) -> Tally:
    """A replay by the engine as it is now, against the reference."""
    session, tally = open_session(recording), Tally()
    compare(Facts(session), whole, observe(recording, PROFILE, session, folder), tally)
    return tally


def test_that_the_unbroken_engine_deviates_in_nothing_that_a_break_is_told_by(
    recording: Path, whole: dict[int, Json], tmp_path: Path
) -> None:
    tally = compared(recording, whole, tmp_path / "run")
    assert tally.told == {}
    assert {broken.kind for broken in BREAKS} <= tally.compared.keys()


@pytest.mark.proof
@pytest.mark.parametrize("broken", BREAKS, ids=lambda broken: broken.what)
def test_that_the_reference_tells_a_broken_engine(
    broken: Break, recording: Path, whole: dict[int, Json], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken.apply(monkeypatch)
    tally = compared(recording, whole, tmp_path / "run")
    assert broken.kind in tally.told, f"{broken.what} is not told; told is {dict(tally.deviations)}"
