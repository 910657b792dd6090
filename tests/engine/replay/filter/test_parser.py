from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass.errors import FilterError
from ravenglass.replay.filter.nodes import And, Choice, Compare, Flagged, Node, Not, Or, RangeNode, Text, ToolNode
from ravenglass.replay.filter.parser import FILTER_KEYS, Filter, FilterRow, KeyKind, parse_filter


@dataclass(frozen=True)
class Row:
    id: int = 17
    call: int = 12
    turn: int = 3
    role: str = "tool"
    tier: str = "task"
    state: str = "standby"
    tokens: int = 500
    score: float | None = 0.4
    flags: frozenset[str] = frozenset({"pinned"})
    tool: str = "Read"
    body: str = "KeyError in src/auth.py: 配额 quota exceeded"

    def text(self) -> str:
        return self.body.lower()


ROW = Row()


def hits(text: str, row: FilterRow = ROW) -> bool:
    return parse_filter(text).matches(row)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "tier:task",
        "tier:session,task",
        "TIER:Task",
        "tier=task",
        "state:standby",
        "role:tool",
        "flag:pinned",
        "flag:archived,pinned",
        "tool:Read",
        "tool:re*",
        "tool:Grep,R?ad",
        'tool:"Read"',
        "tokens=500",
        "tokens>=500",
        "tokens<=500",
        "tokens>499",
        "tokens<501",
        "tokens<0.6k",
        "tokens:500",
        "tokens>4_99",
        "score<0.5",
        "score:0.3..0.4",
        "turn:3",
        "turn:1..3",
        "turn:3..",
        "turn:..3",
        "id:1,17",
        "call:10..20",
        "call：12",
        "keyerror",
        "KEYERROR",
        "配额",
        '"quota exceeded"',
        "“quota exceeded”",
        "src/auth.py",
        "-tier:atomic",
        "not tier:atomic",
        "NOT tier:atomic",
        "not not tier:task",
        "tier:atomic or role:tool",
        "tier:atomic OR role:tool",
        "tier:task and role:tool",
        "-(tier:atomic or role:user)",
        "-missing",
        "tier:atomic role:user or tier:task",
        "(tier:atomic or tier:task) role:tool",
        "tier:task quota -flag:stub",
    ],
)
def test_that_the_row_matches(text: str) -> None:
    assert hits(text)


@pytest.mark.parametrize(
    "text",
    [
        "tier:atomic",
        "state:active,expired",
        "role:user",
        "flag:protected",
        "tool:Rea",
        "tool:*write*",
        "tokens>500",
        "tokens<500",
        "tokens=501",
        "tokens:501..",
        "turn:4..9",
        "id:16,18",
        "缓存",
        "额配",
        '"exceeded quota"',
        "--amend",
        "-tier:task",
        "not quota",
        "-(tier:task or role:user)",
        "tier:task role:user",
        "tier:task (role:user or flag:stub)",
        "http://example.org",
        "std::vector",
    ],
)
def test_that_the_row_does_not_match(text: str) -> None:
    assert not hits(text)


def test_that_a_row_without_a_score_matches_no_comparison_of_scores() -> None:
    row = replace(ROW, score=None)
    assert not hits("score<2", row)
    assert not hits("score:0..", row)
    assert hits("-score<2", row)


@pytest.mark.parametrize("text", ['"a \\"b\\""', '"\\\\"', '"C:\\new"'])
def test_that_quotes_and_backslashes_can_be_searched(text: str) -> None:
    assert hits(text, replace(ROW, body='a "b" \\ C:\\new'))


