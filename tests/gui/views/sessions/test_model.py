"""The tree of the session browser: what was opened, and the sections of listed folders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from ravenglass.sessions.catalogue.places import AgentPlace
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.sessions.model.session import Session
from ravenglass.store.library.records import ListedSession, OpenedSession
from ravenglass_gui.state.shelf import Shelf
from ravenglass_gui.views.sessions.model import NO_PROJECT, SessionRole, SessionsModel
from ravenglass_gui.views.sessions.nodes import PAGE

ROOT = Path("/home/me/.claude/projects")


def remembered(path: str, project: str, title: str = "", calls: int = 1) -> OpenedSession:
    return OpenedSession(Path(path), "claude-code", title, project, 9, calls, 4_000_000, 0.0, 0.0)


def listed(
    number: int, project: str = "/home/me/billing", *, parent: str | None = None, title: str = ""
) -> ListedSession:
    """Session `sN`; a higher number is newer."""
    entry = HolderEntry("claude-code", ROOT / f"s{number}.jsonl", "", f"s{number}", title, project, parent, size=2_000)
    return ListedSession.of(replace(entry, updated=1_000_000.0 + number))


def shelf(*items: ListedSession, **facts: object) -> Shelf:
    ordered = sorted(items, key=lambda item: item.stamp or 0.0, reverse=True)
    made = Shelf(AgentPlace("Claude Code", ROOT), opened=False, items={item.entry.place: item for item in ordered})
    made.listing = False
    for name, value in facts.items():
        setattr(made, name, value)
    return made


def tree(model: SessionsModel, parent: QModelIndex | None = None) -> list[object]:
    parent = parent or QModelIndex()
    rows: list[object] = []
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        below = tree(model, index)
        text = index.data(Qt.ItemDataRole.DisplayRole)
        rows.append((text, below) if below else text)
    return rows


def facts(model: SessionsModel, *rows: int) -> str:
    index = QModelIndex()
    for row in rows:
        index = model.index(row, 0, index)
    return str(index.data(SessionRole.FACTS))


@pytest.fixture
def model(qtbot: QtBot) -> SessionsModel:
    """Under Qt's own tester, which looks at every row after every change."""
    made = SessionsModel()
    QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal, made)
    return made


def test_that_what_was_opened_stands_under_its_project_in_the_order_given(model: SessionsModel) -> None:
    recent = (
        remembered("/a/one.jsonl", "/home/me/billing", "Split the billing module", 871),
        remembered("/a/two.jsonl", "", "修复登录页的重定向"),
        remembered("/a/three.jsonl", "/home/me/billing"),
    )
    model.rebuild(recent, None, None)
    assert tree(model) == [
        (
            "Opened",
            [("billing", ["Split the billing module", "three.jsonl"]), (NO_PROJECT, ["修复登录页的重定向"])],
        )
    ]
    first = model.index(0, 0, model.index(0, 0, model.index(0, 0)))
    assert first.data(SessionRole.FACTS).endswith("871 calls · 4.0 MB")
    assert Path(first.data(SessionRole.PATH)) == Path("/a/one.jsonl")


def test_that_sub_agents_are_nested_and_the_shown_one_is_current(model: SessionsModel, session: Session) -> None:
    grandchild = replace(session, id="g", title="deeper", children=())
    child = replace(session, id="c", title="explore: callers", children=(grandchild,))
    root = replace(session, title="Main", project="/x/demo", children=(child,))
    model.rebuild((), root, grandchild)
    assert tree(model) == [("Opened", [("demo", [("Main", [("explore: callers", ["deeper"])])])])]
    assert model.current().data(SessionRole.SESSION) is grandchild
    model.rebuild((), root, root)
    assert model.current().data(Qt.ItemDataRole.DisplayRole) == "Main"


def test_that_the_open_session_is_listed_once(model: SessionsModel, session: Session) -> None:
    model.rebuild((remembered(str(session.path.absolute()), session.project),), session, session)
    assert facts(model, 0) == "1 session"


def test_that_a_title_of_many_lines_becomes_one(model: SessionsModel) -> None:
    model.rebuild((remembered("/a/one.jsonl", "p", "<b>one</b>\n\n  two"),), None, None)
    assert tree(model) == [("Opened", [("p", ["<b>one</b> two"])])]


