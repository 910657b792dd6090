"""The model policy against a local endpoint: what it sends, and that nothing the endpoint does becomes an exception."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from ravenglass.curator.dialects import check
from ravenglass.curator.policies.model import ModelPolicy
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import ProfileError, RavenglassError
from ravenglass.replay import Run, replay
from ravenglass.replay.stepper import ReplayLoop
from tests.engine.curator.policies.endpoint_server import (
    BUILD,
    Act,
    Served,
    build,
    call,
    drip,
    error,
    hang,
    message,
    raw,
    serving,
    stream,
    whole,
)
from tests.engine.curator.policies.pressure import busy_run, busy_session, slow_call, tight
from tests.engine.replay.validity import problems

IDS = [0, 3, 4, 21, 22]


@pytest.fixture(scope="module")
def run() -> Run:
    return busy_run()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def curate(run: Run, served: Served, **values: object) -> ReplayLoop:
    loop = run.loop(slow_call(run), ModelPolicy(served.endpoint(**values)))
    loop.run()
    return loop


def outcome(loop: ReplayLoop) -> tuple[str, str]:
    """Path and reason; whatever the path, the window is valid and within budget."""
    assert loop.result is not None
    assert loop.conversation is not None
    assembled = loop.result.assembled
    assert assembled is not None
    assert assembled.verdict.over_by == 0
    return loop.result.path, loop.conversation.reason


def results(loop: ReplayLoop) -> list[tuple[str, dict[str, Any]]]:
    found = [e.payload for e in loop.events if e.event == "curator_tool_result"]
    return [(str(p["tool"]), p["result"]) for p in found]  # type: ignore[misc]


@pytest.mark.rule("6.16")
@pytest.mark.parametrize("answer", [whole, stream], ids=["whole", "stream"])
def test_that_a_model_curates_with_whole_and_with_streamed_answers(run: Run, answer: Any) -> None:
    looks = message(
        call("curator_check_budget", {}, "a"), call("curator_search_history", {"query": "src/part3.py"}, "b"),
        content="Looking.",
    )  # fmt: skip
    with serving(answer(looks), answer(message(build(IDS, notes="done")))) as served:
        loop = curate(run, served, stream=answer is stream)
    assert outcome(loop) == ("slow", "")
    assert [tool for tool, _ in results(loop)] == ["curator_check_budget", "curator_search_history", BUILD]
    assembled = loop.result.assembled  # type: ignore[union-attr]
    group_of = run.session.structure.group_of
    assert {group_of[m] for m in IDS} <= set(assembled.placed)  # type: ignore[union-attr]
    said = [e.payload["content"] for e in loop.events if e.event == "curator_llm_response"]
    assert said[0] == "Looking."


def test_that_the_requests_carry_rules_manifest_tools_and_all_results(run: Run) -> None:
    first = message(call("curator_check_budget", {}, "a"), call("curator_read_memory", "", "b"))
    with serving(whole(first), whole(message(build(IDS)))) as served:
        curate(run, served)
    one, two = served.requests
    assert one["model"] == "test-model"
    assert one["temperature"] == 0
    assert one["stream"] is True
    assert [t["function"]["name"] for t in one["tools"]] == list(TOOLS)
    assert [m["role"] for m in one["messages"]] == ["system", "user"]
    brief = json.loads(one["messages"][1]["content"])
    assert brief["budget"]["tokens"] == run.budget.available
    rows = {row["ids"][0]: row for row in brief["manifest"]}
    assert set(rows[0]) >= {"ids", "tier", "state", "tokens", "score", "snippet", "stays"}
    assert "login" in rows[0]["snippet"]
    assert brief["not_listed"] == 0
    assert two["messages"][:2] == one["messages"]
    assert [m["role"] for m in two["messages"][2:]] == ["assistant", "tool", "tool"]
    assert [m["tool_call_id"] for m in two["messages"][3:]] == ["a", "b"]
    assert json.loads(two["messages"][3]["content"])["budget"] == run.budget.available
    assert check("openai-chat", two) == []


def test_that_the_manifest_is_capped_and_says_how_much_it_leaves_out() -> None:
    run = replay(busy_session(30), tight(window=40_000, fast_path_threshold=0.3))
    with serving(whole(message(build(IDS)))) as served:
        curate(run, served, manifest_chars=1_000)
    brief = json.loads(served.requests[0]["messages"][1]["content"])
    assert len(json.dumps(brief["manifest"], ensure_ascii=False)) <= 1_000 + 2 * len(brief["manifest"])
    assert brief["not_listed"] > 0
    assert any(row.get("stays") for row in brief["manifest"])


def test_that_the_trace_holds_what_was_sent_cut_to_its_limit(run: Run) -> None:
    with serving(whole(message(build(IDS)))) as served:
        loop = curate(run, served, trace_chars=200)
    logged = next(e.payload["messages"] for e in loop.events if e.event == "curator_llm_request")
    sent = served.requests[0]["messages"]
    assert [m["role"] for m in logged] == [m["role"] for m in sent]  # type: ignore[attr-defined]
    assert [m["content"][:200] for m in logged] == [m["content"][:200] for m in sent]  # type: ignore[attr-defined]
    assert all(len(m["content"]) < 260 for m in logged)  # type: ignore[attr-defined]


def test_that_a_long_result_is_cut_for_the_model(run: Run) -> None:
    with serving(whole(message(call("curator_search_history", {"limit": 200}))), whole(message(build(IDS)))) as served:
        curate(run, served, result_chars=200)
    content = served.requests[1]["messages"][3]["content"]
    assert len(content) < 260
    assert content.endswith("more characters]")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_that_an_overloaded_endpoint_is_asked_again(run: Run, status: int) -> None:
    with serving(error(status), error(status), stream(message(build(IDS)))) as served:
        loop = curate(run, served)
    assert outcome(loop) == ("slow", "")
    assert len(served.requests) == 3
    assert served.requests[0] == served.requests[2]


@pytest.mark.rule("6.16")
def test_that_an_endpoint_that_stays_broken_ends_in_the_fail_safe(run: Run) -> None:
    with serving(error(500), error(500), error(500)) as served:
        loop = curate(run, served)
    path, reason = outcome(loop)
    assert path == "fail_safe"
    assert "HTTP 500" in reason
    assert "overloaded" in reason
    assert "tried 3 times" in reason
    assert [e.event for e in loop.events if e.event in ("slow_path_exception", "fallback")] == [
        "slow_path_exception",
        "fallback",
    ]


def test_that_a_refused_request_is_not_repeated(run: Run) -> None:
    with serving(error(401, "bad key")) as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert "HTTP 401: " in reason
    assert "bad key" in reason
    assert len(served.requests) == 1


def test_that_a_pause_the_endpoint_asks_for_ends_it_when_the_time_limit_is_shorter(run: Run) -> None:
    with serving(error(429, "slow down", Retry_After="3600")) as served:
        path, reason = outcome(curate(run, served))
    assert path == "fail_safe"
    assert "slow down" in reason
    assert len(served.requests) == 1


@pytest.mark.parametrize(
    "nonsense",
    [
        raw(b"<html>bad gateway</html>", "text/html"),
        raw(b""),
        raw(b"[1, 2]"),
        raw(b'{"choices": []}'),
        raw(b'{"choices": "none"}'),
        raw(b'{"error": {"message": "no model"}}'),
        raw(b'{"choices": [{"message": {"tool_calls": [{"function": null'),
        raw(b"data: {nonsense\n\n", "text/event-stream"),
        raw(b'data: {"error": {"message": "gone"}}\n\n', "text/event-stream"),
        stream(message(build(IDS)), until=3),
        raw(b" " * 3_000),
    ],
    ids=["html", "empty", "array", "no-choices", "text-choices", "error", "cut", "bad-event", "error-event",
         "cut-stream", "blank"],
)  # fmt: skip
def test_that_a_garbled_reply_is_asked_for_again(run: Run, nonsense: Act) -> None:
    with serving(nonsense, whole(message(build(IDS)))) as served:
        loop = curate(run, served, reply_bytes=2_000)
    assert outcome(loop) == ("slow", "")
    assert len(served.requests) == 2


@pytest.mark.parametrize(
    ("act", "told"),
    [
        (raw(b"<html>"), "no JSON: '<html>'"),
        (raw(b"3"), "a number, not an object"),
        (raw(b'{"error": {"message": "no such model"}}'), "no such model"),
        (raw(b'{"id": 1}'), "an object with the keys id"),
        (stream(message(build(IDS)), until=2), "cut after 2 pieces"),
        (raw(b" " * 3_000), "larger than 2,000 bytes"),
    ],
)
def test_that_a_reply_that_stays_garbled_is_named(run: Run, act: Act, told: str) -> None:
    with serving(act) as served:
        path, reason = outcome(curate(run, served, retries=0, reply_bytes=2_000))
    assert path == "fail_safe"
    assert told in reason


def test_that_a_closed_port_is_a_sentence(run: Run) -> None:
    with serving() as served:
        endpoint = served.endpoint(retries=1)
    loop = run.loop(slow_call(run), ModelPolicy(endpoint))
    loop.run()
    path, reason = outcome(loop)
    assert path == "fail_safe"
    assert "connection failed" in reason


@pytest.mark.rule("6.5", "6.16")
@pytest.mark.parametrize("act", [hang(3), drip(3)], ids=["silence", "drip"])
@pytest.mark.parametrize("streamed", [True, False])
def test_that_an_endpoint_without_an_end_is_left_when_the_time_is_up(act: Act, streamed: bool) -> None:
    run = busy_run(timeout_s=1)
    with serving(act) as served:
        path, reason = outcome(curate(run, served, stream=streamed))
    assert path == "fail_safe"
    # How much of the second was left when the request went out depends on the machine.
    assert "time" in reason or "did not answer within" in reason or "no answer" in reason
    assert len(served.requests) == 1


def test_that_a_stream_that_stays_open_behind_its_end_mark_is_complete(run: Run) -> None:
    with serving(stream(message(build(IDS)), keep_open=20)) as served:
        assert outcome(curate(run, served)) == ("slow", "")


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
