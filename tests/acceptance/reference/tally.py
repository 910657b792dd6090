"""Counts comparisons by kind, and keeps the deviations as sentences."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field


@dataclass
class Tally:
    """`told`: sentences by kind. `apart`: what could not be predicted and was checked by its limits only."""

    runs: int = 0
    calls: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    deviations: Counter[str] = field(default_factory=Counter)
    apart: Counter[str] = field(default_factory=Counter)
    told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    where: str = ""

    def same(self, kind: str, ours: object, theirs: object, what: str = "") -> bool:
        """Compare one value; floats to 1e-9 of their size."""
        self.compared[kind] += 1
        if isinstance(ours, float) and isinstance(theirs, int | float):
            equal = abs(ours - theirs) <= 1e-9 * max(1.0, abs(ours))
        else:
            equal = ours == theirs
        if not equal:
            self.deviates(kind, f"{what}: reference {_short(ours)}, program {_short(theirs)}")
        return equal

    def holds(self, kind: str, holds: bool, what: str) -> None:
        """One rule that must hold."""
        self.compared[kind] += 1
        if not holds:
            self.deviates(kind, what)

    def deviates(self, kind: str, what: str) -> None:
        self.deviations[kind] += 1
        if len(self.told[kind]) < 40:
            self.told[kind].append(f"{self.where}: {what}")

    def add(self, other: Tally) -> None:
        """Take in what another one counted."""
        self.runs += other.runs
        self.calls += other.calls
        self.compared += other.compared
        self.deviations += other.deviations
        self.apart += other.apart
        for kind, sentences in other.told.items():
            self.told[kind] = [*self.told[kind], *sentences][:40]

    def table(self) -> str:
        """What is printed at the end."""
        lines = [f"{self.runs:,} runs, {self.calls:,} calls", f"{'compared':<22}{'comparisons':>14}{'deviations':>12}"]
        lines += [f"{kind:<22}{self.compared[kind]:>14,}{self.deviations[kind]:>12,}" for kind in sorted(self.compared)]
        total = sum(self.compared.values())
        lines.append(f"{'all':<22}{total:>14,}{sum(self.deviations.values()):>12,}")
        lines += [f"by limits only: {what}: {n:,}" for what, n in sorted(self.apart.items())]
        return "\n".join(lines)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 160 else f"{text[:157]}..."
