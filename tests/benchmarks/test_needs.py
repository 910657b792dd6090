"""How long it takes to work out what a session needs, at two lengths. Prints figures; asserts a ratio of one run."""

from __future__ import annotations

import random
import time

import pytest

from ravenglass.replay.measures.needs.session import SessionNeeds
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, result, session, user

_SMALL, _LARGE = 1_000, 10_000
_MOST_TIMES = 20
"""Ten times the messages may take so many times as long; quadratic would be a hundred."""


def _made(size: int) -> Session:
    """Reads, edits, runs and searches of ever more files, as many as have `size` messages together."""
    dice = random.Random(size)
    messages: list[Message] = [user("go")]
    while len(messages) < size:
        n = dice.randrange(1 + len(messages) // 4)
        path = f"src/part_{n % 50}/module_{n}.py"
        text = "\n".join(f"value_{n}_{row} = load_{row}_{n % 97}(shared_config)" for row in range(12))
        asked, shown = dice.choice(
            (
                (call("Read", file_path=path), text),
                (call("Edit", file_path=path, old_string=f"value_{n}_1", new_string=f"value_{n}_x"), "ok"),
                (call("Bash", command=f"cat {path} | head -20"), text),
                (call("Bash", command=f"grep -rn load_3_{n % 97} src/part_{n % 50}"), f"{path}:3:{text[:60]}"),
                (call("Bash", command="pytest -q"), "3 passed"),
            )
        )
        messages += [assistant(f"looking at value_{n}_2 and shared_config", asked), result(shown)]
    return session(*messages)


def _seconds(made: Session) -> float:
    begun = time.process_time()
    SessionNeeds(made)
    return time.process_time() - begun


@pytest.mark.proof
def test_that_needs_of_ten_times_the_messages_take_about_ten_times_as_long(figures: list[str]) -> None:
    small, large = _made(_SMALL), _made(_LARGE)
    short = min(_seconds(small) for _ in range(3))
    long = _seconds(large)
    figures.append(f"needs of {_SMALL:,} messages {short * 1e3:.0f} ms, of {_LARGE:,} {long * 1e3:.0f} ms")
    assert long < _MOST_TIMES * short
