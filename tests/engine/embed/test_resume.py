"""A session goes on where it ended: pins, notes, working state, archive, registry, and files that changed meanwhile."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ravenglass import Engine, Profile
from ravenglass.curator.loop import Answer, CuratorCall, Deliberation
from ravenglass.curator.plan import BUILD_CONTEXT
from ravenglass.embed.files.decision_log import read_log
from ravenglass.embed.files.layout import session_file
from ravenglass.errors import MessageError, PlanError, StoreError
from ravenglass.hub.item import State
from ravenglass.rules import TtlRule
from ravenglass.store.layout import CURATOR
from tests.engine.embed.conversations import (
    MOMENT,
    Chat,
    Clock,
    answers,
    asks,
    conversations,
    drive,
    late,
    lines,
    odd_conversations,
    replayed,
    said,
    small,
)  # fmt: skip
from tests.proofs import examples

KEY = "agent:demo"
TIGHT = small(6_000, offload_tokens=400)
ROOMY = small(60_000)


def chat(turns: int) -> list[Chat]:
    """A long conversation of tool calls with a user's word now and then."""
    found = [said("system", "Be careful."), said("user", "Fix the login. Never edit migrations.")]
    for n in range(turns):
        found += [asks(f"c{n}", "Read", file_path=f"src/part_{n}.py"), answers(f"c{n}", f"def part_{n}(): pass\n" * 40)]
        if n % 7 == 6:
            found += [said("assistant", f"Part {n} is done."), said("user", f"Go on with src/part_{n + 1}.py")]
    return found


def go(
    folder: Path, messages: list[Chat], cuts: set[int], *, profile: Profile = TIGHT, **more: Any
) -> list[list[Chat]]:
    """Every window of a conversation. The engine is given up without a word before the messages in `cuts`; before
    message 5 the second is pinned and a note is made."""
    bodies: list[list[Chat]] = []
    number = 0

    def clock() -> float:
        return MOMENT + number

    engine = Engine(profile, folder, session_key=KEY, clock=clock, **more)
    for number, message in enumerate(messages):
        if number in cuts:
            engine._keeper.workspace.abandon()  # type: ignore[union-attr]
            engine = Engine(profile, folder, session_key=KEY, clock=clock, **more)
            assert len(engine.messages()) == number
        if number == 5:
            engine.pin(1)
            engine.note("Migrations stay as they are.")
        if message["role"] == "assistant":
            bodies.append(engine.window())
            engine.record_response(message)
        else:
            engine.observe(message)
    bodies.append(engine.window())
    engine.close()
    return bodies


@pytest.mark.proof
def test_that_a_session_given_up_at_every_message_gives_the_windows_of_one_that_was_not(tmp_path: Path) -> None:
    messages = chat(40)
    whole = unbroken(tmp_path, messages)
    cut = go(tmp_path / "session", messages, set(range(1, len(messages))))
    assert cut == whole
    assert any("Migrations stay as they are." in str(body) for body in whole)
    for name in ("archive", "decisions", "snapshots"):
        files = [
            sorted(p.relative_to(f) for p in (f / CURATOR / name).rglob("*.*"))
            for f in (tmp_path / "whole", tmp_path / "session")
        ]
        assert files[0] == files[1]
        assert files[0]


def unbroken(folder: Path, messages: list[Chat], **more: Any) -> list[list[Chat]]:
    """The windows of a run that was not given up, in the same place: a summary names the path of its transcript."""
    windows = go(folder / "session", messages, set(), **more)
    (folder / "session").rename(folder / "whole")
    return windows


