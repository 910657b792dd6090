"""The recorded run: windows from markers alone, reported figures beside them, nothing decided by this engine."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass.errors import RavenglassError
from ravenglass.hub.item import Form, State
from ravenglass.replay import replay
from ravenglass.replay.measures.fitting.weights import CLEARED
from ravenglass.replay.recorded.run import RecordedRun, recorded_run
from ravenglass.rules import TIERS
from ravenglass.sessions.model.session import Marker, Session
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.replay.recorded_sessions import marked_sessions, shifted, talk, usage
from tests.proofs import examples

COMPACTED = Marker("compaction", 5, "auto", keep=(0, 2))
CLEARING = Marker("clearing", 5, "1 cleared", keep=None, cleared=(2,))


def ids(run: RecordedRun, call_number: int) -> list[int | None]:
    return [message.id for message in run.window(call_number).messages]


def test_that_without_markers_every_window_holds_all_that_came_before() -> None:
    run = recorded_run(talk())
    assert [ids(run, c) for c in range(1, 5)] == [[0], [0, 1, 2], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5, 6]]
    assert run.metrics.evictions == run.metrics.cache_breaks == 0
    assert run.applied == ()


def test_that_every_path_is_recorded_and_none_of_a_simulated_run_is() -> None:
    made = talk(COMPACTED)
    assert set(recorded_run(made).paths) == {"recorded"}
    assert "recorded" not in set(replay(made).paths)
    assert {run.window(1).path for run in (recorded_run(made),)} == {"recorded"}
    assert (recorded_run(made).metrics.fast, recorded_run(made).metrics.slow) == (0, 0)


def test_that_a_compaction_leaves_what_it_kept_and_what_follows() -> None:
    run = recorded_run(talk(COMPACTED))
    assert [ids(run, c) for c in (2, 3, 4)] == [[0, 1, 2], [0, 2], [0, 2, 5, 6]]
    assert run.totals(3).evicted == 1
    assert run.metrics.evictions == 1
    assert run.frame(3).cache_break == "#1 Read"
    assert run.frame(3).changed == {1}
    assert run.markers()["summarized"] == (3,)


def test_that_half_a_group_in_the_window_is_half_in_every_view() -> None:
    """The call of #2 is out, its result stayed: the group is partial, the rows say which half."""
    run = recorded_run(talk(COMPACTED))
    rows = {m: run.row(3, m) for m in range(run.rows(3))}
    assert [(m, row.included, row.form) for m, row in rows.items()] == [
        (0, True, Form.FULL),
        (1, False, Form.OUT),
        (2, True, Form.FULL),
        (3, False, Form.OUT),
        (4, False, Form.OUT),
    ]
    assert run.query(3, "flag:included") == [0, 2]
    assert [run.in_window(3, m) for m in range(5)] == [True, False, True, False, False]
    assert [run.state(3, m) for m in (0, 1)] == [State.ACTIVE, State.STANDBY]
    assert run.frame(3).included == 2


def test_that_why_names_what_the_writer_did_and_never_a_score() -> None:
    run = recorded_run(talk(COMPACTED))
    assert run.why(3, 1).headline == "It is out because before call 3 the writer compacted its window (auto)."
    assert run.why(3, 1).decided_at == 3
    assert run.why(3, 2).headline == "It is in because it stayed when the writer compacted its window (auto)."
    assert run.why(2, 1).headline == "It is in because the writer sends everything since it last changed its window."
    for message in range(run.rows(4)):
        why = run.why(4, message)
        assert why.reasons[-1] == (
            "This is what was recorded; no score, quota or threshold of this engine had a part in it."
        )
        assert (why.rank, why.cut_rank, why.cut_score, why.matched) == (None, None, None, ())


def test_that_life_says_when_a_message_was_in_and_out() -> None:
    run = recorded_run(talk(COMPACTED))
    assert [(s.first, s.last, s.state, s.form) for s in run.life(1)] == [
        (2, 2, State.ACTIVE, Form.FULL),
        (3, 4, State.STANDBY, Form.OUT),
    ]
    assert [(s.first, s.last) for s in run.life(0)] == [(1, 4)]
    assert run.life(7) == ()


