from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from ravenglass.hub.item import Form
from ravenglass.hub.live import Live
from ravenglass.replay import HandChange, Run, replay
from ravenglass.replay.measures.at_risk import AtRisk
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.session import SessionNeeds, needs_of
from ravenglass.replay.measures.where import Whereabouts
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.session import Marker, Message, Session
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain

TEXT = "\n".join(f"row {n}: total = price_{n} * amount" for n in range(1, 30))


@thorough
@given(any_runs())
def test_that_every_regret_is_about_something_that_the_window_did_not_hold_in_full(run: Run) -> None:
    for regret in run.regrets:
        assert regret.response == run.session.structure.calls[regret.call - 1].message
        assert regret.where in ("mentioned", "gone")
        assert regret.lost_at
        assert regret.by
        blocks = {m.id: m for m in run.window(regret.call).messages if m.id is not None}
        assert all(source < regret.response for source in regret.sources)
        full = {s for s in regret.sources if s in blocks and run.row(regret.call, s).form.label == "full"}
        assert regret.message not in full
        assert not full or regret.kind == "fetch_again"
    m = run.metrics
    assert m.names.total + m.fetches_again.total >= m.regrets


@thorough
@given(any_runs())
def test_that_a_run_that_leaves_nothing_out_has_full_recall(run: Run) -> None:
    everything = replay(run.session, plain(4_000_000))
    assert everything.metrics.recall in (None, 1.0)
    assert everything.regrets == ()
    assert everything.metrics.control.lost == 0


def _written(*said: Message) -> Run:
    """A result names things and leaves by hand at call 3; `said` are the responses from call 3 on."""
    shown = result("created src/billing/invoice_rows.py with make_invoice")
    built = session(
        user("go"),
        assistant("", call("Bash", command="make it")),
        shown,
        assistant("looked at it"),
        user("and now?"),
        *said,
    )
    return replay(built, plain(100_000), [HandChange(3, "archive", 2)])


def test_that_what_the_response_names_and_the_window_lacks_is_at_risk() -> None:
    run = _written(assistant("I will call make_invoice in src/billing/invoice_rows.py"), assistant("end"))
    assert {(r.call, r.response, r.message, r.kind, r.where) for r in run.regrets} == {(3, 5, 2, "name", "gone")}
    (regret,) = run.regrets
    assert (regret.what, regret.names) == (
        "src/billing/invoice_rows.py",
        ("make_invoice", "src/billing/invoice_rows.py"),
    )
    assert regret.needed == "src/billing/invoice_rows.py and 1 more name"
    assert all(r.lost_at == 3 and r.tokens for r in run.regrets)
    assert run.metrics.recall == 0.0
    assert run.metrics.names.gone == 2


def test_that_names_of_two_sources_are_two_regrets_and_those_of_one_are_one() -> None:
    first = result("def make_invoice(): ...")
    second = result("def send_reminder(): return due_date_of(customer_row)")
    built = session(
        user("go"),
        assistant("", call("Bash", command="show a")),
        first,
        assistant("", call("Bash", command="show b")),
        second,
        assistant("looked at it"),
        user("and now?"),
        assistant("make_invoice, then send_reminder, then due_date_of, never customer_row"),
        assistant("end"),
    )
    run = replay(built, plain(100_000), [HandChange(4, "archive", 2), HandChange(4, "archive", 4)])
    assert [(r.message, r.names) for r in run.regrets] == [
        (2, ("make_invoice",)),
        (4, ("send_reminder", "due_date_of", "customer_row")),
    ]
    assert run.metrics.names.gone == 4
    sentence = "The response of this call needed send_reminder and 2 more names of #4, which are gone here: a regret."
    assert sentence in run.why(4, 4).reasons


