"""When the file content that a group shows is outdated: by a change of the file, or by a newer read of it.

Changes are edits, writes, removals and moves, by file tools, patches and clear shell commands, and diffs that show
the file otherwise than it was shown before. Source: design, fingerprints.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ravenglass.hub.files.content import file_content
from ravenglass.hub.files.file_use import SYMBOL, FileUse
from ravenglass.hub.files.known import patched
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
    content: str | None = None
    """What the file holds since edits that brought a whole read up to date; None: what the use showed."""

    def shown(self) -> str:
        """What is known of the file, by this content and the edits since."""
        return file_content(self.use) if self.content is None else self.content


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


def content_of_groups(uses: Sequence[Use], *, updating: bool = False) -> dict[int, list[ShownContent]]:
    """Group -> the file content that it shows, for groups that show nothing else. `updating` as in `ContentWatch`."""
    contents: dict[int, list[ShownContent]] = defaultdict(list)
    for shown in shown_content(uses, updating=updating):
        contents[shown.group].append(shown)
    other = {use.group for use in uses if not shows_content(use)}
    return {group: found for group, found in contents.items() if group not in other}


def shows_content(use: Use) -> bool:
    """Whether the call was answered and all that it shows is content of files."""
    return use.result is not None and bool(use.files) and all(file.op in ("read", "write") for file in use.files)


def shown_content(uses: Sequence[Use], *, updating: bool = False) -> list[ShownContent]:
    """Every content that a call shows, one a file, in order. `updating` as in `ContentWatch`."""
    watch = ContentWatch(updating=updating)
    for number, use in enumerate(uses):
        watch.take(number, use)
    return watch.contents()


_REMEMBERED = 512
"""Calls that a watch can take back: results that come later than so many calls are rare."""


@dataclass(slots=True)
class _Taken:
    """What taking in one call changed: contents of the files before it, and places of contents that it outdated."""

    number: int
    contents: int
    files: list[tuple[str, tuple[_Standing, ...]]]
    places: list[int]
    edited: list[int]
    """Places of contents that it brought up to date."""


class ContentWatch:
    """Takes in calls in their order, and says what each outdated. The latest ones can be taken back.

    `updating`: an edit that says what it did does not outdate a whole read, but brings it up to date.
    """

    def __init__(self, *, updating: bool = False) -> None:
        self._updating = updating
        self._edits: dict[int, list[int]] = {}
        """Place of a whole read -> the edits that brought it up to date, as numbers of calls."""
        self._standing: dict[str, tuple[_Standing, ...]] = {}
        self._contents: list[tuple[int, int, FileUse]] = []
        self._ends: list[Outdated | None] = []
        self._of: dict[int, list[int]] = {}
        """Number of a call -> places of the contents that it shows."""
        self._taken: deque[_Taken] = deque(maxlen=_REMEMBERED)
        self._forgotten = -1
        """The latest call that can not be taken back any more."""

    def contents(self) -> list[ShownContent]:
        """Every content so far, in order."""
        return [ShownContent(*content, end) for content, end in zip(self._contents, self._ends, strict=True)]

    def ends(self, number: int) -> list[Outdated | None]:
        """What outdated each content that a call shows."""
        return [self._ends[place] for place in self._of.get(number, ())]

    def edits(self) -> dict[int, tuple[int, ...]]:
        """Number of a whole read -> those of the edits that brought it up to date, in order."""
        return {self._contents[place][0]: tuple(numbers) for place, numbers in self._edits.items() if numbers}

    def take(self, number: int, use: Use) -> list[int]:
        """Take in the next call, which has a number among all. Returns the numbers of earlier calls that show content
        which it outdated."""
        if use.result is None:
            return []
        taken = _Taken(number, len(self._contents), [], [], [])
        for path, file in _changes(use, self._standing):
            before = self._standing.get(path, ())
            stands: list[_Standing] = []
            for earlier in before:
                how = "" if earlier.use.group == use.group else _how(use, file, earlier)
                updated = _updated(use, file, earlier) if how and self._updating else None
                if updated is not None:
                    self._edits.setdefault(earlier.place, []).append(number)
                    taken.edited.append(earlier.place)
                    stands.append(updated)
                elif how:
                    self._ends[earlier.place] = Outdated(use.group, path, how)
                    taken.places.append(earlier.place)
                else:
                    stands.append(earlier)
            if tuple(stands) != before:
                taken.files.append((path, before))
                self._standing[path] = tuple(stands)
        for file in use.files:
            if file.op in ("read", "write"):
                before = self._standing.get(file.path, ())
                taken.files.append((file.path, before))
                self._standing[file.path] = (*before, _Standing(len(self._contents), use, file))
                self._of.setdefault(number, []).append(len(self._contents))
                self._contents.append((number, use.group, file))
                self._ends.append(None)
        if len(self._taken) == _REMEMBERED:
            self._forgotten = self._taken[0].number
        self._taken.append(taken)
        return [self._contents[place][0] for place in taken.places]

    def back(self, number: int) -> list[int] | None:
        """Take back the call with this number and all behind it. Returns the numbers of earlier calls whose content is
        not outdated any more; None where that was too long ago, and nothing is taken back."""
        if number <= self._forgotten:
            return None
        found: list[int] = []
        while self._taken and self._taken[-1].number >= number:
            taken = self._taken.pop()
            for path, before in reversed(taken.files):
                self._standing[path] = before
            for place in taken.places:
                self._ends[place] = None
                found.append(self._contents[place][0])
            for place in taken.edited:
                self._edits[place].pop()
            del self._contents[taken.contents :], self._ends[taken.contents :]
            self._of.pop(taken.number, None)
        return [earlier for earlier in found if earlier < number]


def _changes(use: Use, standing: Mapping[str, Sequence[_Standing]]) -> Iterator[tuple[str, FileUse | None]]:
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
        content = older.shown()
        shows = any(p.path == older.file.path and p.contradicts(content, whole=whole) for p in newer.patches)
        return "shown as changed" if shows else ""
    if file.op == "read" and file.part not in ("", older.file.part):
        return ""
    if file.op == "edit" and not file.how and older.file.part.startswith(SYMBOL):
        return _HOW["edit"] if overlaps(newer.call, file_content(older.use)) else ""
    return file.how or _HOW[file.op]


def _updated(edit: Use, file: FileUse | None, older: _Standing) -> _Standing | None:
    """A whole read after an edit of its file; None where that is none, or does not say what it left behind."""
    alone = len(edit.files) == len(older.use.files) == 1
    if file is None or not alone or file.op != "edit" or file.how not in ("", "patched"):
        return None
    if older.file.op != "read" or older.file.part:
        return None
    content = patched(edit.call, older.shown())
    return None if content is None else replace(older, content=content)


class Edited:
    """Whole reads that later edits of their files brought up to date. Messages are results, by id.

    A window that shows such a read as the edits left it keeps a number with it, its `cap`: which edits it knows, and
    whether large results are stubs.
    """

    def __init__(self, uses: Sequence[Use]) -> None:
        watch = ContentWatch(updating=True)
        for number, use in enumerate(uses):
            watch.take(number, use)
        self._uses = uses
        self._edits: dict[int, tuple[int, ...]] = {}
        self._reads: dict[int, int] = {}
        self.groups: dict[int, tuple[int, ...]] = {}
        """Group -> its results that were brought up to date."""
        for read, edits in watch.edits().items():
            message, group = uses[read].result, uses[read].group
            if message is not None and message not in self._edits:
                self._edits[message], self._reads[message] = edits, read
                self.groups[group] = (*self.groups.get(group, ()), message)
        self._latest: tuple[int, int, str] = (-1, -1, "")

    def cap(self, group: int, boundary: int, *, offloaded: bool) -> int:
        """What a group remembers that shows the edits whose results have an id below `boundary`; 0 where it shows
        none."""
        latest = max((self._last(message, boundary) for message in self.groups.get(group, ())), default=-1)
        return latest * 2 + 2 + offloaded if latest >= 0 else 0

    def _last(self, message: int, boundary: int) -> int:
        """The result of the last edit that is known; -1: none is. One that is not known yet hides those behind it."""
        return max(self._known(message, boundary), default=-1)

    def _known(self, message: int, boundary: int) -> list[int]:
        results = (self._result(edit) for edit in self._edits.get(message, ()))
        return list(takewhile(lambda result: result < boundary, results))

    def _result(self, number: int) -> int:
        result = self._uses[number].result
        assert result is not None
        return result

    def by(self, message: int, cap: int) -> int | None:
        """The result of the edit that a read is shown after; None: it is shown as it was."""
        last = self._last(message, cap // 2)
        return last if last >= 0 else None

    def shown(self, group: int, cap: int) -> tuple[int, ...]:
        """Results of the edits that a group with this cap shows, ascending."""
        found = {result for message in self.groups.get(group, ()) for result in self._known(message, cap // 2)}
        return tuple(sorted(found))

    def content(self, message: int, cap: int) -> str:
        """What the file holds after the edits that a group with this cap shows."""
        count = len(self._known(message, cap // 2))
        known, done, text = self._latest
        if known != message or done > count:
            done, text = 0, file_content(self._uses[self._reads[message]])
        for edit in self._edits[message][done:count]:
            text = patched(self._uses[edit].call, text) or ""
        self._latest = (message, count, text)
        return text

    def changed(self, first: int, boundary: int) -> list[int]:
        """Groups with a read that an edit with a result from `first` on, below `boundary`, brought up to date."""
        return sorted({g for g, messages in self.groups.items() for m in messages
                       if any(first <= self._result(edit) < boundary for edit in self._edits[m])})  # fmt: skip
