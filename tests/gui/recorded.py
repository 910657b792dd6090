"""Files that an engine leaves: a trace log in the reference implementation's words, and a whole workspace."""

from __future__ import annotations

from pathlib import Path

from ravenglass import Engine
from tests.engine.embed.conversations import Clock, drive
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT
from tests.engine.traces.logs import (
    accepted,
    fallback,
    item,
    line,
    plan,
    request,
    response,
    result,
    start,
    written,
)

KEY = "agent:demo"


def write_log(folder: Path) -> Path:
    """Two turns in a folder: a fast and a slow call, then one that fell to the fail-safe."""
    folder.mkdir(parents=True, exist_ok=True)
    items = [item(0, "user", None, tier="session"), item(1, "assistant", "tool:c1"), item(2, "tool", "tool:c1")]
    state = {"goals": ["修复登录"], "open_threads": [], "decisions": ["no ORM"]}
    written(
        folder / "0001.jsonl",
        start(3, history_tokens=90, threshold_tokens=600),
        line("fast_path", {"path": "fast", "history_tokens": 90, "threshold_tokens": 600}),
        start(4, history_tokens=700, threshold_tokens=600),
        request(1, items),
        response(1, ("curator_update_working_state", state), content="Looking at it."),
        result(1, "curator_update_working_state", state, {"working_state": "x"}),
        result(1, "curator_build_context", plan([0, 2]), {"ok": True, "total_tokens": 100}),
        accepted([0, 1, 2]),
        line("someone_elses_event", {"count": 3}),
    )
    written(
        folder / "0002.jsonl",
        start(6, history_tokens=900),
        request(1, [item(5, "user")]),
        line("slow_path_exception", {"error": "the model is gone"}),
        fallback([5], [5]),
    )
    return folder


def leave_workspace(root: Path, *, rounds: int = 20) -> Path:
    """The workspace of an agent that ran with a small window and archived."""
    with Engine(TIGHT, root, session_key=KEY, clock=Clock()) as engine:
        drive(engine, long_chat(rounds))
    return root