def test_that_a_cleared_result_is_a_note_and_its_call_stays() -> None:
    run = recorded_run(talk(CLEARING))
    (note,) = [message for message in run.window(3).messages if message.id == 2]
    assert (note.text, note.verbatim, note.added) == (CLEARED, False, True)
    assert [message.added for message in run.window(4).messages if message.id == 2] == [False]
    assert ids(run, 3) == [0, 1, 2, 3, 4]
    assert run.row(3, 2).form is Form.PARTIAL
    assert "stub" in run.row(3, 2).flags
    assert "stub" not in run.row(3, 1).flags
    assert run.why(3, 2).headline == (
        "It is in as a note only: before call 3 the writer cleared results from its window (1 cleared)."
    )
    assert [(s.first, s.last, s.form) for s in run.life(2)] == [(2, 2, Form.FULL), (3, 4, Form.PARTIAL)]
    assert run.markers()["offloaded"] == (3,)


def test_that_a_rollback_whose_messages_are_elsewhere_takes_nothing_out() -> None:
    run = recorded_run(talk(Marker("rollback", 5, "rewound", keep=None)))
    assert ids(run, 4) == [0, 1, 2, 3, 4, 5, 6]
    assert run.markers()["rolled_back"] == (3,)
    assert run.totals(3).evicted == 0


@pytest.mark.parametrize("kind", ["consolidated", "resume", "rollback"])
def test_that_the_other_kinds_take_out_what_they_did_not_keep(kind: str) -> None:
    run = recorded_run(talk(Marker(kind, 6, keep=(3, 4))))  # type: ignore[arg-type]
    assert ids(run, 3) == [0, 1, 2, 3, 4]
    assert ids(run, 4) == [3, 4, 6]


def test_that_a_marker_behind_the_last_call_has_no_effect_and_is_still_named() -> None:
    run = recorded_run(talk(Marker("compaction", 8)))
    assert ids(run, 4) == [0, 1, 2, 3, 4, 5, 6]
    assert [(applied.marker.kind, applied.call) for applied in run.applied] == [("compaction", 5)]
    assert run.markers().get("summarized", ()) == ()


def test_that_the_trace_tells_what_the_writer_did_and_what_came_back() -> None:
    run = recorded_run(talk(COMPACTED))
    first, second, last = run.events(3)
    assert (first.event, first.payload["by"], first.payload["kind"], first.payload["kept"]) == (
        "summarized", "writer", "compaction", 2,
    )  # fmt: skip
    assert (second.event, second.messages) == ("state_changed", (1,))
    assert last.event == "main_agent_result"
    assert [event.event for event in run.events(4)] == ["main_agent_result"]


def test_that_error_notices_of_the_harness_were_never_sent() -> None:
    run = recorded_run(session(user("go"), assistant("API Error: 529", flags=["api_error"]), assistant("yes")))
    assert ids(run, 1) == [0]
    assert run.why(1, 1).headline == (
        "It is out because it is an error notice of the harness, which is never sent to a model."
    )
    assert [span.form for span in run.life(1)] == [Form.OUT]


def test_that_a_record_written_twice_was_sent_once() -> None:
    twice = [assistant("yes", source_id="m1"), assistant("yes", source_id="m1", flags=["duplicate_id"])]
    other = assistant("no", source_id="m1", flags=["duplicate_id"])
    run = recorded_run(session(user("go"), *twice, other, user("on"), assistant("done", source_id="m2")))
    assert ids(run, run.calls) == [0, 1, 3, 4]
    assert run.why(run.calls, 2).headline == "It is out because it is the record of #1, written a second time."


def test_that_a_recorded_window_holds_nothing_that_the_record_does_not() -> None:
    """No placeholder for a missing result, no opening mark, no prefix before an orphan."""
    made = session(
        assistant("", call("Read", file_path="a.py")), user("go"), result("lost", to="lost"), assistant("yes")
    )
    run = recorded_run(made)
    assert [(message.id, message.text) for message in run.window(2).messages] == [(0, ""), (1, "go"), (2, "lost")]
    assert run.window(2).tokens == run.window_tokens[1]


def test_that_usage_stands_beside_the_window_and_gives_cache_and_cost() -> None:
    made = session(
        user("go"),
        assistant("a", usage=usage(1_000_000, 0)),
        user("on"),
        assistant("b", usage=usage(2_000_000, 1_000_000)),
    )
    run = recorded_run(made)
    assert [run.usage(c) for c in (1, 2)] == [usage(1_000_000, 0), usage(2_000_000, 1_000_000)]
    assert run.metrics.cache_hit == pytest.approx(1 / 3)
    assert run.metrics.cost == pytest.approx(2 * run.profile.price_input + run.profile.price_cached)
    assert run.frame(2).cache_hit == pytest.approx(0.5, abs=0.1)


