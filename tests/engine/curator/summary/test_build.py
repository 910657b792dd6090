"""The summary of the last resort: nine parts, the transcript's path, within its cap, from what a call knows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.curator.summary.build import HEADING, Extractive, RecordedTranscript
from ravenglass.curator.summary.digest import Digest
from ravenglass.curator.working_state.state import extract
from ravenglass.hub.summary import Summary
from ravenglass.profile import Profile
from ravenglass.scheduler.features import features_of
from ravenglass.sessions.model.session import Message, Session
from ravenglass.tokens import tokenizer
from tests.engine.builders import assistant, call, filler, result, session, sessions, user, with_calls
from tests.engine.replay.runs import thorough

PARTS = (
    "Request and intent", "Key concepts", "Files and code", "Errors and fixes", "Problem solving", "All user messages",
    "Pending tasks", "Current work", "Next step",
)  # fmt: skip
COUNT = tokenizer().count


@dataclass
class Paper:
    """A transcript that remembers what it was asked for."""

    path: str = "/logs/talk.jsonl"
    takes: bool = True
    asked: list[int] = field(default_factory=list)

    def dump(self, count: int) -> bool:
        self.asked.append(count)
        return self.takes


def told(
    built: Session, groups: list[int] | None = None, cap: int = 5_000, at: int | None = None, paper: Paper | None = None
) -> Summary | None:
    """The summary of groups (all that the call knows) at a call (the last)."""
    features, profile = features_of(built), Profile()
    number = len(features.calls) if at is None else at
    out = list(range(features.known[number])) if groups is None else groups
    states = extract(built, profile)
    return Extractive(Digest(features), states, profile, paper or Paper(), COUNT).summary(number, out, cap)


def part(summary: Summary | None, title: str) -> list[str]:
    """The lines of a part."""
    assert summary is not None
    found = re.search(rf"## \d\. {title}\n((?:- .*\n)+)", summary.text)
    assert found is not None, title
    return [line.removeprefix("- ") for line in found[1].strip().split("\n")]


def story() -> list[Message]:
    """A request, a failing test, its fix, a second request, and work that goes on."""
    todos = [{"content": "write the docs", "status": "in_progress"}, {"content": "release", "status": "pending"}]
    return [
        user("Fix the login in src/auth.py. You must not touch migrations/."),
        assistant("I'll run the tests first.", call("Bash", command="pytest -q")),
        result("..F\nE   KeyError: 'user'\n1 failed"),
        assistant("", call("Edit", file_path="src/auth.py", old_string="a", new_string="def login(user):\n    pass")),
        result("ok"),
        assistant("", call("Bash", command="pytest -q")),
        result("3 passed"),
        assistant("The login works again: login takes the user by name."),
        user("Now document the login for the release."),
        assistant("", call("TodoWrite", todos=todos)),
        result("ok"),
        assistant("I look at the guide.\nThen I write the page on login.", call("Read", file_path="docs/guide.md")),
        result("# Guide"),
        assistant("end"),
    ]


@pytest.mark.rule("10.7")
def test_that_a_summary_has_nine_parts_in_order_and_ends_with_the_transcript() -> None:
    summary = told(session(*story()))
    assert summary is not None
    rows = summary.text.split("\n")
    assert rows[0] == HEADING
    assert [row.partition(". ")[2] for row in rows if row.startswith("## ")] == list(PARTS)
    assert [row[3] for row in rows if row.startswith("## ")] == list("123456789")
    assert rows[-1] == "Read the full transcript at: /logs/talk.jsonl"
    assert rows[1].startswith("It stands for 13 messages ")
    assert summary.messages == 13


def test_that_each_part_tells_its_own() -> None:
    summary = told(session(*story()))
    assert part(summary, "Request and intent") == [
        "Fix the login in src/auth.py. (#0)",
        "Now document the login for the release. (#8)",
    ]
    assert "login" in part(summary, "Key concepts")[0]
    assert part(summary, "Files and code") == [
        "src/auth.py: edit 1×; wrote: def login(user): (#3)",
        "docs/guide.md: read 1× (#11)",
    ]
    assert part(summary, "Errors and fixes") == [
        "Bash pytest -q: E   KeyError: 'user' → changed src/auth.py in #3 → passed in #6 (#2)".replace("E   K", "E K")
    ]
    solving = part(summary, "Problem solving")
    assert solving[0] == "You must not touch migrations/. (#0)"
    assert "The login works again: login takes the user by name. (#7)" in solving
    assert part(summary, "All user messages") == [
        "#0: Fix the login in src/auth.py. You must not touch migrations/.",
        "#8: Now document the login for the release.",
    ]
    assert part(summary, "Pending tasks") == ["write the docs (#10)", "release (#10)"]
    assert part(summary, "Current work") == [
        "I look at the guide. Then I write the page on login. [Read docs/guide.md] (#11)",
        "Asked for: Now document the login for the release. (#8)",
    ]
    assert part(summary, "Next step") == ["Go on with: write the docs (#10)"]


def test_that_a_part_about_which_nothing_left_says_so() -> None:
    summary = told(session(user("go"), assistant("", call("Bash", command="make")), result("ok"), assistant("end")))
    assert part(summary, "Errors and fixes") == ["nothing in what left the window"]
    assert part(summary, "Pending tasks") == ["nothing in what left the window"]


def test_that_only_what_left_is_told_and_what_comes_next_all_the_same() -> None:
    summary = told(session(*story()), groups=[1, 2])
    assert part(summary, "All user messages") == ["nothing in what left the window"]
    assert part(summary, "Files and code") == ["src/auth.py: edit 1×; wrote: def login(user): (#3)"]
    assert part(summary, "Current work")[1] == "Asked for: Now document the login for the release. (#8)"


def test_that_a_fix_that_the_call_does_not_know_yet_is_not_told() -> None:
    at_two = told(session(*story()), at=2)
    assert part(at_two, "Errors and fixes") == ["Bash pytest -q: E KeyError: 'user' (#2)"]
    assert part(told(session(*story()), at=3), "Errors and fixes") == [
        "Bash pytest -q: E KeyError: 'user' → changed src/auth.py in #3 (#2)"
    ]


def test_that_a_file_that_only_holds_the_word_reports_no_error() -> None:
    reading = [assistant("", call("Read", file_path="a.py")), result("raise ValueError('x')")]
    grep = [assistant("", call("Grep", pattern="Error")), result("a.py:1: raise ValueError('x')")]
    summary = told(session(user("go on then"), *reading, *grep, assistant("end")))
    assert part(summary, "Errors and fixes") == ["nothing in what left the window"]
    failed = [assistant("", call("Read", file_path="b.py")), result("no such file here", error=True)]
    summary = told(session(user("go on then"), *failed, assistant("end")))
    assert part(summary, "Errors and fixes") == ["Read b.py: no such file here (#2)"]


def test_that_without_a_list_the_next_step_is_what_the_agent_announced_or_the_open_request() -> None:
    work = [assistant("First I look.\nNext I fix the cache.", call("Bash", command="ls")), result("ok")]
    assert part(told(session(user("fix it all"), *work, assistant("end"))), "Next step") == [
        "Next I fix the cache. (#1)"
    ]
    assert part(told(session(user("fix it all"), assistant("end"))), "Next step") == ["Answer the latest request (#0)"]


def test_that_every_user_message_is_cut_before_one_is_left_out() -> None:
    long = "please do this thing " * 40
    asked = [m for n in range(40) for m in (user(f"request {n}: {long}"), assistant(f"did {n}"))]
    summary = told(session(*asked, user("end"), assistant("end")), cap=3_000)
    lines = part(summary, "All user messages")
    assert [int(line[1:].partition(":")[0]) for line in lines] == [*range(0, 80, 2), 80]
    assert all(len(line) <= 240 for line in lines)
    assert any(line.endswith("…") for line in lines)
    few = told(session(*asked, user("end"), assistant("end")), cap=500)
    assert part(few, "All user messages")[-1].startswith("and ")
    assert part(few, "All user messages")[-2] == "#80: end"


@pytest.mark.parametrize("cap", [100, 150, 200, 300, 500, 1_000, 2_000])
def test_that_a_summary_keeps_its_cap_and_counts_what_it_says(cap: int) -> None:
    built = session(*(m for _ in range(8) for m in story()))
    summary = told(built, cap=cap)
    if summary is not None:
        assert summary.tokens == COUNT(summary.text) + Profile().message_overhead <= cap
        assert summary.text.endswith("Read the full transcript at: /logs/talk.jsonl")
    assert (summary is None) == (cap < 200), "too few tokens for nine parts and a line"


def test_that_no_part_tells_more_than_its_share_before_each_has_told_something() -> None:
    talk = [user("Fix the login in src/auth.py, and say what you found out on the way.")]
    for n in range(40):
        talk += [assistant(f"Step {n}: {filler(12)}.", call("Bash", command="make")), result("ok")]
    talk += [assistant(f"At last: {filler(30)}.", call("Bash", command="make check")), result("ok"), assistant("x")]
    for cap in (400, 600):
        summary = told(session(*talk), list(range(30)), cap)
        assert "Step 28" in "".join(part(summary, "Problem solving"))
        assert part(summary, "Current work")[0].startswith("At last")
        assert part(summary, "Next step")[0].startswith("At last")


@pytest.mark.rule("10.6")
def test_that_nothing_is_said_before_the_transcript_is_on_the_disk() -> None:
    paper = Paper(takes=False)
    assert told(session(*story()), paper=paper) is None
    assert paper.asked == [13], "every message that the call knows"
    assert told(session(*story()), groups=[], paper=Paper()) is None


def test_that_the_path_of_a_recorded_session_is_its_own_file_on_one_line() -> None:
    assert RecordedTranscript(Path("a/b.jsonl")).path == str(Path("a/b.jsonl").absolute())
    assert RecordedTranscript(Path("/a/b\nc.jsonl")).path == "/a/b\\nc.jsonl"
    assert RecordedTranscript(Path("a")).dump(3)


@thorough
@given(sessions(turns=3, exchanges=4).filter(with_calls), st.data())
def test_that_a_summary_tells_nothing_of_later_messages_and_is_the_same_again(
    built: Session, data: st.DataObject
) -> None:
    number = data.draw(st.integers(1, len(built.structure.calls)))
    cap = data.draw(st.sampled_from((150, 400, 2_000)))
    summary = told(built, at=number, cap=cap)
    # The same session, cut before what the call produced, with that call's answer behind it.
    known = built.structure.calls[number - 1].message
    cut = session(*built.messages[:known], assistant("later"))
    again = told(cut, at=len(cut.structure.calls), cap=cap)
    if len(cut.structure.calls) == number and features_of(cut).groups[: features_of(built).known[number]] == tuple(
        g for g in features_of(built).groups if g.messages[0] < known
    ):
        assert summary == again
    assert summary == told(built, at=number, cap=cap)
    if summary is not None:
        assert max((int(n) for n in re.findall(r"\(#(\d+)\)$", summary.text, re.MULTILINE)), default=-1) < known
        assert summary.tokens <= cap
        assert summary.text.count("\n## ") == len(PARTS)


def test_that_long_and_damaged_texts_do_not_break_it() -> None:
    deep = "[" * 5_000
    odd = [
        assistant("", call("Edit", raw=deep), call("Bash", raw="{")),
        result("Error: \ud800" + filler(50_000)), result(""),
        assistant("", call("Write", file_path="\ud800.py", content=None)), result("", error=True),
    ]  # fmt: skip
    summary = told(session(user("\ud800 " + "x" * 100_000), *odd, user(""), assistant("end")), cap=600)
    assert summary is not None
    assert summary.tokens <= 600


def test_that_a_summary_stays_within_its_cap_whatever_that_is() -> None:
    sizes = {cap: one.tokens for cap in range(120, 420) if (one := told(session(*story()), cap=cap)) is not None}
    assert len(sizes) > 100
    assert all(size <= cap for cap, size in sizes.items())
    assert any(size > cap - 4 for cap, size in sizes.items()), "the frame of the message is what may be too much"


def test_that_a_result_that_has_not_come_yet_is_not_counted() -> None:
    late = [assistant("", call("Grep", pattern="x", call_id="g")), assistant("I wait."), result("y", to="g")]
    talk = session(user("Find x in src/auth.py"), *late, assistant("Done."), assistant("More."))
    known, later = told(talk, [0, 1], at=2), told(talk, [0, 1], at=3)
    assert known is not None
    assert later is not None
    assert (known.messages, later.messages) == (2, 3)
