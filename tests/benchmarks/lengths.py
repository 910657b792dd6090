"""How long a replay takes at one length, measured in a process of its own, with the engine that it finds.

    python -m tests.benchmarks.lengths MESSAGES [PRESET]        one line of JSON
    python -m tests.benchmarks.lengths --against CHECKOUT       beside the engine of another checkout, in turns

Times are CPU time of the process in milliseconds, `first wall` and `needs wall` as the clock says. The shortest of
several is what the work costs; the machine's other work only adds to it.

`first` replays a session that nothing is known of, until every frame and window is there; `needs` is what the figures
of needs and of what was at risk take when they are asked for after it; `share` is what counting alone, on one core,
would take of `first`. Looks at calls are measured as the desktop has them: what is there already is not searched for
reference cycles, which takes longer than any look.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.benchmarks.typical_session import write_typical

ROOT = Path(__file__).parents[2]
_CHANGES = 5
_LOOKS = 60
_COMPARED = (
    "open", "counting", "first", "first wall", "share", "needs", "needs wall",
    "change", "metrics", "look", "worst look", "peak MB",
)  # fmt: skip
Figures = dict[str, float]


def _spent(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1e3


def _timed(found: Figures, name: str, work: Callable[[], object]) -> None:
    begun = time.perf_counter()
    found[name] = _spent(work)
    found[f"{name} wall"] = (time.perf_counter() - begun) * 1e3


def measured(path: Path, preset_name: str) -> Figures:
    """Open, counting alone, first replay, needs, a replay after a change, metrics, and looks at calls, of a session."""
    from ravenglass.presets import preset
    from ravenglass.replay import SimulatedRun, replay
    from ravenglass.sessions import open_session
    from ravenglass.tokens import tokenizer
    from ravenglass.tokens.tokenizer import Tokenizer

    session = open_session(path)
    found: Figures = {"messages": len(session.messages), "open": _spent(lambda: open_session(path))}
    profile = preset(preset_name).profile()
    texts = [text for m in session.messages for text in (m.text, *(call.arguments for call in m.tool_calls))]
    # Counted by a tokenizer of its own, so that the replay counts anew; both find the encoding's table loaded.
    alone = Tokenizer(profile.tokenizer)
    alone.count(""), tokenizer(profile.tokenizer).count("")
    found["counting"] = _spent(lambda: alone.measure_many(texts))
    made: list[SimulatedRun] = []
    _timed(found, "first", lambda: made.append(replay(session, profile)))
    found["share"] = found["counting"] / found["first"]
    _timed(found, "needs", lambda: made[0].regrets)
    targets = [0.30 + number / 100 for number in range(_CHANGES if len(session.messages) < 50_000 else 2)]
    found["change"] = min(
        _spent(lambda target=target: replay(session, profile.model_copy(update={"trim_target": target})))  # type: ignore[misc]
        for target in targets
    )
    run = replay(session, profile)
    found["metrics"] = _spent(lambda: run.metrics)
    calls = [number * 37 % run.calls + 1 for number in range(_LOOKS)]
    gc.collect()
    gc.freeze()
    looks = [_spent(lambda call=call: (run.frame(call), run.window(call))) for call in calls]  # type: ignore[misc]
    found["look"], found["worst look"] = median(looks), max(looks)
    found["slow paths"] = sum(path == "slow" for path in run.paths)
    found["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def in_a_process(path: Path, preset_name: str = "default", checkout: Path = ROOT) -> Figures:
    """The same in a fresh process, with the engine of a checkout."""
    places = (checkout / "engine", checkout / "gui", ROOT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
    command = [sys.executable, "-m", "tests.benchmarks.lengths", str(path), preset_name]
    told = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    figures: Figures = json.loads(told.stdout)
    return figures


def against(checkout: Path, lengths: list[int]) -> None:
    """Print the figures of both engines side by side, measured in turns on the same files."""
    print(f"{'messages':>9} {'preset':>10}  {'figure':>10} {'before':>10} {'now':>10} {'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for length in lengths:
            path = write_typical(Path(folder) / f"{length}.jsonl", length)
            for name in ("default", "tight-32k"):
                before, now = in_a_process(path, name, checkout), in_a_process(path, name)
                for figure in _COMPARED:
                    ratio = before[figure] / now[figure] if now[figure] else float("inf")
                    print(
                        f"{length:>9,} {name:>10}  {figure:>10} {before[figure]:>10.2f} {now[figure]:>10.2f}"
                        f" {ratio:>7.1f}",
                        flush=True,
                    )


def main() -> None:
    """Measure one length, or compare with another checkout."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("session", nargs="?", help="a file, or a number of messages")
    parser.add_argument("preset", nargs="?", default="default")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="compare with the engine of this checkout")
    parser.add_argument("--lengths", type=int, nargs="+", default=[1_000, 10_000])
    given = parser.parse_args()
    if given.against is not None:
        against(given.against, given.lengths)
        return
    if given.session is None:
        parser.error("name a session, a number of messages, or --against CHECKOUT")
    if Path(given.session).exists():
        print(json.dumps(measured(Path(given.session), given.preset)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = write_typical(Path(folder) / "typical.jsonl", int(given.session))
        print(json.dumps(measured(path, given.preset)))


if __name__ == "__main__":
    main()
