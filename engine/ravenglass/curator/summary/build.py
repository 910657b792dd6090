"""The summary: what stands in a window for messages that even offload and eviction could not keep. The last resort.

Nine parts and the path of the transcript, which is on the disk before anything is said. Extractive, without a model:
every line is a piece of the record with the id of its message. The same record gives the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ravenglass.curator.summary.digest import Digest, SaidLine
from ravenglass.curator.summary.parts import PARTS, SHORTEST, Story, SummaryPart
from ravenglass.curator.working_state.lines import Versions
from ravenglass.curator.working_state.state import state_at
from ravenglass.hub.summary import Summary
from ravenglass.profile import Profile
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.derived import Slot

HEADING = "# Summary of the earlier conversation"
NOTHING = "- nothing in what left the window"
LAST_LINE = "Read the full transcript at: "


class Transcript(Protocol):
    """The file that holds every message verbatim."""

    @property
    def path(self) -> str:
        """Where a reader finds it."""
        ...

    def dump(self, count: int) -> bool:
        """Have the first `count` messages in the file, for good. False where that cannot be done."""
        ...


_DIGEST = Slot[Digest]("digest")


def digest_of(features: Features) -> Digest:
    """What is worth telling of a session, kept with it."""
    known = _DIGEST.get(features.session)
    if known is None or known.features is not features:
        known = _DIGEST.keep(features.session, Digest(features))
    return known


class RecordedTranscript:
    """The file that a session was read from: everything is in it already, and a replay writes nothing."""

    def __init__(self, path: Path) -> None:
        self.path = one_line(str(path.absolute()))

    def dump(self, count: int) -> bool:  # noqa: ARG002 - a recorded session is whole
        return True


def one_line(path: str) -> str:
    """A path on one line: line ends, which a file name may hold, as escapes."""
    return path.replace("\n", "\\n").replace("\r", "\\r")


class Extractive:
    """Makes summaries of one session."""

    def __init__(
        self,
        digest: Digest,
        states: Versions,
        profile: Profile,
        transcript: Transcript,
        count: Callable[[str], int],
    ) -> None:
        """`states` are those of the working state, `count` gives the tokens of a text."""
        self._features = digest.features
        self._states = states
        self._profile = profile
        self._transcript = transcript
        self._count = count
        self._digest = digest

    def summary(self, call: int, groups: Sequence[int], cap: int) -> Summary | None:
        """See `scheduler.last_resort.Summarizer`."""
        features = self._features
        boundary = features.boundary(call)
        left = [m for g in groups for m in features.groups[g].messages if m < boundary]
        if not left or not self._transcript.dump(boundary):
            return None
        story = Story(features, self._digest, state_at(self._states, call), call, tuple(groups), self._profile)
        room = cap - self._profile.message_overhead
        text = self._fitted([part(story) for part in PARTS], len(left), room)
        if text is None:
            return None
        return Summary(call, text, self._count(text) + self._profile.message_overhead, len(left))

    def _fitted(self, parts: list[SummaryPart], messages: int, room: int) -> str | None:
        """The text with as many lines as `room` tokens hold; None where not even one does.

        Each part may first use its share, then what the others left, in their order.
        """
        chosen: list[list[int]] = [[] for _ in parts]
        left = room - self._count(self._text(parts, chosen, messages))
        if left <= 0:
            return None
        shares = sum(part.share for part in parts)
        parts = [self._shortened(part, left * part.share // shares) if part.every else part for part in parts]
        spare = left
        for part, lines in zip(parts, chosen, strict=True):
            spare -= self._take(part, lines, left * part.share // shares)
        # Before any part tells more than its share, each has told what it has to tell first.
        for most in (1, None):
            for part, lines in zip(parts, chosen, strict=True):
                spare -= self._take(part, lines, spare, most)
        # Tokens of a text need not be the sum of those of its lines.
        text = self._text(parts, chosen, messages)
        while self._count(text) > room:
            longest = max(chosen, key=len)
            if not longest:
                return None
            longest.pop()
            text = self._text(parts, chosen, messages)
        return text if any(chosen) else None

    def _shortened(self, part: SummaryPart, room: int) -> SummaryPart:
        """The part with each line cut as far as it takes to hold every one of them in `room`."""
        length = self._profile.snippet_chars
        made = part.cut_to(length)
        while length > SHORTEST and sum(map(self._cost, made.lines)) > room:
            length //= 2
            made = part.cut_to(length)
        return made

    def _cost(self, line: SaidLine) -> int:
        return self._count(f"- {line.text}\n")

    def _take(self, part: SummaryPart, chosen: list[int], room: int, most: int | None = None) -> int:
        """Choose further lines of a part, the most telling first, while they fit and it has not `most`; returns the
        tokens they take."""
        used = 0
        for position in range(len(chosen), len(part.lines))[: None if most is None else max(0, most - len(chosen))]:
            cost = self._cost(part.lines[position])
            if used + cost > room:
                break
            chosen.append(position)
            used += cost
        return used

    def _text(self, parts: list[SummaryPart], chosen: list[list[int]], messages: int) -> str:
        rows = [
            HEADING,
            f"It stands for {messages:,} messages that left the window; a message's number (#) retrieves it.",
        ]
        for number, (part, positions) in enumerate(zip(parts, chosen, strict=True), start=1):
            lines = [part.lines[p] for p in positions]
            if part.chronological:
                lines.sort(key=lambda line: line.message)
            rows += ["", f"## {number}. {part.title}", *(f"- {line.text}" for line in lines)]
            if not lines:
                rows.append("- none told here" if part.lines else NOTHING)
            elif len(lines) < len(part.lines):
                rows.append(f"- and {len(part.lines) - len(lines):,} more")
        return "\n".join((*rows, "", f"{LAST_LINE}{self._transcript.path}"))
