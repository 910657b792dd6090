"""The recorded policy: the answers of a trace log, given again under other thresholds.

They apply as long as the messages they name are known and a plan that was accepted then is accepted now. Where that
ends, the policy says at which step and why, and the loop ends in the fail-safe.
"""

from __future__ import annotations

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT, Author
from ravenglass.curator.policies.translate import translated
from ravenglass.errors import RavenglassError
from ravenglass.sessions.records.values import sequence
from ravenglass.trace import Json
from ravenglass.traces import LoggedAnswer, TraceCall, answers
from ravenglass.traces.verdicts import ids

_NAMED = 10
"""Unknown ids that the sentence lists."""


class RecordedPolicy:
    """Answers of one logged call, in order."""

    name: Author = "recorded"

    def __init__(self, logged: tuple[LoggedAnswer, ...]) -> None:
        self.answers = logged
        self._accepted_at = next((n for n, a in enumerate(logged, 1) if any(c.accepted for c in a.calls)), None)
        self._so_far: Deliberation | None = None
        self._expects_acceptance = False
        self._told = 0

    @classmethod
    def of(cls, call: TraceCall) -> RecordedPolicy:
        """The policy that gives a logged call's answers. Raises RavenglassError where the log holds none."""
        found = answers(call)
        if not found:
            raise RavenglassError(
                "This call's log holds no answers of a curator, so there are none to replay; it took the fast path, or"
                " was written without its conversation."
            )
        return cls(found)

    def answer(self, so_far: Deliberation) -> Answer:
        """The logged answer of this step. Raises RavenglassError, naming the step, where it no longer applies."""
        if so_far is not self._so_far:
            self._so_far, self._expects_acceptance, self._told = so_far, False, 0
        self._check_plan(so_far)
        step = so_far.step
        if step > len(self.answers):
            raise RavenglassError(
                f"Step {step}: the recorded answers end after step {len(self.answers)}, without an accepted plan."
            )
        allowed = so_far.desk.view.profile.max_steps
        if self._accepted_at is not None and step == allowed < self._accepted_at:
            raise RavenglassError(
                f"Step {step}: the recorded plan comes at step {self._accepted_at}, but this profile allows {allowed}"
                " steps."
            )
        logged = self.answers[step - 1]
        requests = tuple(self._requests(so_far, logged))
        self._told = len(so_far.results)
        self._expects_acceptance = any(call.accepted for call in logged.calls)
        return Answer(logged.content, requests, logged.finish_reason)

    def _check_plan(self, so_far: Deliberation) -> None:
        """The loop asks again only where no plan was accepted: then the one of the step before should have been."""
        if not self._expects_acceptance:
            return
        last = next((r for q, r in reversed(so_far.results[self._told :]) if q.name == BUILD_CONTEXT), {})
        reasons = "; ".join(map(str, sequence(last.get("errors")))) or str(last.get("error", "no reason was given"))
        raise RavenglassError(
            f"Step {so_far.step - 1}: the plan that was accepted when this was recorded is rejected now: {reasons}."
        )

    def _requests(self, so_far: Deliberation, logged: LoggedAnswer) -> list[CuratorCall]:
        found: list[CuratorCall] = []
        for call in logged.calls:
            result: Json = call.result or {}
            if call.arguments is None:
                found.append(CuratorCall(call.tool, {}, f"the log holds no readable arguments of {call.tool}"))
                continue
            for arguments in translated(call.tool, call.arguments, result):
                if not _refused(result):
                    self._check_ids(so_far, call.tool, arguments)
                found.append(CuratorCall(call.tool, arguments))
        return found

    def _check_ids(self, so_far: Deliberation, tool: str, arguments: Json) -> None:
        """Unknown ids end it, unless the log's own tool had refused the call as well."""
        view = so_far.desk.view
        boundary = view.features.boundary(view.call)
        named = (*ids(arguments.get("message_ids")), *ids(arguments.get("include_message_ids")))
        unknown = sorted({m for m in named if m >= boundary})
        if unknown:
            more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
            raise RavenglassError(
                f"Step {so_far.step}: {tool} names the messages {', '.join(map(str, unknown[:_NAMED]))}{more}, which"
                f" call {view.call} does not know; it knows 0 to {boundary - 1}."
            )


def _refused(result: Json) -> bool:
    """Whether the log's own tool had refused a call."""
    return "error" in result or result.get("ok") is False or result.get("accepted") is False
