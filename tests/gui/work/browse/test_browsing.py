"""Folders are listed and read behind: what was known comes first, what is seen goes first, nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import ravenglass_gui.work.browse.worker as browse_worker
from ravenglass.sessions.catalogue.listing import described
from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.records.progress import Progress
from ravenglass_gui.work.browse.browsing import Browser
from tests.gui.stores import append, line, write_chat_lines

Make = Callable[[], Browser]


def noting(read: list[str]) -> Callable[..., HolderEntry]:
    """`described`, and the id of each entry that it reads goes into the list."""

    def noted(entry: HolderEntry, *more: Any) -> HolderEntry:
        read.append(entry.id)
        return described(entry, *more)

    return noted


@pytest.fixture
def make() -> Iterator[Make]:
    made: list[Browser] = []

    def browser() -> Browser:
        made.append(Browser())
        return made[-1]

    yield browser
    for one in made:
        one.shutdown()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Three sessions, `c` the newest."""
    for number, name in enumerate("abc"):
        path = write_chat_lines(tmp_path / "store" / name / f"{name}.jsonl", f"cli:{name}", calls=number + 1)
        os.utime(path, (1_000 + number, 1_000 + number))
    return tmp_path / "store"


def settled(qtbot: QtBot, browser: Browser, act: Callable[[], object]) -> None:
    with qtbot.waitSignal(browser.settled, timeout=30_000):
        act()


def calls(browser: Browser, root: Path) -> dict[str, int | None]:
    shelf = browser.shelf(root)
    assert shelf is not None
    return {item.entry.id: item.entry.calls for item in shelf.items.values()}


def test_that_a_folder_is_listed_newest_first_and_details_follow(qtbot: QtBot, make: Make, store: Path) -> None:
    browser = make()
    before = {path: path.stat().st_mtime_ns for path in store.rglob("*")}
    first: list[dict[str, int | None]] = []
    browser.listed.connect(lambda shelf: first.append(calls(browser, shelf.root)))
    settled(qtbot, browser, lambda: browser.add(store))
    assert first == [{"cli:c": None, "cli:b": None, "cli:a": None}]
    assert list(first[0]) == ["cli:c", "cli:b", "cli:a"]
    assert calls(browser, store) == {"cli:c": 3, "cli:b": 2, "cli:a": 1}
    assert {path: path.stat().st_mtime_ns for path in store.rglob("*")} == before


