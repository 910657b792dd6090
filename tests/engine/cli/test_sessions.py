"""`ravenglass sessions` lists what stands in folders, nested, and says how each is opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenglass.cli.main import main
from ravenglass.cli.sessions import nested
from ravenglass.sessions.importing.holder import HolderEntry
from ravenglass.store import LIBRARY_FILE, data_dir
from tests.engine.sessions.catalogue.test_listing import chat
from tests.engine.sessions.formats.gemini.lines import HEAD, ask


def test_that_a_folder_is_printed_as_a_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chat(tmp_path / "one.jsonl", "cli:1")
    chat(tmp_path / "two.jsonl", "cli:2", turns=3)
    assert main(["sessions", str(tmp_path), "--details"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(str(tmp_path)[:100])
    assert "title of cli:1" in out
    assert "3 calls" in out
    assert "two.jsonl" in out


def test_that_a_sub_agent_in_a_folder_of_its_own_is_printed_below_its_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chats = Path("chats")
    (chats / "s-1").mkdir(parents=True)
    (chats / "other").mkdir()
    child = {**HEAD, "sessionId": "sub-1", "kind": "subagent", "summary": "the child"}
    (chats / "session-x.jsonl").write_text(json.dumps({**HEAD, "summary": "the parent"}) + "\n")
    (chats / "s-1" / "sub-1.jsonl").write_text(json.dumps(child) + "\n" + json.dumps(ask("u")) + "\n")
    chat(chats / "other" / "one.jsonl", "cli:1")
    assert main(["sessions", "chats"]) == 0
    rows = [row for row in capsys.readouterr().out.splitlines() if row.strip()]
    place = next(number for number, row in enumerate(rows) if "the parent" in row)
    assert rows[place - 1] == "chats"
    assert "  the child" in rows[place + 1]
    assert str(Path("s-1", "sub-1.jsonl")) in rows[place + 1]
    assert sum(row in ("chats", str(Path("chats/other"))) for row in rows) == 2


def test_that_json_has_every_field_and_the_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = chat(tmp_path / "one.jsonl", "cli:1")
    assert main(["sessions", str(path), "--json"]) == 0
    (only,) = json.loads(capsys.readouterr().out)
    assert (only["id"], only["place"], only["depth"], only["calls"]) == ("cli:1", str(path), 0, None)


def test_that_saved_runs_are_listed_below_their_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    chat(tmp_path / "one.jsonl", "cli:1")
    assert main(["sessions", ".", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["saved_runs"] == []
    assert not (data_dir() / LIBRARY_FILE).exists()  # looking makes none
    for _ in range(2):
        assert main(["replay", "one.jsonl", "--profile", "tight-32k", "--save", "out", "--json", "--force"]) == 0
    capsys.readouterr()
    assert main(["sessions", ".", "--json"]) == 0
    listed = {item["id"]: item for item in json.loads(capsys.readouterr().out)}
    (only,) = listed["cli:1"]["saved_runs"]
    assert (only["profile"], only["folder"]) == ("tight-32k", str(tmp_path / "out"))
    assert main(["sessions", "."]) == 0
    out = capsys.readouterr().out
    assert "saved run" in out
    assert "under tight-32k" in out


def test_that_a_library_that_cannot_be_read_only_costs_the_saved_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat(tmp_path / "one.jsonl", "cli:1")
    (data_dir() / LIBRARY_FILE).mkdir(parents=True)
    assert main(["sessions", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "title of cli:1" in printed.out
    assert "Saved runs are not listed" in printed.err


def test_that_nothing_found_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["sessions", str(tmp_path)]) == 0
    assert "No sessions in" in capsys.readouterr().out
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert main(["sessions"]) == 0
    assert "No agent that is known keeps sessions here" in capsys.readouterr().out


def test_that_a_missing_folder_is_a_sentence_and_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sessions", "no/such/folder"]) == 3
    assert "does not exist" in capsys.readouterr().err


def test_that_sub_agents_stand_behind_their_session_and_nothing_is_lost_in_a_ring() -> None:
    def entry(name: str, parent: str | None = None) -> HolderEntry:
        return HolderEntry("claude-code", Path(name), id=name, parent=parent)

    listed = nested(
        [entry("b"), entry("a2", "a"), entry("a"), entry("a21", "a2"), entry("x", "gone"), entry("a1", "a")]
    )
    assert [(item.entry.id, item.depth) for item in listed] == [
        ("b", 0), ("a", 0), ("a2", 1), ("a21", 2), ("a1", 1), ("x", 0),
    ]  # fmt: skip
    ring = nested([entry("p", "q"), entry("q", "p"), entry("r", "r")])
    assert sorted(item.entry.id for item in ring) == ["p", "q", "r"]
