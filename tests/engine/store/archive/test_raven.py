"""The reference implementation's archives are read here, and ours there."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from tests.engine.store.archive.builders import DAY, back, record

NAME = "cli_demo_8_10_0badcafe.jsonl"
REF = f"memory/.curator/archive/2026-07-24/{NAME}#8-10"


def foreign(root: Path, *messages: tuple[int, dict[str, Any]]) -> Path:
    """An archive as the reference implementation writes it."""
    header = {
        "_type": "curator_archive",
        "session_key": "cli:demo",
        "reason": "old steps",
        "tags": ["exploration"],
        "summary": "Listing files.",
        "created_at": "2026-07-24T09:09:06",
    }
    lines = [header, *({"id": number, "message": message} for number, message in messages)]
    path = root / "memory" / ".curator" / "archive" / "2026-07-24" / NAME
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def read_by_the_reference_implementation(path: Path) -> list[dict[str, Any]]:
    """What its `retrieve` does with a file, U+2028 and all."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


@pytest.mark.rule("7.4", "R3")
def test_that_its_archives_are_read_by_its_own_references(tmp_path: Path) -> None:
    message = {"role": "tool", "content": "第一行\u2028第二行\x85end", "tool_call_id": "c1", "name": "bash"}
    foreign(tmp_path, (8, message), (10, {"role": "assistant", "content": None}))
    store = ArchiveStore(tmp_path / "memory" / ".curator", writable=False)
    found = store.retrieve(REF)
    assert found.text == "[#8 bash]\n第一行\u2028第二行\x85end\n\n[#10 assistant]\n"
    assert found.raw[0] == json.dumps(message, ensure_ascii=False).encode()
    assert not found.truncated
    assert not any(item.proved for item in found.records)
    for ref in (REF.removeprefix("memory/.curator/"), REF.removeprefix("memory/.curator/archive/")):
        assert store.retrieve(ref).text == found.text


def test_that_entries_of_its_archives_are_listed(tmp_path: Path) -> None:
    foreign(tmp_path, (8, {"role": "user", "content": "a"}), (10, {"role": "user", "content": "b"}))
    (entry,) = ArchiveStore(tmp_path / "memory" / ".curator", writable=False).entries()
    assert (entry.session_key, entry.reason, entry.ids) == ("cli:demo", "old steps", (8, 10))
    assert entry.tokens is None
    assert entry.digests == ()
    assert not (tmp_path / "memory" / ".curator" / ".lock").exists()


def test_that_its_archive_with_a_cut_end_names_the_line_and_gives_the_rest(tmp_path: Path) -> None:
    path = foreign(tmp_path, (8, {"role": "user", "content": "a"}), (10, {"role": "user", "content": "b"}))
    path.write_bytes(path.read_bytes()[:-5])
    found = ArchiveStore(tmp_path / "memory" / ".curator", writable=False).retrieve(REF)
    assert found.text.startswith("[#8 user]\na\n\n[Record 10 of ")
    (fault,) = found.faults
    assert str(fault) == (
        f"Record 10 of {REF.partition('#')[0]} (line 3) is cut or altered: it is no valid JSON; it was left out."
    )


def test_that_its_archive_cut_between_lines_says_that_the_last_record_is_missing(tmp_path: Path) -> None:
    foreign(tmp_path, (8, {"role": "user", "content": "a"}), (9, {"role": "user", "content": "b"}))
    found = ArchiveStore(tmp_path / "memory" / ".curator", writable=False).retrieve(REF)
    assert [(fault.id, fault.reason) for fault in found.faults] == [(10, "is missing")]
    assert found.truncated


@pytest.mark.rule("7.3", "R3")
def test_that_it_reads_ours_whatever_is_in_them(tmp_path: Path) -> None:
    texts = ["第一行\u2028第二行", "a\x85b\x0bc\x0cd\x1ce\u2029f", "\r\n\t\x00", '"quoted" \\ back']
    with ArchiveStore(tmp_path / "memory" / ".curator") as store:
        ref = store.write("cli:demo", [record(n, text, b"\xff") for n, text in enumerate(texts)], created=DAY)
        path = store.path(ref)
    found = read_by_the_reference_implementation(path)
    assert [item["id"] for item in found] == [0, 1, 2, 3]
    assert [item["message"] for item in found] == [{"role": "user", "content": text} for text in texts]
    below = path.relative_to(tmp_path).as_posix()
    assert below.startswith("memory/.curator/archive/2026-03-02/cli_demo_0_3_")


@pytest.mark.rule("7.4")
def test_that_every_recorded_archive_comes_back_whole(samples: Path) -> None:
    roots = sorted(samples.glob("raven/**/memory/.curator"))
    if not roots:
        pytest.skip("there are no recorded archives")
    refs: list[str] = []
    for root in roots:
        store = ArchiveStore(root, writable=False)
        for entry in store.entries():
            lines = store.path(entry.ref).read_bytes().split(b"\n")[1:-1]
            items = list(store.records(entry.ref))
            assert all(isinstance(item, StoredRecord) and item.message is not None for item in items)
            assert [b'{"id": %d, "message": %s}' % pair for pair in sorted(back(store, entry.ref).items())] == lines
            assert not store.retrieve(entry.ref, max_tokens=0).truncated
            refs.append(entry.ref)
    assert len(refs) >= 3
