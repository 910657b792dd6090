"""Times, scanning of JSON, and content blocks."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.model.session import Part
from ravenglass.sessions.records.scan import member, members
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-04T01:51:55.357Z", 1770169915.357),
        ("2026-02-04T02:51:55.357+01:00", 1770169915.357),
        (1770169915, 1770169915.0),
        (1770169915.25, 1770169915.25),
        (1770169915357, 1770169915.357),
        (1770169915357000, 1770169915.357),
        ("1770169915.5", 1770169915.5),
    ],
)
def test_that_a_time_is_read_in_any_form(value: object, expected: float) -> None:
    assert seconds(value) == pytest.approx(expected)


def test_that_a_time_without_offset_is_local_time() -> None:
    local = time.mktime((2026, 2, 4, 1, 51, 55, 0, 0, -1))
    assert seconds("2026-02-04T01:51:55.250000") == pytest.approx(local + 0.25)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "",
        "[trimmed for fixture]",
        "yesterday",
        "nan",
        "inf",
        float("nan"),
        0,
        -5,
        12,
        10**400,
        {},
        [],
        "9" * 70,
    ],
)
def test_that_what_is_no_time_is_none(value: object) -> None:
    assert seconds(value) is None


@given(JSON, st.sampled_from([None, 1, "\t"]))
def test_that_members_are_exactly_the_values_of_a_document(value: object, indent: object) -> None:
    data = b" \n" + json.dumps(value, indent=indent, ensure_ascii=False).encode() + b"\n"  # type: ignore[arg-type]
    found = members(data)
    decoded = [json.loads(data[item.start : item.stop]) for item in found]
    if isinstance(value, list):
        assert decoded == value
    elif isinstance(value, dict):
        assert dict(zip((item.key for item in found), decoded, strict=True)) == value
    else:
        assert found == []


@given(st.lists(JSON, min_size=1, max_size=5), st.data())
def test_that_a_cut_list_gives_every_element_before_the_cut(value: list[object], data: st.DataObject) -> None:
    text = json.dumps(value).encode()
    cut = data.draw(st.integers(1, len(text) - 1))
    whole = [item for item in members(text[:cut]) if item.complete]
    assert [json.loads(text[item.start : item.stop]) for item in whole] == value[: len(whole)]
    assert all(item.stop <= cut for item in members(text[:cut]))


def test_that_the_last_of_two_equal_keys_counts() -> None:
    data = b'{"messages": [1], "x": 2, "messages": [3]}'
    found = member(data, "messages")
    assert found is not None
    assert data[found.start : found.stop] == b"[3]"


def test_that_brackets_and_quotes_inside_strings_do_not_count() -> None:
    data = b'{"a": "}]\\"{[", "b": ["\\\\", "x,y"]'
    assert [(item.key, data[item.start : item.stop], item.complete) for item in members(data)] == [
        ("a", b'"}]\\"{["', True),
        ("b", b'["\\\\", "x,y"]', False),
    ]


@pytest.mark.parametrize("cut", [b'["a", "}]', b'["a", "},\\', b'["a", ["x", "]]'])
def test_that_brackets_inside_a_cut_string_do_not_count(cut: bytes) -> None:
    assert [(cut[item.start : item.stop], item.complete) for item in members(cut)] == [
        (b'"a"', True),
        (cut[6:], False),
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, ()),
        ("", ()),
        ("hi", (Part("text", "hi"),)),
        ([], ()),
        ({"type": "text", "text": "one"}, (Part("text", "one"),)),
        ([None, "a", {"type": "text", "text": None}, {"text": "b"}], (Part("text", "a"), Part("text", "b"))),
        ([{"type": "thinking", "thinking": "hm", "signature": "secret"}], (Part("thinking", "hm"),)),
        (
            [{"type": "input_text", "text": "q"}, {"type": "refusal", "refusal": "no"}],
            (Part("text", "q"), Part("text", "no")),
        ),
        ([{"type": "tool_reference", "tool_name": "Grep"}], (Part("other", "[tool Grep]"),)),
        (7, (Part("text", "7"),)),
    ],
)
def test_that_content_of_every_shape_becomes_parts(content: object, expected: tuple[Part, ...]) -> None:
    assert parts_of(content) == expected


@pytest.mark.parametrize(
    ("block", "kind", "text"),
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA" * 10}},
            "image",
            "[image image/png, 30 bytes]",
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,QUJDRA=="}},
            "image",
            "[image image/jpeg, 4 bytes]",
        ),
        ({"type": "image_url", "image_url": "https://example.org/a.png"}, "image", "[image https://example.org/a.png]"),
        ({"type": "image", "source": None}, "image", "[image]"),
        (
            {"type": "document", "source": {"media_type": "application/pdf", "data": "QUJD"}},
            "document",
            "[document application/pdf, 3 bytes]",
        ),
        ({"type": "document", "source": {"type": "text", "data": "words"}}, "text", "words"),
        ({"type": "input_audio", "input_audio": {"format": "wav", "data": "QUJD"}}, "other", "[audio wav, 3 bytes]"),
        ({"type": "file", "file": {"filename": "a.txt"}}, "document", "[document a.txt]"),
        ({"type": "redacted_thinking", "data": "xyz"}, "thinking", "[redacted thinking, 3 bytes]"),
        ({"type": "brand_new", "n": 1}, "other", "[brand_new, 29 bytes]"),
    ],
)
def test_that_payloads_become_descriptions(block: object, kind: str, text: str) -> None:
    (part,) = parts_of([block])
    assert (part.kind, part.text) == (kind, text)


def test_that_no_payload_or_signature_is_ever_shown() -> None:
    secret = "S3CRET" * 20
    blocks = [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": secret}},
        {"type": "thinking", "thinking": "", "signature": secret},
        {"type": "redacted_thinking", "data": secret},
        {"type": "unknown", "encrypted_content": secret},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{secret}"}},
    ]
    assert not any("S3CRET" in part.text for part in parts_of(blocks))
    assert len(parts_of(blocks)) == 5


@pytest.mark.parametrize("value", [-1, 1.5, True, "7", None, 10**16, 10**400, float("inf"), float("nan")])
def test_that_what_nobody_can_have_counted_is_no_count(value: object) -> None:
    assert count(value) is None


def test_that_a_count_may_be_written_as_a_float() -> None:
    assert (count(0), count(7.0), count(10**15)) == (0, 7, 10**15)


def test_that_members_of_an_object_whose_key_occurs_twice_are_told_apart() -> None:
    data = b'{"a":1,"a":{"b":{}    }}'
    assert [(item.key, data[item.start : item.stop]) for item in members(data)] == [
        ("a", b"1"),
        ("a", b'{"b":{}    }'),
    ]
