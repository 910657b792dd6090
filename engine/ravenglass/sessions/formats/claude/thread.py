"""Builds the messages of one thread of a Claude Code transcript, line after line.

One API message stands on several lines; it becomes one Message at the place of its first line.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from ravenglass.sessions.formats.claude.branches import abandoned
from ravenglass.sessions.formats.claude.chains import with_new_chains
from ravenglass.sessions.formats.claude.draft import ClaudeDraft, joined
from ravenglass.sessions.formats.claude.lines import ApiMessage, ClaudeLine, tool_results
from ravenglass.sessions.formats.claude.links import NOBODY, Links
from ravenglass.sessions.formats.claude.marks import RESUMED, ClaudeMark, markers
from ravenglass.sessions.importing.content.blocks import parts_of, result_of
from ravenglass.sessions.importing.content.signatures import hidden_characters
from ravenglass.sessions.importing.content.user_kinds import user_kind
from ravenglass.sessions.model.session import Marker, Message, Role, ToolCall
from ravenglass.sessions.records.values import dump, listed, mapping, text, text_or_none

_SPAWNERS = frozenset({"Task", "Agent"})
"""Tools that start a sub-agent."""
_RESUME = "No response requested."
"""What the harness answers in the model's place when a session is resumed."""
_PLANNED = ("ExitPlanMode", "plan", frozenset({"allowedPrompts", "planFilePath", "pushToRemote"}))
"""The tool whose argument `plan` the harness adds to the record from a file, without sending it, and the arguments by
which the versions that do so are told."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages that belong together, with their markers; ids are positions."""

    messages: list[Message]
    markers: list[Marker]


