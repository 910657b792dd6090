"""A conversation that leaves files, and what it left."""

from __future__ import annotations

from pathlib import Path

from tests.engine.builders import filler
from tests.engine.embed.conversations import Chat, answers, asks, said


def long_chat(rounds: int, tokens: int = 900) -> list[Chat]:
    """Rounds of a tool call with a large result, after a request; enough of them fill any window."""
    found = [said("user", "Find the KeyError in src/app.py. You must not touch migrations/.")]
    for n in range(rounds):
        found += [asks(f"c{n}", file_path=f"src/f{n}.py"), answers(f"c{n}", f"file {n}\n{filler(tokens)}")]
    return [*found, said("assistant", "Done.")]


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
