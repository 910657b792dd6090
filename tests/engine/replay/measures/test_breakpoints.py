"""Where requests carry cache breakpoints, and what the provider reads from its cache because of them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from ravenglass.curator.dialects import check, request
from ravenglass.errors import ProfileError
from ravenglass.presets import load
from ravenglass.profile import make_profile
from ravenglass.replay import SimulatedRun, branch
from ravenglass.replay import replay as run_replay
from ravenglass.replay.answers.windows import caching
from ravenglass.replay.measures.breakpoints import Breakpoints
from ravenglass.sessions.model.session import Session
from ravenglass.trace import Json
from tests.engine.builders import assistant, call, filler, result, session, system, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain


def _keys(run: SimulatedRun, number: int) -> list[tuple[object, ...]]:
    return [(m.role, m.text, m.thinking, m.tool_calls, m.tool_call_id) for m in run.window(number).messages]


def _read_slowly(run: SimulatedRun, number: int) -> int:
    """The longest part before an earlier breakpoint that the window begins with, in tokens; every call remembered."""
    now, best = _keys(run, number), 0
    for earlier in range(1, number):
        window, then = run.window(earlier), _keys(run, earlier)
        for mark in window.breakpoints:
            if now[: mark.blocks] == then[: mark.blocks]:
                best = max(best, mark.tokens)
    return best


@pytest.mark.rule("11.1", "11.2")
@thorough
@given(any_runs())
def test_that_at_most_four_breakpoints_stand_between_blocks_and_the_last_is_automatic(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        window = run.window(number)
        marks = window.breakpoints
        assert 1 <= len(marks) <= run.profile.cache_breakpoints == 4
        assert [m.kind for m in marks].count("automatic") == 1
        assert (marks[-1].kind, marks[-1].blocks) == ("automatic", len(window.messages))
        assert list(marks) == sorted(marks, key=lambda mark: mark.tokens)
        for mark in marks:
            assert sum(m.tokens for m in window.messages[: mark.blocks]) == mark.tokens


@pytest.mark.rule("11.3")
@thorough
@given(any_runs())
def test_that_no_more_is_read_than_some_earlier_request_wrote(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        assert run.cache_read(number) <= _read_slowly(run, number)


@pytest.mark.rule("11.3")
@thorough
@given(any_runs())
def test_that_a_window_that_only_grew_reads_all_of_the_one_before(run: SimulatedRun) -> None:
    for number in range(2, run.calls + 1):
        window, before = run.window(number), run.window(number - 1)
        if window.remembered and not run.frame(number).cache_break:
            assert run.cache_read(number) == before.tokens == window.stable_tokens


@pytest.mark.rule("11.1")
def test_that_more_than_four_breakpoints_are_refused() -> None:
    with pytest.raises(ProfileError, match="cache_breakpoints: input should be less than or equal to 4, not 5"):
        make_profile(cache_breakpoints=5)
    control = {"type": "ephemeral"}
    text = [{"type": "text", "text": "go", "cache_control": control}]
    made: Json = {"cache_control": control, "system": text, "messages": [{"role": "user", "content": text * 2}]}
    assert check("anthropic", made) == []
    made["messages"] = [{"role": "user", "content": text * 3}]
    assert check("anthropic", made) == ["the request has 5 cache breakpoints; at most 4 are taken"]


def _long(*, steps: int = 12, size: int = 199, seconds_apart: float = 10.0) -> Session:
    made = []
    for number in range(steps):
        made += [assistant("", call("Bash", command=f"make t{number}")), result(f"{number} {filler(size)}")]
    return session(system(filler(50)), user("go"), *made, assistant("end"), seconds_apart=seconds_apart)


@pytest.mark.rule("11.2")
def test_that_they_stand_behind_the_head_what_a_slow_path_keeps_and_the_whole() -> None:
    window = run_replay(_long(), plain(4_000, protect_first_n=1)).window(3)
    kinds = [(mark.kind, mark.blocks) for mark in window.breakpoints]
    assert kinds == [("head", 1), ("kept", 4), ("automatic", len(window.messages))]


@pytest.mark.rule("11.3")
def test_that_a_slow_path_reads_what_stands_before_the_place_where_it_cut() -> None:
    run = run_replay(_long(), plain(2_000, protect_first_n=1))
    slow = [n for n in range(1, run.calls + 1) if run.frame(n).path == "slow"][1]  # the first injects the working state
    kept = next(mark for mark in run.window(slow - 1).breakpoints if mark.kind == "kept")
    assert run.cache_read(slow) == kept.tokens > 0
    alone = run_replay(_long(), plain(2_000, protect_first_n=1, cache_breakpoints=1))
    assert alone.cache_read(slow) == 0
    assert alone.metrics.cost > run.metrics.cost


@pytest.mark.rule("11.3")
def test_that_a_breakpoint_too_many_blocks_back_is_found_by_one_of_its_own() -> None:
    calls = [call("Bash", command=f"make t{n}") for n in range(30)]
    built = session(
        user("go"), assistant("one"), user("more"), assistant("", *calls), *[result("ok")] * 30, assistant("end"),
        seconds_apart=1.0,
    )  # fmt: skip
    run = run_replay(built, plain(protect_first_n=0))
    marks = {mark.kind: mark.tokens for mark in run.breakpoints(3)}
    assert marks["cached"] == run.window_tokens[1] == run.cache_read(3)
    assert run_replay(built, plain(protect_first_n=0, cache_breakpoints=1)).cache_read(3) == 0


@pytest.mark.rule("11.3")
def test_that_what_was_neither_read_nor_written_within_its_lifetime_is_gone() -> None:
    for apart, lifetime in ((290.0, 300), (3_500.0, 3_600)):
        built = _long(seconds_apart=apart / 2)  # a call and its result each
        assert run_replay(built, plain(cache_ttl_s=lifetime)).cache_read(5) > 0
        late = replace(built, messages=tuple(replace(m, ts=(m.ts or 0) * 2) for m in built.messages))
        assert run_replay(late, plain(cache_ttl_s=lifetime)).cache_read(5) == 0


@pytest.mark.rule("11.3")
def test_that_the_system_overhead_is_read_from_any_earlier_request_that_wrote_it() -> None:
    steps = []
    for number in range(40):
        if number in (16, 32):
            steps += [assistant(f"did {number}"), user(f"now please do topic{number}, and never touch file{number}.py")]
        steps += [assistant("", call("Bash", command=f"make t{number}")), result(f"{number} {filler(210)}")]
    built = session(user("go on with the first thing"), *steps, assistant("end"), seconds_apart=1.0)
    profile = plain(
        3_000, system_overhead=500, cache_breakpoints=2, cache_ttl_s=86_400, trim_target=0.6, protect_first_n=1
    )
    run = run_replay(built, profile)
    system, cost, written = run.budget.system, 0.0, False
    for number in range(1, run.calls + 1):
        read = run.cache_read(number)
        here = any(mark.tokens == 0 for mark in run.breakpoints(number))
        cached = read + (system if read or (here and written) else 0)
        written = written or here
        new = run.window_tokens[number - 1] + system - cached
        cost += (new * profile.price_input + cached * profile.price_cached) / 1_000_000
    assert run.metrics.cost == pytest.approx(cost, rel=1e-12)


@pytest.mark.rule("11.4")
@pytest.mark.parametrize(
    ("lifetime", "control"), [(300, {"type": "ephemeral"}), (3_600, {"type": "ephemeral", "ttl": "1h"})]
)
def test_that_a_request_of_anthropic_carries_them(lifetime: int, control: dict[str, str]) -> None:
    window = run_replay(_long(), plain(4_000, protect_first_n=1, cache_ttl_s=lifetime)).window(3)
    made = request("anthropic", window.messages, caching(window))
    assert check("anthropic", made) == []
    assert made["cache_control"] == control
    assert made["system"][-1]["cache_control"] == control  # type: ignore[index]
    assert json.dumps(made).count('"cache_control"') == len(window.breakpoints) == 3
    for dialect in ("openai-chat", "openai-responses", "gemini"):
        assert "cache_control" not in json.dumps(request(dialect, window.messages, caching(window)))


@pytest.mark.rule("11.4")
@thorough
@given(any_runs())
def test_that_every_request_with_breakpoints_is_one_that_anthropic_takes(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        window = run.window(number)
        assert check("anthropic", request("anthropic", window.messages, caching(window))) == []


@pytest.mark.rule("11.2")
def test_that_with_the_eager_lifecycle_one_stands_before_the_look_ups_that_leave() -> None:
    built = session(
        user("go"), assistant("", call("Read", file_path="a.py")), result(filler(300)),
        assistant("", call("Grep", pattern="x")), result(filler(1_500)),
        assistant("more", call("Bash", command="make")), result("a"), assistant("end"),
    )  # fmt: skip
    run = run_replay(built, load("lingmiao").with_values(protect_first_n=0))
    marks = {mark.kind: mark.tokens for mark in run.breakpoints(3)}
    assert marks["lasting"] == run.cache_read(4) == run.window(4).stable_tokens > 0


@pytest.mark.rule("11.3")
@pytest.mark.parametrize(("look_back", "cached"), [(20, False), (19, True)])
def test_that_a_provider_looks_exactly_so_many_blocks_back(look_back: int, cached: bool) -> None:
    calls = [call("Bash", command=f"make t{n}") for n in range(10)]
    built = session(
        user("go"), assistant("one"), user("more"), assistant("", *calls), *[result("ok")] * 10, assistant("end"),
        seconds_apart=1.0,
    )  # fmt: skip
    run = run_replay(built, plain(protect_first_n=0, cache_look_back=look_back))
    assert ("cached" in {mark.kind for mark in run.breakpoints(3)}) == cached
    assert run.cache_read(3) == run.window_tokens[1]


@pytest.mark.rule("11.2")
def test_that_a_branch_places_them_by_what_each_call_saw_once() -> None:
    profile = plain(1_500, protect_first_n=1, cache_breakpoints=2, trim_target=0.4)
    made = branch(run_replay(_long(steps=20, size=99), profile), 15, profile.with_values(stub_lines=1))
    anew = Breakpoints(made.facts_at, made._log)
    assert [made.breakpoints(n) for n in range(1, made.calls + 1)] == [anew.marks(n) for n in range(1, made.calls + 1)]
