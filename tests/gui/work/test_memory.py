"""While a worker makes millions of objects, no full collection holds up the window; afterwards all is as it was."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator

import pytest

from ravenglass_gui.work.memory import LARGE, SWITCH_INTERVAL_S, no_full_collections, own_process, settle, settle_window


@pytest.fixture
def ours() -> Iterator[None]:
    """A process of the desktop's own."""
    with own_process():
        yield


@pytest.mark.usefixtures("ours")
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


@pytest.mark.usefixtures("ours")
def test_that_an_error_leaves_the_collector_as_it_was() -> None:
    usual = gc.get_threshold()
    with pytest.raises(KeyError), no_full_collections():
        raise KeyError("a defect")
    assert gc.get_threshold() == usual


@pytest.mark.usefixtures("ours")
def test_that_only_what_a_large_session_brought_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    settle(LARGE - 1)
    assert frozen == []
    settle(LARGE)
    assert frozen == [1]


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    """As in a process of the desktop's own: `tests/conftest.py` froze what was collected."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_that_the_process_of_somebody_else_is_left_alone() -> None:
    found = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval(), gc.isenabled()
    with no_full_collections():
        assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval(), gc.isenabled()) == found
        settle(LARGE)
        settle_window()
    assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval(), gc.isenabled()) == found


def test_that_the_desktops_own_process_is_as_it_was_afterwards() -> None:
    found = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval(), gc.isenabled()
    with own_process():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_INTERVAL_S)
        assert SWITCH_INTERVAL_S < 0.005  # what Python does by itself
        settle_window()
        assert gc.get_freeze_count() > 0
        with no_full_collections():
            assert gc.get_threshold()[2] > found[0][2]
    assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval(), gc.isenabled()) == found
