"""`replay --compact`: a slow path at a call that a person names, as a branch from there."""

from __future__ import annotations

import json

import pytest

from ravenglass.cli.main import main
from ravenglass.resources import demo_session

Captured = pytest.CaptureFixture[str]


def path_of(capsys: Captured, call: int, *more: str) -> str:
    assert main(["replay", str(demo_session()), "--json", *more]) == 0
    found = json.loads(capsys.readouterr().out)
    return str(found["calls"][call - 1]["path"])


def test_that_a_compaction_makes_the_call_take_the_slow_path(capsys: Captured) -> None:
    assert path_of(capsys, 3) == "fast"
    assert path_of(capsys, 3, "--compact", "3:0.2") == "slow"


@pytest.mark.parametrize(
    ("wanted", "said"),
    [("x", "is no CALL or CALL:TARGET"), ("0:0.2", "call 0 is not between"), ("3:-1", "is impossible")],
)
def test_that_what_is_no_compaction_is_refused_with_a_sentence(wanted: str, said: str, capsys: Captured) -> None:
    assert main(["replay", str(demo_session()), "--compact", wanted]) != 0
    assert said in " ".join(capsys.readouterr().err.split())
