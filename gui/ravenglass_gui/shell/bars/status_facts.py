"""The status bar's line: the figures of this call and of the run, each saying in its tooltip what it is."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from ravenglass.replay.figures import UPPER_BOUND
from ravenglass.replay.frame import Frame
from ravenglass.replay.run import Run
from ravenglass.replay.stepping.changes import is_a_curators
from ravenglass.safe.visible import visible
from ravenglass_gui.state.open_log import OpenLog
from ravenglass_gui.state.shown import (
    PATHS,
    RECORDED_WORDS,
    error_text,
    is_recorded,
    provider_of,
    provider_words,
    unit,
)
from ravenglass_gui.text.needs_text import classes_words, control_words, injection_words
from ravenglass_gui.text.numbers import UNKNOWN, amount, compact, duration, percent
from ravenglass_gui.theme.fonts import ui_font
from ravenglass_gui.theme.palette import colours, theme

_FACTS = ("path", "window", "provider", "cache", "cost", "recall", "regrets", "task", "replayed", "simulated")
_TIPS = {
    "path": "The path that this call took.",
    "window": "Tokens of this call's window, estimated from its texts, of the budget C.",
    "provider": "This call's window as the provider counts it.",
    "cache": "Share of all tokens sent that the provider's cache could serve, over the whole run.",
    "cost": "Cost of all input tokens of the run, at the profile's prices.",
    "recall": f"Share of what responses needed whose source stood in their window verbatim. {UPPER_BOUND}",
    "regrets": "Needs at risk: the recorded window held their source verbatim, this one does not. G lists them.",
    "task": "The task that this call belongs to.",
    "replayed": "How long the last replay took.",
    "simulated": "What is shown is a simulation of this profile on the record, not what the agent really sent.",
}

_RECORDED_TIPS = {
    "path": "This engine decided nothing at this call; it is shown as it was recorded.",
    "window": "Tokens of what the record says was in this call's window, estimated from the texts.",
    "cache": (
        "Share of all tokens sent that was read from the cache: as reported, where the provider reported every call;"
        " else what a cache could have served."
    ),
    "cost": (
        "Cost of all input tokens at the profile's prices: of the reported tokens, where the provider reported every"
        " call; else of the estimated ones."
    ),
    "regrets": "Fetches again after a loss, paid again. G lists them.",
    "simulated": "What is shown is what the record says was sent, not a simulation.",
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
        self._simulated = True
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
        self._tips(run, frame)
        self._alarm = {
            "path": {"slow": "accent", "fail_safe": "bad"}.get(frame.path, "") if frame else "",
            "regrets": "warn" if run is not None and run.metrics.regrets else "",
            "window": "bad" if frame is not None and frame.impossible else "",
        }
        if run is None:
            self._say("replayed", "")
        self._show_replay_time(not is_recorded(run))
        self._recolour()

    def show_log(self, log: OpenLog, call: int) -> None:
        """The figures of a call of a trace log by itself, as far as it says them."""
        made = log.summary(call)
        tokens = made.verdict.tokens if made.verdict is not None else None
        budget = made.budget.available
        said = [UNKNOWN if value is None else compact(value) for value in (tokens, budget)]
        facts = {
            "path": PATHS[made.path] if made.path is not None else "undecided",
            "window": f"window {said[0]} / {said[1]}",
            "simulated": f"recorded · trace log · {log.facts()}",
        }
        for name in _FACTS:
            self._say(name, facts.get(name, ""))
        self._tips(None, None)
        self._alarm = {"path": {"slow": "accent", "fail_safe": "bad"}.get(made.path or "", "")}
        self._recolour()

    def show_replayed(self, calls: int, seconds: float | None) -> None:
        """How long the run took; without a time (a picture that must not change) only how many calls."""
        took = f" in {duration(seconds)}" if seconds is not None else ""
        self._say("replayed", f"replayed {amount(calls, 'call')}{took}")
        self._show_replay_time(self._simulated)

    def _tips(self, run: Run | None, frame: Frame | None) -> None:
        """What each fact is, and how it was got, in the run that is shown."""
        tips, recorded_tips = dict(_TIPS), dict(_RECORDED_TIPS)
        if run is not None and frame is not None:
            tips["window"] += f"\n{unit(run).capitalize()}."
            tips["recall"] += f"\n{_where(run)}"
            again = f"\n{injection_words(run.metrics.injection)}"
            tips["cache"] += again
            recorded_tips["cache"] += again
            tips["provider"] += f"\n{provider_words(run, frame.call).tip}"
        if is_recorded(run):
            tips |= recorded_tips
        for name, text in tips.items():
            self._labels[name].setToolTip(text)

    def _show_replay_time(self, on: bool) -> None:
        """A recorded run was not replayed: the time of the other one has no place beside its figures."""
        self._simulated = on
        label = self._labels["replayed"]
        label.setVisible(on and bool(label.text()))

    def _say(self, name: str, text: str) -> None:
        self._labels[name].setText(visible(text))
        self._labels[name].setVisible(bool(text))

    def _recolour(self) -> None:
        t = colours()
        of_role = {"accent": t.accent, "warn": t.warn, "bad": t.bad}
        for name, role in self._alarm.items():
            self._labels[name].setStyleSheet(f"color: {of_role[role]};" if role else "")


def _where(run: Run) -> str:
    """The classes and the control, for the tooltip."""
    m = run.metrics
    return (
        f"Names: {classes_words(m.names)}.\nFetches again: {classes_words(m.fetches_again)}."
        f"\n{control_words(m.control).capitalize()}."
    )


def provider_fact(run: Run, call: int) -> str:
    """`provider 81.2k reported`, `provider 80.9k est. ±0.1 %`; empty where it is unknown."""
    found = provider_of(run, call)
    if found is None:
        return ""
    if found.how == "reported":
        return f"provider {compact(found.value)} reported"
    return f"provider {compact(found.value)} est. ±{error_text(found.median_error or 0.0)}"


def _facts(run: Run | None, frame: Frame | None) -> dict[str, str]:
    if run is None:
        return {"path": "no session open"}
    metrics = run.metrics
    made = sum(not is_a_curators(change) for change in run.changes)
    branch = f" · {amount(made, 'change')} by hand" if made else ""
    recorded = is_recorded(run)
    facts = {"simulated": RECORDED_WORDS if recorded else f"simulated with {run.profile.name}{branch}"}
    if frame is None:
        return facts | {"path": "no model call"}
    return facts | {
        "path": PATHS[frame.path],
        "window": f"window {compact(frame.tokens)}" + ("" if recorded else f" / {compact(run.budget.available)}"),
        "provider": provider_fact(run, frame.call),
        "cache": f"cache {percent(metrics.cache_hit)}",
        "cost": f"${metrics.cost:,.2f} at these prices",
        "recall": f"recall {UNKNOWN if metrics.recall is None else f'{metrics.recall:.2f}'}",
        "regrets": amount(metrics.regrets, "regret"),
        "task": f"task {frame.task}",
    }
