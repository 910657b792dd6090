"""The library gives back what it was given, in one thread, and says so where it cannot."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import StoreError
from ravenglass.store import LIBRARY_FILE, Library, OpenedSession, data_dir
from ravenglass.store.texts import path_text, storable, text_path

LOGIN = OpenedSession(
    path=Path("/sessions/login.jsonl"),
    format="claude-code",
    title="修复登录",
    project="/home/user/shop",
    messages=420,
    calls=198,
    size=1_200_000,
    mtime=1_000.5,
    last_opened=2_000.0,
    started=900.25,
)


@pytest.fixture
def library() -> Iterator[Library]:
    with Library.open() as opened:
        yield opened


def test_that_it_lives_in_the_folder_that_the_environment_names(library: Library, data_folder: Path) -> None:
    assert (data_folder / LIBRARY_FILE).is_file()


def test_that_the_system_decides_where_the_environment_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAVENGLASS_DATA")
    assert data_dir().name == "ravenglass"
    assert data_dir().is_absolute()


def test_that_sessions_come_back_as_they_were_after_reopening(library: Library) -> None:
    library.remember(LOGIN)
    library.close()
    with Library.open() as again:
        assert again.recent() == (LOGIN,)


def test_that_the_last_opened_session_comes_first_and_the_limit_holds(library: Library) -> None:
    sessions = [dataclasses.replace(LOGIN, path=Path(f"/sessions/{n}.jsonl"), last_opened=float(n)) for n in (2, 3, 1)]
    for session in sessions:
        library.remember(session)
    assert library.recent(2) == (sessions[1], sessions[0])


def test_that_opening_a_session_again_replaces_what_was_known(library: Library) -> None:
    grown = dataclasses.replace(LOGIN, messages=500, last_opened=3_000.0, model="a-model")
    library.remember(LOGIN)
    library.remember(grown)
    assert library.recent() == (grown,)


def test_that_forgetting_a_session_keeps_its_runs(library: Library) -> None:
    library.remember(LOGIN)
    run = library.save_run(LOGIN.path, profile_name="default", profile="", metrics="{}")
    assert library.forget(LOGIN.path)
    assert not library.forget(LOGIN.path)
    assert library.recent() == ()
    assert library.runs(LOGIN.path) == (run,)


def test_that_runs_come_back_newest_first_and_of_their_session_only(library: Library) -> None:
    older = library.save_run(
        LOGIN.path, profile_name="default", profile="window = 1\n", metrics='{"a": 1}', created=10.0
    )
    newer = library.save_run(
        LOGIN.path, profile_name="mine", profile="", metrics="{}", created=20.0, folder=Path("/runs/2")
    )
    library.save_run(Path("/sessions/other.jsonl"), profile_name="default", profile="", metrics="{}")
    assert library.runs(LOGIN.path) == (newer, older)
    assert (older.profile, older.metrics, newer.folder) == ("window = 1\n", '{"a": 1}', Path("/runs/2"))


def test_that_the_runs_of_all_sessions_come_together_and_a_folder_holds_one(library: Library) -> None:
    folder = Path("/runs/one")
    for number, name in enumerate(("/a.jsonl", "/b.jsonl")):
        library.save_run(
            Path(name), profile_name="default", profile="", metrics="{}", folder=folder, created=float(number)
        )
    kept = library.save_run(LOGIN.path, profile_name="mine", profile="", metrics="{}", created=9.0)
    assert [(run.session, run.folder) for run in library.runs()] == [(LOGIN.path, None), (Path("/b.jsonl"), folder)]
    assert library.runs()[0] == kept


def test_that_a_title_no_database_can_hold_is_remembered_mended(
    library: Library,
) -> None:
    library.remember(dataclasses.replace(LOGIN, title="cut \ud83d here"))
    assert library.recent()[0].title == "cut ? here"


@pytest.mark.skipif(os.name == "nt", reason="file names are always Unicode there")
def test_that_a_file_name_that_is_no_unicode_comes_back_as_it_was(library: Library) -> None:
    odd = dataclasses.replace(LOGIN, path=Path(os.fsdecode(b"/sessions/\xe9t\xe9.jsonl")))
    library.remember(odd)
    assert library.recent() == (odd,)
    assert library.forget(odd.path)


@pytest.mark.skipif(os.name == "nt", reason="file names are always Unicode there")
@given(name=st.binary(max_size=30))
def test_that_any_path_survives_being_stored(name: bytes) -> None:
    path = Path(os.fsdecode(b"/" + name.replace(b"\0", b"")))
    text = path_text(path)
    assert text_path(text) == path
    assert storable(text) == text


def test_that_another_thread_is_refused_with_a_sentence(library: Library) -> None:
    refused: list[str] = []

    def work() -> None:
        for use in (library.recent, lambda: library.counts.get_many("o200k_base", [b"x"]), library.close):
            try:
                use()
            except StoreError as error:
                refused.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(refused) == 3
    assert all("from another thread than the one that opened it" in sentence for sentence in refused)
    assert library.recent() == ()


def test_that_a_closed_library_is_refused_and_can_be_closed_twice(library: Library) -> None:
    library.close()
    library.close()
    with pytest.raises(StoreError, match="is closed; nothing was read or written"):
        library.recent()


def test_that_a_library_in_memory_forgets(data_folder: Path) -> None:
    with Library.in_memory() as library:
        library.remember(LOGIN)
        assert library.recent() == (LOGIN,)
    with Library.in_memory() as library:
        assert library.recent() == ()
    assert list(data_folder.iterdir()) == []
