from __future__ import annotations

from typing import get_args

import pytest
from pydantic import ValidationError

from ravenglass.rules import (
    DEFAULT_PIN_RULES,
    DEFAULT_RELIABILITY,
    DEFAULT_TIER_RULES,
    TIERS,
    PinRule,
    SourceName,
    TierName,
    TierRule,
)


@pytest.mark.rule("4.6")
def test_that_the_tiers_are_ordered_from_the_strongest_to_the_weakest() -> None:
    assert TIERS == ("global", "session", "task", "atomic")
    assert set(TIERS) == set(get_args(TierName))


def test_that_the_last_default_rule_matches_everything() -> None:
    assert DEFAULT_TIER_RULES[-1] == TierRule(tier="task")
    assert TierRule(tier="task").model_dump() == {
        "tier": "task", "role": "*", "source": "*", "tool": "*", "path": "*", "closing": None,
    }  # fmt: skip


@pytest.mark.rule("5.23")
def test_that_every_kind_of_source_has_a_reliability_between_none_and_full() -> None:
    assert set(DEFAULT_RELIABILITY) == set(get_args(SourceName))
    assert all(0 <= value <= 1 for value in DEFAULT_RELIABILITY.values())
    assert {k: DEFAULT_RELIABILITY[k] for k in ("user_input", "git_diff", "tool_result", "lsp_symbol")} == {
        "user_input": 1.0,
        "git_diff": 0.9,
        "tool_result": 0.8,
        "lsp_symbol": 0.8,
    }
    assert {k: DEFAULT_RELIABILITY[k] for k in ("assistant", "summary")} == {"assistant": 0.6, "summary": 0.5}


@pytest.mark.rule("6.24")
def test_that_skill_reads_are_pinned_by_default() -> None:
    assert PinRule(argument="*local/subagent-dag-orchestration*") in DEFAULT_PIN_RULES


@pytest.mark.parametrize(
    "values", [{"tier": "local"}, {}, {"tier": "task", "glob": "*"}, {"tier": "task", "closing": 3}]
)
def test_that_a_tier_rule_with_a_wrong_part_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TierRule(**values)


def test_that_a_pin_rule_needs_something_to_look_for() -> None:
    with pytest.raises(ValidationError):
        PinRule(argument="")
