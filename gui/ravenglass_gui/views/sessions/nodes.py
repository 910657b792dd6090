"""The rows of the session browser, as a tree of plain objects: sections, projects, sessions, sub-agents.

What is below a row is made when somebody looks at it, so that ten thousand sessions cost what is on screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePath

from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import ListedSession, OpenedSession
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.text.numbers import amount, size
from ravenglass_gui.text.plain import one_line

NO_PROJECT = "no project"
PAGE = 100
"""Sessions of a project that are shown at first; a row below them shows the others."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DEEPEST = 20
"""Levels of sub-agents."""


@dataclass(slots=True, eq=False)
class Node:
    """One row. `key` names it across rebuilds, for what is expanded and what is current."""

    kind: str
    """`section`, `project`, `session`, `agent`, `more` or `note`."""
    key: tuple[object, ...]
    title: str
    facts: str = ""
    tip: str = ""
    bad: bool = False
    """`facts` say what is wrong."""
    icon: str = ""
    place: Path | None = None
    root: Path | None = None
    """The root of the shelf it stands on."""
    session: Session | None = None
    current: bool = False
    count: int = 0
    """Rows below it."""
    shown: int | None = None
    """Of a listed folder: the sessions that a filter lets through."""
    make: Callable[[], list[Node]] = list
    parent: Node | None = None
    row: int = 0
    id: int = 0
    _below: list[Node] | None = field(default=None)

    def made(self) -> Iterator[Node]:
        """It and the rows below it, as far as they were made."""
        yield self
        for node in self._below or ():
            yield from node.made()

    @property
    def below(self) -> list[Node]:
        if self._below is None:
            self._below = self.make() if self.count else []
            for row, node in enumerate(self._below):
                node.parent, node.row = self, row
        return self._below


def opened_section(recent: Iterable[OpenedSession], root: Session | None, shown: Session | None) -> Node | None:
    """What was opened, newest first; the open session with its sub-agents on top."""
    known = list(recent)
    projects: dict[str, list[Node]] = {}
    total = 0
    if root is not None:
        known = [opened for opened in known if opened.path != root.place.absolute()]
        projects[root.project] = [_open(root, shown, (), root=True)]
        total = 1
    for opened in known:
        facts = [_when(opened.last_opened), amount(opened.calls, "call"), size(opened.size)]
        node = Node("session", ("opened", opened.path), _title(opened.title or opened.path.name), _joined(facts))
        node.place, node.tip = opened.path, str(opened.path)
        projects.setdefault(opened.project, []).append(node)
        total += 1
    if not total:
        return None
    names = _names(projects)
    below = [_project(("opened",), path, names[path], nodes, len(nodes)) for path, nodes in projects.items()]
    return Node("section", ("opened",), "Opened", amount(total, "session"), count=len(below), make=lambda: below,
                icon="session")  # fmt: skip


def _open(session: Session, shown: Session | None, above: tuple[object, ...], *, root: bool = False) -> Node:
    facts = [amount(len(session.structure.calls), "call"), amount(len(session.messages), "message") if root else ""]
    key = (*above, session.id, session.path.name, session.parent_call_id)
    node = Node("session" if root else "agent", ("open", *key), _title(session.title or session.id), _joined(facts))
    if root:
        node.title = _title(session.title or session.path.name)
        node.place = session.place.absolute()
    node.icon = "" if root else "agent"
    node.session, node.current, node.tip = session, session is shown, str(session.path)
    node.count = len(session.children)
    node.make = lambda: [_open(child, shown, key) for child in session.children]
    return node


def shelf_section(shelf: Shelf, words: Sequence[str], whole: frozenset[tuple[object, ...]], now: Path | None) -> Node:
    """A listed folder: its projects, newest first. `words` must all stand in what is shown; `whole` are the keys of
    projects whose sessions are all shown; `now` is the place of the open session."""
    shown = [item for item in shelf.sessions if shelf.matches(item, words)]
    projects: dict[str, list[ListedSession]] = {}
    for item in shown:
        projects.setdefault(item.entry.project, []).append(item)
    key = ("shelf", shelf.root)

    def make() -> list[Node]:
        names = _names(projects)
        return [
            _project(key, path, names[path], _page(shelf, items, path, whole, now), len(items), items[0].stamp)
            for path, items in projects.items()
        ]

    node = Node("section", key, shelf.place.agent, root=shelf.root, tip=str(shelf.root), make=make, count=len(projects))
    node.icon = "place" if not shelf.opened else "project" if shelf.folder else "database"
    node.bad = bool(shelf.fault)
    node.facts = shelf_facts(shelf, len(shown) if words else None)
    node.shown = len(shown) if words else None
    return node


