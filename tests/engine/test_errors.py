from __future__ import annotations

import inspect

import pytest

import ravenglass
from ravenglass import errors
from ravenglass.errors import AddressError, FilterError, ProfileError, RavenglassError, SessionError
from ravenglass.sessions.records import progress

TREE = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}


def test_that_the_public_surface_of_the_engine_is_this_and_no_more() -> None:
    assert ravenglass.__all__ == [
        "AsyncEngine",
        "Engine",
        "HandChange",
        "Profile",
        "ProfileError",
        "RavenglassError",
        "Run",
        "SessionError",
        "open_session",
        "replay",
    ]
    assert all(hasattr(ravenglass, name) for name in ravenglass.__all__)


def test_that_one_base_catches_every_error_of_the_engine() -> None:
    assert len(TREE) > 5
    assert all(issubclass(kind, RavenglassError) for kind in TREE.values())


def test_that_the_tree_is_drawn_where_it_is_defined() -> None:
    assert errors.__doc__ is not None
    drawn = {
        word for line in errors.__doc__.splitlines() if "-- " in line for word in [line.split("-- ")[1].split()[0]]
    }
    assert drawn == set(TREE) - {"RavenglassError"}


@pytest.mark.parametrize("kind", TREE.values(), ids=list(TREE))
def test_that_an_error_is_its_sentence(kind: type[RavenglassError]) -> None:
    assert str(kind("The file is empty.")) == "The file is empty."
    assert kind.__doc__


def test_that_errors_carry_what_a_caller_acts_on() -> None:
    refused = SessionError("no", path="a.jsonl", line=3, tried=("raven",))
    assert (refused.path, refused.line, refused.tried) == ("a.jsonl", 3, ("raven",))
    assert (SessionError("no").path, SessionError("no").line, SessionError("no").tried) == ("", None, ())
    assert (ProfileError("no", field="window").field, ProfileError("no").field) == ("window", "")
    assert (FilterError("no", position=4).position, AddressError("no", position=5).position) == (4, 5)


def test_that_cancelling_is_one_thing_whether_a_read_or_a_replay_was_cancelled() -> None:
    """Whoever catches the one must not take the other for a failure."""
    assert progress.Cancelled is errors.Cancelled
