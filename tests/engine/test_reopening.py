"""A saved run opens again, whole or killed while it was saved, with its session or without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.working_state.edits import StateEdit
from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.stepping.change_file import changes_as_json, changes_of_json
from ravenglass.replay.stepping.changes import (
    Change,
    Compaction,
    FileChange,
    HandChange,
    HandPlan,
    RollBack,
)
from ravenglass.saving import save_run
from ravenglass.sessions import open_session
from ravenglass.store.run_folder import RunFolder
from tests.acceptance.run_cli import run
from tests.engine.curator.policies.endpoint_server import build, message, serving, whole
from tests.gui.recordings import write_chat

calls = st.integers(1, 99)
ids = st.frozensets(st.integers(0, 99), max_size=5)
texts = st.text(max_size=20)
some_changes = st.lists(
    st.one_of(
        st.builds(HandChange, calls, st.sampled_from(["pin", "archive"]), calls),
        st.builds(HandChange, calls, st.just("relevance"), calls, st.floats(0, 1)),
        st.builds(HandPlan, calls, ids, st.booleans(), ids),
        st.builds(StateEdit, calls, st.just("goals"), texts, texts),
        st.builds(FileChange, calls, calls, texts, texts),
        st.builds(RollBack, calls, texts, calls, calls),
        st.builds(Compaction, calls, calls),
    )
)


@given(some_changes)
def test_that_changes_are_read_as_they_were_written(changes: list[Change]) -> None:
    text = json.dumps(changes_as_json(changes))
    assert changes_of_json(json.loads(text)) == tuple(changes)


@pytest.mark.parametrize("value", [3, {}, {"change": "Magic"}, {"change": "Compaction", "call": "x", "target": 1}])
def test_that_a_change_of_unknown_shape_is_a_value_error(value: object) -> None:
    with pytest.raises(ValueError):
        changes_of_json([value])


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write_chat(tmp_path / "chat.json", exchanges=30)


def told(*arguments: str | Path) -> Any:
    outcome = run("replay", *arguments, "--json")
    assert outcome.code == 0, outcome.said
    return json.loads(outcome.printed), outcome.said


def test_that_the_folder_of_a_saved_run_is_replayed_as_it_was(chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first, _ = told(chat, "--profile", "tight-32k", "--set", "trim_target=0.3", "--compact", "9", "--save", folder)
    again, said = told(folder)
    assert again == first
    assert "changed" not in said
    assert told(folder, "--profile", "balanced")[0]["profile"]["name"] == "balanced"


@pytest.mark.parametrize(
    "damage", [{"window_tokens": ["x"]}, {"window_tokens": 3}, {"changes": [7]}, {"asked": None}, {"session": 1}]
)
def test_that_a_damaged_origin_is_a_sentence_or_makes_no_difference(
    chat: Path, tmp_path: Path, damage: dict[str, Any]
) -> None:
    folder = tmp_path / "run"
    told(chat, "--save", folder)
    origin = json.loads((folder / "origin.json").read_text())
    (folder / "origin.json").write_text(json.dumps({**origin, **damage}))
    outcome = run("replay", folder)
    assert "Traceback" not in outcome.said
    assert outcome.code == ("session" in damage)
    assert "session" not in damage or "does not say whose session" in outcome.said


def test_that_a_session_that_grew_since_is_said(chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    told(chat, "--save", folder)
    write_chat(chat, exchanges=40)
    _, said = told(folder)
    assert "when the run was saved it had 30" in said or "is another from call" in said


def test_that_the_answers_of_a_model_are_given_again_without_asking(
    chat: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    folder = tmp_path / "run"
    with serving(*[whole(message(build([0, 1])))] * 200) as served:
        first, _ = told(
            chat, "--profile", "tight-32k", "--policy", "model", "--endpoint", served.url, "--model", "m", "--key-env",
            "", "--save", folder,
        )  # fmt: skip
        asked = len(served.requests)
        again, said = told(folder)
        assert len(served.requests) == asked
    assert again["calls"] == first["calls"]
    assert (again["asked"]["who"], again["asked"]["calls"]) == ("m", first["asked"]["calls"])
    assert "nobody is asked" in said


def test_that_a_run_whose_session_is_gone_is_a_sentence_and_its_trace_is_there(chat: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    told(chat, "--save", folder)
    chat.unlink()
    outcome = run("replay", folder)
    assert outcome.code == 1
    assert "is not there any more" in outcome.said
    assert run("trace", folder).code == 0


@pytest.mark.parametrize("files", range(1, 7))
def test_that_a_run_whose_saving_was_killed_opens_with_what_is_there(
    chat: Path, tmp_path: Path, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    made = replay(open_session(chat), load("tight-32k"))
    written = 0
    write = RunFolder.write

    class Killed(BaseException):
        pass

    def dying(self: RunFolder, *arguments: Any) -> None:
        nonlocal written
        written += 1
        if written > files:
            raise Killed
        write(self, *arguments)

    monkeypatch.setattr(RunFolder, "write", dying)
    monkeypatch.setattr(RunFolder, "__exit__", lambda self, *_: self.workspace.close())  # nothing is tidied up
    with pytest.raises(Killed):
        save_run(made, folder)
    monkeypatch.undo()
    again, said = told(folder)
    assert "is not complete: saving a run there was interrupted" in said
    assert again["profile"]["name"] == ("tight-32k" if files > 1 else "default")
