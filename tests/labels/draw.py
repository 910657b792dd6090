"""Draws regrets at random for a judge: `python -m tests.labels.draw --count 40 --seed 7`. Prints only, keeps nothing.

Regrets of all samples under the presets default and tight-32k, and of the recorded runs, each as likely as any other.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from ravenglass.errors import RavenglassError
from ravenglass.presets import load
from ravenglass.replay import replay
from ravenglass.replay.figures import Regret
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.model.session import Message, Session
from tests.labels.pairs import REPEATS, SAMPLES

PRESETS = ("default", "tight-32k")
_AROUND = 200
_MOST = 700


def main(arguments: list[str]) -> int:
    """Print the draw. Returns 1 where the samples are absent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=Path, default=SAMPLES)
    given = parser.parse_args(arguments)
    if not given.samples.is_dir():
        print(f"There is no folder {given.samples}.")
        return 1
    found = [(session, name, regret) for session in _sessions(given.samples) for name, regret in _regrets(session)]
    chosen = random.Random(given.seed).sample(found, min(given.count, len(found)))
    print(f"{len(chosen)} of {len(found)} regrets, seed {given.seed}\n")
    for number, (session, name, regret) in enumerate(chosen, start=1):
        _print(number, session, name, regret)
    return 0


def _sessions(folder: Path) -> Iterator[Session]:
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.suffix == ".md" or str(path.relative_to(folder)) in REPEATS:
            continue
        try:
            held = holder_of(path)
            places = [path] if held is None else [entry.place for entry in held.entries(path)]
            opened = [open_session(place) for place in places]
        except (RavenglassError, OSError):
            continue
        yield from (session for session in opened if session.structure.calls)


def _regrets(session: Session) -> Iterator[tuple[str, Regret]]:
    for name in PRESETS:
        yield from ((name, regret) for regret in replay(session, load(name)).regrets)
    yield from (("recorded", regret) for regret in recorded_run(session).regrets)


def _print(number: int, session: Session, name: str, regret: Regret) -> None:
    messages = session.messages
    print(f"=== {number}. {session.path.name}, {name}, call {regret.call}: {regret.kind}, {regret.where}")
    print(f"needed:   {', '.join(regret.names or (regret.what,))}")
    print(f"response: #{regret.response} {_excerpt(_said(messages[regret.response]), regret.what)}")
    for source in regret.sources[:3]:
        print(f"source:   #{source} ({messages[source].role}) {_excerpt(_said(messages[source]), regret.what)}")
    print(f"lost:     at call {regret.lost_at}, {regret.by}\n")


def _said(message: Message) -> str:
    calls = (f"{call.name} {call.arguments}" for call in message.tool_calls)
    return "\n".join(part for part in (message.thinking, message.text, *calls) if part)


def _excerpt(text: str, what: str) -> str:
    at = text.find(what.rpartition("/")[2] or what)
    if at < 0:
        return repr(text[:_MOST])
    return repr(text[max(0, at - _AROUND) : at + len(what) + _AROUND])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
