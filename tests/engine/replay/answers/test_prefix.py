"""What of a window a provider's cache knows: compared message by message, in what the provider gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ravenglass.presets import load
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.sessions import open_session
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.scheduler.views import plain

DEMO = next((Path(__file__).parents[4] / "fixtures" / "demo").glob("*.jsonl"))


def really_broken(run: SimulatedRun) -> list[int]:
    """Calls whose window does not begin with all that the one before held, told from the windows alone."""
    found = []
    before: list[tuple[object, ...]] = []
    for number in range(1, run.calls + 1):
        now: list[tuple[object, ...]] = [
            (m.role, m.text, m.thinking, m.tool_calls, m.tool_call_id) for m in run.window(number).messages
        ]
        if now[: len(before)] != before:
            found.append(number)
        before = now
    return found


def test_that_a_look_up_that_stands_unchanged_as_a_stub_is_no_break() -> None:
    # Under the eager lifecycle an edit rewrites what was read at once; that breaks the prefix, and is left out here.
    run = replay(open_session(DEMO), load("lingmiao").model_copy(update={"edited_files": False}))
    broken = really_broken(run)
    assert run.metrics.cache_breaks == len(broken) == 60
    assert [n for n in range(2, run.calls + 1) if run.frame(n).cache_break] == broken


def test_that_the_unchanged_call_before_a_changed_result_is_kept() -> None:
    built = session(
        user("go"), assistant("", call("Bash", call_id="a")), user("still there?"), assistant("yes"),
        result("late", to="a"), assistant("end"),
    )  # fmt: skip
    run = replay(built, plain())
    window = run.window(3)
    assert window.stable_prefix == 2
    assert window.stable_tokens == run._log.prefix[2] == sum(m.tokens for m in window.messages[:2])
    assert not window.messages[1].added


def test_that_a_request_repeated_word_for_word_breaks_nothing() -> None:
    ask = "Please fix the login in src/auth.py"
    run = replay(session(user(ask), assistant("ok"), user(ask), assistant("done")), plain())
    assert run.inputs.version_at(2) == run.inputs.version_at(1) == 0
    assert run.frame(2).cache_break == ""


def test_that_breaks_are_counted_as_the_windows_have_them() -> None:
    run = replay(open_session(DEMO), load("tight-32k"))
    assert run.metrics.cache_breaks == len(really_broken(run))


def test_that_the_window_says_when_the_cache_had_forgotten_its_prefix() -> None:
    built = session(user("go"), assistant("one"), user("more"), assistant("two"), user("late"), assistant("three"))
    times = (0.0, 1.0, 2.0, 3.0, 10_000.0, 10_001.0)
    timed = tuple(replace(m, ts=at) for m, at in zip(built.messages, times, strict=True))
    run = replay(replace(built, messages=timed), plain())
    assert run.window(2).remembered
    late = run.window(3)
    assert late.stable_tokens > 0
    assert not late.remembered
    assert run.frame(3).cache_hit == 0


def test_that_a_request_that_lost_its_image_is_another_with_the_same_words() -> None:
    built = session(
        user(filler(300), images=1), assistant("", call("Bash", command="make")), result("x"), assistant("end")
    )
    run = replay(built, plain(1_700, trim_target=1.0, fast_path_threshold=0.0, protect_first_n=0))
    for number in range(2, run.calls + 1):
        window, before = run.window(number), run.window(number - 1)
        assert bool(run.frame(number).cache_break) == (run._log.prefix[number - 1] < before.tokens)
        assert window.stable_tokens == run._log.prefix[number - 1]


def test_that_a_group_that_came_back_in_the_middle_breaks_the_prefix_there() -> None:
    more = [m for _ in range(6) for m in (assistant("", call("Bash", command="x")), result(filler(40)))]
    built = session(user("go"), *more, assistant("Done."))
    for changes in ([HandChange(3, "archive", 2)], [HandChange(3, "archive", 2), HandChange(5, "retrieve", 2)]):
        run = replay(built, plain(20_000), changes)
        assert [n for n in range(2, run.calls + 1) if run.frame(n).cache_break] == really_broken(run)
        for number in range(2, run.calls + 1):
            before, now = (
                [(m.role, m.text, m.tool_calls, m.tool_call_id) for m in run.window(n).messages]
                for n in (number - 1, number)
            )
            same = next(
                (i for i, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now))
            )
            assert run._log.prefix[number - 1] == sum(m.tokens for m in run.window(number).messages[:same])
