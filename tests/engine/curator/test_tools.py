from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.desk import Desk
from ravenglass.curator.plan import BUILD_CONTEXT
from ravenglass.curator.tools import TOOLS
from ravenglass.curator.working_state.lines import StateLine, WorkingState
from ravenglass.errors import PlanError
from ravenglass.hub.item import Form
from ravenglass.scheduler.view import ByHand
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.curator.desks import desk
from tests.engine.replay.runs import thorough
from tests.engine.scheduler.views import ARCHIVED, EXPIRED, STANDBY, look, plain, views

NAMES = (
    "curator_search_history", "curator_check_budget", "curator_archive_messages", "curator_retrieve_archived",
    "curator_read_memory", "curator_set_relevance", "curator_update_working_state", "curator_build_context",
)  # fmt: skip


def at_work(**more: Any) -> Desk:
    """Groups: 0 request; 1 to 4 exchanges about login, 配额, nothing, tests; call 5 is being decided."""
    built = session(
        user("Fix the login in src/auth.py"),
        assistant("Reading", call("Read", file_path="src/auth.py")), result("def login(): ..."),
        assistant("", call("Bash", command="cat")), result("修改配额"),
        assistant("", call("Bash", command="ls")), result("a b"),
        assistant("", call("Bash", command="pytest")), result("FAILED test_login"),
        assistant("end"),
    )  # fmt: skip
    return desk(look(built, plain(), **more))


def run(name: str, at: Desk | None = None, **arguments: Any) -> dict[str, Any]:
    return dict(TOOLS[name].run(at or at_work(), arguments))


def refusal(name: str, at: Desk | None = None, **arguments: Any) -> str:
    with pytest.raises(PlanError) as error:
        TOOLS[name].run(at or at_work(), arguments)
    return str(error.value)


@pytest.mark.rule("6.12")
def test_that_there_are_the_eight_tools_and_building_is_the_last() -> None:
    assert tuple(TOOLS) == NAMES
    assert tuple(TOOLS)[-1] == BUILD_CONTEXT


@pytest.mark.rule("6.12")
@pytest.mark.parametrize("name", NAMES)
def test_that_a_tool_describes_itself_as_a_function_with_a_closed_schema(name: str) -> None:
    schema = TOOLS[name].schema()
    assert schema["type"] == "function"
    function = schema["function"]
    assert isinstance(function, dict)
    assert function["name"] == name
    assert function["description"].endswith(".")
    assert function["parameters"]["additionalProperties"] is False


@pytest.mark.rule("6.14")
@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("curator_search_history", {"limit": 0}, "limit: input should be greater than or equal to 1"),
        ("curator_search_history", {"query": 3}, "query: input should be a valid string"),
        ("curator_check_budget", {"message_ids": "all"}, "message_ids: input should be a valid list"),
        ("curator_check_budget", {"ids": [1]}, "ids: extra inputs are not permitted"),
        ("curator_archive_messages", {}, "message_ids: field required"),
        ("curator_archive_messages", {"message_ids": [1], "reason": ""}, "reason: string should have at least 1 char"),
        ("curator_archive_messages", {"message_ids": ["1"], "reason": "x"}, "message_ids.0: input should be a valid"),
        ("curator_retrieve_archived", {"refs": []}, "refs: list should have at least 1 item"),
        ("curator_retrieve_archived", {"refs": ["a#1"], "mode": "all"}, "mode: input should be 'snippet' or 'exact'"),
        ("curator_set_relevance", {"message_ids": [1], "relevance": 2}, "relevance: input should be less than"),
        ("curator_set_relevance", {"message_ids": [1], "relevance": float("nan")}, "relevance: input should be"),
        ("curator_update_working_state", {"goals": "one"}, "goals: input should be a valid list"),
        ("curator_build_context", {}, "include_message_ids: field required"),
        ("curator_build_context", {"include_message_ids": [True]}, "include_message_ids.0: input should be a"),
    ],
)  # fmt: skip
def test_that_unusable_arguments_are_answered_with_tool_field_and_fault(
    name: str, arguments: dict[str, Any], sentence: str
) -> None:
    assert refusal(name, **arguments).startswith(f"{name}: {sentence}")


