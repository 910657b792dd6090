"""Cut and altered archives: the record is named, the others come back, and nothing false is given out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ravenglass.errors import ArchiveError
from ravenglass.store.archive.layout import record_line
from ravenglass.store.archive.store import ArchiveStore
from tests.engine.store.archive.builders import DAY, record, records

Change = Callable[[list[bytes]], list[bytes]]


@pytest.fixture
def store(tmp_path: Path) -> ArchiveStore:
    return ArchiveStore(tmp_path)


def damaged(store: ArchiveStore, change: Change) -> tuple[str, str]:
    """An archive of the messages 4, 5, 6 with its lines changed: reference and file."""
    ref = store.write("s", records(4, 5, 6), created=DAY)
    path = store.path(ref)
    path.write_bytes(b"\n".join(change(path.read_bytes().split(b"\n"))))
    return ref, ref.partition("#")[0]


def replaced(line: int, old: bytes, new: bytes) -> Change:
    def change(lines: list[bytes]) -> list[bytes]:
        assert old in lines[line]
        return [*lines[:line], lines[line].replace(old, new, 1), *lines[line + 1 :]]

    return change


@pytest.mark.rule("7.6")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (replaced(2, b'"raw": "message', b'"raw": "massage'), "checksum does not match"),
        (replaced(2, b'"content": "message', b'"content": "massage'), "checksum does not match"),
        (replaced(2, b'"id": 5', b'"id": 9'), "checksum does not match"),
        (replaced(2, b'"id": 5', b'"id": 4'), "checksum does not match"),
        (replaced(2, b'"seal"', b'"sexl"'), "checksum is missing"),
        (replaced(2, b'{"id": 5, "message', b"\x00\x00\x00\x00\x00\x00"), "checksum does not match"),
        (lambda lines: [*lines[:2], lines[2][:40], *lines[3:]], "no valid JSON"),
        (lambda lines: [*lines[:2], b"", *lines[3:]], "is missing"),
        (lambda lines: [*lines[:2], *lines[3:]], "is missing"),
        (lambda lines: [*lines[:2], b'{"id": 5, "message": {"role": "user", "content": "x"}}', *lines[3:]], "missing"),
    ],
    ids=["raw", "message", "id", "id of another", "seal", "begin", "cut", "emptied", "removed", "unsealed"],
)
def test_that_a_damaged_record_is_named_and_the_others_come_back(
    store: ArchiveStore, change: Change, reason: str
) -> None:
    ref, file = damaged(store, change)
    found = store.retrieve(ref)
    assert found.raw == (b"message 4", b"message 6")
    (fault,) = found.faults
    assert (fault.id, fault.file, fault.line) == (5, file, 3)
    assert reason in fault.reason
    assert str(fault).startswith(f"Record 5 of {file} (line 3) is ")
    assert f"[{fault}]" in found.text
    assert found.truncated


def test_that_damage_outside_the_range_is_not_spoken_of(store: ArchiveStore) -> None:
    ref, _ = damaged(store, replaced(2, b"message 5", b"massage 5"))
    found = store.retrieve(ref.replace("#4-6", "#6-6"))
    assert (found.raw, found.faults, found.truncated) == ((b"message 6",), (), False)


def test_that_a_reference_with_nothing_but_damage_is_an_error_that_names_it(store: ArchiveStore) -> None:
    ref, file = damaged(store, replaced(2, b"message 5", b"massage 5"))
    with pytest.raises(ArchiveError, match=rf"Nothing of .* can be brought back\. Record 5 of {file} \(line 3\)"):
        store.retrieve(ref.replace("#4-6", "#5-5"))


def test_that_a_record_of_another_archive_in_its_place_is_noticed(store: ArchiveStore) -> None:
    other = store.path(store.write("s", [record(5, "other")], created=DAY)).read_bytes().split(b"\n")
    ref, _ = damaged(store, lambda lines: [*lines[:2], other[1], *lines[3:]])
    found = store.retrieve(ref)
    assert found.raw == (b"message 4", b"message 6")
    assert [(fault.id, fault.reason) for fault in found.faults] == [(5, "is not the record that the header names")]


@pytest.mark.parametrize(
    "change",
    [
        replaced(0, b'"session_key": "s"', b'"session_key": "t"'),
        lambda lines: [lines[0][:50], *lines[1:]],
        lambda lines: [b"\x00" * 30, *lines[1:]],
    ],
    ids=["altered", "cut", "NULs"],
)
def test_that_records_come_back_without_their_header(store: ArchiveStore, change: Change) -> None:
    ref, file = damaged(store, change)
    found = store.retrieve(ref)
    assert found.raw == (b"message 4", b"message 5", b"message 6")
    assert all(item.proved for item in found.records)
    assert [str(fault) for fault in found.faults] == [
        f"The header of {file} (line 1) is damaged; records were read without it."
    ]
    (entry,) = store.entries()
    assert entry.ids == (4, 5, 6)
    assert "(line 1) is damaged" in entry.fault


def test_that_a_missing_header_does_not_hide_a_record(store: ArchiveStore) -> None:
    ref, _ = damaged(store, lambda lines: lines[1:])
    assert store.retrieve(ref).raw == (b"message 4", b"message 5", b"message 6")


def test_that_line_endings_of_another_system_do_no_harm(store: ArchiveStore) -> None:
    ref, _ = damaged(store, lambda lines: [line + b"\r" for line in lines[:-1]] + [b""])
    found = store.retrieve(ref)
    assert found.raw == (b"message 4", b"message 5", b"message 6")
    assert not found.faults


@pytest.mark.rule("7.6")
@pytest.mark.parametrize("size", range(0, 1_400, 100))
def test_that_a_file_cut_anywhere_gives_what_is_whole_and_names_the_rest(store: ArchiveStore, size: int) -> None:
    ref = store.write("s", records(4, 5, 6), created=DAY)
    path = store.path(ref)
    whole = path.read_bytes()
    assert len(whole) < 1_500
    path.write_bytes(whole[:size])
    items = list(store.records(ref))
    named = {item.id for item in items}
    if size >= whole.index(b"\n"):
        assert named == {4, 5, 6}
    else:
        assert {None, 4, 6} <= named | {None}


def test_that_an_archive_of_a_newer_program_is_refused_and_listed(store: ArchiveStore) -> None:
    ref = store.write("s", records(4), created=DAY)
    path = store.path(ref)
    header, *rest = path.read_bytes().split(b"\n")
    value = {**json.loads(header), "format_version": 2}
    path.write_bytes(b"\n".join([json.dumps(value).encode(), *rest]))
    with pytest.raises(ArchiveError, match=r"written by a newer Ravenglass \(archive format 2, .* knows 1\)"):
        store.retrieve(ref)
    assert "newer Ravenglass" in store.entries()[0].fault


def test_that_a_removed_file_is_a_sentence_and_leaves_the_list(store: ArchiveStore) -> None:
    ref = store.write("s", records(4), created=DAY)
    store.path(ref).unlink()
    with pytest.raises(ArchiveError, match="is not in the archive"):
        store.retrieve(ref)
    assert store.entries() == ()
    assert store.write("s", records(4), created=DAY) == ref
    assert store.retrieve(ref).raw == (b"message 4",)


@pytest.mark.parametrize("line", [1, 2, 3], ids=["first", "middle", "last"])
def test_that_a_record_whose_number_cannot_be_read_is_named_by_its_place(store: ArchiveStore, line: int) -> None:
    ref, file = damaged(store, lambda lines: [*lines[:line], b"\x00" * 40, *lines[line + 1 :]])
    (fault,) = store.retrieve(ref).faults
    assert (fault.id, fault.file, fault.line) == (line + 3, file, line + 1)


def test_that_a_record_that_is_gone_is_not_spoken_of_where_nobody_asked_for_it(store: ArchiveStore) -> None:
    ref, _ = damaged(store, lambda lines: [*lines[:2], *lines[3:]])
    found = store.retrieve(ref.replace("#4-6", "#6-6"))
    assert (found.raw, found.faults, found.truncated) == ((b"message 6",), (), False)


def test_that_altered_bytes_under_a_new_seal_are_noticed_without_a_header(store: ArchiveStore) -> None:
    altered = replace(record(5), raw=b"massage 5")
    digest = record(5).digest.encode()
    line = record_line(altered).rstrip(b"\n").replace(altered.digest.encode(), digest)
    sealed = line[: line.rindex(b', "seal"')]
    sealed += b', "seal": "%s"}' % hashlib.sha256(sealed).hexdigest().encode()
    ref, file = damaged(store, lambda lines: [b"\x00" * 30, lines[1], sealed, *lines[3:]])
    found = store.retrieve(ref)
    assert found.raw == (b"message 4", b"message 6")
    assert [(f.id, f.file, f.reason) for f in found.faults][1:] == [
        (5, file, "is altered: the SHA-256 of its verbatim bytes does not match")
    ]
