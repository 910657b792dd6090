"""Faults of the reference implementation (R1 to R12): on the input that triggers each there, ours does the right thing.
R6, on flags that outlive an undo, is about workspaces: embed/test_rewritten_history.py.

Where the recorded workspace of the reference implementation is at hand, it is the input as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ravenglass.curator.assembler import assemble
from ravenglass.curator.loop import CuratorCall
from ravenglass.curator.plan import Plan
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import PlanError
from ravenglass.hub.item import Form, State
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.scheduler.exempt import exemptions
from ravenglass.scheduler.intent.entities import keywords
from ravenglass.scheduler.scoring import scores
from ravenglass.scheduler.view import View
from ravenglass.sessions import open_session
from ravenglass.sessions.model.session import Message, Session
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore
from ravenglass.store.search.index import SearchIndex
from ravenglass.tokens import tokenizer
from ravenglass.tokens.encodings import load
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.curator.desks import desk
from tests.engine.curator.policies_for_tests import Scripted
from tests.engine.replay.outcome import window_after
from tests.engine.replay.validity import problems
from tests.engine.scheduler.views import ARCHIVED, EXPIRED, STANDBY, look, plain
from tests.engine.store.archive.builders import DAY, record
from tests.engine.store.archive.test_raven import foreign, read_by_the_reference_implementation

SEPARATORS = "第一行\u2028第二行\x85第三行\u2029end"


def work(count: int, tokens: int = 400) -> list[Message]:
    """Tool exchanges, no two with the same result."""
    made = ((assistant("", call("Bash", command=f"make {n}")), result(f"{n} {filler(tokens)}")) for n in range(count))
    return [m for exchange in made for m in exchange]


def pressed(*more: Message, count: int = 12, **values: Any) -> SimulatedRun:
    """A run whose last call takes the slow path, with exchanges that were archived before."""
    built = session(user("fix the login"), *work(count), *more, assistant("end"))
    wanted = {"trim_target": 0.7, "standby_calls": 2, "fast_path_threshold": 0.3, **values}
    run = replay(built, plain(1_500, **wanted))
    assert run.paths[-1] == "slow"
    return run


def raven(samples: Path) -> Path:
    """The recorded workspace of the reference implementation."""
    root = samples / "raven" / "workspace"
    if not root.is_dir():
        pytest.skip(f"the recorded workspace is not here ({root})")
    return root


def recorded(samples: Path) -> Session:
    return open_session(raven(samples) / "sessions" / "cli" / "20260724_090000_ab12cd.jsonl")


# R1


@pytest.mark.rule("R1")
@pytest.mark.parametrize("available", [1_000, 1_200, 1_500, 3_000])
def test_that_a_fail_safe_that_has_to_trim_leaves_no_result_without_its_call(available: int) -> None:
    """There: single messages are dropped after the pairs were closed, and the window passes as valid."""
    several = assistant("", *(call("Bash", command=f"test {n}") for n in range(4)))
    talk = [user("go"), *work(20), several, *(result(f"{n} {filler(200)}") for n in range(4)), assistant("end")]
    run = replay(session(*talk), plain(available, fast_path_threshold=0.2))
    failing = Scripted(RuntimeError("no connection"))
    fell = 0
    for number in range(1, run.calls + 1):
        if run.paths[number - 1] == "fast":
            continue
        loop = run.loop(number, failing)
        loop.run()
        assert loop.result is not None
        assert loop.result.path == "fail_safe"
        window = window_after(run, loop)
        assert problems(window.messages) == []
        assert window.tokens <= available
        fell += 1
    assert fell > 5


@pytest.mark.samples
@pytest.mark.rule("R1")
def test_that_the_recorded_session_that_it_tore_stays_whole(samples: Path) -> None:
    run = replay(recorded(samples), plain(2_500, fast_path_threshold=0.1, message_overhead=4))
    torn = 0
    for number in range(1, run.calls + 1):
        assert problems(run.window(number).messages) == []
        if run.paths[number - 1] != "fast":
            loop = run.loop(number, Scripted(RuntimeError("no connection")))
            loop.run()
            assert problems(window_after(run, loop).messages) == []
            torn += 1
    assert torn > 5


# R2


@pytest.mark.rule("R2")
def test_that_an_unanswered_call_in_the_tail_burns_no_steps() -> None:
    """There: every plan is invalid, all twelve steps are spent, and the fallback keeps the unanswered call."""
    unanswered = assistant("", call("Bash", call_id="lost", command="make"), call("Bash", call_id="there"))
    run = pressed(unanswered, result("half of it", to="there"), user("and now?"), fast_path_threshold=0.0)
    last = run.calls
    policy = Scripted([CuratorCall("curator_build_context", {"include_message_ids": [0, run.rows(last) - 1]})])
    loop = run.loop(last, policy)
    events = loop.run()
    assert policy.asked == 1
    assert loop.result is not None
    assert (loop.result.path, [e for e in events if e.event == "plan_rejected"]) == ("slow", [])
    for window in (run.window(last), window_after(run, loop)):
        assert problems(window.messages) == []
    shown = [m for m in run.window(last).messages if m.tool_call_id == "lost"]
    assert [(m.id, m.text) for m in shown] == [(None, "[no result was recorded for this call]")]


# R3


@pytest.mark.rule("R3")
def test_that_separators_inside_a_message_leave_the_archive_readable(tmp_path: Path) -> None:
    """There: the archive is read with splitlines(), so that the message is cut in two and nothing can be read."""
    message = {"role": "tool", "content": SEPARATORS, "tool_call_id": "c1", "name": "bash"}
    path = foreign(tmp_path, (8, message), (10, {"role": "user", "content": "after it"}))
    with pytest.raises(json.JSONDecodeError, match="Unterminated string"):
        read_by_the_reference_implementation(path)
    theirs = ArchiveStore(tmp_path / "memory" / ".curator", writable=False)
    found = theirs.retrieve(f"{path.parent.name}/{path.name}#8-10", max_tokens=0)
    assert found.text == f"[#8 bash]\n{SEPARATORS}\n\n[#10 user]\nafter it"
    assert (found.faults, found.truncated) == ((), False)
    raw = json.dumps(message, ensure_ascii=False).encode()
    with ArchiveStore(tmp_path / "ours") as ours:
        ref = ours.write("s", [record(8, SEPARATORS, raw)], created=DAY)
        assert ours.retrieve(ref, max_tokens=0).raw == (raw,)
        assert [line["message"]["content"] for line in read_by_the_reference_implementation(ours.path(ref))] == [
            SEPARATORS
        ]


# R4


@pytest.mark.rule("R4")
def test_that_protected_messages_go_last_and_in_order() -> None:
    """There: when nothing unprotected is left, whatever stands first is dropped, the first request too."""
    skill = (assistant("", call("Skill", skill="review")), result(filler(900)))
    dropped: list[tuple[int, ...]] = []
    for request in (10, 800, 1_900, 2_500):
        head = [user("first " + filler(300)), *work(1, 1_050)]
        built = session(*head, *skill, *work(4, 450), user(filler(request)), assistant("end"))
        view = look(built, plain(3_000, protect_first_n=1, protected_cap=1.0))
        exempt = exemptions(view)
        assert (exempt.protected, exempt.pinned) == (frozenset({0, 1}), frozenset({2}))
        made = assemble(
            view, Plan(frozenset(range(view.features.boundary(view.call))), "model"), exempt, scores(view).total
        )
        rank = [2 if g in exempt.pinned else 1 if g in exempt.protected else 0 for g in made.dropped]
        assert rank == sorted(rank)
        if any(rank):
            assert not set(made.placed) - set(exempt.forms), "nothing unprotected is left"
        assert view.known - 1 in made.placed
        assert (made.verdict.impossible, made.verdict.over_by) == (False, 0)
        dropped.append(tuple(g for g in made.dropped if g in (0, 1, 2)))
    assert dropped == [(), (1,), (1, 0), (1, 0, 2)]


# R5


def answered(view: View, *requests: tuple[str, dict[str, Any]]) -> Any:
    """What the assembler made of the plan that these calls end in."""
    at = desk(view)
    for name, arguments in requests:
        TOOLS[name].run(at, arguments)
    assert at.assembled is not None
    return at.assembled


BUILD = "curator_build_context"


@pytest.mark.rule("R5")
def test_that_every_part_of_a_plan_has_its_effect() -> None:
    """There: archive references, memory sections and drops of a plan change nothing, and what is archived stays in."""
    built = session(user("ok"), *work(6, 40), assistant("end"))
    places = {1: ARCHIVED, 2: STANDBY, 3: EXPIRED}
    view = look(built, plain(10_000), places=places, working_state_tokens=30)
    archive = ("curator_archive_messages", {"message_ids": [3, 5], "reason": "done"})
    made = answered(view, archive, (BUILD, {"include_message_ids": [1, 7], "working_state_injection": True}))
    assert made.placed[1].form is Form.FULL, "what was archived and is included comes back"
    assert made.archive == {2: "done", 3: "done"}
    assert not {2, 3} & set(made.placed), "what is archived is out"
    assert 5 not in made.placed, "what is active and not included is out"
    assert made.with_working_state
    without = answered(view, (BUILD, {"include_message_ids": [1, 7], "working_state_injection": False}))
    assert not without.with_working_state
    with pytest.raises(PlanError, match="curator_build_context: include_archive_refs: extra inputs are not permitted"):
        TOOLS[BUILD].run(desk(view), {"include_message_ids": [0], "include_archive_refs": ["a#1-2"]})


@pytest.mark.rule("R5")
def test_that_a_plan_of_a_replay_moves_what_it_names() -> None:
    run = pressed()
    last = run.calls
    entry = next(e for e in run.archive(last - 1) if run.state(last - 1, e.messages[0]) is State.ARCHIVED)
    standby = next(m for m in range(run.rows(last - 1)) if run.state(last - 1, m) is State.STANDBY)
    archive = CuratorCall("curator_archive_messages", {"message_ids": [standby], "reason": "not needed"})
    build = CuratorCall(BUILD, {"include_message_ids": list(entry.messages)})
    loop = run.loop(last, Scripted([archive, build]))
    events = loop.run()
    inside = {m.id for m in window_after(run, loop).messages}
    assert set(entry.messages) <= inside
    assert standby not in inside
    group_of = run.session.structure.group_of
    assert loop.live.states[group_of[standby]] == State.ARCHIVED
    assert [e.payload["ref"] for e in events if e.event == "retrieved"] == [entry.ref]


# R7


@pytest.mark.rule("R7")
def test_that_archiving_takes_whole_groups_and_nothing_twice(tmp_path: Path) -> None:
    """There: an archive begins with a result whose call is not in it, and the same ids are archived again."""
    view = look(session(user("ok"), *work(4, 20), assistant("end")), plain(10_000), places={1: STANDBY, 2: EXPIRED})
    at = desk(view)
    TOOLS["curator_archive_messages"].run(at, {"message_ids": [2, 3], "reason": "one half of each"})
    assert at.to_archive == {1: "one half of each", 2: "one half of each"}
    run = pressed()
    seen: dict[tuple[int, ...], int] = {}
    with ArchiveStore(tmp_path) as store:
        for _ in range(2):
            for entry in run.archive():
                group = run.session.structure.groups[run.session.structure.group_of[entry.messages[0]]]
                assert entry.messages == group.messages
                store.write("s", [ArchiveRecord.of(run.session, m) for m in entry.messages], created=DAY)
                seen[entry.messages] = seen.get(entry.messages, 0) + 1
        assert len(list(store.folder.rglob("*.jsonl"))) == len(seen) > 2
        assert sorted(entry.ids for entry in store.entries()) == sorted(seen)


@pytest.mark.samples
@pytest.mark.rule("R7")
def test_that_the_recorded_session_that_it_archived_in_halves_is_archived_whole(samples: Path) -> None:
    run = replay(recorded(samples), plain(2_500, fast_path_threshold=0.1, archive_below=1.0, standby_calls=3))
    assert run.archive()
    for entry in run.archive():
        assert {run.session.structure.group_of[m] for m in entry.messages} == {
            run.session.structure.group_of[entry.messages[0]]
        }
        first = run.session.messages[entry.messages[0]]
        assert first.role != "tool" or "orphan_result" in first.flags


# R8


@pytest.mark.rule("R8")
def test_that_a_first_record_over_the_cap_comes_back_cut_and_says_so(tmp_path: Path) -> None:
    """There: nothing comes back, and `truncated` is false."""
    built = session(user("word " * 5_000), assistant("short"), user("more"), assistant("end"))
    with ArchiveStore(tmp_path) as store:
        ref = store.write("s", [ArchiveRecord.of(built, m) for m in (0, 1)], created=DAY)
        disk = store.retrieve(ref, max_tokens=40)
    virtual = replay(built).retrieve(replay(built).ref(0), max_tokens=40)
    for found in (disk, virtual):
        assert 30 <= found.tokens <= 40
        assert found.text.startswith("[#0 user]\nword word")
        assert found.truncated
        assert found.raw == (built.raw(0),)


# R9


@pytest.mark.rule("R9")
def test_that_chinese_and_japanese_have_keywords_and_an_empty_query_does_not_match_everything() -> None:
    """There: keywords are [A-Za-z0-9_-]{3,}, and a query without such a word matches every message."""
    for text, word in (
        ("修改登录模块的配额计算逻辑", "配额"),
        ("データベースの接続を修正して、エラーを調べる", "接続"),
    ):
        assert word in keywords(text)
        assert keywords(text) == replay(session(user(text), assistant("ok"))).row(1, 0).keywords
    talk = session(
        user("修改登录"), assistant("登录改好了"), user("fix the login"), assistant("done"), user("?"), assistant("x")
    )
    at = desk(look(talk, plain()))

    def found(query: str) -> list[list[int]]:
        matches: Any = TOOLS["curator_search_history"].run(at, {"query": query})["matches"]
        return sorted(match["message_ids"] for match in matches)

    assert found("登录") == [[0], [1]]
    assert found("登") == [[0], [1]]
    assert found("？！") == found("...!") == found("数据库") == []
    with SearchIndex(":memory:") as index:
        index.add("a.jsonl#0-0", 0, "修改登录")
        index.add("a.jsonl#1-1", 1, "fix the login")
        assert [hit.id for hit in index.search("登录")] == [0]
        assert [hit.id for hit in index.search("登")] == [0]
        assert index.search("...!") == index.search("") == ()


@pytest.mark.samples
@pytest.mark.rule("R9")
def test_that_recorded_messages_without_keywords_there_have_some_here(samples: Path) -> None:
    root = raven(samples)
    theirs = json.loads((root / "memory" / ".curator" / "manifest" / "telegram_chat_42.json").read_bytes())["items"]
    run = replay(open_session(root / "sessions" / "telegram" / "chat_42.jsonl"))
    without = [item["id"] for item in theirs if not item["keywords"] and item["id"] < run.rows(run.calls)]
    with_them = [m for m in range(run.rows(run.calls)) if run.row(run.calls, m).keywords]
    assert without or theirs[0]["keywords"] == ["image"], "what there is a Chinese question, and its only keyword"
    assert {*without, 0} <= set(with_them)


# R10


@pytest.mark.rule("R10")
def test_that_a_count_says_how_it_was_got() -> None:
    """There: the verdict names tiktoken although characters were divided by four, offline or for special tokens."""
    special = "what is <|endoftext|> for, and <|im_start|>? " * 20
    exact = len(load("o200k_base").encode_ordinary(special))
    assert tokenizer().measure(special).how == "exact"
    assert tokenizer().count(special) == exact != len(special) // 4
    run = pressed(user(special), count=8)
    assert run.inputs.sizes.full[run.rows(run.calls) - 1] == exact
    assert run.inputs.sizes.estimated == set()
    assert sources(run) == {"o200k_base"}
    endless = pressed(user("a" * 40_000), count=8, window=20_000, trim_target=0.9, fast_path_threshold=0.1)
    assert endless.inputs.sizes.estimated == {17}
    assert tokenizer().measure("a" * 40_000).how == "estimated"
    assert sources(endless, endless.calls) == {"o200k_base, estimated in part"}
    assert sources(endless, endless.calls - 1) == {"o200k_base"}


def sources(run: SimulatedRun, call: int | None = None) -> set[str]:
    """What the verdicts name as their counter."""
    calls = range(1, run.calls + 1) if call is None else (call,)
    told: list[Any] = [e.payload["validation"] for n in calls for e in run.events(n) if e.event == "slow_path_accepted"]
    assert told
    return {verdict["source"] for verdict in told}


# R11


@pytest.mark.rule("R11")
def test_that_several_calls_of_a_message_and_their_results_are_one_group() -> None:
    """There: the message is of group "tool:a,b", its results of "tool:a" and "tool:b"."""
    both = assistant("", call("Read", call_id="a", file_path="a.py"), call("Read", call_id="b", file_path="b.py"))
    built = session(user("go"), both, result("x", to="b"), result("y", to="a"), assistant("end"))
    run = replay(built)
    assert {run.row(2, m).group for m in (1, 2, 3)} == {1}
    assert run.row(2, 0).group == 0
    gone = replay(built, None, [HandChange(2, "pin", 2)])
    assert [gone.row(2, m).pinned for m in range(4)] == [False, True, True, True]


# R12


@pytest.mark.rule("R12")
def test_that_an_image_costs_a_flat_figure_whatever_its_size(tmp_path: Path) -> None:
    """There: parts that are no text are counted as their JSON, base64 and all."""

    def cost(data: str) -> int:
        image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
        content = [{"type": "text", "text": "What is this?"}, image]
        lines = [{"role": "user", "content": content}, {"role": "assistant", "content": "A cat."}]
        path = tmp_path / "image.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        run = replay(open_session(path))
        assert run.session.messages[0].images == 1
        assert data[:40] not in run.window(1).messages[0].text
        return run.row(1, 0).tokens

    small_one, large = cost("iVBORw0KGgo=" * 10), cost("iVBORw0KGgo=" * 50_000)
    assert abs(large - small_one) < 5
    assert 1_600 < small_one < 1_700
    built = session(user("look", images=2), assistant("ok"))
    costly = replay(built, replay(built).profile.with_values(image_tokens=100)).row(1, 0).tokens
    assert replay(built).row(1, 0).tokens - costly == 2 * 1_500