def test_that_the_next_start_shows_details_at_once_and_reads_only_what_changed(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(qtbot, one := make(), lambda: one.add(store))
    one.shutdown()
    append(store / "b" / "b.jsonl", line(4) + line(5))
    read: list[str] = []
    monkeypatch.setattr(browse_worker, "described", noting(read))
    seen: list[dict[str, int | None]] = []
    two = make()
    two.changed.connect(lambda: seen.append(calls(two, store)))
    settled(qtbot, two, lambda: two.add(store))
    assert next(known for known in seen if known) == {"cli:c": 3, "cli:b": 2, "cli:a": 1}
    assert read == ["cli:b"]
    assert calls(two, store) == {"cli:b": 3, "cli:c": 3, "cli:a": 1}


def test_that_a_session_that_cannot_be_read_says_why_and_the_others_are_read(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reading(entry: HolderEntry, progress: Progress | None = None) -> HolderEntry:
        if entry.id == "cli:b":
            raise OSError(5, "Input/output error", str(entry.path))
        if entry.id == "cli:c":
            raise KeyError("a defect")
        return described(entry, progress)

    monkeypatch.setattr(browse_worker, "described", reading)
    browser = make()
    settled(qtbot, browser, lambda: browser.add(store))
    shelf = browser.shelf(store)
    assert shelf is not None
    faults = {item.entry.id: item.fault for item in shelf.items.values()}
    assert "Input/output error" in faults["cli:b"]
    assert "KeyError" in faults["cli:c"]
    assert (faults["cli:a"], calls(browser, store)["cli:a"]) == ("", 1)


def test_that_what_cannot_be_looked_at_is_told_with_the_list(qtbot: QtBot, make: Make, store: Path) -> None:
    (store / "loop.jsonl").symlink_to(store / "loop.jsonl")
    browser = make()
    settled(qtbot, browser, lambda: browser.add(store))
    (shelf,) = browser.shelves
    assert len(shelf.items) == 3
    assert shelf.left_out == ((store / "loop.jsonl", "is a link that leads to itself"),)
    (store / "loop.jsonl").unlink()
    settled(qtbot, browser, browser.refresh)
    assert not shelf.left_out


def test_that_a_folder_that_is_gone_is_a_sentence(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    browser = make()
    with qtbot.waitSignal(browser.listed):
        browser.add(tmp_path / "gone")
    shelf = browser.shelf(tmp_path / "gone")
    assert shelf is not None
    assert shelf.fault.endswith("does not exist.")
    assert not shelf.listing


def test_that_a_large_session_is_read_only_when_asked(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = store / "c" / "c.jsonl"
    monkeypatch.setattr(browse_worker, "LARGE", large.stat().st_size - 1)
    browser = make()
    settled(qtbot, browser, lambda: browser.add(store))
    assert calls(browser, store) == {"cli:c": None, "cli:b": 2, "cli:a": 1}
    settled(qtbot, browser, lambda: browser.describe(store, large))
    assert calls(browser, store)["cli:c"] == 3


def test_that_what_is_on_screen_is_read_first(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(browse_worker, "described", noting(read))
    browser = make()
    browser.want([(store, store / "a" / "a.jsonl")])
    settled(qtbot, browser, lambda: browser.add(store))
    assert read == ["cli:a", "cli:c", "cli:b"]


def test_that_reading_waits_while_the_window_is_busy(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_worker, "_IDLE_MS", 1)
    browser = make()
    browser.pause("something")
    with qtbot.waitSignal(browser.listed):
        browser.add(store)
    with qtbot.assertNotEmitted(browser.detailed, wait=60):
        pass
    settled(qtbot, browser, lambda: browser.pause(None))
    assert calls(browser, store)["cli:a"] == 1


def test_that_a_long_list_comes_in_portions(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_worker, "_PORTION", 1)
    monkeypatch.setattr(browse_worker, "_PORTION_S", 0.0)
    sizes: list[int] = []
    browser = make()
    browser.changed.connect(lambda: sizes.append(len(calls(browser, store))))
    settled(qtbot, browser, lambda: browser.add(store))
    assert sizes == [0, 1, 2, 3]


def test_that_a_removed_folder_is_forgotten_and_its_files_stay(qtbot: QtBot, make: Make, store: Path) -> None:
    browser = make()
    settled(qtbot, browser, lambda: browser.add(store))
    settled(qtbot, browser, lambda: browser.remove(store))
    assert browser.shelves == ()
    browser.shutdown()
    again = make()
    seen: list[int] = []
    again.changed.connect(lambda: seen.append(len(calls(again, store))))
    settled(qtbot, again, lambda: again.add(store))
    assert seen[:2] == [0, 3]
    shelf = again.shelf(store)
    assert shelf is not None
    assert (store / "a" / "a.jsonl").exists()


def test_that_the_agents_of_this_machine_are_found_and_listed_again_on_refresh(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browse_worker, "places", lambda: (AgentPlace("Raven", store),))
    browser = make()
    settled(qtbot, browser, browser.begin)
    assert [(shelf.place.agent, len(shelf.items), shelf.opened) for shelf in browser.shelves] == [("Raven", 3, False)]
    write_chat_lines(store / "d.jsonl", "cli:d")
    settled(qtbot, browser, browser.refresh)
    qtbot.waitUntil(lambda: calls(browser, store).get("cli:d") == 1)


def test_that_no_agent_here_is_known_as_such(qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browse_worker, "places", lambda: ())
    browser = make()
    with qtbot.waitSignal(browser.changed):
        browser.begin()
    assert browser.looked
    assert browser.shelves == ()


def test_that_closing_does_not_wait_for_a_long_list(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []

    def endless(path: Path, *_: object) -> Iterator[HolderEntry]:
        entry = HolderEntry("raven", path / "x.jsonl")
        while True:
            begun.append(1)
            yield entry

    monkeypatch.setattr(browse_worker, "discovered", endless)
    browser = make()
    browser.add(store)
    qtbot.waitUntil(lambda: bool(begun))
    browser.shutdown()


def test_that_what_a_person_asked_for_is_read_before_what_is_on_screen(
    qtbot: QtBot, make: Make, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    monkeypatch.setattr(browse_worker, "described", noting(read))
    monkeypatch.setattr(browse_worker, "_IDLE_MS", 1)
    browser = make()
    browser.pause("something")
    with qtbot.waitSignal(browser.listed):
        browser.add(store)
    browser.want([(store, store / "a" / "a.jsonl")])
    browser.describe(store, store / "b" / "b.jsonl")
    qtbot.wait(30)
    settled(qtbot, browser, lambda: browser.pause(None))
    assert read == ["cli:b", "cli:a", "cli:c"]
