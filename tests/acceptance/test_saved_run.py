"""A saved run has everything: archive, manifest, trace, snapshots; references lead to what they name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.hub.snapshots.format import base_name, decode
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from tests.acceptance.run_cli import run

Json = dict[str, Any]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "saved"
    outcome = run("replay", demo_session(), "--profile", "tight-32k", "--set", "archive_below=0.9", "--save", folder)
    assert outcome.code == 0, outcome.said
    assert "simulated with profile" in outcome.printed
    return folder


def events(saved: Path) -> list[Json]:
    paths = sorted(saved.glob("traces/*/*.jsonl"))
    return [json.loads(line) for path in paths for line in path.read_bytes().split(b"\n")[:-1]]


@pytest.mark.rule("7.16", "8.1")
def test_that_a_trace_is_one_object_a_line_in_a_file_a_turn(saved: Path) -> None:
    session = open_session(demo_session())
    assert {path.parent.name for path in saved.glob("traces/*/*.jsonl")} == {session.id}
    assert len(list(saved.glob("traces/*/*.jsonl"))) == len({call.turn for call in session.structure.calls})
    found = events(saved)
    assert all(list(event) == ["ts", "event", "payload"] for event in found)
    assert sum(event["event"] == "curator_start" for event in found) == len(session.structure.calls)


@pytest.mark.rule("7.16", "7.5")
def test_that_every_reference_in_trace_and_manifest_leads_into_the_archive(saved: Path) -> None:
    session = open_session(demo_session())
    archived = [event["payload"]["ref"] for event in events(saved) if event["event"] in ("archived", "retrieved")]
    items = json.loads((saved / "manifest.json").read_bytes())["items"]
    listed = {item["id"]: item["archive_ref"] for item in items if item["archived"]}
    assert len(archived) > 20
    assert listed
    with ArchiveStore(saved, writable=False) as store:
        for ref in archived:
            found = store.retrieve(ref, max_tokens=0)
            assert found.raw == tuple(session.raw(record.id) for record in found.records)
            assert not found.faults
        for message, ref in listed.items():
            back = {item.id: item.raw for item in store.records(ref) if isinstance(item, StoredRecord) and item.proved}
            assert back[message] == session.raw(message)
        assert {entry.ref for entry in store.entries()} == set(archived)


@pytest.mark.rule("7.16")
def test_that_the_snapshots_of_a_saved_run_open(saved: Path) -> None:
    files = {path.stem: path.read_bytes() for path in saved.glob("snapshots/*/*.zst")}
    assert len(files) > 3
    for name, data in files.items():
        base = base_name(data)
        assert decode(data, decode(files[base]) if base else None).name == name


@pytest.mark.proof
@pytest.mark.rule("7.16")
def test_that_saving_again_writes_no_message_twice(saved: Path) -> None:
    before = sorted(saved.glob("archive/*/*.jsonl"))
    outcome = run(
        "replay", demo_session(), "--profile", "tight-32k", "--set", "archive_below=0.9", "--save", saved, "--force"
    )
    assert outcome.code == 0
    assert sorted(saved.glob("archive/*/*.jsonl")) == before


@pytest.mark.rule("10.10")
def test_that_a_replay_is_called_simulated(saved: Path) -> None:
    outcome = run("replay", demo_session())
    assert "simulated with profile default" in " ".join(outcome.printed.split())
