"""What an address stands for at a call: the text, the message that holds it, and its state there.

A file address stands for the newest version that is known at the call, or for the one that its version names (a
prefix of the fingerprint); a symbol narrows it to the lines that define it. Nothing is read from a disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ravenglass.errors import ArchiveError
from ravenglass.hub.files.content import file_content, fingerprint
from ravenglass.hub.files.file_use import SYMBOL
from ravenglass.hub.files.fingerprint import ShownContent, shown_content
from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.symbols import definition
from ravenglass.hub.item import State
from ravenglass.hub.registry.address import (
    Address,
    DecisionAddress,
    FileAddress,
    MessageAddress,
    ToolAddress,
    parse_address,
)
from ravenglass.hub.registry.addressing import project_id
from ravenglass.replay.answers.registering import decisions, natures_of, summary_at
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs


@dataclass(frozen=True, slots=True)
class Resolved:
    """What an address stands for at a call."""

    address: str
    call: int
    text: str
    message: int
    """Id of the message that holds it."""
    state: State
    """State of that message's group right after the call."""
    fingerprint: str
    """SHA-256 of the whole content, also where a symbol narrows the text."""
    lines: tuple[int, int] | None = None
    """First and last line of the symbol in the content, from 1; None without a symbol."""
    part: str = ""
    """For file content: the range that was read; empty: all of it."""
    changed: str = ""
    """For file content: what happened to the file since, known at the call; empty: nothing."""


