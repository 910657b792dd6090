from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.registry.schema import Schema, sniff


@pytest.mark.rule("4.25")
@pytest.mark.parametrize(
    ("content", "schema"),
    [
        ("", "text"),
        ("x = 1\ny = 2", "text"),
        ('{"a": 1}', "json"),
        (" [1, 2]\n", "json"),
        ("[not json]", "text"),
        ("{cut: ", "text"),
        ("3", "text"),
        (".\n├── src\n│   └── a.py\n└── b.py", "tree"),
        ("|-- src\n`-- b.py", "tree"),
        ("src/a.py\nsrc/b.py\nREADME.md", "tree"),
        ("/home/dev/a.py\n/home/dev/b/\n", "tree"),
        ("src/a.py", "text"),
        ("see src/a.py\nand src/b.py", "text"),
        ("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y", "patch"),
        ("*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch", "patch"),
        ("- one\n- two", "text"),
    ],
)
def test_that_a_content_tells_its_structure(content: str, schema: Schema) -> None:
    assert sniff(content) == schema


@given(st.dictionaries(st.text(), st.integers() | st.text()) | st.lists(st.text()))
def test_that_every_json_value_that_is_no_scalar_is_json(value: object) -> None:
    assert sniff(json.dumps(value, indent=1)) == "json"


@pytest.mark.rule("4.25")
@given(st.text())
def test_that_any_text_has_a_structure(content: str) -> None:
    assert sniff(content) in ("text", "tree", "json", "patch")
