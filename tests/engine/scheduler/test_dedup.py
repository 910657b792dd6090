from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from ravenglass.hub.item import Form
from ravenglass.hub.sizes import reference_cap
from ravenglass.scheduler.dedup import bereft, tell_again
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.packing import schedule
from ravenglass.scheduler.view import ByHand, View
from ravenglass.sessions.model.session import Message, ToolCall
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.scheduler.views import look, plain, views

TEXT = filler(600)


def tool_group(*answers: tuple[ToolCall, str]) -> list[Message]:
    return [assistant("", *(made for made, _ in answers)), *(result(text) for _, text in answers)]


def bash(text: str = TEXT) -> tuple[ToolCall, str]:
    return call("Bash", command="x"), text


def read(text: str, path: str = "a.py") -> tuple[ToolCall, str]:
    return call("Read", file_path=path), text


def told(view: View, **forms: Form) -> dict[int, int]:
    """Groups told by reference, with their caps; every known group is in, whole unless `forms` (g1=...) says else."""
    placed = {g: forms.get(f"g{g}", Form.FULL) for g in range(view.known)}
    found = list(tell_again(view, {g: f for g, f in placed.items() if f}, exemptions(view)))
    assert all(form is Form.REFERENCE for _, form, _ in found)
    return {g: cap for g, _, cap in found}


def seen(*messages: Message, protect: int = 0, **more: Any) -> View:
    """A view at a call where only the last prompt is exempt, and what is protected."""
    built = session(user("go"), *messages, assistant("ok"), user("and now"), assistant("Done."))
    return look(built, plain(protect_first_n=protect, **more))


@given(views())
def test_that_telling_by_reference_makes_groups_smaller_and_touches_nothing_exempt(view: View) -> None:
    decision = schedule(view)
    for g, form, cap in tell_again(view, decision.include, decision.exempt):
        assert form is Form.REFERENCE
        assert g not in decision.exempt.forms
        assert g not in view.hand.whole
        assert view.tokens(g, Form.REFERENCE, cap) < view.tokens(g, decision.include[g])
        shown = view.sizes.shown(view.group(g), Form.REFERENCE, view.profile.offload_tokens, cap)
        assert sum(one.tokens for one in shown.values()) + len(view.group(g).unanswered) * view.sizes.no_result == (
            view.tokens(g, Form.REFERENCE, cap)
        )
        assert any(not one.verbatim for one in shown.values())


@pytest.mark.rule("5.6")
def test_that_the_older_of_two_equal_results_points_at_the_later() -> None:
    view = seen(*tool_group(bash()), *tool_group(bash()))
    assert told(view) == {1: reference_cap(view.call, offloaded=False)}
    text = view.sizes.shown(view.group(1), Form.REFERENCE, 2_000, reference_cap(view.call, offloaded=False))[2].text
    assert (
        text == "[the same content as message #4; retrieve cxt://tool/Bash/call_2/output if that is not in the window]"
    )


@pytest.mark.rule("5.6")
def test_that_of_many_equal_results_all_point_at_the_latest() -> None:
    view = seen(*tool_group(bash()), *tool_group(bash()), *tool_group(bash()))
    assert set(told(view)) == {1, 2}
    for g in (1, 2):
        shown = view.sizes.shown(view.group(g), Form.REFERENCE, 2_000, reference_cap(view.call, offloaded=False))
        assert any("message #6" in one.text for one in shown.values())


@pytest.mark.rule("5.6")
def test_that_a_later_twin_that_is_not_whole_in_the_window_is_no_help() -> None:
    view = seen(*tool_group(bash()), *tool_group(bash()), offload_tokens=100)
    assert told(view, g2=Form.OUT) == {}
    assert told(view, g2=Form.STUB) == {}
    assert told(view, g2=Form.OFFLOADED) == {}


def test_that_a_short_result_is_not_worth_a_reference() -> None:
    assert told(seen(*tool_group(bash("ok")), *tool_group(bash("ok")))) == {}


@pytest.mark.rule("5.10")
def test_that_a_newer_version_of_a_protected_file_stands_as_the_difference() -> None:
    old = "\n".join(f"line {n}" for n in range(200))
    view = seen(*tool_group(read(old)), *tool_group(read(old.replace("line 100", "line one hundred"))), protect=1)
    assert set(told(view)) == {2}
    text = view.sizes.shown(view.group(2), Form.REFERENCE, 2_000, reference_cap(view.call, offloaded=False))[4].text
    assert text.startswith("[a newer version of message #2, as the difference from it]\n--- #2\n+++ #4\n@@ ")
    assert "+line one hundred" in text


