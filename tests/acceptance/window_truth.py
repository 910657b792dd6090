"""What a window is checked against: the session file as this reads it, and what the command line gave for it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.acceptance.recount import ROOT, count
from tests.acceptance.source_records import Recorded, Source, read

Json = dict[str, Any]
PRESETS = ("default", "tight-32k", "strict-quota")
OVERHEAD, IMAGE, PROTECTED_EXCHANGES, PROTECTED_CAP = 4, 1_600, 3, 0.5
SUMMARY_TOKENS = 2_000
SUMMARY = "# Summary of the earlier conversation\n"
PARTS = (
    "Request and intent", "Key concepts", "Files and code", "Errors and fixes", "Problem solving", "All user messages",
    "Pending tasks", "Current work", "Next step",
)  # fmt: skip
STATE = "# Curator Working State\n"
OPENING = "[the earlier conversation is not in this window]"
MARKS = (
    "moved out of the window; retrieve cxt://",
    "characters cut to fit; retrieve cxt://",
    "[the same content as message #",
    "[a newer version of message #",
    "[this file as the edit in message #",
    "[result of a tool call that is not in the record",
)


@dataclass(frozen=True)
class Replayed:
    """What the command line gave for one file and profile."""

    summary: Json
    windows: list[Json]

    @property
    def available(self) -> int:
        budget = self.summary["budget"]
        available = budget["window"] - budget["output_reserve"] - budget["system"] - budget["safety"]
        assert isinstance(available, int)
        return available


Execute = Callable[[list[str]], str]
"""Runs the command line with these arguments and gives what it printed; raises RuntimeError if it fails."""


def execute(arguments: list[str]) -> str:
    """In a process of its own, as a person does."""
    done = subprocess.run([sys.executable, "-m", "ravenglass", *arguments], capture_output=True, cwd=ROOT, check=False)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def replayed(path: Path, folder: Path, *options: str, execute: Execute = execute) -> Replayed:
    """Run the command line on a file."""
    printed, lines = _run(path, folder, *options, execute=execute)
    return Replayed(json.loads(printed), [json.loads(line) for line in lines])


def _run(path: Path, folder: Path, *options: str, execute: Execute) -> tuple[str, list[bytes]]:
    out = folder / "windows.jsonl"
    printed = execute(["replay", str(path), "--windows", str(out), "--force", "--json", *options])
    return printed, [line for line in out.read_bytes().split(b"\n") if line]


class Truth:
    """What a file says, and what its messages cost whole: read once, compared with every profile's windows."""

    def __init__(self, path: Path, folder: Path, execute: Execute = execute) -> None:
        self.path = path
        self.source: Source = read(path)
        # A window that holds everything: the last one has every message as it stands when nothing is left out.
        lines = _run(path, folder, "--set", "window=4000000", execute=execute)[1]
        whole = json.loads(lines[-1])["messages"] if lines else []
        self.messages, self.order = _numbered(self.source.messages)
        self.whole = {m["id"]: m for m in whole if m["id"] is not None}

    @cached_property
    def calls(self) -> list[int]:
        """Id of the message that each call produced."""
        return [m for m, message in enumerate(self.messages) if message.is_call]

    @cached_property
    def groups(self) -> list[tuple[int, ...]]:
        """Messages that stand or go together."""
        together: dict[int, list[int]] = {}
        answers = _pairs(self.messages)
        for m in range(len(self.messages)):
            together.setdefault(answers.get(m, m), []).append(m)
        return sorted(tuple(group) for group in together.values())

    @cached_property
    def group_of(self) -> dict[int, tuple[int, ...]]:
        return {m: group for group in self.groups for m in group}

    def raw(self, message: int) -> bytes:
        return self.source.raw(self.order[message])

    def size(self, message: int) -> int:
        """Tokens of a message that is in the window whole."""
        return tokens_of(self.whole[message], self.messages[message].images)

    def known(self, call: int) -> int:
        """A call sees the messages with an id below this."""
        return self.calls[call - 1]


def _numbered(messages: tuple[Recorded, ...]) -> tuple[list[Recorded], list[int]]:
    """Results that stand before their call are moved behind it; (messages, their places in the file)."""
    early = {m: holder for m, holder in _pairs(messages).items() if m < holder}
    order = []
    for m in range(len(messages)):
        if m not in early:
            order += [m, *sorted(e for e, holder in early.items() if holder == m)]
    return [messages[m] for m in order], order


def _pairs(messages: tuple[Recorded, ...] | list[Recorded]) -> dict[int, int]:
    """Result -> the message whose call it answers, the nearest one before it first."""
    answers: dict[int, int] = {}
    waiting: dict[str, list[int]] = {}
    results = [m for m, message in enumerate(messages) if message.role == "tool" and message.answers]
    for m, message in enumerate(messages):
        for call_id, _ in message.calls:
            waiting.setdefault(call_id, []).append(m)
        call_id = message.answers or ""
        if message.role == "tool" and waiting.get(call_id):
            answers[m] = waiting[call_id].pop()
    holders = {call_id: m for m, message in enumerate(messages) for call_id, _ in message.calls}
    for m in results:
        call_id = messages[m].answers or ""
        if m not in answers:
            later = next((h for h in waiting.get(call_id, []) if h > m), None)
            if later is not None:
                waiting[call_id].remove(later)
            before = [h for h, x in enumerate(messages[:m]) if call_id in {i for i, _ in x.calls}]
            holder = later if later is not None else before[-1] if before else holders.get(call_id)
            if holder is not None:
                answers[m] = holder
    return answers


def tokens_of(message: Json, images: int) -> int:
    """Tokens of a block of a window: text, reasoning, names and arguments of calls, frame, images."""
    content = message["content"]
    total = OVERHEAD + count(content) + count(message.get("reasoning_content", ""))
    for call in message.get("tool_calls", ()):
        total += count(call["function"]["name"]) + count(call["function"]["arguments"])
    cut = any(mark in content for mark in MARKS[:5])
    return total + (0 if cut else images * IMAGE)
