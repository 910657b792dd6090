from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import Cancelled
from ravenglass.hub.item import Form
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Sizes
from ravenglass.hub.stub import BARE_ARGUMENTS, NO_RESULT, ORPHAN_PREFIX
from ravenglass.profile import Profile
from ravenglass.sessions.model.session import Group, Message, Session
from ravenglass.tokens import EncodingName
from ravenglass.tokens.encodings import load
from tests.engine.builders import assistant, call, filler, meta, profiles, result, session, sessions, user

ENCODINGS = {name: load(name) for name in ("o200k_base", "cl100k_base")}
DEFAULT = SizeKey.of(Profile())
LOOSE = frozenset({"orphan_result", "duplicate_result"})
"""Flags of results that a window shows as user messages."""
FORMS = (Form.FULL, Form.OFFLOADED, Form.STUB)


def exact(text: str, table: EncodingName = "o200k_base") -> int:
    """Tokens as tiktoken itself counts them."""
    return len(ENCODINGS[table].encode_ordinary(text))


def sizes(*messages: Message, **key: Any) -> Sizes:
    return Sizes(session(*messages), DEFAULT._replace(**key))


def groups(of: Sizes) -> tuple[Group, ...]:
    return tuple(of.session.structure.groups)


@given(sessions(), st.sampled_from(("o200k_base", "cl100k_base")), st.integers(0, 9), st.integers(0, 2_000))
def test_that_a_message_costs_exactly_what_tiktoken_says_of_its_parts(
    built: Session, table: EncodingName, overhead: int, image: int
) -> None:
    found = Sizes(built, SizeKey(table, image, overhead, 4, 400, 0, 0, 0, 0))
    for message in built.messages:
        text = ORPHAN_PREFIX + message.text if message.flags & LOOSE else message.text
        parts = [text, message.thinking, *(part for c in message.tool_calls for part in (c.name, c.arguments))]
        expected = overhead + image * message.images + sum(exact(part, table) for part in parts)
        assert found.full[message.id] == expected
        assert found.whole(message.id).text == text


@given(sessions())
def test_that_a_group_costs_its_messages_and_a_mark_for_each_missing_result(built: Session) -> None:
    found = Sizes(built, DEFAULT)
    mark = exact(NO_RESULT) + DEFAULT.overhead
    for group in built.structure.groups:
        expected = sum(found.full[m] for m in group.messages) + len(group.unanswered) * mark
        assert found.tokens(group, Form.FULL, 2_000) == expected
        assert found.tokens(group, Form.OUT, 2_000) == 0


@given(
    sessions(), profiles(), st.sampled_from((Form.FULL, Form.OFFLOADED, Form.STUB, Form.SHRUNK)), st.integers(1, 3_000)
)
def test_that_what_is_shown_is_what_is_counted_and_never_more_than_the_original(
    built: Session, profile: Profile, form: Form, cap: int
) -> None:
    key = SizeKey.of(profile)
    found = Sizes(built, key)
    for group in built.structure.groups:
        shown = found.shown(group, form, profile.offload_tokens, cap)
        fewer = [one.calls for one in shown.values() if one.calls is not None]
        left_out = {m for m in group.messages if m not in shown}
        assert set(shown) <= set(group.messages)
        assert {built.messages[m].role for m in left_out} <= {"tool"}
        assert not left_out or sum(fewer) + len(left_out) == len(group.messages) - 1
        for m, one in shown.items():
            message = built.messages[m]
            thinking = "" if one.bare else message.thinking
            calls = [(c.name, BARE_ARGUMENTS if one.bare else c.arguments) for c in message.tool_calls[: one.calls]]
            images = message.images if one.verbatim or not (one.bare or message.role == "tool") else 0
            expected = key.overhead + exact(one.text) + exact(thinking) + images * key.image_tokens
            assert one.tokens == expected + sum(exact(part) for pair in calls for part in pair)
            assert one.tokens <= found.full[m]
            assert one.verbatim is (one.text == found.full_text(message) and not one.bare)
        marks = len(group.unanswered) * found.no_result
        assert found.tokens(group, form, profile.offload_tokens, cap) == sum(s.tokens for s in shown.values()) + marks


@given(sessions(), st.integers(1, 4_000), st.booleans())
def test_that_a_shrunk_group_fits_its_cap_or_is_as_small_as_it_gets(
    built: Session, cap: int, with_images: bool
) -> None:
    found = Sizes(built, DEFAULT._replace(image_tokens=1_600 * with_images))
    for group in built.structure.groups:
        tokens = found.tokens(group, Form.SHRUNK, 2_000, cap)
        assert tokens <= max(cap, found.tokens(group, Form.SHRUNK, 2_000, 1))
        if found.tokens(group, Form.FULL, 2_000) <= cap:
            assert all(shown.verbatim for shown in found.shown(group, Form.SHRUNK, 2_000, cap).values())


