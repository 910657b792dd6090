"""The manual policy: a person's answer, handed in from outside and spoken as tool calls.

Whoever steps the loop (a window, a notebook) submits before the step that asks. A rejected plan comes back with its
reasons in `rejection`; then the person may submit again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT, Author
from ravenglass.curator.working_state.edits import LIST_NAMES
from ravenglass.errors import RavenglassError
from ravenglass.trace import Json


@dataclass(frozen=True, slots=True)
class Submission:
    """What a person decided: all by message ids; the assembler completes groups. `relevance` is 0..1. Lists of the
    working state that are given replace what was in them."""

    include: frozenset[int]
    archive: frozenset[int] = frozenset()
    relevance: Mapping[int, float] = field(default_factory=dict)
    working_state: bool = True
    notes: str = ""
    reason: str = "archived by hand"
    goals: tuple[str, ...] | None = None
    open_threads: tuple[str, ...] | None = None
    decisions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rejection:
    """The assembler's verdict on a plan that it did not take. Tokens are None where it did not come to counting."""

    step: int
    reasons: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    tokens: int | None = None
    budget: int | None = None


class ManualPolicy:
    """`submit`, then step. A step that asks while nothing was submitted ends the loop in the fail-safe."""

    name: Author = "manual"

    def __init__(self) -> None:
        self._submitted: Submission | None = None
        self._so_far: Deliberation | None = None
        self._asked_at = 0
        self._results_before = 0

    @property
    def waiting(self) -> bool:
        """Whether the next question needs a submission first."""
        return self._submitted is None

    def submit(self, submission: Submission) -> None:
        """Hand in the plan for the next question. A later one replaces it."""
        self._submitted = submission

    def answer(self, so_far: Deliberation) -> Answer:
        """The submission as tool calls. Raises RavenglassError where there is none."""
        submission, self._submitted = self._submitted, None
        if submission is None:
            raise RavenglassError(f"No plan was submitted for step {so_far.step}; the fail-safe decides.")
        self._so_far, self._asked_at, self._results_before = so_far, so_far.step, len(so_far.results)
        # A second try replaces the first: what was archived, rated or written there must not weigh on it.
        so_far.desk.clear()
        return Answer(submission.notes, tuple(_spoken(submission)))

    @property
    def refusals(self) -> tuple[str, ...]:
        """Why single tools refused what was submitted last (unknown ids, a pinned message), the plan itself aside."""
        return tuple(
            str(result["error"])
            for request, result in self._answers()
            if request.name != BUILD_CONTEXT and "error" in result
        )

    @property
    def rejection(self) -> Rejection | None:
        """Why the plan that was submitted last came back; None while it has not, or was accepted."""
        for request, result in self._answers():
            if request.name == BUILD_CONTEXT and not result.get("ok"):
                return _rejection(self._asked_at, result)
        return None

    def _answers(self) -> list[tuple[CuratorCall, Json]]:
        return [] if self._so_far is None else self._so_far.results[self._results_before :]


def _spoken(submission: Submission) -> Iterator[CuratorCall]:
    levels: dict[float, list[int]] = {}
    for message, value in sorted(submission.relevance.items()):
        levels.setdefault(float(value), []).append(message)
    for value, messages in sorted(levels.items()):
        yield CuratorCall("curator_set_relevance", {"message_ids": messages, "relevance": value})
    if submission.archive:
        arguments: Json = {"message_ids": sorted(submission.archive), "reason": submission.reason}
        yield CuratorCall("curator_archive_messages", arguments)
    lists = {name: getattr(submission, name) for name in LIST_NAMES}
    written: Json = {name: list(lines) for name, lines in lists.items() if lines is not None}
    if written:
        yield CuratorCall("curator_update_working_state", written)
    yield CuratorCall(
        BUILD_CONTEXT,
        {
            "include_message_ids": sorted(submission.include),
            "working_state_injection": submission.working_state,
            "notes": submission.notes,
        },
    )


def _rejection(step: int, result: Json) -> Rejection:
    if "error" in result:
        return Rejection(step, (str(result["error"]),))
    return Rejection(
        step, _sentences(result.get("errors")), _sentences(result.get("assembler_warnings")),
        _number(result.get("total_tokens")), _number(result.get("max_prompt_tokens")),
    )  # fmt: skip


def _sentences(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
