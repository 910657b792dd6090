"""`make fuzz`: mutates a session of every format and prints what became of it; ends with 1 if a rule did not hold.

python -m tests.fuzz --count 20000 --seed 0
python -m tests.fuzz --only codex --number 17 --keep FOLDER    makes one mutation again, and keeps its files
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

from tests.conftest import SAMPLES
from tests.fuzz.campaign import Origin, Tally, campaign, tried
from tests.fuzz.corpus import own_seeds, recorded_seeds
from tests.fuzz.mutate_stores import mutated

_OWN = 0.75
"""Share of the mutations that start from a session written for this project, the rest from recorded ones."""

_SHOWN = 8
"""Faults of one seed that are printed; the rest is counted."""


def main() -> int:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=20_000, help="mutations in all")
    parser.add_argument("--seed", type=int, default=0, help="another number, other mutations")
    parser.add_argument("--only", help="seeds whose name contains this")
    parser.add_argument("--number", type=int, help="one mutation again")
    parser.add_argument("--keep", type=Path, help="folder for the files of that one")
    parser.add_argument("--own", action="store_true", help="leave recorded sessions out")
    options = parser.parse_args()
    own = [Origin(seed) for seed in own_seeds()]
    recorded = [Origin(seed) for seed in recorded_seeds(SAMPLES)] if SAMPLES.is_dir() and not options.own else []
    if options.only:
        own = [origin for origin in own if options.only in origin.seed.name]
        recorded = [origin for origin in recorded if options.only in origin.seed.name]
    if options.number is not None:
        return _again(own or recorded, options.number, options.seed, options.keep)
    begun = time.monotonic()
    share = options.count if not recorded else round(options.count * _OWN) if own else 0
    found = campaign(own, share, options.seed, _told) if own else []
    if recorded:
        print("recorded sessions", flush=True)
        found += campaign(recorded, options.count - share, options.seed, _told)
    faults = [fault for tally in found for fault in tally.faults]
    ran, refused, damaged, records = (
        sum(getattr(tally, name) for tally in found) for name in ("ran", "refused", "damaged", "records")
    )
    print(
        f"\n{ran:,} mutations of {len(found)} sessions in {time.monotonic() - begun:,.0f} s: {refused:,} refused with a"
        f" sentence,\n{damaged:,} opened with damage named, {records:,} whole records looked for and found,"
        f" {len(faults)} faults"
    )
    return 1 if faults else 0


def _told(tally: Tally) -> None:
    outcome = f"{tally.ran:6,} ran {tally.refused:6,} refused {tally.damaged:6,} damaged {tally.records:9,} records"
    print(f"{tally.name[:60]:60} {outcome} {len(tally.faults):4} faults", flush=True)
    for fault in tally.faults[:_SHOWN]:
        print(f"    {fault}", flush=True)


def _again(origins: list[Origin], number: int, seed: int, keep: Path | None) -> int:
    for origin in origins:
        if keep is not None:
            made = mutated(origin.seed, Random(f"{seed}:{origin.seed.name}:{number}"))
            print(f"open {made.write(keep)}")
        _told(tried(origin, number, seed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
