"""The judged pairs of this folder, each with the place where it stands and the half that its session belongs to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).parent
SAMPLES = FOLDER.parent.parent.parent / "shared" / "samples"

REPEATS = {
    "raven/workspace/sessions/cli/20260724_090000_ab12cd.jsonl": "swe-agent/mini_v1.1_LARGE_378msgs.traj.json",
    "raven/workspace/sessions/cli/20261129_222640_0fac46.jsonl": "swe-agent/mini_v1.1_LARGE_378msgs.traj.json",
    "nanobot/cli_direct.jsonl": "swe-agent/mini_v1.1_LARGE_378msgs.traj.json",
}
"""Sessions that were made out of another one, so that its judgements count again in them: not independent of it."""

Half = Literal["development", "held out"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A judgement. `term` of a name, `call` of a fetch; `true` is what the judge says."""

    kind: Literal["name", "fetch"]
    session: str
    response: int
    response_id: str
    true: bool
    doubtful: bool
    sources: tuple[int, ...]
    why: str
    where: str
    """file:line of the label."""
    term: str = ""
    call: int = 0
    after_loss: bool = False

    @property
    def half(self) -> Half:
        """Which half the session belongs to, by the hash of its path; a repeated session by that of its original."""
        path = REPEATS.get(self.session, self.session)
        return "held out" if hashlib.sha256(path.encode()).digest()[0] % 2 else "development"

    @property
    def repeated(self) -> bool:
        return self.session in REPEATS


def pairs() -> Iterator[Pair]:
    """Every judged pair, in the order of the files."""
    for path in sorted(FOLDER.glob("*.jsonl")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            made = json.loads(line)
            yield Pair(
                made["kind"], made["session"], made["response"][0], made["response"][1],
                bool(made["need"] if made["kind"] == "name" else made["again"]), bool(made.get("doubtful")),
                tuple(n for n, _ in made.get("sources", made.get("earlier", ()))), made["why"],
                f"tests/labels/{path.name}:{number}", made.get("term", ""), made.get("call", 0),
                bool(made.get("after_loss")),
            )  # fmt: skip
