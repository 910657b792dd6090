"""What a running engine leaves on the disk, and what it does where the disk does not take it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from ravenglass import Engine, open_session
from ravenglass.embed.files.layout import session_file
from ravenglass.embed.files.workspace import EngineWorkspace
from ravenglass.embed.keeper import SESSION_CLOSED
from ravenglass.errors import StoreError
from ravenglass.hub.snapshots.format import base_name, decode
from ravenglass.store.archive.store import ArchiveStore
from ravenglass.store.layout import CURATOR
from ravenglass.store.workspace import VERSION, VERSION_FILE, Workspace
from ravenglass.traces import open_trace
from tests.engine.embed.conversations import Clock, drive, lines, replayed, said, small
from tests.engine.embed.files.leftovers import files, long_chat

KEY = "agent:demo"
TIGHT = small(archive_below=1.0)
"""What leaves the window is archived at once."""
KEPT = "What is missing is kept in memory and written when it can be."


def test_that_the_files_stand_where_the_reference_implementation_has_them(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, long_chat(20))
    found = list(files(tmp_path))
    assert "sessions/agent/demo.jsonl" in found
    assert {str(Path(*Path(name).parts[:3])) for name in found if name.startswith("memory")} == {
        f"memory/.curator/{name}"
        for name in (
            ".lock",
            ".sessions",
            "workspace.json",
            "archive",
            "decisions",
            "manifest",
            "snapshots",
            "working_state",
            "traces",
        )
    }
    assert "memory/.curator/traces/agent_demo/0000.jsonl" in found
    assert "memory/.curator/manifest/agent_demo.json" in found
    assert "memory/.curator/working_state/agent_demo.json" in found
    assert any(name.startswith("memory/.curator/archive/2026-03-02/agent_demo_") for name in found)


def test_that_the_session_opens_as_one_of_raven_with_its_times_usage_and_tools(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "Read", "description": "Liest eine Datei", "parameters": {}}}]
    with Engine(TIGHT, tmp_path, session_key=KEY, tools=tools, clock=Clock()) as engine:
        engine.observe(said("user", "Hello"))
        engine.record_response(said("assistant", "Hi"), {"prompt_tokens": 12, "completion_tokens": 3})
        budget = engine.run().budget
    session = open_session(session_file(tmp_path, KEY))
    assert (session.format, session.id, session.warnings, session.damage) == ("raven", KEY, (), ())
    assert [message.text for message in session.messages] == ["Hello", "Hi"]
    assert session.messages[0].ts == 1_772_409_602.0
    assert session.messages[1].usage is not None
    assert (session.messages[1].usage.context, session.messages[1].usage.output) == (12, 3)
    assert session.tools_text == json.dumps(tools, ensure_ascii=False)
    assert replayed(engine).budget == budget
    assert budget.system < 100


@pytest.mark.parametrize(
    ("key", "path"),
    [
        ("cli:demo", "cli/demo.jsonl"),
        ("demo", "agent/demo.jsonl"),
        ("a:b:c/../d", "a/b_c_.._d-3874c4b8e7.jsonl"),
        ("../x:..", "_x-d6b96a97d1/session-5ec1f7e700.jsonl"),
        ("k:" + "语" * 300, "k/" + "语" * 36 + "-f3dd6fa038.jsonl"),
        (":", "agent/session-e3b0c44298.jsonl"),
    ],
)
def test_that_every_key_has_a_file_inside_the_workspace(tmp_path: Path, key: str, path: str) -> None:
    with Engine(workspace=tmp_path, session_key=key) as engine:
        engine.observe(said("user", "x"))
        engine.window()
    assert session_file(tmp_path, key) == tmp_path / "sessions" / path
    assert (tmp_path / "sessions" / path).is_file()
    assert not engine.warnings


def test_that_two_engines_without_a_key_never_share_a_session(tmp_path: Path) -> None:
    keys = set()
    for _ in range(3):
        with Engine(workspace=tmp_path, clock=lambda: 1e9) as engine:
            keys.add(engine.session_key)
    assert len(keys) == 3


def test_that_a_session_that_another_engine_has_open_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        engine.observe(said("user", "mine"))
        before = session_file(tmp_path, KEY).read_bytes()
        with pytest.raises(
            StoreError, match=rf"The session agent:demo is open in another engine \(process {os.getpid()}"
        ):
            Engine(workspace=tmp_path, session_key=KEY)
        assert session_file(tmp_path, KEY).read_bytes() == before
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        assert engine.resumed is not None  # the refused one let go of everything


def test_that_every_message_is_on_disk_before_observe_returns(tmp_path: Path) -> None:
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        for count, message in enumerate(long_chat(3), start=1):
            (engine.record_response if message["role"] == "assistant" else engine.observe)(message)
            assert len(lines(session_file(tmp_path, KEY))) == count + 1


@pytest.mark.rule("8.1")
def test_that_each_turn_has_a_trace_and_each_call_ends_with_its_response(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as engine:
        for _ in range(3):
            drive(engine, [*long_chat(2)[:-1], said("assistant", "Next?")])
    log = open_trace(tmp_path / CURATOR / "traces")
    assert [turn.name for turn in log.turns] == ["0000", "0001", "0002"]
    for turn in log.turns:
        assert [call.records[0].event for call in turn.calls] == ["curator_start"] * 3
        kept = [[r for r in call.records if r.payload.get("reason") != SESSION_CLOSED] for call in turn.calls]
        assert [records[-1].event for records in kept] == ["main_agent_result"] * 3


def test_that_the_trace_is_that_of_the_replay_but_for_times_and_references(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as engine:
        drive(engine, long_chat(25))
    run = replayed(engine)
    expected = [event for call in range(1, run.calls + 1) for event in run.loop(call).run()]
    written = open_trace(tmp_path / CURATOR / "traces").turns[0].records
    found = [record for record in written if record.payload.get("reason") != SESSION_CLOSED]
    assert [r.event for r in found] == [e.event for e in expected]
    names = ("archived", "retrieved", "curator_tool_result")
    assert [r.payload for r in found if r.event not in names] == [
        json.loads(json.dumps(e.payload)) for e in expected if e.event not in names
    ]


def test_that_references_in_the_trace_lead_into_the_archive(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as engine:
        drive(engine, long_chat(25))
    session = open_session(session_file(tmp_path, KEY))
    archived = [r for r in open_trace(tmp_path / CURATOR / "traces").turns[0].records if r.event == "archived"]
    assert len(archived) > 10
    with ArchiveStore(tmp_path / CURATOR, writable=False) as store:
        for record in archived:
            found = store.retrieve(str(record.payload["ref"]), max_tokens=0)
            assert found.raw == tuple(session.raw(r.id) for r in found.records)
            assert not found.truncated


def test_that_manifest_and_working_state_are_as_of_the_end(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as engine:
        drive(engine, long_chat(20))
    manifest = json.loads((tmp_path / CURATOR / "manifest" / "agent_demo.json").read_bytes())
    run = replayed(engine)
    assert manifest["session_key"] == KEY
    assert [item["id"] for item in manifest["items"]] == list(range(run.rows(run.calls)))
    assert [item["archived"] for item in manifest["items"]] == [
        run.row(run.calls, m).archived for m in range(run.rows(run.calls))
    ]
    with ArchiveStore(tmp_path / CURATOR, writable=False) as store:
        for item in manifest["items"]:
            if item["archived"]:
                assert item["id"] in [r.id for r in store.retrieve(item["archive_ref"], max_tokens=0).records]
    state = json.loads((tmp_path / CURATOR / "working_state" / "agent_demo.json").read_bytes())
    assert state["decisions"] == ["You must not touch migrations/."]
    assert state["goals"] == ["Find the KeyError in src/app.py."]


def test_that_snapshots_on_disk_are_those_of_the_replay_and_no_others(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as engine:
        for word in ("login", "quota", "cache"):
            drive(engine, [*long_chat(11), said("user", f"Something else: {word} {word}.py must be {word}ed.")])
        taken = engine.run().snapshots()
    run = replayed(engine)
    folder = tmp_path / CURATOR / "snapshots" / "agent_demo"
    assert sorted(path.name for path in folder.iterdir()) == sorted(f"{one.name}.zst" for one in taken)
    assert len(taken) > 4
    for one in taken:
        data = (folder / f"{one.name}.zst").read_bytes()
        base = base_name(data)
        whole = decode((folder / f"{base}.zst").read_bytes()) if base else None
        assert (decode(data, whole), base is None) == (run.snapshot(one), one.kind == "full")


# Others at work


def test_that_engines_of_other_processes_write_to_the_same_workspace(tmp_path: Path) -> None:
    first = Engine(TIGHT, tmp_path, session_key=KEY)
    drive(first, long_chat(12))
    script = """
        import sys
        from ravenglass import Engine
        from tests.engine.embed.conversations import drive
        from tests.engine.embed.files.leftovers import long_chat
        from tests.engine.embed.files.test_workspace import TIGHT
        with Engine(TIGHT, sys.argv[1], session_key="agent:second") as engine:
            drive(engine, long_chat(25))
            print(engine.run().calls, *engine.warnings)
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert (ran.stdout, ran.stderr) == ("26\n", "")
    drive(first, long_chat(25)[24:])
    first.close()
    with ArchiveStore(tmp_path / CURATOR, writable=False) as store:
        keys = {entry.session_key for entry in store.entries()}
    assert keys == {KEY, "agent:second"}
    assert len(open_session(session_file(tmp_path, "agent:second")).messages) == len(long_chat(25))


