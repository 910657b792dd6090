"""Recorded times in any of the forms that writers use, as seconds since the epoch."""

from __future__ import annotations

import math
from datetime import datetime

_EARLIEST = 1e8
"""Seconds; what is smaller (a counter, a duration, 0) is no date a session could have."""

_UNITS = ((1e17, 1e9), (1e14, 1e6), (1e11, 1e3))
"""From this figure on, a number counts nanoseconds, microseconds, milliseconds; below, seconds."""


def seconds(value: object) -> float | None:
    """Seconds since the epoch (UTC), or None where the value is no readable time.

    Accepts ISO 8601 with Z, with an offset or without (then local time, as those writers mean it), and
    numbers of seconds, milliseconds, microseconds or nanoseconds, also as text.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return _from_number(value)
    if not isinstance(value, str) or len(value) > 64:
        return None
    try:
        return datetime.fromisoformat(value.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        pass  # not ISO: it may still be a number
    try:
        return _from_number(float(value))
    except ValueError:
        return None


def _from_number(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    if not math.isfinite(number):
        return None
    for limit, per_second in _UNITS:
        if number >= limit:
            number /= per_second
            break
    return number if number >= _EARLIEST else None