def test_that_the_text_is_fetched_only_when_nothing_cheaper_has_decided() -> None:
    class Unread(Row):
        def text(self) -> str:
            raise AssertionError("the text was fetched")

    assert not hits("quota tier:atomic", Unread())
    assert hits("quota or tier:task", Unread())
    assert not hits("-(quota or tier:task)", Unread())


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("tire:task", 0, "tier, state, role"),
        ("role:tool tire:task", 10, 'did you mean "tier"'),
        ("x=1", 0, "put it in quotes"),
        ("tier:taks", 5, 'did you mean "task"'),
        ("tier:task,taks", 10, "global, session, task, atomic"),
        ("state:gone", 6, "registered, active, standby, expired, archived"),
        ("role:robot", 5, "system, developer, user, assistant, tool"),
        ("flag:x", 5, "protected, pinned"),
        ("tier:", 5, "needs a value"),
        ("tier>task", 4, "colon"),
        ("tool:a,,b", 7, "before this comma"),
        ("tool:a,", 6, "after this comma"),
        ('tool:"a"b', 8, "comma is missing"),
        ('tool:""', 5, "empty"),
        ('tool:"a', 5, "not closed"),
        ("tokens>", 7, "needs a value"),
        ("tokens>many", 7, "no number"),
        ("tokens>1,2", 9, "one number"),
        ("turn:..", 5, "one side"),
        ("turn:20..10", 5, "10..20"),
        ("turn:1..x", 8, '"x" is no number'),
        ('a "b', 2, "not closed"),
        ("a “b", 2, "not closed"),
        ('a ""', 2, "empty text"),
        ("a or", 4, 'after "or"'),
        ("or a", 0, "at the beginning"),
        ("not", 3, 'after "not"'),
        ("a (b", 2, "not closed"),
        ("a b)", 3, "no opening one"),
        ("a ()", 3, "inside the parentheses"),
        ("(" * 60 + "a" + ")" * 60, 50, "nested"),
    ],
)
def test_that_an_error_names_the_place_and_the_remedy(text: str, position: int, words: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert caught.value.position == position
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")


NUMBERS = st.integers(0, 10**9).map(float) | st.floats(0, 1e9, allow_nan=False)
RANGES = st.tuples(NUMBERS, NUMBERS).map(lambda ends: (min(ends), max(ends)))
NUMBER_KEYS = st.sampled_from(["tokens", "score", "turn", "call", "id"])
TEXTS = st.text(min_size=1)


def choices(key: str) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(FILTER_KEYS[key].values), min_size=1, max_size=3).map(tuple)


LEAVES: st.SearchStrategy[Node] = st.one_of(
    st.sampled_from(["tier", "state", "role"]).flatmap(lambda key: st.builds(Choice, st.just(key), choices(key))),
    st.builds(Flagged, choices("flag")),
    st.builds(ToolNode, st.lists(TEXTS, min_size=1, max_size=3).map(tuple)),
    st.builds(RangeNode, NUMBER_KEYS, st.lists(RANGES, min_size=1, max_size=3).map(tuple)),
    st.builds(Compare, NUMBER_KEYS, st.sampled_from(["=", ">", ">=", "<", "<="]), NUMBERS),
    st.builds(Text, TEXTS.map(lambda text: text.lower().lower()).filter(lambda text: text == text.lower())),
)


def grown(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """Nodes as the parser leaves them: no double negation, nothing nested in its own kind."""
    several = st.lists(nodes, min_size=2, max_size=3)
    return st.one_of(
        nodes.map(lambda node: node if isinstance(node, Not) else Not(node)),
        several.filter(lambda parts: not any(isinstance(p, And) for p in parts)).map(lambda p: And(tuple(p))),
        several.filter(lambda parts: not any(isinstance(p, Or) for p in parts)).map(lambda p: Or(tuple(p))),
    )


@given(st.recursive(LEAVES, grown, max_leaves=12))
@example(RangeNode("turn", ((1e-05, 1e22),)))
@example(Compare("id", ">", 1e300))
@example(Text("-or not"))
@example(Text("\\"))
def test_that_parsing_inverts_writing(root: Node) -> None:
    assert parse_filter(str(Filter(root))) == Filter(root)


WORDS = [
    "tier:task",
    "flag:",
    "tokens>5",
    "or",
    "not",
    "and",
    "-",
    "(",
    ")",
    '"',
    "“",
    "\\",
    ",",
    "..",
    "a",
    "配额",
    " ",
]
NEAR_FILTERS = st.lists(st.sampled_from(WORDS)).map("".join) | st.lists(st.sampled_from(WORDS)).map(" ".join)


@given(st.text(st.characters()) | NEAR_FILTERS)
@example("- a")
@example("-")
@example("((((" * 500)
@example("not " * 5_000)
@example("-" * 5_000 + "a")
@example("tokens>" + "9" * 5_000)
@example("tokens>1e308k")
@example("tokens>٣")
def test_that_any_text_is_a_filter_or_a_filter_error_with_a_place_in_it(text: str) -> None:
    refusal: FilterError | None = None
    parsed: Filter | None = None
    try:
        parsed = parse_filter(text)
    except FilterError as error:
        refusal = error
    if parsed is not None:
        assert parse_filter(str(parsed)) == parsed
        parsed.matches(ROW)
    if refusal is not None:
        assert 0 <= refusal.position <= len(text)


def test_that_each_key_is_documented_with_an_example_that_parses() -> None:
    assert list(FILTER_KEYS) == [
        "tier",
        "state",
        "role",
        "flag",
        "tool",
        "tokens",
        "score",
        "turn",
        "call",
        "id",
    ]
    for name, key in FILTER_KEYS.items():
        assert key.name == name
        assert key.help.endswith(".")
        assert parse_filter(key.example).root is not None
        assert bool(key.values) == (key.kind is KeyKind.CHOICE)
        for value in key.values:
            assert parse_filter(f"{name}:{value}").root is not None
