from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import ArchiveError
from ravenglass.replay import HandChange, SimulatedRun, replay
from tests.engine.builders import assistant, call, filler, result, session, user
from tests.engine.replay.runs import any_runs, thorough
from tests.engine.scheduler.views import plain


@pytest.mark.rule("7.5", "7.15")
@thorough
@given(any_runs())
def test_that_every_message_that_is_out_comes_back_byte_for_byte(run: SimulatedRun) -> None:
    session = run.session
    for number in range(1, run.calls + 1):
        for message in range(run.rows(number)):
            if run.in_window(number, message):
                continue
            back = run.retrieve(run.ref(message), max_tokens=0)
            group = session.structure.groups[session.structure.group_of[message]].messages
            assert back.raw == tuple(session.raw(m) for m in group)
            assert back.digests == tuple(hashlib.sha256(session.raw(m)).hexdigest() for m in group)
            assert not back.truncated


@thorough
@given(any_runs())
def test_that_every_archiving_has_an_entry_an_event_and_a_row_with_its_reference(run: SimulatedRun) -> None:
    entries = run.archive()
    for number in range(1, run.calls + 1):
        here = [entry for entry in entries if entry.call == number]
        assert [e.messages for e in run.events(number) if e.event == "archived"] == [e.messages for e in here]
        assert run.frame(number).archived == sum(len(entry.messages) for entry in here)
        for entry in here:
            row = run.row(number, entry.messages[0])
            assert (row.archived, row.archive_ref, row.included) == (True, entry.ref, False)
    assert run.archive(0) == ()
    assert run.metrics.archived == sum(len(entry.messages) for entry in entries)


@pytest.mark.rule("7.10")
@thorough
@given(any_runs(), st.integers(1, 400))
def test_that_truncated_tells_exactly_whether_something_was_left_out(run: SimulatedRun, cap: int) -> None:
    for group in run.session.structure.groups:
        ref = run.ref(group.messages[0])
        whole = run.retrieve(ref, max_tokens=0)
        some = run.retrieve(ref, max_tokens=cap)
        assert some.tokens <= cap
        assert some.text
        assert whole.text.startswith(some.text)
        assert some.truncated == (some.text != whole.text)
        assert some.tokens == run.inputs.sizes.tokenizer.count(some.text)
        assert len(some.raw) == len(some.digests) <= len(whole.raw)


def _run(text: str = "ok") -> SimulatedRun:
    built = session(user("go"), assistant("look", call("Bash", command="ls")), result(text), assistant("end"))
    return replay(built, plain(100_000), [HandChange(2, "archive", 1)])


@pytest.mark.rule("7.11", "R8")
def test_that_a_first_record_over_the_cap_comes_back_cut_and_not_empty() -> None:
    run = replay(session(user(filler(3_000)), assistant("end")), plain(100_000))
    back = run.retrieve(run.ref(0))
    assert 1_900 < back.tokens <= 2_000
    assert back.truncated
    assert back.raw == (run.session.raw(0),)


@pytest.mark.rule("7.9")
def test_that_the_cap_of_the_profile_holds_where_none_is_given() -> None:
    run = replay(session(user(filler(3_000)), assistant("end")), plain(100_000, retrieve_tokens=50))
    assert run.retrieve(run.ref(0)).tokens <= 50
    assert run.retrieve(run.ref(0), max_tokens=0).tokens > 3_000


def test_that_text_carries_message_role_and_calls() -> None:
    run = _run()
    assert run.retrieve(run.ref(1)).text == '[#1 assistant]\nlook\nBash {"command": "ls"}\n\n[#2 Bash]\nok'


def test_that_a_snippet_is_one_line_a_message() -> None:
    run = _run(filler(500))
    back = run.retrieve(run.ref(1), mode="snippet")
    first, second = back.text.split("\n\n")
    assert first == '[#1 assistant] look Bash {"command": "ls"}'
    assert len(second) <= run.profile.snippet_chars
    assert second.endswith("…")
    assert back.truncated


def test_that_a_snippet_that_only_folds_white_space_leaves_nothing_out() -> None:
    run = _run("a\n\n  b\n" + "\n" * 3_000 + "c")
    back = run.retrieve(run.ref(1), mode="snippet")
    assert back.text.endswith("a b c")
    assert not back.truncated


