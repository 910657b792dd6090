from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import FilterError
from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.address import parse_address
from ravenglass.replay import HandChange, SimulatedRun, replay
from ravenglass.replay.answers.manifest import gist, squeeze
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.replay.runs import any_runs, included, thorough
from tests.engine.scheduler.views import plain


@pytest.mark.rule("6.22")
@thorough
@given(any_runs())
def test_that_every_known_message_has_a_row_that_agrees_with_window_archive_and_score(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        ids = included(run, number)
        for m in range(run.rows(number)):
            row, why = run.row(number, m), run.why(number, m)
            assert (row.id, row.role, row.ts) == (m, run.session.messages[m].role, run.session.messages[m].ts)
            assert row.included == (m in ids) == why.included == (row.form is not Form.OUT)
            assert row.archived == (row.state is State.ARCHIVED) == (row.archive_ref is not None)
            assert row.state is run.state(number, m)
            weights = (run.profile.weight_relevance, run.profile.weight_recency, run.profile.weight_source)
            parts = (row.relevance, row.recency, row.reliability)
            assert row.score == pytest.approx(sum(w * p for w, p in zip(weights, parts, strict=True)))
            assert parse_address(row.address)
            holds = {"included": row.included, "archived": row.archived, "protected": row.protected,
                     "pinned": row.pinned, "changed": row.changed, "expired": row.state is State.EXPIRED}  # fmt: skip
            assert {name for name, is_so in holds.items() if is_so} == row.flags & set(holds)


@thorough
@given(any_runs())
def test_that_the_stub_flag_marks_exactly_what_the_window_shows_shortened(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        blocks = {m.id: m for m in run.window(number).messages}
        for m in range(run.rows(number)):
            block = blocks.get(m)
            text = run.inputs.sizes.full_text(run.session.messages[m])
            shortened = block is not None and (block.text != text or block.tokens != run.inputs.sizes.full[m])
            assert ("stub" in run.row(number, m).flags) >= shortened
            if block is None or block.verbatim:
                assert "stub" not in run.row(number, m).flags


@thorough
@given(any_runs())
def test_that_a_changed_row_is_one_that_the_frame_names(run: SimulatedRun) -> None:
    for number in range(1, run.calls + 1):
        changed = {m for m in range(run.rows(number)) if run.row(number, m).changed}
        assert changed == run.frame(number).changed


COLUMNS = ("id", "call", "turn", "role", "tier", "state", "tokens", "score", "flags", "snippet")


@thorough
@given(any_runs(), st.sampled_from(COLUMNS), st.booleans())
def test_that_sorting_keeps_every_row_and_turns_round(run: SimulatedRun, column: str, descending: bool) -> None:
    number = run.calls
    ids = run.query(number, "", column, descending)
    assert sorted(ids) == list(range(run.rows(number)))
    if column in ("call", "turn", "tokens", "score"):
        values = [getattr(run.row(number, m), column) for m in ids]
        assert values == sorted(values, reverse=descending)
    assert run.query(number, "", "id") == list(range(run.rows(number)))


@thorough
@given(any_runs(), st.sampled_from(("state:active", "tier:task", "role:tool", "flag:included", "tokens>20", '"login"')))
def test_that_a_filter_and_its_opposite_share_the_rows(run: SimulatedRun, text: str) -> None:
    number = run.calls
    some, rest = set(run.query(number, text)), set(run.query(number, f"not {text}"))
    assert some | rest == set(range(run.rows(number)))
    assert not some & rest


def _run() -> SimulatedRun:
    built = session(
        user("Fix the login"), assistant("", call("Bash", command="ls")), result("a.py  b.py"), assistant("Two files."),
        user("登录配额"), assistant("ok"),
    )  # fmt: skip
    return replay(built, plain(100_000), [HandChange(3, "archive", 1)])


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("role:user", [0, 4]), ("state:archived", [1, 2]), ("flag:archived", [1, 2]), ("tier:task", [1, 2]),
        ("tool:Bash", [1, 2]), ('"login"', [0]), ('"b.py"', [2]), ('"ls"', [1]), ("配额", [4]),
        ("role:user login", [0]), ("turn:1", [4]), ("call:1", [0]), ("tokens>900", []), ("not role:user", [1, 2, 3]),
    ],
)  # fmt: skip
def test_that_a_filter_finds_what_it_says(text: str, ids: list[int]) -> None:
    assert _run().query(3, text) == ids


def test_that_a_filter_that_does_not_parse_says_where() -> None:
    with pytest.raises(FilterError) as error:
        _run().query(3, "role:user tokens>x")
    assert error.value.position >= 10


def test_that_a_filter_at_a_call_that_is_not_there_finds_nothing() -> None:
    assert _run().query(0, "role:user") == _run().query(99, "role:user") == []


@pytest.mark.rule("6.22")
def test_that_a_row_shows_a_snippet_a_summary_and_at_most_sixteen_keywords() -> None:
    text = "\n".join(f"function_{n} in src/file_{n}.py" for n in range(400))
    row = replay(session(user(text), assistant("ok"))).row(1, 0)
    assert len(row.snippet) == 240
    assert row.snippet.endswith("…")
    assert len(row.summary) == 420
    assert len(row.keywords) == 16
    assert "\n" not in row.snippet + row.summary


@pytest.mark.rule("6.23")
def test_that_chinese_and_japanese_texts_have_keywords() -> None:
    for text in ("请修改登录页面的配额检查", "ログインのエラーを修正してください"):
        assert replay(session(user(text), assistant("ok"))).row(1, 0).keywords


def test_that_a_row_of_calls_shows_the_calls_and_a_row_of_a_result_its_tool() -> None:
    run = _run()
    assert run.row(2, 1).snippet == 'Bash {"command": "ls"}'
    assert (run.row(2, 1).tool, run.row(2, 2).tool) == ("Bash", "Bash")
    assert run.row(2, 2).address == "cxt://tool/Bash/call_1/output"
    assert gist(run.session.messages[0]) == "Fix the login"


@given(st.text(), st.integers(1, 40))
def test_that_squeezing_marks_exactly_what_it_leaves_out(text: str, limit: int) -> None:
    line = " ".join(text.split())
    short = squeeze(text, limit)
    assert len(short) <= limit
    assert (short == line) == (len(line) <= limit)
    if short != line:
        assert short.endswith("…")
        assert line.startswith(short[:-1])


def test_that_squeezing_sees_behind_a_long_run_of_blanks() -> None:
    assert squeeze("a" + " " * 5_000 + "b", 10) == "a b"
    assert squeeze(" " * 5_000 + "word " * 9, 10) == "word word…"


def test_that_a_text_that_fits_exactly_is_not_cut() -> None:
    assert squeeze("a" * 10, 10) == "a" * 10
    assert squeeze("a" * 11, 10) == "a" * 9 + "…"


def test_that_a_filter_finds_the_same_again_in_a_long_session() -> None:
    built = session(*(m for n in range(70) for m in (user(f"word{n} is here"), assistant(f"done{n}"))))
    run = replay(built, plain(100_000))
    for _ in range(2):
        assert run.query(70, '"word3 is"') == [6]
        assert run.query(70, '"done66"') == [133]
