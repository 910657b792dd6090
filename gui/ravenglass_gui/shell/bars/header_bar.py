"""The toolbar's own controls: the number of the call, the playing speed, the profile. Buttons are actions."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QLineEdit, QWidget

from ravenglass.presets import PRESETS
from ravenglass.profile import Profile
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.state.navigation import SPEEDS
from ravenglass_gui.theme.icons import pixmap
from ravenglass_gui.theme.palette import colours, theme


class CallBox(QLineEdit):
    """`call 214 / 871`; while it has the focus, the bare number, and what is typed is gone to."""

    def __init__(self, state: DebuggerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.setObjectName("callBox")
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.setAccessibleName("Call under the playhead")
        self.setToolTip("The model call under the playhead; type a number to go there")
        self.editingFinished.connect(self._go)
        state.call_changed.connect(self._refresh)
        state.run_changed.connect(self._refresh)
        self._refresh()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._refresh()
        QTimer.singleShot(0, self, self.selectAll)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1}.get(Qt.Key(event.key()))
        if step is not None:
            self._state.set_call(self._state.call + step)
        elif event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
        else:
            super().keyPressEvent(event)

    def _go(self) -> None:
        digits = "".join(character for character in self.text().split("/")[0] if character in "0123456789")
        if digits and self.hasFocus():
            self._state.set_call(int(digits))
            self._refresh()

    def _refresh(self) -> None:
        calls = self._state.calls
        self.setEnabled(calls > 0)
        if self.hasFocus():
            self.setText(f"{self._state.call}")
        else:
            self.setText(f"call {self._state.call:,} / {calls:,}" if calls else "no call")
        widest = self.fontMetrics().horizontalAdvance(f"call {calls:,} / {calls:,}")
        self.setFixedWidth(max(112, widest + 22))


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
        self.box.setMinimumWidth(112)
        for preset in PRESETS:
            self._presets.append(preset.profile())
            self.box.addItem(preset.name)
            self.box.setItemData(self.box.count() - 1, preset.purpose, Qt.ItemDataRole.ToolTipRole)
        self._icon = QLabel()
        self._icon.setToolTip("Profile: every threshold of the replay")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self._icon)
        layout.addWidget(self.box)
        self.box.activated.connect(lambda index: state.set_profile(self._presets[index]))
        state.profile_changed.connect(self._refresh)
        theme.changed.connect(self._recolour)
        self._recolour()
        self._refresh()

    def _recolour(self) -> None:
        self._icon.setPixmap(pixmap("profile", colours().dim))

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
