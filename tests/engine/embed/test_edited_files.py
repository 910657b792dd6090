"""Inside an agent, too, a file that was read and edited since stands as the edits left it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass import Engine
from ravenglass.replay.frame import Window
from tests.engine.embed.conversations import MOMENT, answers, asks, replayed, said
from tests.engine.scheduler.views import plain

OLD = "one\ntwo\nthree"


def read_again(window: Window) -> str:
    return next((m.text for m in window.messages if m.id == 2), "")


@pytest.mark.rule("5.25")
def test_that_a_running_engine_learns_of_every_edit(tmp_path: Path) -> None:
    with Engine(plain(20_000), tmp_path, session_key="a:b", clock=lambda: MOMENT) as engine:
        engine.observe(said("user", "go"))
        engine.decide()
        now = OLD
        steps = [("r", "Read", {}, OLD), ("x", "Bash", {"command": "ls"}, "a.py")]
        for number, word in enumerate(("one", "two"), start=1):
            steps.append((f"e{number}", "Edit", {"old_string": word, "new_string": word.upper()}, "ok"))
            steps.append((f"y{number}", "Bash", {"command": "ls"}, "a.py"))
        for call_id, name, arguments, answer in steps:
            given = arguments if name == "Bash" else {"file_path": "a.py", **arguments}
            engine.record_response(asks(call_id, name, **given))
            engine.observe(answers(call_id, answer))
            if name == "Edit":
                now = now.replace(str(arguments["old_string"]), str(arguments["new_string"]))
            made = engine.compact(0.9)
            if name == "Bash" and call_id != "x":
                assert read_again(made).endswith(now)
        engine.record_response(said("assistant", "Done."))
        mine, again = engine.run(), replayed(engine)
        assert [mine.window(n) for n in range(1, mine.calls + 1)] == [
            again.window(n) for n in range(1, again.calls + 1)
        ]
        assert "ONE\nTWO\nthree" in read_again(mine.window(mine.calls))