@pytest.mark.rule("7.8")
def test_that_a_fragment_of_the_reference_brings_only_its_messages() -> None:
    run = _run()
    ref = run.ref(1)
    assert ref.endswith("s1_1_2.jsonl#1-2")
    back = run.retrieve(ref.replace("#1-2", "#2-2"))
    assert back.raw == (run.session.raw(2),)
    assert run.retrieve(ref.replace("#1-2", "#0-9" + "9" * 5_000)).raw == (run.session.raw(1), run.session.raw(2))


@pytest.mark.rule("10.4")
@thorough
@given(any_runs())
def test_that_a_number_as_summaries_write_it_brings_the_whole_group(run: SimulatedRun) -> None:
    groups = run.session.structure.groups
    for m in range(run.rows(run.calls)):
        group = groups[run.session.structure.group_of[m]]
        assert run.retrieve(f"#{m}", max_tokens=0).raw == tuple(run.session.raw(n) for n in group.messages)
    with pytest.raises(ArchiveError, match=r"there is no message #\d+; known ones are #0 to #\d+"):
        run.retrieve(f"#{len(run.session.messages)}")


@pytest.mark.rule("7.2")
def test_that_a_reference_names_the_day_of_its_first_message() -> None:
    dated, undated = _run(), replay(session(user("go"), assistant("end"), seconds_apart=None))
    assert dated.ref(1) == "2026-01-01/s1_1_2.jsonl#1-2"
    assert undated.ref(0) == "undated/s1_0_0.jsonl#0-0"


@pytest.mark.parametrize(
    ("ref", "sentence"),
    [
        ("", "is no archive reference; one looks like"),
        ("2026-01-01/s1_1_2.jsonl", "is no archive reference"),
        ("2026-01-01/s1_1_2.jsonl#", "is no archive reference"),
        ("2026-01-01/s1_1_2.jsonl#1", "is no archive reference"),
        ("2026-01-01/s1_1_2.jsonl#-1-2", "is no archive reference"),
        ("2026-01-01/s1_1_2.jsonl#1-2\n", "is no archive reference"),
        ("2026-01-01/s1_1_2.jsonl#٣-٤", "is no archive reference"),
        ("../../secrets#0-1", "is not in the archive of this session"),
        ("/etc/passwd#0-1", "is not in the archive of this session"),
        ("2026-01-01/other_1_2.jsonl#1-2", "is not in the archive of this session"),
        ("2026-01-01/s1_1_2.jsonl#7-9", "the file holds messages 1 to 2, none of those named"),
        ("2026-01-01/s1_1_2.jsonl#2-1", "none of those named"),
    ],
)
def test_that_a_reference_that_does_not_resolve_gives_a_sentence(ref: str, sentence: str) -> None:
    with pytest.raises(ArchiveError, match=sentence):
        _run().retrieve(ref)


def test_that_entries_know_when_the_group_came_back() -> None:
    tool_group = (assistant("", call("Bash", command="make")), result("ok"))
    built = session(user("go"), *tool_group * 6, assistant("end"))
    run = replay(built, plain(100_000), [HandChange(3, "archive", 1), HandChange(5, "retrieve", 1)])
    (entry,) = run.archive()
    assert (entry.call, entry.retrieved_at, entry.by, entry.messages) == (3, 5, "hand", (1, 2))
    assert entry.tokens == sum(run.inputs.sizes.full[m] for m in (1, 2))
    assert run.archive(2) == ()
    assert (run.row(4, 1).archive_ref, run.row(5, 1).archive_ref) == (entry.ref, None)


def test_that_what_goes_to_the_archive_at_one_call_stands_in_the_trace_and_in_the_archive_in_one_order() -> None:
    """The request left after the read that follows it; that must not matter."""
    again = call("Read", file_path="src/auth.py")
    said = [user("", images=1), assistant("", again), result(""), assistant("", again), result(""), user("")]
    said += [assistant("", again), result(""), assistant("", again), result("")]
    values: dict[str, object] = {"fast_path_threshold": 0.03, "trim_target": 0.05, "pressure_basis": "live"}
    values |= {"eager_lifecycle": True, "task_boundary": "every_user_message", "standby_calls": 1}
    values |= {"protect_first_n": 0, "protected_cap": 0.0, "offload_tokens": 50, "summarize": False}
    run = replay(session(*said), plain(1_351, **values))
    at: dict[int, list[tuple[int, ...]]] = {entry.call: [] for entry in run.archive()}
    for entry in run.archive():
        at[entry.call].append(entry.messages)
    assert max(map(len, at.values())) > 1
    for number, listed in at.items():
        assert [event.messages for event in run.events(number) if event.event == "archived"] == listed
