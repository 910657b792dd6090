"""Addresses of context items: one `cxt://` grammar, four shapes, parsing and formatting as inverses.

    cxt://project/{project}/file/{path}[@{version}][#{symbol}]
    cxt://session/{session}/message/{n}
    cxt://session/{session}/task/{task}/decision/{decision}
    cxt://tool/{tool}/{invocation}/output

An address is ASCII. What is not a letter, a digit or one of `-._~:+,=!` stands percent-encoded as UTF-8, so
every Unicode name has an address (a lone surrogate too). The slashes of a path stay slashes; a leading or
doubled one is `%2F`, because no segment is ever empty. Addresses name things; nothing here opens a file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ravenglass.errors import AddressError

SCHEME = "cxt://"

_LITERAL = "-._~:+,=!"
_ENCODED = re.compile(rf"[^A-Za-z0-9{re.escape(_LITERAL)}]+")
_UNESCAPED = re.compile(r"[\x00-\x20\x7f@#?\\/]")
_PERCENT = re.compile(r"%(?:[0-9A-Fa-f]{2})?")
_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
# A slash that would leave a segment empty belongs to its neighbour: `/tmp//x/` is `/tmp`, `/x/`.
_PATH_SEGMENTS = re.compile(r"(.[^/]*(?:/\Z)?)(?:/|\Z)", re.DOTALL)
_SHAPES = (
    "cxt://project/{project}/file/{path}, cxt://session/{session}/message/{n}, "
    "cxt://session/{session}/task/{task}/decision/{decision} and cxt://tool/{tool}/{invocation}/output"
)


@dataclass(frozen=True, slots=True)
class FileAddress:
    """A file of a project, optionally at a version, optionally one symbol in it."""

    project: str
    path: str
    symbol: str | None = None
    version: str | None = None

    def __post_init__(self) -> None:
        _refuse_empty(project=self.project, path=self.path, symbol=self.symbol, version=self.version)

    def __str__(self) -> str:
        version = "" if self.version is None else f"@{_encode(self.version)}"
        symbol = "" if self.symbol is None else f"#{_encode(self.symbol)}"
        return f"{SCHEME}project/{_encode(self.project)}/file/{_encode_path(self.path)}{version}{symbol}"


@dataclass(frozen=True, slots=True)
class MessageAddress:
    """Message `message` (its id, from 0) of a session."""

    session: str
    message: int

    def __post_init__(self) -> None:
        _refuse_empty(session=self.session)
        if not 0 <= self.message < 10**18:
            raise AddressError(f"A message number is 0 or more and below 10^18, not {self.message}.")

    def __str__(self) -> str:
        return f"{SCHEME}session/{_encode(self.session)}/message/{self.message}"


@dataclass(frozen=True, slots=True)
class DecisionAddress:
    """A decision taken in a task of a session."""

    session: str
    task: str
    decision: str

    def __post_init__(self) -> None:
        _refuse_empty(session=self.session, task=self.task, decision=self.decision)

    def __str__(self) -> str:
        task, decision = _encode(self.task), _encode(self.decision)
        return f"{SCHEME}session/{_encode(self.session)}/task/{task}/decision/{decision}"


@dataclass(frozen=True, slots=True)
class ToolAddress:
    """The output of one tool invocation."""

    tool: str
    invocation: str

    def __post_init__(self) -> None:
        _refuse_empty(tool=self.tool, invocation=self.invocation)

    def __str__(self) -> str:
        return f"{SCHEME}tool/{_encode(self.tool)}/{_encode(self.invocation)}/output"


Address = FileAddress | MessageAddress | DecisionAddress | ToolAddress


def format_address(address: Address) -> str:
    """The address in its one canonical, ASCII-only form; `parse_address` gives the same address back."""
    return str(address)


def parse_address(text: str) -> Address:
    """The address that `text` spells. Raises AddressError with the 0-based position and a sentence that names the
    place, counted from 1.

    Accepts more spellings than `format_address` writes: letters beyond ASCII as they are, and escapes that
    were not needed. Refused are empty segments, white space, and `@`, `#`, `?` or a backslash out of place.
    """
    try:
        return _parsed(text)
    except AddressError as error:
        place = f"At character {error.position + 1} of the address: " if error.position else ""
        raise AddressError(f"{place}{error}", position=error.position) from None


def _parsed(text: str) -> Address:
    if not text.startswith(SCHEME):
        raise AddressError(f'An address starts with "{SCHEME}"; this one starts with "{text[:20]}".')
    segments = _segments(text)
    words = [word for word, _ in segments]
    match words:
        case ["project", project, "file", _, *_]:
            return _parse_file(project, segments)
        case ["session", session, "message", number]:
            return _parse_message(session, number, segments)
        case ["session", _, "task", _, "decision", _]:
            names = [_decode(*segments[index]) for index in (1, 3, 5)]
            return DecisionAddress(*names)
        case ["tool", _, _, "output"]:
            return ToolAddress(_decode(*segments[1]), _decode(*segments[2]))
    raise AddressError(f"{_misfit(words)} The shapes are {_SHAPES}.", position=_misfit_position(segments))


Segment = tuple[str, int]
"""A piece of the address as it stands, and where it starts."""


def _segments(text: str) -> list[Segment]:
    segments: list[Segment] = []
    position = len(SCHEME)
    for word in text[position:].split("/"):
        if not word:
            raise AddressError(
                "A segment is empty; a slash that belongs to a name is written %2F.",
                position=position,
            )
        segments.append((word, position))
        position += len(word) + 1
    return segments


def _parse_file(project: str, segments: list[Segment]) -> FileAddress:
    *folders, (last, start) = segments[3:]
    rest, hash_sign, symbol = last.partition("#")
    name, at_sign, version = rest.partition("@")
    if not name:
        raise AddressError("The file name before the version or symbol is empty.", position=start)
    path = "/".join(_decode(*segment) for segment in [*folders, (name, start)])
    version_start = start + len(name) + 1
    symbol_start = start + len(rest) + 1
    return FileAddress(
        _decode(project, segments[1][1]),
        path,
        symbol=_optional("symbol", symbol, symbol_start) if hash_sign else None,
        version=_optional("version", version, version_start) if at_sign else None,
    )


def _parse_message(session: str, number: str, segments: list[Segment]) -> MessageAddress:
    if not _NUMBER.fullmatch(number):
        raise AddressError(
            f'"{number}" is no message number; it is written in digits without leading zeros.',
            position=segments[3][1],
        )
    return MessageAddress(_decode(session, segments[1][1]), int(number))


def _optional(name: str, text: str, position: int) -> str:
    if not text:
        raise AddressError(f"The {name} is empty; leave its sign out instead.", position=position)
    return _decode(text, position)


def _misfit(words: list[str]) -> str:
    if words[0] not in ("project", "session", "tool"):
        return f'An address is in "project", "session" or "tool", not in "{words[0]}".'
    return f'The address does not have the shape of one in "{words[0]}".'


def _misfit_position(segments: list[Segment]) -> int:
    first, start = segments[0]
    return start if first not in ("project", "session", "tool") else segments[-1][1]


def _refuse_empty(**parts: str | None) -> None:
    for name, value in parts.items():
        if value == "":
            raise AddressError(f"The {name} of an address cannot be empty.")


def _encode(name: str) -> str:
    return _ENCODED.sub(_escape, name)


def _escape(found: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in found[0].encode("utf-8", "surrogatepass"))


def _encode_path(path: str) -> str:
    return "/".join(map(_encode, _PATH_SEGMENTS.findall(path)))


def _decode(text: str, position: int) -> str:
    """One segment without its escapes. Raises AddressError where it holds what must be escaped."""
    stray = _UNESCAPED.search(text)
    if stray:
        raise AddressError(
            f"{stray[0]!r} cannot stand here; written %{ord(stray[0]):02X} it is part of a name.",
            position=position + stray.start(),
        )
    for percent in _PERCENT.finditer(text):
        if len(percent[0]) == 1:
            raise AddressError(
                "A percent sign is followed by two hexadecimal digits; the sign itself is written %25.",
                position=position + percent.start(),
            )
    return _ESCAPES.sub(lambda found: _unescape(found, position), text)


def _unescape(found: re.Match[str], position: int) -> str:
    try:
        return bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise AddressError(f"The escapes {found[0]} are no UTF-8 text.", position=position + found.start()) from None
