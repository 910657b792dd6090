"""What a session and its runs hold goes when they go."""

from __future__ import annotations

import gc
import weakref

from ravenglass.replay import replay
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session


def test_that_a_session_that_nobody_holds_is_freed_with_everything_made_of_it() -> None:
    session = open_session(demo_session())
    run = replay(session)
    run.frame(run.calls)
    gone = weakref.ref(session), weakref.ref(run)
    del session, run
    gc.collect()
    assert [ref() for ref in gone] == [None, None]
