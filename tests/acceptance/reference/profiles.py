"""The profiles that are compared: every preset, and random ones with a valid value for every field."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import tomlkit

from ravenglass.errors import ProfileError
from ravenglass.presets import PRESETS
from ravenglass.profile import Profile, field_specs, make_profile
from ravenglass.rules import DEFAULT_PIN_RULES, DEFAULT_RELIABILITY, DEFAULT_TIER_RULES, SECTIONS, TIERS, TierRule

NAMES = tuple(preset.name for preset in PRESETS)
_SHARES = ("quota_global", "quota_session", "quota_task", "quota_atomic")


def _value(rng: random.Random, default: float, low: float, high: float, whole: bool) -> float:
    """Mostly within a few times the default, now and then anywhere in the range, now and then an end of it."""
    how = rng.random()
    if how < 0.05:
        value = rng.choice((low, high))
    elif how < 0.85 and default:
        value = default * rng.uniform(0.4, 2.2)
    else:
        value = rng.uniform(low, min(high, low + 20 * max(default, 1)))
    value = min(high, max(low, value))
    return round(value) if whole else round(value, 4)


def _draw(rng: random.Random) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for spec in field_specs():
        if spec.kind == "bool":
            values[spec.name] = rng.random() < 0.4
        elif spec.kind == "choice":
            values[spec.name] = rng.choice(spec.choices)
        else:
            values[spec.name] = _value(rng, float(spec.default), spec.low, spec.high, spec.kind == "int")
    values["window"] = rng.choice((12_000, 20_011, 32_768, 50_000, 90_001, 128_000, 200_003))
    values["system_overhead"] = rng.randrange(0, 4_001)
    values["output_reserve"] = round(rng.uniform(0, 0.5), 4)
    values["safety_buffer"] = round(rng.uniform(0, 0.2), 4)
    shares = [rng.random() + 0.02 for _ in _SHARES]
    filled = rng.choice((1.0, 0.9, 0.6)) / sum(shares)
    values |= {name: round(share * filled - 0.0001, 4) for name, share in zip(_SHARES, shares, strict=True)}
    order = list(SECTIONS)
    rng.shuffle(order)
    values["section_order"] = tuple(order)
    values["reliability"] = {kind: round(rng.random(), 3) for kind in DEFAULT_RELIABILITY}
    first = TierRule(
        tool=rng.choice(("Bash", "Read", "shell*", "*")), role=rng.choice(("tool", "*")), tier=rng.choice(TIERS)
    )
    values["tier_rules"] = (first, *DEFAULT_TIER_RULES) if rng.random() < 0.5 else DEFAULT_TIER_RULES
    values["pin_rules"] = DEFAULT_PIN_RULES[: rng.randrange(len(DEFAULT_PIN_RULES) + 1)]
    return values


def random_profile(seed: int, number: int) -> Profile:
    """The same profile for the same numbers."""
    rng = random.Random(f"{seed}-{number}")
    while True:
        try:
            return make_profile(name=f"random-{seed}-{number}", **_draw(rng))
        except ProfileError:
            continue


def write(profile: Profile, path: Path) -> Path:
    """The profile as a file that `--profile` takes."""
    values: dict[str, Any] = {"name": profile.name}
    for name, value in profile.changed().items():
        if isinstance(value, tuple):
            value = [v.model_dump(exclude_none=True) if hasattr(v, "model_dump") else v for v in value]
        values[name] = value
    path.write_text(tomlkit.dumps(values), encoding="utf-8")
    return path
