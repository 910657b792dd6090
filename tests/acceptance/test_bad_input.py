"""Bad input through the command line: always a sentence, never a traceback, never a lost good record."""

from __future__ import annotations

import errno
import gzip
import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from tests.acceptance.run_cli import Outcome, run


def user(text: str) -> dict[str, object]:
    return {"role": "user", "content": text}


def assistant(text: str, *calls: str) -> dict[str, object]:
    made: dict[str, object] = {"role": "assistant", "content": text}
    if calls:
        made["tool_calls"] = [
            {"id": c, "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}} for c in calls
        ]
    return made


def result(call: str, text: str) -> dict[str, object]:
    return {"role": "tool", "tool_call_id": call, "content": text}


def claude(kind: str, uuid: str, content: object, message_id: str = "") -> dict[str, object]:
    """A record of a Claude Code transcript."""
    message: dict[str, object] = {"role": kind, "content": content}
    if message_id:
        message |= {"id": message_id, "model": "m", "type": "message"}
    return {
        "type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "s", "timestamp": "2026-03-02T09:00:00.000Z",
        "message": message,
    }  # fmt: skip


GOOD = [user("What is in the folder?"), assistant("Looking.", "c1"), result("c1", "a.py"), assistant("One file.")]


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(r).encode() + b"\n" for r in records)


def refused(outcome: Outcome, code: int, *words: str) -> None:
    assert outcome.code == code, outcome.said
    assert "Traceback" not in outcome.said
    assert outcome.said.count("\n") == 1, "one sentence, one line"
    for word in words:
        assert word.lower() in outcome.said.lower()


def counted(path: Path) -> dict[str, int]:
    outcome = run("replay", path, "--json")
    assert outcome.code == 0, outcome.said
    assert "Traceback" not in outcome.said
    counts: dict[str, int] = json.loads(outcome.printed)["session"]
    return counts


def test_that_an_empty_file_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    refused(run("replay", path), 3, "empty.jsonl", "empty")


def test_that_a_binary_file_is_refused_by_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "picture.jsonl"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    refused(run("replay", path), 3, "picture.jsonl", "PNG")


def test_that_unknown_bytes_are_refused_with_what_was_tried(tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(128, 256)) * 64)
    refused(run("replay", path), 3, "noise.bin", "Claude Code", "line 1")


def test_that_a_directory_is_refused_with_what_to_do(tmp_path: Path) -> None:
    refused(run("replay", tmp_path), 3, "directory")


def test_that_a_missing_file_is_refused(tmp_path: Path) -> None:
    refused(run("replay", tmp_path / "nothing.jsonl"), 3, "nothing.jsonl", "does not exist")


