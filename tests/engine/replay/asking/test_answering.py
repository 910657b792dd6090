"""Replays that ask a model or a trace log: giving up, cancelling, keys, what is kept with the run."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from ravenglass.errors import Cancelled, RavenglassError
from ravenglass.replay import branch, replay
from ravenglass.replay.asking.answering import LogAnswers, ModelAnswers, ask_log, ask_model
from ravenglass.replay.asking.preview import preview
from ravenglass.replay.asking.spent import Spent, spent_words
from ravenglass.replay.report import as_object
from ravenglass.saving import save_run
from tests.engine.curator.policies.endpoint_server import Act, build, error, hang, message, send, serving, whole
from tests.engine.curator.policies.pressure import busy_session, tight

MANY = 200


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")


def told(said: dict[str, Any], finish: str = "tool_calls") -> Act:
    choice = {"index": 0, "message": said, "finish_reason": finish}
    body = {"choices": [choice], "usage": {"prompt_tokens": 500, "completion_tokens": 10}}
    return lambda handler: send(handler, 200, json.dumps(body).encode(), "application/json")


def always(call: int, spent: Spent) -> bool:
    return True


def planned_run() -> Any:
    return replay(busy_session(30), tight())


def test_that_a_model_that_gives_no_answer_is_asked_no_more_and_the_planner_goes_on() -> None:
    planned = planned_run()
    acts = [told(message(build([0]))), *[error(400, "no such model")] * MANY]
    with serving(*acts) as served:
        made = ask_model(planned, ModelAnswers(served.endpoint(give_up_after=2)), always)
        asked = len(served.requests)
    assert asked == 3
    failed = [call for call in made.answered if made.paths[call - 1] == "fail_safe"]
    assert len(failed) == 2
    assert made.answered[-1] == failed[-1] < made.calls
    assert f"from call {failed[-1] + 1:,} on the planner answered" in made.notes[0]
    assert "no such model" in made.notes[0]
    assert made.notes[0] in made.warnings


def test_that_a_model_that_never_answers_is_one_sentence_and_no_run() -> None:
    with serving(*[error(401, "bad key")] * MANY) as served:
        with pytest.raises(RavenglassError, match=r"HTTP 401: .*bad key.*nothing was changed"):
            ask_model(planned_run(), ModelAnswers(served.endpoint()), always)
        assert len(served.requests) == 3


def test_that_cancelling_does_not_wait_for_the_answer() -> None:
    begun = time.monotonic()
    with serving(hang(20.0)) as served, pytest.raises(Cancelled):
        ask_model(planned_run(), ModelAnswers(served.endpoint()), always, lambda: time.monotonic() - begun > 0.3)
    assert time.monotonic() - begun < 5


def test_that_a_key_is_sent_and_shown_nowhere() -> None:
    with serving(*[error(403, "key sk-secret is unknown")] * MANY) as served:
        wanted = ModelAnswers(served.endpoint(api_key_env="NO_SUCH_VARIABLE"), "sk-secret")
        with pytest.raises(RavenglassError, match=r"key \*\*\* is unknown"):
            ask_model(planned_run(), wanted, always)
        assert set(served.keys) == {"Bearer sk-secret"}
    assert "sk-secret" not in repr(wanted)


def test_that_a_missing_key_is_said_before_anything_is_sent() -> None:
    with serving() as served:
        with pytest.raises(RavenglassError, match=r"NO_SUCH_VARIABLE.*is not set"):
            ask_model(planned_run(), ModelAnswers(served.endpoint(api_key_env="NO_SUCH_VARIABLE")), always)
        assert served.requests == []


def test_that_the_preview_is_what_is_sent_first() -> None:
    planned = planned_run()
    with serving(*[told(message(build([0])))] * MANY) as served:
        endpoint = served.endpoint(price_input=2.0)
        made = preview(planned, endpoint)
        assert served.requests == []
        ask_model(planned, ModelAnswers(endpoint), always)
        sent = served.requests[0]
    assert {name: sent[name] for name in made.body} == made.body
    assert "estimated $" in made.sentence
    assert "cost is unknown" in preview(planned, endpoint.model_copy(update={"price_input": None})).sentence


def test_that_a_branch_of_an_asked_run_and_its_twin_keep_the_conversations() -> None:
    with serving(*[told(message(build([0])))] * MANY) as served:
        made = ask_model(planned_run(), ModelAnswers(served.endpoint()), always)
    first = made.answered[0]
    later = branch(made, first + 1)
    for run in (later, later.twin(), made.twin()):
        assert run.events(first) == made.events(first)
        assert run.trace(first) == made.trace(first)
        assert run.asked == "test-model"
    assert later.twin().paths == later.paths


def test_that_saved_answers_are_given_again_with_their_finish_reasons(tmp_path: Path) -> None:
    planned = planned_run()
    with serving(*[told(message(build([0])), "stop")] * MANY) as served:
        made = ask_model(planned, ModelAnswers(served.endpoint()), always)
    save_run(made, tmp_path / "saved")
    again = ask_log(planned, LogAnswers(tmp_path / "saved" / "traces"), always)
    assert list(again.window_tokens) == list(made.window_tokens)
    assert again.answered == made.answered
    events = [event.payload for event in again.events(again.answered[0]) if event.event == "curator_llm_response"]
    assert {one["finish_reason"] for one in events} == {"stop"}
    assert "No model was asked" in again.spent_sentence
    asked = json.loads((tmp_path / "saved" / "run.json").read_text())["asked"]
    assert (asked["who"], asked["prompt_tokens"]) == ("test-model", made.spent.prompt_tokens)


def test_that_unknown_tokens_and_prices_are_said_to_be_unknown() -> None:
    with serving(*[whole(message(build([0])))] * MANY) as served:
        made = ask_model(planned_run(), ModelAnswers(served.endpoint(price_input=1.0)), always)
        assert "cost is unknown" in made.spent_sentence or "what it cost is unknown" in made.spent_sentence
        assert json.loads(json.dumps(as_object(made)))["asked"]["prompt_tokens"] is None
        priced = served.endpoint(price_input=1.0, price_output=2.0)
    spent = Spent(answers=1, requests=2, prompt_tokens=1_000_000, completion_tokens=500_000)
    assert "1 of them repetitions" in spent_words(spent, priced)
    assert "$2.0000 together" in spent_words(spent, priced)
    assert "no price was given" in spent_words(spent, None)
