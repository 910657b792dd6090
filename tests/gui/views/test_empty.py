"""A session without a model response: every panel says so in a sentence instead of showing nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.views.archive.panel import ArchivePanel
from ravenglass_gui.views.manifest.panel import ManifestPanel
from ravenglass_gui.views.message.panel import MessagePanel
from ravenglass_gui.views.needs.panel import NeedsPanel
from ravenglass_gui.views.quota.panel import QuotaPanel
from ravenglass_gui.views.registry.panel import RegistryPanel
from ravenglass_gui.views.snapshots.panel import SnapshotsPanel
from ravenglass_gui.views.timeline.panel import TimelinePanel
from ravenglass_gui.views.trace.panel import TracePanel
from ravenglass_gui.views.why.panel import WhyPanel
from ravenglass_gui.views.window.panel import WindowPanel
from ravenglass_gui.views.working_state.panel import WorkingStatePanel

PANELS = [
    ArchivePanel,
    ManifestPanel,
    MessagePanel,
    NeedsPanel,
    RegistryPanel,
    SnapshotsPanel,
    TracePanel,
    WhyPanel,
    WindowPanel,
    WorkingStatePanel,
]


@pytest.fixture
def silent(state: DebuggerState, tmp_path: Path) -> DebuggerState:
    """A session with a question that nobody answered."""
    path = tmp_path / "silent.json"
    path.write_text(json.dumps({"messages": [{"role": "user", "content": "hello?"}]}), encoding="utf-8")
    session = open_session(path)
    state.set_session(session)
    state.set_run(replay(session, state.profile))
    return state


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.__name__)
def test_that_a_session_without_a_call_is_explained(panel: Any, silent: DebuggerState, show: Any) -> None:
    shown = show(panel(silent))
    assert silent.call == 0
    assert shown._empty.isVisible()
    assert shown._empty.sentence().endswith(".")


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: panel.__name__)
def test_that_closing_the_session_empties_the_panel(panel: Any, loaded: DebuggerState, show: Any) -> None:
    shown = show(panel(loaded))
    loaded.select(3)
    loaded.set_session(None)
    assert shown._empty.isVisible()


def test_that_a_message_without_a_call_can_still_be_read(silent: DebuggerState, show: Any) -> None:
    shown = show(MessagePanel(silent))
    silent.select(0)
    assert shown.text.view.toPlainText() == "hello?"
    assert shown.title.facts.startswith("verbatim · sha256 ")


@pytest.mark.parametrize("panel", [*PANELS, QuotaPanel, TimelinePanel], ids=lambda panel: panel.__name__)
def test_that_a_session_without_a_message_is_not_told_to_open_one(
    panel: Any, state: DebuggerState, show: Any, tmp_path: Path
) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(json.dumps({"_type": "metadata", "key": "cli:1"}) + "\n", encoding="utf-8")
    session = open_session(path)
    state.set_session(session)
    state.set_run(replay(session, state.profile))
    shown = show(panel(state))
    sentence = shown._empty.sentence()
    assert "open" not in sentence.lower()
    assert panel is MessagePanel or sentence == ("This session holds no message, so there is no call to look at.")
