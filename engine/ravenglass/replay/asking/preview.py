"""What would be asked of a model, and what that may cost, before anything is sent."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass

from ravenglass.curator.loop import Answer, Conversing, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.policies.endpoint import Endpoint
from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import RavenglassError
from ravenglass.replay.asking.spent import money
from ravenglass.replay.run import SimulatedRun
from ravenglass.trace import Json


@dataclass(frozen=True, slots=True)
class Preview:
    """`call`: the first that asks; `body`: the request at it as it would be sent, without the key. `calls` are those
    that ask under the planner's plans, `steps` the most requests at each of them, `tokens` the prompt tokens of their
    first requests: an estimate, by the size of the request in the middle."""

    endpoint: Endpoint
    call: int
    body: Json
    calls: int
    steps: int
    tokens: int

    @property
    def sentence(self) -> str:
        """What asking may cost."""
        price = self.endpoint.price_input
        if price is None:
            cost = "the cost is unknown, since no price was given"
        else:
            cost = (
                f"estimated {money(self.tokens, price)}; with every step used"
                f" {money(self.tokens * self.steps, price)} or more; answers are extra"
            )
        return (
            f"{self.endpoint.model} at {self.endpoint.shown} is asked at about {self.calls:,} calls, up to"
            f" {self.steps} times each: about {self.tokens:,} prompt tokens for the first requests, {cost}."
        )

    @property
    def text(self) -> str:
        """The request as text."""
        return json.dumps(self.body, ensure_ascii=False, indent=1)


def preview(planned: SimulatedRun, endpoint: Endpoint) -> Preview:
    """Raises RavenglassError where every call takes the fast path. Nothing is sent."""
    slow = [n for n, path in enumerate(planned.paths, start=1) if path != "fast"]
    if not slow:
        raise RavenglassError("Every call takes the fast path under this profile, so no model would be asked.")
    middle = json.dumps(_body(planned, slow[len(slow) // 2], endpoint), ensure_ascii=False)
    tokens = planned.inputs.sizes.tokenizer.count(middle) * len(slow)
    body = _body(planned, slow[0], endpoint)
    return Preview(endpoint, slow[0], body, len(slow), planned.profile.max_steps, tokens)


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
