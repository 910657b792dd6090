"""When the file content that a group shows is outdated: by a change of the file, or by a newer read of it.

Changes are edits, writes, removals and moves, by file tools, patches and clear shell commands, and diffs that show
the file otherwise than it was shown before. Source: design, fingerprints.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ravenglass.hub.files.content import file_content
from ravenglass.hub.files.file_use import SYMBOL, FileUse
from ravenglass.hub.files.named_symbol import overlaps
from ravenglass.hub.files.paths import inside
from ravenglass.hub.files.uses import Use

NEVER = 1 << 60


@dataclass(frozen=True, slots=True)
class Outdated:
    """The group's content is outdated once group `by` is known."""

    by: int
    path: str
    how: str


@dataclass(frozen=True, slots=True)
class ShownContent:
    """Content of `file` that a tool call shows: the call's number among the uses, its group, and what outdated it."""

    number: int
    group: int
    file: FileUse
    by: Outdated | None


@dataclass(slots=True)
class _Standing:
    """Content of a file that nothing has outdated so far, with its place among all contents."""

    place: int
    use: Use
    file: FileUse


def outdated(uses: Sequence[Use]) -> dict[int, Outdated]:
    """Group -> what outdated it, for groups all of whose results show file content that is outdated by now.

    A group with a result that is no file content (a test run beside a read) never expires: what it also shows
    may still be true.
    """
    found: dict[int, Outdated] = {}
    for group, contents in content_of_groups(uses).items():
        ends = [shown.by for shown in contents]
        if ends and all(ends):
            found[group] = max((end for end in ends if end is not None), key=lambda o: o.by)
    return found


def content_of_groups(uses: Sequence[Use]) -> dict[int, list[ShownContent]]:
    """Group -> the file content that it shows, for groups that show nothing else."""
    contents: dict[int, list[ShownContent]] = defaultdict(list)
    for shown in shown_content(uses):
        contents[shown.group].append(shown)
    other = {use.group for use in uses if not shows_content(use)}
    return {group: found for group, found in contents.items() if group not in other}


def shows_content(use: Use) -> bool:
    """Whether the call was answered and all that it shows is content of files."""
    return use.result is not None and bool(use.files) and all(file.op in ("read", "write") for file in use.files)


def shown_content(uses: Sequence[Use]) -> list[ShownContent]:
    """Every content that a call shows, one a file, in order."""
    standing: dict[str, list[_Standing]] = {}
    contents: list[tuple[int, int, FileUse]] = []
    ends: list[Outdated | None] = []
    for number, use in enumerate(uses):
        if use.result is None:
            continue
        for path, file in _changes(use, standing):
            stands: list[_Standing] = []
            for earlier in standing.get(path, []):
                how = "" if earlier.use.group == use.group else _how(use, file, earlier)
                if how:
                    ends[earlier.place] = Outdated(use.group, path, how)
                else:
                    stands.append(earlier)
            standing[path] = stands
        for file in use.files:
            if file.op in ("read", "write"):
                standing.setdefault(file.path, []).append(_Standing(len(contents), use, file))
                contents.append((number, use.group, file))
                ends.append(None)
    return [ShownContent(*content, end) for content, end in zip(contents, ends, strict=True)]


def _changes(use: Use, standing: dict[str, list[_Standing]]) -> Iterator[tuple[str, FileUse | None]]:
    """Paths that the call may outdate, each with its use; None where the result is a diff that shows the path."""
    for file in use.files:
        if file.how in _WHOLE_FOLDERS:
            yield from ((path, file) for path in list(standing) if inside(path, file.path))
        else:
            yield file.path, file
    for patch in use.patches:
        yield patch.path, None


_WHOLE_FOLDERS = ("removed", "moved", "restored")
"""What may have been done to a folder as well as to a file."""
_HOW = {"read": "read again", "write": "written", "edit": "edited"}


def _how(newer: Use, file: FileUse | None, older: _Standing) -> str:
    """How the newer use outdates the older content; empty where it does not."""
    if file is None:
        whole = not older.file.part
        content = file_content(older.use)
        shows = any(p.path == older.file.path and p.contradicts(content, whole=whole) for p in newer.patches)
        return "shown as changed" if shows else ""
    if file.op == "read" and file.part not in ("", older.file.part):
        return ""
    if file.op == "edit" and not file.how and older.file.part.startswith(SYMBOL):
        return _HOW["edit"] if overlaps(newer.call, file_content(older.use)) else ""
    return file.how or _HOW[file.op]