def test_that_a_shelf_shows_projects_newest_first_with_sub_agents_under_their_session(model: SessionsModel) -> None:
    items = (
        listed(1, "/home/me/billing", title="old"),
        listed(2, "/home/me/shop", title="修复登录"),
        listed(3, "/home/me/billing", title="new"),
        listed(4, "/home/me/billing", parent="s1", title="explore"),
    )
    model.rebuild((), None, None, [shelf(*items)])
    assert tree(model) == [
        ("Claude Code", [("billing", ["new", ("old", ["explore"])]), ("shop", ["修复登录"])]),
    ]
    assert facts(model, 0) == "3 sessions · 3 unread"
    assert facts(model, 0, 0, 1).endswith("not read yet · 2.0 kB · 1 sub-agent")


def test_that_projects_that_end_alike_are_told_apart(model: SessionsModel) -> None:
    items = (listed(1, "/home/me/shop/cli"), listed(2, "C:\\work\\bank\\cli"), listed(3, "/home/me/web"))
    model.rebuild((), None, None, [shelf(*items)])
    assert [row[0] for row in tree(model)[0][1]] == ["web", "bank/cli", "shop/cli"]  # type: ignore[index]


def test_that_sessions_that_name_each_other_as_parents_are_listed_all_the_same(model: SessionsModel) -> None:
    ring = (listed(1, parent="s2"), listed(2, parent="s1"), listed(3, parent="s3"), listed(4, parent="gone"))
    model.rebuild((), None, None, [shelf(*ring)])
    assert [str(tree(model)).count(f"s{number}.jsonl") for number in (1, 2, 3, 4)] == [1, 1, 1, 1]


def test_that_details_change_the_row_and_keep_its_place(qtbot: QtBot, model: SessionsModel) -> None:
    shown = shelf(listed(1), listed(2))
    model.rebuild((), None, None, [shown])
    tree(model)
    read = replace(shown.items[ROOT / "s2.jsonl"], detailed=True)
    read = replace(read, entry=replace(read.entry, title="修复", calls=7, model="opus"))
    assert shown.update([read]) == (read,)
    with qtbot.waitSignal(model.dataChanged):
        assert model.update(shown, [read])
    assert tree(model) == [("Claude Code", [("billing", ["修复", "s1.jsonl"])])]
    assert facts(model, 0, 0, 0).endswith("7 calls · 2.0 kB · opus")
    assert facts(model, 0) == "2 sessions · 1 unread"


def test_that_a_session_whose_project_was_found_late_asks_for_a_rebuild(model: SessionsModel) -> None:
    shown = shelf(listed(1, ""))
    model.rebuild((), None, None, [shown])
    tree(model)
    read = ListedSession(replace(listed(1).entry, calls=1), detailed=True)
    assert not model.update(shown, [read])


def test_that_what_cannot_be_read_says_why_in_its_row(model: SessionsModel) -> None:
    broken = replace(listed(1), detailed=True, fault="s1.jsonl could not be read to its end (I/O error).")
    model.rebuild((), None, None, [shelf(broken)])
    index = model.index(0, 0, model.index(0, 0, model.index(0, 0)))
    assert index.data(SessionRole.BAD)
    assert index.data(SessionRole.FACTS) == broken.fault


def test_that_a_filter_keeps_what_has_every_word_somewhere(model: SessionsModel) -> None:
    items = (listed(1, "/home/me/shop", title="Fix LOGIN"), listed(2, "/home/me/billing", title="fix totals"))
    agent = listed(3, "/home/me/billing", parent="s2", title="explore callers")
    shown = shelf(*items, agent)
    for words, kept in (("fix", 2), ("login shop", 1), ("claude-code callers", 1), ("login billing", 0)):
        model.rebuild((), None, None, [shown], words)
        assert str(tree(model)).count("fix") + str(tree(model)).count("Fix") == kept, words
    assert model.rowCount() == 0


def test_that_a_shelf_says_whether_it_is_looked_through_empty_or_failed(model: SessionsModel) -> None:
    model.rebuild((), None, None, [shelf(listing=True), shelf(), shelf(fault="It may not be read.")])
    assert [facts(model, row) for row in range(3)] == ["looking…", "no session here", "It may not be read."]
    model.rebuild((), None, None, [shelf(listed(1), listing=True)])
    assert facts(model, 0) == "1 session · looking…"