@pytest.mark.parametrize(
    ("told", "where"), [("see invoice_rows.py", "mentioned"), ("BILLING.InvoiceRows", "mentioned"), ("rows", "gone")]
)
def test_that_a_working_state_mentions_a_name_in_any_spelling(told: str, where: str) -> None:
    inputs = Inputs.gather(_written(assistant("end")).session, plain(100_000))
    live = Live(len(inputs.features.groups))
    need = Need("name", "src/billing/invoice_rows.py", (2,), ())
    assert Whereabouts().where(inputs, 3, live, need, told) == where


def test_that_why_says_what_the_response_needed_of_the_message() -> None:
    run = _written(assistant("I will call make_invoice"), assistant("end"))
    sentence = "The response of this call needed make_invoice, which is gone here: a regret."
    assert sentence in run.why(3, 2).reasons
    assert sentence not in run.why(4, 2).reasons
    built = _compacted(assistant("", call("Read", file_path="src/a.py")), result(TEXT), assistant("end"))
    assert any("paid again" in reason for reason in recorded_run(built).why(3, 2).reasons)


def test_that_a_name_at_risk_is_told_once_until_its_source_comes_back() -> None:
    run = _written(assistant("make_invoice first"), user("and"), assistant("make_invoice again"), assistant("end"))
    assert [(r.call, r.what) for r in run.regrets] == [(3, "make_invoice")]
    # The first answer that names it stands in the window of the next call: it is mentioned there, not shown.
    assert (run.metrics.names.gone, run.metrics.names.mentioned) == (1, 1)


def test_that_a_fetch_again_is_not_hidden_by_a_name_of_the_same_item() -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    built = session(
        user("go"),
        *read,
        assistant("hm"),
        user("next"),
        assistant("price_7", call("Read", file_path="src/a.py")),
        result(TEXT),
        assistant("x"),
    )
    run = replay(built, plain(100_000), [HandChange(3, "archive", 2)])
    assert {(r.kind, r.what) for r in run.regrets if r.message == 2} == {
        ("name", "price_7"),
        ("fetch_again", "src/a.py"),
    }
    control = run.metrics.control
    assert (control.there, control.there_again, control.lost, control.lost_again) == (2, 0, 1, 1)
    assert control.difference == 1.0


def test_that_a_fetch_again_with_the_source_still_there_is_the_control_and_no_regret() -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    run = replay(session(user("go"), *read, *read, assistant("end")), plain(100_000))
    assert run.regrets == ()
    assert (run.metrics.control.there, run.metrics.control.there_again, run.metrics.control.rate_lost) == (2, 1, None)


def test_that_a_stub_counts_where_it_shows_the_very_place() -> None:
    rows = [f"row {n} {filler(30)}" for n in range(60)]
    text = "\n".join(["first_line_name = 1", *rows, "middle_name", *rows])
    read = (assistant("", call("Bash", command="make it")), result(text))
    built = session(user("go"), *read, assistant("ok"), user("now"), assistant("first_line_name and middle_name"))
    inputs = Inputs.gather(built, plain(9_000, offload_tokens=500))
    live = Live(len(inputs.features.groups))
    live.forms[1] = Form.OFFLOADED
    found = {need.what: Whereabouts().where(inputs, 3, live, need, "") for need in needs_of(built).of(5)}
    assert found == {"first_line_name": "verbatim", "middle_name": "gone"}
    assert Whereabouts().where(inputs, 3, live, needs_of(built).of(5)[1], "so far: middle_name") == "mentioned"


