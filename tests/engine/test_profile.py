from __future__ import annotations

import dataclasses
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from ravenglass.errors import ProfileError
from ravenglass.profile import FieldSpec, GroupName, Profile, field_specs, make_profile
from ravenglass.rules import DEFAULT_RELIABILITY, SECTIONS, TierRule

SPECS = {spec.name: spec for spec in field_specs()}
NUMBERS = [spec for spec in SPECS.values() if spec.kind in ("int", "float")]
TABLES = {"name", "reliability", "tier_rules", "pin_rules", "ttl_rules", "section_order"}
PURE_NUMBERS = {"weight_relevance", "weight_recency", "weight_source"}
by_name = pytest.mark.parametrize("spec", SPECS.values(), ids=list(SPECS))
numbers = pytest.mark.parametrize("spec", NUMBERS, ids=[spec.name for spec in NUMBERS])


@pytest.mark.rule("3.2", "3.4")
def test_that_the_default_budget_is_exactly_the_design() -> None:
    profile = Profile()
    assert profile.window == 128_000
    assert profile.output_tokens == 25_600
    assert profile.safety_tokens == 6_400
    assert profile.available() == 93_000
    quotas = {tier: round(share * profile.available()) for tier, share in profile.quotas.items()}
    assert quotas == {"global": 18_600, "session": 27_900, "task": 37_200, "atomic": 9_300}


@pytest.mark.rule("3.9", "5.13", "5.14", "5.22", "6.1", "6.9", "7.9", "9.1", "10.1")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("fast_path_threshold", 0.60), ("trim_target", 0.45), ("max_steps", 12), ("timeout_s", 30),
        ("fail_safe_top", 12), ("fail_safe_last", 16), ("weight_relevance", 0.6), ("weight_recency", 0.3),
        ("weight_source", 0.1), ("relevance_decay", 0.95), ("archive_below", 0.25), ("standby_calls", 40),
        ("topic_overlap", 0.15), ("protect_first_n", 3), ("protected_cap", 0.5), ("offload_tokens", 2_000),
        ("offload_after", 2), ("retrieve_tokens", 2_000), ("snippet_chars", 240), ("summary_chars", 420),
        ("keyword_count", 16), ("max_goals", 8), ("max_open_threads", 12), ("max_decisions", 20),
        ("max_line_chars", 400), ("image_tokens", 1_600), ("price_input", 3.0), ("price_cached", 0.3),
        ("cache_ttl_s", 300), ("cache_breakpoints", 4), ("rot_tokens", 200_000), ("snapshot_every_calls", 3),
        ("snapshot_tokens", 5_000), ("snapshot_keep", 3), ("rollback_drop", 0.35), ("quota_borrowing", False),
        ("eager_lifecycle", False), ("task_boundary", "topic_shift"), ("pressure_basis", "live"),
    ],
)  # fmt: skip
def test_that_a_default_is_the_figure_of_the_design(field: str, value: object) -> None:
    assert getattr(Profile(), field) == value


def test_that_a_measured_system_prompt_replaces_the_default() -> None:
    assert Profile().available(10_000) == 86_000
    assert Profile().available(0) == 96_000


def test_that_every_scalar_field_is_described() -> None:
    assert set(SPECS) == set(Profile.model_fields) - TABLES
    assert list(SPECS) == [name for name in Profile.model_fields if name in SPECS]


@by_name
def test_that_a_field_has_title_help_group_unit_and_a_legal_default(spec: FieldSpec) -> None:
    assert spec.title[0].isupper()
    assert spec.help.endswith(".")
    assert spec.group in get_args(GroupName)
    assert getattr(Profile(), spec.name) == spec.default
    if spec.kind == "choice":
        assert spec.default in spec.choices
        assert len(spec.choices) > 1
    elif spec.kind != "bool":
        assert bool(spec.unit) is (spec.name not in PURE_NUMBERS)
        assert spec.low < spec.high
        assert spec.low <= float(spec.default) <= spec.high
        assert 0 < spec.step <= spec.high - spec.low


@pytest.mark.rule("3.16")
@numbers
@pytest.mark.parametrize("end", ["low", "high"])
def test_that_a_value_past_either_end_of_its_range_is_refused_by_name(spec: FieldSpec, end: str) -> None:
    bound: float = getattr(spec, end)
    step = 1 if spec.kind == "int" else 1e-6
    outside = bound + (step if end == "high" else -step)
    with pytest.raises(ProfileError) as caught:
        make_profile(**{spec.name: int(outside) if spec.kind == "int" else outside})
    assert caught.value.field == spec.name
    assert str(caught.value).startswith(f"{spec.name}: ")


@numbers
@pytest.mark.parametrize("value", [float("nan"), float("inf"), "many", None, [1]], ids=repr)
def test_that_what_is_no_number_is_refused_by_name(spec: FieldSpec, value: object) -> None:
    with pytest.raises(ProfileError) as caught:
        make_profile(**{spec.name: value})
    assert caught.value.field == spec.name


@given(st.sampled_from(NUMBERS), st.data())
def test_that_any_value_inside_a_range_is_kept_or_named_as_contradicting_another(
    spec: FieldSpec, data: st.DataObject
) -> None:
    low, high = spec.low, spec.high
    value = data.draw(st.integers(int(low), int(high)) if spec.kind == "int" else st.floats(low, high))
    refusal: ProfileError | None = None
    try:
        profile = make_profile(**{spec.name: value})
    except ProfileError as error:
        refusal = error
    if refusal is None:
        assert getattr(profile, spec.name) == value
        assert profile.changed() == ({} if value == spec.default else {spec.name: value})
    else:
        assert refusal.field in ("window", "quota_global")