@settings(max_examples=examples(25), deadline=None)
@given(st.data())
def test_that_no_conversation_notices_where_it_was_given_up(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    messages = data.draw(st.one_of(conversations(), odd_conversations()))
    cut = data.draw(st.integers(0, len(messages)))
    profile = small(3_000, system_overhead=0)
    folder = tmp_path_factory.mktemp("given-up")
    with Engine(profile, folder / "whole", session_key=KEY, clock=Clock()) as engine:
        whole = drive(engine, messages)
        expected, held = engine.window() if len(engine.messages()) else [], engine.run().metrics
    (folder / "whole").rename(folder / "before")
    engine = Engine(profile, folder / "whole", session_key=KEY, clock=Clock())
    drive(engine, messages[:cut])
    engine._keeper.workspace.abandon()  # type: ignore[union-attr]
    with Engine(profile, folder / "whole", session_key=KEY, clock=Clock()) as engine:
        rest: list[list[Chat]] = []
        for message in messages[cut:]:
            try:
                if message["role"] == "assistant":
                    if engine.messages():
                        rest.append(engine.window())
                    engine.record_response(message)
                else:
                    engine.observe(message)
            except MessageError:
                continue
        assert rest == (whole.bodies[-len(rest) :] if rest else [])
        assert (engine.window() if engine.messages() else []) == expected
        assert engine.run().metrics.peak_tokens == held.peak_tokens


class Whim:
    """Includes every other group, which no planner would; so what it decided cannot be guessed again."""

    name = "model"

    def __init__(self) -> None:
        self.asked = 0

    def answer(self, so_far: Deliberation) -> Answer:
        self.asked += 1
        last = so_far.desk.view.features.boundary(so_far.desk.view.call)
        state = CuratorCall("curator_update_working_state", {"decisions": [f"decided {self.asked} times"]})
        build = CuratorCall(BUILD_CONTEXT, {"include_message_ids": list(range(self.asked % 2, last, 2))})
        return Answer("", (state, build))


def test_that_what_a_policy_decided_is_not_asked_again(tmp_path: Path) -> None:
    messages = chat(30)
    whole = unbroken(tmp_path, messages, policy=Whim())
    policy = Whim()
    assert go(tmp_path / "session", messages, set(range(1, len(messages), 3)), policy=policy) == whole
    assert any("decided 2 times" in str(body) for body in whole)


@pytest.mark.rule("10.12")
def test_that_a_file_that_changed_while_the_session_was_paused_expires_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).write_text(f"# {name}\n")
    engine = Engine(workspace=tmp_path / "w", session_key=KEY, clock=Clock())
    engine.observe(said("user", "Look at the files."))
    for name in ("a.py", "b.py", "c.py"):
        engine.record_response(asks(name, "Read", file_path=name))
        engine.observe(answers(name, f"     1\t# {name}\n"))
    engine.window()
    engine.close()
    (tmp_path / "b.py").write_text("# another\n")
    (tmp_path / "c.py").unlink()
    with Engine(workspace=tmp_path / "w", session_key=KEY, clock=Clock()) as engine:
        assert engine.resumed is not None
        assert engine.resumed.notes == (
            "#4: b.py was changed on the disk while the session was paused.",
            "#6: c.py was removed on the disk while the session was paused.",
        )
        engine.window()
        engine.record_response(said("assistant", "I see."))
        run = engine.run()
        states = [run.state(run.calls, m) for m in (2, 4, 6)]
        assert states == [State.ACTIVE, State.EXPIRED, State.EXPIRED]
        assert "b.py was changed on the disk while the session was paused" in str(run.why(run.calls, 4))
        again = replayed(engine)
        assert [again.state(again.calls, m) for m in (2, 4, 6)] == states
    trace = [line for path in (tmp_path / "w" / CURATOR / "traces").rglob("*.jsonl") for line in lines(path)]
    said_so = [e for e in trace if e["event"] == "state_changed" and "on the disk" in str(e["payload"])]
    assert len(said_so) == 2
    with Engine(workspace=tmp_path / "w", session_key=KEY) as engine:
        assert engine.resumed is not None
        assert engine.resumed.notes == ()  # it is said once


def test_that_running_the_same_program_twice_is_no_error_and_adds_no_second_system_message(tmp_path: Path) -> None:
    for run in (1, 2):
        with Engine(workspace=tmp_path, session_key=KEY) as engine:
            assert engine.observe(said("system", "Be careful.")) == 0
            engine.observe(said("user", f"Request {run}"))
            engine.record_response(said("assistant", f"Answer {run}"))
            assert len(engine.messages()) == 1 + 2 * run
    assert [m["content"] for m in engine.messages()[1:]] == ["Request 1", "Answer 1", "Request 2", "Answer 2"]
    assert engine.run().calls == 2


