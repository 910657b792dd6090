"""Nothing that exists is replaced unasked, and what is written is for its owner alone."""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from ravenglass.cli.main import main
from ravenglass.resources import demo_session
from ravenglass.store.run_folder import RunFolder
from ravenglass.store.run_mark import MARK_FILE, read_mark, unfinished

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def loose_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def session(folder: Path, key: str = "s1") -> Path:
    """Four calls, small."""
    rows: list[dict[str, object]] = []
    for n in range(8):
        role = "assistant" if n % 2 else "user"
        message = {"role": role, "content": f"text {n}"} | ({"id": f"m{n}", "model": "m"} if n % 2 else {})
        rows.append({"type": role, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": key})
        rows[-1]["message"] = message
    path = folder / "input.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != ".lock"}


def open_to_others(folder: Path) -> list[str]:
    """What of a folder and below others may read."""
    return [str(path) for path in (folder, *folder.rglob("*")) if stat.S_IMODE(path.lstat().st_mode) & 0o077]


@pytest.mark.proof
def test_that_a_saved_run_is_for_its_owner_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = tmp_path / "data"
    monkeypatch.setenv("RAVENGLASS_DATA", str(data))
    out = tmp_path / "out"
    options = ["--profile", "tight-32k", "--set", "archive_below=0.9"]
    assert main(["replay", str(demo_session()), *options, "--save", str(out)]) == 0
    assert (out / "archive").is_dir()
    assert (data / "library.sqlite3").is_file()
    assert open_to_others(out) == []
    assert open_to_others(data) == []


def test_that_the_windows_and_a_profile_are_for_their_owner_alone(tmp_path: Path) -> None:
    out = tmp_path / "o"
    out.mkdir(mode=0o700)
    assert main(["replay", str(session(tmp_path)), "--windows", str(out / "w.jsonl")]) == 0
    assert main(["profile", "--export", str(out / "p.toml")]) == 0
    assert open_to_others(out) == []


@pytest.mark.parametrize(
    "command", [["replay", "FILE", "--windows"], ["profile", "--export"], ["replay", "FILE", "--recorded", "--windows"]]
)
def test_that_a_file_is_replaced_only_by_force(tmp_path: Path, capsys: Captured, command: list[str]) -> None:
    out = tmp_path / "mine"
    out.write_text("mine")
    words = [str(session(tmp_path)) if word == "FILE" else word for word in command]
    assert main([*words, str(out)]) == 1
    assert out.read_text() == "mine"
    assert "exists already and was left as it is; --force replaces it" in capsys.readouterr().err
    assert main([*words, str(out), "--force"]) == 0
    assert out.read_text() != "mine"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name[0] == ".") == []


def test_that_a_link_is_replaced_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "far").write_text("far")
    (tmp_path / "link").symlink_to("far")
    assert main(["profile", "--export", str(tmp_path / "link")]) == 1
    assert main(["profile", "--export", str(tmp_path / "link"), "--force"]) == 0
    assert (tmp_path / "far").read_text() == "far"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_that_a_full_disk_is_a_sentence_and_a_device_is_no_file(tmp_path: Path, capsys: Captured) -> None:
    assert main(["replay", str(session(tmp_path)), "--windows", "/dev/full"]) == 1
    assert "/dev/full cannot be written (No space left on device)" in capsys.readouterr().err
    assert main(["replay", str(session(tmp_path)), "--windows", "/dev/null"]) == 0


def test_that_a_saved_run_is_replaced_only_by_force_and_only_what_is_its_own(tmp_path: Path, capsys: Captured) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    (out / "traces").mkdir()
    (out / "traces" / "0000.jsonl").write_text("mine too")
    assert main(["replay", str(file), "--save", str(out)]) == 0
    before = contents(out)
    capsys.readouterr()
    assert main(["replay", str(file), "--save", str(out)]) == 1
    assert f"{out} holds a saved run already and was left as it is; --force replaces it." in capsys.readouterr().err
    assert contents(out) == before
    assert main(["replay", str(file), "--save", str(out), "--profile", "tight-32k", "--force"]) == 0
    after = contents(out)
    assert after["notes.txt"] == b"mine"
    assert after["traces/0000.jsonl"] == b"mine too"
    assert after["run.json"] != before["run.json"]
    mark = read_mark(out)
    assert mark is not None
    assert mark.complete
    assert set(mark.files) == set(after) - {"notes.txt", "traces/0000.jsonl", MARK_FILE, "workspace.json"}


