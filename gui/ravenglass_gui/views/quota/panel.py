"""Quota gauges of the call under the playhead: every tier against its quota, the whole window against C."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from ravenglass.replay.frame import Frame, TierUse
from ravenglass.replay.run import Run
from ravenglass.rules import TIERS
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shown import PATHS, is_recorded, kind_word, provider_words, unit
from ravenglass_gui.text.numbers import compact
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.quota.gauge import TierGauge, WindowGauge
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle


class QuotaPanel(LivePanel):
    """Follows the playhead; shows, never decides."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "quota", parent)
        self._title = SectionTitle("Quota")
        self._gauges = {tier: TierGauge(tier) for tier in TIERS}
        self._window = WindowGauge()
        self._over = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self._over.setFont(ui_font(-1))
        self._over.setMinimumHeight(2 * self._over.fontMetrics().lineSpacing())
        self._over.setAlignment(Qt.AlignmentFlag.AlignTop)
        # Its text comes and goes with the playhead: that may not move the docks around it.
        self._over.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        self._provider = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._provider.setProperty("role", "facts")
        self._provider.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._warns = False
        self._empty = EmptyState()
        gauges = QWidget()
        column = QVBoxLayout(gauges)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for gauge in self._gauges.values():
            column.addWidget(gauge)
        column.addSpacing(4)
        column.addWidget(self._window)
        column.addSpacing(3)
        column.addWidget(self._provider)
        column.addWidget(self._over, 1)
        self._stack = QStackedLayout()
        self._stack.addWidget(gauges)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 6)
        layout.setSpacing(4)
        layout.addWidget(self._title)
        layout.addLayout(self._stack)

        state.other_changed.connect(self.invalidate)  # with the recorded run comes the fit

    @property
    def warning(self) -> str:
        """What is said about tiers over their quota; empty where none is."""
        return self._over.text() if self._warns else ""

    @property
    def provider(self) -> str:
        """What is said of the window in the provider's tokens."""
        return self._provider.text()

    def refresh(self) -> None:
        run, call = self.state.run, self.state.call
        if run is None or not call:
            self._title.set_facts("")
            there = "How full each tier and the whole window are at a call appears here"
            self._empty.say(why_empty(self.state, there, lacks="tokens by tier"))
            self._stack.setCurrentIndex(1)
            return
        frame = run.frame(call)
        said = provider_words(run, call)
        used = f"{compact(frame.tokens)} of {compact(run.budget.available)}"
        path = "" if is_recorded(run) else f" · {PATHS[frame.path]}"
        shown = kind_word(run)
        self._title.set_facts(f"{shown}{path} · {used}", f"{shown} · {used}")
        self._provider.setText(said.short)
        self._provider.setToolTip(f"Bars and numbers above are {unit(run)}.\n{said.tip}")
        for use in frame.tiers:
            self._gauges[use.tier].show_use(use)
        self._window.show_frame(run.budget, frame)
        sentences = [compared(run)] if is_recorded(run) else over_quota(frame)
        recorded = is_recorded(run)
        self._warns = bool(sentences) and not recorded
        self._over.setText("\n".join(sentences or [room(run, call)]))
        self._over.setToolTip(self._over.text())
        self.restyle()
        self._stack.setCurrentIndex(0)

    def restyle(self) -> None:
        self._over.setStyleSheet(f"color: {colours().warn if self._warns else colours().dim};")


def compared(run: Run) -> str:
    """What bars against quotas mean where no quota had a part in the window."""
    return f"Compared with the quotas of {run.profile.name}; none of them was enforced."


def room(run: Run, call: int) -> str:
    """How much room the call leaves, where nothing is over."""
    frame, budget = run.frame(call), run.budget
    free = f"{compact(budget.available - frame.tokens)} of C are free."
    if frame.path != "fast":
        return f"Packed into the trim target of {compact(budget.target)}; {free}"
    later = next((n for n in range(call + 1, run.calls + 1) if run.paths[n - 1] != "fast"), None)
    when = f"the next slow path is at call {later:,}" if later else "no slow path follows"
    return f"{compact(budget.threshold - frame.history_tokens)} below the threshold; {when}. {free}"


def over_quota(frame: Frame) -> list[str]:
    """One sentence for every reason that a tier is over its quota, and one where the window is impossible."""
    over = [use for use in frame.tiers if use.used > use.quota]
    sentences = []
    if frame.impossible:
        sentences.append("⚠ The request alone does not fit into C: this call has no possible window.")
    if over and frame.path == "fast":
        names = ", ".join(f"{use.tier} by {compact(use.used - use.quota)}" for use in over)
        sentences.append(f"⚠ over quota: {names}. Fast path: quotas are shown, not enforced.")
    elif len(over) > 1:
        names = ", ".join(f"{use.tier} by {compact(use.used - use.quota)} ({_short(use)})" for use in over)
        sentences.append(f"⚠ over quota: {names}.")
    elif over:
        sentences.extend(f"⚠ {use.tier} over by {compact(use.used - use.quota)}: {_reason(use)}" for use in over)
    return sentences


def _short(use: TierUse) -> str:
    return f"{compact(use.exempt)} protected or pinned" if use.exempt else "request or newest group"


def _reason(use: TierUse) -> str:
    if use.exempt:
        return f"{compact(use.exempt)} of it is protected or pinned, exempt from the cut."
    return "the request and the newest group are never cut."
