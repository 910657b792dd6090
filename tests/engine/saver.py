"""The program that the kill test of saving kills: one JSON line `[folder, number]` for each saver.

Each saver is a process of its own, forked when everything is imported, that saves into the folder again and again.
"""

from __future__ import annotations

import json
import os
import sys
from itertools import count
from pathlib import Path

from ravenglass.store.run_folder import RunFolder

SESSION = "killed"
CONTENT = (
    *((f"traces/{SESSION}/{number:04}.jsonl", b"x" * 10_000 * number) for number in range(8)),
    ("run.json", b"{}"),
    ("windows.jsonl", b"w" * 200_000),
)
"""(name, what follows the version) of the files of a save."""


def save_without_end(folder: Path, number: int) -> None:
    for attempt in count():
        with RunFolder(folder, SESSION, "default", force=True) as place:
            for name, data in CONTENT:
                place.write(name, [f"{number:10}{attempt:10}".encode(), data])


def main() -> None:
    for line in sys.stdin:
        folder, number = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                save_without_end(Path(folder), number)
            finally:
                os._exit(1)
        os.write(1, f"{child}\n".encode())
        os.waitpid(child, 0)
        os.write(1, b"ended\n")


if __name__ == "__main__":
    main()
