"""The nine parts of a summary, each made of lines of the record, the most telling first.

Source: design, section 10. What a part takes is told of messages that left the window, except for what is pending and
what comes next, which are those of the call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ravenglass.curator.summary.digest import Digest, Failure, SaidLine, Touch, called, last_line, readable
from ravenglass.curator.working_state import signals
from ravenglass.curator.working_state.lines import WorkingState, cut
from ravenglass.profile import Profile
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.session import Message

SHORTEST = 30
"""Characters below which a user's message is dropped rather than cut further."""
_SHARED = 2
"""So many groups have to hold a word before it is a concept."""


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """Lines of one part. `share`: its weight when the tokens are shared out. `every`: lines are cut before any is
    left out."""

    title: str
    share: int
    lines: tuple[SaidLine, ...]
    chronological: bool = True
    every: bool = False

    def cut_to(self, length: int) -> SummaryPart:
        """With lines of at most that many characters."""
        return replace(self, lines=tuple(SaidLine(line.message, cut(line.text, length)) for line in self.lines))


@dataclass(frozen=True)
class Story:
    """What a summary is made from: the groups that left, as the call knows them, and the working state."""

    features: Features
    digest: Digest
    state: WorkingState
    call: int
    groups: tuple[int, ...]
    profile: Profile

    @cached_property
    def boundary(self) -> int:
        return self.features.boundary(self.call)

    @cached_property
    def left(self) -> frozenset[int]:
        """Ids of the messages that left."""
        return frozenset(m for g in self.groups for m in self.features.groups[g].messages if m < self.boundary)

    def line(self, message: int, text: str) -> SaidLine:
        """A line of the summary: cut, and with its message's number."""
        return SaidLine(message, f"{cut(text, self.profile.snippet_chars)} (#{message})")

    def newest(self, said: Iterable[SaidLine | None]) -> tuple[SaidLine, ...]:
        """Lines of what was said, the newest first, each text once."""
        found = {one.text: one for one in said if one is not None}
        return tuple(self.line(one.message, one.text) for one in sorted(found.values(), key=lambda one: -one.message))

    @cached_property
    def latest(self) -> Message | None:
        """The assistant's latest message."""
        messages = self.features.session.messages
        return next((messages[m] for m in range(self.boundary - 1, -1, -1) if messages[m].role == "assistant"), None)

    @cached_property
    def prompt(self) -> Message | None:
        """The latest prompt."""
        messages = self.features.session.messages
        return next((messages[m] for m in range(self.boundary - 1, -1, -1) if messages[m].kind == "prompt"), None)


def _requests(story: Story) -> SummaryPart:
    lines = story.newest(story.digest.of(g).request for g in story.groups)
    # What the session began with says most of what it is for; after it the newest.
    return SummaryPart("Request and intent", 2, (*lines[-1:], *lines[:-1]))


def _concepts(story: Story) -> SummaryPart:
    counts = Counter(word for g in story.groups for word in story.digest.of(g).words)
    words = [word for word, count in counts.most_common(story.profile.keyword_count) if count >= _SHARED]
    line = (SaidLine(0, ", ".join(words)),) if words else ()
    return SummaryPart("Key concepts", 1, line, chronological=False)


def _files(story: Story) -> SummaryPart:
    by_path: dict[str, list[Touch]] = {}
    for touch in (t for g in story.groups for t in story.digest.touches.get(g, ()) if t.message < story.boundary):
        by_path.setdefault(touch.path, []).append(touch)
    ranked = sorted(by_path.values(), key=lambda touches: (-_changes(touches), -len(touches), touches[0].path))
    lines = tuple(story.line(touches[-1].message, _file(touches)) for touches in ranked)
    return SummaryPart("Files and code", 3, lines, chronological=False)


def _changes(touches: list[Touch]) -> int:
    return sum(touch.op != "read" for touch in touches)


def _file(touches: list[Touch]) -> str:
    """`src/auth.py: edit 2×, read 1×; wrote: def login(user):`."""
    counts = Counter(touch.op for touch in touches)
    done = ", ".join(f"{op} {counts[op]}×" for op in ("write", "edit", "read") if counts[op])
    code = next((touch.code for touch in reversed(touches) if touch.code), "")
    return f"{touches[0].path}: {done}" + (f"; wrote: {code}" if code else "")


def _errors(story: Story) -> SummaryPart:
    failures = (f for g in story.groups for f in story.digest.failures(g) if f.message < story.boundary)
    newest = sorted(failures, key=lambda failure: -failure.message)
    # One error that came again and again is told once, as it was last.
    once = {failure.text: failure for failure in reversed(newest)}
    lines = (story.line(f.message, f.text + _outcome(f, story.boundary)) for f in newest if once[f.text] is f)
    return SummaryPart("Errors and fixes", 2, tuple(lines))


def _outcome(failure: Failure, boundary: int) -> str:
    told = ""
    if failure.fix is not None and failure.fix.message < boundary:
        told += f" → changed {failure.fix.text} in #{failure.fix.message}"
    if failure.passed is not None and failure.passed < boundary:
        told += f" → passed in #{failure.passed}"
    return told


def _solving(story: Story) -> SummaryPart:
    decided = story.newest(SaidLine(d.source, d.text) for d in story.state.decisions if d.source in story.left)
    closing = story.newest(story.digest.of(g).closing for g in story.groups)
    narrated = story.newest(story.digest.of(g).narration for g in story.groups)
    return SummaryPart("Problem solving", 2, tuple(dict.fromkeys((*decided, *closing, *narrated))))


def _user_messages(story: Story) -> SummaryPart:
    messages = story.features.session.messages
    asked = (messages[m] for m in sorted(story.left, reverse=True) if messages[m].kind == "prompt")
    lines = tuple(SaidLine(m.id, f"#{m.id}: {readable(m.text)}") for m in asked if m.text.strip())
    return SummaryPart("All user messages", 4, lines, every=True)


def _pending(story: Story) -> SummaryPart:
    lines = tuple(story.line(thread.source, thread.text) for thread in story.state.open_threads)
    return SummaryPart("Pending tasks", 2, lines, chronological=False)


def _current(story: Story) -> SummaryPart:
    return SummaryPart("Current work", 1, tuple(_working(story)), chronological=False)


def _working(story: Story) -> Iterator[SaidLine]:
    latest, prompt = story.latest, story.prompt
    if latest is not None:
        said = signals.telling(readable(latest.text))
        doing = f"{said} [{called(latest)}]" if latest.tool_calls else said
        if doing:
            yield story.line(latest.id, doing.strip())
    if prompt is not None:
        asked = signals.request(readable(prompt.text))
        if asked:
            yield story.line(prompt.id, f"Asked for: {asked}")


def _next(story: Story) -> SummaryPart:
    latest, prompt = story.latest, story.prompt
    line: SaidLine | None = None
    announced = last_line(latest.text) if latest is not None and latest.tool_calls else ""
    if story.state.open_threads:
        thread = story.state.open_threads[0]
        line = story.line(thread.source, f"Go on with: {thread.text}")
    elif latest is not None and announced:
        line = story.line(latest.id, announced)
    elif prompt is not None and (latest is None or prompt.id > latest.id or latest.tool_calls):
        line = story.line(prompt.id, "Answer the latest request")
    return SummaryPart("Next step", 1, (line,) if line is not None else (), chronological=False)


PARTS: tuple[Callable[[Story], SummaryPart], ...] = (
    _requests, _concepts, _files, _errors, _solving, _user_messages, _pending, _current, _next,
)  # fmt: skip
"""In the order of the design."""
