"""Which looks lie at, above or below a path."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.paths import inside
from ravenglass.replay.measures.needs.places import Places

_PATHS = st.sampled_from((".", "src", "src/a", "src/a/x.py", "src/b", "docs", "/etc", "/etc/hosts"))
_KEYS = st.sampled_from([("file", name) for name in "abc"])
_STEPS = st.lists(st.tuples(st.booleans(), _KEYS, _PATHS), max_size=20)


@given(_STEPS, _PATHS)
def test_that_a_path_meets_the_looks_that_are_left_at_above_or_below_it(
    steps: list[tuple[bool, tuple[str, str], str]], path: str
) -> None:
    places: Places[tuple[str, str]] = Places()
    left: dict[tuple[str, str], set[str]] = {}
    for adds, key, place in steps:
        if adds:
            places.add(key, place)
            left.setdefault(key, set()).add(place)
        else:
            places.remove(key)
            left.pop(key, None)
    met = {key for key, of in left.items() if any(inside(path, place) or inside(place, path) for place in of)}
    assert places.meeting(path) == met


def test_that_what_is_removed_leaves_nothing_behind() -> None:
    places: Places[tuple[str, str]] = Places()
    for number in range(100):
        places.add(("search", str(number)), "src/a")
        places.remove(("search", str(number)))
    assert places == Places()


def test_that_a_copy_is_not_changed() -> None:
    places: Places[tuple[str, str]] = Places()
    places.add(("file", "a"), "src/a")
    copied = places.copy()
    places.remove(("file", "a"))
    assert copied.meeting("src/a") == {("file", "a")}
