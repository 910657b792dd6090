"""The planner policy: the scheduler's decision, spoken as tool calls. Deterministic, needs no model; the default."""

from __future__ import annotations

from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT, Author, Plan
from ravenglass.scheduler.packing import Decision
from ravenglass.scheduler.view import View

_QUERY_WORDS = 8


def _included(view: View, decision: Decision) -> list[int]:
    return sorted(m for g in decision.include for m in view.group(g).messages)


def plan_of(view: View, decision: Decision) -> Plan:
    """The plan that the planner submits, without the conversation."""
    return Plan(
        include=frozenset(_included(view, decision)),
        author="planner",
        archive=decision.archive,
        with_working_state=decision.with_working_state,
        notes=_notes(decision),
    )


def _notes(decision: Decision) -> str:
    return f"{len(decision.include)} groups in the window, {len(decision.archive)} to the archive"


class Planner:
    """Looks first (search, budget), then archives and builds. With one step left it builds at once."""

    name: Author = "planner"

    def answer(self, so_far: Deliberation) -> Answer:
        """The tool calls of the next step."""
        view, decision = so_far.desk.view, so_far.desk.decision
        if so_far.step == 1 and view.profile.max_steps > 1:
            query = " ".join(list(decision.scores.intent.weights)[:_QUERY_WORDS])
            return Answer(
                "Looking at what the request needs and at how full the window is.",
                (
                    CuratorCall("curator_search_history", {"query": query, "limit": 20}),
                    CuratorCall("curator_check_budget", {}),
                ),
            )
        reasons: dict[str, list[int]] = {}
        for g, reason in decision.archive.items():
            reasons.setdefault(reason, []).extend(view.group(g).messages)
        archive = tuple(
            CuratorCall("curator_archive_messages", {"message_ids": messages, "reason": reason})
            for reason, messages in reasons.items()
        )
        build = CuratorCall(
            BUILD_CONTEXT,
            {
                "include_message_ids": _included(view, decision),
                "working_state_injection": decision.with_working_state,
                "notes": _notes(decision),
            },
        )
        return Answer(f"Packing into {view.budget.target:,} tokens: {_notes(decision)}.", (*archive, build))
