"""A conversation in the shape a format can hold: what it has no place for is said in another place, not left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.engine.sessions.written.talk import Answer, Talk, Turn


def thought_with_calls(talk: Talk) -> Talk:
    """Thoughts are written with calls only: an answer without calls says aloud what it thought."""
    return _each(talk, lambda answer: answer if answer.calls else _aloud(answer))


def thoughtless(talk: Talk) -> Talk:
    """No place for thoughts."""
    return _each(talk, _aloud)


def sent(talk: Talk) -> Talk:
    """Results are known by being sent with the next request, and nothing follows the last answer."""
    *turns, last = talk
    *answers, end = last.answers
    unanswered = tuple(replace(call, result=None) for call in end.calls)
    return (*turns, Turn(last.prompt, (*answers, replace(end, calls=unanswered))))


def worded(talk: Talk) -> Talk:
    """No place for calls: a command stands in what the answer says, and what it brought comes as a user message."""
    found: list[Turn] = []
    prompt = ""
    for turn in talk:
        prompt = turn.prompt
        for answer in turn.answers:
            commands = [f"```bash\n{call.argument}\n```" for call in answer.calls]
            said = "\n".join(filter(None, (answer.text or answer.thought, *commands)))
            found.append(Turn(prompt, (Answer(said, "", ()),)))
            brought = "\n".join(call.result for call in answer.calls if call.result is not None)
            prompt = f"Observation: {brought or len(found)}"
    return (*found, Turn(prompt, (Answer("end.", "", ()),)))


def _each(talk: Talk, change: Callable[[Answer], Answer]) -> Talk:
    return tuple(Turn(turn.prompt, tuple(change(answer) for answer in turn.answers)) for turn in talk)


def _aloud(answer: Answer) -> Answer:
    return replace(answer, text=answer.text or answer.thought, thought="")


SHAPES: dict[str, Callable[[Talk], Talk]] = {
    "mini-swe-agent of the first version": worded,
    "openhands folder of the first generation": thought_with_calls,
    "openhands of the first generation": thought_with_calls,
    "otel": sent,
    "otel with events": lambda talk: sent(thoughtless(talk)),
    "otel with numbered attributes": lambda talk: sent(thoughtless(talk)),
    "swe-agent of the first version": worded,
    "swe-agent without a history": worded,
}
"""Ways of writing that do not hold everything."""
