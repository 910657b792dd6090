from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ravenglass.curator.fail_safe import fail_safe
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.view import View
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.curator.desks import desk
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import look, plain, views


@pytest.mark.rule("6.10")
@thorough
@given(views())
def test_that_the_fail_safe_gives_an_accepted_window_within_budget_from_any_state(view: View) -> None:
    assembled = fail_safe(desk(view))
    assert assembled.verdict.ok
    assert assembled.verdict.tokens <= view.budget.available
    assert assembled.archive == {}
    group_of, known = view.features.session.structure.group_of, view.features.boundary(view.call)
    latest = range(max(0, known - view.profile.fail_safe_last), known)
    owed = set(exemptions(view).forms) | {group_of[m] for m in latest}
    assert owed <= set(assembled.placed) | set(assembled.dropped)


def _view(**more: Any) -> View:
    """A request about the login, thirty exchanges; those of `make login` (4 and 9) are relevant."""
    made = []
    for number in range(30):
        command = "make login" if number in (4, 9) else "make"
        made += [assistant("", call("Bash", command=command)), result(f"{number}")]
    return look(session(user("fix the login"), *made, assistant("end")), plain(**more))


@pytest.mark.rule("6.9")
def test_that_protected_most_relevant_and_latest_messages_are_in_and_the_rest_is_not() -> None:
    assembled = fail_safe(desk(_view(fail_safe_top=5, fail_safe_last=4, protect_first_n=1)))
    # The request and its first exchange are protected; 5 and 10 are the relevant ones; the last two exchanges.
    assert set(assembled.placed) == {0, 1, 5, 10, 29, 30}


@pytest.mark.rule("6.9")
def test_that_both_figures_are_fields_of_the_profile() -> None:
    none = fail_safe(desk(_view(fail_safe_top=0, fail_safe_last=1)))
    assert set(none.placed) == {0, 30}
    default = fail_safe(desk(_view()))
    assert {0, 5, 10, *range(23, 31)} <= set(default.placed)
    assert len(default.placed) < 20


@pytest.mark.rule("6.9")
def test_that_of_equally_relevant_messages_the_latest_are_in() -> None:
    view = _view(fail_safe_top=2, fail_safe_last=1)
    relevance = desk(view).decision.scores.relevance
    assert relevance[0] == relevance[5] == relevance[10] > 0
    assert set(fail_safe(desk(view)).placed) == {0, 10, 30}
