"""Counts tokens with an encoding of its own, built from the tables in `assets/` and the published pattern."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import tiktoken
import zstandard

ROOT = Path(__file__).resolve().parents[2]
_O200K = "|".join(
    [
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
)


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    packed = (ROOT / "assets" / "o200k_base.tokens.zst").read_bytes()
    tokens = zstandard.ZstdDecompressor().decompress(packed).split(b"\xff")
    ranks = {token or b"\xff": rank for rank, token in enumerate(tokens)}
    return tiktoken.Encoding("recount", pat_str=_O200K, mergeable_ranks=ranks, special_tokens={})


@lru_cache(maxsize=200_000)
def count(text: str) -> int:
    """Tokens of a text; lone surrogates count as the replacement character."""
    sent = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return len(_encoding().encode_ordinary(sent))
