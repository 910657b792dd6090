"""Keeps Python's full garbage collections out of the way of the window: each holds up every thread while it walks
everything there is, and a large session is millions of objects that are no garbage.

Only the desktop's own process is told so, between the beginning and the end of `own_process`. A window that somebody
shows in a process of theirs leaves collector and interpreter as they are.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ravenglass.sessions.records import collecting

LARGE = 5_000
"""Messages from which a session that is open is not walked any more."""
SWITCH_INTERVAL_S = 0.001
"""How long a worker in pure Python may hold the interpreter while the GUI thread waits for it."""
_NEVER = 1_000_000

_lock = threading.Lock()
_ours = False
_inside = 0
_usual = gc.get_threshold()


@contextmanager
def own_process() -> Iterator[None]:
    """The process belongs to the desktop meanwhile; afterwards collector and interpreter are as they were found."""
    global _ours
    thresholds, interval, frozen = gc.get_threshold(), sys.getswitchinterval(), gc.get_freeze_count()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    _ours = True
    try:
        with collecting.own_process():
            yield
    finally:
        _ours = False
        sys.setswitchinterval(interval)
        gc.set_threshold(*thresholds)
        if not frozen:
            gc.unfreeze()


@contextmanager
def no_full_collections() -> Iterator[None]:
    """Only young objects are collected meanwhile, in any thread; what is no longer used is freed at once as always."""
    global _inside, _usual
    with _lock:
        ours = _ours
        if ours and _inside == 0:
            _usual = gc.get_threshold()
            gc.set_threshold(_usual[0], _usual[1], _NEVER)
        _inside += ours
    try:
        yield
    finally:
        with _lock:
            _inside -= ours
            if ours and _inside == 0:
                gc.set_threshold(*_usual)


def settle(messages: int) -> None:
    """What was just made for a session of so many messages stays for long: the collector need not look at it again.
    It goes all the same when the session is closed."""
    if _ours and messages >= LARGE:
        gc.freeze()


def settle_window() -> None:
    """Everything there is now stays: a full collection then walks only what was made since. Call once the window is
    shown."""
    if _ours:
        gc.collect()
        gc.freeze()
