"""The command line as scripts use it: exit codes, the JSON object, sentences instead of tracebacks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

Json = dict[str, Any]
USER = {"role": "user", "content": "fix the login"}
BYE = {"role": "assistant", "content": "done"}


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "ravenglass", *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )


def replay(path: Path, *options: str) -> Json:
    """The JSON object of a replay that has to work."""
    done = run("replay", path, "--json", *options)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def lines(path: Path, *records: object) -> Path:
    path.write_bytes(b"".join(json.dumps(r).encode() + b"\n" for r in records))
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
    return lines(
        tmp_path / "small.jsonl",
        USER,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a.py"},
        BYE,
    )


def test_that_replay_prints_one_json_object_with_everything_that_scripts_rely_on(small: Path) -> None:
    found = replay(small)
    counts = {"format": "openai-chat", "messages": 4, "groups": 3, "turns": 1, "calls": 2, "tool_calls": 1,
              "tool_results": 1, "damaged_lines": 0}  # fmt: skip
    assert found["session"].items() >= counts.items()
    assert found["profile"]["name"] == "default"
    assert found["budget"] == {
        "window": 128_000, "output_reserve": 25_600, "system": 3_000, "safety": 6_400, "available": 93_000,
        "quotas": {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300},
    }  # fmt: skip
    for number, call in enumerate(found["calls"], start=1):
        assert call.keys() == {"call", "path", "window_tokens", "by_tier", "included", "evicted", "archived"}
        assert (call["call"], call["path"]) == (number, "fast")
        assert sum(call["by_tier"].values()) == call["window_tokens"]
        assert call["by_tier"].keys() == {"global", "session", "task", "atomic"}
    assert len(found["calls"]) == 2
    assert found["metrics"]["calls"] == 2
    assert found["warnings"] == []


def test_that_windows_are_one_openai_chat_request_a_line(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "windows.jsonl"
    replay(small, "--windows", str(out))
    first, second = (json.loads(line) for line in out.read_text(encoding="ascii").splitlines())
    assert first == {"call": 1, "path": "fast", "tokens": first["tokens"], "messages": [{"id": 0, **USER}]}
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "tool"]
    call = {"id": "c1", "type": "function", "function": {"name": "Bash", "arguments": '{"command": "ls"}'}}
    assert second["messages"][1] == {"id": 1, "role": "assistant", "content": "", "tool_calls": [call]}
    assert second["messages"][2] == {"id": 2, "role": "tool", "content": "a.py", "tool_call_id": "c1"}


def test_that_settings_change_fields_of_the_profile(small: Path) -> None:
    found = replay(small, "--profile", "tight-32k", "--set", "trim_target=0.5", "--set", "safety-buffer=0")
    assert found["budget"]["window"] == 32_000
    assert found["budget"]["safety"] == 0
    assert found["profile"]["changed"] == {"window": 32_000, "trim_target": 0.5, "safety_buffer": 0.0}


def test_that_a_saved_run_can_be_read_again(small: Path, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    found = replay(small, "--save", str(folder))
    assert json.loads((folder / "run.json").read_text(encoding="utf-8"))["calls"] == found["calls"]
    again = replay(small, "--profile", str(folder / "profile.toml"))
    assert again["budget"] == found["budget"]


def test_that_a_run_without_json_is_a_table_for_people(small: Path) -> None:
    done = run("replay", small)
    assert done.returncode == 0
    assert "C = 93,000 tokens" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [("replay",), ("replay", "--nonsense"), ("replay", "a", "b"), ("profile", "--nonsense")],
    ids=" ".join,
)
def test_that_wrong_usage_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_sentence(done)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--profile", "nothing"), "nothing"),
        (("--set", "quota_task=0.9"), "quota_global"),
        (("--set", "window=12"), "window"),
        (("--set", "trim_target=x"), "trim_target"),
        (("--set", "no_such_field=1"), "no_such_field"),
        (("--set", "trim_target"), "trim_target"),
        (("--set", "system_overhead=127000"), "window"),
    ],
)
def test_that_an_invalid_profile_is_exit_code_4_and_names_the_field(
    small: Path, options: tuple[str, ...], named: str
) -> None:
    done = run("replay", small, "--json", *options)
    assert done.returncode == 4
    assert named in done.stderr
    assert_sentence(done)


def test_that_a_profile_file_that_is_no_profile_is_exit_code_4(small: Path, tmp_path: Path) -> None:
    cases = {"quotas.toml": b"quota_global = 0.9\n", "broken.toml": b"= [", "latin.toml": b"name = '\xe4'"}
    for name, content in cases.items():
        (tmp_path / name).write_bytes(content)
        done = run("replay", small, "--profile", tmp_path / name)
        assert done.returncode == 4
        assert name in done.stderr
        assert_sentence(done)


def assert_sentence(done: subprocess.CompletedProcess[str]) -> None:
    """What it says on stderr is for people: no traceback."""
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()
    assert len(done.stderr) < 2_000


UNREADABLE = {
    "empty.jsonl": (b"", "is empty"),
    "blank.jsonl": (b"\n\n  \n", "blank"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8, "PNG"),
    "binary.bin": (bytes(range(256)) * 64, "binary"),
    "text.txt": (b"Dear diary,\ntoday I debugged.\n", "is no JSON"),
    "config.json": (b'{"name": "x", "version": 1}', "no known session format"),
    "numbers.json": (b"[1, 2, 3]", "no known session format"),
    "other.jsonl": (b'{"level": "info"}\n{"level": "warn"}\n', "no known session format"),
    "cut.jsonl": (b'{"role": "user", "content": "hel', "cut"),
    "nuls.jsonl": (b"\x00" * 4_096, "NUL"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_that_what_is_no_session_is_exit_code_3_and_says_what_it_is(name: str, tmp_path: Path) -> None:
    content, word = UNREADABLE[name]
    path = tmp_path / name
    path.write_bytes(content)
    done = run("replay", path, "--json")
    assert done.returncode == 3
    assert name in done.stderr
    assert word.lower() in done.stderr.lower()
    assert done.stdout == ""
    assert_sentence(done)


def test_that_a_file_of_another_kind_says_what_was_tried_and_the_first_offending_line(tmp_path: Path) -> None:
    path = tmp_path / "diary.jsonl"
    path.write_bytes(b"\n\nDear diary\n")
    done = run("replay", path)
    assert done.returncode == 3
    assert "Claude Code" in done.stderr
    assert "Raven" in done.stderr
    assert "OpenAI" in done.stderr
    assert "line 3" in done.stderr.lower()


def test_that_a_directory_or_a_missing_file_is_exit_code_3(tmp_path: Path) -> None:
    for path, word in ((tmp_path, "directory"), (tmp_path / "gone.jsonl", "does not exist")):
        done = run("replay", path)
        assert done.returncode == 3
        assert word in done.stderr
        assert_sentence(done)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="whoever runs this may read any file")
def test_that_a_file_that_may_not_be_read_is_exit_code_3(small: Path) -> None:
    small.chmod(0)
    done = run("replay", small)
    assert done.returncode == 3
    assert "permission denied" in done.stderr
    assert_sentence(done)


def encoded(*records: object) -> list[bytes]:
    return [json.dumps(r).encode() for r in records]


GOOD, END = encoded(USER, BYE)
DAMAGED: dict[str, tuple[bytes, int, int]] = {
    # content, messages that must survive, damaged lines
    "a cut last line": (GOOD + b"\n" + END + b"\n" + GOOD[:20], 2, 0),
    "a cut line in the middle": (GOOD + b"\n" + GOOD[:20] + b"\n" + END + b"\n", 2, 1),
    "a cut line with a whole record behind it": (GOOD + b"\n" + GOOD[:20] + GOOD + b"\n" + END + b"\n", 3, 1),
    "glued records": (GOOD + END + b"\n" + GOOD + b"\n" + END, 4, 0),
    "blocks of NUL bytes": (GOOD + b"\n" + b"\x00" * 9_000 + b"\n" + b"\x00" * 7 + END + b"\n", 2, 2),
    "bytes that are no UTF-8": (GOOD + b"\n" + END.replace(b"done", b"d\xff\xfene") + b"\n", 2, 1),
    "a lone surrogate": (GOOD.replace(b"login", b"\\ud83d login") + b"\n" + END + b"\n", 2, 0),
    "line separators in strings": (
        json.dumps({"role": "user", "content": "a\u2028b\u2029c\x85d\x0be"}, ensure_ascii=False).encode()
        + b"\n" + END + b"\n", 2, 0,
    ),
    "Windows line ends and a byte order mark": (b"\xef\xbb\xbf" + GOOD + b"\r\n" + END + b"\r\n", 2, 0),
    "null where a container is expected": (
        b"\n".join(encoded(USER, {"role": "assistant", "content": None, "tool_calls": None}, BYE)), 3, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_that_no_good_record_is_lost_in_a_damaged_file(case: str, tmp_path: Path) -> None:
    content, messages, damaged = DAMAGED[case]
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(content)
    found = replay(path, "--windows", str(tmp_path / "windows.jsonl"))
    assert (found["session"]["messages"], found["session"]["damaged_lines"]) == (messages, damaged)
    assert bool(found["warnings"]) == (damaged > 0 or case == "a cut last line")
    (tmp_path / "windows.jsonl").read_text(encoding="ascii")


def _call(call_id: str, name: str = "Bash") -> Json:
    function = {"name": name, "arguments": "{}"}
    return {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call_id, "type": "function", "function": function}],
    }


def _result(call_id: str, text: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


CONFUSED: dict[str, tuple[Json, ...]] = {
    "a result before its call": (USER, _result("a", "early"), _call("a"), BYE),
    "a call that is never answered": (USER, _call("a"), USER, BYE),
    "a result without a call": (USER, _result("lost", "?"), BYE),
    "the same call id again and again": (USER, _call("call_0"), _result("call_0", "1"), _call("call_0"),
                                         _result("call_0", "2"), BYE),
    "two results for one call": (USER, _call("a"), _result("a", "1"), _result("a", "2"), BYE),
    "a result long after its call": (USER, _call("a"), USER, BYE, _result("a", "late"), BYE),
    "duplicated message ids": ({**USER, "id": "m"}, {**BYE, "id": "m"}, {**USER, "id": "m"}, {**BYE, "id": "m"}),
}  # fmt: skip


@pytest.mark.parametrize("case", CONFUSED)
def test_that_a_confused_record_still_gives_windows_that_a_provider_accepts(case: str, tmp_path: Path) -> None:
    from tests.acceptance.check_windows import Truth as Checked
    from tests.acceptance.check_windows import check, replayed

    path = lines(tmp_path / "confused.jsonl", *CONFUSED[case])
    assert replay(path)["session"]["messages"] == len(CONFUSED[case])
    truth = Checked(path, tmp_path)
    assert list(check(truth, replayed(path, tmp_path))) == []


def test_that_a_line_of_200_megabytes_is_one_message_among_others(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(GOOD + b"\n" + b'{"role": "user", "content": "')
        for _ in range(200):
            file.write(b"the quick brown fox jumps over the lazy dog. " * 23_302)
        file.write(b'"}\n' + END + b"\n" + GOOD + b"\n" + END + b"\n")
    assert path.stat().st_size > 200_000_000
    found = replay(path, "--windows", str(tmp_path / "windows.jsonl"))
    assert (found["session"]["messages"], found["session"]["damaged_lines"]) == (5, 0)
    assert all(call["window_tokens"] <= 93_000 for call in found["calls"])
    assert found["metrics"]["impossible"] == 1
    assert "the current user message alone does not fit" in found["warnings"][0]


@pytest.mark.samples
def test_that_replay_reads_every_recorded_session(samples: Path) -> None:
    for folder in ("openai-chat", "raven/workspace/sessions"):
        for path in sorted((samples / folder).rglob("*.json*")):
            assert replay(path)["session"]["messages"] > 0
