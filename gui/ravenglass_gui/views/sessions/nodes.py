"""The rows of the session browser, as a tree of plain objects: sections, projects, sessions, sub-agents.

What is below a row is made when somebody looks at it, so that ten thousand sessions cost what is on screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import ListedSession, OpenedSession
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.text.numbers import amount, size
from ravenglass_gui.views.sessions.left_out import left_out_group
from ravenglass_gui.views.sessions.node import Node, joined, row_title, when
from ravenglass_gui.views.sessions.saved_runs import SavedRuns

NO_PROJECT = "no project"
PAGE = 100
"""Sessions of a project that are shown at first; a row below them shows the others."""
_DEEPEST = 20
"""Levels of sub-agents."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What rows are made with that their section does not hold."""

    runs: SavedRuns = field(default_factory=SavedRuns)
    whole: frozenset[tuple[object, ...]] = frozenset()
    """Keys of projects whose sessions are all shown."""
    now: Path | None = None
    """The place of the open session."""


def opened_section(
    recent: Iterable[OpenedSession], root: Session | None, shown: Session | None, runs: SavedRuns
) -> Node | None:
    """What was opened, newest first; the open session with its sub-agents on top."""
    known = list(recent)
    projects: dict[str, list[Node]] = {}
    total = 0
    if root is not None:
        known = [opened for opened in known if opened.path != root.place.absolute()]
        projects[root.project] = [_open(root, shown, (), runs, root=True)]
        total = 1
    for opened in known:
        facts = [when(opened.last_opened), amount(opened.calls, "call"), size(opened.size), runs.facts(opened.path)]
        node = Node("session", ("opened", opened.path), row_title(opened.title or opened.path.name), joined(facts))
        runs.put_below(node, opened.path)
        node.place, node.tip = opened.path, str(opened.path)
        projects.setdefault(opened.project, []).append(node)
        total += 1
    if not total:
        return None
    names = _names(projects)
    below = [_project(("opened",), path, names[path], nodes, len(nodes)) for path, nodes in projects.items()]
    return Node("section", ("opened",), "Opened", amount(total, "session"), count=len(below), make=lambda: below,
                icon="session")  # fmt: skip


def _open(
    session: Session, shown: Session | None, above: tuple[object, ...], runs: SavedRuns, *, root: bool = False
) -> Node:
    place = session.place.absolute()
    messages = amount(len(session.messages), "message") if root else ""
    facts = [amount(len(session.structure.calls), "call"), messages, runs.facts(place) if root else ""]
    key = (*above, session.id, session.path.name, session.parent_call_id)
    node = Node("session" if root else "agent", ("open", *key), row_title(session.title or session.id), joined(facts))
    if root:
        node.title = row_title(session.title or session.path.name)
        node.place = place
    node.icon = "" if root else "agent"
    node.session, node.current, node.tip = session, session is shown, str(session.path)
    node.count = len(session.children)
    node.make = lambda: [_open(child, shown, key, runs) for child in session.children]
    if root:
        runs.put_below(node, place)
    return node


def shelf_section(shelf: Shelf, words: Sequence[str], beside: Beside) -> Node:
    """A listed folder: its projects, newest first. `words` must all stand in what is shown."""
    shown = [item for item in shelf.sessions if shelf.matches(item, words)]
    projects: dict[str, list[ListedSession]] = {}
    for item in shown:
        projects.setdefault(item.entry.project, []).append(item)
    key = ("shelf", shelf.root)

    def make() -> list[Node]:
        names = _names(projects)
        return [
            _project(key, path, names[path], _page(shelf, items, path, beside), len(items), items[0].stamp)
            for path, items in projects.items()
        ]

    node = Node("section", key, shelf.place.agent, root=shelf.root, tip=str(shelf.root), make=make, count=len(projects))
    left = left_out_group(shelf, words)
    if left is not None:
        node.make, node.count = lambda: [*make(), left], len(projects) + 1
    node.icon = "place" if not shelf.opened else "project" if shelf.folder else "database"
    node.bad = bool(shelf.fault)
    node.facts = shelf_facts(shelf, len(shown) if words else None)
    node.shown = len(shown) if words else None
    return node


def shelf_facts(shelf: Shelf, shown: int | None) -> str:
    """What is said of a listed folder; `shown` are the sessions that a filter lets through."""
    left = f"{len(shelf.left_out):,} left out" if shelf.left_out else ""
    if shelf.fault or not shelf.items:
        return shelf.fault or ("looking…" if shelf.listing else joined(["no session here", left]))
    said = amount(len(shelf.sessions), "session")
    if shown is not None:
        said = f"{shown:,} of {said}"
    if shelf.listing:
        return f"{said} · looking…"
    unread = shelf.unread
    return joined([said, f"{unread:,} unread" if unread else "", left])


def _page(shelf: Shelf, items: list[ListedSession], project: str, beside: Beside) -> Callable[[], list[Node]]:
    key = ("shelf", shelf.root, "all", project)

    def make() -> list[Node]:
        most = len(items) if key in beside.whole or len(items) <= PAGE + 1 else PAGE
        nodes = [listed_node(shelf, item, beside) for item in items[:most]]
        if most < len(items):
            nodes.append(Node("more", key, f"Show {len(items) - most:,} older", icon="add", root=shelf.root))
        return nodes

    return make


def listed_node(shelf: Shelf, item: ListedSession, beside: Beside, depth: int = 0) -> Node:
    """The row of a listed session."""
    place = item.entry.place
    kind = "agent" if depth else "session"
    node = Node(kind, ("listed", shelf.root, place), "", place=place, root=shelf.root, icon="agent" if depth else "")
    below = shelf.agents(item) if depth < _DEEPEST else []
    node.count = len(below)
    node.make = lambda: [listed_node(shelf, child, beside, depth + 1) for child in below]
    beside.runs.put_below(node, place.absolute())
    describe(node, item, opened=beside.now is not None and place == beside.now)
    return node


def describe(node: Node, item: ListedSession, *, opened: bool) -> None:
    """Write into the row what is known of its session."""
    entry = item.entry
    node.title = row_title(entry.title or entry.place.name)
    node.bad = bool(item.fault)
    node.tip = f"{item.fault}\n{entry.place}" if item.fault else str(entry.place)
    if entry.beside:
        node.tip += "\nThe same session id, with other messages, is in " + ", ".join(entry.beside)
    unread = not item.detailed and entry.calls is None
    facts = [
        "open" if opened else "",
        when(entry.started if entry.started is not None else item.stamp),
        amount(entry.calls, "call") if entry.calls is not None else "not read yet" if unread else "",
        size(entry.size) if entry.size is not None else "",
        entry.model or "",
        amount(node.count - node.saved, "sub-agent") if node.count > node.saved else "",
        amount(node.saved, "saved run") if node.saved else "",
    ]
    facts = [*facts, "another file goes on otherwise"] if entry.beside else facts
    node.facts = item.fault or joined(facts)


def _project(
    above: tuple[object, ...],
    project: str,
    name: str,
    below: list[Node] | Callable[[], list[Node]],
    sessions: int,
    newest: float | None = None,
) -> Node:
    facts = joined([amount(sessions, "session"), when(newest)])
    tip = project or "The record does not say where it was made."
    node = Node("project", (*above, "project", project), row_title(name), facts, tip, count=sessions)
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
