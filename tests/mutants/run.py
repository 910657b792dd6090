"""Puts one fault into a copy of the checkout and runs its tests there. Nothing is put back: the copy is thrown away."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.fault import ROOT, FaultError, Numbered, harmed

_COPIED = ("engine", "gui", "tests", "fixtures", "assets", "docs", "examples")
_FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", "constraints.txt")
_OPTIONS = (
    "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=line", "--no-header", "-rf",
    "--hypothesis-profile=mutants",
)  # fmt: skip
_PASSED, _FAILED, _NOT_LOADED = 0, 1, 2
"""Exit codes of pytest. What breaks the import of a test is seen by it."""
_ALL_PASSED = re.compile(r"^\d+ passed[^\n]* in [\d.]+s[^\n]*\Z", re.MULTILINE)
"""The last line of pytest where no test failed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the tests of a fault said. `how` is their first failure, or that they took too long; empty: they passed.
    `proofs`: only with the examples of `make proofs` did one fail."""

    one: Numbered
    how: str
    proofs: bool = False

    @property
    def killed(self) -> bool:
        return bool(self.how)


class Copies:
    """A copy of the checkout without a fault, and from it one copy a fault. Use as a context manager. `proofs`: what
    survives is tried with all examples."""

    def __init__(self, limit_s: float, *, proofs: bool) -> None:
        self._limit_s, self.proofs = limit_s, proofs
        self._folder = tempfile.TemporaryDirectory(prefix="ravenglass-mutants-", ignore_cleanup_errors=True)

    def __enter__(self) -> Copies:
        self._base = Path(self._folder.name) / "base" / "checkout"
        for name in _COPIED:
            shutil.copytree(ROOT / name, self._base / name)
        for name in _FILES:
            shutil.copy2(ROOT / name, self._base / name)
        _beside(self._base)
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def check_unharmed(self, faults: Sequence[Numbered]) -> None:
        """Raises FaultError where the tests of these faults fail without any fault: then they would prove nothing. The
        time limit is that of every fault together."""
        tests = sorted({test for one in faults for test in one.tests})
        code, said = _pytest(self._base, tests, self._limit_s * len(faults))
        if code != _PASSED:
            raise FaultError(f"The tests fail without any fault.\n{said}")

    def outcome(self, one: Numbered) -> Outcome:
        """Run the tests of one fault in a copy of its own; where they see nothing, with all their examples. Raises
        FaultError where the fault cannot be put in, or the tests cannot be run."""
        folder = Path(self._folder.name) / str(one.number)
        checkout = folder / "checkout"
        shutil.copytree(self._base, checkout)
        try:
            _beside(checkout)
            path = checkout / one.path
            path.write_text(harmed(one, checkout), encoding="utf-8")
            for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
                compiled.unlink()
            how = self._seen(one, checkout)
            if how or not self.proofs:
                return Outcome(one, how)
            return Outcome(one, self._proved(one, checkout), proofs=True)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _seen(self, one: Numbered, checkout: Path) -> str:
        code, said = _pytest(checkout, one.tests, self._limit_s)
        if code is None:
            return f"over {self._limit_s:g} s"
        if code > _NOT_LOADED:
            raise FaultError(f"Fault {one}: its tests cannot be run (pytest ended with {code}).\n{said}")
        return "" if code == _PASSED else _first_failure(said) or f"what ended with {code}"

    def _proved(self, one: Numbered, checkout: Path) -> str:
        """The test that fails with all examples and passes without the fault; empty where none does in time."""
        code, said = _pytest(checkout, one.tests, self._limit_s, proofs=True)
        failed = _first_failure(said) if code == _FAILED else ""
        if not failed or _pytest(self._base, [failed], self._limit_s, proofs=True)[0] != _PASSED:
            return ""
        return failed


def _beside(checkout: Path) -> None:
    """The recorded sessions stand beside a checkout where they are there at all."""
    shared = ROOT.parent / "shared"
    if shared.is_dir():
        (checkout.parent / "shared").symlink_to(shared)


def _pytest(checkout: Path, tests: Sequence[str], limit_s: float, *, proofs: bool = False) -> tuple[int | None, str]:
    """Exit code and output; the code is None where it took too long. `proofs`: with all examples."""
    paths = os.pathsep.join(str(checkout / top) for top in ("engine", "gui"))
    environment = {**os.environ, "PYTHONPATH": paths, "QT_QPA_PLATFORM": "offscreen"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.pop("RAVENGLASS_PROOFS", None)
    if proofs:
        environment["RAVENGLASS_PROOFS"] = "1"
    command = [sys.executable, "-m", "pytest", *_OPTIONS, *tests]
    with subprocess.Popen(
        command, cwd=checkout, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        encoding="utf-8", errors="replace", start_new_session=True,
    ) as running:  # fmt: skip
        try:
            said, _ = running.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            return None, f"over {limit_s:g} s"
    code = running.returncode
    if code < 0 and _ALL_PASSED.search(said.rstrip()):
        code = _PASSED  # Qt may end the process after its last test; what the tests said holds all the same
    return code, said[-4_000:]


def _first_failure(said: str) -> str:
    """The name of the first test that failed, of pytest's short summary."""
    lines = (line.split(" ", 1)[1] for line in said.split("\n") if line.startswith(("FAILED ", "ERROR ")))
    return next(lines, "").partition(" - ")[0]
