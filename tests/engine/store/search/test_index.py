"""What stands in a text is found by it: Chinese words of two characters, parts of identifiers, paths, signs."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass.errors import StoreError
from ravenglass.profile import Profile
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.store.search.index import INDEX_FILE, Document, SearchIndex, documents
from ravenglass.store.search.snippet import around
from ravenglass.store.search.words import words
from tests.engine.store.archive.builders import DAY, record

TEXTS = {
    1: "数据库连接超时，请重试",
    2: "The curator calls curator_archive_messages, then getUserName().",
    3: "Traceback in src/pkg/app.py: ConnectionTimeoutError at line 42",
    4: "データベースの接続がタイムアウトしました",
    5: "데이터베이스 연결 시간 초과",
    6: "三月5日开会 with Python编程",
    7: "Größe und naïve Änderung; utf8 sha256",
    8: "a == b && c != d -> e",
    9: "100% of foo\\bar",
}


@pytest.fixture
def index() -> Iterator[SearchIndex]:
    with SearchIndex(":memory:") as index:
        index.add_many(Document(f"day/s_{n}.jsonl#{n}-{n}", n, text) for n, text in TEXTS.items())
        yield index


def ids(index: SearchIndex, query: str, limit: int = 20) -> list[int]:
    return [hit.id for hit in index.search(query, limit)]


@pytest.mark.rule("7.13", "7.14")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("超时", [1]),
        ("据库", [1]),
        ("库连接", [1]),
        ("数据库 重试", [1]),
        ("接続", [4]),
        ("ベースの接", [4]),
        ("연결", [5]),
        ("베이스", [5]),
        ("5日开", [6]),
        ("月5日", [6]),
        ("python编程", [6]),
        ("archive", [2]),
        ("curator_archive_messages", [2]),
        ("archive_messages", [2]),
        ("CURATOR_ARCHIVE_MESSAGES", [2]),
        ("getUserName", [2]),
        ("getusername", [2]),
        ("userName", [2]),
        ("src/pkg/app.py", [3]),
        ("pkg/app", [3]),
        ("app.py", [3]),
        ("ConnectionTimeoutError", [3]),
        ("timeout error", [3]),
        ("Größe", [7]),
        ("GRÖSSE", [7]),
        ("änderung", [7]),
        ("sha", [7]),
        ("Ｐｙｔｈｏｎ", [6]),
        ("超", [1]),
        ("!=", [8]),
        ("->", [8]),
        ("%", [9]),
        ("\\", [9]),
        ("_", [2]),
        ("Trace", [3]),
        ("archive_mess", [2]),
        ("absent", []),
        ("时超", []),
        ("messages_archive", []),
        ("", []),
        (" \n", []),
    ],
)
def test_that_a_query_finds_what_holds_it_and_nothing_else(index: SearchIndex, query: str, found: list[int]) -> None:
    assert ids(index, query) == found


def test_that_the_better_match_comes_first_and_the_limit_holds(index: SearchIndex) -> None:
    index.add("day/x.jsonl#20-20", 20, "超时 超时 超时")
    index.add("day/x.jsonl#21-21", 21, "超时 " + "other words " * 40)
    assert ids(index, "超时") == [20, 1, 21]
    assert ids(index, "超时", limit=2) == [20, 1]
    assert ids(index, "超时", limit=0) == []
    scores = [hit.score for hit in index.search("超时")]
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_that_any_term_is_enough_only_where_no_message_has_all(index: SearchIndex) -> None:
    assert sorted(ids(index, "archive traceback")) == [2, 3]
    assert ids(index, "archive curator") == [2]


@pytest.mark.parametrize(
    "query", ['"', 'a" OR "b', "NEAR(a b)", "parts:archive", "*", "-archive", "(", "AND", "^x", "\0", "\ud800"]
)
def test_that_no_query_is_read_as_a_query_language(index: SearchIndex, query: str) -> None:
    assert all(hit.id in TEXTS for hit in index.search(query))


def test_that_a_hit_shows_the_place_and_the_reference(index: SearchIndex) -> None:
    index.add("day/s_30.jsonl#30-30", 30, "filler " * 200 + "the needle_in_hay is here " + "filler " * 200)
    (hit,) = index.search("needle_in_hay")
    assert (hit.ref, hit.id) == ("day/s_30.jsonl#30-30", 30)
    assert "needle_in_hay" in hit.snippet
    assert hit.snippet.startswith("…")
    assert hit.snippet.endswith("…")
    assert len(hit.snippet) <= Profile().snippet_chars


@given(st.text(max_size=200), st.lists(st.text(min_size=1, max_size=4), max_size=3), st.integers(1, 60))
def test_that_a_snippet_is_never_longer_than_its_limit(text: str, pieces: list[str], limit: int) -> None:
    found = around(text, tuple(pieces), limit)
    assert len(found) <= limit
    assert found == " ".join(found.split())


cjk = st.text("数据库连接超时アイ한글เข", min_size=1, max_size=8)
pieces = st.lists(cjk | st.sampled_from(["ab", "C", "3", " ", "，", "x_y", "aB"]), min_size=1, max_size=6)


@pytest.mark.rule("7.13")
@given(pieces, st.data())
@example(["三月", "5", "日期"], None)
def test_that_every_part_of_a_run_without_spaces_is_found(parts: list[str], data: st.DataObject | None) -> None:
    text = "".join(parts)
    runs = [part for part in parts if part[0] >= "数" or part[0] in "アイ한글เข库"]
    with SearchIndex(":memory:") as index:
        index.add("a.jsonl#1-1", 1, text)
        index.add("a.jsonl#2-2", 2, "nothing of the kind")
        for run in runs:
            first = data.draw(st.integers(0, len(run) - 1)) if data else 0
            last = data.draw(st.integers(first + 1, len(run))) if data else len(run)
            assert ids(index, run[first:last]) == [1]
        if text.split():
            assert 1 in ids(index, text)


@pytest.mark.rule("7.13")
@given(st.text(max_size=60))
def test_that_a_message_is_found_by_its_own_text(text: str) -> None:
    with SearchIndex(":memory:") as index:
        index.add("a.jsonl#1-1", 1, text)
        if words(text).parts:
            assert ids(index, text) == [1]


def test_that_the_same_message_added_again_is_replaced(index: SearchIndex) -> None:
    index.add("day/s_1.jsonl#1-1", 1, "something new")
    assert len(index) == len(TEXTS)
    assert ids(index, "超时") == []
    assert ids(index, "something") == [1]


def test_that_an_addition_that_fails_half_way_adds_nothing(index: SearchIndex) -> None:
    def failing() -> Iterator[Document]:
        yield Document("b.jsonl#1-1", 50, "halfway")
        raise KeyError("broken")

    with pytest.raises(KeyError):
        index.add_many(failing())
    assert ids(index, "halfway") == []
    assert len(index) == len(TEXTS)
    index.add("b.jsonl#1-1", 50, "halfway")
    assert ids(index, "halfway") == [50]


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[ArchiveStore]:
    with ArchiveStore(tmp_path / "workspace") as archive:
        archive.write("s", [record(1, "数据库超时"), record(2, "src/app.py failed")], created=DAY)
        archive.write("s", [record(5, "retry archive_messages", b"\xff\x00")], created=DAY)
        yield archive


def everything(index: SearchIndex) -> list[object]:
    return [index.search(query) for query in ("超时", "app.py", "archive", "s", "user")]


@pytest.mark.rule("10.4")
def test_that_a_hit_brings_its_message_back(archive: ArchiveStore) -> None:
    with SearchIndex(":memory:") as index:
        assert index.update(archive) == 3
        (hit,) = index.search("超时")
        found = archive.retrieve(hit.ref)
    assert [item.id for item in found.records] == [hit.id] == [1]
    assert found.text == "[#1 user]\n数据库超时"


def test_that_deleting_the_index_loses_nothing(archive: ArchiveStore, tmp_path: Path) -> None:
    path = tmp_path / INDEX_FILE
    with SearchIndex(path) as index:
        index.update(archive)
        before = everything(index)
    path.unlink()
    with SearchIndex(path) as index:
        assert len(index) == 0
        assert index.rebuild(documents(archive)) == 3
        assert everything(index) == before
        assert index.rebuild(documents(archive)) == 3
        assert everything(index) == before
    with SearchIndex(path) as index:
        assert everything(index) == before


def test_that_an_update_takes_in_what_is_new_and_forgets_what_is_gone(archive: ArchiveStore) -> None:
    with SearchIndex(":memory:") as index:
        assert index.update(archive) == 3
        assert index.update(archive) == 0
        archive.write("s", [record(9, "brand new")], created=DAY)
        assert index.update(archive) == 1
        assert ids(index, "brand") == [9]
        archive.path(index.search("超时")[0].ref).unlink()
        assert index.update(archive) == 0
        assert ids(index, "超时") == []
        with SearchIndex(":memory:") as fresh:
            fresh.rebuild(documents(archive))
            assert [hit.id for hit in fresh.search("user")] == [hit.id for hit in index.search("user")]


def test_that_a_damaged_record_is_passed_over_and_the_rest_is_found(archive: ArchiveStore) -> None:
    path = archive.path(archive.entries()[0].ref)
    path.write_bytes(path.read_bytes().replace(b'"raw": "src', b'"raw": "crs'))
    with SearchIndex(":memory:") as index:
        assert index.update(archive) == 2
        assert ids(index, "超时") == [1]
        assert ids(index, "app.py") == []


@pytest.mark.parametrize("content", [b"no database at all " * 400, b"SQLite format 3\0" + b"torn " * 2_000])
def test_that_a_damaged_index_is_kept_aside_and_made_again(
    archive: ArchiveStore, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / INDEX_FILE
    path.write_bytes(content)
    with SearchIndex(path) as index:
        assert index.update(archive) == 3
    assert path.with_name(f"{INDEX_FILE}.damaged-1").read_bytes() == content


def test_that_an_index_of_another_version_is_made_again_and_a_foreign_database_is_left_alone(
    archive: ArchiveStore, tmp_path: Path
) -> None:
    path = tmp_path / INDEX_FILE
    with SearchIndex(path) as index:
        index.update(archive)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with SearchIndex(path) as index:
        assert len(index) == 0
    with sqlite3.connect(tmp_path / "other") as database:
        database.execute("CREATE TABLE mine (a)")
    database.close()
    with pytest.raises(StoreError, match="database of another program, and was left as it is"):
        SearchIndex(tmp_path / "other")
    with sqlite3.connect(tmp_path / "other") as database:
        assert database.execute("SELECT name FROM sqlite_master").fetchall() == [("mine",)]
    database.close()


def test_that_an_index_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot be opened: .*made again from the archive"):
        SearchIndex(tmp_path / "absent" / INDEX_FILE)
    index = SearchIndex(":memory:")
    caught: list[StoreError] = []

    def search() -> None:
        with pytest.raises(StoreError) as refused:
            index.search("a b")
        caught.append(refused.value)

    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    assert "cannot be read" in str(caught[0])
    index.close()
    index.close()
    with pytest.raises(StoreError, match="cannot be read"):
        index.search("word")


def test_that_twenty_thousand_documents_are_indexed_and_searched() -> None:
    text = "the scheduler dropped archive_messages after 数据库连接超时 in src/app.py " * 3
    with SearchIndex(":memory:") as index:
        assert index.rebuild(Document(f"d/s_{n}.jsonl#{n}-{n}", n, f"{text} case{n}") for n in range(20_000)) == 20_000
        assert ids(index, "case19999") == [19_999]
        assert len(index.search("连接", limit=50)) == 50


def test_that_messages_with_all_terms_hide_those_with_one_of_them(index: SearchIndex) -> None:
    index.add("day/x.jsonl#20-20", 20, "invoice and ledger")
    for number in range(21, 26):
        index.add(f"day/x.jsonl#{number}-{number}", number, "invoice invoice invoice")
    assert ids(index, "invoice ledger") == [20]


def test_that_what_was_replaced_is_found_by_its_new_words_only(index: SearchIndex) -> None:
    index.add("day/x.jsonl#20-20", 20, "invoice")
    index.add("day/x.jsonl#20-20", 20, "ledger")
    assert (ids(index, "invoice"), ids(index, "ledger")) == ([], [20])


def test_that_one_character_beside_letters_tells_texts_apart(index: SearchIndex) -> None:
    index.add("day/x.jsonl#20-20", 20, "see part录")
    index.add("day/x.jsonl#21-21", 21, "see part时")
    assert (ids(index, "part录"), ids(index, "part时")) == ([20], [21])
