"""What it cost to fetch again, after its loss, what a result had shown. Facts of a record, priced by the profile."""

from __future__ import annotations

from ravenglass.replay.figures import Paid
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.prices import MILLION, price_of_new
from ravenglass.replay.stepping.inputs import Inputs


def paid(inputs: Inputs, response: int, need: Need) -> Paid:
    """Tokens of the call and of what it brought back, the recorded time between, the price of the tokens as fresh
    input."""
    messages = inputs.session.messages
    call = messages[response].tool_calls[need.call]
    count = inputs.sizes.tokenizer.count
    tokens = count(call.name) + count(call.arguments)
    seconds = None
    if need.result is not None:
        tokens += inputs.sizes.full[need.result]
        asked, came = messages[response].ts, messages[need.result].ts
        if asked is not None and came is not None:
            seconds = max(0.0, came - asked)
    return Paid(1, tokens, seconds, tokens * price_of_new(inputs.session, inputs.profile) / MILLION)
