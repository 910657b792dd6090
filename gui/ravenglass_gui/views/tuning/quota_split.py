"""The four quotas as one bar cut by three handles, with the exact shares below and what is left unassigned."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget
from superqt import QRangeSlider

from ravenglass.profile import FieldSpec, Profile
from ravenglass.rules import TIERS
from ravenglass_gui.theme.palette import colours, theme
from ravenglass_gui.views.tuning.marked_slider import HANDLE
from ravenglass_gui.views.tuning.number_box import NumberBox
from ravenglass_gui.widgets.marks import MARK, paint_tier

_PARTS = 100
"""Handles stand on whole per cents; the numbers below take any share."""


class _Bar(QWidget):
    """The quotas as coloured lengths; what is left over stays empty."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.shares: tuple[float, ...] = ()
        self.setFixedHeight(8)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        palette = colours()
        width = self.width() - HANDLE
        painter.fillRect(QRectF(HANDLE / 2, 0, width, self.height()), QColor(palette.field))
        left = HANDLE / 2
        for tier, share in zip(TIERS, self.shares, strict=False):
            length = min(share * width, HANDLE / 2 + width - left)
            painter.fillRect(QRectF(left, 0, max(0.0, length - 1), self.height()), QColor(palette.tier(tier)))
            left += share * width
        painter.end()


class _Mark(QWidget):
    """A tier's mark beside its name."""

    def __init__(self, tier: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._tier = tier
        self.setFixedSize(MARK + 2, MARK + 4)
        theme.changed.connect(self.update)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        paint_tier(painter, 1, self.height() / 2, self._tier, QColor(colours().tier(self._tier)))
        painter.end()


class QuotaSplit(QWidget):
    """`moved` carries {field: share} of the quotas that a handle or number changed."""

    moved = Signal(object)
    settled = Signal(str)
    looked_at = Signal(str)

    def __init__(self, specs: dict[str, FieldSpec], parent: QWidget | None = None) -> None:
        """`specs`: the four quota fields by name."""
        super().__init__(parent)
        self._profile = Profile()
        self._syncing = False
        self._bar = _Bar(self)
        self.slider = QRangeSlider(Qt.Orientation.Horizontal, self)  # type: ignore[no-untyped-call]
        self.slider.setRange(0, _PARTS)
        self.slider.setBarVisible(False)
        self.slider.setBarMovesAllHandles(False)
        self.slider.setAccessibleName("Quota split: three borders between global, session, task and atomic")
        self.slider.setValue((20, 50, 90))
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: self.settled.emit("quota_task"))
        self.numbers: dict[str, NumberBox] = {}
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(0)
        for place, tier in enumerate(TIERS):
            name = f"quota_{tier}"
            number = NumberBox(specs[name], self, with_unit=False)
            number.entered.connect(lambda value, n=name: self._entered(n, value))
            self.numbers[name] = number
            label = QLabel(tier, self)
            row, column = divmod(place, 2)
            grid.addWidget(_Mark(tier, self), row, column * 4)
            grid.addWidget(label, row, column * 4 + 1)
            grid.addWidget(number, row, column * 4 + 2)
            grid.setColumnStretch(column * 4 + 2, 1)
            if column == 0:
                grid.setColumnMinimumWidth(3, 12)
        self.left_over = QLabel(self)
        self.left_over.setProperty("role", "dim")
        self.error = QLabel(self)
        self.error.setTextFormat(Qt.TextFormat.PlainText)
        self.error.setWordWrap(True)
        self.error.setProperty("role", "bad")
        self.error.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 4)
        layout.setSpacing(2)
        layout.addWidget(self._bar)
        layout.addWidget(self.slider)
        layout.addLayout(grid)
        layout.addWidget(self.left_over)
        layout.addWidget(self.error)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_profile(self, profile: Profile) -> None:
        self._profile = profile
        shares = [profile.quotas[tier] for tier in TIERS]
        self._syncing = True
        if not self.slider.isSliderDown():
            borders = (sum(shares[: n + 1]) for n in range(3))
            self.slider.setValue(tuple(round(b * _PARTS) for b in borders))
        for name, number in self.numbers.items():
            number.set_value(getattr(profile, name))
        self._syncing = False
        self._bar.shares = tuple(shares)
        self._bar.update()
        rest = 1 - sum(shares)
        self.left_over.setText(f"{rest:.2f} of C unassigned" if rest > 0.0005 else "all of C is assigned")
        self.error.hide()
        self._restyle()

    def show_error(self, sentence: str) -> None:
        self.error.setText(f"{sentence.rstrip('.')}. The last valid quotas stay in force.")
        self.error.show()

    def _slid(self, borders: tuple[int, ...]) -> None:
        """A border moves what lies on its two sides; their sum stays as it was."""
        if self._syncing:
            return
        shares = [self._profile.quotas[tier] for tier in TIERS]
        total = sum(shares)
        before = [round(sum(shares[: n + 1]) * _PARTS) for n in range(3)]
        edges = [
            sum(shares[: n + 1]) if b == c else b / _PARTS for n, (b, c) in enumerate(zip(borders, before, strict=True))
        ]
        edges = [min(edge, total) for edge in edges]
        cuts = [0.0, *edges, total]
        made = {f"quota_{tier}": round(max(0.0, cuts[n + 1] - cuts[n]), 6) for n, tier in enumerate(TIERS)}
        changed = {name: value for name, value in made.items() if abs(value - getattr(self._profile, name)) > 1e-9}
        if changed:
            self.moved.emit(changed)
            if not self.slider.isSliderDown():
                self.settled.emit("quota_task")

    def _entered(self, name: str, value: float) -> None:
        if not self._syncing:
            self.moved.emit({name: value})
            self.settled.emit(name)

    def _restyle(self) -> None:
        palette = colours()
        for name, number in self.numbers.items():
            changed = getattr(self._profile, name) != getattr(Profile(), name)
            number.restyle(palette.accent if changed else palette.dim)
