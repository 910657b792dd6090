from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ravenglass.errors import ProfileError
from ravenglass.presets import PRESETS, Preset, load, preset, to_toml, with_settings
from ravenglass.profile import Profile, field_specs, make_profile
from ravenglass.rules import DEFAULT_RELIABILITY, SECTIONS, PinRule, TierRule

NAMES = [p.name for p in PRESETS]


def _values() -> st.SearchStrategy[dict[str, Any]]:
    """Some fields with values from their ranges."""
    fields: dict[str, st.SearchStrategy[Any]] = {}
    for spec in field_specs():
        match spec.kind:
            case "int":
                fields[spec.name] = st.integers(int(spec.low), int(spec.high))
            case "float":
                fields[spec.name] = st.floats(spec.low, spec.high)
            case "bool":
                fields[spec.name] = st.booleans()
            case "choice":
                fields[spec.name] = st.sampled_from(spec.choices)
    words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
    rules = st.builds(
        TierRule,
        tier=st.sampled_from(("global", "task")),
        tool=words,
        path=words,
        closing=st.none() | st.booleans(),
    )
    shares = st.floats(0, 1)
    fields |= {
        "name": words,
        "reliability": st.dictionaries(st.sampled_from(list(DEFAULT_RELIABILITY)), shares),
        "tier_rules": st.lists(rules, max_size=3).map(tuple),
        "section_order": st.permutations(SECTIONS).map(tuple),
        "pin_rules": st.lists(st.builds(PinRule, tool=words, argument=words), max_size=2).map(tuple),
    }
    tables = ("name", "reliability", "tier_rules", "pin_rules", "section_order")
    chosen = st.lists(st.sampled_from(list(fields)), max_size=5, unique=True)
    table = st.sampled_from(tables)
    return st.tuples(chosen, table).flatmap(
        lambda drawn: st.fixed_dictionaries({name: fields[name] for name in dict.fromkeys((*drawn[0], drawn[1]))})
    )


def _legal(values: dict[str, Any]) -> Profile:
    """The profile of the values; gives up on values that contradict each other."""
    try:
        return make_profile(**values)
    except ProfileError:
        assume(False)
        raise


@pytest.mark.rule("3.19")
def test_that_the_presets_are_those_of_the_design() -> None:
    assert {p.name: p.differences for p in PRESETS} == {
        "default": {},
        "claude-200k": {"window": 200_000},
        "tight-32k": {"window": 32_000},
        "strict-quota": {"trim_target": 1.0},
        "balanced": {"quota_borrowing": True},
        "cache-first": {"fast_path_threshold": 0.85, "trim_target": 0.30},
        "raven": {"window": 65_536, "pressure_basis": "full_log"},
        "lingmiao": {"eager_lifecycle": True, "trim_target": 1.0},
    }


@pytest.mark.rule("3.20")
@pytest.mark.parametrize("one", PRESETS, ids=NAMES)
def test_that_a_preset_is_its_differences_from_the_default_and_says_what_it_is_for(one: Preset) -> None:
    profile = one.profile()
    assert profile.name == one.name
    assert profile.changed() == one.differences
    assert one.purpose.endswith(".")


def test_that_the_tight_preset_leaves_21_000_tokens() -> None:
    assert preset("tight-32k").profile().available() == 21_000


@pytest.mark.parametrize("name", NAMES)
def test_that_a_preset_loads_by_its_name(name: str) -> None:
    assert load(name) == preset(name).profile()


def test_that_a_preset_wins_over_a_folder_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "raven").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load("raven").window == 65_536


def test_that_an_unknown_name_lists_the_presets_there_are() -> None:
    with pytest.raises(ProfileError) as caught:
        load("tight")
    assert caught.value.field == "name"
    assert all(name in str(caught.value) for name in NAMES)


@given(_values())
def test_that_loading_inverts_writing(tmp_path_factory: pytest.TempPathFactory, values: dict[str, Any]) -> None:
    profile = _legal(values)
    path = tmp_path_factory.getbasetemp() / "inverse.toml"
    path.write_text(to_toml(profile), encoding="utf-8", newline="")
    assert load(path) == profile
    assert to_toml(load(path)) == to_toml(profile)


def test_that_rules_are_written_without_the_parts_they_leave_open(tmp_path: Path) -> None:
    profile = make_profile(tier_rules=(TierRule(tier="task"), TierRule(tier="atomic", tool="Read", closing=False)))
    path = tmp_path / "rules.toml"
    path.write_text(to_toml(profile), encoding="utf-8")
    assert load(path) == profile
    assert path.read_text(encoding="utf-8").count("closing") == 1


