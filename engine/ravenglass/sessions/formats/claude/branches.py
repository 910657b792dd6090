"""Branches that the user rewound away from: what was said before going back to an earlier message.

A fork of the record tree is one only where a person's message hangs below a record that was followed by something else
already, and the provider's figures, where there are any, fell by what was left. All other forks (parallel tool calls,
progress, attachments, retried errors) are how the writer writes: with records of that kind between the two, only
figures prove a rewind.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from ravenglass.sessions.formats.claude.draft import ClaudeDraft, weighed
from ravenglass.sessions.formats.claude.links import NOBODY, Links
from ravenglass.sessions.importing.figures import left_window


@dataclass(frozen=True, slots=True)
class Abandoned:
    """Drafts that were left when the user wrote draft `at`; ascending."""

    at: int
    drafts: tuple[int, ...]
    records: frozenset[int]


def abandoned(drafts: Sequence[ClaudeDraft], links: Links) -> list[Abandoned]:
    """Rewound branches in the order in which they were left. No draft is in two."""
    parents = _message_parents(links)
    children: dict[int, list[int]] = {}
    for record, parent in enumerate(parents):
        if parent != NOBODY and links.owners[record] != NOBODY:
            children.setdefault(parent, []).append(record)
    forks = {
        parent: found
        for parent, found in children.items()
        if len(found) > 1 and not links.calling[parent] and parent not in links.again
        and any(_is_persons(drafts[links.owners[record]]) for record in found[1:])
    }  # fmt: skip
    if not forks:
        return []
    latest = _latest(parents)
    branches = []
    for found in forks.values():
        start = 0
        for place, record in enumerate(found):
            if place == 0 or not _is_persons(drafts[links.owners[record]]):
                continue
            # What goes on being written after the person's message was not left by it.
            if all(latest[earlier] < record for earlier in found[start:place]):
                branches.append((record, tuple(found[start:place])))
                start = place
    return _collect(sorted(branches), children, drafts, links)


def _is_persons(draft: ClaudeDraft) -> bool:
    return draft.role == "user" and draft.kind in ("prompt", "command")


def _is_said(draft: ClaudeDraft) -> bool:
    return draft.kind == "prompt" or (draft.role == "assistant" and "api_error" not in draft.flags)


def _message_parents(links: Links) -> array[int]:
    """Record -> the nearest record above it that holds a message."""
    found = array("l", [NOBODY]) * len(links)
    for record, parent in enumerate(links.parents):
        if parent != NOBODY:
            found[record] = parent if links.owners[parent] != NOBODY else found[parent]
    return found


def _latest(parents: array[int]) -> array[int]:
    """Record -> the last record at or below it. Parents always stand before their children."""
    found = array("l", range(len(parents)))
    for record in range(len(parents) - 1, -1, -1):
        parent = parents[record]
        if parent != NOBODY:
            found[parent] = max(found[parent], found[record])
    return found


def _collect(
    branches: list[tuple[int, tuple[int, ...]]],
    children: dict[int, list[int]],
    drafts: Sequence[ClaudeDraft],
    links: Links,
) -> list[Abandoned]:
    gone: set[int] = set()
    result = []
    figures = [weighed(draft) for draft in drafts]
    by_record: dict[int, list[int]] = {}
    for place, draft in enumerate(drafts):
        by_record.setdefault(draft.records[0], []).append(place)
    for at, roots in branches:
        records = _below(roots, children) - gone
        held = sorted({p for r in records for p in by_record.get(r, ()) if set(drafts[p].records) <= records | gone})
        # A person's message without any answer, or an answer, makes a branch; a harness's note does not.
        if not any(_is_said(drafts[p]) for p in held):
            continue
        agrees = left_window(figures, held, links.owners[at])
        if agrees is False or (agrees is None and links.owners[links.parents[at]] == NOBODY):
            continue
        gone |= records
        result.append(Abandoned(links.owners[at], tuple(held), frozenset(records)))
    return result


def _below(roots: Sequence[int], children: dict[int, list[int]]) -> set[int]:
    found: set[int] = set()
    todo = list(roots)
    while todo:
        record = todo.pop()
        if record not in found:
            found.add(record)
            todo.extend(children.get(record, ()))
    return found
