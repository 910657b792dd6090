"""Tokens by tiktoken itself, with tables and patterns of its own: the program's counters are not asked."""

from __future__ import annotations

from functools import lru_cache

import tiktoken
import zstandard

from tests.acceptance.recount import ROOT, count

_CL100K = "|".join(
    [
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


@lru_cache(maxsize=1)
def _cl100k() -> tiktoken.Encoding:
    packed = (ROOT / "assets" / "cl100k_base.tokens.zst").read_bytes()
    tokens = zstandard.ZstdDecompressor().decompress(packed).split(b"\xff")
    ranks = {token or b"\xff": rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding("recount-cl100k", pat_str=_CL100K, mergeable_ranks=ranks, special_tokens={})


@lru_cache(maxsize=100_000)
def _older(text: str) -> int:
    sent = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return len(_cl100k().encode_ordinary(sent))


def tokens(text: str, table: str) -> int:
    """Tokens of a text under `o200k_base` or `cl100k_base`."""
    return count(text) if table == "o200k_base" else _older(text)
