"""Prints how well estimates meet the provider's figures: `python -m tests.engine.replay.fidelity_table`.

Over every recorded session of ../shared/samples and ../shared/samples-2, sub-agents included, that reports usage and
has `LEAST` judged calls. Of each that is not within `MEDIAN` and `P95` it prints the markers and the sentence that say
why; one without either is counted as silent, and makes the command fail. Records whose texts were replaced by
placeholders, as the program itself finds, are counted apart: what was sent is not in them.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ravenglass.profile import Profile
from ravenglass.replay.measures.fitting.fidelity import fidelity
from ravenglass.replay.measures.fitting.fitted import Fidelity
from ravenglass.replay.recorded.changes import with_shifts
from ravenglass.sessions.model.counts import family
from ravenglass.sessions.model.session import Session
from tests.conftest import SAMPLES
from tests.engine.sessions.sample_table import rows

FOLDERS = (SAMPLES, SAMPLES.with_name("samples-2"))
LEAST = 20
MEDIAN = 0.005
P95 = 0.05


@dataclass(frozen=True)
class Judged:
    """One session with its fit; None where there are too few figures for one."""

    name: str
    session: Session
    fit: Fidelity | None

    @property
    def within(self) -> bool:
        return self.fit is not None and self.fit.errors.median <= MEDIAN and self.fit.errors.p95 <= P95

    @property
    def told(self) -> list[str]:
        """What says why a session is not within: kinds of markers, and the sentence."""
        kinds = [f"{marker.kind} before #{marker.before}" for marker in with_shifts(self.session, self.fit)]
        return [*kinds, *([self.fit.doubt] if self.fit is not None and self.fit.doubt else [])]


def reported(session: Session) -> int:
    """Calls with a figure of the provider for their whole window."""
    usages = (session.messages[call.message].usage for call in session.structure.calls)
    return sum(usage is not None and bool(usage.context) for usage in usages)


def judged(folders: tuple[Path, ...] = FOLDERS) -> Iterator[Judged]:
    """Every session with `LEAST` reported figures, in the order of names; a copy of another counts once."""
    seen: set[tuple[int | None, ...]] = set()
    for folder in folders:
        for row in rows(folder) if folder.is_dir() else ():
            for session in family(row.session) if row.session is not None else ():
                figures = tuple(m.usage.context for m in session.messages if m.usage is not None)
                if reported(session) >= LEAST and figures not in seen:
                    seen.add(figures)
                    yield Judged(row.name, session, fidelity(session, Profile()))


def _share(some: int, of: int) -> str:
    return f"{some / of:.0%}" if of else "none"


def main() -> int:
    """Print the table; 1 where a session is neither within nor says why."""
    found = [one for one in judged() if one.fit is None or one.fit.errors.calls >= LEAST]
    print(f"{'session':62} {'format':15} {'calls':>5} {'median':>8} {'p95':>8} {'held out':>17}  segments, markers")
    for one in found:
        if one.fit is None:
            print(f"{one.name[-62:]:62} {one.session.format:15} no fit")
            continue
        errors, held = one.fit.errors, one.fit.held_out
        out = f"{held.median:8.2%} {held.p95:8.2%}" if held is not None else f"{'?':>17}"
        marks = ", ".join(marker.kind for marker in with_shifts(one.session, one.fit)) or "-"
        print(
            f"{one.name[-62:]:62} {one.session.format:15} {errors.calls:5} {errors.median:8.2%} {errors.p95:8.2%} {out}"
            f"  {len(one.fit.overheads)}, {marks}"
        )
        if not one.within:
            print("".join(f"    {sentence}\n" for sentence in one.told[-1:]), end="")
    within = sum(one.within for one in found)
    silent = [one.name for one in found if not one.within and not one.told]
    replaced = sum(one.fit is not None and one.fit.replaced for one in found)
    whole = len(found) - replaced
    print(
        f"{within} of {len(found)} sessions ({_share(within, len(found))}) within {MEDIAN:.1%} at the median and"
        f" {P95:.0%} at the 95th percentile; {len(found) - within - len(silent)} say why not, {len(silent)} are silent"
    )
    print(
        f"{replaced} of them hold placeholders for their texts and cannot be judged; of the {whole} others {within}"
        f" ({_share(within, whole)}) are within"
    )
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
