"""`python -m tests.acceptance.reference [PATH ...] [--profiles 10] [--seed N]`: compares and prints the table.

The exit code is 1 where anything deviates.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ravenglass.errors import RavenglassError
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.acceptance.reference.compare import compare
from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import command, observe
from tests.acceptance.reference.profiles import NAMES, random_profile, write
from tests.acceptance.reference.tally import Tally
from tests.conftest import SAMPLES


def sessions(folder: Path) -> list[str]:
    """What can be opened below a folder, small files first."""
    listed = json.loads(command("sessions", folder, "--json"))
    return [item["place"] for item in sorted(listed, key=lambda item: (item["size"] or 0, item["place"]))]


def everything(place: str, folder: Path) -> dict[int, Json]:
    """Every message as it stands in a window that holds everything."""
    out = folder / "whole.jsonl"
    command("replay", place, "--windows", out, "--force", "--json", "--set", "window=4000000")
    lines = [line for line in out.read_bytes().split(b"\n") if line]
    return {b["id"]: b for b in json.loads(lines[-1])["messages"] if b["id"] is not None} if lines else {}


def check(place: str, profiles: list[str | Path], tally: Tally) -> None:
    """One session under every profile."""
    session: Session = open_session(Path(place))
    facts = Facts(session)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        whole = everything(place, folder)
        for number, profile in enumerate(profiles):
            try:
                made = observe(Path(place), profile, session, folder / str(number))
            except RuntimeError as error:
                tally.apart[f"refused: {str(error).strip()[:60]}"] += 1
                continue
            compare(facts, whole, made, tally)


def chosen(args: argparse.Namespace) -> Iterator[str]:
    for path in args.paths or [SAMPLES]:
        yield from sessions(path) if path.is_dir() else [str(path)]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.reference", description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="sessions or folders; without any, all samples")
    parser.add_argument("--profiles", type=int, default=10, help="how many random profiles (default: 10)")
    parser.add_argument("--preset", action="append", help="only these presets")
    parser.add_argument("--seed", type=int, default=10, help="of the random profiles (default: 10)")
    parser.add_argument("--part", default="1/1", help="K/N: only every N-th session from the K-th on")
    args = parser.parse_args(argv)
    part, parts = (int(x) for x in args.part.split("/"))
    tally, begun = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        made = [write(random_profile(args.seed, n), Path(name) / f"{n}.toml") for n in range(args.profiles)]
        for place in list(chosen(args))[part - 1 :: parts]:
            own = Tally()
            try:
                check(place, [*(NAMES if args.preset is None else args.preset), *made], own)
            except RavenglassError as error:
                own.apart[f"not opened: {error}"] += 1
            found = sum(own.deviations.values())
            print(
                f"{time.monotonic() - begun:7.0f} s  {Path(place).name[:60]}: {own.calls:,} calls, {found} deviations",
                flush=True,
            )
            tally.add(own)
    for sentences in tally.told.values():
        print("\n".join(f"  {sentence}" for sentence in sentences[:12]))
    print(tally.table())
    return 1 if tally.deviations else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
