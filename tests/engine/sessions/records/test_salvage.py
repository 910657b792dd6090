"""What is told apart in a damaged document."""

from __future__ import annotations

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records.salvage import salvage


def test_that_an_integer_of_any_length_costs_no_object() -> None:
    digits = b"9" * 100_000
    body = b'[{"role": "user", "n": ' + digits + b', "content": {"text": "x"}}, {"role": "cut'
    (found,) = salvage(body, Span(1, 0, len(body)))
    assert found.value == {"role": "user", "n": digits.decode(), "content": {"text": "x"}}
    assert body[found.span.offset : found.span.offset + found.span.length].endswith(b'"x"}}')
