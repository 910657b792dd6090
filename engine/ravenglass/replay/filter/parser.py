"""The filter language of the manifest: `tier:task -flag:pinned tokens>500 turn:10..20 "quota"`.

Terms side by side must all hold; `or`, `not` (or a leading `-`) and parentheses combine them, `or` binding
weakest. A word or a quoted text without a key is looked for in the message, whatever the case. What a filter
means is defined here only: the desktop, the command line and breakpoints all parse with `parse_filter`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ravenglass.errors import FilterError
from ravenglass.replay.filter.keys import FILTER_KEYS, FLAGS, FilterKey, KeyKind
from ravenglass.replay.filter.nodes import And, FilterRow, Node, Not, Or
from ravenglass.replay.filter.terms import QUOTED, parse_term, parse_text, unquote

__all__ = ["FILTER_KEYS", "FLAGS", "Filter", "FilterKey", "FilterRow", "KeyKind", "parse_filter"]

_MAX_DEPTH = 50
"""Deeper nesting than anyone writes; it keeps the parser's own recursion bounded."""

_TOKEN = re.compile(
    rf"""\s*(?:
      (?P<open>\() | (?P<close>\))
    | (?P<minus>-(?=[^\s\-)]))
    | (?P<quoted>{QUOTED}|“[^”]*”)
    | (?P<unclosed>["“])
    | (?P<key>[A-Za-z_]+)(?P<relation>>=|<=|>|<|=|[:：](?!//|:))(?P<value>(?:{QUOTED}|[^\s()"]|")*)
    | (?P<word>[^\s()"“”]+|”)
    )""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A parsed filter. `str(filter)` is its canonical text, which parses to an equal filter.

    `root` is None for the empty filter, which every row matches.
    """

    root: Node | None

    def matches(self, row: FilterRow) -> bool:
        return self.root is None or self.root.matches(row)

    def __str__(self) -> str:
        return "" if self.root is None else str(self.root)


def parse_filter(text: str) -> Filter:
    """The filter that `text` spells. Raises FilterError with the 0-based position of the offending word."""
    parser = _Parser(_tokens(text), len(text))
    return Filter(parser.parse())


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """`(`, `)`, `not`, `and`, `or` or `term`."""
    position: int
    node: Node | None = None


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    position = 0
    end = len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None:
            raise FilterError("This cannot be read as a part of a filter.", position=position)
        tokens.append(_token(found))
        position = found.end()
    return tokens


def _token(found: re.Match[str]) -> _Token:
    kind = found.lastgroup or ""
    if kind == "value":
        start = found.start("key")
        relation = found["relation"].replace("：", ":")
        return _Token("term", start, parse_term(found["key"], relation, found["value"], start))
    start = found.start(kind)
    match kind:
        case "open":
            return _Token("(", start)
        case "close":
            return _Token(")", start)
        case "minus":
            return _Token("not", start)
        case "quoted":
            quoted = found["quoted"]
            inner = unquote(quoted) if quoted.startswith('"') else quoted[1:-1]
            return _Token("term", start, parse_text(inner, start))
        case "unclosed":
            raise FilterError("This quotation is not closed.", position=start)
    word = found["word"]
    if word.lower() in ("or", "and", "not"):
        return _Token(word.lower(), start)
    return _Token("term", start, parse_text(word, start))


class _Parser:
    """Recursive descent over the tokens: alternatives of conjunctions of negated terms."""

    def __init__(self, tokens: list[_Token], end: int) -> None:
        self._tokens = tokens
        self._next = 0
        self._end = end

    def parse(self) -> Node | None:
        if not self._tokens:
            return None
        node = self._alternatives(0)
        if self._next < len(self._tokens):
            raise FilterError(
                "This closing parenthesis has no opening one.", position=self._tokens[self._next].position
            )
        return node

    def _alternatives(self, depth: int) -> Node:
        parts = [self._conjunction(depth)]
        while self._take("or"):
            parts.append(self._conjunction(depth))
        return _joined(Or, parts)

    def _conjunction(self, depth: int) -> Node:
        parts = [self._unary(depth)]
        while True:
            if self._take("and") or self._peek() in ("term", "not", "("):
                parts.append(self._unary(depth))
            else:
                return _joined(And, parts)

    def _unary(self, depth: int) -> Node:
        negated = False
        while self._take("not"):
            negated = not negated
        node = self._atom(depth)
        if not negated:
            return node
        return node.part if isinstance(node, Not) else Not(node)

    def _atom(self, depth: int) -> Node:
        if self._next >= len(self._tokens):
            raise FilterError(self._missing(), position=self._end)
        token = self._tokens[self._next]
        if token.node is not None:
            self._next += 1
            return token.node
        if token.kind != "(":
            raise FilterError(self._missing(), position=token.position)
        if depth >= _MAX_DEPTH:
            raise FilterError(f"Parentheses are nested more than {_MAX_DEPTH} deep.", position=token.position)
        self._next += 1
        node = self._alternatives(depth + 1)
        if not self._take(")"):
            raise FilterError("This parenthesis is not closed.", position=token.position)
        return node

    def _missing(self) -> str:
        before = self._tokens[self._next - 1].kind if self._next else ""
        where = {"(": "inside the parentheses", "": "at the beginning"}.get(before, f'after "{before}"')
        return f"A term is missing {where}; a word of the language that is meant as text goes in quotes."

    def _peek(self) -> str:
        return self._tokens[self._next].kind if self._next < len(self._tokens) else ""

    def _take(self, kind: str) -> bool:
        if self._peek() != kind:
            return False
        self._next += 1
        return True


def _joined(kind: type[And] | type[Or], parts: list[Node]) -> Node:
    """One node for the parts; parts of the same kind are taken in, so that grouping leaves no trace."""
    if len(parts) == 1:
        return parts[0]
    flat: list[Node] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else [part])
    return kind(tuple(flat))
