"""Which identifiers a text defines, declares or takes as parameters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.replay.measures.needs.definitions import declared, defined, parameters

_KEYWORD = re.compile(
    r"\b(?:def|class|func|fn|function|type|struct|enum|interface|trait|const|let|var|val|public|private|protected"
    r"|static|async|export|readonly)\s+(?:\([^()\n]{0,80}\)\s*)?([A-Za-z_]\w*)"
)
_METHOD = re.compile(r"(?m)^\s*(?:\d+\S?\s+)?([A-Za-z_]\w*)\([^()\n]{0,120}\)[^{}()\n]{0,60}\{\s*$")
_MODULE = re.compile(r"\b(\w+)\.(?:py|pyi|ts|tsx|js|jsx|go|rs|java|kt|rb|c|h|cc|cpp|hpp|cs|php|swift|scala|lua)\b")
_OTHERS = (
    re.compile(r"\b([A-Za-z_]\w*)[\"']?\s*(?::=|=(?!=))"),
    re.compile(r"(?<!\.)\b([A-Za-z_]\w*)[\"']?\s*:(?![:/=])"),
    re.compile(r"\b([A-Za-z_]\w*)\s*,\s*\w+\s*:="),
    re.compile(r"(?m)^\s*(?:\d+\S?\s+)?([A-Z]\w*)[ \t]+\*?[\w.\[\]*]+[ \t]*(?:`|//|$)"),
)
"""The same definitions read forwards, from every character of a text: what the fast way has to find."""
_PIECES = st.sampled_from((
    "def ", "\\func ", ".class ", "type\n", "fn", " ", "\n", "\t", "\r", "=", ":=", "==", "::", ":", ",", "'", ".py",
    ".c", ".cpp", "a", "Name", "x_1", "9", "\u00e9", "\u5b9a", "12\n", "34: ", "(", ")", " {", "{\n\n  ", "`", "//",
    "*",
    "string", "C:\\", "http://",
))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("def read_ledger(path):", "read_ledger"),
        ("func (s *Store) WriteLedger(ctx context.Context) error {", "WriteLedger"),
        ("  12\tLedgerHash string", "LedgerHash"),
        ('{"ledgerHash": 3}', "ledgerHash"),
        ("ledgerRef, err := repo.Head()", "ledgerRef"),
        ("src/billing/ledger.py", "ledger"),
    ],
)
def test_that_a_text_defines_what_it_declares_assigns_or_names_as_a_file(text: str, name: str) -> None:
    assert name in defined(text)


@pytest.mark.parametrize("text", ["repo.CommitObject(hash)", "assert.strictEqual(a, b)", "if a == ledgerHash"])
def test_that_using_a_name_does_not_define_it(text: str) -> None:
    assert not defined(text) & {"CommitObject", "strictEqual", "ledgerHash"}


@pytest.mark.parametrize("text", ["ledger == rows", "ledger::rows", "store.ledger: 1", "ledger:/ rows", "9ledger = 1"])
def test_that_comparing_scoping_and_labelling_define_nothing(text: str) -> None:
    assert not defined(text)


@pytest.mark.parametrize("text", ["ledger:== rows", "ledger = x == y", "'ledger' \n: 1", "ledger , rows := 1"])
def test_that_an_assignment_or_a_field_defines_whatever_stands_around_it(text: str) -> None:
    assert "ledger" in defined(text)


def test_that_a_keyword_counts_behind_what_looks_like_an_escape() -> None:
    assert declared("a\\func write_ledger") == {"write_ledger"}


def test_that_of_two_endings_in_a_row_the_first_makes_the_module() -> None:
    assert declared("ledger.py.ts") == {"ledger"}


def test_that_a_method_may_stand_behind_a_number_and_before_empty_lines() -> None:
    assert declared("class_name\n  12: writeLedger(a, b) {\n\n\n  }") == {"writeLedger"}


def test_that_parameters_are_those_of_definitions_and_not_of_calls() -> None:
    assert parameters("def write(ledger, *rows):\n    send(value)") == {"ledger", "rows"}
    assert parameters("fn write(ledger: Ledger)") == {"ledger"}


@given(st.lists(_PIECES, max_size=24).map("".join))
def test_that_anchored_patterns_find_what_reading_from_every_character_finds(text: str) -> None:
    declarations = {name for pattern in (_KEYWORD, _METHOD, _MODULE) for name in pattern.findall(text)}
    assert declared(text) == declarations
    assert defined(text) == declarations | {name for pattern in _OTHERS for name in pattern.findall(text)}
