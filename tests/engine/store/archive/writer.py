"""The program that the kill test kills: `python archive_writer.py`, one JSON line `[folder, seed]` for each writer.

Each writer is a process of its own, forked when everything is imported, that archives without end and prints every
reference once `write` returned it.
"""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore
from tests.engine.store.archive.builders import DAY, record


def batch(seed: int, number: int) -> list[ArchiveRecord]:
    """The records of a writer's archive: the same for the same seed and number."""
    chance = random.Random(f"{seed} {number}")
    first = number * 100
    sizes = [int(10 ** chance.uniform(1, 5.5)) for _ in range(chance.randint(1, 5))]
    return [record(first + i, f"m{first + i}", chance.randbytes(size)) for i, size in enumerate(sizes)]


def say(*words: object) -> None:
    os.write(1, json.dumps(words).encode() + b"\n")


def archive_without_end(folder: Path, seed: int) -> None:
    store = ArchiveStore(folder)
    if not store.writable:
        say("refused", store.workspace.read_only)
        return
    number = 0
    while True:
        say("kept", number, store.write(f"writer:{seed}", batch(seed, number), created=DAY))
        number += 1


def main() -> None:
    for line in sys.stdin:
        folder, seed = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                archive_without_end(Path(folder), seed)
            finally:
                os._exit(1)
        say("started", child)
        os.waitpid(child, 0)
        say("ended")


if __name__ == "__main__":
    main()
