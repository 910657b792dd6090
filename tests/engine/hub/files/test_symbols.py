from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.symbols import definition

PYTHON = '''\
import os

LIMIT = 3


@dataclass
# kept small
class Cart:
    """Holds items."""

    total: int = 0

    @property
    def size(self) -> int:
        if self.total:

            return 1
        return 0

    async def add(
        self,
        item: str,
    ) -> None:
        self.items.append(item)


def size(cart):
    return cart.size
'''

OTHERS = """\
export class Cart {
  total = 0;
  size(): number {
    if (this.total) { return 1; }
    return 0;
  }
}

export const limit = (x) => {
  return x;
};

#[derive(Debug)]
pub struct Point {
    x: i32,
}

impl Point {
    pub fn norm(&self) -> i32 { self.x }
}

func (c *Cart) Size() int {
	return 1
}

static int count(char *s) {
    return 0;
}
"""


def lines(text: str, symbol: str) -> str | None:
    found = definition(text, symbol)
    return None if found is None else "\n".join(text.split("\n")[found[0] : found[1]])


@pytest.mark.parametrize(
    ("symbol", "first", "last"),
    [
        ("Cart", "@dataclass", "        self.items.append(item)"),
        ("Cart.size", "    @property", "        return 0"),
        ("add", "    async def add(", "        self.items.append(item)"),
        ("LIMIT", "LIMIT = 3", "LIMIT = 3"),
    ],
)
def test_that_a_python_definition_ends_where_its_indentation_does(symbol: str, first: str, last: str) -> None:
    found = lines(PYTHON, symbol)
    assert found is not None
    assert (found.split("\n")[0], found.split("\n")[-1]) == (first, last)


def test_that_the_first_definition_of_a_name_is_found() -> None:
    assert lines(PYTHON, "size") == lines(PYTHON, "Cart.size")


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        ("Cart.size", "  size(): number {\n    if (this.total) { return 1; }\n    return 0;\n  }"),
        ("limit", "export const limit = (x) => {\n  return x;\n}"),
        ("Point", "#[derive(Debug)]\npub struct Point {\n    x: i32,\n}"),
        ("norm", "    pub fn norm(&self) -> i32 { self.x }"),
        ("Size", "func (c *Cart) Size() int {\n\treturn 1\n}"),
        ("count", "static int count(char *s) {\n    return 0;\n}"),
    ],
)
def test_that_a_definition_in_braces_ends_where_they_close(symbol: str, text: str) -> None:
    found = lines(OTHERS, symbol)
    assert found is not None
    assert found.removesuffix(";") == text


@pytest.mark.parametrize("symbol", ["car", "Cart.missing", "items", "dataclass", "os", "s.i.z.e", ""])
def test_that_what_is_not_defined_is_not_found(symbol: str) -> None:
    assert definition(PYTHON, symbol) is None or symbol == ""


NAMES = st.sampled_from(("alpha", "beta", "gamma"))
BODIES = st.lists(
    st.sampled_from(("x = 1", "", "if x:\n        y = 2", "return {'a': 1}", "# }")), min_size=1, max_size=4
)


@given(st.lists(st.tuples(NAMES, BODIES), min_size=1, max_size=5), NAMES)
def test_that_a_python_function_is_found_where_the_parser_finds_it(
    functions: list[tuple[str, list[str]]], name: str
) -> None:
    text = "\n\n".join(f"def {n}():\n    pass\n    " + "\n    ".join(body) for n, body in functions) + "\n"
    tree = ast.parse(text)
    expected = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name), None)
    found = definition(text, name)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert found[0] + 1 == expected.lineno
        assert expected.end_lineno is not None
        assert found[1] >= expected.end_lineno
        rest = text.split("\n")[expected.end_lineno : found[1]]
        assert all(not line.strip() or line.strip().startswith("#") for line in rest)


@given(st.text(), st.text(min_size=1))
def test_that_any_text_and_symbol_can_be_asked_for(text: str, symbol: str) -> None:
    found = definition(text, symbol)
    if found is not None:
        assert 0 <= found[0] < found[1] <= len(text.split("\n"))
