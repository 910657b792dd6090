"""The budget of one replay: C = W - O - S - B, and the quotas of C by tier. Source: design, section 3."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.errors import ProfileError
from ravenglass.profile import Profile
from ravenglass.rules import TIERS, TierName


@dataclass(frozen=True, slots=True)
class Budget:
    """All in tokens. `system_measured` tells a measured S from the profile's default."""

    window: int
    output_reserve: int
    system: int
    safety: int
    available: int
    quotas: dict[TierName, int]
    target: int
    """What the slow path packs into: trim_target x C."""
    threshold: int
    """Below this the fast path passes everything."""
    system_measured: bool = False


def budget(profile: Profile, measured_system: int | None = None) -> Budget:
    """The budget under a profile. Raises ProfileError (field `system_overhead`) when C would not be positive."""
    system = profile.system_overhead if measured_system is None else measured_system
    available = profile.available(system)
    if available <= 0:
        raise ProfileError(
            f"system_overhead: the session's system prompt and tools take {system:,} tokens, which leaves nothing of a"
            f" window of {profile.window:,}",
            field="system_overhead",
        )
    return Budget(
        window=profile.window,
        output_reserve=profile.output_tokens,
        system=system,
        safety=profile.safety_tokens,
        available=available,
        quotas={tier: round(profile.quotas[tier] * available) for tier in TIERS},
        target=round(profile.trim_target * available),
        threshold=round(profile.fast_path_threshold * available),
        system_measured=measured_system is not None,
    )