@pytest.mark.rule("10.1")
@given(sessions(), st.integers(50, 2_000))
def test_that_only_large_results_are_offloaded_and_a_stub_only_concerns_results(built: Session, limit: int) -> None:
    found = Sizes(built, DEFAULT)
    for group in built.structure.groups:
        offloaded, stubbed = (found.shown(group, form, limit) for form in (Form.OFFLOADED, Form.STUB))
        for m in group.messages:
            if built.messages[m].role != "tool" or built.messages[m].flags & LOOSE:
                assert offloaded[m].verbatim
                assert stubbed[m].verbatim
            elif found.full[m] <= limit:
                assert offloaded[m].verbatim
            else:
                assert offloaded[m] == stubbed[m] == found.stub(m)


@pytest.mark.rule("10.2")
def test_that_a_stub_keeps_head_tail_size_and_address() -> None:
    text = "\n".join(f"line {n}" for n in range(1_000))
    found = sizes(user("go"), assistant("", call("Bash", command="x")), result(text))
    stub = found.stub(2)
    assert stub.text.startswith("line 0\nline 1\nline 2\nline 3\n[1,000 lines, ")
    assert stub.text.endswith("\nline 996\nline 997\nline 998\nline 999")
    assert f"{exact(text):,} tokens" in stub.text
    assert "cxt://tool/Bash/call_1/output" in stub.text
    assert stub.tokens == exact(stub.text) + 4


def test_that_a_result_smaller_than_its_stub_stays_whole() -> None:
    found = sizes(user("go"), assistant("", call("Bash")), result("a\n" * 20))
    assert found.stub(2).verbatim
    assert found.stub(2).tokens == found.full[2]


@pytest.mark.rule("R12")
def test_that_an_image_costs_the_same_whatever_it_shows() -> None:
    found = sizes(user("", images=1), user("", images=2))
    description = exact("[image image/png, 48,112 bytes]")
    assert found.full[0] == 4 + 1_600 + description
    assert found.full[1] == 4 + 3_200 + exact("\n".join(["[image image/png, 48,112 bytes]"] * 2))


def test_that_a_stub_leaves_images_out_and_says_where_they_are() -> None:
    found = sizes(user("go"), assistant("", call("Shot")), result("seen", images=2))
    stub = found.stub(2)
    assert stub.text.startswith("seen\n[image image/png")
    assert "2 images, 3," in stub.text
    assert "cxt://tool/Shot/call_1/output" in stub.text
    assert stub.tokens < 200


def test_that_a_cut_result_loses_its_images_before_its_text() -> None:
    found = sizes(user("go"), assistant("", call("Shot")), result(filler(100), images=2))
    group = groups(found)[1]
    assert found.shown(group, Form.SHRUNK, 2_000, 400)[2].text.startswith(filler(100))
    assert found.tokens(group, Form.SHRUNK, 2_000, 400) <= 400
    assert found.tokens(group, Form.SHRUNK, 2_000, 90) <= 90


def test_that_a_request_loses_its_images_only_when_nothing_else_helps() -> None:
    found = sizes(user(filler(1_000), images=1))
    group = groups(found)[0]
    shown = found.shown(group, Form.SHRUNK, 2_000, 2_000)[0]
    assert not shown.bare
    assert 1_600 < shown.tokens <= 2_000
    assert found.shown(group, Form.SHRUNK, 2_000, 500)[0].bare
    assert found.tokens(group, Form.SHRUNK, 2_000, 500) <= 500
    short = sizes(user("look", images=1))
    assert "cxt://session/s1/message/0" in short.shown(groups(short)[0], Form.SHRUNK, 2_000, 200)[0].text


@pytest.mark.rule("6.37")
def test_that_results_are_cut_before_the_response_and_the_largest_first() -> None:
    found = sizes(
        user("go"),
        assistant(filler(500), call("Bash"), call("Bash")),
        result(filler(2_000), to="call_1"),
        result(filler(900), to="call_2"),
    )
    group = groups(found)[1]
    whole = found.tokens(group, Form.FULL, 2_000)
    verbatim = {cap: found.shown(group, Form.SHRUNK, 2_000, cap) for cap in (whole - 100, whole - 2_500, 300)}
    assert [[shown[m].verbatim for m in (1, 2, 3)] for shown in verbatim.values()] == [
        [True, False, True],
        [True, False, False],
        [False, False, False],
    ]


def test_that_arguments_and_thinking_go_last() -> None:
    found = sizes(
        user("go"),
        assistant("ok", call("Write", file_path="a.py", content=filler(3_000)), thinking=filler(800)),
        result(filler(500)),
    )
    group = groups(found)[1]
    shown = found.shown(group, Form.SHRUNK, 2_000, 400)
    assert shown[1].bare
    assert sum(one.tokens for one in shown.values()) <= 400
    assert not found.shown(group, Form.SHRUNK, 2_000, 4_000)[1].bare


