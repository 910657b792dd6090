"""What a slider needs beyond the schema: its scale, where a value comes from, what a changed profile is called."""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log1p

from ravenglass.errors import ProfileError
from ravenglass.presets import PRESETS, preset
from ravenglass.profile import FieldSpec, Profile

_POSITIONS = 400
"""Positions of a slider whose range has more steps than that; such a slider is logarithmic."""


@dataclass(frozen=True, slots=True)
class SliderScale:
    """Slider positions 0..`positions` against values low..high; large ranges are fine at the bottom, coarse on top."""

    low: float
    high: float
    step: float
    positions: int
    bend: float
    """0: linear. Else the value at which the scale turns from linear to logarithmic."""

    @classmethod
    def of(cls, spec: FieldSpec) -> SliderScale:
        steps = round((spec.high - spec.low) / spec.step)
        if steps <= _POSITIONS:
            return cls(spec.low, spec.high, spec.step, max(1, steps), 0.0)
        default = spec.default if isinstance(spec.default, int | float) else spec.low
        return cls(spec.low, spec.high, spec.step, _POSITIONS, max(spec.step * 10, (float(default) - spec.low) / 4))

    def value(self, position: int) -> float:
        """The value at a position, on a step; the ends are exact."""
        if position <= 0:
            return self.low
        if position >= self.positions:
            return self.high
        share = position / self.positions
        span = self.high - self.low
        offset = self.bend * expm1(share * log1p(span / self.bend)) if self.bend else share * span
        step = self._step_at(self.low + offset)
        stepped = round((self.low + offset) / step) * step
        return min(self.high, max(self.low, round(stepped, 6)))

    def _step_at(self, value: float) -> float:
        """On a logarithmic scale two digits are enough: larger values move in tens, hundreds, thousands of steps."""
        return self.step * 10 ** max(0, len(str(int(value / self.step))) - 2) if self.bend else self.step

    def position(self, value: float) -> int:
        """The position nearest to a value."""
        offset, span = min(max(value, self.low), self.high) - self.low, self.high - self.low
        share = log1p(offset / self.bend) / log1p(span / self.bend) if self.bend else offset / span
        return round(share * self.positions)


def renamed(profile: Profile) -> Profile:
    """The profile under its honest name: a preset's name while it is that preset, else with a star behind."""
    base = profile.name.rstrip("*") or "profile"
    plain = profile.with_values(name=base)
    try:
        return plain if preset(base).profile() == plain else profile.with_values(name=f"{base}*")
    except ProfileError:
        return profile.with_values(name=f"{base}*")


def origin(profile: Profile, name: str) -> str:
    """Where the value of a field comes from, in words."""
    value = getattr(profile, name)
    base = profile.name.rstrip("*")
    for known in PRESETS:
        if known.name == base and name in known.differences and known.differences[name] == value:
            return f"set by the preset {base}"
    return "the default" if value == getattr(Profile(), name) else "changed by you"


def show(spec: FieldSpec, value: object) -> str:
    """A value with its unit: `0.60 of C`, `3 exchanges`, `on`."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value.replace("_", " ")
    if spec.kind == "int" and isinstance(value, int | float):
        return f"{int(value):,} {spec.unit}".strip()
    return f"{value:.{decimals(spec)}f} {spec.unit}".strip()


def decimals(spec: FieldSpec) -> int:
    """Decimal places that a field's steps need."""
    return 0 if spec.kind == "int" or spec.step >= 1 else 2


def why_this_value(profile: Profile, spec: FieldSpec) -> str:
    """What the field does, its value and where that came from, the default and the range."""
    value = getattr(profile, spec.name)
    said = [spec.help, f"Now {show(spec, value)}, {origin(profile, spec.name)}."]
    if value != spec.default:
        said.append(f"Default {show(spec, spec.default)}.")
    if spec.kind in ("int", "float"):
        said.append(f"Range {spec.low:,g} to {spec.high:,.12g}.")
    return " ".join(said)
