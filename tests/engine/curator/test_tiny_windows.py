"""Windows that hardly anything fits: hundreds of parallel calls, requests with images, messages of no tokens."""

from __future__ import annotations

import pytest

from ravenglass.curator.dialects import DIALECTS, check, request
from ravenglass.profile import make_profile
from ravenglass.replay import replay
from ravenglass.sessions.model.session import Message
from tests.engine import builders as b
from tests.engine.replay.answers.contradictions import contradictions


def parallel(count: int, words: int = 30) -> list[Message]:
    calls = [b.call("Read", file_path=f"f{n}.py") for n in range(count)]
    return [
        b.user("go"),
        b.assistant("reading", *calls),
        *(b.result(f"part {n} " + b.filler(words)) for n in range(count)),
        b.assistant("done"),
    ]


@pytest.mark.rule("6.46")
@pytest.mark.parametrize("count", [20, 60, 600])
def test_that_the_newest_group_stays_with_as_many_calls_as_fit(count: int) -> None:
    run = replay(b.session(*parallel(count)), make_profile(name="tiny", window=1_000, system_overhead=0))
    window = run.window(run.calls)
    head = next(block for block in window.messages if block.id == 1)
    results = [block for block in window.messages if block.role == "tool"]
    assert window.tokens <= run.budget.available
    assert not window.impossible
    assert [call_id for call_id, _, _ in head.tool_calls] == [block.tool_call_id for block in results]
    assert results
    if len(results) < count:
        assert f"{count - len(results):,} of {count:,} calls are left out here" in head.text
        assert window.tokens > run.budget.available * 0.9  # more would not fit
        assert not run.in_window(run.calls, count + 1)
        assert not run.row(run.calls, count + 1).included
        assert "its call is left out" in run.why(run.calls, count + 1).headline
    for message in (*range(10), count - 1, count, count + 1):
        assert contradictions(run, run.calls, message) == []
    assert run.frame(run.calls).included == sum(block.id is not None for block in window.messages)
    for dialect in DIALECTS:
        assert check(dialect, request(dialect, window.messages)) == []


@pytest.mark.rule("6.47")
def test_that_a_request_whose_image_is_cut_leaves_its_room_to_the_rest() -> None:
    asked = b.user("look", images=1)
    steps = [
        message
        for n in range(8)
        for message in (b.assistant(f"step {n}", b.call("Read", file_path=f"p{n}")), b.result("text " + b.filler(200)))
    ]
    profile = make_profile(name="tiny", window=1_500, system_overhead=0)
    run = replay(b.session(b.user("first"), *steps[:8], asked, *steps[8:], b.assistant("done")), profile)
    for call in range(1, run.calls + 1):
        window = run.window(call)
        assert window.tokens <= run.budget.available
        if window.impossible:
            newest = max(block.id for block in window.messages if block.id is not None and block.role == "tool")
            assert next(block for block in window.messages if block.id == newest).verbatim
            assert window.tokens > 300
    assert any(run.window(call).impossible for call in range(1, run.calls + 1))


def test_that_messages_of_no_tokens_count_as_included() -> None:
    steps = [m for n in range(3) for m in (b.assistant("", b.call("Read", file_path="a")), b.result(""))]
    profile = make_profile(name="free", window=4_000, system_overhead=0, message_overhead=0)
    run = replay(b.session(b.user(""), *steps, b.assistant("x")), profile)
    for call in range(1, run.calls + 1):
        assert run.frame(call).included == len(run.window(call).messages) == run.totals(call).included
