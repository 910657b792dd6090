"""What of a registry is alive at a call, and why, in a sentence an entry. Cheap: no call is run again for it.

An item is alive while it may stand in a window: it is neither expired nor archived, and was sent. Why it stands in this
window and not in another is what `Run.why` answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.replay.frame import ArchiveEntry, ManifestRow
from ravenglass.replay.run import Run, SimulatedRun


@dataclass(frozen=True, slots=True)
class Alive:
    """Whether an entry is alive right after a call; `why` is a sentence without its full stop."""

    alive: bool
    why: str


class Living:
    """Answers for the entries of one run at one call. Raises IndexError outside 1..calls."""

    def __init__(self, run: Run, call: int) -> None:
        self._run = run
        self._call = call
        self._request = run.frame(call).user_message

    def of(self, entry: RegistryEntry) -> Alive:
        """Of an entry of the registry at that call."""
        if entry.group is None and entry.scope == "file" and entry.state is State.ARCHIVED:
            return Alive(alive=False, why=self._archived(entry.message))
        if entry.group is None:
            return Alive(alive=entry.state not in (State.EXPIRED, State.ARCHIVED), why=_no_message(entry))
        never = self._run.session.structure.never_sent
        if entry.message in never:
            return Alive(alive=False, why=f"never sent: {never[entry.message]}")
        match entry.state:
            case State.EXPIRED:
                return Alive(alive=False, why=self._expired(entry.group))
            case State.ARCHIVED:
                return Alive(alive=False, why=self._archived(entry.message))
        row = self._run.row(self._call, entry.message)
        return Alive(alive=True, why=self._stands(row) if row.included else self._waits(row))

    def _expired(self, group: int) -> str:
        run = self._run
        facts = run.facts_at(self._call) if isinstance(run, SimulatedRun) else None
        end = facts.standing.expired.get(group) if facts is not None else None
        return "expired" if end is None else f"expired at call {end.call:,}: {end.reason}"

    def _archived(self, message: int) -> str:
        entry = self._archivings.get(message)
        return "archived" if entry is None else f"archived at call {entry.call:,} by {entry.by}: {entry.reason}"

    @cached_property
    def _archivings(self) -> dict[int, ArchiveEntry]:
        return {message: entry for entry in self._run.archive(self._call) for message in entry.messages}

    def _stands(self, row: ManifestRow) -> str:
        form = "in full" if row.form is Form.FULL else f"as {row.form.label}"
        if self._run.kind == "recorded":
            return f"in the recorded window {form}"
        if row.id == self._request:
            return f"in the window {form}: the current request"
        kept = "pinned" if row.pinned else "protected" if row.protected else f"{row.tier} tier, score {row.score:.2f}"
        return f"in the window {form}: {kept}"

    def _waits(self, row: ManifestRow) -> str:
        since = next((span.first for span in reversed(self._run.life(row.id)) if span.first <= self._call), None)
        when = "" if since is None else f" since call {since:,}"
        if row.state is State.REGISTERED:
            return f"known{when}, in no window yet"
        return f"on standby{when}: not in the window, may come back, score {row.score:.2f}"


def _no_message(entry: RegistryEntry) -> str:
    if entry.source == "summary":
        return "the summary in the window"
    if entry.scope == "file":
        left = f"the file as the edit #{entry.message} left it"
        return f"{left}; shown or changed again since" if entry.state is State.EXPIRED else left
    if entry.state is State.ACTIVE:
        return f"a decision from #{entry.message}, in the window's working state"
    return f"a decision from #{entry.message}, not in the window's working state yet"
