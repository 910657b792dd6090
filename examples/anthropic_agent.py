"""An agent for Anthropic's Messages API with two sub-agents, made to be started again and again.

    python examples/anthropic_agent.py WORKSPACE

`ask` is all that knows the provider: it sends a request body and gives back what the provider's package answers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ravenglass import Engine, Profile

Json = dict[str, Any]
Ask = Callable[[Json], Any]
PROFILE = Profile().with_values(window=16_000)


def run_tool(name: str, arguments: Json, ask: Ask, workspace: Path, key: str) -> str:
    """Read a file, or have a sub-agent do a part of the work: an agent whose session is in the same workspace."""
    if name == "delegate":
        return agent(arguments["task"], ask, workspace, f"{key}-{arguments['name']}")
    try:
        return Path(arguments["path"]).read_text(encoding="utf-8")
    except OSError as error:
        return f"error: {error}"


def agent(task: str, ask: Ask, workspace: Path, key: str, most: int = 50) -> str:
    """Work on a task until the model answers without a tool call. Started again, it goes on with what is there."""
    with Engine(PROFILE, workspace, session_key=key) as engine:
        engine.observe({"role": "system", "content": "You are a careful engineer. Use the tools; be brief."})
        if engine.open_calls():
            finish_open_calls(engine, ask, workspace, key)
        else:
            engine.observe({"role": "user", "content": task})
        for _ in range(most):
            engine.record_response(ask(engine.request("anthropic")))
            if not engine.open_calls():
                return said(engine.messages()[-1])
            finish_open_calls(engine, ask, workspace, key)
        return "The task was too long."


def said(message: Json) -> str:
    """The text of an answer."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else " ".join(block.get("text", "") for block in content)


def finish_open_calls(engine: Engine, ask: Ask, workspace: Path, key: str) -> None:
    """Run what the model asked for, also what was asked before a crash."""
    for call in engine.open_calls():
        result = run_tool(call["name"], json.loads(call["arguments"]), ask, workspace, key)
        engine.observe(
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": call["id"], "content": result}],
            }
        )


if __name__ == "__main__":
    from anthropic import Anthropic

    tools: Any = []  # tool definitions of `read` and `delegate`
    client = Anthropic()
    print(
        agent(
            "Look at README.md.",
            lambda body: client.messages.create(model="claude", max_tokens=4000, tools=tools, **body),
            Path(sys.argv[1]),
            "agent:main",
        )
    )
