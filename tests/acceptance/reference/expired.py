"""What must expire: a file's content that a later call wrote or edited (engine.md, section 4, fingerprints).

Only the plainest case is asked for, so that it needs nothing of the engine's knowledge of tools: a call that reads a
file, and a later one that writes or edits what stands under the same name; each alone in its group, both answered.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.acceptance.reference.edits import Edits
from tests.acceptance.reference.facts import Facts, Group
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.tally import Tally

READS, WRITES = ("Read", "read_file"), ("Write", "write_file")
EDIT = {"old_string", "new_string"}
GONE = ("expired", "archived")


def expired(facts: Facts, made: Observed, tally: Tally) -> None:
    """At the first call that sees a file changed, nothing alive shows what it held before."""
    calls = len(facts.calls)
    edits = Edits(facts) if made.profile.edited_files else None
    for read, write in overwritten(facts):
        seen = next((n for n in range(1, calls + 1) if facts.known(n) > max(write.messages)), None)
        if seen is None or (edits and edits.shown(read.messages[-1], facts.known(seen))):
            continue
        state = made.lives[read.messages[0]][seen - 1][0]
        tally.holds(
            "expired", state in GONE, f"call {seen}: #{read.messages[0]} is {state}, #{write.messages[0]} changed it"
        )


def overwritten(facts: Facts) -> Iterator[tuple[Group, Group]]:
    """Pairs: a group that read a file, the first later one that changed it."""
    reading: dict[str, list[Group]] = {}
    for group in facts.groups:
        tool, path, others = _names(facts, group)
        if tool in READS and not others:
            reading.setdefault(path, []).append(group)
        if (tool in WRITES and others == {"content"}) or (tool == "Edit" and others >= EDIT):
            yield from ((read, group) for read in reading.pop(path, ()))


def _names(facts: Facts, group: Group) -> tuple[str, str, set[str]]:
    """Tool, file and other arguments of a group with one call and one good result; else nothing."""
    first, *results = (facts.messages[m] for m in group.messages)
    good = len(results) == 1 and not results[0].is_error
    if len(first.tool_calls) != 1 or not good or first.id in facts.never:
        return "", "", set()
    call = first.tool_calls[0]
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return "", "", set()
    if not isinstance(given, dict):
        return "", "", set()
    key = next((key for key in ("file_path", "path") if isinstance(given.get(key), str)), "")
    return (call.name, given[key], set(given) - {key}) if key else ("", "", set())
