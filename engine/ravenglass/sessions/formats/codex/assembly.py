"""From the lines of a rollout to messages and markers, in file order. Looks at no other file."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ravenglass.sessions.formats.codex.compaction import replacement
from ravenglass.sessions.formats.codex.fork import own_start
from ravenglass.sessions.formats.codex.lines import (
    Compacted,
    Meta,
    Mirror,
    Named,
    RolloutLine,
    RolloutRollback,
    RolloutTurn,
    Sign,
    Spawned,
)
from ravenglass.sessions.formats.codex.mirrors import Mirrors, find_mirrors
from ravenglass.sessions.formats.codex.usage import Meter, RolloutTokens
from ravenglass.sessions.importing.responses.items import ResponsesItem
from ravenglass.sessions.importing.responses.thread import ItemThread, ResponsesDraft
from ravenglass.sessions.model.session import Kind, Marker, MarkerKind, OtherRecord, Source

_TASK = "Message Type: NEW_TASK"
"""How the message begins that gives a sub-agent its task."""


@dataclass(slots=True)
class RolloutMark:
    """A marker whose messages are still drafts."""

    kind: MarkerKind
    position: int
    note: str
    keep: list[ResponsesDraft] | None
    tokens_before: int | None = None


@dataclass(slots=True)
class Rollout:
    """What the lines hold."""

    drafts: list[ResponsesDraft] = field(default_factory=list)
    marks: list[RolloutMark] = field(default_factory=list)
    other: list[OtherRecord] = field(default_factory=list)
    rolled: list[list[ResponsesDraft]] = field(default_factory=list)
    """Messages that the user took back, one list for each time."""
    meta: Meta | None = None
    title: str = ""
    cwd: str = ""
    spawned: dict[str, str] = field(default_factory=dict)
    """Thread of a sub-agent -> the tool call that started it."""
    turns: set[str] = field(default_factory=set)
    used: int = 0
    """Tokens that the session's own requests used, by the counter's increases."""
    unplaced: int = 0
    """Of those, the tokens of requests whose answer is not recorded."""

    def markers(self) -> list[Marker]:
        """The markers, with positions as ids."""
        at = {id(draft): position for position, draft in enumerate(self.drafts)}
        found = []
        for mark in self.marks:
            keep = None if mark.keep is None else sorted(at[id(d)] for d in mark.keep if id(d) in at)
            kept = None if keep is None else tuple(m for m in keep if m < mark.position)
            found.append(Marker(mark.kind, mark.position, mark.note, kept, (), mark.tokens_before))
        return found


def assemble(lines: Sequence[RolloutLine], source: Source, parent_turns: AbstractSet[str] = frozenset()) -> Rollout:
    """Everything that the lines say. `parent_turns` are the turns of the session that started this one, if known."""
    return _Assembly(lines, source, parent_turns).run()


class _Assembly:
    def __init__(self, lines: Sequence[RolloutLine], source: Source, parent_turns: AbstractSet[str]) -> None:
        self._lines = lines
        self._source = source
        self._start = own_start(lines, parent_turns)
        self._mirrors: Mirrors = find_mirrors(lines)
        self._thread = ItemThread()
        self._found = Rollout(drafts=self._thread.drafts)
        self._model: str | None = None
        self._size: int | None = None
        self._unpaid: ResponsesDraft | None = None
        self._news = True
        """Whether the conversation went on since the last compaction."""
        self._meter = Meter()

    def run(self) -> Rollout:
        for index, line in enumerate(self._lines):
            if not self._said(index, line):
                self._found.other.append(OtherRecord(line.label, line.span))
        self._found.used = self._meter.counted
        return self._found

    def _said(self, index: int, line: RolloutLine) -> bool:
        """Take in one line; whether it is part of a message."""
        what = line.what
        if isinstance(what, ResponsesItem):
            self._item(index, line, what)
            return True
        if isinstance(what, Mirror):
            if index in self._mirrors.said or what.only_mirror:
                return False
            self._item(index, line, what.item)
            return True
        if isinstance(what, Compacted):
            return self._compacted(line, what)
        if isinstance(what, RolloutTokens):
            self._tokens(index, what)
        elif isinstance(what, RolloutRollback):
            self._rolled_back(what.turns)
        elif isinstance(what, Meta):
            self._described(what)
        elif isinstance(what, RolloutTurn):
            self._turn(what)
        elif isinstance(what, Sign):
            self._sign(what)
        elif isinstance(what, Spawned):
            self._found.spawned[what.thread] = what.call
        elif isinstance(what, Named):
            self._found.title = what.title or self._found.title
        return False

    def _item(self, index: int, line: RolloutLine, item: ResponsesItem) -> None:
        draft = self._thread.add(item, line.span, line.ts, self._kind(index, item))
        self._news = True
        if draft.role == "assistant":
            draft.model = draft.model or self._model
            if index < self._start:
                draft.flags |= {"inherited"}
            else:
                self._unpaid = draft

    def _kind(self, index: int, item: ResponsesItem) -> Kind | None:
        """The kind, where the events tell it better than the text."""
        if item.type == "agent_message":
            task = any(_TASK in part.text for part in item.parts)
            ours = self._found.meta is not None and self._found.meta.parent is not None
            return "prompt" if task and ours else None
        if item.role != "user" or item.type != "message" or item.kind != "prompt" or not self._mirrors.events:
            return None
        typed = index in self._mirrors.typed or isinstance(self._lines[index].what, Mirror)
        return "prompt" if typed else "meta"

    def _tokens(self, index: int, tokens: RolloutTokens) -> None:
        if index < self._start:
            self._meter.skip(tokens)
            return
        before = self._meter.counted
        usage = self._meter.take(tokens)
        if usage is None:
            return
        self._thread.close()
        if tokens.last is not None and tokens.last.input:
            self._size = tokens.last.size
        if self._unpaid is not None:
            self._unpaid.usage = usage
            self._unpaid = None
        else:
            self._found.unplaced += self._meter.counted - before

    def _compacted(self, line: RolloutLine, what: Compacted) -> bool:
        """Whether the record itself is a message: a summary without a list of what stayed."""
        self._thread.close()
        drafts = self._thread.drafts
        if not self._news and self._found.marks and self._found.marks[-1].keep is None:
            self._found.marks.pop()  # the event came before its record
        window = replacement(what, line.span, self._source, drafts)
        kept = f"{len(window.keep):,} messages stayed, {len(window.new):,} were put in"
        note = kept if window.known else "what stayed in the window is not recorded"
        keep = window.keep if window.known else None
        self._found.marks.append(RolloutMark("compaction", len(drafts), note, keep, self._size))
        for item, span in window.new:
            draft = self._thread.add(item, span, line.ts)
            self._thread.close()
            if draft.role == "assistant":
                draft.flags |= {"synthetic"}
        self._news, self._size, self._unpaid = False, None, None
        return any(span == line.span for _, span in window.new)

    def _rolled_back(self, turns: int) -> None:
        drafts = self._thread.drafts
        prompts = [p for p, draft in enumerate(drafts) if draft.kind == "prompt"]
        if not turns or not prompts:
            return
        cut = prompts[max(len(prompts) - turns, 0)]
        removed = self._thread.cut(cut)
        for mark in self._found.marks:
            mark.position = min(mark.position, cut)
        said = f"the user took back {turns:,} turn{'s' if turns > 1 else ''} ({len(removed):,} messages)"
        self._found.marks.append(RolloutMark("rollback", cut, said, None))
        self._found.rolled.append(removed)
        self._unpaid, self._news = None, True

    def _described(self, meta: Meta) -> None:
        """The first description is the session's own; the next is that of the parent it was copied from."""
        if self._found.meta is None:
            self._found.meta = meta
            self._found.cwd = meta.cwd
            self._meter.inherits = meta.inherits

    def _turn(self, turn: RolloutTurn) -> None:
        self._thread.close()
        self._model = turn.model or self._model
        self._found.cwd = self._found.cwd or turn.cwd
        if turn.id is not None:
            self._found.turns.add(turn.id)

    def _sign(self, sign: Sign) -> None:
        self._thread.close()
        drafts = self._thread.drafts
        if sign.kind == "aborted" and drafts:
            drafts[-1].flags |= {"interrupted"}
        elif sign.kind == "context_compacted" and self._news:
            note = "what stayed in the window is not recorded"
            self._found.marks.append(RolloutMark("compaction", len(drafts), note, None, self._size))
            self._news = False
