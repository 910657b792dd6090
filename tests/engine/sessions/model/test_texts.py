"""Long texts of large files are kept outside memory and read back as they were."""

from __future__ import annotations

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.sessions import open_session
from ravenglass.sessions.model import texts
from ravenglass.sessions.model.session import Part, ToolCall
from ravenglass.sessions.model.texts import Spool, SpooledText, held, keeping
from ravenglass.sessions.records import source


@given(st.lists(st.text(max_size=40).map(lambda text: text * 40), max_size=30), st.randoms())
def test_that_every_text_comes_back_as_it_was_in_any_order(stored: list[str], random: object) -> None:
    spool = Spool()
    kept = [spool.keep(text) for text in stored]
    order = list(range(len(stored)))
    random.shuffle(order)  # type: ignore[attr-defined]
    assert [kept[i].read() for i in order] == [stored[i] for i in order]


def test_that_texts_of_many_blocks_come_back_from_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_BLOCK", 10_000)
    spool = Spool()
    stored = [f"{number} 文本 \U0001f426 \udc80" * 300 for number in range(200)]
    kept = [spool.keep(text) for text in stored]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(SpooledText.read, kept)) == stored


def test_that_only_long_texts_are_kept_and_only_while_asked_for() -> None:
    spool = Spool()
    with keeping(spool):
        assert isinstance(held("x" * 1_000), SpooledText)
        assert held("short") == "short"
        part, call = Part("text", "y" * 1_000), ToolCall("a", "Write", "z" * 1_000)
    assert held("x" * 1_000) == "x" * 1_000
    assert part == Part("text", "y" * 1_000)
    assert hash(part) == hash(Part("text", "y" * 1_000))
    assert call == ToolCall("a", "Write", "z" * 1_000)
    assert call.arguments == "z" * 1_000


@pytest.mark.parametrize("packed", [False, True])
def test_that_a_session_larger_than_memory_allows_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    lines = [json.dumps({"role": role, "content": f"{n} " * 900}) for n in range(20) for role in ("user", "assistant")]
    data = "\n".join(lines).encode()
    path = tmp_path / ("session.jsonl.gz" if packed else "session.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)
    small = open_session(path)
    monkeypatch.setattr(source, "_IN_MEMORY", 1_000)
    large = open_session(path)
    assert isinstance(small.source, source.MemorySource)
    assert isinstance(large.source, source.FileSource)
    assert large.messages == small.messages
    assert isinstance(large.messages[0].parts[0]._text, SpooledText)
    assert [large.raw(m) for m in range(40)] == [small.raw(m) for m in range(40)]
