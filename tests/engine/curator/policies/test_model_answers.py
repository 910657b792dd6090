"""What a model answers, however odd, and what it is told back; keys and addresses stay unsaid."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.errors import ProfileError, RavenglassError
from ravenglass.replay import Run
from tests.engine.curator.policies.endpoint_server import (
    BUILD,
    Served,
    build,
    call,
    error,
    message,
    serving,
    whole,
)
from tests.engine.curator.policies.pressure import busy_run, slow_call
from tests.engine.curator.policies.test_model import IDS, curate, outcome, results
from tests.engine.replay.validity import problems


@pytest.mark.rule("6.14", "6.16")
def test_that_an_unknown_tool_goes_back_to_the_model(run: Run) -> None:
    with serving(whole(message(call("delete everything!", {"x": 1}))), whole(message(build(IDS)))) as served:
        loop = curate(run, served)
    assert outcome(loop) == ("slow", "")
    told = json.loads(served.requests[1]["messages"][3]["content"])["error"]
    assert "there is no tool 'delete everything!'" in told
    assert BUILD in told
    repeated = served.requests[1]["messages"][2]["tool_calls"][0]["function"]
    assert repeated["name"] == "delete_everything_"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"include_message_ids": [1, 2', "are no JSON"),
        ("[0, 1]", "are a JSON list; send one object"),
        ('{"include_message_ids": [NaN]}', "NaN is no JSON number"),
        ('{"include_message_ids": ["one"]}', "include_message_ids.0"),
        ('{"ids": [0]}', "include_message_ids"),
        ("", "field required"),
        ('{"include_message_ids": [0, 9999]}', "9999"),
        ("[" * 5_000, "are no JSON"),
    ],
)
def test_that_malformed_arguments_go_back_to_the_model(run: Run, arguments: str, told: str) -> None:
    with serving(whole(message(call(BUILD, arguments))), whole(message(build(IDS)))) as served:
        loop = curate(run, served)
    assert outcome(loop) == ("slow", "")
    assert told in json.loads(served.requests[1]["messages"][3]["content"])["error"]
    echoed = served.requests[1]["messages"][2]["tool_calls"][0]["function"]["arguments"]
    assert isinstance(json.loads(echoed), dict)
    assert [e.event for e in loop.events if e.event == "plan_rejected"] == ["plan_rejected"]


def test_that_arguments_cut_at_the_length_limit_are_told_as_that(run: Run) -> None:
    cut = whole(message(call(BUILD, '{"include')), finish="length")
    with serving(cut, whole(message(build(IDS)))) as served:
        curate(run, served)
    assert "length limit" in served.requests[1]["messages"][3]["content"]


def test_that_calls_with_missing_or_equal_ids_get_ids_of_their_own(run: Run) -> None:
    looks = message(*(call("curator_check_budget", {}, call_id) for call_id in ("", "same", "same")))
    with serving(whole(looks), whole(message(build(IDS)))) as served:
        assert outcome(curate(run, served)) == ("slow", "")
    second = served.requests[1]["messages"]
    ids = [c["id"] for c in second[2]["tool_calls"]]
    assert len(set(ids)) == 3
    assert [m["tool_call_id"] for m in second[3:]] == ids


def test_that_an_answer_without_a_tool_call_is_followed_by_a_reminder(run: Run) -> None:
    with serving(whole(message(content="Let me think."), "stop"), whole(message(build(IDS)))) as served:
        assert outcome(curate(run, served)) == ("slow", "")
    assert [m["role"] for m in served.requests[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert BUILD in served.requests[1]["messages"][3]["content"]


@pytest.mark.rule("6.16")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (message(content=""), "answered without a tool call"),
        (message(content=None), "answered without a tool call"),
        (message(content=None, refusal="I will not."), "refused 2 times in a row, last at step 2: I will not."),
        (message(content=[{"type": "text", "text": "no"}]), "last at step 2: no"),  # type: ignore[arg-type]
    ],
    ids=["empty", "null", "refusal", "parts"],
)
def test_that_empty_answers_and_refusals_end_in_the_fail_safe(run: Run, said: dict[str, Any], told: str) -> None:
    with serving(*[whole(said, "stop")] * 12) as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert told in reason
    assert len(served.requests) == 2


def test_that_a_model_that_never_builds_ends_in_the_fail_safe_after_all_steps() -> None:
    run = busy_run(max_steps=3)
    with serving(*[whole(message(call("curator_check_budget", {})))] * 4) as served:
        path, reason = outcome(curate(run, served))
    assert (path, reason) == ("fail_safe", "no accepted plan after 3 steps")
    assert len(served.requests) == 3


def test_that_a_rejected_archiving_comes_back_and_can_be_mended(run: Run) -> None:
    kept = message(call("curator_archive_messages", {"message_ids": [0], "reason": "old"}))
    with serving(whole(kept), whole(message(build(IDS)))) as served:
        loop = curate(run, served)
    assert outcome(loop) == ("slow", "")
    assert "messages [0] have to stay in the window" in results(loop)[0][1]["error"]


def test_that_one_policy_serves_call_after_call(run: Run) -> None:
    with serving(*[whole(message(build(IDS)))] * 2) as served:
        policy = ModelPolicy(served.endpoint())
        for _ in range(2):
            loop = run.loop(slow_call(run), policy)
            loop.run()
            assert outcome(loop) == ("slow", "")
    assert served.requests[0] == served.requests[1]


def test_that_stepping_and_running_give_the_same_events(run: Run) -> None:
    acts = [whole(message(call("curator_check_budget", {}))), whole(message(content="hm")), whole(message(build(IDS)))]
    with serving(*acts, *acts) as served:
        stepped = run.loop(slow_call(run), ModelPolicy(served.endpoint()))
        one_by_one = []
        while (event := stepped.step()) is not None:
            one_by_one.append(event)
        ran = run.loop(slow_call(run), ModelPolicy(served.endpoint())).run()
    assert one_by_one == ran


def test_that_the_key_is_sent_and_never_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEST_KEY", "sk-very-secret")
    with serving(error(401, "Incorrect key sk-very-secret")) as served:
        loop = curate(run, served, api_key_env="TEST_KEY")
    assert served.keys == ["Bearer sk-very-secret"]
    assert "HTTP 401" in outcome(loop)[1]
    assert not any("sk-very-secret" in event.to_json() for event in loop.events)


def test_that_a_missing_key_names_its_variable(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TEST_KEY", raising=False)
    with serving() as served:
        path, reason = outcome(curate(run, served, api_key_env="TEST_KEY"))
    assert path == "fail_safe"
    assert "environment variable TEST_KEY" in reason
    assert served.requests == []


def test_that_the_address_is_told_without_a_password(run: Run) -> None:
    with serving(error(400, "no")) as served:
        address = served.url.replace("http://", "http://user:hidden@")
        path, reason = outcome(curate(run, served, base_url=address))
    assert path == "fail_safe"
    assert "127.0.0.1" in reason
    assert "hidden" not in reason


def test_that_a_missing_package_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with serving() as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert "pip install 'ravenglass[model]'" in reason


def test_that_the_package_is_imported_only_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    ModelPolicy(Served("http://127.0.0.1:1/v1", [], []).endpoint())


@pytest.mark.parametrize(
    ("values", "field"),
    [({"base_url": "ftp://x"}, "base_url"), ({"model": ""}, "model"), ({"retries": -1}, "retries"), ({"x": 1}, "x")],
)
def test_that_wrong_settings_name_their_field(values: dict[str, object], field: str) -> None:
    with pytest.raises(ProfileError, match=field) as caught:
        Served("http://127.0.0.1/v1", [], []).endpoint(**values)
    assert caught.value.field == field


def test_that_texts_with_lone_surrogates_reach_the_model_as_marks(run: Run) -> None:
    odd = '{"goals": ["a\\ud800b"]}'
    acts = [whole(message(call("curator_update_working_state", odd))), whole(message(build(IDS)))]
    with serving(*acts) as served:
        assert outcome(curate(run, served)) == ("slow", "")
    assert "a\ufffdb" in json.loads(served.requests[1]["messages"][3]["content"])["working_state"]


@pytest.mark.rule("6.16")
def test_that_the_window_of_a_models_plan_is_valid(run: Run) -> None:
    with serving(whole(message(build(IDS)))) as served:
        loop = curate(run, served)
    placed = loop.result.assembled.placed  # type: ignore[union-attr]
    groups = run.session.structure.groups
    messages = [m for g in placed for m in groups[g].messages]
    wanted = [w for w in run.window(run.calls).messages if w.id is None or w.id in messages]
    assert problems(wanted) == []


def test_that_only_errors_of_ours_leave_the_policy(run: Run) -> None:
    def explode(*arguments: object) -> None:
        raise RavenglassError("no model today")

    loop = run.loop(slow_call(run), ModelPolicy(Served("http://127.0.0.1:1/v1", [], []).endpoint(), explode))  # type: ignore[arg-type]
    loop.run()
    assert outcome(loop) == ("fail_safe", "no model today")


def test_that_only_silent_answers_in_a_row_end_the_slow_path(run: Run) -> None:
    quiet, looks = whole(message(content="Hm."), "stop"), whole(message(call("curator_check_budget", {}, "a")))
    with serving(quiet, looks, quiet, whole(message(build(IDS)))) as served:
        assert outcome(curate(run, served, silent_answers=2)) == ("slow", "")