def test_that_engines_of_one_process_write_to_the_same_workspace_at_the_same_time(tmp_path: Path) -> None:
    keys = [f"agent:part-{number}" for number in range(4)]

    def work(key: str) -> None:
        with Engine(TIGHT, tmp_path, session_key=key) as engine:
            drive(engine, long_chat(25))
            warnings.extend(engine.warnings)

    warnings: list[str] = []
    threads = [threading.Thread(target=work, args=(key,)) for key in keys]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert warnings == []
    with ArchiveStore(tmp_path / CURATOR, writable=False) as store:
        assert {entry.session_key for entry in store.entries()} == set(keys)
        assert [entry.fault for entry in store.entries() if entry.fault] == []


def test_that_while_a_run_is_saved_into_the_workspace_an_engine_says_who_writes(tmp_path: Path) -> None:
    place = tmp_path / CURATOR
    with Workspace.open(place):
        engine = Engine(TIGHT, tmp_path, session_key=KEY)
        sentence = f"The workspace {place} is open for reading only: process {os.getpid()} is writing to it."
        assert engine.warnings == (sentence,)
        drive(engine, long_chat(25))
        engine.close()
        assert not session_file(tmp_path, KEY).exists()


def test_that_an_engine_brings_back_what_another_one_archived(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY) as first:
        drive(first, long_chat(25))
        ref = next(e.ref for e in ArchiveStore(tmp_path / CURATOR, writable=False).entries())
        with Engine(TIGHT, tmp_path, session_key="agent:second") as second:
            assert second.retrieve(ref, max_tokens=0).raw == first.retrieve(ref, max_tokens=0).raw


