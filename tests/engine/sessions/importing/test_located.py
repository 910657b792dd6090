"""Walking into a document with exact places."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.importing.located import Located, within
from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.decode import decode_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=15,
)


def walk(found: Located) -> list[Located]:
    inner = [*found.items(), *found.fields().values()]
    return [found, *(deeper for item in inner for deeper in walk(item))]


@given(VALUES, st.none() | st.integers(0, 2))
def test_that_every_value_stands_where_its_span_says(value: Any, indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode()
    before = b"x\n" * 3
    for found in walk(within(decode_value(data), data, Span(4, len(before), len(data)))):
        span = found.span
        piece = (before + data)[span.offset : span.offset + span.length]
        assert json.loads(piece) == found.value
        assert span.line == (before + data).count(b"\n", 0, span.offset) + 1
        assert found.text() == piece.decode()


@pytest.mark.parametrize("data", [b'{"a": [1, 2], "a": [3]}', b'{"a": [\x003]}', b'{"a":[3],"b":NaN}'])
def test_that_equal_keys_nul_bytes_and_not_a_number_are_no_error(data: bytes) -> None:
    value = decode_value(data.replace(b"\x00", b" "))
    found = within(value, data, Span(1, 0, len(data)))
    (item,) = found.elements("a")
    assert item.value == 3
    assert found.elements("missing") == []
    assert found.get("missing") is None


def test_that_what_is_not_known_is_kept_in_the_order_of_the_file() -> None:
    data = b'{"known": 1, "z": 2, "a": {"b": 3}}'
    found = within(decode_value(data), data, Span(1, 0, len(data)))
    assert [(record.label, record.span.offset) for record in found.others("known", prefix="p/")] == [
        ("p/z", 18),
        ("p/a", 26),
    ]
    assert within([], b"[]", Span(1, 0, 2)).object == {}
