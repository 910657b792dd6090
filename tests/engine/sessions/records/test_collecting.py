"""The search for cycles is off only while a session is made."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.records.collecting import uncollected
from ravenglass.sessions.records.progress import Cancelled
from tests.engine.sessions.conftest import Write, assistant, say, user


def test_that_nested_use_ends_with_the_outermost() -> None:
    assert gc.isenabled()
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_that_it_stays_off_for_whoever_turned_it_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_that_opening_a_session_leaves_it_on_whatever_happens(write: Write, tmp_path: Path) -> None:
    seen: list[bool] = []

    def progress(done: int, total: int) -> bool:
        seen.append(gc.isenabled())
        return len(seen) < 3

    path = write(
        *(
            record
            for n in range(40_000)
            for record in (user("go", uuid=f"u{n}"), assistant(say("x"), uuid=f"a{n}", mid=f"m{n}"))
        )
    )
    with pytest.raises(Cancelled):
        open_session(path, progress=progress)
    assert seen[-1] is False
    assert gc.isenabled()
    with pytest.raises(SessionError):
        open_session(write({"a": 1}, name="no.jsonl"))
    assert gc.isenabled()
