"""Puts every fault of the list into a copy of the sources and says which of them no test sees.

    python -m tests.mutants                    all of them, two at a time
    python -m tests.mutants --part replay      those of one room; several may be named
    python -m tests.mutants --only 12 40       these, by number
    python -m tests.mutants --quick            survivors are not tried with all examples, and not kept
    python -m tests.mutants --list             only print the list
    python -m tests.mutants --record FILE      keep what is said in a file, and do not run again what stands there

The exit code is 0 where at least 95 of 100 are seen, 1 where fewer are, 2 where the list does not fit the sources.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.fault import ROOT, FaultError, Numbered, harmed, missing_tests, numbered
from tests.mutants.parts import PARTS
from tests.mutants.record import Record
from tests.mutants.run import Copies, Outcome

_GOAL = 0.95
_LIMIT_S = 120.0


def main(arguments: Sequence[str]) -> int:
    """Run what is asked for and print it."""
    parser = ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("--part", nargs="*", choices=[part.name for part in PARTS], help="rooms")
    parser.add_argument("--only", nargs="*", type=int, metavar="N", help="numbers of faults")
    parser.add_argument("--jobs", type=int, default=2, help="faults at a time")
    parser.add_argument("--limit", type=float, default=_LIMIT_S, metavar="SECONDS", help="for the tests of one fault")
    parser.add_argument("--record", type=Path, metavar="FILE", help="keep outcomes here, run only what is not there")
    parser.add_argument("--quick", action="store_true", help="do not try survivors with all examples")
    parser.add_argument("--list", action="store_true", help="only print the list")
    asked = parser.parse_args(arguments)
    faults = [
        one
        for one in numbered(PARTS)
        if (not asked.part or one.part.name in asked.part) and (not asked.only or one.number in asked.only)
    ]
    if not faults:
        print("There is no such fault.", file=sys.stderr)
        return 2
    if asked.list:
        print(*faults, sep="\n")
        return 0
    try:
        _check(faults)
        record = Record(asked.record, ROOT) if asked.record else None
        return _run(faults, record, asked.jobs, Copies(asked.limit, proofs=not asked.quick))
    except FaultError as error:
        print(error, file=sys.stderr)
        return 2


def _check(faults: Sequence[Numbered]) -> None:
    for one in faults:
        harmed(one, ROOT)
        for test in missing_tests(one, ROOT):
            raise FaultError(f"Fault {one}: there is no test {test}.")


def _run(faults: Sequence[Numbered], record: Record | None, jobs: int, copies: Copies) -> int:
    begun = time.monotonic()
    outcomes = {one.number: said for one in faults if record and (said := record.outcome(one))}
    left = [one for one in faults if one.number not in outcomes]
    if outcomes:
        print(f"{len(outcomes)} of {len(faults)} faults are in the record", flush=True)
    if left:
        with copies, ThreadPoolExecutor(jobs) as pool:
            copies.check_unharmed(left)
            print(f"the tests pass without a fault; {len(left)} faults", flush=True)
            for outcome in pool.map(copies.outcome, left):
                outcomes[outcome.one.number] = outcome
                if record and (outcome.killed or copies.proofs):
                    record.keep(outcome)
                by = "by the proof" if outcome.proofs else "by"
                print(
                    f"{outcome.one}\n      {f'killed {by} {outcome.how}' if outcome.killed else 'SURVIVED'}", flush=True
                )
    return _summary([outcomes[one.number] for one in faults], time.monotonic() - begun)


def _summary(outcomes: Sequence[Outcome], seconds: float) -> int:
    """Prints killed / all by part, and every survivor with its reason, as docs/design/mutants.md has them. Returns the
    exit code."""
    judged = [outcome for outcome in outcomes if not outcome.one.fault.equivalent]
    killed = Counter(outcome.one.part.name for outcome in judged if outcome.killed)
    every = Counter(outcome.one.part.name for outcome in judged)
    same = Counter(outcome.one.part.name for outcome in outcomes if outcome.one.fault.equivalent)
    print("\n| part | killed | all | equivalent |\n| --- | ---: | ---: | ---: |")
    for part in dict.fromkeys(outcome.one.part.name for outcome in outcomes):
        print(f"| {part} | {killed[part]} | {every[part]} | {same[part]} |")
    print(f"| all | {killed.total()} | {every.total()} | {same.total()} |\n")
    for outcome in outcomes:
        fault = outcome.one.fault
        if outcome.killed and fault.equivalent:
            print(f"- {outcome.one.path}: {fault.what}: said to be equivalent, yet killed by {outcome.how}")
        elif fault.equivalent:
            print(f"- {outcome.one.path}: {fault.what}: equivalent, {fault.equivalent}")
        elif not outcome.killed:
            print(f"- {outcome.one.path}: {fault.what}: SURVIVED {' '.join(outcome.one.tests)}")
    share = killed.total() / len(judged) if judged else 1.0
    print(f"\n{killed.total()} of {len(judged)} killed ({share:.1%}), in {seconds:,.0f} s")
    wrong = any(outcome.killed and outcome.one.fault.equivalent for outcome in outcomes)
    return 1 if wrong or share < _GOAL else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
