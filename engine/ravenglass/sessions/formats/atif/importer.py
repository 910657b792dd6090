"""Imports trajectories of the Agent Trajectory Interchange Format, ATIF (1.0 to 1.7, later ones as far as known).

Written after Harbor's RFC 0001 (trajectory format) and its models.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.atif.steps import Steps
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head, read
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.progress import Reporter
from ravenglass.sessions.records.reader import Record, Records, read_records
from ravenglass.sessions.records.source import open_path
from ravenglass.sessions.records.values import kind_of, mapping, text, text_or_none

_DEEPEST = 8
"""Sub-agents of sub-agents that are followed, inside a file and from file to file."""


class Atif:
    """ATIF, which Harbor's agents write."""

    name = "atif"
    label = "ATIF trajectory (Harbor)"
    description = (
        "Maps steps with their tool calls, the results of their observations, reasoning, times, models and metrics, "
        "`agent.tool_definitions`, and sub-agents embedded or in files beside; steps that were copied or need no model "
        "are no model calls. It keeps `agent`, `final_metrics`, `notes`, `extra` and everything unknown as other "
        "records."
    )

    def __init__(self, depth: int = 0) -> None:
        self._depth = depth

    def sniff(self, head: Head) -> float:
        """Sure for the schema version; a damaged document is known by its steps."""
        if any(_is_trajectory(record) for record in head.records):
            return 1.0
        damaged = head.container == "json" and any(_is_step(record) for record in head.records)
        return 0.97 if damaged else 0.0

    def begin(self, records: Records) -> _Reading:
        """The first trajectory is the session, further ones are its children."""
        return _Reading(records, self._depth)


class _Reading:
    def __init__(self, records: Records, depth: int) -> None:
        self._records = records
        self._depth = depth
        self._drafts: list[_Trajectory] = []
        self._loose = Steps()
        self._files: dict[str, Session | None] = {}

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        if _is_trajectory(found.value):
            self._drafts.append(_Trajectory(found))
        elif _is_step(found.value):
            self._loose.take(found)
        else:
            self._loose.other.append(OtherRecord(kind_of(found.value), found.span))

    def session(self) -> Session:
        name = stem(self._records.opened.path)
        if not self._drafts:
            draft = SessionDraft(name, self._loose.messages, other=self._loose.other)
            return assembled(draft, Atif.name, self._records)
        main, *rest = self._drafts
        children = [self._built(item, f"{name}#{number}", main=False) for number, item in enumerate(rest, start=2)]
        if self._loose.messages:
            draft = SessionDraft(f"{name}#loose", self._loose.messages, title="steps outside the trajectory")
            children.append(assembled(draft, Atif.name, self._records, main=False))
        session = self._built(main, name, main=True)
        other = (*session.other, *self._loose.other)
        return replace(session, children=(*session.children, *children), other=other)

    def _built(self, found: _Trajectory, name: str, *, main: bool) -> Session:
        children = [self._built(inner, f"{name}#{inner.draft.id}", main=False) for inner in found.children]
        children = [
            replace(child, parent_call_id=found.starter(inner.names))
            for child, inner in zip(children, found.children, strict=True)
        ]
        embedded = {inner_name for inner in found.children for inner_name in inner.names}
        for path in dict.fromkeys(found.steps.files):
            beside = None if path in embedded else self._beside(path)
            if beside is not None and beside.id not in embedded:
                children.append(replace(beside, parent_call_id=found.starter((path,))))
        draft = replace(found.draft, id=found.draft.id or name)
        session = assembled(draft, Atif.name, self._records, children=children, main=main)
        if found.continued is None:
            return session
        sentence = f"The conversation goes on in another file, {found.continued}."
        return replace(session, warnings=(*session.warnings, sentence))

    def _beside(self, path: str) -> Session | None:
        """The trajectory in a file that a result refers to, if it lies in the same folder or below."""
        if path not in self._files:
            self._files[path] = self._read_beside(path)
        return self._files[path]

    def _read_beside(self, path: str) -> Session | None:
        relative = PurePosixPath(path.replace("\\", "/"))
        inside = not relative.is_absolute() and ".." not in relative.parts and ":" not in path and "\x00" not in path
        folder = self._records.opened.path.parent
        if not inside or self._depth >= _DEEPEST:
            return None
        target = Path(folder, *relative.parts)
        try:
            if not target.resolve().is_relative_to(folder.resolve()) or not target.is_file():
                return None
            reporter = Reporter(None, target.name)
            records = read_records(open_path(target, reporter), reporter)
            importer = Atif(self._depth + 1)
            if importer.sniff(Head(records.container, tuple(record.value for record in records.peek(1)))) < 1:
                return None
            return read(importer, records)
        except (OSError, SessionError) as error:
            self._records.warn(f"The sub-agent's file {path} could not be read ({error}).")
            return None


class _Trajectory:
    """A trajectory taken apart."""

    def __init__(self, found: Located, depth: int = 0) -> None:
        value = found.object
        agent = found.get("agent")
        about = agent.object if agent is not None else {}
        tools = agent.get("tool_definitions") if agent is not None else None
        self.steps = Steps(text_or_none(about.get("model_name")))
        for step in found.elements("steps"):
            self.steps.take(step)
        inner = found.elements("subagent_trajectories") if depth < _DEEPEST else []
        self.children = [_Trajectory(item, depth + 1) for item in inner]
        self.continued = text_or_none(value.get("continued_trajectory_ref"))
        identity = [text(value.get(key)) for key in ("trajectory_id", "session_id")]
        self.names = tuple(name for name in identity if name)
        self.draft = SessionDraft(
            id=next(iter(self.names), ""),
            messages=self.steps.messages,
            other=[*self.steps.other, *found.others("steps", *(("subagent_trajectories",) if inner else ()))],
            model=self.steps.model,
            tools=tools.text() if tools is not None and isinstance(tools.value, list) else None,
        )

    def starter(self, names: tuple[str, ...]) -> str | None:
        """Id of the tool call whose result refers to a trajectory of one of these names."""
        return next((self.steps.started[name] for name in names if name in self.steps.started), None)


def _is_trajectory(value: object) -> bool:
    found = mapping(value)
    return text(found.get("schema_version")).startswith("ATIF-") and isinstance(found.get("steps"), list)


def _is_step(value: object) -> bool:
    found = mapping(value)
    return "step_id" in found and text(found.get("source")) in ("system", "user", "agent")
