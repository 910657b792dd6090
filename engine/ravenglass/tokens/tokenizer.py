"""Counts the tokens of texts and remembers what it has counted.

Counts are remembered under a digest of the text, so the same result in a second session, or the same
session under another profile, costs a look-up. Long texts can be remembered between runs of the program.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from typing import Final

import tiktoken

from ravenglass.errors import RavenglassError
from ravenglass.tokens.amounts import CountStore, TokenCount
from ravenglass.tokens.encodings import ENCODINGS, EncodingName, load
from ravenglass.tokens.pieces import PIECE, pieces

PERSIST_FROM: Final = 2_000
"""Characters from which a text is worth a row in the store: counting 1,000 characters takes some 36
microseconds, a row read or written in bulk and its digest some 8."""

_REMEMBERED: Final = 500_000
"""Counts kept in memory before the older half is forgotten (some 60 MB)."""


class Tokenizer:
    """Counts texts with one encoding. Several threads may use it at once; get one from `tokenizer()`."""

    def __init__(self, name: EncodingName) -> None:
        if name not in ENCODINGS:
            raise RavenglassError(f"There is no encoding {name!r}; those at hand are {', '.join(ENCODINGS)}.")
        self.name: Final = name
        self._lock = threading.Lock()
        self._encoding: tiktoken.Encoding | None = None
        self._known: dict[bytes, TokenCount] = {}

    def count(self, text: str) -> int:
        """Tokens of `text`; `measure` says as well how the number was got."""
        return self.measure(text).value

    def measure(self, text: str) -> TokenCount:
        """Tokens of `text`: exact, unless it runs on for over 32,768 characters without a place to cut it."""
        return self.measure_many((text,))[0]

    def measure_many(self, texts: Iterable[str], store: CountStore | None = None) -> list[TokenCount]:
        """Counts in the order of `texts`. Long ones are looked up in `store` first and put there after.

        The interpreter is never held for more than a few milliseconds. A `store` belongs to the calling
        thread; the tokenizer does not keep it.
        """
        mended = [_mended(text) for text in texts]
        keys = [_key(text) for text in mended]
        if store is not None:
            self._recall(mended, keys, store)
        counts: list[TokenCount] = []
        fresh: dict[bytes, TokenCount] = {}
        for text, key in zip(mended, keys, strict=True):
            count = self._known.get(key)
            if count is None:
                count = self._counted(text)
                self._remember(key, count)
                if len(text) >= PERSIST_FROM:
                    fresh[key] = count
            counts.append(count)
        if store is not None and fresh:
            store.put_many(self.name, fresh)
        return counts

    @staticmethod
    def digest(text: str) -> bytes:
        """The key under which a text's count is remembered: 16 bytes of BLAKE2b over its UTF-8."""
        return _key(_mended(text))

    def _recall(self, texts: list[str], keys: list[bytes], store: CountStore) -> None:
        wanted = {
            key: None
            for text, key in zip(texts, keys, strict=True)
            if len(text) >= PERSIST_FROM and key not in self._known
        }
        for key, count in store.get_many(self.name, list(wanted)).items():
            self._remember(key, count)

    def _remember(self, key: bytes, count: TokenCount) -> None:
        with self._lock:
            if len(self._known) >= _REMEMBERED:
                self._known = dict(list(self._known.items())[_REMEMBERED // 2 :])
            self._known[key] = count

    def _counted(self, text: str) -> TokenCount:
        encoding = self._loaded()
        if len(text) <= PIECE:
            return TokenCount(len(encoding.encode_ordinary(text)))
        total = 0
        exact = True
        for piece, safe in pieces(text):
            total += len(encoding.encode_ordinary(piece))
            exact = exact and safe
        return TokenCount(total, "exact" if exact else "estimated")

    def _loaded(self) -> tiktoken.Encoding:
        with self._lock:
            if self._encoding is None:
                self._encoding = load(self.name)
            return self._encoding


def _mended(text: str) -> str:
    """`text` as it could be sent: surrogate pairs joined, lone surrogates replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _key(mended: str) -> bytes:
    return hashlib.blake2b(mended.encode(), digest_size=16).digest()


_tokenizers: dict[EncodingName, Tokenizer] = {}
_tokenizers_lock = threading.Lock()


def tokenizer(name: EncodingName = "o200k_base") -> Tokenizer:
    """The process's one tokenizer for an encoding. Its table is loaded when it first counts, not here."""
    with _tokenizers_lock:
        if name not in _tokenizers:
            _tokenizers[name] = Tokenizer(name)
        return _tokenizers[name]
