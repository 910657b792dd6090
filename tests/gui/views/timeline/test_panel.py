"""The timeline: what it draws, and the mouse."""

from __future__ import annotations

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ravenglass.presets import load
from ravenglass.replay import Run, replay
from ravenglass.replay.bulk import RunPart
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.theme.apply import set_theme
from ravenglass_gui.theme.palette import DARK, LIGHT, Palette, colours
from ravenglass_gui.views.timeline.canvas import PlotScale, steps
from ravenglass_gui.views.timeline.panel import TimelinePanel
from ravenglass_gui.views.timeline.series import series
from ravenglass_gui.views.timeline.view import MIN_SPAN, TimelineView
from tests.gui.replayed import Shown


@pytest.fixture
def panel(loaded: DebuggerState, show: Shown[TimelinePanel]) -> TimelinePanel:
    return show(TimelinePanel(loaded), 1000, 290)


def at(view: TimelineView, call: float) -> QPoint:
    """The pixel of a call, in the middle of the plot."""
    box = view._tokens.vb
    scene = box.mapViewToScene(QPointF(call, 0))
    return QPoint(round(scene.x()), round(box.sceneBoundingRect().center().y()))


def drag(view: TimelineView, path: list[QPoint], modifiers: Qt.KeyboardModifier) -> None:
    kinds = (QMouseEvent.Type.MouseButtonPress, *[QMouseEvent.Type.MouseMove] * (len(path) - 1))
    left = Qt.MouseButton.LeftButton
    for kind, point in zip(kinds, path, strict=True):
        QApplication.sendEvent(
            view.viewport(), QMouseEvent(kind, QPointF(point), QPointF(point), left, left, modifiers)
        )
    end = QPointF(path[-1])
    release = QMouseEvent(QMouseEvent.Type.MouseButtonRelease, end, end, left, Qt.MouseButton.NoButton, modifiers)
    QApplication.sendEvent(view.viewport(), release)


def wheel(view: TimelineView, point: QPoint, steps: int) -> None:
    where = QPointF(point)
    event = QWheelEvent(
        where,
        where,
        QPoint(),
        QPoint(0, 120 * steps),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view.viewport(), event)


def test_that_a_click_moves_the_playhead_to_that_call(panel: TimelinePanel, loaded: DebuggerState) -> None:
    for call in (1, 17, 42, 60):
        drag(panel.view, [at(panel.view, call)], Qt.KeyboardModifier.NoModifier)
        assert loaded.call == call


def test_that_a_drag_scrubs_and_ends_where_it_was_let_go(
    qtbot: QtBot, panel: TimelinePanel, loaded: DebuggerState
) -> None:
    seen: list[int] = []
    loaded.call_changed.connect(seen.append)
    path = [at(panel.view, call) for call in range(5, 50)]
    drag(panel.view, path, Qt.KeyboardModifier.NoModifier)
    assert loaded.call == 49
    assert 1 <= len(seen) <= len(path)


def test_that_moves_of_one_frame_are_announced_as_one(
    qtbot: QtBot, panel: TimelinePanel, loaded: DebuggerState
) -> None:
    seen: list[int] = []
    loaded.call_changed.connect(seen.append)
    panel.view._ask(10)
    panel.view._ask(20)
    panel.view._ask(30)
    assert seen == []
    qtbot.waitUntil(lambda: seen == [30], timeout=2_000)


def test_that_a_drag_beyond_the_ends_stays_inside(panel: TimelinePanel, loaded: DebuggerState) -> None:
    drag(panel.view, [at(panel.view, 30), QPoint(-500, 80)], Qt.KeyboardModifier.NoModifier)
    assert loaded.call == 1
    drag(panel.view, [at(panel.view, 30), QPoint(5_000, 80)], Qt.KeyboardModifier.NoModifier)
    assert loaded.call == 60


