"""Scales of sliders, honest names, and where a value comes from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.presets import PRESETS, load
from ravenglass.profile import FieldSpec, Profile, field_specs
from ravenglass_gui.views.tuning.fields import SliderScale, origin, renamed, show, why_this_value

NUMBERS = [spec for spec in field_specs() if spec.kind in ("int", "float")]


@pytest.mark.parametrize("spec", NUMBERS, ids=lambda spec: spec.name)
def test_that_a_scale_reaches_both_ends_and_never_falls(spec: FieldSpec) -> None:
    scale = SliderScale.of(spec)
    values = [scale.value(position) for position in range(scale.positions + 1)]
    assert (values[0], values[-1]) == (spec.low, spec.high)
    assert values == sorted(values)
    assert all(spec.low <= value <= spec.high for value in values)


@pytest.mark.parametrize("spec", NUMBERS, ids=lambda spec: spec.name)
def test_that_a_value_set_by_the_slider_puts_the_slider_back_where_it_was(spec: FieldSpec) -> None:
    scale = SliderScale.of(spec)
    for position in range(scale.positions + 1):
        value = scale.value(position)
        again = scale.value(scale.position(value))
        assert again == pytest.approx(value, rel=0.02 if scale.bend else 0, abs=1e-9)


@given(st.sampled_from(NUMBERS), st.data())
def test_that_every_value_of_a_field_has_a_position(spec: FieldSpec, data: st.DataObject) -> None:
    scale = SliderScale.of(spec)
    value = data.draw(st.floats(spec.low, spec.high))
    assert 0 <= scale.position(value) <= scale.positions


def test_that_a_large_range_is_fine_near_the_default() -> None:
    window = next(spec for spec in NUMBERS if spec.name == "window")
    scale = SliderScale.of(window)
    at = scale.position(128_000)
    assert abs(scale.value(at) - 128_000) < 5_000
    assert 0.2 < at / scale.positions < 0.8


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.name)
def test_that_a_preset_keeps_its_name_and_a_changed_one_gets_a_star(preset: object) -> None:
    profile = load(preset.name)  # type: ignore[attr-defined]
    assert renamed(profile).name == profile.name
    changed = renamed(profile.with_values(standby_calls=77))
    assert changed.name == f"{profile.name}*"
    assert renamed(changed.with_values(standby_calls=profile.standby_calls)) == profile


def test_that_a_value_says_where_it_came_from() -> None:
    profile = load("tight-32k").with_values(trim_target=0.3)
    assert origin(profile, "window") == "set by the preset tight-32k"
    assert origin(profile, "trim_target") == "changed by you"
    assert origin(profile, "timeout_s") == "the default"


def test_that_values_carry_their_unit() -> None:
    specs = {spec.name: spec for spec in field_specs()}
    assert show(specs["trim_target"], 0.38) == "0.38 of C"
    assert show(specs["protect_first_n"], 3) == "3 exchanges"
    assert show(specs["offload_tokens"], 1_400) == "1,400 tokens"
    assert show(specs["quota_borrowing"], False) == "off"
    assert show(specs["pressure_basis"], "full_log") == "full log"


def test_that_the_help_names_value_origin_default_and_range() -> None:
    spec = next(spec for spec in NUMBERS if spec.name == "trim_target")
    said = why_this_value(Profile(trim_target=0.38), spec)
    assert "Now 0.38 of C, changed by you." in said
    assert "Default 0.45 of C." in said
    assert "Range 0.05 to 1." in said