def test_that_what_was_left_out_of_a_folder_stands_below_its_projects_with_its_sentence(model: SessionsModel) -> None:
    loop, door = (
        (ROOT / "a\x1b[2J.jsonl", "is a link that leads to itself"),
        (ROOT / "b", "cannot be read (permission)"),
    )
    made = shelf(listed(1), left_out=(loop, door))
    model.rebuild([], None, None, [made])
    assert tree(model) == [
        ("Claude Code", [("billing", ["s1.jsonl"]), ("Left out", ["a␛[2J.jsonl", "b"])]),
    ]
    assert facts(model, 0) == "1 session · 1 unread · 2 left out"
    assert facts(model, 0, 1) == "2 entries"
    assert facts(model, 0, 1, 0) == "It was left out: it is a link that leads to itself."
    row = model.index(1, 0, model.index(1, 0, model.index(0, 0)))
    assert row.data(SessionRole.BAD)
    model.rebuild([], None, None, [made], "permission")
    assert tree(model) == [("Claude Code", [("Left out", ["b"])])]
    model.rebuild([], None, None, [shelf(left_out=(door,))])
    assert facts(model, 0) == "no session here · 1 left out"


def test_that_what_is_known_of_a_session_is_visible_in_its_facts(model: SessionsModel) -> None:
    entry = replace(listed(1).entry, model="m\x1b[31m\u202e", calls=2)
    model.rebuild([], None, None, [shelf(ListedSession(entry, 0.0, detailed=True))])
    assert facts(model, 0, 0, 0).endswith("m␛[31m<U+202E>")


def test_that_a_large_project_shows_a_page_and_the_rest_when_asked(model: SessionsModel) -> None:
    shown = shelf(*(listed(number) for number in range(PAGE + 50)))
    model.rebuild((), None, None, [shown])
    project = model.index(0, 0, model.index(0, 0))
    assert model.rowCount(project) == PAGE + 1
    more = model.node(model.index(PAGE, 0, project))
    assert more is not None
    assert (more.kind, more.title) == ("more", "Show 50 older")
    model.show_whole(more.key)
    model.rebuild((), None, None, [shown])
    assert model.rowCount(model.index(0, 0, model.index(0, 0))) == PAGE + 50


def test_that_ten_thousand_sessions_cost_only_the_rows_that_are_looked_at(qtbot: QtBot) -> None:
    model = SessionsModel()
    shown = shelf(*(listed(number, f"/p/{number % 40}") for number in range(10_000)))
    model.rebuild((), None, None, [shown])
    section = model.index(0, 0)
    assert model.rowCount(section) == 40
    assert facts(model, 0) == "10,000 sessions · 10,000 unread"
    assert model.hasChildren(model.index(3, 0, section))
    assert len(model._nodes) < 100


@given(parents=st.lists(st.none() | st.integers(0, 9), max_size=10))
def test_that_every_session_is_listed_once_whatever_its_parents_are(parents: list[int | None]) -> None:
    items = [listed(number, parent=None if parent is None else f"s{parent}") for number, parent in enumerate(parents)]
    model = SessionsModel()
    model.rebuild((), None, None, [shelf(*items)])
    text = str(tree(model))
    assert all(text.count(f"s{number}.jsonl") == 1 for number in range(len(parents)))


def test_that_all_of_one_project_stays_shown_when_another_is_unfolded(model: SessionsModel) -> None:
    projects = ("/p/one", "/p/two")
    shown = shelf(*(listed(n, projects[n % 2]) for n in range(2 * (PAGE + 10))))

    def places() -> list[QModelIndex]:
        model.rebuild((), None, None, [shown])
        section = model.index(0, 0)
        return [model.index(row, 0, section) for row in range(2)]

    for number in range(2):
        more = model.node(model.index(PAGE, 0, places()[number]))
        assert more is not None
        model.show_whole(more.key)
    assert [model.rowCount(place) for place in places()] == [PAGE + 10] * 2


def test_that_a_place_from_before_a_reset_leads_to_nothing(model: SessionsModel) -> None:
    model.rebuild((remembered("/a/one.jsonl", "/home/me/billing"),), None, None)
    before = model.index(0, 0)
    assert model.node(before) is not None
    model.rebuild((), None, None)
    assert model.node(before) is None
