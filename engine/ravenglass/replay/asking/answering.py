"""A planner's run replayed with a model or a trace log in the planner's place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ravenglass.curator.loop import Answer, Deliberation, Policy
from ravenglass.curator.policies.endpoint import Endpoint, make_endpoint
from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.curator.policies.transport import ask, key_of, load_openai
from ravenglass.errors import Cancelled, RavenglassError
from ravenglass.replay.asking.logged import recorded_policies
from ravenglass.replay.asking.run import AskedRun, Watching, replay_asking
from ravenglass.replay.asking.spent import Spent
from ravenglass.replay.run import SimulatedRun

__all__ = ["AskedRun", "Endpoint", "LogAnswers", "ModelAnswers", "Spent", "ask_log", "ask_model", "make_endpoint"]


@dataclass(frozen=True, slots=True)
class ModelAnswers:
    """A model is asked. `key` goes before the endpoint's variable, is held in memory only and never shown."""

    endpoint: Endpoint
    key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class LogAnswers:
    """The answers of a trace log, a file or a folder of turns, are given again. `who`: who gave them, if known."""

    log: Path
    who: str = ""


def ask_model(
    planned: SimulatedRun, wanted: ModelAnswers, watching: Watching, stop: Callable[[], bool] | None = None
) -> AskedRun:
    """The session of the planner's run, every slow path answered by a model.

    After `give_up_after` slow paths in a row without an answer the planner answers the rest, and the run says so.
    `stop` is looked at while an answer is waited for. Raises RavenglassError where there was no answer at all, nothing
    was asked, or the package or the key is missing; Cancelled.
    """
    endpoint = wanted.endpoint
    load_openai()
    key = wanted.key or key_of(endpoint)
    policy = _Persistent(endpoint, partial(ask, key=key, stop=stop or _never))

    def watched(call: int, spent: Spent) -> bool:
        return not policy.cancelled and watching(call, spent)

    made = replay_asking(
        planned.session, planned.profile, policy.at, planned.changes, watching=watched, asked=endpoint.model
    )
    made.endpoint = endpoint
    if policy.failed and not made.spent.answers:
        raise RavenglassError(f"{policy.failed} No plan of a model came, and nothing was changed.")
    if policy.gave_up:
        said = (
            f"{endpoint.model} gave no answer at {endpoint.give_up_after:,} slow paths in a row, so from call"
            f" {policy.gave_up + 1:,} on the planner answered: {policy.failed}"
        )
        made.notes = (said,)
    return made


def ask_log(planned: SimulatedRun, wanted: LogAnswers, watching: Watching) -> AskedRun:
    """The session of the planner's run with the answers of a trace log, at the calls that they belong to; elsewhere the
    planner's. Raises RavenglassError where none belongs to it, and what reading the log raises; Cancelled."""
    found = recorded_policies(planned, wanted.log)
    name = wanted.who or f"the log {wanted.log.name}"
    made = replay_asking(planned.session, planned.profile, found.get, planned.changes, watching=watching, asked=name)
    said = f"{len(made.answered):,} calls have the answers of {name}; at every other slow path the planner answered."
    made.notes = (said,)
    return made


class _Persistent(ModelPolicy):
    """Notes at which slow paths the model gave no answer, and stops asking it after some in a row."""

    failed = ""
    """The last sentence on why there was none."""
    gave_up = 0
    """The last call that was asked in vain."""
    cancelled = False
    _in_vain = 0
    _call = 0

    def at(self, call: int) -> Policy | None:  # noqa: ARG002 - the same one at every call
        """Who is asked at a call; None: the planner."""
        if self._in_vain >= self.endpoint.give_up_after:
            self.gave_up = self.gave_up or self._call
            return None
        return self

    def answer(self, so_far: Deliberation) -> Answer:
        self._call = so_far.desk.view.call
        try:
            given = super().answer(so_far)
        except Cancelled:
            self.cancelled = True
            raise
        except RavenglassError as error:
            self._in_vain, self.failed = self._in_vain + 1, str(error)
            raise
        self._in_vain = 0
        return given


def _never() -> bool:
    return False
