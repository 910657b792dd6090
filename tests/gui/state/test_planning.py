"""A plan filled in by a person: ticks, preview, verdict, and the branch it becomes, in the real window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changes import HandPlan
from ravenglass_gui.shell.main_window import MainWindow
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.planning import Planning, Tick
from ravenglass_gui.views.manifest.model import ManifestColumn, ManifestRole
from ravenglass_gui.views.manifest.plan_bar import PlanBar
from ravenglass_gui.work.replay_bridge import Bridge
from tests.gui.replayed import slow_call

pytestmark = pytest.mark.usefixtures("unstyled")


@pytest.fixture
def window(qtbot: QtBot, state: DebuggerState, chat: Path) -> Iterator[MainWindow]:
    """The main window with a session that gets trimmed, at its first slow path."""
    bridge = Bridge(state, remember=False)
    state.set_profile(load("tight-32k").with_values(offload_after=50))
    made = MainWindow(state, bridge)
    qtbot.addWidget(made)
    made.show()
    with qtbot.waitSignal(bridge.settled, timeout=60_000):
        bridge.open([chat])
    assert state.run is not None
    state.set_call(slow_call(state.run))
    yield made
    bridge.shutdown()


@pytest.fixture
def planning(window: MainWindow) -> Planning:
    assert window.planning.begin()
    return window.planning


def run_of(window: MainWindow) -> SimulatedRun:
    assert window.state.simulated is not None
    return window.state.simulated


def bar(window: MainWindow) -> PlanBar:
    return window.manifest.plan


def submit(qtbot: QtBot, window: MainWindow) -> None:
    """Press the button and wait for the branch."""
    with qtbot.waitSignal(window.state.run_changed, timeout=60_000):
        qtbot.mouseClick(bar(window).submit, Qt.MouseButton.LeftButton)


def free(window: MainWindow, tick: Tick) -> int:
    """A message of a group with this tick."""
    return next(m for m in range(run_of(window).rows(window.state.call)) if window.planning.tick(m) is tick)


def at_the_last(window: MainWindow) -> None:
    """Plan for the last slow path, where not everything fits."""
    run = run_of(window)
    window.state.set_call(max(n for n, path in enumerate(run.paths, 1) if path == "slow"))
    assert window.planning.begin()


def test_that_ticks_are_shown_only_while_a_plan_is_filled_in(window: MainWindow) -> None:
    view = window.manifest.view
    assert view.isColumnHidden(ManifestColumn.TICK)
    assert bar(window).isHidden()
    window.actions_["plan"].trigger()
    assert window.tabs.currentWidget() is window.manifest
    assert not view.isColumnHidden(ManifestColumn.TICK)
    assert view.columnViewportPosition(ManifestColumn.TICK) == 0
    assert not bar(window).isHidden()
    window.planning.cancel()
    assert view.isColumnHidden(ManifestColumn.TICK)
    assert bar(window).isHidden()
    assert window.state.loop is None


def test_that_a_call_on_the_fast_path_asks_for_no_plan(window: MainWindow) -> None:
    window.state.set_call(1)
    window.actions_["plan"].trigger()
    assert not window.planning.active
    assert window.notice.text.startswith("Call 1 takes the fast path")


def test_that_it_begins_with_the_planners_own_plan(window: MainWindow, planning: Planning) -> None:
    run, call = run_of(window), window.state.call
    decision = run.rerun(call).result.decision
    assert decision is not None
    inside = {m for g in decision.include for m in run.inputs.features.groups[g].messages if m < run.rows(call)}
    assert set(planning.messages(Tick.IN, Tick.FIXED)) == inside


def test_that_a_click_or_space_ticks_the_whole_group(qtbot: QtBot, window: MainWindow, planning: Planning) -> None:
    view, model = window.manifest.view, window.manifest.model
    message = free(window, Tick.OUT)
    row = model.row_of(message)
    assert row is not None
    view.scrollTo(model.index(row, ManifestColumn.TICK))
    place = view.visualRect(model.index(row, ManifestColumn.TICK)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    group = run_of(window).session.structure.group_of[message]
    assert planning.tick(message) is Tick.IN
    assert {planning.tick(m) for m in run_of(window).inputs.features.groups[group].messages} == {Tick.IN}
    assert model.index(row, ManifestColumn.TICK).data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert planning.tick(message) is Tick.OUT
    assert model.index(row, ManifestColumn.ID).data(ManifestRole.TICK) is Tick.OUT
    assert not window.navigator.playing


def test_that_space_plays_again_once_the_plan_is_put_away(qtbot: QtBot, window: MainWindow, planning: Planning) -> None:
    planning.cancel()
    window.manifest.view.setFocus()
    qtbot.keyClick(window.manifest.view, Qt.Key.Key_Space)
    assert window.navigator.playing
    window.navigator.stop()


def test_that_what_may_not_be_missing_cannot_be_unticked(qtbot: QtBot, window: MainWindow, planning: Planning) -> None:
    fixed = free(window, Tick.FIXED)
    planning.toggle(fixed)
    qtbot.mouseClick(bar(window).none, Qt.MouseButton.LeftButton)
    assert planning.tick(fixed) is Tick.FIXED
    assert planning.messages(Tick.IN) == []


def test_that_everything_a_filter_shows_is_ticked_at_once(qtbot: QtBot, window: MainWindow, planning: Planning) -> None:
    qtbot.mouseClick(bar(window).none, Qt.MouseButton.LeftButton)
    window.state.set_filter("id:0..9")
    qtbot.mouseClick(bar(window).all, Qt.MouseButton.LeftButton)
    group_of = run_of(window).session.structure.group_of
    wanted = {group_of[m] for m in range(10)}
    assert {group_of[m] for m in planning.messages(Tick.IN)} <= wanted
    assert all(planning.tick(m) in (Tick.IN, Tick.FIXED) for m in range(10))


def test_that_the_total_is_what_the_assembler_counts(qtbot: QtBot, window: MainWindow, planning: Planning) -> None:
    at_the_last(window)
    qtbot.mouseClick(bar(window).all, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: planning.preview is not None and planning.preview.asked > planning.preview.verdict.budget)
    assert planning.preview is not None
    assert f"{planning.preview.asked:,} of {run_of(window).budget.available:,} tokens" in bar(window).total.text()
    assert "over by" in bar(window).total.text()
    assert "would be dropped, lowest score first" in bar(window).effect.text()


@pytest.mark.rule("6.18")
def test_that_an_accepted_plan_becomes_a_branch_and_undo_goes_back(
    qtbot: QtBot, window: MainWindow, planning: Planning
) -> None:
    before, call = run_of(window), window.state.call
    message = free(window, Tick.OUT)
    assert not before.in_window(call, message)
    planning.toggle(message)
    submit(qtbot, window)
    branch = run_of(window)
    (change,) = window.state.changes
    assert isinstance(change, HandPlan)
    assert message in change.include
    assert (branch.in_window(call, message), before.in_window(call, message)) == (True, False)
    assert window.state.call == call
    assert "Accepted: " in bar(window).verdict.text()
    assert not planning.active
    assert bar(window).submit.isHidden() or not bar(window).submit.isVisible()
    assert branch.why(call, message).headline.startswith("It is in because the plan made by hand")
    with qtbot.waitSignal(window.state.run_changed, timeout=60_000):
        window.actions_["undo_change"].trigger()
    assert repr(run_of(window).window(call)) == repr(before.window(call))


def test_that_a_plan_that_became_a_branch_is_put_away_at_once(window: MainWindow, planning: Planning) -> None:
    planning.submit()
    assert not planning.active
    planning.submit()
    assert len(window.state.changes) == 1


def test_that_a_plan_whose_call_was_left_meanwhile_is_not_judged(window: MainWindow, planning: Planning) -> None:
    window.state.stepping_changed.connect(lambda: window.state.set_call(1))
    planning.submit()
    assert not planning.active
    assert planning.verdict is None
    assert window.state.changes == ()


def test_that_a_plan_begins_a_conversation_of_its_own(window: MainWindow) -> None:
    state, planning = window.state, window.planning
    state.step_curator(to=("plan_accepted",))
    stepped = state.loop
    assert planning.begin()
    assert state.loop is not None
    assert state.loop is not stepped
    assert state.loop.events[-1].event == "curator_llm_request"
    planning.set_all(range(run_of(window).rows(state.call)), Tick.OUT)
    fixed = frozenset(planning.messages(Tick.FIXED))
    planning.submit()
    (change,) = state.changes
    assert isinstance(change, HandPlan)
    assert change.include == fixed


def test_that_a_plan_over_the_budget_says_what_was_dropped(
    qtbot: QtBot, window: MainWindow, planning: Planning
) -> None:
    at_the_last(window)
    qtbot.mouseClick(bar(window).all, Qt.MouseButton.LeftButton)
    submit(qtbot, window)
    said = bar(window).verdict.text()
    assert "Dropped to fit the budget, lowest score first: #" in said
    run, call = run_of(window), window.state.call
    assert run.window_tokens[call - 1] <= run.budget.available


@pytest.mark.rule("6.18")
def test_that_a_rejected_plan_says_why_and_can_be_mended(
    qtbot: QtBot, window: MainWindow, planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = window.state
    real = Planning.messages

    def unknown(self: Planning, *ticks: Tick) -> list[int]:
        return [99_999] if Tick.IN in ticks else real(self, *ticks)

    with monkeypatch.context() as patched:
        patched.setattr(Planning, "messages", unknown)
        planning.submit()
    assert planning.active
    said = bar(window).verdict.text()
    assert said.startswith("Rejected: Message ids [99999] are not known at call")
    assert said.endswith("Change the ticks and submit again.")
    assert state.changes == ()
    assert [e.event for e in state.loop.events].count("plan_rejected") == 1 if state.loop else False
    submit(qtbot, window)
    assert "Accepted: " in bar(window).verdict.text()


def test_that_a_plan_that_is_rejected_at_every_step_ends_in_the_fail_safe(
    window: MainWindow, planning: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Planning, "messages", lambda _self, *ticks: [99_999] if Tick.IN in ticks else [])
    for _ in range(window.state.profile.max_steps):
        assert planning.active
        planning.submit()
    assert not planning.active
    assert bar(window).verdict.text().startswith("The fail-safe decided: no accepted plan after 12 steps")
    assert window.state.changes == ()


def test_that_archiving_with_the_plan_goes_into_the_branch(
    qtbot: QtBot, window: MainWindow, planning: Planning
) -> None:
    run, call = run_of(window), window.state.call
    later = next(n for n in range(call + 1, run.calls + 1) if run.paths[n - 1] == "slow")
    window.state.set_call(later)
    assert not planning.active
    assert planning.begin()
    standby = next(
        m
        for m in range(run.rows(later))
        if planning.tick(m) is Tick.OUT and run.row(later - 1, m).state.label == "standby"
    )
    window.state.select(standby)
    window.manifest.actions_on_message.actions["archive"].trigger()
    assert planning.tick(standby) is Tick.ARCHIVE
    assert window.state.changes == ()
    submit(qtbot, window)
    assert run_of(window).row(later, standby).archived
    by_hand = [e for e in run_of(window).events(later) if e.event == "archived" and standby in e.messages]
    assert [e.payload["by"] for e in by_hand] == ["hand"]


def test_that_leaving_the_call_puts_the_plan_away(window: MainWindow, planning: Planning) -> None:
    window.state.set_call(window.state.call + 1)
    assert not planning.active
    assert window.manifest.view.isColumnHidden(ManifestColumn.TICK)


def test_that_step_with_a_person_as_policy_opens_the_plan_and_waits(qtbot: QtBot, window: MainWindow) -> None:
    trace = window.views["trace"]
    window.tabs.setCurrentWidget(trace)
    trace.policy.setCurrentIndex(1)  # type: ignore[attr-defined]
    qtbot.mouseClick(trace.step, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    assert window.planning.active
    assert window.tabs.currentWidget() is window.manifest
    events = len(window.state.loop.events) if window.state.loop else 0
    window.actions_["step"].trigger()
    assert window.state.loop is not None
    assert len(window.state.loop.events) == events
    assert window.notice.text.startswith("The curator waits for your plan")
    window.tabs.setCurrentWidget(trace)
    qtbot.mouseClick(trace.stop, Qt.MouseButton.LeftButton)  # type: ignore[attr-defined]
    assert not window.planning.active


def test_that_the_ticks_are_drawn_in_both_palettes(window: MainWindow, planning: Planning) -> None:
    from ravenglass_gui.theme.apply import set_theme

    view = window.manifest.view
    cell = view.visualRect(view.model().index(0, ManifestColumn.TICK))
    drawn: list[set[str]] = []
    for choice in ("light", "dark"):
        set_theme(choice)
        picture = view.viewport().grab(cell).toImage()
        places = [(x, y) for x in range(picture.width()) for y in range(picture.height())]
        drawn.append({picture.pixelColor(x, y).name() for x, y in places})
    assert all(len(inks) > 1 for inks in drawn)
    assert not drawn[0] & drawn[1]
