"""Runs against the independent reference: no deviation. All samples under all profiles: `python -m
tests.acceptance.reference`."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from ravenglass.errors import RavenglassError
from ravenglass.sessions import open_session
from tests.acceptance.reference.__main__ import check, everything, sessions
from tests.acceptance.reference.compare import compare
from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import Observed, observe
from tests.acceptance.reference.profiles import NAMES, random_profile, write
from tests.acceptance.reference.tally import Tally
from tests.conftest import SAMPLES
from tests.gui.recordings import write_chat

SMALL = 60_000
"""Bytes up to which a sample is compared by the proofs."""
SEED = 2026


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_chat(tmp_path_factory.mktemp("reference") / "chat.json", exchanges=40)


@pytest.fixture(scope="module")
def run(chat: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Facts, dict[int, Json], Observed]:
    folder = tmp_path_factory.mktemp("observed")
    session = open_session(chat)
    return Facts(session), everything(str(chat), folder), observe(chat, "tight-32k", session, folder / "run")


def test_that_a_run_is_what_the_reference_expects(run: tuple[Facts, dict[int, Json], Observed]) -> None:
    tally = Tally()
    compare(*run, tally)
    assert tally.told == {}
    assert {"forms", "scores", "cost", "archive", "quota cuts", "texts", "cache reads"} <= tally.compared.keys()


def test_that_a_run_under_a_random_profile_is_what_the_reference_expects(chat: Path, tmp_path: Path) -> None:
    tally = Tally()
    made: list[str | Path] = [write(random_profile(SEED, n), tmp_path / f"{n}.toml") for n in range(2)]
    check(str(chat), made, tally)
    assert tally.told == {}
    assert tally.runs == 2


_DAMAGES = [
    ("window_tokens", "tokens"),
    ("cache_read", "cache reads"),
    ("evicted", "window messages"),
    ("archived", "archived"),
    ("path", "path"),
]
"""What is damaged in what the program said, and the kind of comparison that must see it."""


@pytest.mark.parametrize(("field", "kind"), _DAMAGES)
def test_that_the_reference_sees_a_wrong_figure(
    run: tuple[Facts, dict[int, Json], Observed], field: str, kind: str
) -> None:
    facts, whole, made = run
    damaged = copy.copy(made)
    damaged.report = copy.deepcopy(made.report)
    call = damaged.report["calls"][-2]
    call[field] = {"fast": "slow", "slow": "fast"}[call[field]] if field == "path" else call[field] + 1
    tally = Tally()
    compare(facts, whole, damaged, tally)
    assert kind in tally.told


def _small() -> list[str]:
    return [place for place in sessions(SAMPLES) if 0 < Path(place.partition("#")[0]).stat().st_size <= SMALL]


@pytest.mark.proof
@pytest.mark.samples
def test_that_small_samples_under_all_presets_and_a_random_profile_are_what_the_reference_expects(
    tmp_path: Path,
) -> None:
    tally = Tally()
    profiles: list[str | Path] = [*NAMES, write(random_profile(SEED, 7), tmp_path / "random.toml")]
    for place in _small():
        try:
            check(place, profiles, tally)
        except RavenglassError as error:
            tally.apart[f"not opened: {error}"] += 1
    print(tally.table())
    assert tally.told == {}
    assert tally.runs > 100
