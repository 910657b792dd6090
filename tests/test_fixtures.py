"""The bundled demo session: made by its script, true to the format, and rich enough to show what trimming does."""

from __future__ import annotations

import ast
import importlib
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ravenglass.sessions import open_session

FIXTURES = Path(__file__).parents[1] / "fixtures"
DEMO = FIXTURES / "demo"
MAIN = next(DEMO.glob("*.jsonl"))
CHINESE = re.compile(r"[\u4e00-\u9fff]{4}")
Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


@pytest.fixture(scope="module")
def main() -> list[Record]:
    return records(MAIN)


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FIXTURES))
    return importlib.import_module("make_demo")


def blocks(record: Record) -> list[Record]:
    """Content of a message as blocks; nothing for a record that is no message."""
    content = record.get("message", {}).get("content", [])
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def of_type(main: list[Record], kind: str) -> Iterator[tuple[Record, Record]]:
    for record in main:
        for block in blocks(record):
            if block["type"] == kind:
                yield record, block


def prompts(main: list[Record]) -> list[str]:
    texts = [
        "\n".join(block.get("text", "") for block in blocks(record)) for record in main if record["type"] == "user"
    ]
    return [text for text in texts if text and not text.startswith("[Request interrupted")]


def calls(main: list[Record]) -> list[Record]:
    """The last record of every API message, in file order: the one whose usage is complete."""
    last = {record["message"]["id"]: record for record in main if record["type"] == "assistant"}
    return list(last.values())


