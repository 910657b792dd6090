"""The search for cycles is off only while a session is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

import ravenglass.cli.main as cli
from ravenglass.errors import SessionError
from ravenglass.sessions import open_session
from ravenglass.sessions.records.collecting import own_process, uncollected
from ravenglass.sessions.records.progress import Cancelled
from tests.engine.sessions.conftest import Write, assistant, say, user


@pytest.fixture
def ours() -> Iterator[None]:
    """A process of the program's own."""
    with own_process():
        yield


def test_that_the_collector_of_whoever_uses_the_engine_is_left_alone(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(user("go", uuid="u"), assistant(say("x"), uuid="a", mid="m"))
    touched: list[str] = []
    monkeypatch.setattr(gc, "disable", lambda: touched.append("off"))
    monkeypatch.setattr(gc, "enable", lambda: touched.append("on"))
    open_session(path)
    assert touched == []
    with own_process():
        open_session(path)
    assert touched == ["off", "on"]
    open_session(path)
    assert touched == ["off", "on"]


def test_that_the_console_script_owns_its_process(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []

    def noted(arguments: list[str]) -> int:
        with uncollected():
            seen.append(gc.isenabled())
        return 0

    monkeypatch.setattr(cli, "main", noted)
    with pytest.raises(SystemExit):
        cli.run()
    with uncollected():
        seen.append(gc.isenabled())
    assert seen == [False, True]


@pytest.mark.usefixtures("ours")
def test_that_nested_use_ends_with_the_outermost() -> None:
    assert gc.isenabled()
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.usefixtures("ours")
def test_that_it_stays_off_for_whoever_turned_it_off() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.usefixtures("ours")
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
