from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.fingerprint import outdated
from ravenglass.rules import DEFAULT_TTL_RULES, TtlRule
from ravenglass.scheduler.expiry import Expiry, expiries
from ravenglass.scheduler.features import Features
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import assistant, call, result, session, sessions, user

HOUR = (TtlRule(tool="WebFetch", ttl=3_600),)


def fetch(text: str = "page") -> list[Message]:
    return [assistant("", call("WebFetch", url="x")), result(text)]


def ends(built: Session, rules: tuple[TtlRule, ...] = HOUR) -> dict[int, tuple[int, str]]:
    return {g: (end.call, end.reason) for g, end in expiries(Features(built), rules).items()}


def at(built: Session, *minutes: float | None) -> Session:
    """The session with its messages at these times."""
    assert len(minutes) == len(built.messages)
    timed = [replace(m, ts=None if t is None else t * 60) for m, t in zip(built.messages, minutes, strict=True)]
    return replace(built, messages=tuple(timed))


PAGE = "its time to live of 3,600 s (WebFetch) had passed"


@pytest.mark.rule("4.27")
def test_that_a_result_expires_at_the_first_call_that_comes_its_time_to_live_later() -> None:
    talk = session(
        user("go"), *fetch(), assistant("Read it."), user("more"), assistant("Yes."), user("on"), assistant("Done.")
    )
    assert ends(at(talk, 0, 1, 2, 3, 61, 61, 62, 62)) == {1: (4, PAGE)}
    assert ends(at(talk, 0, 1, 2, 3, 62, 62, 63, 63)) == {1: (3, PAGE)}
    assert ends(at(talk, 0, 1, 2, 3, 61, 61, 61.9, 62)) == {}


def test_that_the_call_that_sees_a_result_first_still_has_it() -> None:
    talk = session(user("go"), *fetch(), user("tomorrow"), assistant("Read it."), user("on"), assistant("Done."))
    assert ends(at(talk, 0, 1, 2, 900, 900, 901, 901)) == {1: (3, PAGE)}


def test_that_without_a_recorded_time_nothing_ages() -> None:
    talk = session(user("go"), *fetch(), assistant("Read it."), user("on"), assistant("Done."))
    assert ends(at(talk, 0, 1, None, 3, 900, 900)) == {}
    assert ends(at(talk, None, None, 2, None, None, None)) == {}


def test_that_times_that_go_backwards_do_not_make_a_result_young_again() -> None:
    talk = session(user("go"), *fetch(), assistant("A."), user("on"), assistant("B."), user("on"), assistant("C."))
    assert ends(at(talk, 0, 1, 2, 3, 900, 900, 4, 4)) == {1: (3, PAGE)}
    further = [m for _ in range(6) for m in (user("on"), assistant("D."))]
    longer = session(*talk.messages, *further)
    assert ends(at(longer, 0, 1, 2, 3, 900, 900, *range(4, 18))) == {1: (3, PAGE)}


def test_that_a_group_expires_with_the_last_of_its_results() -> None:
    both = [assistant("", call("WebFetch", url="x"), call("Read", file_path="a.py")), result("page"), result("x")]
    edit = [assistant("", call("Edit", file_path="a.py")), result("ok")]
    talk = session(user("go"), *both, *edit, user("on"), assistant("A."), user("on"), assistant("B."))
    late = at(talk, 0, 1, 2, 2, 3, 3, 4, 4, 90, 90)
    assert ends(late) == {1: (4, PAGE)}
    soon = at(talk, 0, 1, 2, 2, 90, 90, 91, 91, 92, 92)
    assert ends(soon) == {1: (3, "a.py was edited in #4")}


def test_that_a_group_with_a_result_that_does_not_end_stays() -> None:
    both = [assistant("", call("WebFetch", url="x"), call("Bash", command="ls")), result("page"), result("x")]
    talk = session(user("go"), *both, user("on"), assistant("A."), user("on"), assistant("B."))
    assert ends(at(talk, 0, 1, 2, 2, 900, 900, 901, 901)) == {}
    alone = session(user("go"), *fetch(), user("on"), assistant("A."), user("on"), assistant("B."))
    assert ends(at(alone, 0, 1, 2, 900, 900, 901, 901)) == {1: (3, PAGE)}, "the page by itself would have"


def test_that_a_file_that_ages_may_be_outdated_before() -> None:
    rules = (TtlRule(tool="Read", ttl=3_600),)
    read = [assistant("", call("Read", file_path="a.py")), result("x")]
    edit = [assistant("", call("Edit", file_path="a.py")), result("ok")]
    talk = session(user("go"), *read, *edit, user("on"), assistant("A."))
    assert ends(at(talk, 0, 1, 2, 3, 3, 900, 900), rules) == {1: (3, "a.py was edited in #3")}
    alone = session(user("go"), *read, assistant("Hm."), user("on"), assistant("A."))
    assert ends(at(alone, 0, 1, 2, 3, 900, 900), rules) == {1: (3, "its time to live of 3,600 s (Read) had passed")}


@given(sessions())
def test_that_without_timed_rules_exactly_what_is_outdated_expires(built: Session) -> None:
    features = Features(built)
    found = expiries(features, ())
    assert set(found) == set(outdated(features.uses))
    for end in found.values():
        assert end.outdated is not None
        assert end.call == features.ready[end.outdated.by]


@given(sessions(), st.integers(1, 400), st.integers(0, 400))
def test_that_a_longer_life_never_ends_earlier(built: Session, seconds: int, more: int) -> None:
    features = Features(built)

    def after(ttl: int) -> dict[int, Expiry]:
        return expiries(features, (TtlRule(tool="Bash", ttl=ttl), TtlRule(tool="Grep", ttl=ttl), *DEFAULT_TTL_RULES))

    short, long = after(seconds), after(seconds + more)
    assert set(long) <= set(short)
    assert all(end.call >= short[g].call for g, end in long.items())
    assert all(end.outdated or end.call > features.ready[g] for g, end in short.items())
