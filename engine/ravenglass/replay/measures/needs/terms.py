"""Terms of a text that tell one thing apart: identifiers, paths, errors, hashes, ids, versions, addresses, figures.

A term is whole: `parseWidget` is none of `parseWidgets`. What any session may use is none (`trade`). An earlier message
holds a term also as a part of a longer one that names the same thing: a file in its path, a member behind its object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from ravenglass.replay.measures.needs.trade import of_the_trade
from ravenglass.scheduler.intent import scripts
from ravenglass.scheduler.intent.lexicon import ENGLISH, EXTENSIONS

MOST_CHARS = 200_000
"""Terms of one text are taken from at most this many characters: its head and its tail."""
_TEXTS = 64
"""So many texts are kept cut up: a response is read for what it says and for what it holds."""
_LONGEST = 200
_SHORTEST = 4
_SUFFIXES = 6
"""So many last parts of a path name the same thing as the whole."""

_LETTERS = r"A-Za-z0-9_\u00b5\u00c0-\u024f\u0370-\u052f"
_RUN = rf"[{_LETTERS}./~@#:+-]+"
_ESCAPED = r"[A-Za-z]:(?:\\{1,2}[^\s\\/:*?\"'<>|,;()]+)+|\\[nrtbf\"]"
_ADDRESS = r"[A-Za-z][A-Za-z0-9+.-]{1,20}+://[^\s\"'`<>()\[\]{}|\\^\u3000-\u303f\uff00-\uffef]+"
_TOKENS = (
    re.compile(_RUN),
    re.compile(f"{_ESCAPED}|{_RUN}"),
    re.compile(f"{_ADDRESS}|{_RUN}"),
    re.compile(f"{_ADDRESS}|{_ESCAPED}|{_RUN}"),
)
"""Without backslash and address, with a backslash, with an address, with both: each alternative costs at every word."""
_CJK_FILE = re.compile(
    rf"(?<![{_LETTERS}{scripts.CJK}./-])"
    rf"[{_LETTERS}./~-]*[{scripts.CJK}][{_LETTERS}{scripts.CJK}./~-]*\.[A-Za-z0-9]{{1,5}}(?![{_LETTERS}])"
)
_UNITS = (
    r"ms|µs|ns|s|sec|secs|seconds?|minutes?|mins?|hours?|days?|[KMGT]i?B|bytes?|tokens?|tests?|passed|failed|errors?"
    r"|warnings?|files?|lines?|rows?|records?|items?|messages?|commits?|calls?|requests?|px|fps|Hz|MHz|GHz|%|rps|qps"
)
_FIGURE = re.compile(rf"(\d(?<![\w.,:/#-]\d)[\d,]*(?:\.\d+)?)[ \u00a0]?(?:{_UNITS})(?![\w/])")
_PORT = re.compile(r"[Pp](?<!\w[Pp])ort \d{4,5}(?![\w.])")
_CJK_FIGURE = re.compile(
    r"(\d(?<![A-Za-z0-9_.,:/#-]\d)[\d,]*(?:\.\d+)?) ?(?:个|次|行|条|项|份|位)?"
    r"(?:测试|用例|文件|错误|警告|行|条|次|记录|消息|请求|毫秒|微秒|秒|分钟|小时|字节|兆|个)"
)
_CJK_PORT = re.compile(r"端口 ?\d{4,5}(?!\w)")
_FIGURES = (_FIGURE, _PORT, _CJK_FIGURE, _CJK_PORT)
_CJK = re.compile(f"[{scripts.CJK}]")

_IDENTIFIER = re.compile(rf"[^\W\d][{_LETTERS}]*\Z")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}")
_PLURAL = re.compile(r"[A-Z0-9]+s\Z")
_HASH = re.compile(r"(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\Z")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z")
_VERSION = re.compile(r"v?\d+\.\d+\.\d+(?:[-.+][0-9A-Za-z.]+)?\Z")
_COLOUR = re.compile(r"#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\Z")
_ISSUE = re.compile(r"#\d{2,6}\Z|[A-Z]{2,10}-\d{2,7}\Z")
_TIME = re.compile(r"\d\d:\d\d:\d\d(?:\.\d+)?\Z")
_DATE = re.compile(r"[\d-]+(?:[T_]?[\d:.]*Z?)?\Z")
_EXAMPLE_HOST = re.compile(r"(?:\A|\.)example\.(?:com|org|net)(?::\d+)?\Z")
_RANGE = re.compile(r"(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d)+\Z")
"""Of characters, in a regular expression."""
_BETWEEN = frozenset(("to", "by", "of", "in", "on", "and", "or", "the", "a", "per", "for", "at", "as", "vs"))
_COUNTED = re.compile(r"\d+(?:\.\d+)?[A-Za-z%]{1,4}\Z")
_LETTER = re.compile(r"[^\W\d_]")
_SYSTEM_ERROR = re.compile(
    r"E(?:CONN[A-Z]+|TIMEDOUT|ADDR[A-Z]+|PIPE|NOTFOUND|AI_[A-Z]+|HOST[A-Z]+|NET[A-Z]+|NOSPC|MFILE|NOTEMPTY)\Z"
)
_ROOTED = ("/", "~/", "./", "../")


def terms(text: str) -> dict[str, str]:
    """Terms of the text that tell one thing apart, by their key: the spelling that others are compared with."""
    found: dict[str, str] = {}
    for name, term in chain.from_iterable(map(_named, tokens(text))):
        found.setdefault(name, term)
    found.update((figure, figure) for figure in _figures(text))
    return found


def held(text: str) -> frozenset[str]:
    """Keys of all terms that the text holds, whole or as the part of a longer one that names the same thing."""
    return frozenset(chain(chain.from_iterable(map(_parts, tokens(text))), _figures(text)))


def members(name: str) -> tuple[str, ...]:
    """Identifiers in a dotted name that tell one thing apart by themselves."""
    if "/" in name or "." not in name or is_file(name):
        return ()
    return tuple(part for part in name.split(".") if telling(part))


def key(term: str) -> str:
    """One spelling of a term: without `./` before and `/` behind it."""
    bare = term.rstrip("/") or term
    while bare.startswith("./"):
        bare = bare[2:]
    return bare


@lru_cache(maxsize=_TEXTS)
def tokens(text: str) -> tuple[str, ...]:
    """Runs of characters that may be terms, each once, in order."""
    text = _capped(text)
    pattern = _TOKENS[("\\" in text) + 2 * ("://" in text)]
    found = dict.fromkeys(pattern.findall(text))
    if not text.isascii() and _CJK.search(text):
        found.update(dict.fromkeys(_CJK_FILE.findall(text)))
    return tuple(found)


def _capped(text: str) -> str:
    if len(text) <= MOST_CHARS:
        return text
    half = MOST_CHARS // 2
    return f"{text[:half]}\n{text[-half:]}"


@lru_cache(maxsize=_TEXTS)
def _figures(text: str) -> tuple[str, ...]:
    text = _capped(text)
    foreign = not text.isascii() and _CJK.search(text)
    patterns = _FIGURES if foreign else _FIGURES[: 1 + ("ort " in text)]
    return tuple(
        match[0] for pattern in patterns for match in pattern.finditer(text) if not match.re.groups or _uneven(match[1])
    )


def _uneven(number: str) -> bool:
    """Whether a number is no round one that stands in any text: not of one digit, nor a multiple of 10, nor a power of
    2."""
    digits = number.replace(",", "")
    if "." in digits:
        return True
    value = int(digits)
    return value > 12 and value % 10 != 0 and value & (value - 1) != 0


@lru_cache(maxsize=1 << 16)
def _wholes(token: str) -> tuple[str, ...]:
    """The terms that a run of characters stands for; most are one."""
    if "://" in token:
        return (token.rstrip(".,;:"),)
    if token.startswith("\\"):
        return ()
    if "\\" in token:
        return (re.sub(r"\\+", "/", token),)
    bare = token.rstrip(".:-~+").lstrip(":+")
    if _TIME.match(bare):
        return (bare,)
    if ":" in bare:
        if "::" in bare and all(_IDENTIFIER.match(part) for part in bare.split("::")):
            return (bare,)
        return tuple(whole for part in bare.split(":") if part for whole in _wholes(part))
    if bare.startswith("-"):
        return ()
    if ".." in bare and not bare.startswith("..") and "/.." not in bare:
        return tuple(whole for part in bare.split("..") if part for whole in _wholes(part))
    if "#" in bare[1:]:
        return tuple(whole for part in bare.split("#") if part for whole in _wholes(part))
    return (bare,) if bare else ()


@lru_cache(maxsize=1 << 17)
def _named(token: str) -> tuple[tuple[str, str], ...]:
    """Terms that a run of characters stands for, each behind its key."""
    return tuple((name, term) for term in _wholes(token) if telling(name := key(term)))


@lru_cache(maxsize=1 << 17)
def _parts(token: str) -> tuple[str, ...]:
    """Keys of the terms that a run of characters holds."""
    found: dict[str, None] = {}
    for whole in _wholes(token):
        name = key(whole)
        for part in (name, *_inner(name)):
            if telling(part):
                found[part] = None
    return tuple(found)


def _inner(name: str) -> Iterator[str]:
    if "/" in name:
        parts = name.split("/")
        start = max(1, len(parts) - _SUFFIXES)
        for first in range(start, len(parts)):
            yield "/".join(parts[first:])
        for end in range(max(2, len(parts) - _SUFFIXES), len(parts)):
            yield "/".join(parts[:end])
        name = parts[-1]
        if is_file(name):
            yield "/".join(parts).rpartition(".")[0]
    if "-" in name:
        yield from (part for part in name.partition(".")[0].split("-") if _HASH.match(part))
    if "/" not in name and ("." not in name or is_file(name)) and "::" not in name and "@" not in name:
        return
    if "." in name and not is_file(name):
        parts = name.split(".")
        for first in range(1, len(parts)):
            yield ".".join(parts[first:])
        for end in range(1, len(parts)):
            yield ".".join(parts[:end])
            yield parts[end]
    elif "::" in name:
        yield from name.split("::")
    elif "@" in name:
        yield from name.split("@")


@lru_cache(maxsize=1 << 17)
def telling(term: str) -> bool:
    """Whether a term tells one thing apart, by its shape, and is no word of the trade."""
    if not _SHORTEST <= len(term) <= _LONGEST or of_the_trade(term):
        return False
    if "://" in term:
        host, _, path = term.partition("://")[2].partition("/")
        if _EXAMPLE_HOST.search(host):
            return False
        return "localhost" not in host and "127.0.0.1" not in host and (bool(path.strip("/")) or "." in host)
    if _CJK.search(term):
        return is_file(term)
    if _COLOUR.match(term):
        return not term[1:].lower().startswith(2 * term[3:5].lower()) and len(set(term[1:])) > 1
    if _ISSUE.match(term) or _VERSION.match(term) or _TIME.match(term) or _UUID.match(term) or _HASH.match(term):
        return True
    if _DATE.match(term) or _COUNTED.match(term) or not _LETTER.search(term):
        return False
    if "/" in term:
        return _path(term)
    if "@" in term or "~" in term or "#" in term or "+" in term:
        return False
    if "::" in term:
        return any(_identifier(part) for part in term.split("::"))
    if "." in term:
        return _dotted(term)
    if "-" in term:
        return _hyphenated(term)
    return _identifier(term) or bool(_SYSTEM_ERROR.match(term))


def is_hash(term: str) -> bool:
    """Whether a term is a hash, whole or shortened."""
    return _HASH.match(term) is not None


def is_colour(term: str) -> bool:
    """Whether a term is a colour of six or eight digits."""
    return term.startswith("#") and _COLOUR.match(term) is not None


def is_file(name: str) -> bool:
    """Whether a name ends as a file's."""
    stem, _, ending = name.rpartition(".")
    return (
        bool(stem) and ending.lower() in EXTENSIONS and (ending.islower() or not ending.isalpha() or ending.isupper())
    )