def test_that_a_shift_drag_zooms_and_a_double_click_shows_everything(
    qtbot: QtBot, panel: TimelinePanel, loaded: DebuggerState
) -> None:
    before = loaded.call
    drag(panel.view, [at(panel.view, 20), at(panel.view, 30), at(panel.view, 40)], Qt.KeyboardModifier.ShiftModifier)
    first, last = panel.view.span
    assert first == pytest.approx(20, abs=0.5)
    assert last == pytest.approx(40, abs=0.5)
    assert loaded.call == before
    qtbot.mouseDClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=at(panel.view, 25))
    assert panel.view.span == (0.5, 60.5)


def test_that_the_wheel_zooms_around_the_pointer_and_not_past_the_ends(panel: TimelinePanel) -> None:
    point = at(panel.view, 30)
    wheel(panel.view, point, 3)
    first, last = panel.view.span
    assert last - first < 60
    assert at(panel.view, 30).x() == pytest.approx(point.x(), abs=2)
    wheel(panel.view, point, 60)
    assert panel.view.span[1] - panel.view.span[0] == pytest.approx(MIN_SPAN)
    wheel(panel.view, point, -80)
    assert panel.view.span == (0.5, 60.5)


def test_that_a_playhead_out_of_sight_is_scrolled_to(panel: TimelinePanel, loaded: DebuggerState) -> None:
    loaded.set_call(5)
    panel.view.zoom(0.2)
    loaded.set_call(55)
    assert panel.view.span[0] <= 55 <= panel.view.span[1]


def test_that_a_zoom_survives_a_replay_of_the_same_session(
    panel: TimelinePanel, loaded: DebuggerState, run: Run
) -> None:
    panel.view.zoom(0.3, 30)
    before = panel.view.span
    loaded.set_run(replay(run.session, load("strict-quota")))
    assert panel.view.span == before


def test_that_every_tier_is_drawn_in_its_colour_in_both_themes(panel: TimelinePanel, loaded: DebuggerState) -> None:
    for palette, name in ((DARK, "dark"), (LIGHT, "light")):
        set_theme("dark" if name == "dark" else "light")
        QApplication.processEvents()
        assert colours() is palette
        seen = seen_in(panel)
        blend = tier_on_panel(palette, "task")
        assert any(close(colour, blend) for colour in seen)
        assert palette.panel in seen


def tier_on_panel(palette: Palette, tier: str) -> QColor:
    """The tier's colour as the area is drawn: 78 % over the panel."""
    ink, ground = QColor(palette.tier(tier)), QColor(palette.panel)
    mix = [round(a * 0.78 + b * 0.22) for a, b in zip(ink.getRgb()[:3], ground.getRgb()[:3], strict=True)]  # type: ignore[index]
    return QColor(*mix)


def seen_in(panel: TimelinePanel) -> set[str]:
    image: QImage = panel.view.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 2)}


def close(name: str, wanted: QColor) -> bool:
    got = QColor(name)
    return all(abs(a - b) <= 4 for a, b in zip(got.getRgb()[:3], wanted.getRgb()[:3], strict=True))  # type: ignore[index]


def test_that_no_label_stands_over_the_areas(panel: TimelinePanel) -> None:
    plot = panel.view._tokens.vb.sceneBoundingRect()
    assert panel.view._right.mapToScene(6.0, 0.0).x() >= plot.right()
    labels = [label.text for label in panel.view._limit_labels(colours())]
    assert labels == ["C 21.0k", "threshold 12.6k", "target 9.4k"]