@dataclass(slots=True)
class ClaudeThread:
    """The main thread or one sidechain. `take` gets lines in file order."""

    name: str = ""
    spawns: dict[str, list[str]] = field(default_factory=dict)
    """Prompt of a sub-agent -> ids of the tool calls that started one with it."""
    results_of: dict[str, str] = field(default_factory=dict)
    """Sub-agent id -> id of the tool call whose result it brought."""
    runs: dict[str, str] = field(default_factory=dict)
    """Id of a workflow run -> id of the tool call that started it."""
    cwd: str = ""
    started_by: str | None = None
    _drafts: list[ClaudeDraft] = field(default_factory=list)
    _growing: dict[str, ClaudeDraft] = field(default_factory=dict)
    _links: Links = field(default_factory=Links)
    _marks: list[ClaudeMark] = field(default_factory=list)
    _compaction: ClaudeMark | None = None
    """The latest one."""
    _places: dict[str | float, int] = field(default_factory=dict)
    """Call id of a result, or time of a user message -> the latest draft."""
    _nameless: deque[str] = field(default_factory=deque)

    def __len__(self) -> int:
        return len(self._drafts)

    def seen(self, line: ClaudeLine) -> bool:
        """Whether a record of this uuid was taken before."""
        return line.uuid is not None and line.uuid in self._links.index

    def take(self, line: ClaudeLine) -> bool:
        """Take in a record; whether it is a message, or part of one."""
        known = self.seen(line)
        record = self._links.add(line.uuid, line.parent)
        if line.boundary is not None:
            self._marks.append(ClaudeMark(line.boundary, len(self._drafts), record))
            if line.boundary.kind == "compaction":
                self._compaction = self._marks[-1]
            return False
        if line.message is None and line.attached is None:
            return False
        if (original := self._original(line)) != NOBODY and self._compaction is not None:
            self._links.owners[record] = original
            self._compaction.again.add(original)
            return False
        first = len(self._drafts)
        self.cwd = self.cwd or line.cwd
        flags = frozenset({"duplicate_id"}) if known else frozenset()
        if line.attached is not None:
            draft = self._new(line, "user", line.uuid, flags, record)
            draft.kind = line.attached[1]
            draft.parts.extend(line.attached[0])
        elif line.message is not None and line.message.role == "assistant":
            first = self._add_assistant(line, line.message, flags, record)
        elif line.message is not None:
            self._add_user(line, line.message, flags, record)
        self._links.owners[record] = first
        return True

    def call_ids(self) -> Iterator[str]:
        """Ids of all tool calls."""
        return (call.id for draft in self._drafts for call in draft.calls)

    def stretches(self) -> tuple[Stretch, list[Stretch]]:
        """The thread so far, and the branches that the user rewound away from, in the order they were left."""
        left = abandoned(self._drafts, self._links)
        marks = with_new_chains(self._marks, self._drafts, self._links)
        if not left:
            return self._stretch(range(len(self._drafts)), marks), []
        gone = {place for branch in left for place in branch.drafts}
        records = {record for branch in left for record in branch.records}
        stayed = [place for place in range(len(self._drafts)) if place not in gone]
        main = self._stretch(stayed, [m for m in marks if self._links.message_above(m.record) not in records])
        rewinds = [
            Marker(
                "rollback",
                sum(place < branch.at for place in stayed),
                f"rewound; {len(branch.drafts):,} messages left on a branch",
                keep=None,
            )
            for branch in left
        ]
        together = sorted([*main.markers, *rewinds], key=lambda marker: marker.before)
        branches = [
            self._stretch(b.drafts, [m for m in marks if self._links.message_above(m.record) in b.records])
            for b in left
        ]
        return Stretch(main.messages, together), branches

    def _stretch(self, places: range | list[int] | tuple[int, ...], marks: list[ClaudeMark]) -> Stretch:
        found = markers(marks, self._drafts, self._links)
        if len(places) < len(self._drafts):
            found = [_renumbered(marker, places) for marker in found]
        return Stretch([self._drafts[place].message(number) for number, place in enumerate(places)], found)

    def _original(self, line: ClaudeLine) -> int:
        """The draft of which the line is a copy: a compaction writes what it keeps again, with its old time."""
        mark = self._compaction
        if mark is None or mark.boundary.ts is None or line.ts is None or line.ts >= mark.boundary.ts:
            return NOBODY
        found = self._links.owner(line.uuid) if line.uuid is not None else NOBODY
        if found == NOBODY and line.message is not None and line.message.id is not None:
            draft = self._growing.get(line.message.id)
            found = self._links.owners[draft.records[0]] if draft is not None else NOBODY
        elif found == NOBODY:
            results = tool_results(line.message.content if line.message is not None else None)
            keys: list[str | float] = [text(block.get("tool_use_id")) for block in results] or [line.ts]
            found = next((self._places[key] for key in keys if key in self._places), NOBODY)
        return found if found < mark.position else NOBODY

    def _add_assistant(self, line: ClaudeLine, message: ApiMessage, flags: frozenset[str], record: int) -> int:
        """Add to the API message or begin it; returns the place of its draft."""
        draft = self._growing.get(message.id) if message.id is not None else None
        synthetic = message.model == "<synthetic>"
        if draft is not None and ("synthetic" in draft.flags) != synthetic:
            draft = None  # what the harness wrote is no part of a model's answer, whatever the ids say
        if draft is not None and (flags or _holds(draft, message.content)):
            # A line that was written before is a message beside the one that it is part of, which goes on growing.
            draft = self._new(line, "assistant", message.id, frozenset({"duplicate_id"}), record)
        elif draft is None:
            draft = self._new(line, "assistant", message.id or line.uuid, flags, record)
            if message.id is not None:
                self._growing[message.id] = draft
        else:
            draft.spans.append(line.span)
            draft.records.append(record)
        if synthetic:
            draft.flags |= {"synthetic"}
        else:
            draft.model = draft.model or message.model
            draft.usage = joined(draft.usage, message.usage)
        if line.api_error:
            draft.flags |= {"api_error"}
        self._add_content(draft, message.content, record)
        place = len(self._drafts) - 1 if self._drafts[-1] is draft else self._links.owners[draft.records[0]]
        if synthetic and any(part.text == _RESUME for part in draft.parts):
            self._marks.append(ClaudeMark(RESUMED, place, record))
        return place

    def _add_content(self, draft: ClaudeDraft, content: object, record: int) -> None:
        for item in content if isinstance(content, list) else [content]:
            block = mapping(item)
            if block.get("type") != "tool_use":
                draft.parts.extend(parts_of(item))
                draft.hidden += hidden_characters(block)
                continue
            self._links.calling[record] = True
            call_id = text_or_none(block.get("id")) or self._invent_id(len(draft.calls))
            given, name = block.get("input"), text(block.get("name"))
            draft.calls.append(ToolCall(call_id, name, given if isinstance(given, str) else dump(given)))
            draft.unsent += _unsent(name, given)
            if name in _SPAWNERS and (prompt := text(mapping(given).get("prompt")).strip()):
                self.spawns.setdefault(prompt, []).append(call_id)

    def _invent_id(self, number: int) -> str:
        """An id for a call that has none; results without an id answer such calls in their order."""
        self._nameless.append(f"call-{len(self._drafts) - 1}-{number}")
        return self._nameless[-1]

    def _add_user(self, line: ClaudeLine, message: ApiMessage, flags: frozenset[str], record: int) -> None:
        results = tool_results(message.content)
        for block in results:
            draft = self._new(line, "tool", line.uuid, flags, record)
            draft.call_id = text_or_none(block.get("tool_use_id")) or (
                self._nameless.popleft() if self._nameless else None
            )
            draft.is_error = block.get("is_error") is True
            draft.parts.extend(result_of(block))
            self._told_again(draft, draft.call_id or "")
            if draft.call_id and line.spawned:
                self.results_of[line.spawned] = draft.call_id
            if draft.call_id and line.workflow:
                self.runs.setdefault(line.workflow, draft.call_id)
        rest = message.content
        if results:
            rest = [block for block in listed(message.content) if mapping(block).get("type") != "tool_result"]
            if not rest:
                return
        parts = parts_of(rest)
        kind, more = user_kind(parts, meta=line.meta, summary=line.summary, origin=line.origin)
        draft = self._new(line, "user", line.uuid, flags | more, record)
        draft.kind = kind
        draft.parts.extend(parts)
        if line.ts is not None:
            self._told_again(draft, line.ts)

    def _told_again(self, draft: ClaudeDraft, key: str | float) -> None:
        """Note the place of a result (by its call) or a user message (by its time). The same call answered in the same
        words, or the same words at the same time, are the earlier record under another uuid."""
        place = len(self._drafts) - 1
        known = self._places.get(key) if key else None
        if known is not None and known < place:
            earlier = self._drafts[known]
            if (earlier.role, earlier.call_id, earlier.parts) == (draft.role, draft.call_id, draft.parts):
                draft.flags |= {"duplicate_id"}
                draft.source_id = earlier.source_id
                return
        self._places[key] = place

    def _new(
        self, line: ClaudeLine, role: Role, source_id: str | None, flags: frozenset[str], record: int
    ) -> ClaudeDraft:
        draft = ClaudeDraft(role, line.ts, source_id, spans=[line.span], records=[record], flags=flags)
        self._drafts.append(draft)
        if line.attached is not None and line.ts is not None:
            self._places[line.ts] = len(self._drafts) - 1
        return draft


