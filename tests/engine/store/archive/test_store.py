"""What is archived comes back byte for byte; what is asked for comes back within its cap, and says so."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import ArchiveError
from ravenglass.profile import Profile
from ravenglass.sessions.model.session import Message, Part, ToolCall
from ravenglass.store.archive.layout import record_line
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore, StoredRecord
from ravenglass.store.archive.text import body, from_chat, snippet, to_chat
from ravenglass.tokens import tokenizer
from tests.engine.store.archive.builders import DAY, back, files, record, records

HARD = {
    "not UTF-8": b'{"a": "\xff\xfe\xc3("}',
    "NULs": b'\x00\x00{"a": 1}\x00',
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg".encode(),
    "line breaks": b"one\ntwo\r\nthree\r",
    "escaped surrogate": b'{"text": "\\ud800"}',
    "byte order mark": b"\xef\xbb\xbf{}",
    "no JSON": b"}{ not json at all",
    "nothing": b"",
    "every byte": bytes(range(256)),
}

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=60)
messages = st.builds(
    lambda role, parts, calls, name: Message(
        7,
        role,
        tuple(Part(kind, text) for kind, text in parts),
        tool_calls=tuple(ToolCall(f"c{i}", *call) for i, call in enumerate(calls)) if role == "assistant" else (),
        tool_call_id="c0" if role == "tool" else None,
        tool_name=name if role == "tool" else None,
    ),
    st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
    st.lists(st.tuples(st.sampled_from(["text", "thinking", "image", "document", "other"]), texts), max_size=4),
    st.lists(st.tuples(texts, texts), max_size=3),
    texts,
)


@pytest.fixture
def store(tmp_path: Path) -> ArchiveStore:
    return ArchiveStore(tmp_path)


@pytest.mark.rule("7.1", "7.2")
def test_that_a_reference_and_its_file_have_the_layout_of_the_design(store: ArchiveStore, tmp_path: Path) -> None:
    ref = store.write("cli:demo", records(8, 9), reason="quota", tags=["old"], summary="two", created=DAY)
    path, _, fragment = ref.partition("#")
    day, name = path.split("/")
    assert (day, fragment) == ("2026-03-02", "8-9")
    assert name.startswith("cli_demo_8_9_")
    assert name.endswith(".jsonl")
    header, *lines = [json.loads(line) for line in (tmp_path / "archive" / path).read_bytes().split(b"\n")[:-1]]
    assert header["_type"] == "curator_archive"
    assert (header["session_key"], header["reason"], header["tags"], header["summary"]) == (
        "cli:demo",
        "quota",
        ["old"],
        "two",
    )
    assert header["created_at"] == "2026-03-02T00:00:00+00:00"
    assert [line["id"] for line in lines] == [8, 9]
    assert lines[0]["message"] == {"role": "user", "content": "message 8"}
    assert lines[0]["sha256"] == hashlib.sha256(b"message 8").hexdigest()


@pytest.mark.rule("7.5", "7.6")
@pytest.mark.parametrize("raw", HARD.values(), ids=HARD.keys())
def test_that_hard_bytes_come_back_equal_and_proved(store: ArchiveStore, raw: bytes) -> None:
    ref = store.write("s", [record(0), record(1, raw=raw), record(2)], created=DAY)
    found = [item for item in store.records(ref) if isinstance(item, StoredRecord)]
    assert [item.id for item in found] == [0, 1, 2]
    assert found[1].raw == raw
    assert found[1].digest == hashlib.sha256(raw).hexdigest()
    assert all(item.proved for item in found)


@pytest.mark.rule("7.5")
@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_that_any_bytes_come_back_equal(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    with ArchiveStore(tmp_path_factory.mktemp("archive")) as store:
        assert back(store, store.write("s", [record(3, raw=raw)], created=DAY)) == {3: raw}


def test_that_twelve_megabytes_in_one_record_come_back_equal(store: ArchiveStore) -> None:
    raw = b'{"data": "' + "数据\u2028".encode() * (12_000_000 // 9) + b'"}'
    ref = store.write("s", [record(0, raw=raw), record(1)], created=DAY)
    assert back(store, ref)[0] == raw
    assert back(store, ref.replace("#0-1", "#1-1")) == {1: b"message 1"}


@given(messages, st.binary(max_size=20))
def test_that_a_message_reads_the_same_after_the_archive(message: Message, raw: bytes) -> None:
    value = json.loads(record_line(ArchiveRecord(message, raw)))["message"]
    again = from_chat(value, 7)
    assert value == json.loads(json.dumps(to_chat(message)))
    assert again is not None
    assert body(again, 7, raw) == body(message, 7, raw)
    assert again.thinking == message.thinking


@pytest.mark.rule("7.1", "R3")
@given(messages, st.binary(max_size=40))
def test_that_a_record_is_one_line_for_every_reader(message: Message, raw: bytes) -> None:
    line = record_line(ArchiveRecord(message, raw))
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1


@pytest.mark.rule("R7")
def test_that_the_same_ids_archived_again_give_the_same_reference_and_no_second_file(
    store: ArchiveStore, tmp_path: Path
) -> None:
    ref = store.write("s", records(4, 5, 7), created=DAY)
    assert store.write("s", records(7, 5, 4), reason="again", created=DAY + 10 * 86_400) == ref
    assert store.write("s", records(5, 7), created=DAY) == ref.replace("#4-7", "#5-7")
    assert len(files(tmp_path)) == 1
    with ArchiveStore(tmp_path, writable=False) as other:
        assert len(other.entries()) == 1


def test_that_a_part_with_another_message_between_is_archived_of_its_own(store: ArchiveStore, tmp_path: Path) -> None:
    ref = store.write("s", records(4, 5, 7), created=DAY)
    other = store.write("s", records(4, 7), created=DAY)
    assert other.partition("#")[0] != ref.partition("#")[0]
    assert back(store, other) == {4: b"message 4", 7: b"message 7"}
    assert len(files(tmp_path)) == 2


@pytest.mark.rule("R6")
def test_that_equal_ids_with_other_content_or_another_session_are_archived(store: ArchiveStore) -> None:
    first = store.write("s", records(4), created=DAY)
    changed = store.write("s", [record(4, "after an undo")], created=DAY)
    elsewhere = store.write("t", records(4), created=DAY)
    assert len({first, changed, elsewhere}) == 3
    assert back(store, first) == {4: b"message 4"}
    assert back(store, changed) == {4: b"after an undo"}


def test_that_a_damaged_copy_does_not_keep_messages_from_being_archived_again(
    store: ArchiveStore, tmp_path: Path
) -> None:
    ref = store.write("s", records(4, 5), created=DAY)
    path = store.path(ref)
    path.write_bytes(path.read_bytes().replace(b"message 5", b"message 6", 1))
    again = store.write("s", records(4, 5), created=DAY)
    assert again != ref
    assert back(store, again) == {4: b"message 4", 5: b"message 5"}
    assert path.exists()


def test_that_a_reference_is_known_before_it_is_written(store: ArchiveStore, tmp_path: Path) -> None:
    expected = store.ref_of("s", records(1, 2), DAY)
    assert not (tmp_path / "archive").exists()
    assert store.write("s", records(1, 2), created=DAY) == expected
    assert store.ref_of("s", records(1, 2), DAY + 86_400) == expected


@pytest.mark.rule("7.8")
def test_that_a_retrieval_honours_its_range(store: ArchiveStore) -> None:
    ref = store.write("s", records(2, 3, 5, 8), created=DAY)
    found = store.retrieve(ref.replace("#2-8", "#3-6"))
    assert found.raw == (b"message 3", b"message 5")
    assert found.text == "[#3 user]\nmessage 3\n\n[#5 user]\nmessage 5"
    assert not found.truncated


@pytest.mark.rule("7.11", "R8")
def test_that_a_first_record_over_the_cap_comes_back_cut(store: ArchiveStore) -> None:
    ref = store.write("s", [record(0, "word " * 5_000), record(1)], created=DAY)
    found = store.retrieve(ref, max_tokens=50)
    assert found.truncated
    assert found.text.startswith("[#0 user]\nword word")
    assert 40 <= found.tokens <= 50
    assert found.raw == (("word " * 5_000).encode(),)


@pytest.mark.rule("7.9")
def test_that_the_cap_is_the_profiles_unless_given_and_zero_is_none(tmp_path: Path) -> None:
    store = ArchiveStore(tmp_path, Profile(retrieve_tokens=100))
    ref = store.write("s", [record(n, f"{n} " + "word " * 60) for n in range(6)], created=DAY)
    assert store.retrieve(ref).tokens <= 100
    assert store.retrieve(ref).truncated
    assert len(store.retrieve(ref, max_tokens=0).records) == 6
    assert not store.retrieve(ref, max_tokens=0).truncated
    with pytest.raises(ArchiveError, match="0 means no cap"):
        store.retrieve(ref, max_tokens=-1)


@pytest.mark.rule("7.10")
@given(st.lists(texts, min_size=1, max_size=6), st.integers(0, 120))
def test_that_truncated_is_true_exactly_when_something_was_left_out(
    tmp_path_factory: pytest.TempPathFactory, given_texts: list[str], cap: int
) -> None:
    with ArchiveStore(tmp_path_factory.mktemp("archive")) as store:
        given_records = [record(n, text) for n, text in enumerate(given_texts)]
        found = store.retrieve(store.write("s", given_records, created=DAY), max_tokens=cap)
    whole = "\n\n".join(f"[#{n} user]\n{text}" for n, text in enumerate(given_texts))
    assert found.truncated == (found.text != whole)
    assert found.tokens == tokenizer().count(found.text)
    assert found.text
    assert cap == 0 or found.tokens <= cap


@pytest.mark.rule("7.9")
def test_that_a_snippet_is_truncated_only_where_words_are_left_out(store: ArchiveStore) -> None:
    short = store.write("s", [record(0, "two\n  words")], created=DAY)
    assert store.retrieve(short, "snippet").text == "[#0 user] two words"
    assert not store.retrieve(short, "snippet").truncated
    long = store.write("s", [record(1, "word " * 200)], created=DAY)
    assert store.retrieve(long, "snippet").truncated
    assert len(store.retrieve(long, "snippet").text) <= Profile().snippet_chars


@given(st.text(max_size=80), st.integers(1, 40))
def test_that_a_snippet_keeps_its_length_and_says_whether_it_is_whole(text: str, limit: int) -> None:
    short, left_out = snippet(text, limit)
    assert len(short) <= limit
    assert left_out == (short != " ".join(text.split()))


def test_that_entries_say_what_is_there_oldest_first(store: ArchiveStore) -> None:
    later = store.write("s", records(5, 6), reason="second", created=DAY + 90_000)
    earlier = store.write("s", records(1), reason="first", tags=["a"], created=DAY)
    first, second = store.entries()
    assert (first.ref, first.reason, first.ids, first.tokens, first.tags) == (earlier, "first", (1,), 10, ("a",))
    assert (second.ref, second.session_key, second.ids, second.tokens) == (later, "s", (5, 6), 20)
    assert first.created_at == "2026-03-02T00:00:00+00:00"
    assert not first.fault


def test_that_tokens_are_unknown_where_one_record_has_none(store: ArchiveStore) -> None:
    store.write("s", [record(0), ArchiveRecord(record(1).message, b"")], created=DAY)
    assert store.entries()[0].tokens is None


@pytest.mark.parametrize("key", ["", "..", "a/b\\c:d*?", "\x00\n", "中文" * 100, "\ud800", "CON", " . "])
def test_that_any_session_key_gives_a_file_in_its_folder(store: ArchiveStore, tmp_path: Path, key: str) -> None:
    ref = store.write(key, records(1), created=DAY)
    assert back(store, ref) == {1: b"message 1"}
    (file,) = files(tmp_path)
    assert ref == f"{file}#1-1"
    assert store.write(key, records(1), created=DAY) == ref


@pytest.mark.parametrize(
    ("given_records", "why"),
    [
        ([], "nothing to archive"),
        ([record(-1)], "-1 is negative"),
        ([record(1, "a"), record(1, "b")], "given twice with different content"),
    ],
)
def test_that_records_that_cannot_be_meant_are_refused(
    store: ArchiveStore, tmp_path: Path, given_records: list[ArchiveRecord], why: str
) -> None:
    with pytest.raises(ArchiveError, match=why):
        store.write("s", given_records)
    assert not (tmp_path / "archive").exists()


def test_that_a_time_without_a_date_is_refused(store: ArchiveStore) -> None:
    with pytest.raises(ArchiveError, match="no time that has a date"):
        store.write("s", records(1), created=1e300)


def test_that_a_record_that_fits_its_cap_exactly_comes_back_whole(store: ArchiveStore) -> None:
    ref = store.write("s", [record(1, "one two three four five six")], created=DAY)
    whole = store.retrieve(ref, max_tokens=0)
    exact, less = store.retrieve(ref, max_tokens=whole.tokens), store.retrieve(ref, max_tokens=whole.tokens - 1)
    assert (exact.text, exact.truncated) == (whole.text, False)
    assert (less.text != whole.text, less.truncated) == (True, True)
