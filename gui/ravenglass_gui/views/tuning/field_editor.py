"""One field of the profile as a control, made from its schema: slider with number, choice, or switch.

`moved` is emitted while a value changes, `settled` when the person has finished (released, entered, chosen).
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget
from superqt import QElidingLabel, QToggleSwitch

from ravenglass.profile import FieldSpec, Profile
from ravenglass_gui.text.plain import plain_tip
from ravenglass_gui.theme.icons import icon
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.tuning.fields import SliderScale, why_this_value
from ravenglass_gui.views.tuning.marked_slider import MarkedSlider
from ravenglass_gui.views.tuning.number_box import NumberBox


class _Choice(QComboBox):
    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class FieldEditor(QWidget):
    """The control of one field. `show_profile` never emits."""

    moved = Signal(str, object)
    settled = Signal(str)
    reset_wanted = Signal(str)
    looked_at = Signal(str)
    """The person points at or focuses this field."""

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.setObjectName(f"field_{spec.name}")
        self._syncing = False
        self._changed = False
        self._shown: object = None
        self._scale = SliderScale.of(spec)
        self.title = QElidingLabel(spec.title, self)
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.dot = QLabel("●", self)
        self.dot.setToolTip("Differs from the default")
        self.reset = QToolButton(self)
        self.reset.setAccessibleName(f"Reset {spec.title} to its default")
        self.reset.setToolTip("Reset to the default")
        self.reset.clicked.connect(lambda: self.reset_wanted.emit(spec.name))
        self.error = QLabel(self)
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.setProperty("role", "bad")
        self.error.hide()
        self.slider: MarkedSlider | None = None
        self.number: NumberBox | None = None
        self.choice: QComboBox | None = None
        self.switch: QToggleSwitch | None = None
        top = QHBoxLayout()
        top.setSpacing(4)
        top.addWidget(self.dot)
        top.addWidget(self.title, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 2)
        layout.setSpacing(0)
        layout.addLayout(top)
        control = self._make_control(layout)
        top.addWidget(control)
        top.addWidget(self.reset)
        layout.addWidget(self.error)
        for widget in (self, control, *([self.slider] if self.slider else [])):
            widget.installEventFilter(self)
        theme.changed.connect(self._restyle)
        self._restyle()

    def _make_control(self, layout: QVBoxLayout) -> QWidget:
        spec = self.spec
        if spec.kind == "bool":
            self.switch = QToggleSwitch(self)
            self.switch.setAnimationDuration(0)
            self.switch.setAccessibleName(spec.title)
            self.switch.toggled.connect(self._set_at_once)
            return self.switch
        if spec.kind == "choice":
            self.choice = _Choice(self)
            for value in spec.choices:
                self.choice.addItem(value.replace("_", " "), value)
            self.choice.setAccessibleName(spec.title)
            self.choice.activated.connect(lambda: self._set_at_once(self.choice.currentData() if self.choice else ""))
            return self.choice
        self.number = NumberBox(spec, self)
        self.number.entered.connect(self._number_entered)
        self.slider = MarkedSlider(self)
        self.slider.setAccessibleName(spec.title)
        self.slider.setRange(0, self._scale.positions)
        self.slider.setPageStep(max(1, self._scale.positions // 10))
        if isinstance(spec.default, int | float):
            self.slider.set_mark(self._scale.position(spec.default))
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: self.settled.emit(self.spec.name))
        layout.addWidget(self.slider)
        return self.number

    def show_profile(self, profile: Profile) -> None:
        """Show the field's value of a valid profile; an error that was shown is over."""
        value = getattr(profile, self.spec.name)
        if value == self._shown and self.error.isHidden():
            return  # most fields do not change while one slider moves
        self._shown = value
        self._syncing = True
        if self.switch is not None:
            self.switch.setChecked(bool(value))
            self.switch.setText("on" if value else "off")
        elif self.choice is not None:
            self.choice.setCurrentIndex(self.choice.findData(value))
        elif self.number is not None and self.slider is not None:
            self.number.set_value(float(value))
            if not self.slider.isSliderDown():
                self.slider.setValue(self._scale.position(float(value)))
        self._syncing = False
        self.error.hide()
        if self._changed != (value != self.spec.default):
            self._changed = not self._changed
            self._restyle()

    def explain(self, profile: Profile) -> None:
        """Make the tooltip for a profile; called when the field is pointed at."""
        self.setToolTip(plain_tip(why_this_value(profile, self.spec)))

    def show_error(self, sentence: str) -> None:
        self.error.setText(f"{sentence.rstrip('.')}. The last valid value stays in force.")
        self.error.show()

    def _typed(self, value: float) -> int | float:
        return round(value) if self.spec.kind == "int" else value

    def _slid(self, position: int) -> None:
        if self._syncing or self.number is None or self.slider is None:
            return
        value = self._typed(self._scale.value(position))
        self.number.set_value(value)
        self.moved.emit(self.spec.name, value)
        if not self.slider.isSliderDown():
            self.settled.emit(self.spec.name)

    def _number_entered(self, value: float) -> None:
        if not self._syncing:
            self._set_at_once(self._typed(value))

    def _set_at_once(self, value: object) -> None:
        if not self._syncing:
            self.moved.emit(self.spec.name, value)
            self.settled.emit(self.spec.name)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.FocusIn):
            self.looked_at.emit(self.spec.name)
        return super().eventFilter(watched, event)

    def _restyle(self) -> None:
        palette = colours()
        self.dot.setVisible(self._changed)
        self.dot.setStyleSheet(f"color: {palette.accent};")
        self.title.setStyleSheet(f"color: {palette.accent if self._changed else palette.text};")
        self.reset.setIcon(icon("reset", palette.dim))
        self.reset.setVisible(self._changed)
        self.reset.setStyleSheet("QToolButton { padding: 1px; }")
        if self.number is not None:
            self.number.restyle(palette.text if self._changed else palette.dim)
        if self.switch is not None:
            self.switch.onColor = QColor(palette.accent)
            self.switch.offColor = QColor(palette.line)
            self.switch.handleColor = QColor(palette.text)
