"""Saved runs in the session browser: rows below their session, and a section for sessions that stand nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ravenglass.store.library.records import SavedRun
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.sessions.node import Node, joined, row_title, when


class SavedRuns:
    """The saved runs of every session, newest first."""

    def __init__(self, runs: Iterable[SavedRun] = ()) -> None:
        self._by_place: dict[Path, list[SavedRun]] = {}
        for run in runs:
            self._by_place.setdefault(run.session, []).append(run)

    def facts(self, place: Path) -> str:
        """How many a session has; empty without one."""
        runs = self._by_place.get(place, ())
        return amount(len(runs), "saved run") if runs else ""

    def put_below(self, node: Node, place: Path) -> None:
        """Let the runs of the session at a place stand below its row, behind what is there already."""
        runs = self._by_place.get(place, ())
        if not runs:
            return
        above, key = node.make, node.key
        had = node.count
        node.saved, node.count = len(runs), had + len(runs)
        node.make = lambda: [*(above() if had else ()), *(_run(run, key) for run in runs)]

    def section(self, shown: Collection[Path], words: Sequence[str]) -> Node | None:
        """The sessions with saved runs that are not `shown` anywhere; `words` must all stand in what is shown."""
        found = [
            self._session(place)
            for place, runs in self._by_place.items()
            if place not in shown and all(word in _text(place, runs) for word in words)
        ]
        if not found:
            return None
        facts = amount(len(found), "session")
        tip = "Sessions with saved runs that are neither opened lately nor in a listed folder."
        return Node("section", ("saved",), "Saved runs", facts, tip, icon="save", count=len(found), make=lambda: found)

    def _session(self, place: Path) -> Node:
        node = Node("session", ("saved", place), row_title(place.name), self.facts(place), str(place), place=place)
        self.put_below(node, place)
        return node


def _run(run: SavedRun, above: tuple[object, ...]) -> Node:
    title = row_title(f"Run under {run.profile_name}")
    facts = joined([when(run.created), "" if run.folder is None else run.folder.name])
    tip = "Only its figures were kept." if run.folder is None else str(run.folder)
    return Node("run", (*above, "run", run.id), title, facts, tip, icon="save", run=run)


def _text(place: Path, runs: Iterable[SavedRun]) -> str:
    return " ".join([place.name, *(run.profile_name for run in runs)]).casefold()
