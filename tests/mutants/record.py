"""What earlier runs said of faults, in a file: a long list is gone through in pieces and nothing is run twice.

An outcome counts while the file with the fault and every test that it names are what they were: what else changed since
is not looked at. A whole run without the file is the last word.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.mutants.fault import Numbered, harmed
from tests.mutants.run import Outcome

_READ = ("*.py", "*.json", "*.jsonl")


class Record:
    """One JSON object a line: `fault` (a digest), `how`, `proofs`. The last line of a fault counts."""

    def __init__(self, path: Path, root: Path) -> None:
        self._path, self._root = path, root
        self._said: dict[str, tuple[str, bool]] = {}
        self._digests: dict[int, str] = {}
        if path.is_file():
            for line in path.read_text(encoding="utf-8").split("\n"):
                if line:
                    found = json.loads(line)
                    self._said[found["fault"]] = found["how"], found["proofs"]

    def outcome(self, one: Numbered) -> Outcome | None:
        """What was said of a fault that has not changed since, nor have its tests; None where nothing was."""
        said = self._said.get(self._digest(one))
        return Outcome(one, *said) if said is not None else None

    def keep(self, outcome: Outcome) -> None:
        """Write an outcome at the end of the file."""
        digest = self._digest(outcome.one)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"fault": digest, "how": outcome.how, "proofs": outcome.proofs}) + "\n")

    def _digest(self, one: Numbered) -> str:
        """Of the files as they were when the fault was first asked for: whoever works on while it runs changes them."""
        if one.number not in self._digests:
            self._digests[one.number] = self._made(one)
        return self._digests[one.number]

    def _made(self, one: Numbered) -> str:
        made = hashlib.sha256(harmed(one, self._root).encode())
        for test in one.tests:
            made.update(test.encode())
            path = self._root / test.partition("::")[0]
            files = [path] if path.is_file() else sorted(file for kind in _READ for file in path.rglob(kind))
            for file in files:
                made.update(file.read_bytes())
        return made.hexdigest()
