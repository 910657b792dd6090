"""A number with its unit that reads as text until it is edited: `0.60 of C`, `128,000 tokens`.

Focus shows the bare number; Enter or leaving takes it, Escape gives it up, Up and Down step, the wheel never does.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QSizePolicy, QWidget

from ravenglass.profile import FieldSpec
from ravenglass_gui.theme.palette import colours
from ravenglass_gui.views.tuning.fields import decimals, show


class NumberBox(QLineEdit):
    """`entered` carries a number inside the field's range; what is no number is given up."""

    entered = Signal(float)

    def __init__(self, spec: FieldSpec, parent: QWidget | None = None, *, with_unit: bool = True) -> None:
        super().__init__(parent)
        self._spec, self._with_unit = spec, with_unit
        self._value = float(spec.default) if isinstance(spec.default, int | float) else spec.low
        self.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(spec.title)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.editingFinished.connect(self._take)
        self._write()

    def value(self) -> float:
        return self._value

    def set_value(self, value: float) -> None:
        """Show a value without announcing it; a number being typed is left alone."""
        self._value = value
        if not (self.hasFocus() and self.isModified()):
            self._write()

    def _write(self) -> None:
        if self.hasFocus():
            self.setText(f"{self._value:.{decimals(self._spec)}f}")
        elif self._with_unit:
            self.setText(show(self._spec, self._value))
        else:
            self.setText(f"{self._value:.{decimals(self._spec)}f}")
        self.setModified(False)
        self.updateGeometry()

    def _take(self) -> None:
        """Announce what was typed, clamped to the range; no number puts the old value back."""
        if not self.isModified():
            return
        typed = self.text().replace(",", "").replace("_", "").strip().removesuffix(self._spec.unit).strip()
        try:
            value = float(typed)
        except ValueError:
            self._write()
            return
        value = min(max(value, self._spec.low), self._spec.high)
        self.setModified(False)
        if value != self._value:
            self._value = value
            self.entered.emit(value)
        self._write()

    def sizeHint(self) -> QSize:
        """As wide as what it shows, so that values stand at the right edge."""
        words = show(self._spec, self._value) if self._with_unit else "0.000"
        return QSize(self.fontMetrics().horizontalAdvance(words) + 12, self.fontMetrics().height() + 6)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._write()
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._write()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        history = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
        if history and not self.isModified():
            event.ignore()  # nothing typed to undo here: the panel goes through the changes of values
        elif key == Qt.Key.Key_Escape and self.isModified():
            self._write()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            step = self._spec.step if key == Qt.Key.Key_Up else -self._spec.step
            self.setText(str(min(max(self._value + step, self._spec.low), self._spec.high)))
            self.setModified(True)
            self._take()
        else:
            super().keyPressEvent(event)

    def restyle(self, colour: str) -> None:
        """Take a text colour; the frame appears only under the mouse or with the focus."""
        palette = colours()
        self.setStyleSheet(
            "QLineEdit { background: transparent; border: 1px solid transparent; padding: 0 3px;"
            f" min-height: 0; color: {colour}; }}"
            f"QLineEdit:hover {{ background: {palette.field}; border-color: {palette.line}; }}"
            f"QLineEdit:focus {{ background: {palette.field}; border-color: {palette.accent}; color: {palette.text}; }}"
        )
