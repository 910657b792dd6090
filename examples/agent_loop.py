"""A complete agent: it works on a small shop with tools, and its model sees only what the engine puts into the window.

    python examples/agent_loop.py [--calls 300] [--workspace FOLDER]

Needs the `openai` package (pip install 'ravenglass[model]'). The model is a script behind a local HTTP server
(scripted_model.py), so nothing is sent anywhere; with another `base_url`, key and model name the same loop runs
against any OpenAI-compatible endpoint.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from openai import OpenAI
from scripted_model import serving
from shop import REQUESTS, make_shop, pretend_to_test

from ravenglass import Engine, Profile, RavenglassError

PROFILE = Profile().with_values(name="agent", window=16_000, offload_tokens=600)
"""A model with a window of 16,000 tokens; results of more than 600 tokens shrink to a stub after two calls."""


def tool(name: str, text: str, **parameters: str) -> dict[str, Any]:
    """A tool definition whose parameters are all texts."""
    properties = {key: {"type": "string", "description": value} for key, value in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": schema}}


TOOLS = [
    tool("read_file", "Read a file of the project.", path="Path below the project folder."),
    tool("edit_file", "Replace a text in a file.", path="Path.", old="What stands there.", new="What shall stand."),
    tool("run_tests", "Run the tests and return the report."),
    tool("retrieve", "Bring back what was moved out of the window.", ref="The cxt:// address or archive reference."),
    tool("search", "Search what was moved out of the window.", query="Words to look for."),
]


class Tools:
    """What the model may do. Results are texts; an error is a result too."""

    def __init__(self, project: Path, engine: Engine) -> None:
        self._project = project
        self._engine = engine
        self._run: dict[str, Callable[..., str]] = {
            "read_file": lambda path: (project / path).read_text(encoding="utf-8"),
            "edit_file": self._edit,
            "run_tests": pretend_to_test,
            "retrieve": lambda ref: engine.retrieve(ref).text,
            "search": lambda query: "\n".join(f"{hit.ref}: {hit.snippet}" for hit in engine.search(query, 5)),
        }

    def call(self, name: str, arguments: str) -> str:
        """Run a tool call of the model."""
        try:
            return self._run[name](**json.loads(arguments))
        except (KeyError, TypeError, ValueError, OSError, RavenglassError) as error:
            return f"error: {error}"

    def _edit(self, path: str, old: str, new: str) -> str:
        text = (self._project / path).read_text(encoding="utf-8")
        (self._project / path).write_text(text.replace(old, new, 1), encoding="utf-8")
        return f"edited {path}" if old in text else f"error: {path} does not hold that text"


def run_agent(client: OpenAI, engine: Engine, tools: Tools, requests: Iterator[str], calls: int) -> None:
    """The loop: observe, window, model, response, tools, and again."""
    engine.observe({"role": "system", "content": "You are a careful engineer. Use the tools; be brief."})
    engine.observe({"role": "user", "content": next(requests)})
    for _ in range(calls):
        answer = client.chat.completions.create(model="scripted", messages=engine.window(), tools=TOOLS)
        message = answer.choices[0].message
        engine.record_response(message, answer.usage)
        for call in message.tool_calls or ():
            result = tools.call(call.function.name, call.function.arguments)
            engine.observe({"role": "tool", "tool_call_id": call.id, "content": result})
        if not message.tool_calls:
            engine.observe({"role": "user", "content": next(requests)})


def main(calls: int, workspace: Path) -> None:
    """Run the agent for some model calls and say what the engine did."""
    with tempfile.TemporaryDirectory() as folder, serving(PROFILE.window) as server:
        project = make_shop(Path(folder))
        client = OpenAI(base_url=server.url, api_key="none", max_retries=0)
        with Engine(PROFILE, workspace, tools=TOOLS) as engine:
            run_agent(client, engine, Tools(project, engine), iter(REQUESTS * calls), calls)
            run = engine.run()
            found = run.metrics
            print(f"{found.calls} calls, {found.slow} of them decided anew what the model sees")
            print(f"window: mean {found.mean_tokens:,.0f}, peak {found.peak_tokens:,} of C = {run.budget.available:,}")
            print(f"left the window: {found.evictions} messages, archived {found.archived}; {found.regrets} regrets")
            print(f"open it: ravenglass {engine.session_file}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    options.add_argument("--calls", type=int, default=300)
    options.add_argument("--workspace", type=Path, default=Path("agent-workspace"))
    given = options.parse_args()
    main(given.calls, given.workspace)