def shelf_facts(shelf: Shelf, shown: int | None) -> str:
    """What is said of a listed folder; `shown` are the sessions that a filter lets through."""
    if shelf.fault or not shelf.items:
        return shelf.fault or ("looking…" if shelf.listing else "no session here")
    said = amount(len(shelf.sessions), "session")
    if shown is not None:
        said = f"{shown:,} of {said}"
    if shelf.listing:
        return f"{said} · looking…"
    unread = shelf.unread
    return f"{said} · {unread:,} unread" if unread else said


def _page(
    shelf: Shelf, items: list[ListedSession], project: str, whole: frozenset[tuple[object, ...]], now: Path | None
) -> Callable[[], list[Node]]:
    key = ("shelf", shelf.root, "all", project)

    def make() -> list[Node]:
        most = len(items) if key in whole or len(items) <= PAGE + 1 else PAGE
        nodes = [listed_node(shelf, item, now) for item in items[:most]]
        if most < len(items):
            nodes.append(Node("more", key, f"Show {len(items) - most:,} older", icon="add", root=shelf.root))
        return nodes

    return make


def listed_node(shelf: Shelf, item: ListedSession, now: Path | None, depth: int = 0) -> Node:
    """The row of a listed session."""
    place = item.entry.place
    kind = "agent" if depth else "session"
    node = Node(kind, ("listed", shelf.root, place), "", place=place, root=shelf.root, icon="agent" if depth else "")
    below = shelf.agents(item) if depth < _DEEPEST else []
    node.count = len(below)
    node.make = lambda: [listed_node(shelf, child, now, depth + 1) for child in below]
    describe(node, item, opened=now is not None and place == now)
    return node


def describe(node: Node, item: ListedSession, *, opened: bool) -> None:
    """Write into the row what is known of its session."""
    entry = item.entry
    node.title = _title(entry.title or entry.place.name)
    node.bad = bool(item.fault)
    node.tip = f"{item.fault}\n{entry.place}" if item.fault else str(entry.place)
    if entry.beside:
        node.tip += "\nThe same session id, with other messages, is in " + ", ".join(entry.beside)
    unread = not item.detailed and entry.calls is None
    facts = [
        "open" if opened else "",
        _when(entry.started if entry.started is not None else item.stamp),
        amount(entry.calls, "call") if entry.calls is not None else "not read yet" if unread else "",
        size(entry.size) if entry.size is not None else "",
        entry.model or "",
        amount(node.count, "sub-agent") if node.count else "",
    ]
    facts = [*facts, "another file goes on otherwise"] if entry.beside else facts
    node.facts = item.fault or _joined(facts)


def _project(
    above: tuple[object, ...],
    project: str,
    name: str,
    below: list[Node] | Callable[[], list[Node]],
    sessions: int,
    newest: float | None = None,
) -> Node:
    facts = _joined([amount(sessions, "session"), _when(newest)])
    tip = project or "The record does not say where it was made."
    node = Node("project", (*above, "project", project), _title(name), facts, tip, count=sessions)
    node.make = (lambda: below) if isinstance(below, list) else below
    return node


def _names(projects: Iterable[str]) -> dict[str, str]:
    """What projects are called: the last part of the path, with the one before it where several end alike."""
    parts = {project: PurePath(project.replace("\\", "/")).parts for project in projects}
    ends = Counter(known[-1] for known in parts.values() if known)
    return {
        project: "/".join(known[-2:] if ends[known[-1]] > 1 else known[-1:]) if known else project or NO_PROJECT
        for project, known in parts.items()
    }


def _title(text: str) -> str:
    return one_line(text, 200)


def _joined(facts: Sequence[str]) -> str:
    return " · ".join(fact for fact in facts if fact)


def _when(seconds: float | None) -> str:
    """Today's times by the clock, those of this year by the day, others by the month. Empty for what is no time."""
    if seconds is None:
        return ""
    try:
        then, now = datetime.fromtimestamp(seconds), datetime.now()
    except (OverflowError, ValueError, OSError):
        return ""
    if then.date() == now.date():
        return then.strftime("today %H:%M")
    day = f"{then.day} {_MONTHS[then.month - 1]}"
    return day if then.year == now.year else f"{day} {then.year}"
