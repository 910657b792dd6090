"""Why the selected message is in or not in the window at the call under the playhead."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget
from superqt import QFlowLayout

from ravenglass.replay.frame import Why
from ravenglass.safe.visible import visible
from ravenglass_gui.state.absence import why_empty
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.shown import is_recorded
from ravenglass_gui.text.numbers import amount
from ravenglass_gui.views.shared.live_panel import LivePanel
from ravenglass_gui.views.why.life_strip import LifeStrip
from ravenglass_gui.views.why.score_table import ScoreTable
from ravenglass_gui.widgets.empty_state import EmptyState
from ravenglass_gui.widgets.section import SectionTitle

_CHIPS = 12


class WhyPanel(LivePanel):
    """Shows `Run.why`; every number is the one that decided."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(state, "whyPanel", parent)
        self.title = SectionTitle("Why", parent=self)
        self._empty = EmptyState(self)
        self.score = ScoreTable(self)
        self.rank = self._label()
        self.headline = self._label()
        self.reasons = self._label("dim")
        self._chips = QWidget(self)
        self._chip_labels: list[QLabel] = []
        self._flow = QFlowLayout(self._chips)
        self._flow.setContentsMargins(0, 0, 0, 0)
        self._matched_title = self._label("dim")
        self.life = LifeStrip(self)
        self._life_words = self._label("dim")
        body = QWidget(self)
        body.setProperty("role", "body")
        inner = QVBoxLayout(body)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(6)
        for widget in (
            self.headline,
            self.score,
            self.rank,
            self.reasons,
            self._matched_title,
            self._chips,
            self.life,
            self._life_words,
        ):
            inner.addWidget(widget)
        inner.addStretch(1)
        self._scroll = QScrollArea(self)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(body)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        layout.addWidget(self.title)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(self._empty, 1)
        self.life.call_chosen.connect(state.set_call)
        state.selection_changed.connect(self.invalidate)

    def _label(self, role: str = "") -> QLabel:
        label = QLabel(self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if role:
            label.setProperty("role", role)
        return label

    def refresh(self) -> None:
        run, call, message = self.state.run, self.state.call, self.state.selected
        if run is None or not call or message is None:
            select = "Select a message to see why it is in or out of the window at this call."
            alone = self.state.log is not None and self.state.session is None
            silent = run is not None and not call
            self._say_nothing(why_empty(self.state, "", lacks="scores and reasons") if alone or silent else select)
            return
        if message >= run.rows(call):
            first = run.session.structure.groups[run.session.structure.group_of[message]].call
            self._say_nothing(
                f"Call {call:,} cannot know #{message}: it was recorded later. Call {first:,} is the first to see it."
                if first <= run.calls
                else f"#{message} was recorded after the last model call, so no window could hold it."
            )
            return
        why = run.why(call, message)
        recorded = is_recorded(run)
        self._empty.hide()
        self._scroll.show()
        self.title.set_title(title(why))
        shown = "recorded" if recorded else "simulated"
        self.title.set_facts(f"{shown} · call {call:,}", shown)
        self.headline.setText(visible(why.headline))
        self.score.show_why(why)
        self.score.setVisible(not recorded)  # scores decided nothing of a recorded window
        self.rank.setText(visible(rank_line(why)))
        self.rank.setVisible(bool(self.rank.text()))
        reasons = list(why.reasons)
        if not recorded and 0 < why.decided_at < call:
            # It may lie far back; the manifest shows the score of this call.
            reasons.insert(0, f"The score is that of call {why.decided_at:,}, where this was decided.")
        self.reasons.setText("\n".join(f"• {reason}" for reason in reasons))
        self.reasons.setVisible(bool(reasons))
        self._show_matched(why, recorded=recorded)
        self.life.show_life(why.life, run.calls, call, recorded=recorded)
        now = self.life.span_at(call)
        self._life_words.setText(f"Over {amount(run.calls, 'call')}; now: {self.life.say(now)}." if now else "")

    def _show_matched(self, why: Why, *, recorded: bool) -> None:
        self._matched_title.setVisible(not recorded)
        shown = why.matched[:_CHIPS]
        self._matched_title.setText(
            "Shares with the request and goals:" if shown else "Shares nothing with the request and goals."
        )
        while len(self._chip_labels) < len(shown):
            chip = QLabel(self._chips)
            chip.setTextFormat(Qt.TextFormat.PlainText)
            chip.setProperty("role", "key")
            self._chip_labels.append(chip)
            self._flow.addWidget(chip)
        for chip, text in zip(self._chip_labels, shown, strict=False):
            chip.setText(visible(text if len(text) <= 40 else text[:39] + "…"))
        for number, chip in enumerate(self._chip_labels):
            chip.setVisible(number < len(shown))
        self._chips.setVisible(bool(shown))

    def _say_nothing(self, sentence: str) -> None:
        self.title.set_title("Why")
        self.title.set_facts("")
        self._scroll.hide()
        self._empty.show()
        self._empty.say(sentence)


def title(why: Why) -> str:
    """`Why is #96 not in the window`."""
    return f"Why is #{why.message} {'in' if why.included else 'not in'} the window"


def rank_line(why: Why) -> str:
    """Rank, where the quota was cut, and the margin to the cut line; empty where nothing was ranked."""
    if why.rank is None:
        return ""
    said = f"rank {why.rank:,} of {why.ranked:,}"
    if why.cut_rank is None or why.cut_score is None:
        return f"{said}; everything ranked fitted"
    if why.rank == why.cut_rank:
        return f"{said}, the first that did not fit (score {why.cut_score:.2f})"
    margin = why.score - why.cut_score
    side = f"{margin:.2f} above the cut" if margin >= 0 else f"{-margin:.2f} short"
    return f"{said}; the quota was cut at rank {why.cut_rank:,} (score {why.cut_score:.2f}): {side}"
