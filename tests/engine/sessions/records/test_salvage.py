"""What is told apart in a damaged document."""

from __future__ import annotations

import json

import pytest

from ravenglass.sessions.model.session import Span
from ravenglass.sessions.records import salvage as salvaging
from ravenglass.sessions.records.decode import TOLERANT
from ravenglass.sessions.records.salvage import salvage


def test_that_an_integer_of_any_length_costs_no_object() -> None:
    digits = b"9" * 100_000
    body = b'[{"role": "user", "n": ' + digits + b', "content": {"text": "x"}}, {"role": "cut'
    (found,) = salvage(body, Span(1, 0, len(body)))
    assert found.value == {"role": "user", "n": digits.decode(), "content": {"text": "x"}}
    assert body[found.span.offset : found.span.offset + found.span.length].endswith(b'"x"}}')


def test_that_a_damaged_document_takes_time_in_proportion_to_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    real = TOLERANT

    class Counting:
        def raw_decode(self, text: str, start: int) -> tuple[object, int]:
            try:
                value, stop = real.raw_decode(text, start)
            except json.JSONDecodeError as error:
                read.append(error.pos - start)
                raise
            read.append(stop - start)
            return value, stop

    monkeypatch.setattr(salvaging, "TOLERANT", Counting())
    body = b'[{"whole": 1}, ' + b'{"a": ' * 300 + b"[" + b"1, " * 20_000
    (found,) = salvage(body, Span(1, 0, len(body)))
    assert found.value == {"whole": 1}
    assert sum(read) < 10 * len(body)
