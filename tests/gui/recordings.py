"""Writes small recorded sessions for tests of the desktop, in OpenAI chat form."""

from __future__ import annotations

import json
from pathlib import Path

_REQUESTS = (
    "Please find out why the login test fails in tests/test_login.py",
    "修复登录页的重定向，错误码保持不变",
    "Now split the billing module and keep every public name",
)


def write_chat(path: Path, *, exchanges: int, words: int = 160) -> Path:
    """A session of `exchanges` calls, each reading a file whose text is `words` lines long; a prompt every ten."""
    messages: list[dict[str, object]] = []
    for number in range(exchanges):
        if number % 10 == 0:
            messages.append({"role": "user", "content": _REQUESTS[number // 10 % len(_REQUESTS)]})
        call = f"call_{number}"
        arguments = json.dumps({"path": f"billing/part_{number}.py"})
        function = {"name": "read_file", "arguments": arguments}
        messages.append(
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": call, "type": "function", "function": function}],
            }
        )
        text = "\n".join(f"def part_{number}_{line}(value): return value * {line}" for line in range(words))
        messages.append({"role": "tool", "tool_call_id": call, "content": text})
    path.write_text(json.dumps({"messages": messages}, ensure_ascii=False), encoding="utf-8")
    return path
