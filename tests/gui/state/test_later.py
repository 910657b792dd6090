"""Which session of a record that was read on is the one on screen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from ravenglass_gui.state.later import later_of
from tests.gui.recordings import write_chat


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return open_session(write_chat(tmp_path_factory.mktemp("later") / "chat.json", exchanges=2))


def family(plain: Session, mark: str) -> Session:
    """A session with two sub-agents, one of which has one of its own; `mark` tells the states apart."""
    deeper = replace(plain, id="deeper", title=mark, parent_call_id="call_2")
    children = (replace(plain, id="a", title=mark, children=(deeper,)), replace(plain, id="b", title=mark))
    return replace(plain, id="root", title=mark, children=children)


def test_that_root_and_sub_agents_are_found_by_what_does_not_change(plain: Session) -> None:
    before, after = family(plain, "before"), family(plain, "after")
    assert later_of(before, before, after) is after
    assert later_of(before.children[1], before, after) is after.children[1]
    assert later_of(before.children[0].children[0], before, after) is after.children[0].children[0]


def test_that_a_state_that_is_older_than_the_root_on_screen_is_found_as_well(plain: Session) -> None:
    first, second, third = (family(plain, mark) for mark in ("first", "second", "third"))
    assert later_of(first.children[0], second, third) is third.children[0]
    assert later_of(first, second, third) is third


def test_that_another_record_and_a_sub_agent_that_is_gone_are_none(plain: Session) -> None:
    before = family(plain, "before")
    assert later_of(before, before, replace(before, path=Path("/elsewhere.json"))) is None
    assert later_of(before, before, replace(before, key="another")) is None
    assert later_of(before.children[1], before, replace(before, children=before.children[:1])) is None
    assert later_of(None, None, before) is None