@pytest.mark.rule("3.16")
@pytest.mark.parametrize(
    ("values", "field", "words"),
    [
        ({"quota_global": 0.5}, "quota_global", "add up to 1.30 of C"),
        ({"quota_task": 0.41}, "quota_global", "add up to 1.01 of C"),
        ({"window": 4_000}, "window", "leaves nothing after the reserves"),
        ({"system_overhead": 96_000}, "window", "S 96,000"),
        ({"output_reserve": 0.9, "safety_buffer": 0.1}, "window", "O 115,200"),
        ({"output_reserve": -0.1}, "output_reserve", "greater than or equal to 0"),
        ({"system_overhead": -1}, "system_overhead", "greater than or equal to 0"),
        ({"windw": 1}, "windw", "there is no such field"),
        ({"quota_borrowing": "perhaps"}, "quota_borrowing", "valid boolean"),
        ({"task_boundary": "never"}, "task_boundary", "'todo'"),
        ({"tokenizer": "p50k_base"}, "tokenizer", "'cl100k_base'"),
        ({"max_steps": 1.5}, "max_steps", "integer"),
        ({"name": ""}, "name", "at least 1 character"),
        ({"reliability": {"assistant": 1.5}}, "reliability", "between 0 and 1"),
        ({"reliability": {"rumour": 0.5}}, "reliability", "no kind of source 'rumour'"),
        ({"reliability": 1}, "reliability", "dictionary"),
        ({"tier_rules": [{"tier": "local"}]}, "tier_rules", "tier_rules.0.tier"),
        ({"tier_rules": [{"tier": "task", "tol": "x"}]}, "tier_rules", "tier_rules.0.tol: there is no such field"),
        ({"pin_rules": [{"argument": ""}]}, "pin_rules", "pin_rules.0.argument"),
        ({"pin_rules": [{}]}, "pin_rules", "pin_rules.0.argument"),
        ({"section_order": ()}, "section_order", "once, not nothing"),
        ({"section_order": "instruction, task"}, "section_order", "has to hold each of instruction, task, session"),
        ({"section_order": (*SECTIONS[:4], "task")}, "section_order", "not instruction, task, session, global, task"),
        ({"section_order": (*SECTIONS, "task")}, "section_order", "once, not"),
        ({"section_order": (*SECTIONS[:4], "history")}, "section_order", "'atomic'"),
        ({"section_order": 5}, "section_order", "tuple"),
        ({"summary_tokens": 99}, "summary_tokens", "greater than or equal to 100"),
    ],
)
def test_that_an_invalid_profile_names_the_field_and_the_reason(
    values: dict[str, object], field: str, words: str
) -> None:
    with pytest.raises(ProfileError) as caught:
        make_profile(**values)
    assert caught.value.field == field
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_that_quotas_that_add_up_to_one_are_legal_whatever_binary_floats_say() -> None:
    shares = {"quota_global": 0.01, "quota_session": 0.2, "quota_task": 0.68, "quota_atomic": 0.11}
    assert sum(shares.values()) > 1
    assert make_profile(**shares).quotas["task"] == 0.68
    assert make_profile(quota_global=0, quota_session=0, quota_task=0, quota_atomic=0).available() == 93_000


def test_that_a_reliability_table_changes_only_the_kinds_it_names() -> None:
    profile = make_profile(reliability={"assistant": 0.9})
    assert profile.reliability == {**DEFAULT_RELIABILITY, "assistant": 0.9}


@pytest.mark.rule("5.7")
def test_that_the_section_order_is_any_order_of_the_five_also_as_one_text() -> None:
    assert Profile().section_order == ("instruction", "task", "session", "global", "atomic")
    turned = make_profile(section_order=SECTIONS[::-1])
    assert turned == make_profile(section_order="atomic, global,session ,task,instruction")
    assert turned.changed() == {"section_order": ("atomic", "global", "session", "task", "instruction")}
    assert turned.with_values(window=64_000).section_order == SECTIONS[::-1]


def test_that_a_changed_copy_leaves_the_original_alone() -> None:
    base = Profile()
    copy = base.with_values(window=64_000, name="half")
    assert (base.window, copy.window, copy.name) == (128_000, 64_000, "half")
    assert copy.changed() == {"window": 64_000}
    assert copy.changed(copy) == {}
    assert base.changed(copy) == {"window": 128_000}


def test_that_a_change_that_contradicts_the_rest_is_refused() -> None:
    with pytest.raises(ProfileError) as caught:
        Profile(window=10_000).with_values(system_overhead=9_000)
    assert caught.value.field == "window"
    with pytest.raises(ProfileError, match="there is no such field"):
        Profile().with_values(windows=1)


def test_that_a_profile_and_what_describes_it_are_immutable() -> None:
    profile = Profile()
    with pytest.raises(ValidationError):
        profile.window = 1  # type: ignore[misc]
    with pytest.raises(ValidationError):
        profile.tier_rules[0].tier = "task"  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        SPECS["window"].low = 0  # type: ignore[misc]


def test_that_rules_given_as_plain_tables_become_rules() -> None:
    profile = make_profile(tier_rules=[{"tier": "atomic", "tool": "Read"}])
    assert profile.tier_rules == (TierRule(tier="atomic", tool="Read"),)


def test_that_a_field_of_several_kinds_of_value_says_what_all_of_them_are() -> None:
    with pytest.raises(ProfileError) as caught:
        make_profile(ttl_rules=[{"tool": "Web*", "ttl": "soon"}])
    said = str(caught.value)
    assert said.startswith("ttl_rules.0.ttl: input should be a valid integer")
    assert said.endswith(" or 'until_invalidated' or 'none', not 'soon'")
