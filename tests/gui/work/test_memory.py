"""While a worker makes millions of objects, no full collection holds up the window; afterwards all is as it was."""

from __future__ import annotations

import gc
import threading

import pytest

from ravenglass_gui.work.memory import LARGE, no_full_collections, settle


def test_that_full_collections_wait_until_the_last_of_several_workers_is_done() -> None:
    usual = gc.get_threshold()
    inside, leave = threading.Event(), threading.Event()

    def other() -> None:
        with no_full_collections():
            inside.set()
            leave.wait(5)

    thread = threading.Thread(target=other)
    with no_full_collections():
        thread.start()
        inside.wait(5)
    assert gc.get_threshold()[2] > usual[2]
    assert gc.get_threshold()[:2] == usual[:2]
    leave.set()
    thread.join()
    assert gc.get_threshold() == usual


def test_that_an_error_leaves_the_collector_as_it_was() -> None:
    usual = gc.get_threshold()
    with pytest.raises(KeyError), no_full_collections():
        raise KeyError("a defect")
    assert gc.get_threshold() == usual


def test_that_only_what_a_large_session_brought_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    settle(LARGE - 1)
    assert frozen == []
    settle(LARGE)
    assert frozen == [1]
