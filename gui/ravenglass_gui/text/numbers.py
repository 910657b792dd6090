"""How numbers are written on screen: short token counts, percentages, durations, sizes. Unknown is never 0."""

from __future__ import annotations

UNKNOWN = "unknown"


def compact(tokens: float) -> str:
    """`48.2k`, `1.3M`; under a thousand as it is."""
    if abs(tokens) < 1_000:
        return f"{tokens:.0f}"
    if abs(tokens) < 999_950:
        return f"{tokens / 1_000:.1f}k"
    return f"{tokens / 1_000_000:.1f}M"


def tick(tokens: float) -> str:
    """An axis label: `20k`, `2.5k`, `1M`, without a decimal that says nothing."""
    text = compact(tokens)
    return text.replace(".0k", "k").replace(".0M", "M")


def percent(share: float) -> str:
    """A share of 1 as `83 %`; infinite where something stands against nothing."""
    return "over 999 %" if share > 9.99 else f"{share * 100:.0f} %"


def amount(count: int, one: str, many: str = "") -> str:
    """`1 call`, `871 calls`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size(octets: int) -> str:
    """A file's size: `812 B`, `4.0 MB`."""
    value = float(octets)
    for unit in ("B", "kB", "MB"):
        if value < 1_000:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1_000
    return f"{value:.1f} GB"


def duration(seconds: float) -> str:
    """`61 ms`, `2.4 s`, `3 min 20 s`."""
    if seconds < 0.9995:
        return f"{seconds * 1_000:.0f} ms"
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
