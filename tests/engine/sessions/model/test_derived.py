"""What is kept with a session is found by its slot, and goes with the session."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace

from ravenglass.sessions.model.derived import Slot
from tests.engine.builders import session, user


class Thing:
    pass


THINGS = Slot[Thing]("things")
PERHAPS = Slot[int | None]("perhaps")


def test_that_a_thing_is_made_once_for_each_of_its_kind() -> None:
    built = session(user("go"))
    first = THINGS.made(built, Thing)
    assert THINGS.made(built, Thing) is THINGS.get(built) is first
    assert THINGS.made(built, Thing, of=("other", 1)) is not first
    assert THINGS.get(built, of="third") is None
    assert THINGS.get(replace(built, derived={})) is None


def test_that_nothing_is_a_result_that_is_kept_too() -> None:
    built, asked = session(user("go")), []
    for _ in range(2):
        assert PERHAPS.made(built, lambda: asked.append(1)) is None
    assert asked == [1]


def test_that_two_slots_of_one_name_keep_apart_and_what_was_kept_goes_with_the_session() -> None:
    built = session(user("go"))
    kept = weakref.ref(THINGS.keep(built, Thing()))
    assert Slot[Thing]("things").get(built) is None
    del built
    gc.collect()
    assert kept() is None
