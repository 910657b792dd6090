"""One control per number of the Profile, made from its schema. Moving one asks for a new replay at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QUndoCommand, QUndoStack
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from ravenglass.errors import ProfileError, RavenglassError
from ravenglass.presets import load, to_toml
from ravenglass.profile import FieldSpec, Profile, field_specs
from ravenglass.store.outputs import write_output
from ravenglass_gui.actions.local import LocalActions
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.views.tuning.field_editor import FieldEditor
from ravenglass_gui.views.tuning.fields import renamed, why_this_value
from ravenglass_gui.views.tuning.fold import Fold
from ravenglass_gui.views.tuning.quota_split import QuotaSplit
from ravenglass_gui.widgets.section import SectionTitle

_OPEN_AT_FIRST = ("Window", "Quotas", "Curator", "Scores", "Protection", "Offload")
_HELP_LINES = 3
_HELP_FROM = 320
"""Height in pixels from which the help line is shown."""
_FILES = "Profiles (*.toml)"


class _Change(QUndoCommand):
    """From one profile to another."""

    def __init__(self, apply: Callable[[Profile], None], before: Profile, after: Profile, words: str) -> None:
        super().__init__(words)
        self._apply, self._before, self._after = apply, before, after

    def undo(self) -> None:
        self._apply(self._before)

    def redo(self) -> None:
        self._apply(self._after)


class TuningPanel(QWidget):
    """Shows the wanted profile. Undo goes back one finished change at a time."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tuningPanel")
        self.state = state
        self._settled = state.profile
        self._mine = False
        self.undo_stack = QUndoStack(self)
        self.title = SectionTitle("Tuning", parent=self)
        self.reset_all = QToolButton(self)
        self.reset_all.setText("reset")
        self.reset_all.setToolTip("Back to the default profile, every value")
        self.reset_all.setAccessibleName("Reset every value to its default")
        self.reset_all.clicked.connect(lambda: self._step(Profile(), "reset all values"))
        self._undo = self._small("mdi6.undo", "Undo the last change (Ctrl+Z)", self.undo_stack.undo)
        self._redo = self._small("mdi6.redo", "Do the undone change again (Ctrl+Shift+Z)", self.undo_stack.redo)
        self.undo_stack.canUndoChanged.connect(self._undo.setEnabled)
        self.undo_stack.canRedoChanged.connect(self._redo.setEnabled)
        self.specs = {spec.name: spec for spec in field_specs() if spec.used}
        self.editors: dict[str, FieldEditor] = {}
        self.split: QuotaSplit | None = None
        self.help = QLabel(self)
        self.help.setTextFormat(Qt.TextFormat.PlainText)
        self.help.setWordWrap(True)
        self.help.setProperty("role", "dim")
        self.help.setFixedHeight(self.fontMetrics().lineSpacing() * _HELP_LINES + 2)
        self.help.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._looked = next(iter(self.specs))
        self._lay_out()
        LocalActions(self, "Tuning", {"undo_value": self.undo_stack.undo, "redo_value": self.undo_stack.redo})
        state.profile_changed.connect(self._profile_changed)
        state.run_changed.connect(self._say_whose)
        self.refresh()

    def _lay_out(self) -> None:
        body = QWidget(self)
        body.setProperty("role", "body")
        inner = QVBoxLayout(body)
        inner.setContentsMargins(0, 0, 6, 0)
        inner.setSpacing(2)
        for group, specs in self._groups():
            fold = Fold(group, body, opened=group in _OPEN_AT_FIRST)
            for spec in specs:
                fold.add(self._editor(spec))
            if group == "Quotas":
                self._add_split(fold)
            inner.addWidget(fold)
        inner.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(body)
        files = QHBoxLayout()
        for words, tip, act in (
            ("Load…", "Load a profile from a TOML file", self._ask_load),
            ("Save as…", "Save the values that differ from the default as a TOML file", self._ask_save),
        ):
            button = QPushButton(words, self)
            button.setToolTip(tip)
            button.setAccessibleName(tip)
            button.clicked.connect(act)
            files.addWidget(button)
        files.addStretch(1)
        files.addWidget(self._undo)
        files.addWidget(self._redo)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(6)
        top = self.title.layout()
        if top is not None:
            top.addWidget(self.reset_all)
        layout.addWidget(self.title)
        layout.addWidget(scroll, 1)
        layout.addWidget(self.help)
        layout.addLayout(files)

    def _groups(self) -> list[tuple[str, list[FieldSpec]]]:
        groups: dict[str, list[FieldSpec]] = {}
        for spec in self.specs.values():
            here = groups.setdefault(spec.group, [])
            if not (spec.group == "Quotas" and spec.name in _SPLIT):
                here.append(spec)
        return list(groups.items())

    def _editor(self, spec: FieldSpec) -> FieldEditor:
        editor = FieldEditor(spec, self)
        editor.moved.connect(lambda name, value: self._move({name: value}))
        editor.settled.connect(self._settle)
        editor.reset_wanted.connect(self._reset)
        editor.looked_at.connect(self._look_at)
        self.editors[spec.name] = editor
        return editor

    def _add_split(self, fold: Fold) -> None:
        self.split = QuotaSplit({name: self.specs[name] for name in _SPLIT}, fold)
        self.split.moved.connect(self._move)
        self.split.settled.connect(self._settle)
        fold.add(self.split)

    def _small(self, picture: str, words: str, act: Callable[[], None]) -> QToolButton:
        button = QToolButton(self)
        button.setText("↶" if "undo" in picture else "↷")
        button.setToolTip(words)
        button.setAccessibleName(words)
        button.setEnabled(False)
        button.clicked.connect(act)
        return button

    def _move(self, values: dict[str, object]) -> None:
        """Try new values; an invalid combination is said in place and changes nothing."""
        try:
            wanted = renamed(self.state.profile.with_values(**values))
        except ProfileError as error:
            self._say_error(next(iter(values)), str(error))
            return
        self._mine = True
        self.state.set_profile(wanted)
        self._mine = False
        self.refresh()

    def _apply(self, profile: Profile) -> None:
        """Show a profile that is a step of the history."""
        self._settled = profile
        self._mine = True
        self.state.set_profile(profile)
        self._mine = False
        self.refresh()

    def _say_error(self, name: str, sentence: str) -> None:
        editor = self.editors.get(name)
        if editor is not None:
            editor.show_error(sentence)
        elif self.split is not None:
            self.split.show_error(sentence)

    def _settle(self, name: str) -> None:
        """A change is finished: it becomes one step of undo."""
        self._step(self.state.profile, f"change {self.specs[name].title}")

    def _reset(self, name: str) -> None:
        self._move({name: self.specs[name].default})
        self._settle(name)

    def _step(self, profile: Profile, words: str) -> None:
        """Make `profile` the one in force, as a new step of the history."""
        if profile != self._settled:
            self.undo_stack.push(_Change(self._apply, self._settled, profile, words))

    def _profile_changed(self) -> None:
        """Someone else chose a profile (a preset, another panel): that can be undone here as well."""
        if not self._mine:
            self._step(self.state.profile, f"profile {self.state.profile.name}")
            self.refresh()

    def refresh(self) -> None:
        """Show the wanted profile in every control."""
        profile = self.state.profile
        for editor in self.editors.values():
            editor.show_profile(profile)
        if self.split is not None:
            self.split.show_profile(profile)
        changed = len(profile.changed())
        self._say_whose()
        self.reset_all.setVisible(bool(changed))
        self._look_at(self._looked)

    def _say_whose(self) -> None:
        """The profile in the header; sliders belong to the simulated run, which the first touch brings back."""
        profile = self.state.profile
        changed = len(profile.changed())
        facts = f"{profile.name} · {changed} changed" if changed else f"{profile.name} · nothing changed"
        if self.state.showing == "recorded":
            facts = f"simulated · {profile.name}"
        self.title.set_facts(facts)

    def _look_at(self, name: str) -> None:
        self._looked = name
        spec = self.specs[name]
        if name in self.editors:
            self.editors[name].explain(self.state.profile)
        words = f"{spec.title}: {why_this_value(self.state.profile, spec)}"
        self.help.setText(words)
        self.help.setToolTip(plain_tip(words))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low panel keeps its room for the controls; their tooltips say the same as the help line."""
        super().resizeEvent(event)
        self.help.setVisible(self.height() >= _HELP_FROM)

    def _ask_load(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Load a profile", "", _FILES)
        if path:
            self.load_file(Path(path))

    def _ask_save(self) -> None:
        path, _ = QFileDialog.getSaveFileName(
            self, "Save the profile", f"{self.state.profile.name.rstrip('*')}.toml", _FILES
        )
        if path:
            self.save_file(Path(path))

    def load_file(self, path: Path) -> None:
        """Load a profile; a file that is none changes nothing and says so in the notice bar."""
        try:
            self._step(load(path), f"load {path.name}")
        except ProfileError as error:
            self.state.post("error", f"{error}. The profile in force was kept.")

    def save_file(self, path: Path) -> None:
        """Write the profile as TOML; `load_file` brings it back."""
        try:
            # The dialog has asked already whether a file that is there may be replaced.
            write_output(path, [to_toml(self.state.profile).encode()], force=True)
        except RavenglassError as error:
            self.state.post("error", f"{error} Nothing was saved.")
            return
        self.state.post("info", f"The profile was saved to {path}.")


_SPLIT = ("quota_global", "quota_session", "quota_task", "quota_atomic")
