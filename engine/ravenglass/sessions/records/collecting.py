"""Holds Python's search for reference cycles off while sessions are made, in a process of the program's own.

Importing makes very many objects and no cycles; each search looks at all of them, which takes half of the time of
reading a large file. What is no part of a cycle is freed all the same. The collector of a program that only uses the
engine is that program's: it is never touched.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_owners = 0
_inside = 0
_found_on = False


@contextmanager
def own_process() -> Iterator[None]:
    """The process belongs to the command line or the desktop meanwhile; may be nested."""
    global _owners
    with _lock:
        _owners += 1
    try:
        yield
    finally:
        with _lock:
            _owners -= 1


def loaded() -> None:
    """What was imported stays for the life of the process: where that is our own, no search looks at it any more."""
    if _owners:
        gc.freeze()


@contextmanager
def uncollected() -> Iterator[None]:
    """No search meanwhile, in any thread, where the process is our own; may be nested. The last one out leaves it as
    the first one found it."""
    global _inside, _found_on
    with _lock:
        ours = _owners > 0
        if ours and _inside == 0:
            _found_on = gc.isenabled()
            gc.disable()
        _inside += ours
    try:
        yield
    finally:
        with _lock:
            _inside -= ours
            if ours and _inside == 0 and _found_on:
                gc.enable()
