"""Faults in what takes many calls of the fast path in one step."""

from tests.mutants.fault import Fault, Part

RUNS = Part(
    "runs",
    "engine/ravenglass/replay",
    "tests/engine/replay",
    (
        Fault(
            "stepping/fast_run.py",
            'side="left"',
            'side="right"',
            "stepping/test_fast_run.py",
            "a run goes on over the call that passes the threshold",
        ),
        Fault(
            "stepping/fast_run.py",
            "min(sums.special(first), ",
            "min(len(sums.tokens), ",
            "stepping/test_fast_run.py",
            "a run takes in what came late as if it were whole",
        ),
        Fault(
            "stepping/fast_run.py",
            "*inputs.changes_at, ",
            "",
            "stepping/test_fast_run.py",
            "a run passes over what a person changed",
        ),
        Fault(
            "stepping/fast_run.py",
            " *inputs.compactions",
            "",
            "stepping/test_fast_run.py",
            "a run passes over a compaction that was asked for",
        ),
        Fault(
            "stepping/fast_run.py",
            "if kept else 0",
            "if True else 0",
            "stepping/test_fast_run.py",
            "a run reads from a cache that has forgotten",
        ),
        Fault(
            "stepping/fast_run.py",
            "before = [log.tokens[-1], *tokens[:-1]]",
            "before = tokens",
            "stepping/test_fast_run.py",
            "a run's windows have more in common than the earlier one has",
        ),
        Fault(
            "stepping/fast_run.py",
            "if live.states[g] == _ACTIVE or live.states[g] == _STANDBY:",
            "if live.states[g] == _ACTIVE:",
            "stepping/test_fast_run.py",
            "in a run nothing on standby expires",
        ),
        Fault(
            "stepping/fast_run.py",
            "                if g in live.caps:\n",
            "                if g not in live.caps:\n",
            "stepping/test_fast_run.py",
            "a reference forgets in a run what it refers to",
        ),
        Fault(
            "stepping/fast_run.py",
            "if inputs.profile.eager_lifecycle:",
            "if not inputs.profile:",
            "stepping/test_fast_run.py",
            "an eager lifecycle is taken in runs in which nothing leaves",
        ),
    ),
)
