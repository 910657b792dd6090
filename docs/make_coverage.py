"""Writes docs/design/coverage.md: every rule of docs/design/rules.md with the tests that prove it.

    python docs/make_coverage.py            write the page
    python docs/make_coverage.py --check    change nothing; exit code 1 where the page is stale

A test carries the rules it proves: `@pytest.mark.rule("5.3")`. What counts is what pytest collects: a test that is
skipped, or expected to fail, proves nothing. A rule without a test, and a mark of a rule that there is not, end the
script with exit code 1.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RULES = ROOT / "docs" / "design" / "rules.md"
PAGE = ROOT / "docs" / "design" / "coverage.md"

MARK = "rule"
SAMPLES = "samples"
"""Tests with this mark are skipped where the recorded sessions are absent: they prove no rule alone."""

_OUT = "RAVENGLASS_RULES_OUT"
_RULE = re.compile(r"^- \*\*(?P<id>[0-9]+\.[0-9]+|R[0-9]+)\*\* (?P<text>.+)$")
_HEADING = re.compile(r"^## (?P<id>[0-9]+|R) (?P<title>.+)$")


@dataclass(frozen=True, slots=True)
class Rule:
    """`id` as the tests name it; `section` is the heading it stands under."""

    id: str
    text: str
    section: str


@dataclass(frozen=True, slots=True)
class Proof:
    """A collected test. `name` is what follows the file in its node id, without parameters."""

    file: str
    name: str
    rules: tuple[str, ...]
    samples: bool = False


def rules(text: str) -> list[Rule]:
    """The rules of the page in order. Raises ValueError where a number is missing, doubled or out of place."""
    found: list[Rule] = []
    section = number = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            section, number = f"{heading['id']} {heading['title']}", heading["id"]
        elif rule := _RULE.match(line):
            before = sum(other.section == section for other in found)
            expected = f"R{before + 1}" if number == "R" else f"{number}.{before + 1}"
            if rule["id"] != expected:
                raise ValueError(f"rule {rule['id']} stands where {expected} should")
            found.append(Rule(rule["id"], rule["text"], section))
        elif line.startswith("- "):
            raise ValueError(f"this line is no rule: {line}")
    return found


def problems(known: Iterable[Rule], proofs: Iterable[Proof]) -> Iterator[str]:
    """Sentences on rules that nothing proves and on marks that name no rule."""
    proved = {rule for proof in proofs if not proof.samples for rule in proof.rules}
    ids = [rule.id for rule in known]
    for rule in ids:
        if rule not in proved:
            yield f"No test proves rule {rule}."
    for proof in proofs:
        for rule in proof.rules:
            if rule not in ids:
                yield f"{proof.file}::{proof.name} is marked with rule {rule}, which there is not."


def page(known: Iterable[Rule], proofs: Iterable[Proof]) -> str:
    """The whole page."""
    by_rule: dict[str, list[Proof]] = {}
    for proof in sorted(proofs, key=lambda proof: (proof.file, proof.name)):
        for rule in proof.rules:
            by_rule.setdefault(rule, []).append(proof)
    known = list(known)
    tests = len({(proof.file, proof.name) for found in by_rule.values() for proof in found})
    lines = [
        "# Rules and their tests",
        "",
        f"{len(known)} rules of [rules.md](rules.md), proved by {tests} tests. Made by `python docs/make_coverage.py`",
        'from the marks `@pytest.mark.rule("5.3")` of the tests that pytest collects; it fails where a rule has none.',
    ]
    section = ""
    for rule in known:
        if rule.section != section:
            section = rule.section
            lines += ["", f"## {section}", "", "| rule | says | proved by |", "| --- | --- | --- |"]
        lines.append(f"| {rule.id} | {_cell(rule.text)} | {'<br>'.join(map(_shown, by_rule.get(rule.id, [])))} |")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _shown(proof: Proof) -> str:
    return f"[{Path(proof.file).name}](../../{proof.file}) `{proof.name}`"


def marked_files() -> list[str]:
    """Test files that mark a rule: collecting the others would take as long again."""
    paths = sorted((ROOT / "tests").rglob("test_*.py"))
    return [str(path.relative_to(ROOT)) for path in paths if f"mark.{MARK}(" in path.read_text(encoding="utf-8")]


def collected(arguments: Iterable[str]) -> list[Proof]:
    """What pytest collects there, in a process of its own. Raises RuntimeError where it cannot collect."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rules.json")
        environment = os.environ | {_OUT: str(out), "QT_QPA_PLATFORM": "offscreen"}
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "docs"), *filter(None, [os.environ.get("PYTHONPATH")])])
        options = ["--collect-only", "-qq", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", Path(__file__).stem]
        command = [sys.executable, "-m", "pytest", *options, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode or not out.exists():
            raise RuntimeError(f"pytest could not collect the tests:\n{done.stdout[-4_000:]}{done.stderr[-2_000:]}")
        return [Proof(**{**item, "rules": tuple(item["rules"])}) for item in json.loads(out.read_text("utf-8"))]


def pytest_collection_finish(session: Any) -> None:
    """Pytest's hook, for the process that `collected` starts: writes down who carries which rule."""
    if _OUT not in os.environ:
        return
    found: dict[tuple[str, str], dict[str, object]] = {}
    for item in session.items:
        ids = [str(rule) for mark in item.iter_markers(MARK) for rule in mark.args]
        if ids and not _does_not_run(item):
            file, _, name = item.nodeid.partition("::")
            name = name.partition("[")[0]
            known = found.setdefault((file, name), {"rules": [], "samples": True})
            known["rules"] = list(dict.fromkeys([*list(known["rules"]), *ids]))  # type: ignore[call-overload]
            known["samples"] = bool(known["samples"]) and item.get_closest_marker(SAMPLES) is not None
    listed = [{"file": file, "name": name, **what} for (file, name), what in found.items()]
    Path(os.environ[_OUT]).write_text(json.dumps(listed), encoding="utf-8")


def _does_not_run(item: Any) -> bool:
    """Skipped, or allowed to fail. Conditions that are texts count as met: they are not evaluated here."""
    conditional = any(bool(mark.args[0]) for mark in item.iter_markers("skipif") if mark.args)
    return conditional or any(True for name in ("skip", "xfail") for _ in item.iter_markers(name))


def main(arguments: list[str]) -> int:
    """Exit code: 0 where every rule is proved and the page says so."""
    known, proofs = rules(RULES.read_text(encoding="utf-8")), collected(marked_files())
    wrong = list(problems(known, proofs))
    made = page(known, proofs)
    if "--check" in arguments:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
            wrong.append(f"{PAGE.relative_to(ROOT)} is stale; run: python docs/make_coverage.py")
    else:
        PAGE.write_text(made, encoding="utf-8")
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    if not wrong:
        print(f"{len(known)} rules, each with at least one of {len(proofs)} tests")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
