from __future__ import annotations

import shlex

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass.hub.files.shell import UNKNOWN, Simple, simple_commands

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


def words(line: str) -> list[tuple[str, ...]]:
    return [command.words for command in simple_commands(line)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ls -l", [("ls", "-l")]),
        ("a && b || c; d & e", [("a",), ("b",), ("c",), ("d",), ("e",)]),
        ("a\nb", [("a",), ("b",)]),
        ("a \\\n b", [("a", "b")]),
        ("echo 'a b' \"c d\" e\\ f", [("echo", "a b", "c d", "e f")]),
        ("echo ''", [("echo", "")]),
        ("echo \"it's\" 'a\"b'", [("echo", "it's", 'a"b')]),
        ("echo a#b # comment && rm x", [("echo", "a#b")]),
        ("rm *.py a.py", [("rm", UNKNOWN, "a.py")]),
        ("rm $X ${Y:-a b} `date` $(echo $(date) ')') b", [("rm", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, "b")]),
        ('rm "$X/a.py" "b.py"', [("rm", UNKNOWN, "b.py")]),
        ("rm ~/x", [("rm", UNKNOWN)]),
        ("rm '$X'", [("rm", "$X")]),
        ("(cd a; b) && c", [("cd", "a"), ("b",), ("c",)]),
        ("", []),
        ("  # nothing", []),
        ("echo 'open", [("echo", "open")]),
        ("diff <(a b) c", [("diff", UNKNOWN, "c")]),
    ],
)
def test_that_a_line_falls_into_its_commands(line: str, expected: list[tuple[str, ...]]) -> None:
    assert words(line) == expected


@pytest.mark.parametrize(
    ("line", "redirects"),
    [
        ("a > b", ((">", "b"),)),
        ("a >>b 2>&1", ((">>", "b"), (">&", "1"))),
        ("a 2> err.txt < in", ((">", "err.txt"), ("<", "in"))),
        ("a &> all.txt", ((">", "all.txt"),)),
        ("a >| 'b c'", ((">|", "b c"),)),
        ("a > $OUT", ((">", UNKNOWN),)),
        ("a <<< word", (("<<<", "word"),)),
    ],
)
def test_that_redirections_are_no_words(line: str, redirects: tuple[tuple[str, str], ...]) -> None:
    assert simple_commands(line) == (Simple(("a",), redirects),)


def test_that_a_number_before_a_redirection_is_a_word_only_where_it_stands_apart() -> None:
    assert simple_commands("echo 2 > a") == (Simple(("echo", "2"), ((">", "a"),)),)
    assert simple_commands("echo '2'> a") == (Simple(("echo", "2"), ((">", "a"),)),)


def test_that_a_here_document_belongs_to_the_command_that_reads_it() -> None:
    found = simple_commands("cat > a <<'EOF' && echo done\nrm x > y\n$z\nEOF\nrm b")
    assert found == (Simple(("cat",), ((">", "a"),), "rm x > y\n$z\n"), Simple(("echo", "done")), Simple(("rm", "b")))


def test_that_a_here_document_may_be_indented_by_tabs() -> None:
    assert simple_commands("cat <<-END\n\tx\n\tEND\nls")[1] == Simple(("ls",))


def test_that_a_here_document_that_does_not_end_takes_the_rest() -> None:
    assert simple_commands("cat <<EOF\nrm a\n") == (Simple(("cat",), (), "rm a\n"),)


def test_that_both_ends_of_a_pipe_know_it() -> None:
    assert [c.piped for c in simple_commands("a | b && c")] == [True, True, False]
    assert [c.piped for c in simple_commands("a || b")] == [False, False]


def test_that_parentheses_are_counted() -> None:
    assert [c.depth for c in simple_commands("a; (b; (c)); d")] == [0, 1, 2, 0]
    assert [c.depth for c in simple_commands(") a; (b)")] == [0, 1]


@given(st.lists(WORDS, min_size=1, max_size=5))
@example(["a\nb", "'", '"'])
def test_that_quoted_words_read_back(given_words: list[str]) -> None:
    line = " ".join(f"'{word}'" if word[0] in "~#" else shlex.quote(word) for word in given_words if "'" not in word)
    expected = tuple(word for word in given_words if "'" not in word)
    assert words(line) == ([expected] if expected else [])


@given(st.text(max_size=60) | st.lists(st.sampled_from(tuple("ab '\"\\$`(){}<>|&;\n#*~-=")), max_size=30).map("".join))
def test_that_any_text_can_be_read(line: str) -> None:
    for command in simple_commands(line):
        assert command.words or command.redirects
