"""However a session is written while it is followed, the end is the session as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from ravenglass.sessions import open_session
from tests.gui.stores import append, write_chat_lines
from tests.gui.work.follow.looked_at import Open, as_a_whole, calls, messages
from tests.proofs import examples

pytestmark = pytest.mark.usefixtures("unstyled")


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cuts=st.lists(st.integers(1, 700), min_size=1, max_size=8),
    acts=st.lists(st.sampled_from(["scrub", "slider", "end", "nothing"]), min_size=8, max_size=8),
)
def test_that_however_it_is_written_and_looked_at_the_end_is_a_replay_of_the_whole(
    qtbot: QtBot, opened: Open, tmp_path_factory: pytest.TempPathFactory, cuts: list[int], acts: list[str]
) -> None:
    path = write_chat_lines(tmp_path_factory.mktemp("any") / "chat.jsonl", "cli:1", calls=3)
    window = opened(path)
    rest = messages(6, 26, "登录 fix " * 30)
    for cut, act in zip(cuts, acts, strict=False):
        append(path, rest[:cut])
        rest = rest[cut:]
        if act == "scrub":
            window.state.set_call(1)
        elif act == "end":
            window.following.to_end()
        elif act == "slider":
            value = 0.25 + len(rest) % 7 / 100
            window.state.set_profile(window.state.profile.with_values(trim_target=value))
        qtbot.wait(len(rest) % 40)
    append(path, rest)
    calls(qtbot, window, 13)
    qtbot.waitUntil(lambda: not window.bridge.busy, timeout=20_000)
    as_a_whole(window)
    window.close()


_GROWING = (
    "raven/workspace/sessions/**/*.jsonl",
    "claude-code/*.jsonl",
    "codex/*.jsonl",
    "gemini-cli/*.jsonl",
    "openclaw-pi/*.jsonl",
    "nanobot/*.jsonl",
)


@pytest.mark.samples
@pytest.mark.parametrize("pattern", [_GROWING[0], *(pytest.param(p, marks=pytest.mark.proof) for p in _GROWING[1:])])
def test_that_a_recorded_session_of_any_agent_grows_into_what_it_is(
    qtbot: QtBot, opened: Open, samples: Path, tmp_path: Path, pattern: str
) -> None:
    sizes = {path: path.stat().st_size for path in samples.glob(pattern)}
    found = [path for path, size in sizes.items() if 20_000 < size < 1_000_000] or list(sizes)
    if not found:
        pytest.skip(f"no {pattern} among the recorded sessions")
    source = max(found, key=lambda path: sizes[path])
    data = source.read_bytes()
    lines = data.splitlines(keepends=True)
    path = tmp_path / source.name
    kept = max(2, len(lines) // 2)
    path.write_bytes(b"".join(lines[:kept]))
    window = opened(path)
    for _ in range(3):
        append(path, b"".join(lines[kept : kept + len(lines) // 6]))
        kept += len(lines) // 6
        qtbot.wait(150)
    append(path, b"".join(lines[kept:]))
    whole = open_session(path)
    calls(qtbot, window, len(whole.structure.calls))
    qtbot.waitUntil(
        lambda: window.state.root is not None and len(window.state.root.messages) == len(whole.messages), timeout=20_000
    )
    assert window.state.call == window.state.calls
    as_a_whole(window)
