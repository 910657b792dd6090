"""Writes a small Claude Code session whose writer cleared a result and compacted its window, with reported usage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ravenglass.profile import Profile
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions import open_session
from tests.engine.sessions.conftest import assistant, encoded, result, say, use, user

CALLS = 24
CLEARED_AT, COMPACTED_AT = 9, 15
"""The first calls after the clearing and after the compaction."""
OVERHEADS, SCALE = (20_000, 21_000, 23_000), 1.2
"""Tokens that the record does not hold, by segment, and provider tokens for one of ours."""
OFF_CALL, OFF_BY = 20, 900
"""One call whose reported figure lies off the line."""
_WHEN = "2026-02-04T{:02d}:{:02d}:00.000Z"


def write_recording(path: Path, *, reported: bool = True, agent: bool = False, damage: bytes = b"") -> Path:
    """24 calls that each read a file. `damage` stands before the last line but one."""
    if not reported:
        path.write_bytes(b"\n".join(_lines({}, agent=agent, damage=damage)) + b"\n")
        return path
    path.write_bytes(b"\n".join(_lines(dict.fromkeys(range(1, CALLS + 1), 30_000), agent=agent, damage=b"")) + b"\n")
    fit = recorded_run(open_session(path), Profile()).fidelity
    assert fit is not None
    context = {made.call: round(OVERHEADS[made.segment] + SCALE * made.raw) for made in fit.calls}
    context[OFF_CALL] += OFF_BY
    path.write_bytes(b"\n".join(_lines(context, agent=agent, damage=damage)) + b"\n")
    return path


def _boundary(subtype: str, **more: object) -> dict[str, Any]:
    return {"type": "system", "subtype": subtype, "parentUuid": None, **more}


def _lines(context: dict[int, int], *, agent: bool, damage: bytes) -> list[bytes]:
    records: list[dict[str, Any]] = [user("Find out why the login test fails", uuid="u0", timestamp=_WHEN.format(1, 0))]
    for n in range(1, CALLS + 1):
        when = _WHEN.format(1, n)
        if n == CLEARED_AT:
            meta = {"preTokens": 900, "tokensSaved": 300, "compactedToolIds": ["t1"]}
            records.append(
                {"type": "system", "subtype": "microcompact_boundary", "uuid": "s1", "microcompactMetadata": meta}
            )
        if n == COMPACTED_AT:
            meta = {"trigger": "auto", "preTokens": 60_000}
            records.append(_boundary("compact_boundary", uuid="b1", timestamp=when, compactMetadata=meta))
            summary = user("The login test fails because of the redirect.", uuid="us", parentUuid="b1", timestamp=when)
            records.append({**summary, "isCompactSummary": True})
        usage = {"usage": {"input_tokens": context[n], "output_tokens": 9}} if n in context else {}
        name, arguments = ("Task", {"prompt": "look"}) if agent and n == 2 else ("Read", {"file_path": f"part_{n}.py"})
        records.append(assistant(use(f"t{n}", name, **arguments), uuid=f"a{n}", mid=f"m{n}", timestamp=when, **usage))
        text = "\n".join(f"def part_{n}_{line}(value): return value * {line}" for line in range(20 + 3 * n))
        records.append(user([result(f"t{n}", text)], uuid=f"u{n}", parentUuid=f"a{n}", timestamp=when))
    if agent:
        side = {"isSidechain": True, "agentId": "ag1"}
        records.append({**user("look", uuid="b0"), **side, "parentUuid": None})
        records.append({**assistant(say("I see"), uuid="c1", mid="mc"), **side, "parentUuid": "b0"})
    lines = [encoded(record) for record in records]
    return [*lines[:-1], damage, lines[-1]] if damage else lines