class Resolver:
    """Resolves addresses in one run."""

    def __init__(self, inputs: Inputs, log: ChangeLog) -> None:
        self._inputs = inputs
        self._log = log

    def resolve(self, text: str, call: int) -> Resolved:
        """Raises AddressError where `text` is no address, ArchiveError where it stands for nothing at the call."""
        address = parse_address(text)
        if isinstance(address, FileAddress):
            return self._file(address, call)
        if isinstance(address, DecisionAddress):
            return self._decision(address, call)
        summary = summary_at(self._inputs, self._log, call)
        if summary is not None and address == summary[0]:
            _, told, last = summary
            return Resolved(text, call, told.text, last, State.ACTIVE, fingerprint(told.text))
        message = self._message(address) if isinstance(address, MessageAddress) else self._result(address, call)
        return self._resolved(address, call, natures_of(self._inputs).content(message), message)

    def _resolved(self, address: Address, call: int, text: str, message: int) -> Resolved:
        self._check_known(address, message, call)
        g = self._inputs.session.structure.group_of[message]
        state = self._log.tracks[g].state_at(call)
        return Resolved(str(address), call, text, message, state, fingerprint(text))

    def _check_known(self, address: Address, message: int, call: int) -> None:
        if message >= self._inputs.features.boundary(call):
            raise ArchiveError(f"{address} stands for nothing at call {call}: message {message} comes later.")

    def _check_session(self, address: MessageAddress | DecisionAddress) -> None:
        own = self._inputs.session.id or "session"
        if address.session != own:
            raise ArchiveError(f"{address} is of session {address.session!r}; this one is {own!r}.")

    def _message(self, address: MessageAddress) -> int:
        self._check_session(address)
        count = len(self._inputs.session.messages)
        if address.message >= count:
            raise ArchiveError(f"{address} stands for nothing: the session has {count:,} messages, counted from 0.")
        return address.message

    def _result(self, address: ToolAddress, call: int) -> int:
        """The latest known result of an invocation; ids may be used again."""
        found = self._results.get((address.tool, address.invocation), [])
        known = [m for m in found if m < self._inputs.features.boundary(call)]
        if not found:
            raise ArchiveError(f"{address} stands for nothing: no result of {address.tool} has that invocation.")
        return (known or found)[-1]

    @cached_property
    def _results(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = {}
        session = self._inputs.session
        for message in session.messages:
            if message.role == "tool":
                group = session.structure.groups[session.structure.group_of[message.id]]
                calls = session.messages[group.messages[0]].tool_calls
                name = next((c.name for c in calls if c.id == message.tool_call_id), message.tool_name)
                found.setdefault((name or "tool", message.tool_call_id or ""), []).append(message.id)
        return found

    def _decision(self, address: DecisionAddress, call: int) -> Resolved:
        self._check_session(address)
        for known, line in decisions(self._inputs, call):
            if known == address:
                return self._resolved(address, call, line.text, line.source)
        raise ArchiveError(f"{address} stands for nothing at call {call}: its working state holds no such decision.")

    def _file(self, address: FileAddress, call: int) -> Resolved:
        own = project_id(self._inputs.session)
        if address.project != own:
            raise ArchiveError(f"{address} is of project {address.project!r}; this session's is {own!r}.")
        named = self._named(address, call)
        if named is not None:
            told = self._resolved(address, call, natures_of(self._inputs).content(named), named)
            path = normal_path(address.path, self._inputs.session.project)
            return replace(told, changed=self._changed_since(path, named, call))
        edited = self._edited(address, call)
        if edited is not None:
            left = natures_of(self._inputs).edited[edited].content
            return _narrowed(self._resolved(address, call, left, edited), address)
        shown = self._version(address, call)
        use = self._inputs.features.uses[shown.number]
        assert use.result is not None
        text = file_content(use)
        digest = fingerprint(text)
        lines: tuple[int, int] | None = None
        if address.symbol is not None:
            found = definition(text, address.symbol)
            if found is None:
                raise ArchiveError(f"{address}: no definition of {address.symbol!r} was found in message {use.result}.")
            lines = (found[0] + 1, found[1])
            text = "\n".join(text.split("\n")[found[0] : found[1]])
        state = self._log.tracks[shown.group].state_at(call)
        changed = self._changed(shown, call)
        return Resolved(str(address), call, text, use.result, state, digest, lines, shown.file.part, changed)

    def _edited(self, address: FileAddress, call: int) -> int | None:
        """The latest known edit that made the file what the address names: its version, or its newest content."""
        natures = natures_of(self._inputs)
        path = normal_path(address.path, self._inputs.session.project)
        boundary = self._inputs.features.boundary(call)
        known = [m for m, left in natures.edited.items() if m < boundary and left.address.path == path]
        if address.version is not None:
            wanted = address.version.lower()
            uses = self._inputs.features.uses
            shown = any(fingerprint(file_content(uses[s.number])).startswith(wanted) for s in self._known(path, call))
            found = (m for m in reversed(known) if natures.edited[m].fingerprint.startswith(wanted))
            return None if shown else next(found, None)
        if not known or natures.superseded(path, known[-1], boundary):
            return None
        return known[-1]

    def _changed(self, shown: ShownContent, call: int) -> str:
        """What happened to a file since it was shown so, known at the call; empty: nothing."""
        if shown.by is None or self._inputs.features.ready[shown.by.by] > call:
            return ""
        by = self._inputs.features.groups[shown.by.by].messages[0]
        return f"{shown.by.path} was {shown.by.how} in #{by}"

    def _changed_since(self, path: str, message: int, call: int) -> str:
        uses = self._inputs.features.uses
        shown = (s for s in self._contents.get(path, []) if uses[s.number].result == message)
        return next((self._changed(s, call) for s in shown), "")

    def _named(self, address: FileAddress, call: int) -> int | None:
        """The latest known result that shows the symbol, where a read or a search named it."""
        if address.symbol is None:
            return None
        natures = natures_of(self._inputs)
        path = normal_path(address.path, self._inputs.session.project)
        for message in reversed(self._symbols.get((path, address.symbol), [])):
            if message < self._inputs.features.boundary(call):
                if address.version is None and self._shown_later(path, message, address.symbol, call):
                    return None
                digest = natures.of(message).fingerprint
                if address.version is None or digest.startswith(address.version.lower()):
                    return message
        return None

    def _shown_later(self, path: str, message: int, symbol: str, call: int) -> bool:
        """Whether a later read of the file, not of one symbol, shows the definition too: then that is the newest."""
        uses = self._inputs.features.uses
        later = (s for s in self._known(path, call) if not s.file.part.startswith(SYMBOL))
        behind = (uses[s.number] for s in later if (uses[s.number].result or 0) > message)
        return any(definition(file_content(use), symbol) is not None for use in behind)

    @cached_property
    def _symbols(self) -> dict[tuple[str, str], list[int]]:
        """(path, symbol) -> the results that show it, ascending."""
        found: dict[tuple[str, str], list[int]] = {}
        for message in self._inputs.session.messages:
            if message.role == "tool":
                address = natures_of(self._inputs).of(message.id).address
                if isinstance(address, FileAddress) and address.symbol is not None:
                    found.setdefault((address.path, address.symbol), []).append(message.id)
        return found

    def _version(self, address: FileAddress, call: int) -> ShownContent:
        path = normal_path(address.path, self._inputs.session.project)
        known = list(self._known(path, call))
        if not known:
            raise ArchiveError(f"{address} stands for nothing at call {call}: no message has shown {path} so far.")
        if address.version is not None:
            wanted = address.version.lower()
            uses = self._inputs.features.uses
            for shown in reversed(known):
                if fingerprint(file_content(uses[shown.number])).startswith(wanted):
                    return shown
            raise ArchiveError(f"{address}: {path} was shown {len(known)} times, none of them in that version.")
        newest = known[-1]
        # A part says less than the whole file as it was read before, if nothing changed in between.
        whole = (s for s in reversed(known) if not s.file.part and (s.by is None or s.by.by > newest.group))
        return next(whole, newest) if newest.file.part else newest

    def _known(self, path: str, call: int) -> Iterator[ShownContent]:
        boundary, uses = self._inputs.features.boundary(call), self._inputs.features.uses
        for shown in self._contents.get(path, []):
            result = uses[shown.number].result
            if result is not None and result < boundary:
                yield shown

    @cached_property
    def _contents(self) -> dict[str, list[ShownContent]]:
        found: dict[str, list[ShownContent]] = {}
        for shown in shown_content(self._inputs.features.uses):
            found.setdefault(shown.file.path, []).append(shown)
        return found


def _narrowed(whole: Resolved, address: FileAddress) -> Resolved:
    """What is left of a file's content where the address names a symbol of it. Raises ArchiveError."""
    if address.symbol is None:
        return whole
    found = definition(whole.text, address.symbol)
    if found is None:
        raise ArchiveError(f"{address}: no definition of {address.symbol!r} was found in message {whole.message}.")
    text = "\n".join(whole.text.split("\n")[found[0] : found[1]])
    return replace(whole, text=text, lines=(found[0] + 1, found[1]))