def test_that_what_is_fetched_again_stands_only_where_all_of_its_place_stands() -> None:
    rows = [f"row {n}: total = price_{n} * amount" for n in range(1, 41)]
    first, second = "\n".join(rows[:25]), "\n".join(rows[20:])
    read = (assistant("", call("Read", file_path="src/a.py", offset=1, limit=25)), result(first))
    rest = (assistant("", call("Read", file_path="src/a.py", offset=21, limit=20)), result(second))
    again = assistant("", call("Read", file_path="src/a.py"))
    built = session(
        user("go"), *read, *rest, assistant("ok"), user("now"), again, result("\n".join(rows)), assistant("x")
    )
    run = replay(built, plain(100_000), [HandChange(4, "archive", 4)])
    (regret,) = [r for r in run.regrets if r.kind == "fetch_again"]
    assert (regret.sources, regret.where) == ((2, 4), "mentioned")
    assert (regret.message, regret.lost_at) == (4, 4)
    first_out = replay(built, plain(100_000), [HandChange(4, "archive", 2)])
    (regret,) = [r for r in first_out.regrets if r.kind == "fetch_again"]
    assert (regret.message, regret.lost_at) == (2, 4)
    small = replay(built, plain(100_000), [HandChange(4, "archive", 2), HandChange(4, "archive", 4)])
    assert [(r.sources, r.message) for r in small.regrets if r.kind == "fetch_again"] == [((2, 4), 4)]
    assert [r for r in replay(built, plain(100_000)).regrets if r.kind == "fetch_again"] == []


def test_that_a_file_which_a_compaction_carried_on_is_not_lost() -> None:
    read = assistant("", call("Read", file_path="src/a.py"))
    carried = user(f"Recently accessed file:\n\n## src/a.py\n{TEXT}", kind="summary")
    run = recorded_run(_compacted(carried, read, result(TEXT), assistant("end")))
    assert run.regrets == ()
    cut = user("Recently accessed file:\n\n## src/a.py\nrow 1: total = price_1 * amount", kind="summary")
    (regret,) = recorded_run(_compacted(cut, read, result(TEXT), assistant("end"))).regrets
    assert regret.where == "mentioned"


def _compacted(*after: Message) -> Session:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    made = session(user("go"), *read, assistant("ok"), user("so far: nothing", kind="summary"), *after)
    return replace(made, markers=(Marker("compaction", 4),))


def test_that_a_fetch_again_after_a_recorded_loss_is_paid_again() -> None:
    built = _compacted(assistant("", call("Read", file_path="src/a.py")), result(TEXT), assistant("end"))
    run = recorded_run(built)
    (regret,) = run.regrets
    assert (regret.kind, regret.sources, regret.where) == ("fetch_again", (2,), "gone")
    assert regret.lost_at == 3
    assert "compacted" in regret.by
    paid = run.metrics.paid_again
    assert paid is not None
    assert (paid.count, paid.seconds) == (1, 10.0)
    assert paid.tokens > run.inputs.sizes.full[6]
    assert paid.cost == paid.tokens * 3.0 / 1_000_000
    (made,) = run.aftermaths
    assert (made.messages, made.results.gone, made.fetched_again.count, made.to_next_edit) == (4, 1, 1, None)


def test_that_what_the_recorded_window_lacked_is_never_there_and_no_regret() -> None:
    built = _compacted(assistant("price_7 it is"), assistant("end"))
    run = replay(built, plain(100_000), [HandChange(3, "archive", 2)])
    assert run.regrets == ()
    assert run.metrics.names.never_there == 1
    assert recorded_run(built).metrics.names.gone == 1
    assert recorded_run(built).regrets == ()