@pytest.mark.parametrize("name", ["run.json", "manifest.json", "traces/s1/0000.jsonl", MARK_FILE, "workspace.json"])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_that_a_file_of_someone_else_in_the_way_is_a_sentence(
    tmp_path: Path, capsys: Captured, name: str, force: list[str]
) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    (out / name).parent.mkdir(parents=True)
    (out / name).write_text("mine")
    assert main(["replay", str(file), "--save", str(out), *force]) == 1
    assert name in capsys.readouterr().err
    left = contents(out)
    left.pop("workspace.json", None) if name != "workspace.json" else None
    assert left == {name: b"mine"}


def test_that_a_file_of_a_saved_run_that_someone_changed_is_not_replaced(tmp_path: Path, capsys: Captured) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    assert main(["replay", str(file), "--save", str(out)]) == 0
    (out / "run.json").write_text("my notes")
    assert main(["replay", str(file), "--save", str(out), "--force"]) == 1
    assert "run.json is there already and not as Ravenglass wrote it" in capsys.readouterr().err
    assert (out / "run.json").read_text() == "my notes"
    assert not unfinished(out)


@pytest.mark.parametrize("listed", ["../victim", "/etc/hostname", "traces/../../victim"])
def test_that_a_mark_of_someone_else_leads_nowhere(tmp_path: Path, listed: str) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    (tmp_path / "victim").write_text("mine")
    assert main(["replay", str(file), "--save", str(out)]) == 0
    mark = json.loads((out / MARK_FILE).read_bytes())
    mark["files"][listed] = ["9d35c6cd0a1aadb71d8c4af4ac7d3a0ba2bb9bf8f14f5b9d2a38ecb0a4b1d2d1"]
    (out / MARK_FILE).write_text(json.dumps(mark))
    assert main(["replay", str(file), "--save", str(out), "--force"]) == 0
    assert (tmp_path / "victim").read_text() == "mine"


def test_that_a_folder_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    (tmp_path / "far").mkdir()
    out.mkdir()
    (out / "traces").symlink_to(tmp_path / "far")
    assert main(["replay", str(file), "--save", str(out)]) == 1
    assert list((tmp_path / "far").iterdir()) == []


@pytest.mark.parametrize("key", ["..", ".", "../../up", "/abs", "CON", "a\x00b", "x" * 400, "\u202e", ""])
def test_that_any_session_id_stays_in_the_folder(tmp_path: Path, key: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    file, out = session(inside, key), inside / "out"
    (inside / "out").mkdir()
    for name in ("0000.jsonl", "0001.jsonl"):
        (out / name).write_text("mine")
    assert main(["replay", str(file), "--save", str(out)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"inside"}
    assert {path.name for path in inside.iterdir()} == {"input.jsonl", "out"}
    assert (out / "0000.jsonl").read_text() == "mine"
    assert len(list((out / "traces").iterdir())) == 1


def test_that_a_save_that_fails_leaves_the_folder_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / "notes.txt").write_text("mine")
    written = RunFolder.write

    def full(self: RunFolder, name: str, chunks: object) -> None:
        if name == "manifest.json":
            raise OSError(28, "No space left on device")
        written(self, name, chunks)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "write", full)
        assert main(["replay", str(file), "--save", str(out)]) == 1
    assert "the run cannot be saved (No space left on device)" in capsys.readouterr().err
    assert {name for name in contents(out) if name != "workspace.json"} == {"notes.txt"}
    assert main(["replay", str(file), "--save", str(out)]) == 0


def test_that_a_run_that_was_saved_half_is_said_to_be_incomplete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    file, out = session(tmp_path), tmp_path / "out"
    monkeypatch.setattr(RunFolder, "_remove", None)
    assert main(["replay", str(file), "--save", str(out)]) == 0
    mark = json.loads((out / MARK_FILE).read_bytes()) | {"complete": False}
    (out / MARK_FILE).write_text(json.dumps(mark))
    capsys.readouterr()
    assert main(["trace", str(out)]) == 0
    assert "is not complete: saving a run there was interrupted" in capsys.readouterr().err
    assert main(["replay", str(file), "--save", str(out)]) == 1
    assert "holds a run that was not saved to its end already" in capsys.readouterr().err
    monkeypatch.undo()
    assert main(["replay", str(file), "--save", str(out), "--force"]) == 0
    assert not unfinished(out)
    shutil.rmtree(out)