def test_that_a_call_without_usage_leaves_cache_and_cost_to_our_own_figures() -> None:
    made = session(user("go"), assistant("a", usage=usage(1_000, 0)), user("on"), assistant("b"))
    run = recorded_run(made)
    assert run.usage(2) is None
    assert run.metrics.cost < 1


def test_that_there_is_no_curator_to_step_and_no_snapshot() -> None:
    run = recorded_run(talk())
    with pytest.raises(RavenglassError, match="no curator to step through"):
        run.loop(1)
    assert run.snapshots() == run.snapshots_taken() == ()
    for number in (0, 5):
        with pytest.raises(IndexError):
            run.window(number)


def test_that_a_session_without_calls_is_an_empty_run() -> None:
    run = recorded_run(session(user("hello")))
    assert run.calls == 0
    assert run.fidelity is None
    assert run.metrics.calls == 0


@settings(max_examples=examples(60))
@given(marked_sessions())
def test_that_any_markers_give_windows_of_known_messages_and_all_views_agree(made: Session) -> None:
    run = recorded_run(made)
    for number in range(1, run.calls + 1):
        window, frame = run.window(number), run.frame(number)
        held = [message.id for message in window.messages if message.id is not None]
        assert held == sorted(set(held))
        assert set(held) <= set(range(run.rows(number)))
        assert len(held) == len(window.messages) == frame.included == run.totals(number).included
        assert window.tokens == frame.tokens == run.window_tokens[number - 1] == sum(t.used for t in frame.tiers)
        assert sum(run.tier_tokens[tier][number - 1] for tier in TIERS) == window.tokens
        assert held == [m for m in range(run.rows(number)) if run.in_window(number, m)]
        assert held == run.query(number, "flag:included")
        _check_marker(made, run, number, held)
        if number > 1:
            before = [message.id for message in run.window(number - 1).messages]
            assert frame.evicted == len(set(before) - set(held))
            assert window.stable_prefix <= min(len(before), len(held))
            assert (frame.cache_break == "") == (window.stable_prefix == len(before))
        for message in range(run.rows(number)):
            why, row = run.why(number, message), run.row(number, message)
            assert why.included == row.included == (message in held)
            assert why.headline.startswith("It is in" if why.included else "It is out")
            spans = [span for span in why.life if span.first <= number <= span.last]
            assert [span.form is not Form.OUT for span in spans] == [message in held]
        assert [event.event for event in run.events(number)][-1] == "main_agent_result"


def _check_marker(made: Session, run: RecordedRun, number: int, held: list[int]) -> None:
    """What stands behind the last marker is there, and so is what it kept."""
    boundary = made.structure.calls[number - 1].message
    sent = [m for m in range(boundary) if not {"api_error", "duplicate_id"} & made.messages[m].flags]
    begun = sorted((marker for marker in made.markers if marker.before <= boundary), key=lambda m: m.before)
    last = max((marker.before for marker in begun), default=0)
    assert {m for m in sent if m >= last} <= set(held)
    if begun and begun[-1].keep is not None:
        kept = {m for m in begun[-1].keep if 0 <= m < begun[-1].before}
        assert set(held) == {m for m in sent if m >= begun[-1].before or m in kept}
    if not begun:
        assert held == sent


@given(marked_sessions(), st.data())
def test_that_the_recorded_run_is_the_same_every_time(made: Session, data: st.DataObject) -> None:
    one, two = recorded_run(made), recorded_run(made)
    number = data.draw(st.integers(1, one.calls))
    assert one.window(number) == two.window(number)
    assert one.frame(number) == two.frame(number)
    assert one.metrics == two.metrics


def test_that_an_unexplained_fall_is_a_marker_an_event_and_a_reason_but_takes_nothing_out() -> None:
    run = recorded_run(shifted(*[0] * 8, *[-6_000] * 8))
    (applied,) = run.applied
    assert (applied.marker.kind, applied.call, applied.marker.keep) == ("fall", 9, None)
    assert "the reported figure fell by" in applied.marker.note
    assert [event.payload["by"] for event in run.events(9) if event.event == "diagnosis"] == ["figures"]
    assert len(run.window(9).messages) == 25
    assert any("It may have left before call 9" in reason for reason in run.why(9, 2).reasons)
    assert run.markers()["diagnosis"] == (9,)
    assert run.fidelity is not None
    assert run.fidelity.level == "good"
