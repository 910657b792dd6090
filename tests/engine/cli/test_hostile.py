"""What other people's texts and names hold never steers the terminal, whatever the command."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from ravenglass.cli.main import main
from ravenglass.sessions.catalogue.listing import listing
from tests.engine.traces.logs import line, request, start

HOSTILE = "\x1b[31mred\x07\x9b2J\r\u202egpj.\u2066x\u200b [bold]no markup[/bold] :warning:\x00\ud800 MARK"


def hostile_session(folder: Path) -> Path:
    """A session whose every name and text is hostile, in a file that is called so too."""
    call = {"type": "tool_use", "id": f"t1{HOSTILE}", "name": HOSTILE, "input": {HOSTILE: HOSTILE}}
    answer = {"type": "tool_result", "tool_use_id": f"t1{HOSTILE}", "content": HOSTILE}
    usage = {"input_tokens": 5, "cache_read_input_tokens": 15_000, "output_tokens": 5}

    def record(number: int, kind: str, content: Any, **more: Any) -> dict[str, Any]:
        about = {"model": HOSTILE, "id": f"m{number}", "usage": usage} if kind == "assistant" else {}
        parent = f"u{number - 1}" if number else None
        return {
            "type": kind, "uuid": f"u{number}", "parentUuid": parent, "sessionId": HOSTILE, "cwd": HOSTILE,
            "message": {"role": kind, "content": content, **about}, **more,
        }  # fmt: skip

    rows = [
        record(0, "user", HOSTILE),
        record(1, "assistant", [{"type": "text", "text": HOSTILE}, call]),
        record(2, "user", [answer]),
        record(3, "assistant", [{"type": "text", "text": HOSTILE}]),
        record(4, "user", [{"type": HOSTILE, "text": HOSTILE}], subtype=HOSTILE),
        {"type": HOSTILE, HOSTILE: 1},
        {"type": "summary", "summary": HOSTILE, "leafUuid": "u3"},
    ]
    path = folder / "a\x1b[31m\u202e\x9b[b].jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"broken\n' * 2)
    return path


def hostile_log(folder: Path) -> Path:
    lines = [start(), request(1), line(HOSTILE, {"x": HOSTILE}), line("slow_path_exception", {"error": HOSTILE})]
    path = folder / "t\x1b[7m.jsonl"
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def steers(text: str) -> set[str]:
    """Characters of a text that a terminal would obey or that turn its lines."""
    return {char for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")}


COMMANDS = [
    ["sessions", "FOLDER"], ["sessions", "FOLDER", "--details"], ["sessions", "FILE", "--json"], ["sessions", "NONE"],
    ["replay", "FILE"], ["replay", "FILE", "--json"], ["replay", "FILE", "--recorded"], ["replay", "BAD"],
    ["replay", "FILE", "--recorded", "--json"], ["replay", "FILE", "--set", f"{HOSTILE}=1"],
    ["replay", "FILE", "--profile", HOSTILE], ["replay", "FILE", "--dialect", HOSTILE], ["replay", "NONE"],
    ["replay", "FILE", "--windows", "NONE/x"], ["trace", "LOG"], ["trace", "LOG", "--json"], ["trace", "FILE"],
    ["trace", "LOG", "--session", "FILE"], ["trace", "LOG", "--profile", "default"], ["trace", "NONE"],
    ["profile", "--show", HOSTILE], ["profile", "--export", "OUT"], ["profile", HOSTILE], ["formats"], [f"--{HOSTILE}"],
    ["screenshot", "FILE", "--view", HOSTILE, "-o", "x"], ["formats", HOSTILE],
]  # fmt: skip


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: " ".join(command)[:40].encode("unicode_escape").decode()
)
def test_that_no_command_prints_what_steers_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], command: list[str]
) -> None:
    folder = tmp_path / "f\x1b[5m\u202e"
    folder.mkdir()
    bad = folder / "bad\x1b.json"
    bad.write_text(json.dumps({HOSTILE: HOSTILE}))
    places = {
        "FOLDER": folder, "FILE": hostile_session(folder), "LOG": hostile_log(tmp_path), "BAD": bad,
        "NONE": folder / "none\x1b", "NONE/x": folder / "none\x1b" / "x", "OUT": folder / "out\x1b.toml",
    }  # fmt: skip
    code = main([str(places.get(word, word)) for word in command])
    out, err = capfd.readouterr()
    assert not steers(out), ascii(out)
    assert not steers(err), ascii(err)
    assert "Traceback" not in err
    assert out or err
    assert code in (0, 1, 2, 3, 4)


def test_that_a_title_is_printed_with_marks_and_no_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(hostile_session(tmp_path))]) == 0
    out = capsys.readouterr().out
    assert "␛[31mred␇<U+009B>2J" in out
    assert "[bold]no markup[/bold] :warning:" in out


def _entry(folder: Path) -> None:
    """A folder with a good session and everything else that may be called like one."""
    row = {
        "type": "user",
        "uuid": "u",
        "parentUuid": None,
        "sessionId": "s",
        "message": {"role": "user", "content": "MARK"},
    }
    (folder / "good.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "self.jsonl").symlink_to("self.jsonl")
    (folder / "broken.jsonl").symlink_to("nowhere.jsonl")
    (folder / "loop").symlink_to(".")
    os.mkfifo(folder / "pipe.jsonl")
    os.mkfifo(folder / "agent-pipe.jsonl")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("more", [[], ["--details"]])
def test_that_what_cannot_be_listed_says_why_and_the_others_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    _entry(tmp_path)
    assert main(["sessions", str(tmp_path), *more]) == 0
    out, err = capsys.readouterr()
    assert out.count("MARK") == 1
    assert "self.jsonl was left out: it is a link that leads to itself." in err
    assert "broken.jsonl was left out: it is a link that leads nowhere." in err
    assert "pipe.jsonl was left out: it is no regular file" in err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("name", ["self.jsonl", "broken.jsonl", "pipe.jsonl", "absent.jsonl"])
@pytest.mark.parametrize("command", ["sessions", "replay"])
def test_that_each_named_by_itself_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, name: str
) -> None:
    _entry(tmp_path)
    assert main([command, str(tmp_path / name)]) == 3
    out, err = capsys.readouterr()
    assert not out
    assert err.count("\n") == 1
    assert name in err


def test_that_a_file_and_a_folder_that_may_not_be_read_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _entry(tmp_path)
    for name in ("locked.jsonl", "good2.jsonl"):
        (tmp_path / name).write_bytes(
            (tmp_path / "good.jsonl").read_bytes().replace(b'"s"', name.encode().join((b'"',) * 2))
        )
    (tmp_path / "shut").mkdir()
    opened, scanned = Path.open, os.scandir

    def refuse_file(path: Path, *given: Any, **named: Any) -> Any:
        if path.name == "locked.jsonl":
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *given, **named)

    def refuse_folder(path: Any) -> Any:
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return scanned(path)

    monkeypatch.setattr(Path, "open", refuse_file)
    monkeypatch.setattr(os, "scandir", refuse_folder)
    told: dict[str, str] = {}
    found = list(listing(tmp_path, lambda path, why: told.update({path.name: why})))
    assert {entry.path.name for entry in found} == {"good.jsonl", "good2.jsonl"}
    assert told["locked.jsonl"] == told["shut"] == "cannot be read (permission denied)"


def _program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "ravenglass", *arguments], capture_output=True, timeout=60, **options)


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(name, marks=pytest.mark.proof) for name in ("cp1252", "utf-8"))]
)
def test_that_a_console_of_any_encoding_takes_every_title(tmp_path: Path, encoding: str) -> None:
    row = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s"}
    row["message"] = {"role": "user", "content": "修复 🚀 naïve MARK"}  # type: ignore[assignment]
    (tmp_path / "数.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "LANG": "C"}
    done = _program("sessions", str(tmp_path), env=environment)
    assert done.returncode == 0
    assert not done.stderr
    assert b"MARK" in done.stdout
    done.stdout.decode(encoding)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [["formats"], *(pytest.param(more, marks=pytest.mark.proof) for more in (["formats", "--json"], ["--version"]))],
)
def test_that_a_full_disk_is_one_sentence(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "ravenglass", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1
    assert b"cannot be written (No space left on device)" in done.stderr


@pytest.mark.parametrize("arguments", [["formats"], pytest.param(["formats", "--json"], marks=pytest.mark.proof)])
def test_that_a_reader_that_has_enough_ends_the_program_quietly(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "ravenglass", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, b"")


def test_that_a_program_without_stdout_ends_as_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    from ravenglass.cli.printing.output import any_console

    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    any_console()
    with sys.stdout:
        assert main(["formats"]) == 0