def test_that_a_run_without_times_does_not_say_how_long_a_fetch_took() -> None:
    timed = _compacted(assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    built = replace(timed, messages=tuple(replace(m, ts=None) for m in timed.messages))
    paid = recorded_run(built).metrics.paid_again
    assert paid is not None
    assert (paid.count, paid.seconds) == (1, None)


def test_that_needs_of_a_session_that_grows_are_those_of_the_whole() -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    talk = [
        user("go"),
        *read,
        assistant("price_7"),
        *read,
        user("and"),
        assistant("price_9 in src/a.py"),
        *read,
        assistant("end"),
    ]
    grown: SessionNeeds | None = None
    for size in range(2, len(talk) + 1):
        built = session(*talk[:size])
        grown = SessionNeeds(built, grown, size - 1)
        assert [grown.of(m) for m in range(size)] == [needs_of(built).of(m) for m in range(size)]
        assert grown.shown == needs_of(built).shown


def test_that_what_the_recorded_window_only_mentioned_is_not_at_risk_in_ours() -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    told = user("so far: src/a.py was read", kind="summary")
    built = session(user("go"), *read, assistant("ok"), told, *read, assistant("end"))
    built = replace(built, markers=(Marker("compaction", 4),))
    (happened,) = recorded_run(built).regrets
    assert happened.where == "mentioned"
    assert replay(built, plain(100_000), [HandChange(3, "archive", 2)]).regrets == ()


def test_that_a_name_that_came_back_and_left_again_is_at_risk_again() -> None:
    talk = _written(
        assistant("make_invoice"), user("and"), assistant("hm"), user("so"), assistant("make_invoice"), user("end"),
        assistant("end"),
    )  # fmt: skip
    out = [HandChange(3, "archive", 2), HandChange(5, "archive", 2), HandChange(5, "archive", 5)]
    changes = [*out, HandChange(4, "retrieve", 2)]
    assert [(r.call, r.what) for r in replay(talk.session, plain(100_000), changes).regrets] == [
        (3, "make_invoice"),
        (5, "make_invoice"),
    ]
    assert [r.call for r in replay(talk.session, plain(100_000), out).regrets] == [3]


def test_that_a_stub_in_its_place_tells_a_name_at_risk_no_second_time() -> None:
    rows = [f"row {n} {filler(30)}" for n in range(60)]
    shown = result("\n".join(["first", *rows, "middle_name", *rows]))
    said = [assistant("ok"), user("now"), assistant("middle_name"), user("and"), assistant("middle_name again")]
    built = session(user("go"), assistant("", call("Bash", command="make it")), shown, *said)
    inputs = Inputs.gather(built, plain(9_000))
    live, risk = Live(len(inputs.features.groups)), AtRisk(inputs)
    for number in range(1, 4):
        risk.look(number, live, (), -1)
    live.forms[1] = Form.STUB
    risk.look(4, live, (1,), -1)
    assert [(r.call, r.what) for r in risk.regrets] == [(3, "middle_name")]


def test_that_a_message_cut_for_another_cap_is_looked_at_anew() -> None:
    shown = result(f"first {filler(200)} middle_name {filler(200)} last")
    built = session(user("go"), assistant("", call("Bash", command="make")), shown, assistant("end"))
    inputs = Inputs.gather(built, plain())
    live, seen = Live(len(inputs.features.groups)), Whereabouts()
    live.forms[1] = Form.SHRUNK
    need, found = Need("name", "middle_name", (2,), ()), []
    for cap in (100, 10_000, 100):
        live.caps[1] = cap
        found.append(seen.where(inputs, 2, live, need, ""))
    assert found == ["gone", "verbatim", "gone"]


def test_that_a_stub_with_one_line_of_a_file_does_not_hold_its_place() -> None:
    read = (assistant("", call("Read", file_path="src/a.py")), result(TEXT))
    built = session(user("go"), *read, *read, assistant("end"))
    inputs = Inputs.gather(built, plain(9_000, stub_lines=1, offload_tokens=50))
    live = Live(len(inputs.features.groups))
    live.forms[1] = Form.OFFLOADED
    (need,) = (need for need in needs_of(built).of(3) if need.kind == "fetch_again")
    assert Whereabouts().where(inputs, 2, live, need, "") == "mentioned"
    live.forms[1] = Form.FULL
    assert Whereabouts().where(inputs, 2, live, need, "") == "verbatim"


def test_that_a_message_that_no_window_ever_held_whole_was_lost_at_its_first_call() -> None:
    built = session(user("go"), assistant("", call("Bash", command="x")), result(filler(3_000)), assistant("end"))
    run = replay(built, plain(1_000))
    assert run.losses.first(2) == 2
    assert run.losses.first(0) is None
