"""Reads one Claude Code transcript into threads: the main one, sidechains and embedded sub-agents.

Order is file order throughout; parentUuid only tells which sidechain a record belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.formats.claude.lines import ClaudeLine, claude_line, progress_message
from ravenglass.sessions.formats.claude.thread import ClaudeThread
from ravenglass.sessions.model.session import OtherRecord
from ravenglass.sessions.records.decode import Record
from ravenglass.sessions.records.values import kind_of, mapping, text


@dataclass(slots=True)
class Titles:
    """What names the transcript; the last of each kind counts."""

    summary: str = ""
    custom: str = ""
    generated: str = ""

    def note(self, value: dict[str, Any]) -> None:
        kind = value.get("type")
        if kind == "summary":
            self.summary = text(value.get("summary")) or self.summary
        elif kind == "custom-title":
            self.custom = text(value.get("customTitle")) or self.custom
        elif kind == "ai-title":
            self.generated = text(value.get("aiTitle")) or self.generated

    @property
    def best(self) -> str:
        return self.summary or self.custom or self.generated


@dataclass(slots=True)
class ClaudeReading:
    """A transcript taken apart. `sidechains` and `embedded` are keyed by agent id or by the chain's root."""

    main: ClaudeThread = field(default_factory=ClaudeThread)
    sidechains: dict[str, ClaudeThread] = field(default_factory=dict)
    embedded: dict[str, ClaudeThread] = field(default_factory=dict)
    side_records: dict[str, list[OtherRecord]] = field(default_factory=dict)
    """Records of each sidechain, to be kept as other records where a better copy of it is used."""
    other: list[OtherRecord] = field(default_factory=list)
    titles: Titles = field(default_factory=Titles)
    session_id: str | None = None
    agent_id: str | None = None
    agent_file: bool = False
    """Whether the file is a sub-agent's own transcript."""
    _roots: dict[str, str] = field(default_factory=dict)
    _side: list[ClaudeLine] = field(default_factory=list)
    """Messages of sidechains, those of the main thread that name an agent, and all boundaries, in file order."""
    _unnamed: int = 0
    """Messages of the main thread that name no agent."""
    _named: set[str] = field(default_factory=set)
    """Agents that messages of the main thread name."""

    def take(self, record: Record) -> None:
        """Take in the next record."""
        line = claude_line(record)
        self.session_id = self.session_id or line.session
        self.agent_id = self.agent_id or line.agent
        if not line.sidechain:
            self._take_main(record, line)
            return
        chain = _chain(line, self._roots)
        thread = self.sidechains.get(chain) or ClaudeThread(chain)
        taken = thread.take(line)
        if taken or line.boundary is not None:
            self.sidechains[chain] = thread
            self._side.append(line)
        if taken:
            self.side_records.setdefault(chain, []).append(OtherRecord(f"sidechain/{line.type}", line.span))
        else:
            _other(self, record, line)

    def _take_main(self, record: Record, line: ClaudeLine) -> None:
        taken = self.main.take(line)
        if not taken:
            _other(self, record, line)
        if line.boundary is not None or (taken and line.agent is not None):
            self._side.append(line)
        if taken and line.agent is None:
            self._unnamed += 1
        elif taken and line.agent is not None:
            self._named.add(line.agent)

    def settled(self) -> ClaudeReading:
        """The transcript so far. One that holds nothing but messages of sidechains is a sub-agent's own file: those
        messages are its main thread then. So are others that name the same agent, where a record lost its mark."""
        if not self.side_records or self._unnamed or (self._named and self._named != set(self.sidechains)):
            return self
        main = ClaudeThread()
        again = [
            OtherRecord(_again(line), line.span) for line in self._side if not main.take(line) and line.boundary is None
        ]
        other = sorted([*self.other, *again], key=lambda record: record.span.offset) if again else self.other
        return replace(self, main=main, other=other, agent_file=True, sidechains={}, side_records={})


def _chain(line: ClaudeLine, roots: dict[str, str]) -> str:
    """Name of the sidechain: the agent's id, else the uuid of the chain's first record."""
    root = roots.get(line.parent or "") or line.uuid or f"line {line.span.line}"
    if line.uuid is not None:
        roots[line.uuid] = root
    return line.agent or root


def _again(line: ClaudeLine) -> str:
    """Label of a record that a compaction wrote a second time."""
    return f"{line.label}, written again"


def _other(reading: ClaudeReading, record: Record, line: ClaudeLine) -> None:
    value = mapping(record.value)
    label = line.label if isinstance(record.value, dict) else f"{kind_of(record.value)}, no record"
    if line.message is not None or line.attached is not None:
        label = _again(line)
    reading.other.append(OtherRecord(label, record.span))
    reading.titles.note(value)
    progress = progress_message(record, line)
    if progress is not None:
        child = reading.embedded.setdefault(progress.agent, ClaudeThread(progress.agent, started_by=progress.call))
        # Progress is reported again and again; the same message twice is no second message.
        if not child.seen(progress.line):
            child.take(progress.line)
