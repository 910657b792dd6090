"""Random damage for property tests: values of the wrong type, and bytes cut, flipped and zeroed."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(
        ["", "x", "\u2028", "9" * 400, "data:image/png;base64,QUJD", [], {}, [None], [[]], {"id": 1}, [{}]]
    ),
)
"""Values that stand where something else is expected."""


@st.composite
def mistyped(draw: st.DrawFn, value: Any, most: int = 3) -> Any:
    """The value with up to `most` of its inner values replaced."""
    made = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, most))):
        places = list(_places(made))
        if places:
            holder, key = draw(st.sampled_from(places))
            holder[key] = copy.deepcopy(draw(ODD))
    return made


def _places(value: Any) -> Any:
    keys = range(len(value)) if isinstance(value, list) else list(value) if isinstance(value, dict) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])


@st.composite
def damaged(draw: st.DrawFn, data: bytes) -> bytes:
    """The bytes with one cut, one flip, or a run of NULs."""
    at = draw(st.integers(0, max(0, len(data) - 1)))
    how = draw(st.sampled_from(["cut", "flip", "nul", "drop"]))
    if how == "cut":
        return data[:at]
    if how == "flip":
        return data[:at] + bytes([data[at] ^ draw(st.integers(1, 255))]) + data[at + 1 :] if data else data
    if how == "nul":
        return data[:at] + b"\x00" * draw(st.integers(1, 9)) + data[at + 3 :]
    return data[:at] + data[at + draw(st.integers(1, 20)) :]
