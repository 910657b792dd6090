"""What is worth telling of each group of a session: requests, narration, files, code, errors and their fixes.

Read from the record alone, without a model, once a group; what a summary takes of it is the summary's business.
Everything carries the id of the message that says it, so that a call is told only what it knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ravenglass.curator.working_state import signals
from ravenglass.hub.files.toolbox import arguments, shell_command
from ravenglass.hub.files.uses import Use
from ravenglass.scheduler.features import Features
from ravenglass.scheduler.intent.entities import keywords
from ravenglass.sessions.model.session import Message, ToolCall

_READ_CHARS = 24_000
"""What somebody says, and what a command reports, stands in the head or the tail of a text."""
_KEYWORDS = 12
"""Telling words taken from one message; those that several messages share are the concepts."""
_CODE_KEYS = ("new_string", "content", "new_str", "file_text", "code")
"""Arguments that hold what a call writes into a file."""
_SAYS_MORE = re.compile(r"\w.*\w")
_ERROR = re.compile(
    r"^.*?(?:\b\w*(?:Error|Exception)\b|\berror(?:\[\w+\])?:|\bFAILED\b|\bpanicked at\b|\bfatal:).*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class SaidLine:
    """Something one message says, on one line."""

    message: int
    text: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A result that reports an error, and what followed on it in the same turn."""

    message: int
    text: str
    fix: SaidLine | None
    """The first change of a file after it."""
    passed: int | None
    """The result of the same call, made again, that reports none."""


@dataclass(frozen=True, slots=True)
class Touch:
    """One use of a file."""

    message: int
    path: str
    op: str
    code: str
    """The first line of what was written; empty for a read."""


@dataclass(frozen=True, slots=True)
class Extract:
    """What one group says. `narration` is what the assistant writes beside its calls, `closing` the end of a turn."""

    request: SaidLine | None = None
    narration: SaidLine | None = None
    closing: SaidLine | None = None
    words: tuple[str, ...] = ()


class Digest:
    """The extracts of a session's groups, made when they are asked for and remembered."""

    def __init__(self, features: Features) -> None:
        self.features = features
        self._session = features.session
        self._known: dict[int, Extract] = {}
        self._failures: dict[int, tuple[Failure, ...]] = {}
        self._errors: dict[int, SaidLine | None] = {}

    def of(self, group: int) -> Extract:
        """What a group says; that of its results is in `failures`."""
        if group not in self._known:
            self._known[group] = self._extract(self._session.messages[self.features.groups[group].messages[0]])
        return self._known[group]

    def _extract(self, message: Message) -> Extract:
        text = readable(message.text)
        if message.role == "user" and message.kind == "prompt":
            asked = signals.request(text)
            return Extract(SaidLine(message.id, asked) if asked else None, words=_words(text))
        if message.role != "assistant":
            return Extract()
        said = signals.telling(text)
        line = SaidLine(message.id, said) if _SAYS_MORE.search(said) else None
        if message.tool_calls:
            return Extract(narration=line, words=_words(text))
        return Extract(closing=line, words=_words(text))

    @cached_property
    def touches(self) -> dict[int, list[Touch]]:
        """Group -> its uses of files, in order."""
        found: dict[int, list[Touch]] = {}
        for use in self.features.uses:
            first = self.features.groups[use.group].messages[0]
            for file in use.files:
                if file.op != "none" and file.path:
                    code = _code(use.call) if file.op in ("edit", "write") else ""
                    found.setdefault(use.group, []).append(Touch(first, file.path, file.op, code))
        return found

    def failures(self, group: int) -> tuple[Failure, ...]:
        """The errors that a group's results report."""
        if group not in self._failures:
            found = (self._failure(position) for position in self._uses_of.get(group, ()))
            self._failures[group] = tuple(failure for failure in found if failure is not None)
        return self._failures[group]

    def _failure(self, position: int) -> Failure | None:
        error, use = self._error(position), self.features.uses[position]
        if error is None:
            return None
        fix: SaidLine | None = None
        passed: int | None = None
        for later in self._in_turn(position):
            other = self.features.uses[later]
            fix = fix or self._fix(other)
            if passed is None and _alike(other, use) and self._error(later) is None:
                passed = other.result
        return Failure(error.message, error.text, fix, passed)

    def _in_turn(self, position: int) -> Iterator[int]:
        """The uses behind one, up to the end of its turn."""
        groups, uses = self.features.groups, self.features.uses
        turn = groups[uses[position].group].turn
        for later in range(position + 1, len(uses)):
            if groups[uses[later].group].turn != turn:
                return
            yield later

    @cached_property
    def _uses_of(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for position, use in enumerate(self.features.uses):
            found.setdefault(use.group, []).append(position)
        return found

    def _error(self, position: int) -> SaidLine | None:
        if position not in self._errors:
            self._errors[position] = self._reported(self.features.uses[position])
        return self._errors[position]

    def _reported(self, use: Use) -> SaidLine | None:
        """The line of a call's result that names an error. What is no command only holds the word: a file, a search."""
        answer = self._answers.get((use.group, use.call.id))
        if answer is None or not (answer.is_error or shell_command(use.call)):
            return None
        text = readable(answer.text)
        line = _ERROR.search(text)
        if line is None and not answer.is_error:
            return None
        said = line[0] if line is not None else signals.first_line(text)
        return SaidLine(answer.id, f"{_target(use.call)}: {said.strip()}") if _SAYS_MORE.search(said) else None

    @cached_property
    def _answers(self) -> dict[tuple[int, str], Message]:
        """(group, call id) -> the result, also one that reports an error."""
        messages = self._session.messages
        return {
            (group.index, messages[m].tool_call_id or ""): messages[m]
            for group in self.features.groups
            for m in group.messages[1:]
            if messages[m].role == "tool"
        }

    def _fix(self, use: Use) -> SaidLine | None:
        changed = next((f.path for f in use.files if f.op in ("edit", "write")), None)
        return SaidLine(self.features.groups[use.group].messages[0], changed) if changed and use.result else None


def readable(text: str) -> str:
    """Head and tail of a long text."""
    half = _READ_CHARS // 2
    return text if len(text) <= _READ_CHARS else f"{text[:half]}\n{text[-half:]}"


def last_line(text: str) -> str:
    """The last sentence of a text that says something: what an agent announces stands there."""
    lines = (line.strip() for line in reversed(readable(text).split("\n")))
    return next((line for line in lines if _SAYS_MORE.search(line)), "")


def called(message: Message) -> str:
    """The calls of a message by name, with the file or command each is about."""
    return ", ".join(_target(call) for call in message.tool_calls)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in keywords(text, _KEYWORDS, max_chars=_READ_CHARS) if "/" not in word)


def _target(call: ToolCall) -> str:
    about = next(_strings(call), "")
    return f"{call.name} {about}".strip()


def _strings(call: ToolCall) -> Iterator[str]:
    values = arguments(call)
    for key in ("file_path", "path", "filename", "command", "cmd", "pattern", "query", "url", "description"):
        value = values.get(key)
        if isinstance(value, str) and value.strip():
            yield value.strip().partition("\n")[0]


def _code(call: ToolCall) -> str:
    values = arguments(call)
    written = next((v for key in _CODE_KEYS if isinstance(v := values.get(key), str)), "")
    return next((line.strip() for line in written[:_READ_CHARS].split("\n") if _SAYS_MORE.search(line)), "")


def _alike(one: Use, other: Use) -> bool:
    return (one.call.name, one.call.arguments) == (other.call.name, other.call.arguments)