def _path(term: str) -> bool:
    parts = [part for part in term.split("/") if part not in ("", ".", "..", "~")]
    if not parts or term.startswith(("//", "@")) or not all(_LETTER.search(part) for part in parts[-1:]):
        return False
    if any(len(part) == 1 and part in "sygp" for part in parts[:1]) and not term.startswith(_ROOTED):
        return False  # a substitution of sed
    if is_file(parts[-1]):
        return len(parts) > 1 or not of_the_trade(parts[-1])
    if term.startswith(_ROOTED):
        return len(parts) > 1
    return len(parts) > 2 or any("_" in part or "-" in part or re.search(r"\d", part) for part in parts)


def _dotted(term: str) -> bool:
    if is_file(term):
        stem = term.rpartition(".")[0]
        return _LETTER.search(stem) is not None and len(stem) > 1
    parts = term.split(".")
    if not all(_IDENTIFIER.match(part) for part in parts):
        return False
    return len(term) > _SHORTEST + 1 and all(len(part) > 1 for part in parts)


def _hyphenated(term: str) -> bool:
    parts = term.split("-")
    if _RANGE.match(term) or not _BETWEEN.isdisjoint(parts):
        return False
    if not all(parts) or ("_" not in term and term[0].isdigit() and not any(_HASH.match(part) for part in parts)):
        return False
    if any(_INNER_CAPITAL.search(part) or "_" in part for part in parts):
        return True
    digits = sum(part.isdecimal() or bool(_HASH.match(part)) for part in parts)
    if digits:
        return len(parts) > 2 or max(len(part) for part in parts if part[0].isdigit() or _HASH.match(part)) > 1
    return len(parts) > 2 and term.islower() and ENGLISH.isdisjoint(parts) and min(map(len, parts[1:])) > 1


def _identifier(term: str) -> bool:
    if not _IDENTIFIER.match(term) or _PLURAL.match(term):
        return False
    bare = term.strip("_")
    if "_" in bare:
        return len(bare) > _SHORTEST and not all(len(part) == 1 for part in bare.split("_"))
    if _INNER_CAPITAL.search(bare):
        return len(bare) > _SHORTEST
    digits = sum(character.isdecimal() for character in bare)
    return digits > 2 and len(bare) - digits > 1 and len(bare) > 5
