"""Quota gauges of the call under the playhead: every tier against its quota, the whole window against C."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from ravenglass.replay.frame import Frame, TierUse
from ravenglass.rules import TIERS
from ravenglass_gui.state import DebuggerState
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.gauge import TierGauge, WindowGauge
from ravenglass_gui.widgets.live_panel import LivePanel
from ravenglass_gui.widgets.numbers import compact
from ravenglass_gui.widgets.section import SectionTitle

PATH_WORDS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe"}


class QuotaPanel(LivePanel):
    """Follows the playhead; shows, never decides."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "quota", parent)
        self._title = SectionTitle("Quota")
        self._gauges = {tier: TierGauge(tier) for tier in TIERS}
        self._window = WindowGauge()
        self._over = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._over.setProperty("role", "warn")
        self._over.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Its text comes and goes with the playhead: that may not move the docks around it.
        self._over.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._empty = EmptyState()
        gauges = QWidget()
        column = QVBoxLayout(gauges)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for gauge in self._gauges.values():
            column.addWidget(gauge)
        column.addSpacing(4)
        column.addWidget(self._window)
        column.addWidget(self._over, 1)
        self._stack = QStackedLayout()
        self._stack.addWidget(gauges)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addLayout(self._stack)

    @property
    def warning(self) -> str:
        """What is said about tiers over their quota; empty where none is."""
        return self._over.text()

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._title.set_facts("")
            self._empty.say("How full each tier and the whole window are at a call. Open a session to see it.")
            self._stack.setCurrentIndex(1)
            return
        frame = run.frame(call)
        self._title.set_facts(f"{compact(frame.tokens)} of {compact(run.budget.available)} · {PATH_WORDS[frame.path]}")
        for use in frame.tiers:
            self._gauges[use.tier].show_use(use)
        self._window.show_frame(run.budget, frame)
        sentences = over_quota(frame)
        self._over.setText("\n".join(sentences))
        self._over.setToolTip("\n".join(sentences))
        self._stack.setCurrentIndex(0)


def over_quota(frame: Frame) -> list[str]:
    """One sentence for every reason that a tier is over its quota, and one where the window is impossible."""
    over = [use for use in frame.tiers if use.used > use.quota]
    sentences = []
    if frame.impossible:
        sentences.append("⚠ The request alone does not fit into C: this call has no possible window.")
    if over and frame.path == "fast":
        names = ", ".join(f"{use.tier} by {compact(use.used - use.quota)}" for use in over)
        sentences.append(f"⚠ over quota: {names}. Fast path: quotas are shown, not enforced.")
    elif over:
        sentences.extend(f"⚠ {use.tier} over by {compact(use.used - use.quota)}: {_reason(use)}" for use in over)
    return sentences


def _reason(use: TierUse) -> str:
    if use.exempt:
        return f"{compact(use.exempt)} of it is protected or pinned, exempt from the cut."
    return "the request and the newest group are never cut."
