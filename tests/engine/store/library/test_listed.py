"""What was seen of listed folders comes back at the next start, and only for sessions that are unchanged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.store import Library, ListedSession
from ravenglass.store.library.database import open_database
from ravenglass.store.library.migrations import STEPS

ROOT = Path("/home/user/.claude/projects")
ENTRY = HolderEntry(
    format="claude-code",
    path=ROOT / "shop" / "one.jsonl",
    id="one",
    title="修复登录",
    project="/home/user/shop",
    updated=2_000.5,
    size=4_000,
)
READ = ListedSession(replace(ENTRY, calls=12, model="opus", started=900.0, updated=1_999.0), 2_000.5, detailed=True)


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open() as opened:
        yield opened


def test_that_a_list_comes_back_newest_first_after_reopening(library: Library) -> None:
    older = ListedSession.of(replace(ENTRY, path=ROOT / "two.jsonl", id="two", updated=1_000.0))
    keyed = ListedSession(replace(ENTRY, path=ROOT / "all.db", key="ses_1", updated=3_000.0), 3_000.0, fault="damaged")
    library.listed.replace(ROOT, [older, READ, keyed])
    library.close()
    with Library.open() as again:
        assert again.listed.of(ROOT) == (keyed, READ, older)
        assert again.listed.of(ROOT / "shop") == ()


def test_that_a_new_list_replaces_the_old_one_and_no_other_root(library: Library) -> None:
    other = Path("/elsewhere")
    library.listed.replace(ROOT, [READ])
    library.listed.replace(other, [READ])
    library.listed.replace(ROOT, [])
    assert library.listed.of(ROOT) == ()
    assert library.listed.of(other) == (READ,)
    library.listed.forget(other)
    assert library.listed.of(other) == ()


def test_that_details_are_put_in_the_place_of_what_was_known(library: Library) -> None:
    library.listed.replace(ROOT, [ListedSession.of(ENTRY)])
    library.listed.keep(ROOT, [READ])
    assert library.listed.of(ROOT) == (READ,)


def test_that_one_place_that_was_found_twice_is_kept_once(library: Library) -> None:
    library.listed.replace(ROOT, [ListedSession.of(ENTRY), READ])
    assert library.listed.of(ROOT) == (READ,)


@pytest.mark.parametrize("change", [{"size": 4_001}, {"updated": 2_001.0}, {"path": ROOT / "x.jsonl"}, {"key": "k"}])
def test_that_details_stand_for_the_unchanged_session_only(change: dict[str, object]) -> None:
    assert READ.stands_for(ENTRY)
    assert not READ.stands_for(replace(ENTRY, **change))  # type: ignore[arg-type]


@given(title=st.text(), project=st.text(), key=st.text(), size=st.none() | st.integers(0, 2**60))
def test_that_any_text_of_a_record_is_kept(title: str, project: str, key: str, size: int | None) -> None:
    entry = replace(ENTRY, title=title, project=project, key=key, size=size)
    with Library.in_memory() as library:
        library.listed.replace(ROOT, [ListedSession.of(entry)])
        assert library.listed.of(ROOT) == (ListedSession.of(entry),)


def test_that_a_library_of_the_first_version_gets_the_table_and_keeps_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "library.sqlite3"
    with Library.open(path) as library:
        saved = library.save_run(ENTRY.path, profile_name="default", profile="", metrics="{}")
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE listed_session")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    with Library.open(path) as library:
        library.listed.replace(ROOT, [READ])
        assert library.listed.of(ROOT) == (READ,)
        assert library.runs(ENTRY.path) == (saved,)
    engine, _ = open_database(path)
    with engine.connect() as opened:
        assert opened.exec_driver_sql("PRAGMA user_version").scalar_one() == len(STEPS)
    engine.dispose()
