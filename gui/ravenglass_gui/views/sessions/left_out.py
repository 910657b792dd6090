"""Rows of the session browser for what a listed folder holds that could not be looked at, each with its sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.sessions.node import Node, row_title

_TIP = "Called like sessions, but they could not be looked at. Everything else of the folder is listed."


def left_out_group(shelf: Shelf, words: Sequence[str]) -> Node | None:
    """A group below the projects of a listed folder; None where nothing was left out. `words` must all stand in the
    path or the reason."""
    found = [item for item in shelf.left_out if all(word in f"{item[0]} {item[1]}".casefold() for word in words)]
    if not found:
        return None
    key = ("shelf", shelf.root, "left out")
    node = Node("project", key, "Left out", amount(len(found), "entry", "entries"), _TIP, count=len(found))
    node.make = lambda: [_row(shelf.root, path, why) for path, why in found]
    return node


def _row(root: Path, path: Path, why: str) -> Node:
    sentence = f"It was left out: it {why}."
    shown = str(path.relative_to(root)) if path != root and path.is_relative_to(root) else str(path)
    return Node(
        "left", ("left", root, path), row_title(shown), sentence, f"{sentence}\n{path}", bad=True, place=path, root=root
    )