def test_that_hovering_tells_the_numbers_of_the_call(
    qtbot: QtBot, panel: TimelinePanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    class Tips:
        @staticmethod
        def showText(where: QPoint, text: str, widget: object) -> None:  # noqa: ARG004
            told.append(text)

    monkeypatch.setattr("ravenglass_gui.views.timeline.view.QToolTip", Tips)
    point = QPointF(at(panel.view, 12))
    panel.view._hover(point, 12.2)
    assert told
    assert told[0].startswith("call 12 · turn 2")


def test_that_twenty_thousand_calls_are_drawn_with_one_step_a_pixel(qtbot: QtBot) -> None:
    rng = np.random.default_rng(1)
    stack = np.cumsum(rng.integers(0, 5_000, (4, 20_000)), axis=0)
    edges, tops = steps(stack, PlotScale(0.5, 20_000.5, 0, 100_000, 800, 200))
    assert tops.shape == (4, 800)
    assert (edges[0], edges[-1]) == (0, 800)
    assert tops.max() == stack.max()
    assert (np.diff(tops, axis=0) >= 0).all()


def test_that_zoomed_in_every_call_has_its_own_step(run: Run) -> None:
    arranged = series(run)
    edges, tops = steps(arranged.stack, PlotScale(0.5, 60.5, 0, 30_000, 600, 200))
    assert np.allclose(edges, np.arange(61) * 10)
    assert (tops == arranged.stack).all()


@pytest.mark.parametrize("session_there", [False, True])
def test_that_an_empty_timeline_says_how_to_fill_it(
    state: DebuggerState, show: Shown[TimelinePanel], run: Run, session_there: bool
) -> None:
    panel = show(TimelinePanel(state))
    if session_there:
        state.set_session(run.session)
    assert panel.series is None
    text = panel._empty.sentence()
    assert ("being replayed" if session_there else "Ctrl+O") in text


def test_that_scrubbing_does_not_draw_the_areas_again(
    qtbot: QtBot, panel: TimelinePanel, loaded: DebuggerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[float] = []
    draw = panel.view._areas.draw
    assert draw is not None

    def counted(*arguments: object) -> None:
        drawn.append(time.monotonic())
        draw(*arguments)  # type: ignore[arg-type]

    panel.view._areas.draw = counted
    panel.view._areas.refresh()
    QApplication.processEvents()
    for call in range(1, 40):
        loaded.set_call(call)
        QApplication.processEvents()
    assert len(drawn) == 1


def pixels(view: TimelineView) -> QImage:
    QApplication.processEvents()
    taken: QImage = view.grab().toImage()
    return taken


def columns(view: TimelineView, one: QImage, other: QImage) -> set[int]:
    """Calls in whose column of the plot two pictures differ."""
    rect = view._tokens.vb.sceneBoundingRect().toRect()
    calls = range(1, view._series.calls + 1 if view._series else 1)
    found = set()
    for call in calls:
        x = at(view, call).x()
        if any(one.pixel(x, y) != other.pixel(x, y) for y in range(rect.top() + 1, rect.bottom())):
            found.add(call)
    return found


def test_that_a_run_that_is_being_made_is_drawn_over_the_one_it_takes_the_place_of(
    panel: TimelinePanel, loaded: DebuggerState, run: Run
) -> None:
    other = replay(run.session, run.profile.with_values(trim_target=0.2))
    differ = {c for c in range(1, 41) if other.window_tokens[c - 1] != run.window_tokens[c - 1]}
    assert differ
    before = pixels(panel.view)
    loaded.set_part(RunPart(40, other.budget, {tier: tokens[:40] for tier, tokens in other.tier_tokens.items()}))
    during = pixels(panel.view)
    assert differ <= columns(panel.view, before, during)
    assert set(range(42, run.calls)) <= columns(panel.view, before, during), "the run before is pale behind it"
    assert panel._title.facts == f"being replayed · 40 of {run.calls:,} calls"
    assert panel.view._described(panel.series, 3).endswith("of the run before; the new one is at call 40")  # type: ignore[arg-type]
    loaded.set_part(None)
    assert pixels(panel.view) == before
    assert "being replayed" not in panel._title.facts


def test_that_a_part_of_another_length_is_not_drawn(panel: TimelinePanel, loaded: DebuggerState) -> None:
    loaded.set_part(None)
    run = loaded.run
    assert run is not None
    before = pixels(panel.view)
    loaded.set_part(RunPart(run.calls + 1, run.budget, {tier: [0] * (run.calls + 1) for tier in run.tier_tokens}))
    assert pixels(panel.view) == before
