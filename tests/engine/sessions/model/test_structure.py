"""Groups, turns and calls (engine.md, section 1)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions.model.session import Kind, Marker, Message, ToolCall
from ravenglass.sessions.model.structure import analyse, link, linked
from tests.engine.builders import assistant, call, result, session, user


def numbered(*messages: tuple[object, ...]) -> list[Message]:
    """("user", kind) | ("assistant", [call ids], *flags) | ("tool", call id)."""
    made: list[Message] = []
    for position, (role, value, *flags) in enumerate(messages):
        if role == "user":
            made.append(Message(position, "user", (), kind=value))  # type: ignore[arg-type]
        elif role == "assistant":
            calls = tuple(ToolCall(call, f"tool-{call}", "{}") for call in value)  # type: ignore[attr-defined]
            made.append(Message(position, "assistant", (), tool_calls=calls, flags=frozenset(map(str, flags))))
        else:
            made.append(Message(position, "tool", (), tool_call_id=value))  # type: ignore[arg-type]
    return made


def groups(*messages: tuple[object, ...]) -> list[tuple[int, ...]]:
    return [group.messages for group in analyse(numbered(*messages)).groups]


def test_that_an_empty_session_has_no_structure() -> None:
    structure = analyse([])
    assert (structure.groups, structure.turns, structure.calls, structure.group_of) == ((), (), (), ())


def test_that_ids_must_be_positions() -> None:
    with pytest.raises(ValueError, match="ids must be positions"):
        analyse([Message(1, "user", ())])


@pytest.mark.rule("R11")
def test_that_an_assistant_message_and_all_its_results_are_one_group() -> None:
    assert groups(("user", "prompt"), ("assistant", ["a", "b"]), ("tool", "b"), ("user", "meta"), ("tool", "a")) == [
        (0,),
        (1, 2, 4),
        (3,),
    ]


def test_that_an_unanswered_call_is_named_in_call_order() -> None:
    structure = analyse(numbered(("assistant", ["a", "b", "c"]), ("tool", "b")))
    assert structure.groups[0].unanswered == ("a", "c")


def test_that_a_result_without_its_call_is_an_orphan_of_its_own() -> None:
    messages, structure = link(numbered(("tool", "x"), ("user", "prompt"), ("assistant", ["a"])))
    assert [group.orphan for group in structure.groups] == [True, False, False]
    assert messages[0].flags == {"orphan_result"}


def test_that_a_result_without_any_id_is_an_orphan() -> None:
    messages, structure = link(numbered(("assistant", ["a"]), ("tool", None)))
    assert structure.groups[1].orphan
    assert structure.groups[0].unanswered == ("a",)
    assert messages[1].flags == {"orphan_result"}


def test_that_a_result_before_its_call_joins_its_group() -> None:
    structure = analyse(numbered(("tool", "a"), ("user", "prompt"), ("assistant", ["a"])))
    assert [group.messages for group in structure.groups] == [(0, 2), (1,)]
    assert not structure.groups[0].orphan
    assert structure.groups[0].unanswered == ()


def test_that_reused_call_ids_pair_with_the_nearest_open_call() -> None:
    turn = (("user", "prompt"), ("assistant", ["call_0"]), ("tool", "call_0"))
    assert groups(*turn, *turn) == [(0,), (1, 2), (3,), (4, 5)]


def test_that_the_nearest_of_two_open_calls_is_answered_first() -> None:
    structure = analyse(numbered(("assistant", ["c"]), ("assistant", ["c"]), ("tool", "c")))
    assert [group.messages for group in structure.groups] == [(0,), (1, 2)]
    assert structure.groups[0].unanswered == ("c",)


def test_that_a_second_result_stays_in_the_group_and_is_flagged() -> None:
    messages, structure = link(numbered(("assistant", ["a"]), ("tool", "a"), ("user", "prompt"), ("tool", "a")))
    assert [group.messages for group in structure.groups] == [(0, 1, 3), (2,)]
    assert [sorted(message.flags) for message in messages] == [[], [], [], ["duplicate_result"]]


def test_that_a_second_result_does_not_take_the_place_of_a_later_turns_result() -> None:
    messages, structure = link(
        numbered(("assistant", ["c"]), ("tool", "c"), ("tool", "c"), ("assistant", ["c"]), ("tool", "c"))
    )
    assert [group.messages for group in structure.groups] == [(0, 1, 2), (3, 4)]
    assert [message.id for message in messages if message.flags] == [2]


def test_that_results_learn_the_name_of_their_tool() -> None:
    messages, _ = link(numbered(("assistant", ["a", "b"]), ("tool", "b"), ("tool", "a")))
    assert [message.tool_name for message in messages] == [None, "tool-b", "tool-a"]


def test_that_only_prompts_start_turns() -> None:
    kinds: tuple[Kind, ...] = ("prompt", "command", "meta", "summary", "prompt")
    structure = analyse(numbered(*(("user", kind) for kind in kinds)))
    assert [(turn.prompt, turn.first, turn.last) for turn in structure.turns] == [(0, 0, 3), (4, 4, 4)]


def test_that_what_stands_before_the_first_prompt_is_turn_zero_without_a_prompt() -> None:
    structure = analyse(numbered(("user", "meta"), ("assistant", []), ("user", "prompt")))
    assert [(turn.index, turn.prompt, turn.first, turn.last) for turn in structure.turns] == [
        (0, None, 0, 1),
        (1, 2, 2, 2),
    ]
    assert [group.turn for group in structure.groups] == [0, 0, 1]


def test_that_every_real_response_is_a_call_and_no_other_message() -> None:
    structure = analyse(
        numbered(
            ("user", "prompt"),
            ("assistant", []),
            ("assistant", [], "synthetic"),
            ("assistant", [], "api_error"),
            ("assistant", []),
        )
    )
    assert [(call.number, call.message, call.turn) for call in structure.calls] == [(1, 1, 0), (2, 4, 0)]


def test_that_a_response_recorded_twice_is_one_call() -> None:
    first = Message(0, "assistant", (), source_id="m1")
    again = Message(1, "assistant", (), source_id="m1", flags=frozenset({"duplicate_id"}))
    different = Message(2, "assistant", (), source_id="m2", flags=frozenset({"duplicate_id"}))
    assert [call.message for call in analyse([first, again, different]).calls] == [0, 2]


def test_that_a_groups_call_is_the_first_that_can_see_it() -> None:
    structure = analyse(
        numbered(("user", "prompt"), ("assistant", ["a"]), ("tool", "a"), ("assistant", []), ("user", "prompt"))
    )
    assert [(group.messages, group.call) for group in structure.groups] == [
        ((0,), 1),
        ((1, 2), 2),
        ((3,), 3),
        ((4,), 3),
    ]


IDS = st.sampled_from(["a", "b", "c"])
MESSAGES = st.lists(
    st.one_of(
        st.tuples(st.just("user"), st.sampled_from(["prompt", "meta"])),
        st.tuples(st.just("assistant"), st.lists(IDS, max_size=3)),
        st.tuples(st.just("tool"), IDS),
    ),
    max_size=25,
)


@pytest.mark.rule("R11")
@given(MESSAGES)
def test_that_groups_partition_any_session_and_hold_at_most_one_assistant(
    given_messages: list[tuple[object, object]],
) -> None:
    messages = numbered(*given_messages)
    structure = analyse(messages)
    members = [message for group in structure.groups for message in group.messages]
    assert sorted(members) == list(range(len(messages)))
    firsts = [group.messages[0] for group in structure.groups]
    assert firsts == sorted(firsts)
    for group in structure.groups:
        assert list(group.messages) == sorted(group.messages)
        assert [structure.group_of[m] for m in group.messages] == [group.index] * len(group.messages)
        holders = [m for m in group.messages if messages[m].role == "assistant"]
        assert len(group.messages) == 1 or len(holders) == 1
        ids = [call.id for m in holders for call in messages[m].tool_calls]
        results = [messages[m].tool_call_id for m in group.messages if messages[m].role == "tool"]
        assert group.orphan or group.unsent or set(results) <= set(ids)
        assert group.unsent == (group.messages[0] in structure.never_sent)
        assert len(group.messages) == 1 or not group.unsent
        # Every call is either answered in its own group or named as unanswered, never both.
        for call_id in set(ids):
            assert ids.count(call_id) == min(results.count(call_id), ids.count(call_id)) + group.unanswered.count(
                call_id
            )


@given(MESSAGES)
def test_that_a_result_is_an_orphan_only_if_no_call_of_its_id_exists(
    given_messages: list[tuple[object, object]],
) -> None:
    messages = numbered(*given_messages)
    called = {call.id for message in messages for call in message.tool_calls}
    for group in analyse(messages).groups:
        assert group.orphan == (
            messages[group.messages[0]].role == "tool" and messages[group.messages[0]].tool_call_id not in called
        )


@given(MESSAGES)
def test_that_turns_tile_any_session_and_calls_see_what_is_before_them(
    given_messages: list[tuple[object, object]],
) -> None:
    messages = numbered(*given_messages)
    structure = analyse(messages)
    assert [m for turn in structure.turns for m in range(turn.first, turn.last + 1)] == list(range(len(messages)))
    for group in structure.groups:
        seeing = [call.number for call in structure.calls if group.messages[0] < call.message]
        assert group.call == (seeing[0] if seeing else len(structure.calls) + 1)


def test_that_markers_move_with_a_result_that_stood_before_its_call() -> None:
    asked = user("go")
    early = replace(result("ok", to="call_1"), id=1)
    holder = replace(assistant("", call("Bash", call_id="call_1")), id=2)
    found = linked([asked, early, holder, replace(user("on"), id=3)], [Marker("clearing", 3, cleared=(1,))])
    assert [message.role for message in found.messages] == ["user", "assistant", "tool", "user"]
    (moved,) = found.markers
    assert (moved.before, moved.cleared) == (3, (2,))


def test_that_a_prompt_that_was_written_twice_begins_one_turn() -> None:
    said = [replace(user("go"), source_id="p"), assistant("hm"), replace(user("go"), source_id="p"), assistant("ok")]
    built = session(*said)
    assert list(built.structure.never_sent) == [2]
    assert [(turn.prompt, turn.first, turn.last) for turn in built.structure.turns] == [(0, 0, 3)]
