"""Long synthetic runs, and how large their snapshots are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from ravenglass.hub.snapshots.format import encode
from ravenglass.hub.snapshots.snapshot import Snapshot
from ravenglass.replay import Run, replay
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, result, session, user


def long_run(calls: int, calls_a_task: int) -> Run:
    """A run of that many calls: reads, edits, test runs, searches; a new task after every so many."""
    return replay(session(*_talk(calls, calls_a_task)))


def _talk(calls: int, calls_a_task: int) -> Iterator[Message]:
    yield user("begin with module_0")
    for n in range(calls - 1):
        if n and n % calls_a_task == 0:
            yield assistant("Done.")
            yield user(f"now module_{n}: function_{n} in src/mod_{n}.py fails with Error{n}")
            continue
        made = (
            call("Read", file_path=f"src/mod_{n % 40}.py"),
            call("Edit", file_path=f"src/mod_{(n - 1) % 40}.py", old_string="a", new_string=f"b{n}"),
            call("Bash", command=f"pytest tests/test_{n}.py -q"),
            call("Read", file_path=f"src/mod_{n % 40}.py"),
            call("Grep", pattern=f"function_{n}"),
        )[n % 5]
        yield assistant(f"Step {n}", made)
        yield result("\n".join(f"{i}→value_{n}_{i} = function_{n}({i})" for i in range(1, 40)))
    yield assistant("The end.")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes: `naive`, every snapshot a whole JSON copy; `taken`, as written; `kept`, what retention leaves of those."""

    snapshots: int
    naive: int
    taken: int
    kept: int

    @property
    def share(self) -> float:
        return self.taken / self.naive

    def __str__(self) -> str:
        return (
            f"{self.snapshots} snapshots: {self.naive:,} bytes as full copies, {self.taken:,} as differences"
            f" ({self.share:.1%}), {self.kept:,} with retention ({self.kept / self.naive:.2%})"
        )


def snapshot_sizes(run: Run, every: int = 1) -> Sizes:
    """Sizes of the full snapshots and of every so many of the differences."""
    kept = {taken.name for taken in run.snapshots()}
    base: Snapshot | None = None
    count = naive = written = left = 0
    for number, taken in enumerate(run.snapshots_taken()):
        if taken.kind != "full" and number % every and taken.name not in kept:
            continue
        held = run.snapshot(taken)
        base = held if taken.kind == "full" else base
        size = len(encode(held, None if taken.kind == "full" else base))
        count, naive, written = count + 1, naive + len(json.dumps(asdict(held))), written + size
        left += size if taken.name in kept else 0
    return Sizes(count, naive, written, left)
