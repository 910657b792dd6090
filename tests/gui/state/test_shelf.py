"""A listed folder: families of sessions, and what a search finds, follow what the list says now."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.store.library.records import ListedSession
from ravenglass_gui.state.shelf import Shelf

ROOT = Path("projects")


def listed(name: str, *, parent: str | None = None, title: str = "") -> ListedSession:
    return ListedSession.of(HolderEntry("claude-code", ROOT / f"{name}.jsonl", "", name, title, "", parent))


def shelf(*items: ListedSession) -> Shelf:
    made = Shelf(AgentPlace("Claude Code", ROOT), opened=False)
    made.fill(items)
    return made


def names(items: list[ListedSession]) -> list[str]:
    return [item.entry.id for item in items]


def test_that_families_are_those_of_the_list_as_it_is_now() -> None:
    parent, other, agent = listed("parent"), listed("other"), listed("agent", parent="parent")
    made = shelf(parent, other, agent)
    assert (names(made.sessions), names(made.agents(parent))) == (["parent", "other"], ["agent"])
    made.fill([other, agent])
    assert names(made.sessions) == ["other", "agent"]
    made.fill([parent, listed("agent", parent="other"), other])
    assert (names(made.agents(parent)), names(made.agents(other))) == ([], ["agent"])


def test_that_a_session_that_is_found_to_be_a_sub_agent_goes_under_its_parent() -> None:
    parent, agent = listed("parent"), listed("agent")
    made = shelf(parent, agent)
    assert names(made.sessions) == ["parent", "agent"]
    made.update([listed("agent", parent="parent")])
    assert (names(made.sessions), names(made.agents(parent))) == (["parent"], ["agent"])


def test_that_a_session_is_found_by_the_title_that_it_has_now() -> None:
    made = shelf(listed("one", title="Split the billing module"))
    (item,) = made.sessions
    assert made.matches(item, ["billing"])
    read = replace(item, entry=replace(item.entry, title="修复登录页的重定向"))
    made.update([read])
    assert made.matches(read, ["重定向"])
    assert not made.matches(read, ["billing"])
    made.fill([replace(item, entry=replace(item.entry, title="Rename the invoice"))])
    (again,) = made.sessions
    assert made.matches(again, ["invoice"])
    assert not made.matches(again, ["重定向"])


def test_that_sessions_that_name_each_other_as_parents_are_listed() -> None:
    made = shelf(listed("a", parent="b"), listed("b", parent="a"), listed("c", parent="c"))
    assert sorted(names(made.sessions)) == ["a", "b", "c"]
