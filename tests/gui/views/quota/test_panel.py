"""Quota gauges: the frame's numbers, and a reason for everything over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from ravenglass.replay.frame import Frame, TierUse
from ravenglass.replay.run import Run
from ravenglass.rules import TIERS
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.quota.gauge import TierGauge, WindowGauge
from ravenglass_gui.views.quota.panel import QuotaPanel, over_quota
from tests.gui.replayed import Shown, slow_call


def frame(run: Run, path: str, *uses: TierUse) -> Frame:
    return replace(run.frame(slow_call(run)), path=path, tiers=uses)  # type: ignore[arg-type]


def test_that_gauges_show_the_numbers_of_the_frame(loaded: DebuggerState, run: Run, show: Shown[QuotaPanel]) -> None:
    panel = show(QuotaPanel(loaded), 330, 190)
    for call in (1, slow_call(run), 60):
        loaded.set_call(call)
        for use in run.frame(call).tiers:
            gauge = panel._gauges[use.tier]
            assert gauge.accessibleDescription() == f"{use.used:,} of {use.quota:,} tokens"


@pytest.mark.rule("6.3")
def test_that_what_is_over_on_the_fast_path_is_said_not_to_be_enforced(run: Run) -> None:
    uses = (TierUse("session", 900, 500, 0), TierUse("task", 100, 500, 0))
    assert over_quota(frame(run, "fast", *uses)) == [
        "⚠ over quota: session by 400. Fast path: quotas are shown, not enforced."
    ]


@pytest.mark.rule("3.7")
@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (TierUse("atomic", 10_200, 9_300, 3_100), "⚠ atomic over by 900: 3.1k of it is protected or pinned"),
        (TierUse("task", 600, 500, 0), "⚠ task over by 100: the request and the newest group are never cut"),
    ],
)
def test_that_what_is_over_on_the_slow_path_has_its_reason(run: Run, use: TierUse, reason: str) -> None:
    (sentence,) = over_quota(frame(run, "slow", use))
    assert sentence.startswith(reason)


def test_that_nothing_is_said_where_nothing_is_over(run: Run) -> None:
    assert over_quota(frame(run, "slow", *[TierUse(tier, 10, 10, 0) for tier in TIERS])) == []


def test_that_an_impossible_window_is_said_first(run: Run) -> None:
    made = replace(frame(run, "slow"), impossible=True)
    assert "no possible window" in over_quota(made)[0]


def test_that_a_warning_does_not_change_the_room_the_panel_needs(
    loaded: DebuggerState, show: Shown[QuotaPanel]
) -> None:
    panel = show(QuotaPanel(loaded), 330, 190)
    heights = set()
    for call in range(1, 61):
        loaded.set_call(call)
        heights.add((panel.minimumSizeHint().height(), panel.sizeHint().height()))
    assert len(heights) == 1


def has(widget: QWidget, colour: str) -> bool:
    image = widget.grab().toImage()
    wanted = QColor(colour).rgb()
    return any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


@pytest.mark.rule("3.7")
def test_that_over_one_hundred_percent_is_drawn_past_the_end(show: Shown[TierGauge]) -> None:
    gauge = show(TierGauge("global"), 330, 22)
    gauge.show_use(TierUse("global", 100, 100, 0))
    assert not has(gauge, colours().warn)
    gauge.show_use(TierUse("global", 115, 100, 0))
    assert has(gauge, colours().warn)
    assert "over by 15" in gauge.toolTip()


def test_that_a_quota_of_nothing_is_no_division(show: Shown[TierGauge]) -> None:
    gauge = show(TierGauge("global"), 330, 22)
    for used in (0, 5):
        gauge.show_use(TierUse("global", used, 0, 0))
        assert not gauge.grab().isNull()


def test_that_the_window_gauge_names_its_reserves(run: Run, show: Shown[WindowGauge]) -> None:
    gauge = show(WindowGauge(), 330, 30)
    gauge.show_frame(run.budget, run.frame(60))
    for text in ("O  6,400", "S  3,000", "B  1,600", "C = 21,000", "the profile's figure"):
        assert text in gauge.toolTip()


def test_that_without_a_session_the_panel_says_how_to_get_one(state: DebuggerState, show: Shown[QuotaPanel]) -> None:
    panel = show(QuotaPanel(state), 330, 190)
    assert panel._empty.sentence().endswith("appears here once a session is open.")
    assert panel.warning == ""
