"""The toolbar's own controls: the number of the call, the playing speed, the profile. Buttons are actions."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSpinBox, QWidget

from ravenglass.presets import PRESETS
from ravenglass.profile import Profile
from ravenglass_gui.navigation import SPEEDS
from ravenglass_gui.state import DebuggerState


class CallBox(QWidget):
    """`[214] / 871`: shows the call under the playhead and goes to the one that is typed."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._box = QSpinBox()
        self._box.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        self._box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._box.setKeyboardTracking(False)
        self._box.setGroupSeparatorShown(True)
        self._box.setPrefix("call ")
        self._box.setFixedWidth(96)
        self._box.setAccessibleName("Call under the playhead")
        self._box.setToolTip("The model call under the playhead; type a number to go there")
        self._total = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._total.setProperty("role", "dim")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2, 0, 4, 0)
        layout.setSpacing(6)
        layout.addWidget(self._box)
        layout.addWidget(self._total)
        self._box.valueChanged.connect(state.set_call)
        state.call_changed.connect(self._refresh)
        state.run_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        run = self._state.run
        calls = run.calls if run is not None else 0
        self._box.blockSignals(True)
        self._box.setRange(min(1, calls), calls)
        self._box.setValue(self._state.call)
        self._box.blockSignals(False)
        self._box.setEnabled(calls > 0)
        self._total.setText(f"/ {calls:,}")


class SpeedBox(QComboBox):
    """How fast playing goes."""

    speed_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Playing speed")
        self.setToolTip("How fast playing goes")
        for factor in SPEEDS:
            self.addItem(f"x{factor}", factor)
        self.currentIndexChanged.connect(lambda index: self.speed_chosen.emit(SPEEDS[index]))


class ProfileBox(QWidget):
    """The presets; a profile that is none of them is shown by its name and as edited."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._presets: list[Profile] = []
        self.box = QComboBox()
        self.box.setAccessibleName("Profile")
        self.box.setMinimumWidth(128)
        for preset in PRESETS:
            self._presets.append(preset.profile())
            self.box.addItem(preset.name)
            self.box.setItemData(self.box.count() - 1, preset.purpose, Qt.ItemDataRole.ToolTipRole)
        label = QLabel("Profile", textFormat=Qt.TextFormat.PlainText)
        label.setProperty("role", "dim")
        label.setBuddy(self.box)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(label)
        layout.addWidget(self.box)
        self.box.activated.connect(lambda index: state.set_profile(self._presets[index]))
        state.profile_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        profile = self._state.profile
        changed = profile.changed()
        place = next((i for i, known in enumerate(self._presets) if known.changed() == changed), -1)
        if place < 0:
            edited = profile.name if profile.name.endswith("*") else f"{profile.name} · edited"
            self.box.setPlaceholderText(edited)
        self.box.setCurrentIndex(place)
        tip = PRESETS[place].purpose if place >= 0 else f"{len(changed)} values differ from the default profile"
        self.box.setToolTip(tip)
