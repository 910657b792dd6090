"""How long a provider's cache remembers: whether what a call wrote or read is still there at a later one."""

from __future__ import annotations

from ravenglass.replay.stepping.inputs import Inputs


def remembered(inputs: Inputs, call: int) -> bool:
    """Whether the provider's cache outlives the pause before a call; unknown times count as no pause."""
    return outlived(inputs, call - 1, call)


def outlived(inputs: Inputs, before: int, call: int) -> bool:
    """Whether the cache outlives the time between two calls; unknown times count as no pause."""
    now, then = inputs.time_of(call), inputs.time_of(before)
    return now is None or then is None or now - then <= inputs.profile.cache_ttl_s
