"""Conversations with a little of everything that changes what is known of earlier messages: files that are read and
edited again, several calls at once, results that come late, instructions in between, skills, todo lists, look-ups."""

from __future__ import annotations

import json
from collections.abc import Callable

from hypothesis import strategies as st

from tests.engine.embed.conversations import MOMENT, Chat, said

_FILES = ("src/login.py", "src/quota.py", "docs/notes.md", "README.md", "package.json", "src")
_TOPICS = (
    "Fix the login in src/login.py",
    "Now look at quota and KeyError",
    "go on",
    "修改登录, never edit docs/notes.md",
    "Write unrelated_words about window_frames instead, we decided to use sqlite rather than files",
)
_ROUGH = 1_800
"""Seconds between two messages, at most."""


def _tools() -> st.SearchStrategy[tuple[str, Chat]]:
    path = st.sampled_from(_FILES)
    done = st.sampled_from(("completed", "pending"))
    return st.one_of(
        path.map(lambda p: ("Read", {"file_path": p})),
        path.map(lambda p: ("Edit", {"file_path": p, "old_string": "a", "new_string": "b"})),
        path.map(lambda p: ("Write", {"file_path": p, "content": f"all of {p}"})),
        path.map(lambda p: ("Bash", {"command": f"rm -r {p}"})),
        path.map(lambda p: ("Bash", {"command": f"cat {p}"})),
        st.just(("Bash", {"command": "pytest -q"})),
        st.just(("WebFetch", {"url": "https://example.org/page"})),
        st.just(("Grep", {"pattern": "login"})),
        st.sampled_from(("one", "two")).map(
            lambda n: ("Skill", {"path": f"skills/{n}/SKILL.md", "skill": f"local/{n}"})
        ),
        done.map(lambda s: ("TodoWrite", {"todos": [{"content": "the login", "status": s}]})),
    )


class _Made:
    """What was said so far, and the calls that have no result."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self.messages: list[Chat] = []
        self.open: list[str] = []
        self._draw = draw
        self._now = MOMENT
        self._calls = 0

    def say(self, message: Chat) -> None:
        self._now += self._draw(st.integers(0, _ROUGH))
        self.messages.append({**message, "timestamp": self._now})

    def ask(self, tools: list[tuple[str, Chat]]) -> None:
        calls = []
        for name, arguments in tools:
            self._calls += 1
            self.open.append(f"c{self._calls}")
            function = {"name": name, "arguments": json.dumps(arguments)}
            calls.append({"id": self.open[-1], "type": "function", "function": function})
        self.say(said("assistant", "", tool_calls=calls))

    def answer(self, place: int, text: str) -> None:
        self.say(said("tool", text, tool_call_id=self.open.pop(place)))


@st.composite
def lively(draw: st.DrawFn, longest: int = 24) -> list[Chat]:
    """Messages in chat form with their times, seconds since the epoch."""
    made = _Made(draw)
    made.say(said("user", draw(st.sampled_from(_TOPICS))))
    for _ in range(draw(st.integers(0, longest))):
        what = draw(
            st.sampled_from(("ask", "ask", "answer", "answer", "answer", "answer all", "user", "closing", "rule"))
        )
        words = "login quota KeyError window_frames " * draw(st.integers(0, 30))
        if what == "ask":
            made.ask(draw(st.lists(_tools(), min_size=1, max_size=3)))
        elif what == "answer" and made.open:
            made.answer(draw(st.integers(0, len(made.open) - 1)), words)
        elif what == "answer all":
            while made.open:
                made.answer(0, words)
        elif what == "user":
            made.say(said("user", f"{draw(st.sampled_from(_TOPICS))} {words}"))
        elif what == "closing":
            made.say(said("assistant", f"Done. {words}"))
        elif what == "rule":
            made.say(said("system", f"Be careful. {words}"))
    return made.messages