@pytest.mark.rule("5.26")
def test_that_a_version_needs_its_base_whole_in_the_window_protected_or_not() -> None:
    old = "\n".join(f"line {n}" for n in range(200))
    view = seen(*tool_group(read(old)), *tool_group(read(old + "\nend")))
    assert set(told(view)) == {2}
    for form in (Form.OUT, Form.STUB, Form.SHRUNK, Form.REFERENCE):
        assert told(view, g1=form) == {}


@pytest.mark.rule("5.26")
def test_that_a_difference_is_bereft_once_its_base_is_not_whole() -> None:
    old = "\n".join(f"line {n}" for n in range(200))
    view = seen(*tool_group(read(old)), *tool_group(read(old + "\nend")), *tool_group(bash()), *tool_group(bash()))
    told_again = {2: Form.REFERENCE, 3: Form.REFERENCE, 4: Form.FULL}
    assert bereft(view, {1: Form.FULL, **told_again}, [2, 3]) == []
    for form in (Form.OUT, Form.STUB, Form.SHRUNK, Form.REFERENCE):
        assert bereft(view, {1: form, **told_again}, [2, 3]) == [2]


@pytest.mark.rule("5.10")
def test_that_a_difference_longer_than_half_the_file_is_not_shown() -> None:
    old, new = ("\n".join(f"{word} {n}" for n in range(200)) for word in ("old", "new"))
    assert told(seen(*tool_group(read(old)), *tool_group(read(new)), protect=1)) == {}
    third = "\n".join(f"{'new' if n < 70 else 'old'} {n}" for n in range(200))
    view = seen(*tool_group(read(old)), *tool_group(read(third)), protect=1)
    assert view.sizes.tokenizer.count(view.sizes.twins.patch(4)) < view.sizes.full[4], "it would be shorter"
    assert told(view) == {}


def test_that_a_group_is_told_only_when_everything_it_would_leave_out_stands_elsewhere() -> None:
    old = "\n".join(f"line {n}" for n in range(200))
    both = tool_group(bash(), read(old + "\nend"))
    view = seen(*tool_group(read(old)), *both, *tool_group(bash()))
    assert told(view, g1=Form.STUB) == told(view, g3=Form.STUB) == {}
    assert set(told(view)) == {2}


def test_that_exempt_groups_and_those_retrieved_by_hand_stay_whole() -> None:
    messages = [*tool_group(bash()), *tool_group(bash())]
    assert told(seen(*messages, protect=1)) == {}
    built = seen(*messages).features.session
    assert told(look(built, plain(), hand=ByHand(whole=frozenset({1})))) == {}


def test_that_a_reference_that_reads_the_same_keeps_the_cap_it_had() -> None:
    view = seen(*tool_group(bash()), *tool_group(bash()))
    view.live.forms[1] = Form.REFERENCE
    earlier = reference_cap(view.call - 1, offloaded=False)
    view.live.caps[1] = earlier
    assert told(view) == {1: earlier}


def test_that_a_reference_to_an_older_twin_is_made_anew() -> None:
    view = seen(*tool_group(bash()), *tool_group(bash()), *tool_group(bash()))
    view.live.forms[1] = Form.REFERENCE
    view.live.caps[1] = reference_cap(3, offloaded=False)
    assert told(view)[1] == reference_cap(view.call, offloaded=False)


@pytest.mark.rule("5.6")
def test_that_a_reference_remembers_the_call_that_decided_it_and_what_was_offloaded_beside_it() -> None:
    large = bash("\n".join(f"row {n}" for n in range(400)))
    view = seen(*tool_group(bash(), large), *tool_group(bash()), assistant("hm"), *tool_group(bash()))
    group, sizes = view.group(1), view.sizes
    for whole_call, offloaded in ((2, False), (3, False), (view.call, False), (view.call, True)):
        cap = reference_cap(whole_call, offloaded=offloaded)
        shown = sizes.shown(group, Form.REFERENCE, 100, cap)
        assert sizes.tokens(group, Form.REFERENCE, 100, cap) == sum(one.tokens for one in shown.values())
        assert shown[2].verbatim is (whole_call == 2), "only a later call knows of the twin"
        assert shown[3].verbatim is not offloaded
