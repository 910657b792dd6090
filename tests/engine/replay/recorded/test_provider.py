"""A window in the provider's tokens, reported or estimated, for recorded and simulated runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ravenglass.profile import make_profile
from ravenglass.replay import replay
from ravenglass.replay.recorded.provider import provider_tokens
from ravenglass.replay.recorded.run import recorded_run
from tests.engine.replay.recorded_sessions import compacted, talk


def test_that_a_reported_figure_is_shown_as_it_is() -> None:
    made = compacted()
    found = provider_tokens(recorded_run(made), 3)
    usage = made.messages[made.structure.calls[2].message].usage
    assert found is not None
    assert usage is not None
    assert (found.value, found.how, found.median_error) == (usage.context, "reported", None)


def test_that_a_call_without_a_figure_is_estimated_with_the_fit_beside_it() -> None:
    made = compacted(offset=1_000, scale=1.5, after=400)
    third, tenth = (made.structure.calls[c].message for c in (2, 9))
    known = {m.id: m.usage.context for m in made.messages if m.usage is not None and m.usage.context is not None}
    messages = tuple(replace(m, usage=None) if m.id in (third, tenth) else m for m in made.messages)
    run = recorded_run(replace(made, messages=messages))
    for number, message, overhead in ((3, third, 1_000), (10, tenth, 1_400)):
        found = provider_tokens(run, number)
        assert found is not None
        assert found.how == "estimated"
        assert found.value == pytest.approx(known[message], rel=0.01)
        assert found.overhead == pytest.approx(overhead, abs=5)
        assert found.scale == pytest.approx(1.5, abs=0.01)
        assert found.median_error is not None
        assert found.p95_error is not None


def test_that_a_simulated_window_has_the_overhead_of_one_that_was_never_compacted() -> None:
    made = compacted(offset=1_000, scale=1.5, after=400)
    run = replay(made, make_profile(fast_path_threshold=1.0))
    found = provider_tokens(run, 12)
    assert found is not None
    assert found.how == "estimated"
    assert found.overhead == pytest.approx(1_000, abs=5)
    assert found.value == pytest.approx(1_000 + 1.5 * run.window(12).tokens, rel=0.01)


def test_that_without_a_fit_there_is_no_figure_to_show() -> None:
    made = talk()
    assert provider_tokens(recorded_run(made), 1) is None
    assert provider_tokens(replay(made), 1) is None


def test_that_an_implausible_fit_estimates_no_window() -> None:
    made = compacted(scale=12.0)
    first = made.structure.calls[0].message
    messages = tuple(replace(m, usage=None) if m.id == first else m for m in made.messages)
    made = replace(made, messages=messages)
    assert provider_tokens(recorded_run(made), 1) is None
    assert provider_tokens(replay(made), 1) is None
    reported = provider_tokens(recorded_run(made), 2)
    assert reported is not None
    assert reported.how == "reported"


@pytest.mark.parametrize("number", [0, 99])
def test_that_a_call_which_is_not_there_is_an_index_error(number: int) -> None:
    made = compacted()
    for run in (recorded_run(made), replay(made)):
        with pytest.raises(IndexError):
            provider_tokens(run, number)
