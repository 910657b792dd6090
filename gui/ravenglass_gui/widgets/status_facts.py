"""The status bar's line: the figures of this call and of the run, each saying in its tooltip what it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from ravenglass.replay.frame import Frame
from ravenglass.replay.run import Run
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.tokens import theme, tokens
from ravenglass_gui.widgets.numbers import UNKNOWN, amount, compact, duration, percent

PATHS = {"fast": "fast path", "slow": "slow path", "fail_safe": "fail-safe"}
_FACTS = ("path", "window", "cache", "cost", "recall", "regrets", "task", "replayed", "simulated")
_TIPS = {
    "path": "The path that this call took.",
    "window": "Tokens of this call's window, of the budget C.",
    "cache": "Share of all tokens sent that the provider's cache could serve, over the whole run.",
    "cost": "Cost of all input tokens of the run, at the profile's prices.",
    "recall": "Share of what responses refer to that their window held.",
    "regrets": "Responses that needed something which only a message outside their window still held.",
    "task": "The task that this call belongs to.",
    "replayed": "How long the last replay took.",
    "simulated": "What is shown is a simulation of this profile on the record, not what the agent really sent.",
}


class StatusFacts(QWidget):
    """Plain labels; the last ones give way when there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: dict[str, QLabel] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 2, 8, 4)
        layout.setSpacing(16)
        for name in _FACTS:
            label = QLabel(textFormat=Qt.TextFormat.PlainText)
            label.setToolTip(_TIPS[name])
            label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
            label.setMinimumWidth(0)
            if name in ("replayed", "simulated"):
                label.setProperty("role", "dim")
            if name == "replayed":
                layout.addStretch()
            layout.addWidget(label)
            self._labels[name] = label
        self._labels["path"].setFont(ui_font(bold=True))
        theme.changed.connect(self._recolour)
        self._alarm: dict[str, str] = {}
        self.show_frame(None, None)

    def text(self, name: str) -> str:
        """What the fact says; empty when it is hidden."""
        return self._labels[name].text()

    def show_frame(self, run: Run | None, frame: Frame | None) -> None:
        """The figures of a call and its run; nothing without a run."""
        facts = _facts(run, frame)
        for name in _FACTS:
            if name != "replayed":
                self._say(name, facts.get(name, ""))
        self._alarm = {
            "path": {"slow": "accent", "fail_safe": "bad"}.get(frame.path, "") if frame else "",
            "regrets": "warn" if run is not None and run.metrics.regrets else "",
            "window": "bad" if frame is not None and frame.impossible else "",
        }
        if run is None:
            self._say("replayed", "")
        self._recolour()

    def show_replayed(self, calls: int, seconds: float | None) -> None:
        """How long the run took; without a time (a picture that must not change) only how many calls."""
        took = f" in {duration(seconds)}" if seconds is not None else ""
        self._say("replayed", f"replayed {amount(calls, 'call')}{took}")

    def _say(self, name: str, text: str) -> None:
        self._labels[name].setText(text)
        self._labels[name].setVisible(bool(text))

    def _recolour(self) -> None:
        t = tokens()
        colours = {"accent": t.accent, "warn": t.warn, "bad": t.bad}
        for name, role in self._alarm.items():
            self._labels[name].setStyleSheet(f"color: {colours[role]};" if role else "")


def _facts(run: Run | None, frame: Frame | None) -> dict[str, str]:
    if run is None:
        return {"path": "no session open"}
    metrics = run.metrics
    branch = f" · {amount(len(run.changes), 'change')} by hand" if run.changes else ""
    facts = {"simulated": f"simulated · {run.profile.name}{branch}"}
    if frame is None:
        return facts | {"path": "no model call"}
    return facts | {
        "path": PATHS[frame.path],
        "window": f"window {compact(frame.tokens)} / {compact(run.budget.available)}",
        "cache": f"cache {percent(metrics.cache_hit)}",
        "cost": f"${metrics.cost:,.2f} at these prices",
        "recall": f"recall {UNKNOWN if metrics.recall is None else f'{metrics.recall:.2f}'}",
        "regrets": amount(metrics.regrets, "regret"),
        "task": f"task {frame.task}",
    }
