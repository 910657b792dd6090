"""Holds Python's search for reference cycles off while sessions are made.

Importing makes very many objects and no cycles; each search looks at all of them, which takes half of the time of
reading a large file. What is no part of a cycle is freed all the same.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0
_found_on = False


@contextmanager
def uncollected() -> Iterator[None]:
    """No search meanwhile, in any thread; may be nested. The last one out leaves it as the first one found it."""
    global _inside, _found_on
    with _lock:
        if _inside == 0:
            _found_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _found_on:
                gc.enable()
