from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ravenglass.replay import HandChange, Run, replay
from ravenglass.replay.measures.recall import Reread, needs_of
from ravenglass.scheduler.features import features_of
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain


@thorough
@given(any_runs())
def test_that_every_regret_is_about_something_that_the_window_did_not_show(run: Run) -> None:
    for regret in run.regrets:
        assert regret.response == run.session.structure.calls[regret.call - 1].message
        assert regret.message < regret.response
        block = next((m for m in run.window(regret.call).messages if m.id == regret.message), None)
        if regret.kind == "reference" and block is not None:
            assert regret.what not in block.text
        elif regret.kind == "reread":
            assert block is None or run.row(regret.call, regret.message).form.label != "full"


@thorough
@given(any_runs())
def test_that_a_run_that_leaves_nothing_out_has_full_recall(run: Run) -> None:
    everything = replay(run.session, plain(4_000_000))
    assert everything.metrics.recall in (None, 1.0)
    assert everything.regrets == ()


def _written(text: str) -> Run:
    """A result names things, leaves by hand at call 3, and the response of call 3 says `text`."""
    shown = result("created src/billing/invoice.py with make_invoice and raised DuplicateInvoiceError")
    built = session(
        user("go"), assistant("", call("Bash", command="make")), shown, assistant("looked at it"), user("and now?"),
        assistant(text), assistant("end"),
    )  # fmt: skip
    return replay(built, plain(100_000), [HandChange(3, "archive", 2)])


def test_that_what_the_response_names_and_the_window_lacks_is_a_regret() -> None:
    run = _written("I will call make_invoice in src/billing/invoice.py")
    (regret,) = run.regrets
    assert (regret.call, regret.response, regret.message, regret.kind) == (3, 5, 2, "reference")
    assert regret.what in ("make_invoice", "src/billing/invoice.py", "invoice.py")
    assert regret.names >= 2
    assert run.metrics.recall == 0.0
    assert run.metrics.references == regret.names


def test_that_one_missing_group_is_one_regret_however_often_it_is_needed() -> None:
    shown = result("created make_invoice")
    built = session(
        user("go"), assistant("", call("Bash", command="make")), shown, assistant("ok"), user("more"),
        assistant("make_invoice first"), user("and"), assistant("make_invoice again"), assistant("end"),
    )  # fmt: skip
    run = replay(built, plain(100_000), [HandChange(3, "archive", 2)])
    # The first answer that names it is in the window of the next call, so it is missing only once.
    assert [(r.call, r.what) for r in run.regrets] == [(3, "make_invoice")]
    assert run.metrics.references == 2
    assert run.metrics.recall == 0.5


def test_that_what_is_in_the_window_or_was_never_named_before_is_no_regret() -> None:
    kept = _written("nothing of that")
    fresh = _written("a new_helper_function in src/other/place.py")
    assert (kept.regrets, kept.metrics.recall) == ((), None)
    assert (fresh.regrets, fresh.metrics.recall) == ((), None)


def test_that_the_working_state_counts_as_held() -> None:
    text = f"Never touch make_invoice in the billing code. {filler(400)}"
    pad = [m for n in range(8) for m in (assistant("", call("Bash", command="x")), result(f"{n} {filler(400)}"))]
    built = session(user("start"), assistant("ok"), user(text), *pad, user("go on"), assistant("make_invoice it is"))
    run = replay(built, plain(1_400, trim_target=0.6))
    last = run.calls
    assert not run.in_window(last, 2)
    assert "make_invoice" in run.window(last).messages[0].text
    assert not [r for r in run.regrets if r.call == last]


def _read(path: str, text: str, **part: Any) -> tuple[Message, Message]:
    return assistant("", call("Read", file_path=path, **part)), result(text)


@pytest.mark.parametrize(
    ("between", "again", "regretted"),
    [
        ((), _read("a.py", "old text"), True),
        ((assistant("", call("Edit", file_path="a.py", old_string="a", new_string="b")), result("ok")),
         _read("a.py", "new text"), False),
        ((), _read("b.py", "old text"), False),
        ((), _read("a.py", "another part", offset=5), False),
    ],
    ids=["same file", "edited in between", "another file", "another part"],
)  # fmt: skip
def test_that_reading_a_file_again_is_a_regret_only_where_it_was_known(
    between: tuple[Message, ...], again: tuple[Message, Message], regretted: bool
) -> None:
    built = session(
        user("go"), *_read("a.py", "old text"), assistant("hm"), user("next"), *between, *again, assistant("x")
    )
    run = replay(built, plain(100_000), [HandChange(3, "archive", 2)])
    rereads = [r for r in run.regrets if r.kind == "reread"]
    assert [(r.message, r.what) for r in rereads] == ([(2, "a.py")] if regretted else [])


def test_that_a_file_read_again_while_its_text_is_in_the_window_is_no_regret() -> None:
    built = session(user("go"), *_read("a.py", "old text"), *_read("a.py", "old text"), assistant("end"))
    assert replay(built, plain(100_000)).regrets == ()
    assert needs_of(features_of(built)).rereads[1] == (Reread(1, "a.py"),)


def test_that_what_stands_in_many_places_is_no_reference() -> None:
    often = [m for _ in range(14) for m in (user("see main_module_name"), assistant("ok"))]
    built = session(*often, user("and"), assistant("main_module_name it is"))
    assert needs_of(features_of(built)).references[-1] == ()
