from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.curator.loop import Deliberation
from ravenglass.curator.policies.planner import Planner, plan_of
from ravenglass.scheduler.packing import schedule
from ravenglass.scheduler.view import View
from tests.engine.curator.desks import converse, desk
from tests.engine.curator.test_assembler import conversation
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import EXPIRED, STANDBY, look, plain, views


@pytest.mark.rule("6.15")
@thorough
@given(views())
def test_that_the_spoken_plan_is_the_one_that_the_bulk_replay_submits(view: View) -> None:
    plan = plan_of(view, schedule(view))
    answer = Planner().answer(Deliberation(desk(view, "planner"), 2))
    archive = [r for r in answer.calls if r.name == "curator_archive_messages"]
    build = answer.calls[-1]
    assert build.name == "curator_build_context"
    assert set(build.arguments["include_message_ids"]) == plan.include  # type: ignore[call-overload]  # a list of ids
    assert build.arguments["working_state_injection"] == plan.with_working_state
    group_of = view.features.session.structure.group_of
    spoken = {group_of[m]: r.arguments["reason"] for r in archive for m in r.arguments["message_ids"]}  # type: ignore[attr-defined]
    assert spoken == plan.archive


@pytest.mark.rule("6.21")
@thorough
@given(views())
def test_that_conversation_and_short_cut_end_in_the_same_window(view: View) -> None:
    loop, _ = converse(view, Planner())
    at = desk(view, "planner")
    plan = plan_of(view, at.decision)
    at.to_archive = dict(plan.archive)
    assert loop.assembled == at.propose(sorted(plan.include), plan.with_working_state, plan.notes)


def test_that_with_one_step_it_builds_at_once() -> None:
    view = look(conversation(10, 10), plain(max_steps=1))
    loop, events = converse(view, Planner())
    assert not loop.failed_safe
    assert [e.payload["tool"] for e in events if e.event == "curator_tool_result"] == ["curator_build_context"]


def test_that_archivings_are_grouped_by_their_reason() -> None:
    view = look(conversation(10, 10, 10, 10), plain(archive_below=0.9), places={1: EXPIRED, 2: EXPIRED, 3: STANDBY})
    answer = Planner().answer(Deliberation(desk(view, "planner"), 2))
    archived = {str(r.arguments["reason"]): r.arguments["message_ids"] for r in answer.calls[:-1]}
    assert archived["its content is outdated"] == [1, 2, 3, 4]
    assert [ids for reason, ids in archived.items() if "is below 0.90" in reason] == [[5, 6]]
