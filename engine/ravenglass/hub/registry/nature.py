"""What is always true of a context item: address, kind of source, scope, structure, fingerprint. Made on demand."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ravenglass.hub.files.content import file_content, fingerprint
from ravenglass.hub.files.known import known_contents
from ravenglass.hub.files.toolbox import source_of
from ravenglass.hub.files.uses import Use, source_of_group
from ravenglass.hub.registry.address import Address, FileAddress, MessageAddress
from ravenglass.hub.registry.addressing import message_address, project_id
from ravenglass.hub.registry.entry import ResultStatus, Scope
from ravenglass.hub.registry.schema import Schema, sniff
from ravenglass.hub.registry.ttl import ttl_of
from ravenglass.rules import SourceName, Ttl, TtlRule
from ravenglass.sessions.model.session import Message, Session, ToolCall

VERSION_DIGITS = 12
"""So much of a fingerprint names a version in an address; a longer or shorter prefix finds it as well."""


@dataclass(frozen=True, slots=True)
class Nature:
    """`address` of a file item names its version. Sources, scopes and schemas are those of the registry."""

    address: Address
    scope: Scope
    source: SourceName
    schema: Schema
    fingerprint: str
    result: ResultStatus | None = None
    """Of a tool's output: how the call ended."""
    parameters: str | None = None
    """Of a tool's output: the hash of the arguments that it answers; None where its call is not there."""


@dataclass(frozen=True, slots=True)
class EditedFile:
    """A file as an edit left it. `address` names its version."""

    address: FileAddress
    content: str
    fingerprint: str


class Natures:
    """The natures of a session's messages. Remembers what was asked for."""

    def __init__(self, session: Session, uses: Sequence[Use]) -> None:
        self._session = session
        self._uses = uses
        self._use_of: dict[int, Use] = {}
        self._known: dict[int, Nature] = {}
        self.take_in(uses)

    def take_in(self, uses: Sequence[Use]) -> None:
        """Tool calls that came to a session that grows in place, or got their results since; they stand in the uses
        that this was made with."""
        self.__dict__.pop("edited", None)
        self.__dict__.pop("_changes", None)
        for use in uses:
            if use.result is not None:
                # Calls of one message may share an id; the address names the first of them, so it counts.
                self._use_of.setdefault(use.result, use)

    @cached_property
    def edited(self) -> dict[int, EditedFile]:
        """Result of an edit -> the file as it left it, where that is known; ascending."""
        found: dict[int, EditedFile] = {}
        for number, content in known_contents(self._uses).items():
            use = self._uses[number]
            if use.result is not None:
                found.setdefault(use.result, self._after_edit(use, content))
        return found

    @cached_property
    def _changes(self) -> dict[str, list[int]]:
        """Path -> results that show all of the file, or changed it, ascending."""
        found: dict[str, list[int]] = {}
        for use in self._uses:
            if use.result is None:
                continue
            for file in use.files:
                if file.op != "read" or not file.part:
                    insort(found.setdefault(file.path, []), use.result)
        return found

    def _after_edit(self, use: Use, content: str) -> EditedFile:
        path, digest = use.files[0].path, fingerprint(content)
        return EditedFile(
            FileAddress(project_id(self._session), path, version=digest[:VERSION_DIGITS]), content, digest
        )

    def grown(self, session: Session, uses: Sequence[Use]) -> Natures:
        """Those of the same session when it is longer: what is known of a message stays true."""
        natures = Natures(session, uses)
        natures._known = dict(self._known)
        return natures

    def of(self, message: int) -> Nature:
        known = self._known.get(message)
        if known is None:
            known = self._known[message] = self._make(message)
        return known

    def ttl(self, message: int, rules: tuple[TtlRule, ...]) -> Ttl:
        """How long the item may live; what is no tool result lives for good."""
        use = self._use_of.get(message)
        return "none" if use is None else ttl_of(use, rules)

    def superseded(self, path: str, message: int, boundary: int) -> bool:
        """Whether a message after `message` and before `boundary` shows all of a file again, or changed it."""
        changes = self._changes.get(path, [])
        place = bisect_right(changes, message)
        return place < len(changes) and changes[place] < boundary

    def content(self, message: int) -> str:
        """What the item shows: the content of a file, else the text and calls of the message."""
        use = self._use_of.get(message)
        if use is not None and isinstance(message_address(self._session, message), FileAddress):
            return file_content(use)
        return _said(self._session.messages[message])

    def _make(self, message: int) -> Nature:
        content = self.content(message)
        digest = fingerprint(content)
        address = message_address(self._session, message)
        if isinstance(address, FileAddress):
            # Where a call id was used twice, only the last result is taken for what the call showed.
            shown = message in self._use_of
            own = MessageAddress(self._session.id or "session", message)
            address = replace(address, version=digest[:VERSION_DIGITS]) if shown else own
        source = self._source(message)
        call = self._call_of(message)
        return Nature(
            address, _scope(address, source), source, sniff(content), digest, _status(self._session.messages[message]),
            None if call is None else parameter_hash(call.arguments),
        )  # fmt: skip

    def _call_of(self, message: int) -> ToolCall | None:
        """The call that a tool's output answers."""
        recorded, structure = self._session.messages[message], self._session.structure
        if recorded.role != "tool":
            return None
        group = structure.groups[structure.group_of[message]]
        calls = (call for m in group.messages for call in self._session.messages[m].tool_calls)
        return next((call for call in calls if call.id == recorded.tool_call_id), None)

    def _source(self, message: int) -> SourceName:
        use = self._use_of.get(message)
        if use is not None:
            return source_of(use.call)
        recorded, structure = self._session.messages[message], self._session.structure
        if recorded.role == "assistant":
            return "assistant"
        return (
            "tool_result"
            if recorded.role == "tool"
            else source_of_group(self._session, structure.groups[structure.group_of[message]])
        )


def _scope(address: Address, source: SourceName) -> Scope:
    """Instructions hold everywhere, a symbol or a file concerns itself, everything else the project."""
    if source == "instruction":
        return "global"
    if source == "lsp_symbol" or (isinstance(address, FileAddress) and address.symbol is not None):
        return "symbol"
    return "file" if isinstance(address, FileAddress) else "project"


def _status(message: Message) -> ResultStatus | None:
    if message.role != "tool":
        return None
    return "error" if message.is_error else "ok"


def parameter_hash(arguments: str) -> str:
    """SHA-256 of a call's arguments: equal for equal JSON, whatever its blanks and the order of its keys."""
    try:
        said = json.dumps(json.loads(arguments or "{}"), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        said = arguments
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()


def _said(message: Message) -> str:
    calls = "".join(f"\n{call.name} {call.arguments}" for call in message.tool_calls)
    return f"{message.text}{calls}" if message.text else calls.lstrip("\n")