@pytest.mark.parametrize("arguments", [None, [], "text", 3])
@pytest.mark.parametrize("name", NAMES)
def test_that_arguments_that_are_no_object_are_refused(name: str, arguments: Any) -> None:
    with pytest.raises(PlanError, match=f"{name}: arguments: "):
        TOOLS[name].run(at_work(), arguments)


@pytest.mark.rule("6.14")
@pytest.mark.parametrize(
    "name", ["curator_check_budget", "curator_archive_messages", "curator_set_relevance", BUILD_CONTEXT]
)
def test_that_unknown_ids_are_named_with_those_that_are_known(name: str) -> None:
    extra: dict[str, dict[str, Any]] = {
        "curator_archive_messages": {"reason": "x"},
        "curator_set_relevance": {"relevance": 1.0},
    }
    field = "include_message_ids" if name == BUILD_CONTEXT else "message_ids"
    arguments: dict[str, Any] = {field: [0, 9, -1], **extra.get(name, {})}
    said = refusal(name, **arguments)
    assert said == "message ids [9, -1] are not known at call 5; known ids are 0 to 8"


@pytest.mark.rule("6.11")
@thorough
@given(views(), st.data())
def test_that_no_tool_changes_the_session_before_the_plan_is_accepted(view: Any, data: st.DataObject) -> None:
    before = bytes(view.live.states), bytes(view.live.forms), dict(view.live.caps)
    at = desk(view)
    ids = st.lists(st.integers(0, max(0, view.features.boundary(view.call) - 1)), min_size=1, max_size=4)
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("curator_search_history", {"query": "login"}),
        ("curator_check_budget", {"message_ids": data.draw(ids)}),
        ("curator_set_relevance", {"message_ids": data.draw(ids), "relevance": 0.5}),
        ("curator_archive_messages", {"message_ids": data.draw(ids), "reason": "old"}),
        (BUILD_CONTEXT, {"include_message_ids": data.draw(ids)}),
    )
    for name, arguments in asked:
        with suppress(PlanError):
            TOOLS[name].run(at, arguments)
    assert (bytes(view.live.states), bytes(view.live.forms), dict(view.live.caps)) == before


def found(**arguments: Any) -> list[list[int]]:
    return [match["message_ids"] for match in run("curator_search_history", **arguments)["matches"]]


def test_that_a_search_finds_words_whatever_the_script() -> None:
    assert found(query="src/auth.py") == [[0], [1, 2]]
    assert found(query="配额") == [[3, 4]]
    assert found(query="额") == [[3, 4]]
    assert found(query="a b") == [[5, 6]]
    assert found(query="nothing like this") == []


def test_that_a_search_without_words_gives_everything_by_relevance() -> None:
    everything = run("curator_search_history")
    assert everything["total"] == 5
    assert found(limit=2) == [m["message_ids"] for m in everything["matches"][:2]]
    assert found(min_relevance=0.99) == [[0], [1, 2]]


def test_that_a_match_says_what_there_is_to_know_and_an_archived_one_how_to_get_it() -> None:
    at = at_work(places={2: ARCHIVED})
    (match,) = run("curator_search_history", at, query="配额")["matches"]
    assert match == {
        "message_ids": [3, 4], "score": match["score"], "tokens": at.view.tokens(2, Form.FULL), "state": "archived",
        "tier": "task", "ref": "day/s.jsonl#2-2",
    }  # fmt: skip
    assert match["score"] == round(at.score(2), 4)
    assert "ref" not in run("curator_search_history", query="配额")["matches"][0]


def test_that_a_late_result_is_not_offered_before_it_is_there() -> None:
    made = assistant("", call("Bash", call_id="a", command="make"))
    late = result("made it", to="a")
    built = session(user("go"), made, user("and?"), assistant("wait"), late, assistant("end"))
    before, after = (desk(look(built, plain(), call=n)) for n in (2, 3))
    assert run("curator_search_history", before, query="make")["matches"][0]["message_ids"] == [1]
    assert run("curator_search_history", after, query="make")["matches"][0]["message_ids"] == [1, 4]


