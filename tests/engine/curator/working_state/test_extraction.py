from __future__ import annotations

from ravenglass.curator.working_state.extraction import extract
from ravenglass.profile import Profile
from tests.engine.builders import assistant, session, user

PASTE = "lorem ipsum dolor sit amet\n" * 20_000


def test_that_a_huge_paste_is_read_at_its_head_and_its_tail() -> None:
    text = f"Fix the quota.\n{PASTE}Never touch the database.\n{PASTE}You must keep the old API."
    ((call, state),) = extract(session(user(text), assistant("ok")), Profile())
    assert call == 1
    assert [line.text for line in state.goals] == ["Fix the quota."]
    assert [line.text for line in state.decisions] == ["You must keep the old API."]


def test_that_a_text_of_usual_length_is_read_whole() -> None:
    text = f"Fix the quota.\n{PASTE[:40_000]}\nNever touch the database.\n{PASTE[:40_000]}"
    ((_, state),) = extract(session(user(text), assistant("ok")), Profile())
    assert [line.text for line in state.decisions] == ["Never touch the database."]


def test_that_a_rule_is_found_at_the_start_of_any_line() -> None:
    ((_, state),) = extract(session(user("Fix the quota\nNever touch the database"), assistant("ok")), Profile())
    assert [line.text for line in state.decisions] == ["Never touch the database"]
