"""A session in which every part of the engine has something to decide: prompts, instructions, large results, look-ups,
a skill read again, the same result twice, and files written after they were read."""

from __future__ import annotations

import json
from pathlib import Path

PROMPTS = (
    "Please find out why the login test fails in tests/test_login.py",
    "修复登录页的重定向，错误码保持不变",
    "Now split the billing module and keep every public name",
    "Write down in notes.md what you changed in billing/part_3.py",
)
TURN = 8
"""Exchanges of a turn."""


def _lines(name: str, count: int) -> str:
    return "\n".join(f"def {name}_{line}(value): return value * {line}" for line in range(count))


def _exchange(number: int) -> tuple[str, dict[str, str], str]:
    """Tool, arguments and result."""
    step = number % TURN
    if step == 1:
        return "Read", {"file_path": "skills/deploy/SKILL.md"}, "# Deploy\nAsk before you deploy.\nNever on a Friday."
    if step == 2:
        found = "\n".join(f"billing/part_{number}.py:{line}: value" for line in range(60))
        return "Grep", {"pattern": f"part_{number}"}, found
    if step in (3, 6):
        return "Bash", {"command": "make test"}, _lines("passed", 40)
    if step == 5:
        text = _lines(f"written_{number}", 20)
        return "Write", {"file_path": f"billing/part_{number - 1}.py", "content": text}, "written"
    return "Read", {"file_path": f"billing/part_{number}.py"}, _lines(f"part_{number}", 130 if step == 7 else 30)


def write(path: Path, exchanges: int) -> Path:
    """The session of that many calls, in OpenAI chat form."""
    messages: list[dict[str, object]] = [{"role": "system", "content": "You are a careful engineer. Be brief."}]
    for number in range(exchanges):
        if number % TURN == 0:
            messages.append({"role": "user", "content": PROMPTS[number // TURN % len(PROMPTS)]})
        tool, arguments, result = _exchange(number)
        call = {"id": f"call_{number}", "type": "function"}
        call |= {"function": {"name": tool, "arguments": json.dumps(arguments)}}  # type: ignore[dict-item]
        said = f"I decided to look at step {number}."
        messages.append({"role": "assistant", "content": said, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": result})
    path.write_text(json.dumps({"messages": messages}, ensure_ascii=False), encoding="utf-8")
    return path
