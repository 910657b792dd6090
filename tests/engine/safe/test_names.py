"""Any text as a file name, no two the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.safe.names import file_name, key_name

NASTY = [
    "", ".", "..", "...", "/", "../../etc", "a/b", "a\\b", "C:\\x", "con", "CON.txt", "nul", "com1", "LPT9.a", "COM¹",
    "a\x00b", "a\nb", "\x1b[31m", "a\u202eb", "\udcff", "x" * 300, "数" * 200, ".hidden", "-rf", "~", "a ", "a.", " a",
    "a\u2025b", "．．／", "e\u0301", "a:b", "a*?", "a\u200bb",
]  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
@pytest.mark.parametrize("named", [file_name, key_name])
def test_that_a_name_stays_in_its_folder(tmp_path: Path, text: str, named: type) -> None:
    name = named(text)
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / f"{name}.jsonl").write_text("x")
    assert [path.name for path in folder.iterdir()] == [f"{name}.jsonl"]
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]
    assert name.isprintable()
    assert name[0] not in ".-~ "
    assert name[-1] not in ". "
    assert len(name.encode()) <= 125


@pytest.mark.parametrize("text", ["3f2a-00", "ses_4Fq2", "rollout-2026-01-01", "数据库", "My session"])
def test_that_a_good_name_stays(text: str) -> None:
    assert file_name(text) == text


@pytest.mark.parametrize("text", ["_readme-0123456789", "session-e3b0c44298"])
def test_that_a_text_that_looks_like_a_changed_name_is_changed(text: str) -> None:
    assert file_name(text) != text


def test_that_a_device_is_no_name() -> None:
    assert file_name("CON").startswith("_CON-")
    assert file_name("nul.txt").startswith("_nul.txt-")


def test_that_a_key_is_named_as_the_reference_implementation_names_it() -> None:
    assert key_name("cli:demo") == "cli_demo"
    assert key_name("cli_demo") != "cli_demo"
    assert key_name("plain") == "plain"


@given(st.text(alphabet="ab_:/.-\u202e", max_size=5), st.text(alphabet="ab_:/.-\u202e", max_size=5))
def test_that_two_texts_have_two_names(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)
    assert (key_name(one) == key_name(other)) == (one == other)


@given(st.text())
def test_that_a_name_is_its_own_name_or_a_changed_one(text: str) -> None:
    name = file_name(text)
    assert file_name(text) == name
    assert "/" not in name
    assert name not in ("", ".", "..")
    assert all(char.isprintable() for char in name)
