"""What asking a model took, as its endpoint reported it, in numbers and in words. Unknown is never counted as 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ravenglass.trace import Json, TraceEvent
from ravenglass.trace.curating import CuratorResponse
from ravenglass.trace.payload import UNSET

if TYPE_CHECKING:
    from ravenglass.curator.policies.endpoint import Endpoint

_MILLION = 1_000_000


@dataclass(slots=True)
class Spent:
    """What a policy's endpoint was asked so far. `unreported`: answers without figures, whose tokens are unknown."""

    answers: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    unreported: int = 0

    @property
    def repeats(self) -> int:
        """Requests that repeated another one."""
        return self.requests - self.answers

    def add(self, event: TraceEvent) -> bool:
        """Count an event; whether it was an endpoint's answer."""
        body = event.body
        if not isinstance(body, CuratorResponse) or body.requests is UNSET:
            return False
        self.answers += 1
        self.requests += int(body.requests)
        if body.prompt_tokens is UNSET or body.completion_tokens is UNSET:
            self.unreported += 1
        else:
            self.prompt_tokens += int(body.prompt_tokens)
            self.completion_tokens += int(body.completion_tokens)
        return True

    def as_object(self) -> Json:
        """The figures by their names; tokens are None where no answer came with any."""
        told = self.unreported < self.answers
        return {
            "answers": self.answers,
            "requests": self.requests,
            "repeats": self.repeats,
            "prompt_tokens": self.prompt_tokens if told else None,
            "completion_tokens": self.completion_tokens if told else None,
            "unreported": self.unreported,
        }


def money(tokens: int, price: float) -> str:
    """The cost of tokens at a price per million."""
    return f"${tokens * price / _MILLION:,.4f}"


def spent_words(spent: Spent, endpoint: Endpoint | None) -> str:
    """What the curator itself used, and its cost where the prices of its endpoint are known."""
    if not spent.requests:
        return "No model was asked."
    said = f"The curator asked {spent.requests:,} times, {spent.repeats:,} of them repetitions"
    if spent.unreported == spent.answers:
        return f"{said}; the endpoint reported no tokens, so what it cost is unknown."
    more = f"; {spent.unreported:,} answers came without figures" if spent.unreported else ""
    return (
        f"{said}: {spent.prompt_tokens:,} prompt and {spent.completion_tokens:,} answer tokens as reported,"
        f" {_cost(spent, endpoint)}{more}."
    )


def _cost(spent: Spent, endpoint: Endpoint | None) -> str:
    asked = endpoint.price_input if endpoint is not None else None
    answered = endpoint.price_output if endpoint is not None else None
    if asked is None and answered is None:
        return "cost unknown, since no price was given"
    if asked is None:
        return f"{money(spent.completion_tokens, answered or 0)} for the answers, the prompts' price is unknown"
    if answered is None:
        return f"{money(spent.prompt_tokens, asked)} for the prompts, the answers' price is unknown"
    total = spent.prompt_tokens * asked + spent.completion_tokens * answered
    return f"${total / _MILLION:,.4f} together"