def test_that_a_written_profile_holds_only_what_differs() -> None:
    assert to_toml(Profile()) == 'name = "default"\n'
    assert to_toml(make_profile(name="half", window=64_000)) == 'name = "half"\nwindow = 64000\n'


def test_that_a_file_without_a_name_is_called_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("window = 64_000\n[reliability]\nassistant = 0.9\n", encoding="utf-8")
    profile = load(str(path))
    assert (profile.name, profile.window) == ("mine", 64_000)
    assert profile.reliability == {**DEFAULT_RELIABILITY, "assistant": 0.9}


def test_that_a_profile_file_needs_no_ending(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("window = 64_000\n", encoding="utf-8")
    assert load(str(path)).window == 64_000


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        (b"window = 64_000\nquota_task = 0.9\n", "quota_global", "add up to 1.50"),
        (b"window = 64_000\nwindw = 3\n", "windw", "there is no such field"),
        (b"[window]\nsize = 3\n", "window", "valid integer"),
        (b"window = 2026-01-01\n", "window", "valid integer"),
        (b"output_reserve = nan\n", "output_reserve", "not nan"),
        (b"reliability = 0.5\n", "reliability", "dictionary"),
        (b"window = \n", "", "is not valid TOML"),
        (b"window = 1\nwindow = 2\n", "", "is not valid TOML"),
        (b'{"window": 1}', "", "is not valid TOML"),
        (b"window = " + b"[" * 20_000, "", "nested too deeply"),
        (b"\xff\xfe\x00", "", "is not UTF-8 text"),
    ],
)
def test_that_a_bad_file_is_refused_with_its_name_and_the_field(
    tmp_path: Path, content: bytes, field: str, words: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(ProfileError) as caught:
        load(path)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_that_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ProfileError, match="cannot be read") as caught:
        load(tmp_path / name)
    assert str(tmp_path) in str(caught.value)


def test_that_settings_change_the_fields_they_name() -> None:
    profile = with_settings(
        Profile(), ["trim-target = 0.5", "window=64000", "quota_borrowing=true", "task_boundary=todo"]
    )
    assert profile.changed() == {
        "trim_target": 0.5,
        "window": 64_000,
        "quota_borrowing": True,
        "task_boundary": "todo",
    }
    assert profile.name == "default*"


def test_that_settings_that_are_only_legal_together_are_taken_together() -> None:
    profile = with_settings(Profile(), ["quota_task=0.7", "quota_global=0", "quota_session=0.2"])
    assert profile.quotas == {"global": 0, "session": 0.2, "task": 0.7, "atomic": 0.1}


def test_that_settings_mark_the_name_once_and_only_where_they_do_not_give_one() -> None:
    once = with_settings(preset("raven").profile(), ["window=64000"])
    assert with_settings(once, ["window=32000"]).name == "raven*"
    assert with_settings(once, ["window=32000", "name=mine"]).name == "mine"
    assert with_settings(once, []) is once


@pytest.mark.parametrize(
    ("setting", "field", "words"),
    [
        ("window", "window", "name=value"),
        ("windw=1", "windw", "there is no such field"),
        ("window=many", "window", "valid integer"),
        ("window=10", "window", "greater than or equal to 1000"),
        ("window=", "window", "valid integer"),
        ("quota_task=0.9", "quota_global", "add up to 1.50"),
        ("tier_rules=task", "tier_rules", "tuple"),
        ("name=", "name", "at least 1 character"),
        ("", "", "name=value"),
    ],
)
def test_that_a_bad_setting_names_the_field(setting: str, field: str, words: str) -> None:
    with pytest.raises(ProfileError) as caught:
        with_settings(Profile(), [setting])
    assert caught.value.field == field
    assert words in str(caught.value)


@given(_values())
def test_that_a_value_written_as_a_setting_means_what_it_meant_in_a_file(values: dict[str, Any]) -> None:
    plain = {n: v for n, v in values.items() if n not in ("name", "reliability", "tier_rules", "pin_rules")}
    profile = _legal(plain)
    settings = [f"{name}={', '.join(value) if isinstance(value, tuple) else value}" for name, value in plain.items()]
    assert with_settings(Profile(), settings).changed() == profile.changed()
