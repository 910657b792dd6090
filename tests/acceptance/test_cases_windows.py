"""Small inputs of ../shared/cases whose windows were told wrongly once, with the right values of their README."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.replay.bulk import replay
from ravenglass.replay.recorded.run import RecordedRun, recorded_run
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.acceptance.run_cli import run
from tests.conftest import ROOT

CASES = ROOT.parent / "shared" / "cases"


def case(name: str) -> Path:
    path = CASES / name
    if not path.exists():
        pytest.skip(f"the small inputs are not here ({path})")
    return path


def opened(name: str) -> Session:
    return open_session(case(name))


def held(made: RecordedRun, call: int) -> list[int]:
    return [message.id for message in made.window(call).messages if message.id is not None]


def test_that_a_retried_api_error_is_no_rewind() -> None:
    session = opened("api_error_false_rewind.jsonl")
    assert (len(session.messages), session.children, session.markers) == (8, (), ())


def test_that_a_cleared_context_is_a_marker_a_new_window_and_a_new_segment() -> None:
    real = recorded_run(opened("new_root_clear.jsonl"))
    (marker,) = real.applied
    assert (marker.marker.kind, marker.call) == ("new_chain", 4)
    assert held(real, 3) == [0, 1, 2, 3, 4]
    assert held(real, 4) == [7]
    assert real.why(4, 0).headline.startswith("It is out because before call 4 the writer cleared its context")
    assert real.fidelity is not None
    assert [made.segment for made in real.fidelity.calls] == [0, 0, 0, 1, 1, 1]


def test_that_a_record_written_twice_stands_once_in_every_window() -> None:
    session = opened("dup_record.jsonl")
    recorded, simulated = recorded_run(session), replay(session)
    assert simulated.calls == recorded.calls == 2
    for call in (1, 2):
        assert [m.id for m in simulated.window(call).messages] == held(recorded, call)


@pytest.mark.parametrize("name", ["c65-unchanged-since-last-read", "c65c-unchanged-since-last-read-on-the-slow-path"])
def test_that_a_note_about_a_file_leaves_its_content_where_it_was(name: str, tmp_path: Path) -> None:
    folder = case(name)
    expected: dict[str, Any] = json.loads((folder / "expect.json").read_text())
    windows = tmp_path / "windows.jsonl"
    options = [*expected["run"][2:], "--windows", str(windows)]
    done = run("replay", folder / "input.jsonl", *options)
    assert done.code == expected["exit"], done.said
    found = windows.read_bytes().split(b"\n")[:-1]
    for check in expected["checks"]:
        if "contains" in check:
            place = -1 if check["windows"] == "last" else check["windows"]
            assert check["contains"] in found[place].decode(), check
