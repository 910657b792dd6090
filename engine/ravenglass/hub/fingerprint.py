"""When the file content that a group shows is outdated: by an edit, a write or a newer read of the same file."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.hub.uses import Use

NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Outdated:
    """The group's content is outdated once group `by` is known."""

    by: int
    path: str
    how: str


def outdated(uses: tuple[Use, ...]) -> dict[int, Outdated]:
    """Group -> what outdated it, for groups all of whose results show file content that is outdated by now.

    A group with a result that is no file content (a test run beside a read) never expires: what it also shows
    may still be true.
    """
    latest: dict[str, list[Use]] = {}
    content: dict[int, int] = {}
    other: set[int] = set()
    replaced: dict[int, list[Outdated]] = {}
    for use in uses:
        if use.result is None:
            other.add(use.group)
            continue
        if use.use.op == "none":
            other.add(use.group)
            continue
        path = use.use.path
        stands: list[Use] = []
        for earlier in latest.get(path, []):
            if earlier.group != use.group and _outdates(use, earlier):
                replaced.setdefault(earlier.group, []).append(Outdated(use.group, path, _HOW[use.use.op]))
            else:
                stands.append(earlier)
        if use.use.op in ("read", "write"):
            content[use.group] = content.get(use.group, 0) + 1
            stands.append(use)
        else:
            other.add(use.group)
        latest[path] = stands
    return {
        group: max(found, key=lambda o: o.by)
        for group, found in replaced.items()
        if group not in other and len(found) == content[group]
    }


_HOW = {"read": "read again", "write": "written", "edit": "edited"}


def _outdates(newer: Use, older: Use) -> bool:
    if newer.use.op in ("edit", "write"):
        return True
    return newer.use.part in ("", older.use.part)
