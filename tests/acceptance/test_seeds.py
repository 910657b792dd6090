"""What the seeds describe, end to end from the command line; and that docs/design/seeds.md names tests that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run_cli import run
from tests.conftest import ROOT
from tests.engine.curator.policies.endpoint_server import Act, build, message, serving, whole
from tests.engine.curator.policies.endpoint_server import call as asked
from tests.gui.recordings import write_chat

Json = dict[str, Any]
PAGE = ROOT / "docs" / "design" / "seeds.md"
OLD = "".join(f"line {n}\n" for n in range(300))
CODE = "def price(cart):\n    return 1\n\ndef ship(cart):\n    return 2"


def printed(*arguments: str | Path) -> str:
    """What a command that has to work printed."""
    outcome = run(*arguments)
    assert outcome.code == 0, outcome.said
    return outcome.printed


def chat(path: Path, *steps: tuple[list[tuple[str, Json]], list[str]]) -> Path:
    """A recorded chat: a request, for each step its calls with their results, and a closing answer."""
    records: list[Json] = [{"role": "user", "content": "Fix the price in src/cart.py"}]
    number = 0
    for calls, answers in steps:
        ids = [f"c{number + n}" for n in range(len(calls))]
        number += len(calls)
        functions = [{"name": name, "arguments": json.dumps(given)} for name, given in calls]
        tool_calls = [{"id": i, "type": "function", "function": f} for i, f in zip(ids, functions, strict=True)]
        records.append({"role": "assistant", "content": None, "tool_calls": tool_calls})
        records += [{"role": "tool", "tool_call_id": i, "content": a} for i, a in zip(ids, answers, strict=True)]
    records.append({"role": "assistant", "content": "Done."})
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


READ = ("Read", {"file_path": "src/cart.py"})
EDIT = ("Edit", {"file_path": "src/cart.py", "old_string": "return 1", "new_string": "return 3"})
TEST = ("Bash", {"command": "pytest -q"})


def windows(path: Path, out: Path, *options: str) -> list[Json]:
    printed("replay", path, "--windows", out, "--force", *options)
    return [json.loads(line) for line in out.read_text("utf-8").split("\n") if line]


def texts(window: Json) -> dict[int, str]:
    return {m["id"]: m["content"] for m in window["messages"] if m["id"] is not None}


def test_that_an_edit_reaches_windows_trace_and_registry(tmp_path: Path) -> None:
    path = chat(tmp_path / "s.jsonl", ([READ], [CODE]), ([EDIT], ["ok"]), ([TEST], ["1 passed"]))
    compacted = ("--compact", "4:0.9", "--set", "protect_first_n=0")
    found = windows(path, tmp_path / "w.jsonl", *compacted)
    assert texts(found[2])[2] == CODE, "the fast path rewrites nothing"
    after = CODE.replace("return 1", "return 3")
    assert texts(found[3])[2] == f"[this file as the edit in message #4 left it]\n{after}"
    printed("replay", path, *compacted, "--save", tmp_path / "saved")
    log = next((tmp_path / "saved" / "traces").rglob("*.jsonl"))
    events = [json.loads(line) for line in log.read_text("utf-8").split("\n") if line]
    assert [e["payload"]["edits"] for e in events if e["event"] == "updated"] == [[4]]
    entries = json.loads(printed("registry", path, "--call", "3", "--json"))["entries"]
    mine = [e for e in entries if "/file/src/cart.py" in e["context_id"]]
    assert [e["message"] for e in mine] == [2, 4]
    assert after in printed("resolve", path, mine[-1]["context_id"], "--call", "3")
    off = windows(path, tmp_path / "w.jsonl", *compacted, "--set", "edited_files=false")
    assert 2 not in texts(off[3])


def test_that_a_file_read_again_is_a_difference_beside_its_first_version(tmp_path: Path) -> None:
    newer = OLD.replace("line 100\n", "line one hundred\n")
    path = chat(tmp_path / "s.jsonl", ([READ, TEST], [OLD, "1 passed"]), ([READ], [newer]), ([TEST], ["1 passed"]))
    found = windows(path, tmp_path / "w.jsonl", "--compact", "4:0.9", "--set", "protect_first_n=0")
    last = texts(found[3])
    assert last[2] == OLD
    assert last[5].startswith("[a newer version of message #2, as the difference from it]\n")
    assert "+line one hundred" in last[5]
    assert len(last[5]) < 300


def test_that_a_symbol_has_an_address_and_is_resolved_alone(tmp_path: Path) -> None:
    symbol = ("find_symbol", {"name_path": "price", "relative_path": "src/cart.py"})
    path = chat(tmp_path / "s.jsonl", ([READ], [CODE]), ([symbol], ["def price(cart):\n    return 1"]))
    entries = json.loads(printed("registry", path, "--json"))["entries"]
    found = next(e for e in entries if e["scope"] == "symbol")
    assert "#price" in found["context_id"]
    said = printed("resolve", path, found["context_id"])
    assert "return 1" in said
    assert "return 2" not in said


def test_that_breakpoints_and_injection_are_printed_and_sent(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.json", exchanges=30)
    found = json.loads(printed("replay", path, "--profile", "tight-32k", "--json"))
    assert all(len(call["breakpoints"]) <= 4 for call in found["calls"])
    assert max(len(call["breakpoints"]) for call in found["calls"]) > 1
    assert 0 < found["metrics"]["injection"]["ratio"] < 1
    assert found["metrics"]["cost"] > 0
    sent = windows(path, tmp_path / "w.jsonl", "--profile", "tight-32k", "--dialect", "anthropic")
    marks = [json.dumps(request).count('"cache_control"') for request in sent]
    assert 1 <= max(marks) <= 4


def test_that_a_memory_beside_the_session_is_read_by_who_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    path = write_chat(tmp_path / "chat.json", exchanges=30)
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "MEMORY.md").write_text("# Shop\nPrices are in cents.\n", "utf-8")
    read: Act = whole(message(asked("curator_read_memory", {"names": ["MEMORY.md"]})))
    with serving(read, *[whole(message(build([0, 1])))] * 200) as served:
        options = ("--policy", "model", "--endpoint", served.url, "--model", "m", "--key-env", "")
        printed("replay", path, "--profile", "tight-32k", *options)
        answered = json.dumps(served.requests[1], ensure_ascii=False)
    assert "Prices are in cents." in answered


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`((?:acceptance|engine|gui)/[\w/.]+(?:::\w+)?)`",
                                                        PAGE.read_text("utf-8")))))  # fmt: skip
def test_that_every_test_that_the_page_names_is_there(named: str) -> None:
    file, _, name = named.partition("::")
    text = (ROOT / "tests" / file).read_text("utf-8")
    assert not name or re.search(rf"^def {name}\(", text, re.MULTILINE)
