"""`replay --policy`: a replay whose slow paths are answered by a model or a trace log; cost before, during, after."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer

from ravenglass.cli.again import call_of_log
from ravenglass.cli.output import reporting, stdout, warn
from ravenglass.curator.loop import Answer, Conversing, Deliberation, Policy
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.endpoint import Endpoint
from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.curator.policies.recorded import RecordedPolicy
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import RavenglassError
from ravenglass.profile import Profile
from ravenglass.replay import SimulatedRun
from ravenglass.replay.asked import AskedRun, Spent, replay_asking
from ravenglass.trace import Json
from ravenglass.traces import open_trace

POLICIES = ("planner", "recorded", "model")


@dataclass(frozen=True, slots=True)
class Asking:
    """What a person asked for on the command line."""

    policy: str = "planner"
    log: Path | None = None
    endpoint: Endpoint | None = None
    dry_run: bool = False


def check(asking: Asking) -> None:
    """Raises BadParameter where options are missing or do not belong together."""
    if asking.policy not in POLICIES:
        raise typer.BadParameter(f"--policy is {asking.policy!r}; it can be {', '.join(POLICIES)}")
    if (asking.policy == "recorded") != (asking.log is not None):
        raise typer.BadParameter("--policy recorded and --answers LOG belong together")
    if (asking.policy == "model") != (asking.endpoint is not None):
        raise typer.BadParameter("--policy model needs --endpoint and --model, and they need it")
    if asking.dry_run and asking.policy != "model":
        raise typer.BadParameter("--dry-run shows the first request to a model; it needs --policy model")


def asked(planned: SimulatedRun, asking: Asking) -> AskedRun:
    """The session of the planner's run replayed with another policy."""
    if asking.endpoint is not None:
        policy = ModelPolicy(asking.endpoint)
        warn(estimate(planned, asking.endpoint))
        return _run(planned, lambda _: policy)
    assert asking.log is not None
    return _run(planned, _recorded(planned, asking.log))


def _run(planned: SimulatedRun, policy_for: Callable[[int], Policy | None]) -> AskedRun:
    told = 0

    def watching(call: int, spent: Spent) -> bool:
        nonlocal told
        if spent.answers > told:
            told = spent.answers
            warn(f"Call {call:,} of {planned.calls:,}. {spent_words(spent, planned.profile)}")
        return report(call, planned.calls)

    with reporting("Asking the policy") as report:
        return replay_asking(planned.session, planned.profile, policy_for, planned.changes, watching=watching)


def _recorded(planned: SimulatedRun, log: Path) -> Callable[[int], Policy | None]:
    """The log's answers at the calls of the session that they belong to; elsewhere the planner's."""
    found: dict[int, Policy] = {}
    for turn in open_trace(log).turns:
        for logged in turn.calls:
            call = call_of_log(planned, logged)
            if call is None:
                continue
            try:
                found[call] = RecordedPolicy.of(logged)
            except RavenglassError:
                continue  # a call on the fast path asked no one
    if not found:
        raise RavenglassError(f"{log}: no answer of a curator in it belongs to a call of the session.")
    warn(f"The log answers at {len(found):,} calls; at every other slow path the planner does.")
    return found.get


def first_request(planned: SimulatedRun, endpoint: Endpoint) -> tuple[int, Json]:
    """The first slow path and the body that would be sent at it. Nothing is sent. Raises RavenglassError where every
    call takes the fast path."""
    call = next((n for n, path in enumerate(planned.paths, start=1) if path != "fast"), None)
    if call is None:
        raise RavenglassError("Every call takes the fast path under this profile, so no model would be asked.")
    return call, _body(planned, call, endpoint)


def _body(planned: SimulatedRun, call: int, endpoint: Endpoint) -> Json:
    probe = _Probe(ModelPolicy(endpoint.model_copy(update={"trace_chars": sys.maxsize})))
    planned.loop(call, probe).run()
    tools = [tool.schema() for tool in TOOLS.values()]
    return {"model": endpoint.model, "messages": probe.messages, "tools": tools, "temperature": endpoint.temperature}


class _Probe:
    """Looks at what a model would be sent, and answers nothing: the loop then ends in the fail-safe."""

    name: Author = "model"

    def __init__(self, policy: Conversing) -> None:
        self._policy = policy
        self.messages: list[Json] = []

    def answer(self, so_far: Deliberation) -> Answer:
        self.messages = self._policy.request(so_far)
        raise RavenglassError("Nothing was sent.")


def estimate(planned: SimulatedRun, endpoint: Endpoint) -> str:
    """What asking may cost, before anything is sent."""
    slow = [n for n, path in enumerate(planned.paths, start=1) if path != "fast"]
    if not slow:
        return "Every call takes the fast path under this profile, so no model is asked."
    profile = planned.profile
    body = json.dumps(_body(planned, slow[len(slow) // 2], endpoint), ensure_ascii=False)
    first = planned.inputs.sizes.tokenizer.count(body) * len(slow)
    return (
        f"{endpoint.model} at {endpoint.shown} is asked at about {len(slow):,} calls, up to {profile.max_steps} times"
        f" each: {first:,} prompt tokens for the first requests, estimated {_money(first, profile)}; with"
        f" every step used {_money(first * profile.max_steps, profile)} or more; answers are extra."
    )


def spent_words(spent: Spent, profile: Profile) -> str:
    """What the curator itself used, as its endpoint reported it."""
    said = f"The curator asked {spent.requests:,} times, {spent.repeats:,} of them repetitions"
    if spent.unreported == spent.answers:
        return f"{said}; the endpoint reported no tokens, so what it cost is unknown."
    more = f"; {spent.unreported:,} answers came without figures" if spent.unreported else ""
    return (
        f"{said}: {spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} answer tokens as reported,"
        f" {_money(spent.prompt_tokens, profile)} for the prompts{more}."
    )


def _money(tokens: int, profile: Profile) -> str:
    return f"${tokens * profile.price_input / 1_000_000:,.4f}"


def print_dry_run(planned: SimulatedRun, endpoint: Endpoint) -> None:
    """The estimate, and the first request as it would be sent, without the key."""
    call, body = first_request(planned, endpoint)
    warn(estimate(planned, endpoint))
    warn(f"The first request, at call {call:,}, to {endpoint.shown}/chat/completions; nothing was sent.")
    stdout().print(json.dumps(body, ensure_ascii=True, indent=1), soft_wrap=True)
