"""Counts are exact, the same however a text is cut, and remembered."""

from __future__ import annotations

import base64
import hashlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
import tiktoken
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from ravenglass import resources
from ravenglass.errors import RavenglassError
from ravenglass.tokens import ENCODINGS, EncodingName, TokenCount, Tokenizer, encodings, tokenizer
from ravenglass.tokens.pieces import PIECE, pieces
from ravenglass.tokens.tokenizer import PERSIST_FROM

BOTH: tuple[EncodingName, ...] = ("o200k_base", "cl100k_base")
LOADED = {name: encodings.load(name) for name in BOTH}

# Characters that the patterns treat differently, so that short texts meet every rule and its neighbours.
AWKWARD = st.sampled_from(list("aBz'sLl019 \t\n\r/!.,-_中字かカ한é\u0301٣²ǅʰ。，\u00a0\u2028\u3000\x1c\x85\ufeff😀"))
TEXTS = st.one_of(st.text(AWKWARD, max_size=60), st.text(max_size=60))


class MemoryStore:
    """A store that shows what was asked of it."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, bytes], TokenCount] = {}
        self.asked: list[bytes] = []

    def get_many(self, encoding: str, digests: Sequence[bytes]) -> Mapping[bytes, TokenCount]:
        self.asked.extend(digests)
        return {key: self.kept[encoding, key] for key in digests if (encoding, key) in self.kept}

    def put_many(self, encoding: str, counts: Mapping[bytes, TokenCount]) -> None:
        self.kept.update({(encoding, key): count for key, count in counts.items()})


RUNS = (" ", "\n", "=", "\t ", "e\u0301", "\u00a0")


def unsplit(encoding: tiktoken.Encoding, text: str) -> list[int]:
    return encoding.encode_ordinary(text)


@pytest.mark.parametrize(
    ("name", "text", "tokens"),
    [
        ("o200k_base", "", 0),
        ("o200k_base", "hello world", 2),
        ("o200k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "hello world", 2),
        ("cl100k_base", "antidisestablishmentarianism", 6),
        ("cl100k_base", "tiktoken is great!", 6),
        ("cl100k_base", "2 + 2 = 4", 7),
        ("cl100k_base", "お誕生日おめでとう", 9),
        ("o200k_base", "お誕生日おめでとう", 8),
    ],
)
def test_that_published_counts_come_out(name: EncodingName, text: str, tokens: int) -> None:
    assert tokenizer(name).measure(text) == TokenCount(tokens, "exact")


@pytest.mark.parametrize("name", BOTH)
def test_that_patterns_are_those_that_tiktoken_publishes(name: EncodingName, monkeypatch: pytest.MonkeyPatch) -> None:
    public = pytest.importorskip("tiktoken_ext.openai_public")
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_args, **_kwargs: {})
    assert getattr(public, name)()["pat_str"] == ENCODINGS[name].pattern


@pytest.mark.rule("R10")
@pytest.mark.parametrize("name", BOTH)
def test_that_text_like_a_special_token_is_ordinary_text(name: EncodingName) -> None:
    assert tokenizer(name).count("<|endoftext|>") > 1


@pytest.mark.parametrize("name", BOTH)
@given(text=TEXTS, size=st.integers(1, 12))
@example(text="!\n/a", size=2)
@example(text="a  \n  b", size=4)
@example(text="a it's", size=4)
@example(text=" \n\n x", size=2)
def test_that_no_safe_cut_changes_the_tokens(name: EncodingName, text: str, size: int) -> None:
    encoding = LOADED[name]
    whole = unsplit(encoding, text)
    cut = 0
    for piece, safe in pieces(text, size):
        cut += len(piece)
        if safe:
            assert unsplit(encoding, text[:cut]) + unsplit(encoding, text[cut:]) == whole


@given(text=TEXTS, size=st.integers(1, 12))
def test_that_pieces_joined_are_the_text_and_none_is_too_long(text: str, size: int) -> None:
    cut = [piece for piece, _ in pieces(text, size)]
    assert "".join(cut) == text
    assert all(len(piece) <= size for piece in cut)
    assert all(cut) or not text


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    "unit",
    ["def f(x):\n    return x + 1\n\n", "一个字，两个字。", "SGVsbG8gd29ybGQ5", '{"a":1,"b":[2,3]}', "word "],
    ids=["code", "chinese", "base64", "json", "words"],
)
def test_that_long_texts_of_every_kind_are_counted_exactly(name: EncodingName, unit: str) -> None:
    text = unit * (3 * PIECE // len(unit))
    assert Tokenizer(name).measure(text) == TokenCount(len(unsplit(LOADED[name], text)), "exact")


@pytest.mark.rule("R10")
@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize(
    "unit", ["a", "中", *(pytest.param(unit, marks=pytest.mark.proof) for unit in RUNS)], ids=ascii
)
def test_that_a_long_run_without_a_place_to_cut_is_estimated_closely(name: EncodingName, unit: str) -> None:
    run = Tokenizer(name).measure(unit * (PIECE * 3 // len(unit)))
    third = len(unsplit(LOADED[name], unit * (PIECE // len(unit))))
    assert run.how == "estimated"
    assert abs(run.value - 3 * third) <= 3


@pytest.mark.parametrize("name", BOTH)
def test_that_a_run_of_spaces_that_overflows_the_pattern_engine_is_counted(name: EncodingName) -> None:
    assert Tokenizer(name).measure(" " * 1_000_000 + "x").value > 1_000


def test_that_lone_surrogates_count_as_replacement_characters_and_pairs_as_one_character() -> None:
    counter = tokenizer()
    assert counter.count("a\ud800b") == counter.count("a\ufffdb")
    assert counter.count("\ud83d\ude00") == counter.count("😀")


@given(text=st.text(st.characters(codec=None), max_size=40))
def test_that_any_python_string_has_a_count_and_a_digest(text: str) -> None:
    counter = tokenizer()
    assert (counter.count(text) == 0) == (text == "")
    assert len(counter.digest(text)) == 16


def test_that_long_texts_are_kept_in_the_store_and_short_ones_are_not() -> None:
    store = MemoryStore()
    long, short = "long text " * PERSIST_FROM, "short text"
    counts = Tokenizer("o200k_base").measure_many([long, short, long], store)
    assert store.kept == {("o200k_base", Tokenizer.digest(long)): counts[0]}
    assert counts[0] == counts[2]


def test_that_a_stored_count_is_taken_instead_of_counting_again() -> None:
    store = MemoryStore()
    text = "stored " * PERSIST_FROM
    store.kept["o200k_base", Tokenizer.digest(text)] = TokenCount(7, "exact")
    counter = Tokenizer("o200k_base")
    assert counter.measure_many([text], store) == [TokenCount(7, "exact")]
    counter.measure_many([text], store)
    assert len(store.asked) == 1


def test_that_threads_share_one_tokenizer_and_get_equal_counts() -> None:
    found: list[tuple[Tokenizer, int]] = []

    def work() -> None:
        shared = tokenizer("cl100k_base")
        found.append((shared, shared.count("the same text in every thread")))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_that_a_sum_is_as_certain_as_its_least_certain_term() -> None:
    assert TokenCount(2, "exact") + TokenCount(3, "reported") == TokenCount(5, "reported")
    assert TokenCount(2, "estimated") + TokenCount(3, "exact") == TokenCount(5, "estimated")
    assert (TokenCount(2, "reported") + TokenCount(0, "unknown")).how == "unknown"


def test_that_an_unknown_encoding_is_refused_with_those_at_hand() -> None:
    with pytest.raises(RavenglassError, match="no encoding 'gpt2'; those at hand are o200k_base"):
        Tokenizer("gpt2")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", BOTH)
def test_that_a_table_is_the_published_one_to_the_byte(name: EncodingName) -> None:
    lines = (b"%s %d\n" % (base64.b64encode(token), rank) for rank, token in enumerate(encodings.table(name)))
    assert hashlib.sha256(b"".join(lines)).hexdigest() == ENCODINGS[name].sha256


def test_that_a_damaged_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "assets" / "o200k_base.tokens.zst"
    damaged.parent.mkdir()
    monkeypatch.setattr(resources, "_INSTALLED", tmp_path)
    damaged.write_bytes(zstandard.compress(b"!"))
    with pytest.raises(RavenglassError, match="is not the published one"):
        Tokenizer("o200k_base").count("text")
    damaged.write_bytes(b"cut")
    with pytest.raises(RavenglassError, match="cannot be unpacked"):
        Tokenizer("o200k_base").count("text")
