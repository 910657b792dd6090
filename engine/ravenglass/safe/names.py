"""Any text as the name of a file or folder: a session's id may hold separators, be `..` or a device of Windows.

A text that is a good name already stays as it is. Of any other a part that can be read stays, and a short hash of the
whole follows, so that no two texts have the same name.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from typing import Final

MOST_BYTES: Final = 110
"""Of a name without its suffix: names may have 255, and temporary ones are longer."""
_HASH_CHARS: Final = 10
_HASHED = re.compile(rf"-[0-9a-f]{{{_HASH_CHARS}}}\Z")
_FORBIDDEN: Final = frozenset('<>:"/\\|?*')
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9\u00b9\u00b2\u00b3])(\.|\Z)", re.IGNORECASE)
_EDGES: Final = " .-~"
"""A name neither begins nor ends with them: hidden, an option, a home folder; Windows drops some at the end."""


def file_name(text: str) -> str:
    """A name without suffix for `text`, at most 121 bytes, the same on every system; other texts have others."""
    name = _readable(text)
    return name if name and name == text and not _HASHED.search(name) else _hashed(name, text)


def key_name(key: str) -> str:
    """The name of a session key as the reference implementation forms it: `channel:chat` is `channel_chat`.

    Where that could be the name of another key too, or is no good name, it is `file_name`'s.
    """
    channel, colon, chat = key.partition(":")
    joined = f"{channel}_{chat}"
    if colon and channel and chat and "_" not in channel and file_name(joined) == joined:
        return joined
    name = file_name(key)
    # `a_b` would be the name of `a:b` as well.
    return _hashed(name, key) if name == key and 0 < key.find("_") < len(key) - 1 else name


def _hashed(name: str, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARS]
    return f"{name or 'session'}-{digest}"


def _readable(text: str) -> str:
    """What of a text can stand in a name."""
    composed = unicodedata.normalize("NFC", text)
    name = "".join(char if _fits(char) else "_" for char in composed).strip(_EDGES)
    name = name.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore").rstrip(_EDGES)
    return f"_{name}" if _DEVICE.match(name) else name


def _fits(char: str) -> bool:
    if char in _FORBIDDEN or unicodedata.category(char)[0] in "CZ":
        return char == " "
    # What looks like a separator or a dot may be taken for one by a file system that simplifies names.
    simple = unicodedata.normalize("NFKC", char)
    return simple == char or not (_FORBIDDEN & set(simple) or "." in simple)