def test_that_a_workspace_of_a_newer_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / CURATOR
    place.mkdir(parents=True)
    content = {"format": "ravenglass-workspace", "version": VERSION + 1}
    (place / VERSION_FILE).write_text(json.dumps(content))
    before = files(tmp_path)
    with pytest.raises(StoreError, match=r"written by a newer Ravenglass .*left as it is\. Update Ravenglass"):
        Engine(workspace=tmp_path)
    assert files(tmp_path) == before


def test_that_a_file_is_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="is no folder, so it is no workspace"):
        Engine(workspace=tmp_path / "file")


def test_that_manifest_and_working_state_are_on_the_disk_when_a_slow_path_returns(tmp_path: Path) -> None:
    place = tmp_path / CURATOR
    manifest, state = (place / kind / "agent_demo.json" for kind in ("manifest", "working_state"))
    written: list[tuple[str, bool, bytes]] = []
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        for message in long_chat(25):
            if message["role"] != "assistant":
                engine.observe(message)
                continue
            before = manifest.read_bytes() if manifest.exists() else b""
            engine.decide()
            now = manifest.read_bytes() if manifest.exists() else b""
            written.append((engine.frame().path, now != before, state.read_bytes() if state.exists() else b""))
            engine.record_response(message)
    assert {path for path, _, _ in written} == {"fast", "slow"}
    assert all(anew == (path == "slow") for path, anew, _ in written)
    assert 1 <= len({text for _, _, text in written} - {b""}) < len(written) / 2, "written where it changed only"


def test_that_a_snapshot_that_retention_drops_is_deleted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped: list[str] = []
    real = EngineWorkspace.put_snapshot

    def noting(self: EngineWorkspace, name: str, data: bytes | None) -> None:
        if data is None:
            dropped.append(name)
        real(self, name, data)

    monkeypatch.setattr(EngineWorkspace, "put_snapshot", noting)
    with Engine(TIGHT.with_values(snapshot_keep=1), tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, long_chat(25))
    assert len(dropped) > 1
    assert len(dropped) == len(set(dropped))
