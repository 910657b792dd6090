"""One thread owns the library: it opens it once, everybody else asks, and no replay waits for it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass.errors import StoreError
from ravenglass.store import Library
from ravenglass.tokens import TokenCount, Tokenizer
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.browse.browsing import Browser
from ravenglass_gui.work.library_owner import LibraryOwner
from ravenglass_gui.work.replay_bridge import Bridge
from tests.gui.stores import write_chat_lines


@pytest.fixture
def owner() -> Iterator[LibraryOwner]:
    made = LibraryOwner()
    yield made
    made.close()


def long_chat(folder: Path, text: str) -> Path:
    path = folder / "long.json"
    path.write_text(json.dumps([{"role": "user", "content": text}, {"role": "assistant", "content": "ok"}]))
    return path


def test_that_reading_replaying_saving_and_browsing_open_the_library_once_in_its_thread(
    qtbot: QtBot, state: DebuggerState, owner: LibraryOwner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    really = Library.open

    def noted(path: Path | None = None, **options: float) -> Library:
        opened.append(threading.current_thread().name)
        return really(path, **options)

    monkeypatch.setattr(Library, "open", noted)
    write_chat_lines(tmp_path / "store" / "one.jsonl", "cli:1")
    bridge, browser = Bridge(state, library=owner), Browser(library=owner)
    try:
        with qtbot.waitSignal(bridge.settled, timeout=30_000), qtbot.waitSignal(browser.settled, timeout=30_000):
            browser.add(tmp_path / "store")
            bridge.open([long_chat(tmp_path, "a text of this test " * 900)])
        with qtbot.waitSignal(bridge.runs_changed, timeout=30_000) as told:
            bridge.save(tmp_path / "saved")
    finally:
        browser.shutdown()
        bridge.shutdown()
    found = owner.ask(lambda library: (library.recent(), library.listed.of(tmp_path / "store"))).result()
    assert told.args is not None
    assert [len(part) for part in (*found, told.args[0])] == [1, 1, 1]
    assert [name.rpartition("_")[0] for name in opened] == ["ravenglass library"]


def test_that_a_replay_does_not_wait_for_a_library_that_is_busy(
    qtbot: QtBot, state: DebuggerState, owner: LibraryOwner, tmp_path: Path
) -> None:
    free, text = threading.Event(), "counted while the library was busy " * 400
    owner.tell(lambda _: free.wait(60))
    bridge = Bridge(state, library=owner)
    try:
        with qtbot.waitSignal(bridge.replayed, timeout=30_000):
            bridge.open([long_chat(tmp_path, text)])
        assert not free.is_set()
    finally:
        free.set()
        bridge.shutdown()
    digest = Tokenizer.digest(text)
    assert owner.ask(lambda library: library.counts.get_many("o200k_base", [digest])).result()


def test_that_counts_told_while_the_library_is_busy_are_written_together(owner: LibraryOwner) -> None:
    free, written = threading.Event(), []
    owner.tell(lambda _: free.wait(60))
    for number in range(50):
        owner.counts.put_many("o200k_base", {bytes([number] * 16): TokenCount(number, "exact")})
    owner.tell(lambda library: written.append(len(library.counts.get_many("o200k_base", [bytes([7] * 16)]))))
    free.set()
    assert owner.counts.get_many("o200k_base", [bytes([49] * 16)]) == {bytes([49] * 16): TokenCount(49, "exact")}
    assert written == [1]
    assert owner._thread._work_queue.empty()


def test_that_what_was_told_is_kept_before_it_closes_and_a_closed_one_refuses_with_a_sentence() -> None:
    owner = LibraryOwner()
    owner.counts.put_many("o200k_base", {b"x" * 16: TokenCount(3, "exact")})
    owner.close()
    owner.close()
    with Library.open() as library:
        assert library.counts.get_many("o200k_base", [b"x" * 16])
    with pytest.raises(StoreError, match="is closed"):
        owner.ask(Library.recent)
    assert owner.counts.get_many("o200k_base", [b"x" * 16]) == {}


def test_that_a_library_that_cannot_be_opened_is_told_once_and_kept_in_memory(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("not a folder", encoding="utf-8")
    owner = LibraryOwner(blocked / "library.sqlite3")
    assert owner.ask(lambda library: library.recent()).result() == ()
    (sentence,) = owner.complaints()
    assert "kept in memory" in sentence
    assert owner.complaints() == []
    owner.close()
