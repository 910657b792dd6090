"""Estimates against reported figures: what is counted, what is fitted, and how honest the errors are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ravenglass.profile import Profile
from ravenglass.replay.measures.fitting.fidelity import FOLDS, fidelity
from ravenglass.replay.measures.fitting.fitted import Errors, Fidelity
from ravenglass.replay.measures.fitting.weights import CALL_FRAME, weights
from ravenglass.sessions.model.session import Marker, Part, Session
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.recorded_sessions import compacted, talk, usage


def fitted(made: Session) -> Fidelity:
    found = fidelity(made, Profile())
    assert found is not None
    return found


def with_figures(made: Session, figures: dict[int, int]) -> Session:
    """Reported figures by the message that a call produced."""
    named = (replace(m, usage=usage(figures[m.id])) if m.id in figures else m for m in made.messages)
    return replace(made, messages=tuple(named))


def test_that_the_fit_finds_scale_and_the_overhead_of_every_segment() -> None:
    found = fitted(compacted(offset=1_000, scale=1.5, after=400))
    assert found.scale == pytest.approx(1.5, abs=0.01)
    assert found.overheads == pytest.approx({0: 1_000, 1: 1_400}, abs=3)
    assert found.base_overhead == pytest.approx(1_000, abs=3)
    assert found.errors.largest < 0.002
    assert found.plausible


def test_that_parameters_are_counted_against_calls() -> None:
    found = fitted(compacted())
    assert (found.parameters, found.reported, found.errors.calls, found.thinking) == (3, 12, 12, "none")
    assert len(found.calls) == 12


def test_that_held_out_calls_are_judged_by_a_fit_that_had_not_seen_them() -> None:
    found = fitted(compacted())
    assert FOLDS == 5
    assert found.held_out is not None
    assert found.held_out.calls == 12
    assert found.held_out.median < 0.01
    # A single wild figure is no error of the others, but its own in both.
    made = compacted()
    call_4 = made.structure.calls[3].message
    wild = with_figures(made, {call_4: 9_000})
    assert fitted(wild).errors.largest > 0.5
    held = fitted(wild).held_out
    assert held is not None
    assert held.largest > 0.5
    assert held.median < 0.02


def test_that_the_share_of_the_recorded_content_is_not_flattered_by_the_overhead() -> None:
    small, large = fitted(compacted(offset=1_000)), fitted(compacted(offset=100_000))
    assert large.errors.median < small.errors.median
    assert large.content_error == pytest.approx(small.content_error, rel=0.5)


def test_that_a_segment_with_too_few_figures_is_not_judged() -> None:
    made = compacted()
    late = [c.message for c in made.structure.calls[6:]]
    keep = set(late[:2])
    messages = tuple(replace(m, usage=None) if m.id in late and m.id not in keep else m for m in made.messages)
    found = fitted(replace(made, messages=messages))
    assert (found.reported, found.errors.calls, found.parameters) == (8, 6, 2)
    assert found.calls[6].reported is not None
    assert (found.calls[6].fitted, found.calls[6].error) == (None, None)


def test_that_a_call_without_a_figure_is_estimated_and_not_judged() -> None:
    made = compacted()
    third = made.structure.calls[2].message
    expected = made.messages[third].usage
    assert expected is not None
    assert expected.context is not None
    messages = tuple(replace(m, usage=None) if m.id == third else m for m in made.messages)
    one = fitted(replace(made, messages=messages)).calls[2]
    assert (one.reported, one.error) == (None, None)
    assert one.fitted == pytest.approx(expected.context, rel=0.01)


@pytest.mark.parametrize("figures", [{}, {1: 0, 3: 0, 5: 0, 7: 0}, {1: 500}, {1: 500, 3: 900}])
def test_that_too_few_figures_give_no_fit(figures: dict[int, int]) -> None:
    assert fidelity(with_figures(talk(), figures), Profile()) is None


def test_that_a_scale_which_no_two_token_tables_have_is_not_plausible() -> None:
    made = with_figures(talk(), {1: 1_000, 3: 9_000, 5: 20_000, 7: 50_000})
    assert not fitted(made).plausible
    constant = with_figures(talk(), dict.fromkeys((1, 3, 5, 7), 4_912))
    assert not fitted(constant).plausible


def steady(figures: list[int], models: list[str] | None = None, calls: int = 0) -> Session:
    """Calls with results of 1,000 words each; the reported figure of call n is 20,000 + 1.2 times what the record holds
    + `figures[n]`."""
    messages = []
    for number in range(calls or len(figures)):
        answer = assistant("", call("Read", file_path=f"{number}.py"), model=models[number] if models else None)
        messages += [user(f"do {number}"), answer, result(filler(1_000))]
    made = session(*messages)
    fixed = weights(made, Profile()).fixed
    more = {c.message: figures[c.number - 1] for c in made.structure.calls}
    return with_figures(made, {m: round(20_000 + 1.2 * sum(fixed[:m])) + extra for m, extra in more.items()})


def test_that_a_fall_which_nothing_explains_is_a_shift_and_begins_a_segment() -> None:
    found = fitted(steady([0] * 8 + [-6_000] * 8))
    (shift,) = found.shifts
    assert shift.call == 9
    assert shift.tokens == pytest.approx(-6_000, abs=60)
    assert found.overheads == pytest.approx({0: 20_000, 1: 14_000}, abs=60)
    assert found.errors.p95 < 0.005
    # What left is not known, so a simulated window is not told to be smaller for it.
    assert found.base_overhead == pytest.approx(20_000, abs=60)


def test_that_a_fall_at_the_last_call_is_told_and_its_call_not_judged() -> None:
    found = fitted(steady([0] * 9 + [-9_000]))
    assert [shift.call for shift in found.shifts] == [10]
    assert found.calls[-1].error is None
    assert found.errors.calls == 9


def test_that_one_figure_that_is_off_by_itself_is_no_shift() -> None:
    assert fitted(steady([0] * 5 + [-9_000] + [0] * 5)).shifts == ()


def test_that_a_rise_which_stays_is_a_shift_but_not_where_figures_rise_all_the_time() -> None:
    assert [shift.call for shift in fitted(steady([0] * 6 + [8_000] * 6)).shifts] == [7]
    assert fitted(steady([4_000 * (number // 4) for number in range(24)])).shifts == ()


def test_that_thresholds_of_shifts_are_fields_of_the_profile() -> None:
    made = steady([0] * 8 + [-6_000] * 8)
    deaf = fidelity(made, Profile().with_values(fit_shift_tokens=50_000))
    assert deaf is not None
    assert deaf.shifts == ()


def test_that_every_model_has_a_scale_and_an_overhead_of_its_own() -> None:
    models = ["small" if number % 3 == 1 else "large" for number in range(18)]
    made = steady([0] * 18, models)
    reported = {
        c.message: (usage_of(made, c.message) - 20_000) * 3 // 2 + 5_000
        for c in made.structure.calls
        if made.messages[c.message].model == "small"
    }
    found = fitted(with_figures(made, reported))
    assert {m.model: m.scale for m in found.models} == pytest.approx({"large": 1.2, "small": 1.8}, abs=0.01)
    assert found.models[0].model == "large"
    assert (found.shifts, found.level, len(found.overheads)) == ((), "good", 2)
    assert found.errors.p95 < 0.002


def usage_of(made: Session, message: int) -> int:
    reported = made.messages[message].usage
    assert reported is not None
    assert reported.context is not None
    return reported.context


def test_that_an_unfit_fit_says_why_and_is_not_trusted() -> None:
    found = fitted(steady([0, 30_000] * 10))
    assert (found.level, found.trusted) == ("unfit", False)
    assert "The fit is unfit" in found.doubt
    assert "sub-agents or side requests" in found.doubt
    good = fitted(steady([0] * 10))
    assert (good.level, good.trusted, good.doubt) == ("good", True, "")


def thinking_session(*, kept: bool) -> Session:
    """Long thinking in every turn; reported figures with or without that of earlier turns."""
    messages = []
    for number in range(8):
        messages += [
            user(filler(20)),
            assistant(filler(5), call("Read", file_path=f"{number}.py"), thinking=filler(300)),
            result(filler(30)),
            assistant(filler(10)),
        ]
    made = session(*messages)
    weighed = weights(made, Profile())
    figures = {}
    for one in made.structure.calls:
        turn = max(m.id for m in made.messages[: one.message] if m.role == "user")
        total = sum(weighed.fixed[: one.message])
        total += sum(weighed.thinking[m] for m in range(one.message) if kept or m > turn)
        figures[one.message] = round(30_000 + 1.2 * total)
    return with_figures(made, figures)


@pytest.mark.parametrize("kept", [True, False])
def test_that_whether_earlier_thinking_stayed_is_told_by_the_figures(*, kept: bool) -> None:
    found = fitted(thinking_session(kept=kept))
    assert found.thinking == ("kept" if kept else "dropped")
    assert found.scale == pytest.approx(1.2, abs=0.01)
    assert found.errors.p95 < 0.001
    assert found.parameters == 3


def test_that_a_tool_call_weighs_its_frame_and_hidden_thinking_its_length() -> None:
    made = session(user("go"), assistant("", call("Read", file_path="a.py"), thinking="hm"), result("x"))
    plain = weights(made, Profile())
    thought = replace(made.messages[1], hidden=4_400)
    more = weights(replace(made, messages=(made.messages[0], thought, made.messages[2]), derived={}), Profile())
    assert more.thinking[1] - plain.thinking[1] == pytest.approx(1_000)
    assert more.fixed == plain.fixed
    bare = session(user("go"), assistant(""), derived={})
    assert plain.fixed[1] - weights(bare, Profile()).fixed[1] > CALL_FRAME


def test_that_arguments_which_are_not_sent_weigh_nothing() -> None:
    made = session(user("go"), assistant("", call("ExitPlanMode", plan=filler(500))))
    recorded = made.messages[1]
    unsent = len(recorded.tool_calls[0].arguments) - 2
    less = replace(made, messages=(made.messages[0], replace(recorded, unsent=unsent)), derived={})
    assert weights(made, Profile()).fixed[1] - weights(less, Profile()).fixed[1] == pytest.approx(500, abs=12)


def test_that_what_was_never_sent_weighs_nothing() -> None:
    made = session(user("go"), assistant(filler(100), flags=["api_error"]))
    assert (weights(made, Profile()).fixed[1], weights(made, Profile()).thinking[1]) == (0, 0)


def test_that_cleared_results_weigh_their_note() -> None:
    made = with_figures(talk(), {1: 1_000, 3: 1_100, 5: 1_200, 7: 1_300})
    big = replace(made.messages[2], parts=result(filler(2_000)).parts)
    whole = replace(made, messages=(*made.messages[:2], big, *made.messages[3:]), derived={})
    clearing = Marker("clearing", 7, keep=None, cleared=(2,))
    cleared = replace(whole, markers=(clearing,), derived={})
    before, after = fidelity(whole, Profile()), fidelity(cleared, Profile())
    assert before is not None
    assert after is not None
    assert before.calls[3].raw - after.calls[3].raw == pytest.approx(2_000, abs=15)
    assert before.calls[2].raw == after.calls[2].raw


def test_that_a_percentile_is_the_nearest_rank() -> None:
    found = Errors.of([n / 100 for n in range(100, 0, -1)])
    assert found == Errors(100, 0.505, 0.95, 1.0)
    assert Errors.of([]) is None
    assert Errors.of([0.5]) == Errors(1, 0.5, 0.5, 0.5)


def test_that_the_fit_is_made_once_per_session_and_table() -> None:
    made = compacted()
    assert fidelity(made, Profile()) is fidelity(made, Profile(trim_target=0.9))
    assert fidelity(made, Profile()) is not fidelity(made, Profile(tokenizer="cl100k_base"))


@pytest.mark.parametrize("cleared", [(99,), (-2,), (2, 99)])
def test_that_a_marker_that_names_messages_which_are_not_there_breaks_no_fit(cleared: tuple[int, ...]) -> None:
    made = replace(compacted(), markers=(Marker("clearing", 4, keep=None, cleared=cleared),))
    known = tuple(m for m in cleared if 0 <= m < len(made.messages))
    without = replace(made, markers=(Marker("clearing", 4, keep=None, cleared=known),), derived={})
    assert [c.raw for c in fitted(made).calls] == [c.raw for c in fitted(without).calls]


def test_that_a_record_of_placeholders_is_not_judged_and_says_so() -> None:
    said = (replace(m, parts=(Part("text", f"[REDACTED len={m.id}]"),)) for m in steady([0] * 12).messages)
    found = fitted(replace(steady([0] * 12), messages=tuple(said)))
    assert (found.replaced, found.trusted) == (True, False)
    assert "36 of 48" in found.doubt
    assert "'[REDACTED len=" in found.doubt
    assert not fitted(steady([0] * 12)).replaced
