"""The small agents of the examples: each run twice, with two sub-agents in the same workspace."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ravenglass import open_session
from ravenglass.embed.files.layout import session_file


def example(root: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, root / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Model:
    """A script: the main agent has two others read a file each, then answers; those read and answer."""

    def __init__(self, provider: str, file: Path) -> None:
        self.provider = provider
        self.file = file
        self.asked: list[Any] = []
        self._made = 0

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        words = json.dumps(body["messages"][-1])
        if "Do everything" in words:
            parts = [("delegate", {"name": name, "task": f"Read part {name}"}) for name in ("one", "two")]
            return self.calls(parts)
        if "Read part" in words:
            return self.calls([("read", {"path": str(self.file)})])
        return self.says("Done: " + ("the file" if "in the file" in words else "both"))

    def calls(self, parts: list[tuple[str, dict[str, str]]]) -> dict[str, Any]:
        self._made += 1
        ids = [f"t{self._made}-{n}" for n in range(len(parts))]
        if self.provider == "anthropic":
            blocks = [
                {"type": "tool_use", "id": i, "name": n, "input": a} for i, (n, a) in zip(ids, parts, strict=True)
            ]
            return self.message(blocks)
        made = [
            {"id": i, "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for i, (n, a) in zip(ids, parts, strict=True)
        ]
        return self.choice({"role": "assistant", "content": None, "tool_calls": made})

    def says(self, words: str) -> dict[str, Any]:
        if self.provider == "anthropic":
            return self.message([{"type": "text", "text": words}])
        return self.choice({"role": "assistant", "content": words})

    @staticmethod
    def message(blocks: list[dict[str, Any]]) -> dict[str, Any]:
        usage = {"input_tokens": 100, "output_tokens": 9}
        return {"type": "message", "role": "assistant", "content": blocks, "usage": usage, "stop_reason": "end_turn"}

    @staticmethod
    def choice(message: dict[str, Any]) -> dict[str, Any]:
        return {"object": "chat.completion", "choices": [{"message": message}], "usage": {"prompt_tokens": 100}}


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_that_an_agent_of_sixty_lines_runs_twice_with_two_sub_agents(root: Path, tmp_path: Path, provider: str) -> None:
    agent = example(root, f"{provider}_agent")
    (tmp_path / "part.txt").write_text("What stands in the file.")
    model = Model(provider, tmp_path / "part.txt")
    for _ in range(2):
        assert agent.agent("Do everything", model, tmp_path / "w", "agent:main") == "Done: both"
    for key, count in (("agent:main", 1 + 2 * 5), ("agent:main-one", 1 + 2 * 4), ("agent:main-two", 1 + 2 * 4)):
        session = open_session(session_file(tmp_path / "w", key))
        assert len(session.messages) == count
        assert session.damage == ()
        assert all(m.usage is not None and m.usage.context == 100 for m in session.messages if m.role == "assistant")
    assert "system" in model.asked[-1] or model.asked[-1]["messages"][0]["role"] == "system"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_that_the_example_is_small(root: Path, provider: str) -> None:
    source = (root / "examples" / f"{provider}_agent.py").read_text(encoding="utf-8")
    code = source.partition('if __name__ == "__main__"')[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 60
