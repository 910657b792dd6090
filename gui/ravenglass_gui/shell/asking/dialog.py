"""Who answers the slow paths of the run on screen: shows what would be asked and its cost, and only then asks."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from ravenglass.errors import RavenglassError
from ravenglass.safe.visible import visible
from ravenglass_gui.shell.asking.forms import LogForm, ModelForm
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.settings import Settings
from ravenglass_gui.views.shared.text_page import TextPage
from ravenglass_gui.work.asking.worker import Answers, Question, WouldAsk
from ravenglass_gui.work.replay_bridge import Bridge

_SIZE = QSize(760, 560)
_INTRO = (
    "The planner decides the slow paths of this run. Let a model, or the answers that a trace log recorded, decide them"
    " instead: the assembler judges every plan as ever. The result is a branch; Undo shows the run before it."
)


class AskDialog(QDialog):
    """`show_request` has to come first: the button that asks holds only for what was shown."""

    def __init__(self, parent: QWidget, state: DebuggerState, bridge: Bridge, settings: Settings | None) -> None:
        super().__init__(parent)
        self._state, self._bridge, self._settings = state, bridge, settings
        self.setWindowTitle("Ask a model or a trace log")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(_SIZE)
        self.who = QComboBox(self)
        self.who.addItems(["A model", "A trace log"])
        self.who.setAccessibleName("Who answers")
        self.model = ModelForm(settings.endpoint() if settings is not None else {}, self)
        self.log = LogForm(str(state.log.path) if state.log is not None else "", self)
        self._forms = QStackedWidget(self)
        self._forms.addWidget(self.model)
        self._forms.addWidget(self.log)
        self.said = QLabel(self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.request = TextPage("The first request", self)
        self.show_button = QPushButton("Show what would be asked", self)
        self.ask_button = QPushButton("Ask", self)
        self.ask_button.setProperty("role", "primary")
        self.close_button = QPushButton("Close", self)
        self.show_button.setDefault(True)  # Enter looks; only a press of the button itself asks
        for button in (self.ask_button, self.close_button):
            button.setAutoDefault(False)
        self._shown: Answers | None = None
        self._lay_out()
        self.who.currentIndexChanged.connect(self._chosen)
        for form in (self.model, self.log):
            form.changed.connect(self._changed)
        self.show_button.clicked.connect(self.show_request)
        self.ask_button.clicked.connect(self.ask)
        self.close_button.clicked.connect(self.reject)
        bridge.asking.shown.connect(self._show)
        bridge.asking.refused.connect(self._refused)
        self._changed()

    def _lay_out(self) -> None:
        intro = QLabel(_INTRO, self, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        intro.setProperty("role", "dim")
        buttons = QHBoxLayout()
        buttons.addWidget(self.show_button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.ask_button)
        layout = QVBoxLayout(self)
        layout.setSpacing(8)
        for widget in (intro, self.who, self._forms, self.said):
            layout.addWidget(widget)
        layout.addWidget(self.request, 1)
        layout.addLayout(buttons)
        for before, after in pairwise((self._forms, self.show_button, self.request.view, self.close_button)):
            self.setTabOrder(before, after)
        self.setTabOrder(self.close_button, self.ask_button)

    def _chosen(self, index: int) -> None:
        self._forms.setCurrentIndex(index)
        self.ask_button.setText("Ask" if index == 0 else "Replay its answers")
        self._changed()

    def _changed(self) -> None:
        """What was shown is not what would be asked now."""
        self._shown = None
        self.ask_button.setEnabled(False)
        self.ask_button.setToolTip("First look at what would be asked, and what it costs.")
        self._say("")
        self.request.set_text("", "The first request appears here, as it would be sent.")

    def _say(self, sentence: str, *, bad: bool = False) -> None:
        self.said.setText(visible(sentence))
        self.said.setProperty("role", "bad" if bad else "")
        self.said.style().unpolish(self.said)
        self.said.style().polish(self.said)
        self.said.setVisible(bool(sentence))

    def answers(self) -> Answers | None:
        """Who is to answer; None, with a sentence in the dialog, where something is missing."""
        try:
            return self.model.answers() if self.who.currentIndex() == 0 else self.log.answers()
        except RavenglassError as error:
            self._say(str(error), bad=True)
            return None

    def show_request(self) -> None:
        """Make the first request and its cost, and send nothing."""
        self._changed()
        wanted = self.answers()
        if wanted is not None:
            self._shown = wanted
            self._say("Looking at what would be asked…")
            self._bridge.asking.ask(wanted, dry=True)

    def _show(self, shown: WouldAsk) -> None:
        if self._shown is not None:
            self._say(shown.sentence)
            self.request.set_text(shown.request)
            self.ask_button.setEnabled(True)
            self.ask_button.setToolTip("")

    def _refused(self, question: Question, error: RavenglassError) -> None:
        if question.dry and self._shown is not None:
            self._changed()
            self._say(str(error), bad=True)

    def ask(self) -> None:
        """Ask, and close: the window shows how far it is, and a button to cancel it."""
        if self._shown is not None:
            if self._settings is not None and self.who.currentIndex() == 0:
                self._settings.save_endpoint(self.model.values())
            self._bridge.asking.ask(self._shown, dry=False)
            self.accept()


def open_ask_dialog(parent: QWidget, state: DebuggerState, bridge: Bridge, settings: Settings | None) -> AskDialog:
    """Show the dialog; it asks nothing by itself."""
    dialog = AskDialog(parent, state, bridge, settings)
    dialog.open()
    return dialog
