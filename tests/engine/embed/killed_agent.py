"""The agent that the kill test kills: up to 300 calls with pins and notes, gone on with from wherever it was killed.

As a program it takes a folder a line. Each agent is a process of its own, forked when everything is imported; what it
did stands in `windows.jsonl` of its folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path

from ravenglass import Engine
from ravenglass.errors import PlanError
from tests.engine.embed.conversations import MOMENT, Chat, answers, asks, said, small

KEY = "agent:killed"
PROFILE = small(8_000, offload_tokens=300)
CALLS = 300 if os.environ.get("RAVENGLASS_PROOFS") else 70
"""All of them by `make proofs`, some in the suite."""


def script() -> list[Chat]:
    """Everything that is said: reads, edits, a closing answer now and then, a new request behind it."""
    found = [said("system", "Be careful."), said("user", "Fix the shop. Never edit migrations.")]
    for n in range(CALLS):
        path = f"src/part_{n % 23}.py"
        if n % 9 == 8:
            found += [said("assistant", f"{path} is done."), said("user", f"Now look at src/part_{(n * 5) % 23}.py")]
        elif n % 5 == 3:
            found += [
                asks(f"c{n}", "Edit", file_path=path, old_string="pass", new_string=f"return {n}"),
                answers(f"c{n}"),
            ]
        else:
            text = f"def part_{n}():\n    return {n}\n" * (20 + n % 17)
            found += [asks(f"c{n}", "Read", file_path=path), answers(f"c{n}", text)]
    return found


def run(folder: Path) -> None:
    """Do what is left of the script. Before every 40th message something is pinned, noted or let go."""
    said_at = 0
    with Engine(PROFILE, folder / "workspace", session_key=KEY, clock=lambda: MOMENT + said_at) as engine:
        messages = script()
        start = len(engine.messages())
        for said_at in range(start, len(messages)):
            message = messages[said_at]
            if said_at and said_at % 40 == 0:
                change(engine, said_at)
            if message["role"] == "assistant":
                shown = json.dumps(engine.window())
                call = sum(m["role"] == "assistant" for m in messages[:said_at]) + 1
                with (folder / "windows.jsonl").open("a") as file:
                    file.write(json.dumps([call, hashlib.sha256(shown.encode()).hexdigest()]) + "\n")
                engine.record_response(message)
                os.write(1, f"{call}\n".encode())
            else:
                engine.observe(message)


def change(engine: Engine, number: int) -> None:
    """A pin, a note, a pin let go; made twice, where the agent was killed right behind it, it is the same."""
    engine.pin(number - 3)
    if number % 80 == 0:
        engine.unpin(number - 43)
    try:
        engine.note(f"Note {number}: part {number % 23} matters.")
    except PlanError:
        return  # it was made before the agent was killed


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                run(Path(line.rstrip("\n")))
                code = 0
            finally:
                os._exit(code)
        os.write(1, f"pid {child}\n".encode())
        _, status = os.waitpid(child, 0)
        os.write(1, f"end {os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    main()
