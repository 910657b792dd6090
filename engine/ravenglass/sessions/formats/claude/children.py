"""Finds the sub-agents of a Claude Code session, in the file and beside it, and hangs them under calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.claude.reading import ClaudeReading
from ravenglass.sessions.formats.claude.thread import ClaudeThread
from ravenglass.sessions.formats.claude.workflows import Workflow, workflow_of
from ravenglass.sessions.model.session import Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import is_file_name, mapping, text, text_or_none

ReadFile = Callable[[Path], tuple[Session, ClaudeReading]]
"""Reads a transcript without looking for further files."""
Peek = Callable[[Path], str | None]
"""The session id in the first records of a transcript, None if it is none."""
FromThread = Callable[[ClaudeThread], Session]
"""Makes a session of a thread inside the opened file."""


@dataclass(slots=True)
class Found:
    """The sub-agents, flat, one per agent; `nest` makes a tree of them."""

    sessions: dict[str, Session] = field(default_factory=dict)
    threads: dict[str, ClaudeThread] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    workflows: dict[str, Workflow] = field(default_factory=dict)
    """Folder name of a workflow run -> what its files say of it."""
    run_of: dict[str, str] = field(default_factory=dict)
    """Sub-agent -> the workflow run that started it."""
    unused: set[str] = field(default_factory=set)
    """Sidechains of the file of which a more complete copy is used."""

    def take(self, name: str, session: Session, thread: ClaudeThread) -> bool:
        """Use this copy of a sub-agent if it is longer than the known one; its call is kept from either."""
        known = self.sessions.get(name)
        call = session.parent_call_id or (known.parent_call_id if known else None)
        better = known is None or len(session.messages) > len(known.messages)
        best = session if better or known is None else known
        self.sessions[name] = replace(best, parent_call_id=call)
        self.threads[name] = thread if better else self.threads[name]
        return better


def find_children(
    path: Path, reading: ClaudeReading, read_file: ReadFile, peek: Peek, from_thread: FromThread
) -> Found:
    """Every sub-agent of the session, each once. Unreadable files beside it give a warning each."""
    found = Found()
    for beside in _files(path, reading.session_id, peek):
        try:
            session, inner = read_file(beside)
        except SessionError as error:
            found.warnings.append(f"The sub-agent file {beside.name} was left out: {error}")
            continue
        name = inner.agent_id or beside.name.split(".", 1)[0].removeprefix("agent-")
        found.take(name, _described(session, beside, name, _workflow(found, beside, name)), inner.main)
    for name, thread in reading.sidechains.items():
        if len(thread) and not found.take(name, from_thread(thread), thread):
            found.unused.add(name)
    for name, thread in reading.embedded.items():
        if len(thread):
            found.take(name, from_thread(thread), thread)
    for workflow in found.workflows.values():
        found.warnings.extend(workflow.missing(set(found.sessions)))
    return found


def _workflow(found: Found, path: Path, name: str) -> Workflow | None:
    """The workflow run whose folder the sub-agent's file stands in."""
    folder = path.parent
    if folder.parent.name != "workflows":
        return None
    found.run_of[name] = folder.name
    if folder.name not in found.workflows:
        found.workflows[folder.name] = workflow_of(folder)
    return found.workflows[folder.name]


def nest(found: Found, main: ClaudeThread) -> tuple[Session, ...]:
    """Sub-agents under the session or the sub-agent whose tool call started them."""
    owner = dict.fromkeys(main.call_ids(), "")
    for name, thread in found.threads.items():
        for call in thread.call_ids():
            owner.setdefault(call, name)
    results = dict(main.results_of)
    runs = dict(main.runs)
    prompts = {prompt: list(calls) for prompt, calls in main.spawns.items()}
    for thread in found.threads.values():
        results.update(thread.results_of)
        runs.update(thread.runs)
        for prompt, calls in thread.spawns.items():
            prompts.setdefault(prompt, []).extend(calls)
    taken = {session.parent_call_id for session in found.sessions.values()} | set(results.values())
    parents: dict[str, str] = {}
    for name, session in found.sessions.items():
        started_by = (
            session.parent_call_id
            or results.get(name)
            or runs.get(found.run_of.get(name, ""))
            or _by_prompt(session, prompts, taken)
        )
        found.sessions[name] = replace(session, parent_call_id=started_by)
        parent = owner.get(started_by or "", "")
        parents[name] = "" if _is_above(name, parent, parents) else parent
    return _tree("", parents, found.sessions)


def _is_above(name: str, other: str, parents: dict[str, str]) -> bool:
    """Whether `name` stands above `other` or is it: files may claim each other."""
    while other and other != name:
        other = parents.get(other, "")
    return other == name


def _tree(name: str, parents: dict[str, str], sessions: dict[str, Session]) -> tuple[Session, ...]:
    children = [child for child, parent in parents.items() if parent == name]
    # Branches that a sub-agent's own record holds are its children already.
    return tuple(
        replace(sessions[child], children=(*_tree(child, parents, sessions), *sessions[child].children))
        for child in children
    )


def _by_prompt(session: Session, prompts: dict[str, list[str]], taken: set[str | None]) -> str | None:
    """The call whose prompt is the sub-agent's first message, each call at most once, in file order."""
    first = next((message.text.strip() for message in session.messages if message.role == "user"), "")
    for call in prompts.get(first, []):
        if call not in taken:
            taken.add(call)
            return call
    return None


def _files(path: Path, session_id: str | None, peek: Peek) -> Iterator[Path]:
    """Transcripts of sub-agents: in the session's own folder, and beside it with the same session id."""
    named = session_id if session_id is not None and is_file_name(session_id) else path.name
    folders = dict.fromkeys([path.parent / path.name.split(".jsonl", 1)[0], path.parent / named])
    for folder in folders:
        if folder.is_dir():
            yield from sorted((folder / "subagents").rglob("agent-*.jsonl*"))
    if session_id is not None:
        for beside in sorted(path.parent.glob("agent-*.jsonl*")):
            if beside != path and peek(beside) == session_id:
                yield beside


def _described(session: Session, path: Path, name: str, workflow: Workflow | None) -> Session:
    """With what the file's .meta.json says: what started the agent, what it was to do; a workflow says more."""
    meta: dict[str, object] = {}
    beside = path.with_name(path.name.split(".jsonl", 1)[0] + ".meta.json")
    if beside.is_file():
        try:
            meta = mapping(decode_value(beside.read_bytes()))
        except (OSError, ValueError):
            warning = f"{beside.name} could not be read; the sub-agent is shown without its description."
            session = replace(session, warnings=(*session.warnings, warning))
    label = workflow.labels.get(name, "") if workflow is not None else ""
    title = label or text(meta.get("description")) or session.title or text(meta.get("agentType"))
    return replace(session, id=name, title=title, parent_call_id=text_or_none(meta.get("toolUseId")))