def test_that_the_budget_of_some_messages_is_that_of_their_whole_groups() -> None:
    at = at_work()
    view = at.view
    found = run("curator_check_budget", at, message_ids=[2])
    assert found["tokens"] == view.tokens(1, Form.FULL)
    assert found["by_tier"] == {"task": found["tokens"]}
    assert (found["budget"], found["target"], found["over_by"]) == (10_000, 10_000, 0)
    assert found["quotas"] == view.budget.quotas


def test_that_the_budget_counts_what_would_be_offloaded_as_a_stub() -> None:
    made = [m for n in range(5) for m in (assistant("", call("Bash", command="x")), result(f"{n} {filler(900)}"))]
    view = look(session(user("ok"), *made, assistant("end")), plain(offload_tokens=100, offload_after=1, stub_chars=40))
    assert run("curator_check_budget", desk(view), message_ids=[2])["tokens"] == view.tokens(1, Form.OFFLOADED) < 900


def test_that_the_budget_without_ids_is_that_of_the_window_as_it_stands() -> None:
    at = at_work(places={2: STANDBY})
    view = at.view
    found = run("curator_check_budget", at)
    assert found["tokens"] == sum(view.placed_tokens(g) for g in (0, 1, 3, 4))
    assert sum(found["by_tier"].values()) == found["tokens"]


@pytest.mark.rule("6.11")
def test_that_archiving_takes_effect_only_with_the_plan() -> None:
    at = at_work(places={1: STANDBY, 2: EXPIRED})
    archived = run("curator_archive_messages", at, message_ids=[2, 3], reason="done with it")
    assert (archived["archived"], archived["refs"]) == (2, ["day/s.jsonl#1-1", "day/s.jsonl#2-2"])
    assert at.to_archive == {1: "done with it", 2: "done with it"}
    assert run(BUILD_CONTEXT, at, include_message_ids=[5])["ok"]
    assert at.assembled is not None
    assert at.assembled.archive == at.to_archive


@pytest.mark.rule("6.27")
def test_that_what_cannot_be_archived_is_refused_at_once_so_that_no_plan_is_spoilt() -> None:
    at = at_work(places={1: STANDBY}, hand=ByHand(pins=frozenset({3})))
    assert "messages [5] are pinned" in refusal("curator_archive_messages", at, message_ids=[5], reason="x")
    assert "messages [0] have to stay" in refusal("curator_archive_messages", at, message_ids=[0], reason="x")
    said = refusal("curator_archive_messages", at, message_ids=[1, 3], reason="x")
    assert said.startswith("messages 3 (active) cannot be archived yet: only what is on standby or expired can.")
    assert at.to_archive == {}
    assert run(BUILD_CONTEXT, at, include_message_ids=[1])["ok"]


def test_that_a_number_is_retrieved_only_where_the_call_knows_the_message() -> None:
    assert run("curator_retrieve_archived", refs=["#2"])["results"][0]["ref"] == "#2"
    assert "message ids [99] are not known at call" in refusal("curator_retrieve_archived", refs=["#99"])


def test_that_retrieving_hands_on_how_it_was_asked() -> None:
    found = run("curator_retrieve_archived", refs=["day/a.jsonl#1-2"], max_tokens=50, mode="exact")
    assert found == {"results": [
        {"ref": "day/a.jsonl#1-2", "text": "day/a.jsonl#1-2 exact 50", "tokens": 7, "truncated": False}
    ]}  # fmt: skip
    assert run("curator_retrieve_archived", refs=["a#1"])["results"][0]["text"] == "a#1 snippet 2000"


def test_that_a_reference_that_does_not_resolve_is_a_sentence() -> None:
    assert refusal("curator_retrieve_archived", refs=["a#1", "nothing"]) == "'nothing' is no archive reference"


