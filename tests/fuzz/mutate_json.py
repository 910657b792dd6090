"""Damage to decoded values: what another version of the writer, or another program, may put where something is read."""

from __future__ import annotations

import copy
import json
from random import Random
from typing import Any

_DEEP, _DIGITS = "@@deep@@", "@@digits@@"
_WRITTEN = {_DEEP: "[" * 300 + "]" * 300, _DIGITS: "9" * 500}
"""Values that are put in after encoding, because no encoder writes them."""
_ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**30,
    -(10**30),
    1e308,
    float("inf"),
    float("nan"),
    "",
    " ",
    "x",
    "\ud800",
    "\u2028",
    "\x00",
    "x\ud83d",
    "2026-13-45T99:99:99Z",
    "9" * 300,
    "data:image/png;base64,QUJD",
    "../../../etc/passwd",
    "a" * 5_000,
    [],
    {},
    [None],
    [[]],
    [{}],
    [[["a"]]],
    {"": ""},
    {"id": 1},
    {"type": 7},
    {"type": "text"},
    {"type": "text", "text": None},
    {"role": "assistant", "content": [None, 1]},
    _DEEP,
    _DIGITS,
)


def mistyped(value: Any, rng: Random) -> Any:
    """A copy of the value with one to three things inside changed; the value itself where it holds nothing."""
    made = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(made))
        if not places:
            return copy.deepcopy(rng.choice(_ODD))
        holder, key = rng.choice(places)
        _change(holder, key, places, rng)
    return made


def _change(holder: Any, key: Any, places: list[tuple[Any, Any]], rng: Random) -> None:
    how = rng.randrange(9)
    if how == 0:
        del holder[key]
    elif how == 1:
        holder[key] = [holder[key]]
    elif how == 2:
        holder[key] = json.dumps(holder[key])
    elif how == 3 and isinstance(holder, list):
        holder.insert(rng.randint(0, len(holder)), copy.deepcopy(holder[key]))
    elif how == 4:
        _same_as_elsewhere(holder, key, places, rng)
    elif how == 5 and isinstance(holder, dict):
        holder[rng.choice(("type", "role", "id", f"{key}s", ""))] = holder.pop(key)
    else:
        holder[key] = copy.deepcopy(rng.choice(_ODD))


def _same_as_elsewhere(holder: Any, key: Any, places: list[tuple[Any, Any]], rng: Random) -> None:
    """The value that stands under the same key in another place: ids that recur, types that do not fit."""
    others = [other[name] for other, name in places if name == key and other is not holder]
    if others:
        holder[key] = copy.deepcopy(rng.choice(others))


def _places(value: Any) -> Any:
    waiting = [value]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
        for key in keys:
            yield holder, key
            if isinstance(holder[key], (dict, list)):
                waiting.append(holder[key])


def written(value: Any, rng: Random, indent: int | None = None) -> bytes:
    """JSON text of a value; now and then with escapes instead of other characters."""
    text = json.dumps(value, indent=indent, ensure_ascii=_has_surrogates(value) or rng.random() < 0.5)
    for mark, meant in _WRITTEN.items():
        text = text.replace(f'"{mark}"', meant)
    return text.encode()


def _has_surrogates(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def mistyped_line(data: bytes, rng: Random) -> bytes:
    """A file of lines with one record changed."""
    rows = data.split(b"\n")
    place = rng.randrange(len(rows))
    try:
        value = json.loads(rows[place])
    except ValueError:
        return data
    rows[place] = written(mistyped(value, rng), rng)
    return b"\n".join(rows)


def mistyped_document(data: bytes, rng: Random) -> bytes:
    """A document with something in it changed."""
    try:
        value = json.loads(data)
    except ValueError:
        return data
    return written(mistyped(value, rng), rng, rng.choice((None, 1, 2)))
