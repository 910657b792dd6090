from __future__ import annotations

from itertools import product

import pytest

from ravenglass.errors import TransitionError
from ravenglass.hub.item import TRANSITIONS, Form, State, change

ALLOWED = {
    ("registered", "active"),
    ("registered", "standby"),
    ("registered", "expired"),
    ("active", "standby"),
    ("active", "expired"),
    ("standby", "active"),
    ("standby", "archived"),
    ("standby", "expired"),
    ("expired", "archived"),
    ("archived", "standby"),
}


@pytest.mark.rule("4.28", "4.29", "4.30", "4.31")
@pytest.mark.parametrize(("before", "after"), [*product(State, State)], ids=lambda state: state.label)
def test_that_the_state_machine_is_exactly_that_of_the_design(before: State, after: State) -> None:
    if (before.label, after.label) in ALLOWED:
        assert change(before, after) is after
    else:
        with pytest.raises(TransitionError) as caught:
            change(before, after)
        assert f"is {before.label} cannot become {after.label}" in str(caught.value)


def test_that_a_refusal_says_what_would_be_possible() -> None:
    with pytest.raises(TransitionError, match="can become active, expired, archived"):
        change(State.STANDBY, State.REGISTERED)


def test_that_every_state_has_its_row() -> None:
    assert set(TRANSITIONS) == set(State)


def test_that_states_and_forms_are_named_for_people() -> None:
    assert [state.label for state in State] == ["registered", "active", "standby", "expired", "archived"]
    assert [form.label for form in Form] == [
        "out", "full", "offloaded", "stub", "shrunk", "reference", "partial", "updated",
    ]  # fmt: skip


def test_that_out_is_the_only_form_without_content() -> None:
    assert [form for form in Form if not form] == [Form.OUT]
