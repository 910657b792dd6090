"""Counts tokens with an encoding of its own, built from the tables in `assets/` and the published pattern."""

from __future__ import annotations

import base64
import lzma
from functools import lru_cache
from pathlib import Path

import tiktoken

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
    table = lzma.decompress((ROOT / "assets" / "o200k_base.tiktoken.xz").read_bytes())
    pairs = (line.split() for line in table.splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in pairs}
    return tiktoken.Encoding("recount", pat_str=_O200K, mergeable_ranks=ranks, special_tokens={})


@lru_cache(maxsize=200_000)
def count(text: str) -> int:
    """Tokens of a text; lone surrogates count as the replacement character."""
    sent = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return len(_encoding().encode_ordinary(sent))
