"""`replay --policy`: a replay whose slow paths are answered by a model or a trace log; cost before, during, after."""

from __future__ import annotations

import json
from collections.abc import Callable

from ravenglass.cli.policies.options import AskOptions
from ravenglass.cli.printing.console import reporting, stdout
from ravenglass.cli.printing.output import warn
from ravenglass.curator.policies.endpoint import Endpoint
from ravenglass.replay import SimulatedRun
from ravenglass.replay.asking.answering import LogAnswers, ModelAnswers, ask_log, ask_model
from ravenglass.replay.asking.preview import preview
from ravenglass.replay.asking.run import AskedRun
from ravenglass.replay.asking.spent import Spent, spent_words

_Report = Callable[[int, int], bool]


def asked(planned: SimulatedRun, asking: AskOptions) -> SimulatedRun:
    """The session of the planner's run replayed with another policy; the run itself where nobody is asked."""
    if asking.endpoint is not None and all(path == "fast" for path in planned.paths):
        warn("Every call takes the fast path under this profile, so no model is asked.")
        return planned
    if asking.endpoint is not None:
        warn(preview(planned, asking.endpoint).sentence)
    with reporting("Asking the policy") as report:
        watching = _Watching(planned, asking.endpoint, report)
        made: AskedRun
        if asking.endpoint is not None:
            made = ask_model(planned, ModelAnswers(asking.endpoint), watching)
        else:
            assert asking.log is not None
            made = ask_log(planned, LogAnswers(asking.log, asking.who), watching)
    for sentence in made.notes:
        warn(sentence)
    return made


class _Watching:
    """Tells of each answer what was spent so far."""

    def __init__(self, planned: SimulatedRun, endpoint: Endpoint | None, report: _Report) -> None:
        self._planned, self._endpoint, self._report, self._told = planned, endpoint, report, 0

    def __call__(self, call: int, spent: Spent) -> bool:
        if spent.answers > self._told:
            self._told = spent.answers
            warn(f"Call {call:,} of {self._planned.calls:,}. {spent_words(spent, self._endpoint)}")
        return self._report(call, self._planned.calls)


def print_dry_run(planned: SimulatedRun, endpoint: Endpoint) -> None:
    """The estimate, and the first request as it would be sent, without the key."""
    made = preview(planned, endpoint)
    warn(made.sentence)
    warn(f"The first request, at call {made.call:,}, to {endpoint.shown}/chat/completions; nothing was sent.")
    stdout().print(json.dumps(made.body, ensure_ascii=True, indent=1), soft_wrap=True)
