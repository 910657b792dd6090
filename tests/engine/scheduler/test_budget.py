from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import ProfileError
from ravenglass.presets import PRESETS, Preset
from ravenglass.profile import Profile
from ravenglass.rules import TIERS
from ravenglass.scheduler.budget import budget
from tests.engine.builders import profiles


@pytest.mark.rule("3.2", "3.4")
def test_that_the_default_budget_is_93_000_tokens_and_its_quotas_are_exact() -> None:
    found = budget(Profile())
    assert (found.window, found.output_reserve, found.system, found.safety) == (128_000, 25_600, 3_000, 6_400)
    assert found.available == 93_000
    assert found.quotas == {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300}
    assert (found.target, found.threshold, found.system_measured) == (41_850, 55_800, False)


@pytest.mark.rule("3.3")
def test_that_a_measured_system_prompt_replaces_the_default() -> None:
    found = budget(Profile(), 40_000)
    assert (found.system, found.available, found.system_measured) == (40_000, 56_000, True)
    assert found.quotas["task"] == 22_400
    assert budget(Profile(), 0).available == 96_000


@pytest.mark.rule("3.16")
@pytest.mark.parametrize("system", [96_000, 96_001, 500_000])
def test_that_a_system_prompt_that_leaves_nothing_is_refused(system: int) -> None:
    with pytest.raises(ProfileError, match=f"{system:,} tokens") as caught:
        budget(Profile(), system)
    assert caught.value.field == "system_overhead"
    assert budget(Profile(), 95_999).available == 1


@pytest.mark.parametrize("one", PRESETS, ids=[p.name for p in PRESETS])
def test_that_every_preset_leaves_a_budget(one: Preset) -> None:
    found = budget(one.profile())
    assert 0 < found.available < found.window


@pytest.mark.rule("3.1")
@given(profiles(largest=300_000), st.none() | st.integers(0, 1_000))
def test_that_the_parts_add_up_to_the_window_and_the_quotas_to_no_more_than_the_budget(
    profile: Profile, measured: int | None
) -> None:
    if measured is not None and profile.available(measured) <= 0:
        return
    found = budget(profile, measured)
    assert found.available + found.output_reserve + found.system + found.safety == found.window
    assert sum(found.quotas.values()) <= found.available + len(TIERS) / 2
    for tier, share in profile.quotas.items():
        assert abs(found.quotas[tier] - share * found.available) <= 0.5
    assert abs(found.target - profile.trim_target * found.available) <= 0.5
    assert abs(found.threshold - profile.fast_path_threshold * found.available) <= 0.5