def test_that_calls_that_were_open_at_a_crash_are_named_and_can_be_answered(tmp_path: Path) -> None:
    engine = Engine(workspace=tmp_path, session_key=KEY)
    engine.observe(said("user", "x"))
    engine.record_response(asks("c1", "Read", file_path="a.py"))
    engine._keeper.workspace.abandon()  # type: ignore[union-attr]
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        assert engine.open_calls() == [{"id": "c1", "name": "Read", "arguments": '{"file_path": "a.py"}'}]
        engine.observe(answers("c1"))
        assert engine.open_calls() == []


def test_that_a_half_written_line_is_cut_off_and_the_rest_goes_on(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, chat(20))
        expected = engine.window()
    for path in (session_file(tmp_path, KEY), tmp_path / CURATOR / "decisions" / "agent_demo.jsonl"):
        with path.open("ab") as file:
            file.write(b'{"role": "user", "content": "half')
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        assert engine.window() == expected
        engine.observe(said("user", "whole"))
    assert lines(session_file(tmp_path, KEY))[-1]["content"] == "whole"


@pytest.mark.parametrize("damage", [b"", b"not json\n", b'{"type": "call"}\n'])
def test_that_without_its_decisions_the_session_is_decided_again(tmp_path: Path, damage: bytes) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, chat(20))
        expected = engine.window()
    path = tmp_path / CURATOR / "decisions" / "agent_demo.jsonl"
    path.write_bytes(damage)
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        assert engine.window() == expected
        assert engine.resumed is not None
        assert bool(engine.resumed.notes) == bool(damage)


def test_that_another_profile_decides_everything_again_and_says_so(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, chat(20))
    with Engine(small(9_000), tmp_path, session_key=KEY, clock=Clock()) as engine:
        assert engine.resumed is not None
        assert "another profile" in engine.resumed.notes[0]
        engine.observe(said("user", "and now?"))
        engine.window()
        engine.record_response(said("assistant", "Done."))
        mine, theirs = engine.run(), replayed(engine)
        assert [mine.window(c) for c in range(1, mine.calls + 1)] == [
            theirs.window(c) for c in range(1, theirs.calls + 1)
        ]


def test_that_a_session_file_that_cannot_be_gone_on_from_is_named_with_its_line(tmp_path: Path) -> None:
    path = session_file(tmp_path, KEY)
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"_type": "metadata", "key": "agent:demo"}\n{"role": "user", "content": "x"}\n{"role": 3}\n')
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"Line 3 of .*demo\.jsonl cannot be gone on from\. .*left as it is"):
        Engine(workspace=tmp_path, session_key=KEY)
    assert path.read_bytes() == before


def test_that_a_note_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    with Engine(workspace=tmp_path, session_key=KEY) as engine:
        engine.observe(said("user", "x"))
        engine.note("Once.", into="goals")
        with pytest.raises(PlanError, match="hold this line already"):
            engine.note("Once.", into="goals")


def test_that_a_program_that_runs_again_may_note_and_pin_the_same_again(tmp_path: Path) -> None:
    for _ in range(3):
        with Engine(workspace=tmp_path, session_key=KEY) as engine:
            if engine.resumed is None:
                engine.observe(said("user", "x"))
            engine.pin(0)
            engine.note("Ask  before a deploy.", into="goals")
            state = engine.frame().working_state
            assert [line.text for line in state.goals].count("Ask before a deploy.") == 1


def test_that_a_late_result_changes_nothing_that_was_decided_before_a_pause(tmp_path: Path) -> None:
    messages = [
        said("user", "x"), asks("c1", "Read", file_path="a.py"), said("user", "never mind"), said("assistant", "Fine."),
        answers("c1", "late"), said("user", "go on"), said("assistant", "Yes."), said("user", "more"),
    ]  # fmt: skip
    whole = unbroken(tmp_path, messages)
    assert go(tmp_path / "session", messages, set(range(1, 8))) == whole
    with Engine(TIGHT, tmp_path / "session", session_key=KEY) as engine:
        assert late(engine.run())


