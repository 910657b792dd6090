"""What the record says of its calls, arranged for the timeline, for hand-made and random sessions."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions.model.session import Marker, Session
from ravenglass_gui.state.recorded.kept import keep_recorded
from ravenglass_gui.state.recorded.told import provider_line, record_marks, reported_in_our_tokens, signed
from ravenglass_gui.state.shown import RECORDED_WORDS, provider_words, words
from ravenglass_gui.views.timeline.series import RECORD, series
from tests.engine.replay.recorded_sessions import compacted, marked_sessions, shifted, talk
from tests.proofs import examples


def test_that_a_mark_stands_at_the_first_call_made_after_it() -> None:
    made = talk(Marker("compaction", 5, "auto", keep=(0, 2), tokens_after=400), Marker("rollback", 99, keep=None))
    (mark,) = record_marks(made)
    assert (mark.kind, mark.call) == ("compaction", 3)
    assert mark.call == recorded_run(made).applied[0].call
    assert mark.text == (
        "recorded compaction before this call; auto; 2 earlier messages stayed in the window;"
        " 400 tokens after, as the writer says"
    )


def test_that_the_error_is_signed_as_the_estimate_stands_to_the_reported_figure() -> None:
    assert [signed(share) for share in (0.004, -0.004, 0.0, -0.0001, 1.5)] == [
        "+0.4 %", "−0.4 %", "±0.0 %", "±0.0 %", "+150.0 %",
    ]  # fmt: skip
    run = recorded_run(compacted())
    reported = run.usage(3).context  # type: ignore[union-attr]
    assert provider_line(run, 3) == f"provider tokens {reported:,} (reported), estimate {reported:,} (±0.0 %)"


def test_that_what_is_unknown_is_said_and_never_a_number() -> None:
    run = recorded_run(talk())
    assert provider_line(run, 1) == "provider tokens unknown: none reported, no fit"
    assert reported_in_our_tokens(run) is None
    said = provider_words(run, 1)
    assert (said.text, said.short) == ("", "tokens estimated with o200k_base")
    assert "too few figures" in said.tip


def test_that_a_perfect_fit_puts_every_reported_figure_on_its_window() -> None:
    run = recorded_run(compacted())
    values = reported_in_our_tokens(run)
    assert values is not None
    assert np.allclose(values, run.window_tokens, atol=1.5)
    assert reported_in_our_tokens(run) is values


def test_that_a_fit_made_with_another_token_table_tells_nothing_about_a_run() -> None:
    made = compacted()
    keep_recorded(recorded_run(made, Profile(tokenizer="cl100k_base")))
    assert provider_words(replay(made, Profile()), 3).text == ""
    keep_recorded(recorded_run(made, Profile()))
    assert "provider tokens (estimated, fit error" in provider_words(replay(made, Profile()), 3).text


@settings(max_examples=examples(150), deadline=None)
@given(marked_sessions())
def test_that_any_session_is_drawn_with_both_its_runs_either_way(made: Session) -> None:
    simulated, recorded = replay(made, Profile()), recorded_run(made)
    keep_recorded(recorded)
    marks = record_marks(made)
    assert [mark.call for mark in marks] == [a.call for a in recorded.applied if a.call <= recorded.calls]
    for shown, other in ((simulated, recorded), (recorded, simulated)):
        drawn = series(shown, other, recorded)
        assert drawn.outline is not None
        assert list(drawn.outline) == list(other.window_tokens)
        assert drawn.top >= max([*drawn.totals, *drawn.outline], default=0)
        if drawn.reported is not None:
            known = [n for n in range(recorded.calls) if not np.isnan(drawn.reported[n])]
            assert all((usage := recorded.usage(n + 1)) is not None and usage.context for n in known)
            assert (drawn.reported[known] >= 0).all()
        for call in range(1, shown.calls + 1):
            told = drawn.describe(call)
            assert words(shown) in told
            assert ("recorded window" in told, "simulated window" in told) == (shown is simulated, shown is recorded)
        ours = [lane.event for lane in drawn.lanes if not lane.event.startswith(RECORD)]
        assert not (ours and shown is recorded)
    assert words(recorded) == RECORDED_WORDS


def test_that_changes_which_only_the_figures_tell_have_signs_of_their_own_once_the_recorded_run_is_made() -> None:
    made = shifted(*[0] * 8, *[-6_000] * 8)
    assert record_marks(made) == ()
    keep_recorded(recorded_run(made))
    (mark,) = record_marks(made)
    assert (mark.kind, mark.call) == ("fall", 9)
    assert mark.text.startswith("unexplained fall before this call; the reported figure fell by")
    lane = series(replay(made, Profile())).lanes[-1]
    assert (lane.label, lane.signs) == ("rec. unexplained fall", (RECORD + "fall",))


def test_that_an_unfit_fit_is_said_in_the_status_and_its_tip_and_nothing_is_told_in_its_terms() -> None:
    made = shifted(*[0, 30_000] * 10)
    run = recorded_run(made)
    keep_recorded(run)
    assert reported_in_our_tokens(run) is None
    said = provider_words(replay(made, Profile()), 3)
    assert (said.text, said.short) == ("", "tokens estimated with o200k_base, fit unfit")
    assert "The fit is unfit" in said.tip
    assert provider_line(run, 3).endswith("no fit to estimate them")
