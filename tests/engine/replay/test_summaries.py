"""Summaries in runs: bulk, stepped, branched and rolled back; windows, tiers, prefix, trace, snapshots, metrics."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.loop import Answer, Deliberation
from ravenglass.curator.plan import Author
from ravenglass.hub.item import Form
from ravenglass.hub.snapshots.format import decode, encode
from ravenglass.presets import load
from ravenglass.profile import Profile
from ravenglass.replay import HandChange, SimulatedRun, branch, replay, rollback
from ravenglass.replay.snapshot_files import snapshot_files
from ravenglass.replay.stepping.changes import ChangeKind
from ravenglass.saving import save_run
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Session
from tests.conftest import SAMPLES
from tests.engine.builders import assistant, call, filler, result, session, sessions, user, with_calls
from tests.engine.replay.outcome import window_after
from tests.engine.replay.runs import summary_profiles, summary_runs, thorough
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import plain

SAMPLE = SAMPLES / "claude-code" / "entire_orphan_tool_result_122lines.jsonl"
"""A session of which one result alone passes the budget of `tight-32k`."""


def pressed(**more: object) -> SimulatedRun:
    """A request, some work, and a result larger than C at call 7; then work that goes on."""
    calls = [assistant(f"Now step {n}.", call("Read", file_path=f"src/part_{n}.py")) for n in range(12)]
    sizes = [300] * 5 + [4_000] + [300] * 6
    work = [m for n, made in enumerate(calls) for m in (made, result(f"{n} {filler(sizes[n])}"))]
    profile = plain(2_000, summarize=True, quota_session=0.3, fast_path_threshold=0.9, trim_target=0.5, **more)
    return replay(session(user("Fix src/part_1.py"), *work, assistant("end")), profile)


def overflowing(**more: object) -> SimulatedRun:
    """A long first request over the protected cap, which leaves at the first slow path, at call 5; then small work."""
    calls = [assistant(f"Now step {n}.", call("Read", file_path=f"src/part_{n}.py")) for n in range(12)]
    work = [m for n, step in enumerate(calls) for m in (step, result(f"{n} {filler(250 if n < 5 else 40)}"))]
    values = {"protect_first_n": 1, "protected_cap": 0.2, "fast_path_threshold": 0.9, "trim_target": 0.6, **more}
    talk = session(user(f"Fix src/cart.py {filler(700)}"), assistant("so"), user("Now"), *work, assistant("end"))
    return replay(talk, plain(2_000, summarize=True, quota_session=0.3, **values))


class Silent:
    """A policy that answers nothing."""

    name: Author = "model"

    def answer(self, turn: Deliberation) -> Answer:  # noqa: ARG002 - whatever is asked
        return Answer("", ())


def made(run: SimulatedRun) -> dict[int, str]:
    """Call -> the summary made at it."""
    return {number: told.text for number, told in run._log.told.items()}


def test_that_a_summary_of_one_session_of_many_in_a_file_leads_to_that_one() -> None:
    one = pressed()
    run = replay(replace(one.session, key="two", derived={}), one.profile)
    assert made(run)
    assert {text.split("\n")[-1] for text in made(run).values()} == {
        f"Read the full transcript at: {run.session.place.absolute()}"
    }
    assert str(run.session.place).endswith("#two")


@thorough
@given(summary_runs())
def test_that_windows_with_summaries_fit_add_up_and_are_valid(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        window, frame, told = run.window(number), run.frame(number), run.summary(number)
        blocks = [m for m in window.messages if m.label == "summary"]
        assert [m.text for m in blocks] == ([told.text] if told is not None else [])
        assert frame.summary_tokens == sum(m.tokens for m in blocks)
        assert frame.summary_call == (told.call if told is not None else 0)
        assert window.tokens == frame.tokens == sum(m.tokens for m in window.messages) <= run.budget.available
        assert window.tokens == sum(run.totals(number).by_tier.values()) == run.window_tokens[number - 1]
        assert window.stable_tokens == run._log.prefix[number - 1]
        assert problems(window.messages) == []
        for block in blocks:
            assert block.tokens <= run.profile.summary_tokens
            assert block.text.split("\n")[-1] == f"Read the full transcript at: {run.session.path.absolute()}"


@thorough
@given(summary_runs())
def test_that_a_summary_stands_unchanged_until_the_next_slow_path(run: SimulatedRun) -> None:
    for number in range(2, run.calls + 1):
        if run.paths[number - 1] == "fast":
            assert run.summary(number) == run.summary(number - 1)
        told = run.summary(number)
        assert told is None or run.paths[told.call - 1] != "fast"


@pytest.mark.rule("10.5")
@thorough
@given(summary_runs())
def test_that_a_summary_is_made_only_where_eviction_was_not_enough(run: SimulatedRun) -> None:
    for number in run._log.told:
        ruling = run.rerun(number).result
        assert ruling.decision is not None
        assert ruling.assembled is not None
        exempt, view = ruling.decision.exempt, run._moments.get_or_make(number).view
        alone = sum(view.tokens(g, form) for g, form in exempt.forms.items())
        alone += run.inputs.rendered(run.inputs.version_at(number))[1] * ruling.decision.with_working_state
        opening = run.inputs.sizes.tokenizer.count("[the earlier conversation is not in this window]")
        pinned = {g for g in run.inputs.standing.pins if g < view.known and view.is_pinned(g)}
        lost = (view.protected | pinned) - ruling.assembled.placed.keys()
        assert alone + opening + run.profile.message_overhead > run.budget.available or lost


@thorough
@given(summary_runs())
def test_that_the_stepped_loop_makes_the_same_summaries(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        loop = run.loop(number)
        loop.run()
        assert loop.result is not None
        assert loop.result.summary == run.summary(number)
        assert window_after(run, loop).messages == run.window(number).messages


@thorough
@given(sessions(turns=3, exchanges=5, longest=4_000).filter(with_calls), summary_profiles())
def test_that_the_same_session_twice_gives_byte_equal_windows_traces_and_snapshots(
    built: Session, profile: Profile
) -> None:
    one, two = replay(built, profile), replay(replace(built, derived={}), profile)
    for number in range(1, one.calls + 1):
        assert repr(one.window(number)) == repr(two.window(number))
        assert [e.to_json() for e in one.events(number)] == [e.to_json() for e in two.events(number)]
    assert dict(snapshot_files(one)) == dict(snapshot_files(two))
    assert one.metrics == two.metrics


@thorough
@given(summary_runs(), st.data())
def test_that_a_branch_carries_the_summary_on_and_a_rollback_restores_it(
    run: SimulatedRun, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, run.calls))
    same = branch(run, at)
    assert [repr(same.window(n)) for n in range(1, run.calls + 1)] == [
        repr(run.window(n)) for n in range(1, run.calls + 1)
    ]
    for taken in run.snapshots():
        held = run.snapshot(taken)
        assert held.summary == run.summary(taken.step)
        assert decode(encode(held)) == held
        back = rollback(run, held)
        assert [repr(back.window(n)) for n in range(1, run.calls + 1)] == [
            repr(run.window(n)) for n in range(1, run.calls + 1)
        ]


@thorough
@given(summary_runs(), st.sampled_from(("cl100k_base", "o200k_base")), st.booleans())
def test_that_a_branch_under_another_profile_counts_the_summary_anew(
    run: SimulatedRun, table: str, wanted: bool
) -> None:
    at = next(iter(run._log.told), 1)
    if at == run.calls:
        return
    other = branch(run, at + 1, run.profile.with_values(tokenizer=table, summarize=wanted))
    for number in range(at, run.calls + 1):
        window = other.window(number)
        assert window.tokens == sum(m.tokens for m in window.messages) <= run.budget.available
        assert window.stable_tokens == other._log.prefix[number - 1]
        told = next((m for m in window.messages if m.label == "summary"), None)
        if told is not None and number > at:
            count = other.inputs.sizes.tokenizer.count(told.text)
            assert told.tokens == count + other.profile.message_overhead


def test_that_the_block_stands_in_the_session_section_and_tier_and_breaks_the_prefix_there() -> None:
    run = pressed()
    (call,) = made(run)
    window = run.window(call)
    block = next(m for m in window.messages if m.label == "summary")
    assert (block.id, block.role, block.section, block.added) == (None, "system", "session", True)
    requests = sum(m.tokens for m in window.messages if m.role == "user")
    assert run.totals(call).by_tier["session"] == requests + run.frame(call).working_state_tokens + block.tokens


def test_that_it_is_frozen_so_that_the_prefix_stays() -> None:
    run = overflowing()
    (call,) = made(run)
    assert set(run.paths[call:]) == {"fast"}
    assert {run.frame(n).summary_call for n in range(call, run.calls + 1)} == {call}
    for number in range(call + 1, run.calls + 1):
        assert run.frame(number).cache_break == ""
        assert run.window(number).stable_tokens == run.window_tokens[number - 2]
    assert run.frame(call).cache_break == "#0 user"


def test_that_the_trace_says_what_was_summarized_and_where_it_can_be_read() -> None:
    run = pressed()
    (call,) = made(run)
    (event,) = [e for e in run.events(call) if e.event == "summarized"]
    out = [m for m in range(run.rows(call)) if not run.in_window(call, m)]
    assert list(event.messages) == out
    assert event.payload["messages"] == len(out)
    assert event.payload["transcript"] == str(run.session.path.absolute())
    assert event.payload["text"] == made(run)[call]
    assert int(str(event.payload["tokens"])) < int(str(event.payload["full_tokens"]))
    (verdict,) = [e for e in run.events(call) if e.event == "slow_path_accepted"]
    plan = verdict.payload["plan"]
    assert isinstance(plan, dict)
    assert plan["summary"] is True
    others = [e for n in range(1, run.calls + 1) if n != call for e in run.events(n)]
    assert not [e for e in others if e.event == "summarized"]
    assert run.markers()["summarized"] == (call,)


def test_that_why_points_to_the_summary_and_what_left_stays_retrievable() -> None:
    run = pressed()
    (call,) = made(run)
    out = next(m for m in range(run.rows(call)) if not run.in_window(call, m))
    sentence = f"The summary made at call {call} stands for it; the whole message stays retrievable."
    assert sentence in run.why(call, out).reasons
    assert sentence not in run.why(call, 0).reasons
    assert run.retrieve(run.ref(out), max_tokens=0).raw[0] == run.session.raw(out)


def test_that_metrics_count_summaries_and_what_they_tell_is_not_missing() -> None:
    run = overflowing()
    assert run.metrics.summaries == 1
    assert run.metrics.summarized_calls == sum(map(bool, run._log.summaries)) > 1
    off = overflowing(summary_tokens=100)
    assert off.metrics.summaries == 0, "too few tokens for nine parts"


def test_that_what_a_summary_names_is_mentioned_and_not_gone() -> None:
    read = [assistant("", call("Read", file_path="src/very_special.py")), result(filler(900))]
    huge = [assistant("", call("Bash", command="make")), result("row " * 4_000)]
    talk = session(user("go"), *read, *huge, assistant("So very_special.py it is: src/very_special.py"))
    off, on = (replay(talk, plain(2_000, quota_session=0.3, summarize=wanted)) for wanted in (False, True))
    assert "src/very_special.py" in made(on)[3]
    assert on.metrics.names.mentioned
    assert off.metrics.names.gone > on.metrics.names.gone


def test_that_the_registry_holds_the_summary_as_a_context_item() -> None:
    run = pressed()
    (call,) = made(run)
    (entry,) = [e for e in run.registry(call) if e.source == "summary"]
    told = run.summary(call)
    assert told is not None
    assert (entry.tokens, entry.tier, entry.group) == (told.tokens, "session", None)
    assert run.resolve(entry.context_id, call).text == told.text
    bare = 0.3 + 0.1 * 0.5
    assert bare < entry.priority <= bare + 0.6, "it holds what the request names; source reliability is 0.5"
    assert not [e for e in run.registry(call - 1) if e.source == "summary"]


def test_that_the_fail_safe_makes_one_as_well() -> None:
    run = pressed()
    (call,) = made(run)
    loop = run.loop(call, Silent())
    events = [e.event for e in loop.run()]
    assert events.index("summarized") < events.index("fallback")
    assert loop.result is not None
    assert loop.result.path == "fail_safe"
    assert loop.result.summary is not None


@pytest.mark.samples
@pytest.mark.rule("10.5", "10.6")
@pytest.mark.parametrize(("profile", "calls"), [("default", []), ("tight-32k", [3])])
def test_that_a_real_session_is_summarized_under_a_tight_window_only(
    samples: Path, profile: str, calls: list[int]
) -> None:
    assert SAMPLE.is_relative_to(samples)
    run = replay(open_session(SAMPLE), load(profile))
    assert list(run._log.told) == calls
    for number in calls:
        rows = run.window(number).messages
        text = next(m.text for m in rows if m.label == "summary")
        assert len(re.findall(r"^## \d\. ", text, re.MULTILINE)) == 9
        assert text.endswith(f"\nRead the full transcript at: {SAMPLE.absolute()}")
        assert run.window(number).tokens <= run.budget.available


def test_that_a_saved_run_holds_the_summary_in_windows_trace_and_snapshots(tmp_path: Path) -> None:
    run = overflowing()
    (call,) = made(run)
    save_run(run, tmp_path)
    window = json.loads((tmp_path / "windows.jsonl").read_text().split("\n")[call - 1])
    assert made(run)[call] in [m["content"] for m in window["messages"]]
    trace = "".join(path.read_text() for path in (tmp_path / "traces").rglob("*.jsonl"))
    assert trace.count('"event": "summarized"') == 1
    assert json.loads((tmp_path / "run.json").read_text())["metrics"]["summaries"] == 1
    held = [run.snapshot(taken).summary for taken in run.snapshots()]
    assert run.summary(call) in held


def test_that_looking_at_summaries_writes_nothing(tmp_path: Path) -> None:
    run = pressed()
    moved = replay(replace(run.session, path=tmp_path / "there.jsonl", derived={}), run.profile)
    (call,) = made(moved)
    assert moved.window(call).messages
    assert moved.events(call)
    assert list(tmp_path.iterdir()) == []
    assert all(moved.row(call, m).form is not Form.OUT or moved.ref(m) for m in range(moved.rows(call)))


@pytest.mark.parametrize("changes", [("pin",), ("archive", "pin"), ("archive", "protect", "pin")])
def test_that_what_a_person_took_back_before_it_found_no_room_is_summarized(changes: tuple[ChangeKind, ...]) -> None:
    said = [user("go")]
    for n, size in enumerate((600, 600, 1)):
        said += [assistant("", call("Bash", command=f"step {n}")), result(f"{n} {filler(size)}")]
    by_hand = [*(HandChange(3, kind, 1) for kind in changes), HandChange(3, "pin", 3)]
    run = replay(session(*said, assistant("end")), plain(1_000, fast_path_threshold=0.95, summarize=True), by_hand)
    assert not run.in_window(3, 1)
    assert [e.event for e in run.events(3) if e.event == "summarized"] == ["summarized"]
