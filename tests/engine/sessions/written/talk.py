"""A conversation without a format: prompts and answers with thoughts, texts, calls and what the calls brought."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st


@dataclass(frozen=True)
class Call:
    """A tool call, and its result; None where it was never answered."""

    id: str
    argument: str
    result: str | None


@dataclass(frozen=True)
class Answer:
    """What one request brought."""

    text: str
    thought: str
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class Turn:
    """A prompt and the answers up to the next one."""

    prompt: str
    answers: tuple[Answer, ...]


Talk = tuple[Turn, ...]

_PIECES = ("alpha", "beta\n", "gamma ü", "{}", '"', "\\d+", "<b>", "\t", "日本", "one two")


def _words(draw: st.DrawFn, prefix: str, number: int) -> str:
    """Words that no other place has, with something awkward in them; they neither begin nor end with a blank."""
    return f"{prefix}{number:04d} {draw(st.sampled_from(_PIECES))}."


@st.composite
def talks(draw: st.DrawFn, *, most: int = 3) -> Talk:
    """A valid conversation. Every text in it is there once; calls of one answer are all answered but maybe the last."""
    number = 0
    turns: list[Turn] = []
    for _ in range(draw(st.integers(1, most))):
        number += 1
        prompt = _words(draw, "ask", number)
        answers: list[Answer] = []
        size = draw(st.integers(1, most))
        for place in range(size):
            calls: list[Call] = []
            for _ in range(draw(st.integers(0 if place == size - 1 else 1, 2))):
                number += 1
                calls.append(Call(f"call_{number}", _words(draw, "do", number), _words(draw, "got", number)))
            number += 1
            thought = _words(draw, "think", number) if draw(st.booleans()) else ""
            said = _words(draw, "say", number) if draw(st.booleans()) or not (calls or thought) else ""
            answers.append(Answer(said, thought, tuple(calls)))
        # Only what nothing follows can be without a result: an answer without calls ends the turn.
        last = answers[-1]
        number += 1
        if len(last.calls) > 0 and draw(st.booleans()):
            gone = last.calls[-1]
            answers[-1] = Answer(last.text, last.thought, (*last.calls[:-1], Call(gone.id, gone.argument, None)))
        turns.append(Turn(prompt, tuple(answers)))
    return tuple(turns)


def texts(talk: Talk, *, prompts: bool = True, thoughts: bool = True) -> set[str]:
    """Everything that was said in a conversation, without calls and results."""
    found: set[str] = set()
    for turn in talk:
        found |= {turn.prompt} if prompts else set()
        for answer in turn.answers:
            found |= {answer.text, answer.thought if thoughts else ""}
    return found - {""}


def calls(talk: Talk) -> list[Call]:
    """All its calls."""
    return [call for turn in talk for answer in turn.answers for call in answer.calls]