def _renumbered(marker: Marker, places: range | list[int] | tuple[int, ...]) -> Marker:
    """The marker with ids that are positions in `places`."""
    number = {place: position for position, place in enumerate(places)}
    keep = None if marker.keep is None else tuple(number[m] for m in marker.keep if m in number)
    cleared = tuple(number[m] for m in marker.cleared if m in number)
    before = sum(place < marker.before for place in places)
    return Marker(marker.kind, before, marker.note, keep, cleared, marker.tokens_before, marker.tokens_after)


def _holds(draft: ClaudeDraft, content: object) -> bool:
    """Whether a line says only what the message holds already: a call of the same id, the same text or thinking."""
    blocks = [mapping(item) for item in listed(content)]
    calls = {call.id for call in draft.calls}
    said = {(part.kind, part.text) for part in draft.parts}
    return bool(blocks) and all(
        text(block.get("id")) in calls
        if block.get("type") == "tool_use"
        else all((part.kind, part.text) in said for part in parts_of(block))
        for block in blocks
    )


def _unsent(name: str, given: object) -> int:
    """Characters of a call's arguments that only the record holds."""
    tool, argument, signs = _PLANNED
    value = mapping(given)
    if name != tool or argument not in value or not signs & set(value):
        return 0
    return len(dump(value)) - len(dump({key: item for key, item in value.items() if key != argument}))
