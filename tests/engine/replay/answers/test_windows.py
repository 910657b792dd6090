from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass.hub.item import Form
from ravenglass.hub.stub import NO_RESULT, OPENING
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.answers.windows import first_break
from ravenglass.replay.frame import WindowMessage
from ravenglass.sessions.model.session import Message
from tests.engine.builders import (
    assistant,
    call,
    developer,
    filler,
    meta,
    result,
    session,
    system,
    user,
)
from tests.engine.replay.runs import any_runs, included, runs, thorough
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import plain


@pytest.mark.rule("3.18")
@thorough
@given(any_runs())
def test_that_no_window_is_over_c(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        assert run.window(number).tokens <= run.budget.available


@pytest.mark.rule("3.17")
@thorough
@given(any_runs())
def test_that_blocks_tiers_and_frame_add_up_to_the_same_window(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        window, frame = run.window(number), run.frame(number)
        assert sum(m.tokens for m in window.messages) == window.tokens
        assert sum(use.used for use in frame.tiers) == window.tokens
        assert frame.tokens == run.window_tokens[number - 1] == window.tokens
        assert sum(tokens[number - 1] for tokens in run.tier_tokens.values()) == window.tokens


@pytest.mark.rule("6.34")
@thorough
@given(any_runs())
def test_that_every_window_is_one_that_a_provider_accepts(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        assert problems(run.window(number).messages) == []


@thorough
@given(any_runs())
def test_that_the_log_counts_the_same_stable_prefix_as_the_windows_show(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        assert run.window(number).stable_tokens == run._log.prefix[number - 1]


def _as_sent(message: WindowMessage) -> tuple[object, ...]:
    return message.role, message.text, message.thinking, message.tool_calls, message.tool_call_id


@thorough
@given(any_runs())
def test_that_the_stable_prefix_is_the_same_bytes_as_before(run: SimulatedRun) -> None:
    for number in range(2, run.calls + 1):
        before, now = run.window(number - 1).messages, run.window(number)
        same = now.stable_prefix
        # The bytes are what counts: a message that says word for word the same may stand in another one's place.
        assert [_as_sent(m) for m in now.messages[:same]] == [_as_sent(m) for m in before[:same]]


@thorough
@given(any_runs())
def test_that_a_break_is_named_exactly_where_the_prefix_is_not_the_whole_last_window(run: SimulatedRun) -> None:
    for number in range(2, run.calls + 1):
        broken = run._log.prefix[number - 1] < run.window_tokens[number - 2]
        assert bool(run.frame(number).cache_break) == broken
        assert first_break(run.inputs, run._log, number) == run.frame(number).cache_break


@thorough
@given(any_runs())
def test_that_the_included_count_and_the_rows_agree_with_the_window(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        ids = [m.id for m in run.window(number).messages if m.id is not None]
        assert len(set(ids)) == len(ids) == run.frame(number).included == run.totals(number).included
        assert set(ids) == {m for m in range(run.rows(number)) if run.in_window(number, m)}


@pytest.mark.rule("6.36")
@thorough
@given(runs())
def test_that_the_current_user_message_and_the_newest_group_are_always_in(run: SimulatedRun) -> None:
    session = run.session
    for number in range(1, run.calls + 1):
        if run.window(number).impossible:
            continue
        ids = included(run, number)
        users = [m for m in session.messages[: run.rows(number)] if m.role == "user"]
        prompts = [m for m in users if m.kind == "prompt"]
        assert {m.id for m in (*users[-1:], *prompts[-1:])} <= ids
        newest = run.inputs.features.known[number] - 1
        if newest >= 0:
            assert session.structure.groups[newest].messages[0] in ids


@pytest.mark.rule("6.26", "6.30")
@thorough
@given(runs())
def test_that_protected_and_pinned_groups_are_in_where_cap_and_budget_allow_it(run: SimulatedRun) -> None:
    before: set[int] = set()
    for number in range(1, run.calls + 1):
        view = run._moments.get_or_make(number).view
        kept = {g for g in view.standing.protected if g < view.known}
        kept |= {g for g in view.standing.pins if g < view.known and view.is_pinned(g)}
        size = sum(view.tokens(g, Form.FULL) for g in kept)
        beside = sum(view.tokens(g, Form.FULL) for g in view.must_keep() - kept)
        opening = run.inputs.sizes.tokenizer.count(OPENING) + run.profile.message_overhead
        fits = size + beside + opening <= run.budget.available
        fits &= size <= round(run.profile.protected_cap * run.budget.available)
        # What had to go in a call without room, and was archived then, need not come back by itself.
        now = {g for g in range(view.known) if view.live.forms[g]}
        if fits:
            assert {g for g in kept if g in before or g >= run.inputs.features.known[number - 1]} <= now
        before = now


@thorough
@given(any_runs())
def test_that_a_verbatim_block_is_the_recorded_text_and_the_others_are_not_longer(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        for block in run.window(number).messages:
            if block.id is not None and block.verbatim:
                recorded = run.session.messages[block.id]
                assert (block.text, block.thinking) == (recorded.text, recorded.thinking)
                assert block.tokens == run.inputs.sizes.full[block.id]
            elif block.id is not None:
                assert block.tokens <= run.inputs.sizes.full[block.id]


@thorough
@given(runs())
def test_that_added_marks_exactly_what_the_last_window_did_not_hold_like_this(run: SimulatedRun) -> None:
    for number in range(2, run.calls + 1):
        earlier = run.window(number - 1).messages
        before = {(m.id, m.group, m.text, m.role) for m in earlier}
        for place, block in enumerate(run.window(number).messages):
            if not block.added and (block.id, block.group, block.text, block.role) not in before:
                # Another message of the same words at the same place is the same bytes to a provider.
                assert (block.text, block.role) == (earlier[place].text, earlier[place].role)


def _roles(run: SimulatedRun, number: int) -> list[tuple[str, str | None]]:
    return [(m.role, m.tool_call_id) for m in run.window(number).messages]


def test_that_instructions_open_the_window_wherever_they_stand_in_the_record() -> None:
    built = session(user("one"), assistant("two"), developer("be brief"), user("three"), system("now"), assistant("ok"))
    window = replay(built, plain()).window(2)
    assert [m.role for m in window.messages] == ["developer", "system", "user", "assistant", "user"]
    assert [m.section for m in window.messages] == ["global"] * 2 + ["history"] * 3


@pytest.mark.rule("6.34", "R2")
def test_that_a_call_which_the_record_never_answers_gets_a_placeholder() -> None:
    built = session(
        user("go"),
        assistant("", call("Bash", call_id="a", command="ls"), call("Read", call_id="b", file_path="x")),
        result("files", to="a"),
        user("and?"),
        assistant("done"),
    )
    run = replay(built, plain())
    placeholder = run.window(2).messages[3]
    assert (placeholder.id, placeholder.text, placeholder.tool_call_id) == (None, NO_RESULT, "b")
    assert placeholder.label == "Read: no result recorded"
    assert problems(run.window(2).messages) == []


def test_that_a_result_without_a_call_is_shown_as_a_user_message() -> None:
    run = replay(session(user("go"), result("42", to="lost"), assistant("ok")), plain())
    orphan = run.window(1).messages[1]
    assert (orphan.role, orphan.tool_call_id, orphan.id) == ("user", None, 1)
    assert orphan.text.endswith("42")
    assert not orphan.verbatim


def test_that_a_result_which_the_record_has_before_its_call_stands_behind_it() -> None:
    built = session(
        user("go"), result("early", to="a"), assistant("hm"), assistant("", call("Bash", call_id="a")), assistant("end")
    )
    run = replay(built, plain())
    assert _roles(run, 2) == [("user", None), ("assistant", None)]
    assert _roles(run, 3) == [("user", None), ("assistant", None), ("assistant", None), ("tool", "a")]


def test_that_a_second_answer_to_a_call_follows_the_group_as_a_user_message() -> None:
    built = session(
        user("go"),
        assistant("", call("Bash", call_id="a"), call("Bash", call_id="b")),
        result("first", to="a"),
        result("again", to="a"),
        result("other", to="b"),
        assistant("end"),
    )
    run = replay(built, plain())
    shown = [(m.role, m.tool_call_id, m.id) for m in run.window(2).messages[2:]]
    assert shown == [("tool", "a", 2), ("tool", "b", 4), ("user", None, 3)]


def test_that_a_late_result_is_a_placeholder_until_it_comes() -> None:
    built = session(
        user("go"), assistant("", call("Bash", call_id="a")), user("still there?"), assistant("yes"),
        result("late", to="a"), assistant("end"),
    )  # fmt: skip
    run = replay(built, plain())
    assert [m.text for m in run.window(2).messages] == ["go", "", NO_RESULT, "still there?"]
    assert [m.text for m in run.window(3).messages] == ["go", "", "late", "still there?", "yes"]
    assert run.frame(3).cache_break == "Bash: no result recorded"
    assert run.window(3).stable_prefix == 2


@pytest.mark.rule("6.34")
def test_that_a_window_without_its_first_user_message_opens_with_a_mark() -> None:
    work = [m for n in range(7) for m in (assistant("", call("Bash", command="make")), result(f"{n} {filler(300)}"))]
    built = session(user(filler(200)), *work[:8], user("next"), *work[8:], assistant("end"))
    run = replay(built, plain(1_000, trim_target=0.6))
    found = 0
    for number in range(1, run.calls + 1):
        history = [m for m in run.window(number).messages if m.section == "history"]
        first = next(m for m in history if m.id is not None)
        assert (history[0].label == "opening mark") == (first.role != "user")
        if first.role != "user":
            found += 1
            assert (history[0].text, history[0].role, history[0].id) == (OPENING, "user", None)
    assert found


@pytest.mark.parametrize("before", [(), (system("be brief"),)])
def test_that_a_window_without_any_history_holds_a_mark_so_that_it_can_be_sent(before: tuple[Message, ...]) -> None:
    run = replay(session(*before, assistant("hello"), user("next"), assistant("end")), plain(1_000))
    made = run.window(1)
    assert [(m.role, m.text, m.label) for m in made.messages if m.section == "history"] == [
        ("user", OPENING, "opening mark")
    ]
    assert made.tokens == sum(m.tokens for m in made.messages)
    assert run.window(2).messages[len(before)].label == "opening mark"


def test_that_the_working_state_stands_between_instructions_and_history() -> None:
    tool_group = (assistant("", call("Bash", command="make")), result(filler(400)))
    built = session(system("be brief"), user("Fix the login page, please"), *tool_group * 6, assistant("end"))
    run = replay(built, plain(1_500, trim_target=0.7, message_overhead=4))
    number = next(n for n in range(1, run.calls + 1) if run.paths[n - 1] == "slow")
    messages = run.window(number).messages
    assert [m.label for m in messages[:2]] == ["system", "working state"]
    assert "login" in messages[1].text
    assert run.frame(number).working_state_tokens == messages[1].tokens > 0


@pytest.mark.rule("5.18")
def test_that_the_fast_path_only_appends() -> None:
    tool_group = (assistant("", call("Bash", command="make")), result("ok"))
    run = replay(session(user("go"), *tool_group * 30, meta("note"), assistant("end")), plain(100_000))
    for number in range(2, run.calls + 1):
        before, now = run.window(number - 1), run.window(number)
        assert now.messages[: len(before.messages)] == tuple(
            m if not m.added else now.messages[i] for i, m in enumerate(before.messages)
        )
        assert now.stable_prefix == len(before.messages)
        assert run.frame(number).cache_break == ""


@pytest.mark.rule("5.6")
def test_that_a_window_names_the_later_twin_that_it_holds_and_none_that_comes_later() -> None:
    steps = [(assistant("", call("Bash", command=c)), result(filler(size))) for c, size in (("make", 600), ("ls", 1))]
    messages = [message for _ in range(3) for step in steps for message in step]
    run = replay(session(user("go"), *messages, assistant("end")), plain(5_000, fast_path_threshold=0.0))
    told = {
        number: {m.id: m.text.partition(";")[0] for m in run.window(number).messages if m.id in (2, 6)}
        for number in (4, 5, 6)
    }
    assert told[4][2] == told[5][2] == "[the same content as message #6"
    assert told[6] == dict.fromkeys((2, 6), "[the same content as message #10")
    assert all(run.window(n).tokens == run.window_tokens[n - 1] for n in (4, 5, 6))
