"""Writes a Claude Code transcript of any size whose records are as long as real ones.

Tool results have 435 characters at the median, 5,164 at the 90th and 33,129 at the 99th percentile; each stands a
second time in the record's `toolUseResult`, as the real writer has it.
"""

from __future__ import annotations

import itertools
import json
import random
from pathlib import Path
from typing import BinaryIO

_POOL = 4_000_000
_PERCENTILES = ((0.0, 20), (0.5, 435), (0.9, 5_164), (0.99, 33_129), (1.0, 480_413))
_ENVELOPE = {
    "cwd": "/home/dev/project",
    "gitBranch": "main",
    "version": "2.1.42",
    "isSidechain": False,
    "userType": "external",
}
_TURN = 40
"""Tool exchanges from one prompt to the next."""


def write_session(path: Path, size: int, seed: int = 0) -> int:
    """Write at least `size` bytes; returns the number of model calls."""
    rng = random.Random(seed)
    words = [f"{rng.choice('abcdefghkmnprstw')}{rng.randrange(10**6):x}" for _ in range(3_000)] + [
        "def",
        "return",
        "错误",
        "测试",
    ]
    pool = "\n".join(" ".join(rng.choices(words, k=12)) for _ in range(_POOL // 80))
    with path.open("wb") as file:
        return _write(file, size, rng, pool)


def _write(file: BinaryIO, size: int, rng: random.Random, pool: str) -> int:
    written, number, parent, context = 0, 0, None, 20_000
    while written < size:
        records: list[dict[str, object]] = []
        if number % _TURN == 0:
            records.append({"type": "user", "message": {"role": "user", "content": _text(rng, pool)[:2_000]}})
        records += _exchange(number, rng, pool, context)
        for record in records:
            uuid = f"{number:08x}-{len(records):04x}-4000-8000-{rng.getrandbits(48):012x}"
            stamp = f"2026-01-01T{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
            line = {"parentUuid": parent, "uuid": uuid, "sessionId": "big", "timestamp": stamp, **_ENVELOPE, **record}
            parent = uuid
            written += file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
        context = 20_000 if context > 150_000 else context + 1_500
        number += 1
    return number


def _exchange(number: int, rng: random.Random, pool: str, context: int) -> list[dict[str, object]]:
    call, result = f"toolu_{number:024d}", _text(rng, pool)
    usage = {
        "input_tokens": 4,
        "cache_read_input_tokens": context,
        "cache_creation_input_tokens": 900,
        "output_tokens": 200,
    }
    asked = {
        "type": "tool_use",
        "id": call,
        "name": "Bash",
        "input": {"command": f"cat file_{number % 700}.py", "description": "Show it"},
    }
    about = {"id": f"msg_{number:024d}", "role": "assistant", "model": "claude", "usage": usage}
    return [
        {"type": "assistant", "message": {**about, "content": [{"type": "text", "text": _text(rng, pool)[:600]}]}},
        {"type": "assistant", "message": {**about, "content": [asked]}},
        {
            "type": "user",
            "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": result}]},
            "toolUseResult": {"stdout": result, "stderr": "", "interrupted": False},
        },
    ]


def _text(rng: random.Random, pool: str) -> str:
    share = rng.random()
    for (low, short), (high, long) in itertools.pairwise(_PERCENTILES):
        if share <= high:
            length = short * (long / short) ** ((share - low) / (high - low))
            start = rng.randrange(len(pool))
            return (pool * (1 + int(length) // len(pool)))[start : start + int(length)] or "empty"
    return pool[:435]
