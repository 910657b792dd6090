"""The two encodings, built from the token tables in `assets/` and their published patterns.

tiktoken's own constructors would fetch the tables from the network; nothing here ever does. The SHA-256 of
each unpacked table is the one tiktoken publishes, so a damaged asset cannot give wrong counts silently.
"""

from __future__ import annotations

import binascii
import hashlib
import lzma
from dataclasses import dataclass
from typing import Literal

import tiktoken

from ravenglass.errors import RavenglassError
from ravenglass.resources import asset

EncodingName = Literal["o200k_base", "cl100k_base"]


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an encoding is made of: digest of its table, size of the table, pattern that splits text."""

    sha256: str
    tokens: int
    pattern: str


ENCODINGS: dict[EncodingName, Recipe] = {
    "o200k_base": Recipe(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        tokens=199_998,
        pattern="|".join(
            [
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"\p{N}{1,3}",
                r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
                r"\s*[\r\n]+",
                r"\s+(?!\S)",
                r"\s+",
            ]
        ),
    ),
    "cl100k_base": Recipe(
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        tokens=100_256,
        pattern="|".join(
            [
                r"'(?i:[sdmt]|ll|ve|re)",
                r"[^\r\n\p{L}\p{N}]?+\p{L}++",
                r"\p{N}{1,3}+",
                r" ?[^\s\p{L}\p{N}]++[\r\n]*+",
                r"\s++$",
                r"\s*[\r\n]",
                r"\s+(?!\S)",
                r"\s",
            ]
        ),
    ),
}


def load(name: EncodingName) -> tiktoken.Encoding:
    """Build an encoding (a few tenths of a second). RavenglassError if its table is missing or damaged.

    Special tokens are left out: session text that looks like one is ordinary text to a count.
    """
    recipe = ENCODINGS[name]
    ranks = _ranks(_table(name, recipe))
    return tiktoken.Encoding(
        name, pat_str=recipe.pattern, mergeable_ranks=ranks, special_tokens={}, explicit_n_vocab=recipe.tokens
    )


def _table(name: EncodingName, recipe: Recipe) -> bytes:
    path = asset(f"{name}.tiktoken.xz")
    try:
        table = lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise RavenglassError(f"The token table {path} cannot be unpacked ({error}); nothing was counted.") from error
    found = hashlib.sha256(table).hexdigest()
    if found != recipe.sha256:
        raise RavenglassError(
            f"The token table {path} is not the published one (SHA-256 {found}, expected {recipe.sha256}); "
            "nothing was counted."
        )
    return table


def _ranks(table: bytes) -> dict[bytes, int]:
    """Parse the table: a base64 token and its decimal rank a line."""
    ranks: dict[bytes, int] = {}
    for line in table.splitlines():
        token, rank = line.split(b" ")
        ranks[binascii.a2b_base64(token)] = int(rank)
    return ranks