def test_that_a_result_without_its_call_is_marked_and_never_a_stub() -> None:
    found = sizes(result(filler(3_000), to="lost"))
    group = groups(found)[0]
    assert found.full[0] == exact(ORPHAN_PREFIX + filler(3_000)) + 4
    for form in FORMS:
        assert found.tokens(group, form, 50) == found.full[0]
    assert found.tokens(group, Form.SHRUNK, 50, 200) <= 200


@pytest.mark.rule("5.16")
@given(sessions(), sessions(), st.integers(0, 30))
def test_that_sizes_of_a_grown_session_are_those_that_would_be_made(built: Session, other: Session, kept: int) -> None:
    """The grown session keeps some messages, maybe changes the one after them, and goes on differently."""
    before = Sizes(built, DEFAULT)
    for message in built.messages:
        before.stub(message.id)
    grown = session(*(replace(m, ts=None) for m in built.messages[:kept]), *other.messages)
    found, fresh = Sizes(grown, DEFAULT, previous=before), Sizes(grown, DEFAULT)
    assert found.full == fresh.full
    assert [found.stub(m.id) for m in grown.messages] == [fresh.stub(m.id) for m in grown.messages]
    changed = DEFAULT._replace(overhead=9)
    assert Sizes(grown, changed, previous=before).full == Sizes(grown, changed).full


def test_that_a_message_that_grew_is_counted_anew() -> None:
    before = sizes(user("go"), assistant("So"))
    grown = session(user("go"), assistant("So it is done now."), user("thanks"))
    assert Sizes(grown, DEFAULT, previous=before).full == Sizes(grown, DEFAULT).full


def test_that_counting_reports_progress_and_can_be_cancelled() -> None:
    built = session(*(meta(f"note {n}") for n in range(200)))
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    Sizes(built, DEFAULT, look)
    assert len(seen) > 2
    assert seen == sorted(set(seen))
    assert all(done < total == 200 for done, total in seen)
    with pytest.raises(Cancelled, match="nothing was changed"):
        Sizes(built, DEFAULT, lambda done, _: done < 64)


@pytest.mark.parametrize(
    ("field", "value"),
    [("tokenizer", "cl100k_base"), ("image_tokens", 0), ("message_overhead", 5), ("stub_lines", 1), ("stub_chars", 80)],
)
def test_that_a_field_that_changes_counts_changes_the_key(field: str, value: object) -> None:
    assert SizeKey.of(Profile().with_values(**{field: value})) != DEFAULT
    assert SizeKey.of(Profile().with_values(window=64_000)) == DEFAULT


def test_that_a_message_whose_calls_grew_is_counted_anew() -> None:
    before = sizes(user("go"), assistant("So", call("Read", file_path="a")))
    grown = session(user("go"), assistant("So", call("Read", file_path="a/much/longer/path/to/a/file.py")))
    assert Sizes(grown, DEFAULT, previous=before).full == Sizes(grown, DEFAULT).full


def test_that_a_result_that_found_its_call_is_counted_anew() -> None:
    """Its call comes later in the file, so it is moved behind it, and what says the same stands in its place."""
    talk = [user("go"), result("ok", to="c"), assistant("ok")]
    before = sizes(*talk)
    assert before.orphans == {1}
    grown = session(*talk, assistant("", call("Bash", call_id="c")))
    assert Sizes(grown, DEFAULT, previous=before).full == Sizes(grown, DEFAULT).full


def test_that_a_group_is_as_large_as_what_a_call_sees_of_it() -> None:
    found = sizes(user("go"), assistant("", call("Bash"), call("Grep")), result(filler(900)), result(filler(700)))
    whole = groups(found)[1]
    seen = replace(whole, messages=whole.messages[:2], unanswered=("call_2",))
    for form in (Form.OFFLOADED, Form.STUB):
        for group in (seen, whole, seen):
            shown = sum(one.tokens for one in found.shown(group, form, 100).values())
            assert found.tokens(group, form, 100) == shown + len(group.unanswered) * found.no_result


def test_that_a_cut_is_remembered_for_its_own_cap_only() -> None:
    talk = [user("go"), assistant("", call("Bash")), result(" ".join(f"word{n}" for n in range(400)))]
    kept = sizes(*talk)
    for cap in (*range(200, 240), *range(239, 199, -1)):
        group = groups(kept)[1]
        assert kept.shown(group, Form.SHRUNK, 100, cap) == sizes(*talk).shown(group, Form.SHRUNK, 100, cap)
        assert kept.tokens(group, Form.SHRUNK, 100, cap) <= cap


@pytest.mark.rule("10.1")
def test_that_a_result_of_just_the_limit_is_not_offloaded() -> None:
    found = sizes(user("go"), assistant("", call("Bash")), result(filler(500)))
    group, limit = groups(found)[1], found.full[2]
    assert found.shown(group, Form.OFFLOADED, limit)[2].verbatim
    assert not found.shown(group, Form.OFFLOADED, limit - 1)[2].verbatim
