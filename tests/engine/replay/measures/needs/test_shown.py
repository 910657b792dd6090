"""What a result showed, and what a harness says of files beside it."""

from __future__ import annotations

import pytest

from ravenglass.replay.measures.needs.shown import changed_by_others, shown
from tests.engine.builders import result


@pytest.mark.parametrize("before", ["", "→ line\n", "1\tx = 1\n"])
@pytest.mark.parametrize(
    "said", ["was modified by", "has been modified since", "WAS MODIFIED, either by", "was modıfied on disk"]
)
def test_that_a_note_names_the_file_that_others_changed(before: str, said: str) -> None:
    assert changed_by_others(f"{before}Note: src/ledger.py {said} the user") == ["src/ledger.py"]


@pytest.mark.parametrize("text", ["the file ledger.py was moved", "modified: ledger.py", ""])
def test_that_other_words_are_no_such_note(text: str) -> None:
    assert changed_by_others(text) == []


@pytest.mark.parametrize("mark", ["→", "\t", ": ", "|", "- "])
def test_that_every_kind_of_line_number_is_known(mark: str) -> None:
    found = shown(result(f"  7{mark}return the ledger"))
    assert found is not None
    assert found.lines == ((7, "return the ledger"),)