def _reads(folder: Path, profile: Profile = ROOMY) -> None:
    """A session with one message that reads both files of a folder, and a later one that rewrites the first."""
    engine = Engine(profile, folder / "session", session_key=KEY, clock=Clock())
    engine.observe(said("user", "Look at the files."))
    first, second = (str(folder / name) for name in ("a.py", "b.py"))
    both = asks("c1", "Read", file_path=first)
    both["tool_calls"] += asks("c2", "Read", file_path=second)["tool_calls"]
    engine.record_response(both)
    engine.observe(answers("c1", "a = 1"))
    engine.observe(answers("c2", "b = 1"))
    engine.record_response(asks("c3", "Write", file_path=first, content="a = 2"))
    (folder / "a.py").write_text("a = 2")
    engine.observe(answers("c3"))
    engine.record_response(said("assistant", "Done."))
    engine.close()


def test_that_what_was_outdated_before_the_pause_keeps_nothing_from_expiring(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(f"{name[0]} = 1")
    _reads(tmp_path)
    (tmp_path / "b.py").write_text("b = 3")
    with Engine(ROOMY, tmp_path / "session", session_key=KEY, clock=Clock()) as engine:
        assert engine.resumed is not None
        assert [note.partition(": ")[0] for note in engine.resumed.notes] == ["#3"]


def test_that_what_lives_for_good_does_not_expire_with_its_file(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(f"{name[0]} = 1")
    for_good = ROOMY.with_values(ttl_rules=(TtlRule(tool="*", ttl="none"),))
    _reads(tmp_path, for_good)
    (tmp_path / "b.py").write_text("b = 3")
    with Engine(for_good, tmp_path / "session", session_key=KEY, clock=Clock()) as engine:
        assert engine.resumed is not None
        assert engine.resumed.notes == ()


def test_that_other_tools_decide_everything_again_and_say_so(tmp_path: Path) -> None:
    def tools(words: int) -> list[Chat]:
        function = {"name": "Read", "description": "word " * words, "parameters": {}}
        return [{"type": "function", "function": function}]

    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock(), tools=tools(5)) as engine:
        drive(engine, chat(8))
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock(), tools=tools(5)) as engine:
        assert engine.resumed is not None
        assert engine.resumed.notes == ()
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock(), tools=tools(500)) as engine:
        assert engine.resumed is not None
        assert "other tool definitions" in engine.resumed.notes[0]


def test_that_of_a_call_that_was_decided_anew_the_later_decision_is_taken_over(tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, chat(3))
        engine.decide()
        engine.observe(said("user", "One more thing."))
        engine.decide()
    log = (tmp_path / CURATOR / "decisions" / "agent_demo.jsonl").read_bytes().split(b"\n")[:-1]
    decided = [record["call"] for record in map(json.loads, log) if record["type"] == "call"]
    assert len(decided) == len(set(decided)) + 1
    kept = read_log(log, TIGHT, engine.run().budget.system)
    assert [record.call for record in kept.calls] == sorted(set(decided))
    assert kept.calls[-1].seen == len(engine.messages())


def test_that_the_full_snapshot_of_before_a_pause_is_left_as_it_is(tmp_path: Path) -> None:
    messages = chat(24)
    half = len(messages) // 2
    names: list[set[str]] = []
    held: dict[str, tuple[int, bytes]] = {}
    for part in (messages[:half], messages[half:]):
        with Engine(TIGHT.with_values(snapshot_keep=100), tmp_path, session_key=KEY, clock=Clock()) as engine:
            drive(engine, part)
        found = {path.name: (path.stat().st_ino, path.read_bytes()) for path in (tmp_path / CURATOR).rglob("*.zst")}
        assert {name: found[name] for name in held} == held
        held = found
        names.append(set(found))
    assert names[0] < names[1]