@pytest.mark.proof
def test_that_the_script_makes_the_committed_files_byte_for_byte(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(FIXTURES / "make_demo.py"), "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(DEMO): path.read_bytes() for path in DEMO.rglob("*") if path.is_file()}
    assert made.keys() == kept.keys()
    assert [str(name) for name in kept if made[name] != kept[name]] == []


def test_that_every_line_is_an_object_and_ends_with_a_line_feed() -> None:
    for path in DEMO.rglob("*.jsonl"):
        data = path.read_bytes()
        assert data.endswith(b"\n")
        assert b"\r" not in data
        assert all(isinstance(json.loads(line), dict) for line in data.split(b"\n")[:-1])


def test_that_the_session_is_long_enough(main: list[Record]) -> None:
    results = sum(1 for _ in of_type(main, "tool_result"))
    assert len(prompts(main)) >= 25
    assert len(calls(main)) >= 250
    assert len(prompts(main)) + len(calls(main)) + results >= 650
    assert 1_500_000 <= MAIN.stat().st_size <= 3_000_000


def test_that_uuids_are_unique_and_every_parent_stands_before_its_child(main: list[Record]) -> None:
    seen: set[str | None] = {None}
    for record in main:
        if "uuid" in record:
            assert record["parentUuid"] in seen
            assert record["uuid"] not in seen
            seen.add(record["uuid"])


def test_that_time_never_runs_backwards_and_has_long_gaps(main: list[Record]) -> None:
    stamps = [record["timestamp"] for record in main if "uuid" in record]
    assert stamps == sorted(stamps)
    session = open_session(MAIN)
    times = [message.ts for message in session.messages if message.ts is not None]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert sum(gap > 300 for gap in gaps) >= 5
    assert sum(gap > 3600 for gap in gaps) >= 2


def test_that_all_calls_are_answered_once_except_the_interrupted_one(main: list[Record]) -> None:
    asked = [block["id"] for _, block in of_type(main, "tool_use")]
    answered = [block["tool_use_id"] for _, block in of_type(main, "tool_result")]
    assert max(Counter(asked).values()) == max(Counter(answered).values()) == 1
    assert set(answered) < set(asked)
    assert len(asked) - len(answered) == 1


def test_that_one_message_holds_parallel_calls_with_results_in_between(main: list[Record]) -> None:
    kinds: dict[str, list[str]] = {}
    for index, record in enumerate(main):
        if record["type"] == "assistant":
            kinds.setdefault(record["message"]["id"], []).append(f"{index}")
    several = [[int(index) for index in found] for found in kinds.values() if len(found) >= 3]
    assert any(later - earlier > 1 for found in several for earlier, later in pairwise(found))


def test_that_the_reported_context_only_grows(main: list[Record]) -> None:
    usages = [record["message"]["usage"] for record in calls(main)]
    context = [
        usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
        for usage in usages
    ]
    assert context == sorted(context)
    assert context[-1] > 250_000
    assert any(usage["cache_read_input_tokens"] == 0 for usage in usages[1:])


def test_that_the_tools_of_a_real_agent_are_used(main: list[Record]) -> None:
    used = Counter(block["name"] for _, block in of_type(main, "tool_use"))
    assert used.keys() >= {"Bash", "Edit", "Glob", "Grep", "Read", "Task", "TodoWrite", "WebFetch", "Write"}
    assert sum(1 for _ in of_type(main, "thinking")) >= 20
    assert sum(1 for _ in of_type(main, "image")) == 1
    assert {"file-history-snapshot", "custom-title", "system"} <= {record["type"] for record in main}


def test_that_user_and_agent_write_english_and_chinese(main: list[Record]) -> None:
    typed = prompts(main)
    said = [block["text"] for record, block in of_type(main, "text") if record["type"] == "assistant"]
    for texts in (typed, said):
        assert 5 < sum(bool(CHINESE.search(text)) for text in texts) < len(texts) - 5


@pytest.mark.parametrize(
    "decision",
    ["invoice ids stay strings because the export job parses them", "never touch migrations/|绝对不要碰 `migrations/`"],
)
def test_that_early_decisions_are_needed_late(main: list[Record], decision: str) -> None:
    number, found = 0, []
    seen: set[str] = set()
    for record in main:
        if record["type"] == "assistant" and record["message"]["id"] not in seen:
            seen.add(record["message"]["id"])
            number += 1
        words = " ".join(block.get("text", "") + block.get("thinking", "") for block in blocks(record))
        if re.search(decision, words, re.IGNORECASE):
            found.append(number)
    assert found[0] <= 24
    assert found[-1] >= 200


def test_that_a_read_after_an_edit_shows_the_edit(main: list[Record]) -> None:
    inputs = {block["id"]: block for _, block in of_type(main, "tool_use")}
    pending: dict[str, str] = {}
    checked = 0
    for record, block in of_type(main, "tool_result"):
        use = inputs[block["tool_use_id"]]
        path = use["input"].get("file_path", "")
        if use["name"] == "Edit":
            pending[path] = use["input"]["new_string"]
        elif use["name"] == "Bash" and re.search(r"<<|mv |sed -i|move_names", use["input"]["command"]):
            pending.clear()  # may have written files as well
        elif use["name"] == "Read" and "limit" not in use["input"] and path in pending:
            assert pending[path] in record["toolUseResult"]["file"]["content"] + "\n"
            checked += 1
    assert checked >= 3


def test_that_files_are_read_again_in_newer_versions(main: list[Record]) -> None:
    contents: dict[tuple[str, int], set[str]] = {}
    for record, _ in of_type(main, "tool_result"):
        value = record["toolUseResult"]
        if isinstance(value, dict) and isinstance(value.get("file"), dict):
            file = value["file"]
            contents.setdefault((file["filePath"], file["startLine"]), set()).add(file["content"])
    assert sum(len(versions) > 1 for versions in contents.values()) >= 5


def test_that_sub_agents_stand_beside_the_session_and_only_their_report_is_in_it(main: list[Record]) -> None:
    own = {record.get("uuid") for record in main}
    started = {block["id"]: block["input"] for _, block in of_type(main, "tool_use") if block["name"] == "Task"}
    metas = sorted((DEMO / MAIN.stem / "subagents").glob("*.meta.json"))
    assert len(metas) == len(started) == 2
    for path in metas:
        child = records(path.with_name(path.name.replace(".meta.json", ".jsonl")))
        task = started[json.loads(path.read_text(encoding="utf-8"))["toolUseId"]]
        assert blocks(child[0])[0]["text"] == task["prompt"]
        assert not own & {record["uuid"] for record in child}
        assert all(record["isSidechain"] and record["sessionId"] == MAIN.stem for record in child)


def test_that_the_importer_sees_the_same_session(main: list[Record]) -> None:
    session = open_session(MAIN)
    assert session.format == "claude-code"
    assert session.title == "Split billing.py into invoice, ledger and tax"
    assert (session.damage, session.pending, session.warnings, session.markers) == ((), None, (), ())
    assert len(session.structure.calls) == len(calls(main))
    assert sum(message.kind == "prompt" for message in session.messages) == len(prompts(main))
    assert sum(message.role == "tool" for message in session.messages) == sum(1 for _ in of_type(main, "tool_result"))
    assert sum(len(group.unanswered) for group in session.structure.groups) == 1
    tasks = {block["id"] for _, block in of_type(main, "tool_use") if block["name"] == "Task"}
    assert {child.parent_call_id for child in session.children} == tasks


@pytest.mark.proof
def test_that_the_made_up_project_is_python_from_start_to_end(script: ModuleType) -> None:
    project = script.tell().project
    for files in (project.first, project.files):
        for path, text in files.items():
            if path.endswith(".py"):
                ast.parse(text, path)
    assert {path for path in project.first if path.startswith("migrations/")} == {
        path for path in project.files if path.startswith("migrations/")
    }
    assert all(project.first[path] == project.files[path] for path in project.first if path.startswith("migrations/"))


def test_that_every_fixture_has_a_line_saying_what_it_is_for() -> None:
    readme = (FIXTURES / "README.md").read_text(encoding="utf-8")
    missing = [
        path.relative_to(FIXTURES).as_posix()
        for path in DEMO.rglob("*")
        if path.is_file() and f"`{path.relative_to(FIXTURES).as_posix()}`" not in readme
    ]
    assert missing == []
