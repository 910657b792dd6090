"""Policies that misbehave on purpose, and random ones."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.curator.tools import TOOLS
from ravenglass.trace import Json

WORDS = ("login", "src/auth.py", "配额", "a", "的", "")


class Scripted:
    """Gives the answers one after the other; the last one again and again."""

    def __init__(self, *answers: Sequence[CuratorCall] | Exception, name: Author = "model") -> None:
        self.name = name
        self.asked = 0
        self.turns: list[Deliberation] = []
        self._answers = answers

    def answer(self, so_far: Deliberation) -> Answer:
        self.turns.append(so_far)
        found = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        if isinstance(found, Exception):
            raise found
        return Answer("", tuple(found))


class Wild:
    """Calls tools at random, known ones and others, with arguments that are mostly legal."""

    def __init__(self, seed: int, name: Author) -> None:
        self.name = name
        self._random = random.Random(seed)

    def answer(self, so_far: Deliberation) -> Answer:
        r = self._random
        if r.random() < 0.05:
            raise KeyError("choices")
        return Answer("", tuple(self._request(so_far) for _ in range(r.randrange(5))))

    def _request(self, so_far: Deliberation) -> CuratorCall:
        r = self._random
        if r.random() < 0.1:
            return CuratorCall(r.choice(("", "rm", "curator_build")), {"a": 1})
        name = r.choice(list(TOOLS))
        arguments: dict[str, Callable[[], Json]] = {
            "curator_search_history": lambda: {"query": r.choice(WORDS), "limit": r.choice((1, 20, 0, "x"))},
            "curator_check_budget": lambda: {"message_ids": self._ids(so_far)},
            "curator_archive_messages": lambda: {"message_ids": self._ids(so_far), "reason": "old"},
            "curator_retrieve_archived": lambda: {"refs": [r.choice(("x", "../x#1-2", so_far.desk.archive.ref(0)))]},
            "curator_read_memory": dict,
            "curator_set_relevance": lambda: {
                "message_ids": self._ids(so_far),
                "relevance": r.choice((0, 0.5, 1, 2, float("nan"), None)),
            },
            "curator_update_working_state": lambda: {"goals": ["keep it short " * 30] * r.randrange(12)},
            "curator_build_context": lambda: {
                "include_message_ids": self._ids(so_far),
                "working_state_injection": r.random() < 0.5,
            },
        }
        odd: tuple[object, ...] = (None, [], "text", {"more": 1})
        given = r.choice(odd) if r.random() < 0.1 else arguments[name]()
        return CuratorCall(name, given)  # type: ignore[arg-type]  # a model sends what it likes

    def _ids(self, so_far: Deliberation) -> list[int]:
        r, known = self._random, so_far.desk.view.features.boundary(so_far.desk.view.call)
        return [r.randrange(-1, known + 1 + (r.random() < 0.1)) for _ in range(r.randrange(8))]
