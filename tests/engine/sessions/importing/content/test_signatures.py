"""The length of thinking that a signature tells."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ravenglass.sessions.importing.content.signatures import hidden_characters


def signed(thinking: str, real: int, kind: str = "thinking") -> dict[str, Any]:
    signature = base64.b64encode(bytes(real + 174)).decode()
    if kind == "redacted_thinking":
        return {"type": kind, "data": signature}
    return {"type": kind, "thinking": thinking, "signature": signature}


def test_that_shortened_thinking_hides_what_its_signature_holds_more() -> None:
    assert hidden_characters(signed("x" * 100, 900)) == 800


def test_that_thinking_shown_in_full_hides_nothing() -> None:
    assert hidden_characters(signed("x" * 100, 100)) == 0
    assert hidden_characters(signed("x" * 100, 103)) == 0


def test_that_withheld_and_redacted_thinking_is_hidden_as_a_whole() -> None:
    assert hidden_characters(signed("", 500)) == 500
    assert hidden_characters(signed("", 500, "redacted_thinking")) == 500


@pytest.mark.parametrize(
    "block", [None, 3, [], {}, {"type": "text"}, {"type": "thinking", "thinking": None, "signature": 7}]
)
def test_that_everything_else_hides_nothing(block: object) -> None:
    assert hidden_characters(block) == 0
