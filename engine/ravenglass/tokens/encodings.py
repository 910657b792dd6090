"""The two encodings, built from the token tables in `assets/` and their published patterns.

tiktoken's own constructors would fetch the tables from the network; nothing here ever does. A table is kept in a form
that is split in one step, 40 times faster than base64 lines are: its tokens by rank, with the byte 0xFF between them,
which is in no token but the one that is this byte alone; that one is left empty. The SHA-256 of each unpacked table is
known, so a damaged asset cannot give wrong counts silently, and a test writes the published table out of it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import tiktoken
import zstandard

from ravenglass.errors import RavenglassError
from ravenglass.resources import asset

EncodingName = Literal["o200k_base", "cl100k_base"]

_BETWEEN = b"\xff"
_MOST = 16 << 20
"""Bytes of an unpacked table; one of these takes 1.6 MB."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What an encoding is made of: digests and size of its table, pattern that splits text."""

    sha256: str
    """Of the table as it is published: base64 and rank a line."""
    kept: str
    """SHA-256 of the table as it is kept here."""
    tokens: int
    pattern: str


ENCODINGS: dict[EncodingName, Recipe] = {
    "o200k_base": Recipe(
        sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
        kept="75a984bf59dfb77b03d00f651cb144e88345efa853f75797f4fdb2eb674a1c7e",
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
        kept="bd4318815e7f3812511bd1e8edbba1d503cfdd3d714e5f7cdc52496b1a166df3",
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
    """Build an encoding (a tenth of a second, of which tiktoken's own constructor takes two thirds).

    Raises RavenglassError if its table is missing or damaged. Special tokens are left out: session text that looks
    like one is ordinary text to a count.
    """
    recipe = ENCODINGS[name]
    tokens = table(name)
    return tiktoken.Encoding(
        name,
        pat_str=recipe.pattern,
        mergeable_ranks=dict(zip(tokens, range(len(tokens)), strict=True)),
        special_tokens={},
        explicit_n_vocab=recipe.tokens,
    )


def table(name: EncodingName) -> list[bytes]:
    """The tokens of an encoding; the place of each is its rank. Raises RavenglassError as `load` does."""
    recipe, path = ENCODINGS[name], asset(f"{name}.tokens.zst")
    try:
        kept = zstandard.ZstdDecompressor().decompress(path.read_bytes(), max_output_size=_MOST)
    except (OSError, zstandard.ZstdError) as error:
        raise RavenglassError(f"The token table {path} cannot be unpacked ({error}); nothing was counted.") from error
    found = hashlib.sha256(kept).hexdigest()
    if found != recipe.kept:
        raise RavenglassError(
            f"The token table {path} is not the published one (SHA-256 {found}, expected {recipe.kept}); "
            "nothing was counted."
        )
    return [token or _BETWEEN for token in kept.split(_BETWEEN)]
