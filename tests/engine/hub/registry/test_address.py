from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass.errors import AddressError
from ravenglass.hub.registry.address import (
    Address,
    DecisionAddress,
    FileAddress,
    MessageAddress,
    ToolAddress,
    format_address,
    parse_address,
)

NAMES = st.text(st.characters(), min_size=1)
"""Any Unicode, lone surrogates and control characters included."""
PATHS = NAMES | st.text("a/.@#% 设", min_size=1)
ADDRESSES = st.one_of(
    st.builds(FileAddress, NAMES, PATHS, symbol=st.none() | PATHS, version=st.none() | PATHS),
    st.builds(MessageAddress, NAMES, st.integers(0, 10**18 - 1)),
    st.builds(DecisionAddress, NAMES, NAMES, NAMES),
    st.builds(ToolAddress, NAMES, NAMES),
)


@pytest.mark.rule("4.18")
@given(ADDRESSES)
@example(FileAddress("p", "/"))
@example(FileAddress("p", "//"))
@example(FileAddress("p", "///"))
@example(FileAddress("p", "/tmp//x/"))
@example(FileAddress("p", "file/message/3", symbol="#@/%", version="@#/%41"))
@example(FileAddress("p", "\udc80\n"))
@example(FileAddress("a/file/b", "c"))
def test_that_parsing_inverts_formatting(address: Address) -> None:
    assert parse_address(format_address(address)) == address


@pytest.mark.rule("4.20")
@given(ADDRESSES)
def test_that_a_formatted_address_is_printable_ascii_without_spaces(address: Address) -> None:
    text = format_address(address)
    assert text.isascii()
    assert text.isprintable()
    assert " " not in text


WORDS = ["project", "session", "tool", "file", "message", "task", "decision", "output"]
PIECES = [*WORDS, "a", "%2F", "%", "%4", "@", "#", "", "12", "设"]
NEAR_ADDRESSES = st.lists(st.sampled_from(PIECES)).map(lambda pieces: "cxt://" + "/".join(pieces))


@pytest.mark.rule("4.18", "4.21")
@given(st.text() | NEAR_ADDRESSES)
def test_that_any_text_parses_to_a_stable_address_or_is_refused_with_a_place_in_it(text: str) -> None:
    refusal: AddressError | None = None
    address: Address | None = None
    try:
        address = parse_address(text)
    except AddressError as error:
        refusal = error
    if address is not None:
        assert parse_address(format_address(address)) == address
    if refusal is not None:
        assert 0 <= refusal.position <= len(text)
        assert str(refusal).endswith(".")


@pytest.mark.rule("4.17", "4.19", "4.20")
@pytest.mark.parametrize(
    ("address", "text"),
    [
        (FileAddress("acme", "src/auth.py"), "cxt://project/acme/file/src/auth.py"),
        (FileAddress("acme", "src/auth.py", symbol="login"), "cxt://project/acme/file/src/auth.py#login"),
        (
            FileAddress("acme", "src/auth.py", symbol="Auth.login", version="3f2a"),
            "cxt://project/acme/file/src/auth.py@3f2a#Auth.login",
        ),
        (FileAddress("acme", "/tmp/a b.txt"), "cxt://project/acme/file/%2Ftmp/a%20b.txt"),
        (FileAddress("acme", "文"), "cxt://project/acme/file/%E6%96%87"),
        (FileAddress("acme", "@scope/pkg"), "cxt://project/acme/file/%40scope/pkg"),
        (MessageAddress("cli:direct", 17), "cxt://session/cli:direct/message/17"),
        (DecisionAddress("s", "2", "d1"), "cxt://session/s/task/2/decision/d1"),
        (ToolAddress("Read", "toolu_01"), "cxt://tool/Read/toolu_01/output"),
    ],
)
def test_that_the_grammar_is_written_as_designed(address: Address, text: str) -> None:
    assert format_address(address) == text
    assert parse_address(text) == address


@pytest.mark.parametrize(
    ("lenient", "canonical"),
    [
        ("cxt://project/acme/file/文.py", "cxt://project/acme/file/%E6%96%87.py"),
        ("cxt://project/acme/file/a%2fb", "cxt://project/acme/file/a/b"),
        ("cxt://tool/%52ead/1/output", "cxt://tool/Read/1/output"),
    ],
)
def test_that_looser_spellings_are_understood_and_written_canonically(lenient: str, canonical: str) -> None:
    assert format_address(parse_address(lenient)) == canonical


@pytest.mark.rule("4.21")
@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("", 0, "starts with"),
        ("http://project/a/file/b", 0, "starts with"),
        ("cxt://", 6, "empty"),
        ("cxt://project//file/b", 14, "empty"),
        ("cxt://project/a/file/b/", 23, "empty"),
        ("cxt://project/a/file", 16, "shape"),
        ("cxt://repo/a/file/b", 6, '"repo"'),
        ("cxt://project/a/file/b@", 23, "version is empty"),
        ("cxt://project/a/file/b#", 23, "symbol is empty"),
        ("cxt://project/a/file/@v", 21, "file name"),
        ("cxt://project/a/file/x@y/b", 22, "'@'"),
        ("cxt://project/a/file/b@v@w", 24, "'@'"),
        ("cxt://project/a/file/b#s#t", 24, "'#'"),
        ("cxt://project/a/file/b%4", 22, "percent"),
        ("cxt://project/a/file/b%FF", 22, "UTF-8"),
        ("cxt://project/a b/file/c", 15, "' '"),
        ("cxt://session/s/message/x", 24, "message number"),
        ("cxt://session/s/message/01", 24, "leading zeros"),
        ("cxt://session/s/message/-1", 24, "message number"),
        ("cxt://session/s/message/1/2", 26, "shape"),
        ("cxt://tool/Read/1/input", 18, "shape"),
    ],
)
def test_that_a_refusal_names_the_place_and_the_reason(text: str, position: int, words: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert caught.value.position == position
    assert words in str(caught.value)
    assert position == 0 or str(caught.value).startswith(f"At character {position + 1} of the address: ")


def test_that_an_address_with_an_empty_part_cannot_be_made() -> None:
    with pytest.raises(AddressError, match="path"):
        FileAddress("p", "")
    with pytest.raises(AddressError, match="symbol"):
        FileAddress("p", "a", symbol="")
    with pytest.raises(AddressError, match="invocation"):
        ToolAddress("Read", "")
    with pytest.raises(AddressError, match="-1"):
        MessageAddress("s", -1)
