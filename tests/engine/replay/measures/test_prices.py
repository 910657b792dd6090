"""What input costs: fresh, read, written for five minutes or an hour; and usages that say nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ravenglass.profile import Profile
from ravenglass.replay.bulk import replay
from ravenglass.replay.measures.prices import InputTokens, price_of_new
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session, Usage
from tests.engine.builders import assistant, filler, session, user
from tests.engine.sessions.conftest import assistant as record
from tests.engine.sessions.conftest import encoded, say
from tests.engine.sessions.conftest import user as asked

PRICES = Profile(price_input=3, price_cached=0.3, price_write_5m=3.75, price_write_1h=6)


def talk(*usages: Usage) -> Session:
    turns = [(user(filler(50)), replace(assistant("done"), usage=usage)) for usage in usages]
    return session(*(message for turn in turns for message in turn))


def test_that_each_kind_of_token_has_its_price() -> None:
    found = InputTokens.of([Usage(1_000_000, 5, 400_000, 300_000, 100_000)])
    assert found == InputTokens(300_000, 400_000, 200_000, 100_000)
    assert found.cost(PRICES) == pytest.approx(0.9 + 0.12 + 0.75 + 0.6)


def test_that_writes_of_an_unknown_lifetime_are_for_five_minutes() -> None:
    assert InputTokens.of([Usage(100, 1, 0, 80)]) == InputTokens(20, 0, 80, 0)


def test_that_the_recorded_cost_has_what_was_written_at_its_price() -> None:
    run = recorded_run(talk(Usage(10_000, 1, 0, 9_000, 9_000), Usage(12_000, 1, 9_000, 3_000)), PRICES)
    assert run.metrics.cost == pytest.approx((1_000 * 3 + 9_000 * 6 + 9_000 * 0.3 + 3_000 * 3.75) / 1e6)


def test_that_new_tokens_of_a_simulated_run_are_written_as_the_record_wrote_its_own() -> None:
    silent = talk(Usage(10_000, 1, 0, None), Usage(12_000, 1, 9_000, None))
    assert price_of_new(silent, PRICES) == 3
    assert price_of_new(talk(Usage(10_000, 1, 0, 10_000, 10_000)), PRICES) == pytest.approx(6)
    assert price_of_new(talk(Usage(10_000, 1, 0, 5_000)), PRICES) == pytest.approx((3 + 3.75) / 2)
    written = replay(talk(Usage(10_000, 1, 0, 10_000), Usage(12_000, 1, 10_000, 2_000)), PRICES)
    assert written.metrics.cost > replay(silent, PRICES).metrics.cost


def test_that_zeros_are_unknown_whatever_the_format() -> None:
    made = talk(Usage(0, 0, 0, 0), Usage(0, 7, None, None), Usage(500, 0, 0, 0))
    assert [m.usage for m in made.messages if m.role == "assistant"] == [None, Usage(None, 7), Usage(500, 0, 0, 0)]


def test_that_lifetimes_are_read_and_stand_for_a_missing_sum(tmp_path: Path) -> None:
    usage = {
        "input_tokens": 5, "output_tokens": 9, "cache_read_input_tokens": 100,
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 300},
    }  # fmt: skip
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join(encoded(line) for line in (asked("go"), record(say("done"), usage=usage))) + b"\n")
    assert open_session(path).messages[1].usage == Usage(425, 9, 100, 320, 300)


def test_that_no_more_is_written_for_an_hour_than_is_written() -> None:
    assert InputTokens.of([Usage(100, 1, 0, 80, 300)]) == InputTokens(20, 0, 0, 80)