def test_that_an_unreadable_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "locked.jsonl"
    path.write_bytes(lines(*GOOD))
    opened = Path.open

    def locked(self: Path, *arguments: object, **options: object) -> object:
        if self == path:  # root, as which tests may run, can read whatever its mode is
            raise PermissionError(errno.EACCES, "Permission denied", str(self))
        return opened(self, *arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", locked)
    refused(run("replay", path), 3, "locked.jsonl", "permission")


def test_that_json_of_another_kind_is_refused_with_its_first_line(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"name": "thing", "version": "1.0"}', encoding="utf-8")
    refused(run("replay", path), 3, "package.json", "line 1")


def test_that_a_very_long_line_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(lines(user("hello"), assistant("word " * 1_200_000), user("again"), assistant("done")))
    assert counted(path)["messages"] == 4


def test_that_a_cut_last_line_keeps_all_before_it(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(lines(*GOOD) + b'{"role": "user", "content": "unfin')
    assert counted(path)["messages"] == 4


def test_that_nul_blocks_lose_no_record(tmp_path: Path) -> None:
    path = tmp_path / "nul.jsonl"
    path.write_bytes(lines(*GOOD[:2]) + b"\0" * 4096 + lines(*GOOD[2:]))
    assert counted(path)["messages"] == 4


@pytest.mark.parametrize("options", [(), ("--recorded",)])
def test_that_lost_bytes_are_told_by_place_and_a_cut_last_line_is_none_of_them(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    path = tmp_path / "damaged.jsonl"
    broken, cut = b'{"role": "tool", "content": ', b'{"role": "assis'
    path.write_bytes(lines(*GOOD[:2]) + broken + b"\n" + lines(*GOOD[2:]) + cut)
    told = json.loads(run("replay", path, "--json", *options).printed)
    where = {"line": 3, "offset": len(lines(*GOOD[:2])), "length": len(broken)}
    assert told["damage"] == [{**where, "reason": "it is cut", "kept": "nothing"}]
    assert told["lost_bytes"] == len(broken)
    size = path.stat().st_size
    assert told["pending"] == {"line": 4 + len(GOOD[2:]), "offset": size - len(cut), "length": len(cut)}
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(lines(*GOOD))
    told = json.loads(run("replay", whole, "--json", *options).printed)
    assert (told["damage"], told["lost_bytes"], told["pending"]) == ([], 0, None)


def test_that_a_damaged_line_is_counted_and_named(tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(lines(*GOOD[:2]) + b'{"role": "tool", "content": \n' + lines(*GOOD[2:]))
    outcome = run("replay", path, "--json")
    assert json.loads(outcome.printed)["session"]["damaged_lines"] == 1
    assert json.loads(outcome.printed)["session"]["messages"] == 4
    assert "Line 3" in outcome.said


def test_that_lone_surrogates_survive_every_output(tmp_path: Path) -> None:
    path, out = tmp_path / "surrogate.jsonl", tmp_path / "windows.jsonl"
    path.write_bytes(b'{"role": "user", "content": "half \\ud83d of it"}\n' + lines(assistant("ok")))
    assert run("replay", path, "--windows", out, "--save", tmp_path / "saved").code == 0
    assert json.loads(out.read_text())["messages"][0]["id"] == 0


def test_that_line_separators_inside_strings_split_nothing(tmp_path: Path) -> None:
    path = tmp_path / "separators.jsonl"
    text = "one\u2028two\u2029three\u0085four"
    path.write_bytes(json.dumps(user(text), ensure_ascii=False).encode() + b"\n" + lines(assistant("ok")))
    out = tmp_path / "windows.jsonl"
    assert run("replay", path, "--windows", out).code == 0
    assert json.loads(out.read_text())["messages"][0]["content"] == text


def test_that_duplicated_ids_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "twice.jsonl"
    call = [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}]
    answer = [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]
    path.write_bytes(
        lines(
            claude("user", "u1", "go"),
            claude("assistant", "u2", call, "m1"),
            claude("user", "u3", answer),
            claude("user", "u3", answer),
            claude("assistant", "u4", [{"type": "text", "text": "done"}], "m2"),
        )
    )
    counts = counted(path)
    assert counts["tool_calls"] == 1
    assert counts["tool_results"] == 2


def test_that_results_before_their_calls_are_paired(tmp_path: Path) -> None:
    path, out = tmp_path / "early.jsonl", tmp_path / "windows.jsonl"
    path.write_bytes(lines(user("go"), result("c1", "early"), assistant("calling", "c1"), assistant("done")))
    assert run("replay", path, "--windows", out).code == 0
    last = json.loads(out.read_text().splitlines()[-1])["messages"]
    order = [m.get("tool_call_id") or [c["id"] for c in m.get("tool_calls", [])] for m in last]
    assert order.index(["c1"]) + 1 == order.index("c1")


def test_that_a_broken_gzip_keeps_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl.gz"
    packed = gzip.compress(lines(*GOOD * 400))
    path.write_bytes(packed[: len(packed) - 20])
    there = zlib.decompressobj(wbits=31).decompress(path.read_bytes()).count(b"\n")
    assert 1_000 < there < 4 * 400
    outcome = run("replay", path, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.printed)["session"]["messages"] == there
    assert "broken.jsonl.gz" in outcome.said


@pytest.mark.parametrize(
    ("setting", "field"),
    [
        ("quota_task=0.9", "quota"),
        ("window=2000", "window"),
        ("window=abc", "window"),
        ("output_reserve=-1", "output_reserve"),
        ("trim_tarjet=0.5", "trim_tarjet"),
        ("trim_target", "trim_target"),
    ],
)
def test_that_an_invalid_profile_names_its_field(tmp_path: Path, setting: str, field: str) -> None:
    path = tmp_path / "good.jsonl"
    path.write_bytes(lines(*GOOD))
    refused(run("replay", path, "--set", setting), 4, field)


def test_that_a_profile_file_with_quotas_over_one_is_refused_by_name(tmp_path: Path) -> None:
    path, profile = tmp_path / "good.jsonl", tmp_path / "greedy.toml"
    path.write_bytes(lines(*GOOD))
    profile.write_text("quota_global = 0.6\nquota_session = 0.6\n", encoding="utf-8")
    refused(run("replay", path, "--profile", profile), 4, "greedy.toml", "quota")


def test_that_a_broken_profile_file_is_refused_with_its_place(tmp_path: Path) -> None:
    path, profile = tmp_path / "good.jsonl", tmp_path / "broken.toml"
    path.write_bytes(lines(*GOOD))
    profile.write_text("window = = 3\n", encoding="utf-8")
    refused(run("replay", path, "--profile", profile), 4, "broken.toml", "line 1")


@pytest.mark.parametrize("arguments", [["replay"], ["replay", "a", "b"], ["replay", "x", "--nonsense"]])
def test_that_wrong_usage_is_code_two(arguments: list[str]) -> None:
    refused(run(*arguments), 2)


def test_that_an_output_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "good.jsonl"
    path.write_bytes(lines(*GOOD))
    refused(run("replay", path, "--windows", tmp_path / "no" / "such" / "folder.jsonl"), 1, "cannot be written")


def test_that_a_session_without_any_call_is_said(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    path.write_bytes(lines(user("anyone there?")))
    outcome = run("replay", path)
    assert outcome.code == 0
    assert "no model call" in outcome.printed


def test_that_a_real_process_ends_with_the_same_codes(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    done = subprocess.run([sys.executable, "-m", "ravenglass", "replay", str(path)], capture_output=True, text=True)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