def test_that_memory_is_the_working_state() -> None:
    state = WorkingState(goals=(StateLine("fix the login", 0),))
    at = desk(at_work().view, state=state)
    assert "fix the login" in run("curator_read_memory", at)["working_state"]
    assert run("curator_read_memory")["working_state"] == ""


@pytest.mark.rule("5.21")
def test_that_a_relevance_weighs_in_the_score_of_the_whole_group() -> None:
    at = at_work()
    before, relevance = at.score(3), at.decision.scores.relevance[3]
    assert run("curator_set_relevance", at, message_ids=[5], relevance=1.0)["groups"] == 1
    assert at.score(3) == pytest.approx(before + 0.6 * (1.0 - relevance))
    assert at.score(2) == at.decision.scores.total[2]


@pytest.mark.rule("5.21")
def test_that_a_relevance_that_was_set_takes_the_place_of_the_computed_one() -> None:
    at = at_work()
    before, relevance = at.score(1), at.decision.scores.relevance[1]
    assert relevance > 0
    run("curator_set_relevance", at, message_ids=[1], relevance=0.25)
    assert at.score(1) == pytest.approx(before + 0.6 * (0.25 - relevance))


def test_that_over_budget_is_measured_against_c_and_not_against_the_trim_target() -> None:
    talk = session(user("ok"), assistant("", call("Bash")), result(filler(600)), assistant("end"))
    at = desk(look(talk, plain(1_000, trim_target=0.5)))
    told = run("curator_check_budget", at)
    assert told["target"] == 500 < told["tokens"] < told["budget"] == 1_000
    assert told["over_by"] == 0


@pytest.mark.rule("6.42")
def test_that_a_plan_that_no_other_could_mend_does_not_come_back() -> None:
    talk = session(user("ok"), assistant("", call("Bash")), result(filler(3_000)), assistant("end"))
    at = desk(look(talk, plain(1_000)))
    at.steps_left = 5
    answer = run(BUILD_CONTEXT, at, include_message_ids=[0])
    assert answer["ok"]
    assert at.assembled is not None
    assert at.assembled.shrunk == (1,)


def test_that_a_low_relevance_decides_who_is_trimmed_first() -> None:
    sizes = (400, 400, 400, 100)
    made = [m for n, s in enumerate(sizes) for m in (assistant("", call("", raw="")), result(f"{n} {filler(s - 1)}"))]
    at = desk(look(session(user("ok"), *made, assistant("end")), plain(1_000)))
    run("curator_set_relevance", at, message_ids=[1, 5], relevance=1.0)
    at.steps_left = 0  # at the last step what is over budget is trimmed
    run(BUILD_CONTEXT, at, include_message_ids=list(range(9)))
    assert at.assembled is not None
    assert at.assembled.dropped == (2,)


def test_that_updating_the_working_state_keeps_the_lists_that_are_not_given() -> None:
    at = desk(
        at_work().view,
        state=WorkingState(goals=(StateLine("old goal", 0),), decisions=(StateLine("keep it small", 0),)),
    )
    text = run("curator_update_working_state", at, goals=["new goal"])["working_state"]
    assert "new goal" in text
    assert "old goal" not in text
    assert "keep it small" in text
    assert at.working_state.goals[0].source == 8


@pytest.mark.rule("6.13")
def test_that_an_accepted_plan_says_what_it_costs_and_a_rejected_one_why() -> None:
    at = at_work(places={1: STANDBY})
    good = run(BUILD_CONTEXT, at, include_message_ids=[1, 3])
    assert good == {
        "ok": True, "total_tokens": good["total_tokens"], "max_prompt_tokens": 10_000, "over_by": 0, "errors": [],
        "assembler_warnings": [], "retry_allowed": False,
    }  # fmt: skip
    at.assembled = None
    run("curator_archive_messages", at, message_ids=[1], reason="x")
    bad = run(BUILD_CONTEXT, at, include_message_ids=[1])
    assert (bad["ok"], bad["retry_allowed"], at.assembled) == (False, True, None)
    assert bad["errors"] == ["message 1 is in the window, so it cannot be archived"]
