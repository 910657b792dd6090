"""Keeps Python's full garbage collections out of the way of the window: each holds up every thread while it walks
everything there is, and a large session is millions of objects that are no garbage."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LARGE = 5_000
"""Messages from which a session that is open is not walked any more."""
_NEVER = 1_000_000

_lock = threading.Lock()
_inside = 0
_usual = gc.get_threshold()


@contextmanager
def no_full_collections() -> Iterator[None]:
    """Only young objects are collected meanwhile, in any thread; what is no longer used is freed at once as always."""
    global _inside, _usual
    with _lock:
        if _inside == 0:
            _usual = gc.get_threshold()
            gc.set_threshold(_usual[0], _usual[1], _NEVER)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                gc.set_threshold(*_usual)


def settle(messages: int) -> None:
    """What was just made for a session of so many messages stays for long: the collector need not look at it again.
    It goes all the same when the session is closed."""
    if messages >= LARGE:
        gc.freeze()
