"""The shape of one token of a text: path, identifier, issue number, word or CJK run, and what it yields.

`classify` looks at a single token without its surroundings; finding tokens and weighing them is `intent`'s.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from ravenglass.scheduler.intent import scripts
from ravenglass.scheduler.intent.lexicon import DOTFILES, ENGLISH, EXTENSIONS


class Shape(Enum):
    """What an entity looks like."""

    PATH = auto()
    NAME = auto()
    """An identifier: snake_case, CamelCase, dotted or `::` names, error names."""
    ISSUE = auto()
    CODE = auto()
    """Letters and digits mixed: hashes, versions, model names."""
    PHRASE = auto()
    """A short quotation of several words."""
    CJK = auto()
    WORD = auto()


WEIGHTS = {
    Shape.PATH: 4.0,
    Shape.NAME: 3.0,
    Shape.ISSUE: 3.0,
    Shape.CODE: 2.0,
    Shape.PHRASE: 1.8,
    Shape.CJK: 1.5,
    Shape.WORD: 1.0,
}
"""How telling a shape is, for ranking keywords only: a path named once equals a word said twenty times."""

MAX_TOKEN = 200
"""Longer tokens are encoded data, not names (characters)."""
MAX_NAME = 80
MIN_WORD = 3

_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_LETTER = re.compile(r"[^\W\d_]")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_PLAIN_NUMBER = re.compile(r"[\d.,_:/-]*|\d+(?:\.\d+)?[a-zA-Z]{1,3}|\d{4}-\d\d-\d\dT\d+Z?")
_ISSUE = re.compile(r"#\d{1,5}|[A-Z]{2,10}-\d{1,7}")
_CJK_START = re.compile(f"[{scripts.CJK}]")
_WINDOWS = re.compile(r"[A-Za-z]:\\")
_EDGES = ".:-~@#"
_RECEIVERS = frozenset({"self", "this", "cls"})


@dataclass(frozen=True, slots=True)
class Entity:
    """One entity: its text as other texts would spell it, and its shape."""

    text: str
    shape: Shape


Entities = tuple[Entity, ...]


def classify(token: str) -> Entities:
    """Entities of one token, the whole before its parts; none for numbers, encoded data and punctuation."""
    if _CJK_START.match(token):
        return tuple(Entity(pair, Shape.CJK) for pair in scripts.bigrams(token))
    if len(token) > MAX_TOKEN:
        return ()
    if _WINDOWS.match(token):
        return _path(re.sub(r"\\+", "/", token))
    return _split(token)


def _split(token: str) -> Entities:
    """Takes a token apart at the strongest separator it holds, then classifies what is left."""
    if _ISSUE.fullmatch(token):
        return (Entity(token, Shape.ISSUE),)
    body = token.lstrip(":-").rstrip(_EDGES)
    if _PLAIN_NUMBER.fullmatch(body) or not _LETTER.search(body):
        return ()
    if "://" in body:
        return _url(body)
    if ":" in body:
        parts = [part for part in body.split(":") if part]
        whole = "::" in body and all(_IDENTIFIER.fullmatch(part) for part in parts)
        return (*((Entity(body, Shape.NAME),) if whole else ()), *_each(parts))
    if "#" in body:
        name, _, anchor = body.partition("#")
        return (*_each([name]), *_each([f"#{anchor}" if anchor.isdecimal() else anchor]))
    if "@" in body and not (body.startswith("@") and "/" in body):
        return _each(body.split("@"))
    if "/" in body:
        return _slashed(body)
    if "~" in body:
        return _each(body.split("~"))
    if "." in body:
        return _dotted(body)
    if "-" in body:
        return _hyphenated(body)
    return _name(body)


def _each(parts: list[str]) -> Entities:
    return tuple(entity for part in parts if part for entity in _split(part))


def _url(body: str) -> Entities:
    scheme, _, rest = body.rpartition("://")
    address = rest.rstrip("/")
    if not address or not scheme:
        return _each([scheme, address])
    whole = Entity(f"{scheme.rpartition(':')[2]}://{address}", Shape.PATH)
    base = address.rpartition("/")[2]
    return (whole, *(_split(base) if base != address and ":" not in base else ()))


def _slashed(body: str) -> Entities:
    segments = [segment for segment in body.split("/") if segment not in ("", ".", "..")]
    rooted = body.startswith(("/", "./", "../", "~/", "@")) and not body.startswith("//")
    if len(segments) > 1 and (rooted or len(segments) > 2 or any(map(_tells_path, segments))):
        return _path(body)
    if len(segments) == 1 and rooted and _is_file(segments[0]):
        return _path(body)
    if len(segments) == 1 and body.endswith("/") and _IDENTIFIER.fullmatch(segments[0]):
        return (Entity(segments[0], Shape.PATH),) if _tells_path(segments[0]) else _split(segments[0])
    return _each(segments)  # "and/or", "</div>"


def _path(body: str) -> Entities:
    whole = body.rstrip("/")
    while whole.startswith("./"):
        whole = whole[2:]
    base = whole.rpartition("/")[2]
    if not _LETTER.search(whole):
        return ()
    parts: Entities = ()
    if base != whole:
        parts = (Entity(base, Shape.PATH),) if _is_file(base) else _split(base)
    return (Entity(whole, Shape.PATH), *parts)


def _is_file(name: str) -> bool:
    stem, _, ending = name.rpartition(".")
    return (bool(stem) and ending.lower() in EXTENSIONS) or (not stem and ending in DOTFILES and "." in name)


def _tells_path(segment: str) -> bool:
    """A folder or file rather than a word of a pair such as "and/or"."""
    return _is_file(segment) or "_" in segment or (_LETTER.search(segment) is not None and "." in segment)


def _dotted(body: str) -> Entities:
    receiver, _, member = body.partition(".")
    if receiver in _RECEIVERS:
        return _split(member)
    if _is_file(body):
        return (Entity(body, Shape.PATH),)
    parts = body.split(".")
    if len(body) > MIN_WORD and len(body) <= MAX_TOKEN and all(_IDENTIFIER.fullmatch(part) for part in parts):
        named = tuple(entity for part in parts for entity in _name(part) if entity.shape is Shape.NAME)
        return (Entity(body, Shape.NAME), *named)
    if body[0] in "vV" and _PLAIN_NUMBER.fullmatch(body[1:]):
        return (Entity(body, Shape.CODE),)
    return _each(parts)


def _hyphenated(body: str) -> Entities:
    parts = [part for part in body.split("-") if part]
    if len(parts) < 2 or len(body) > MAX_NAME:
        return _each(parts)
    coded = len(parts) > 2 or any(part.isdecimal() for part in parts)
    return (Entity(body.lower(), Shape.CODE if coded else Shape.WORD), *_each(parts))


def _name(body: str) -> Entities:
    if len(body) > MAX_NAME or _PLAIN_NUMBER.fullmatch(body):
        return ()
    bare = body.strip("_")
    if ("_" in bare or (bare != body and len(bare) >= MIN_WORD)) or _INNER_CAPITAL.search(body):
        return (Entity(body, Shape.NAME),) if len(body) >= MIN_WORD else ()
    word = body.lower()
    if len(word) < MIN_WORD or word in ENGLISH:
        return ()
    coded = not word.isalpha() and any(character.isdecimal() for character in word)
    return (Entity(word, Shape.CODE if coded else Shape.WORD),)
