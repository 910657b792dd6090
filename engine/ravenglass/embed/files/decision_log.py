"""The decisions of a running engine as lines of a file, so that the session goes on where it ended, however it ended.

    {"type": "head", "version": 1, "profile": {...}, "system": S in tokens}
    {"type": "call", ...}      what a call decided (CallRecord); a later line of the same call takes its place
    {"type": "HandChange", ..} a change by hand: a pin, a note, a file that changed while the session was paused
    {"type": "file", ...}      the fingerprint that a file had on the disk when a call showed it

A file that is missing or damaged from some line on costs nothing but time: the calls are decided again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ravenglass.embed.decision_record import CallRecord
from ravenglass.profile import Profile
from ravenglass.replay.stepping.changes import Change, Compaction, FileChange, HandChange, StateEdit
from ravenglass.trace import Json

_VERSION = 1


@dataclass(frozen=True, slots=True)
class FileMark:
    """A file as it was on the disk when a call showed or changed it. `path` is the session's word for it."""

    path: str
    disk: str
    digest: str
    """SHA-256 of its bytes; empty: there was no such file."""


_CALL = TypeAdapter(CallRecord)
_MARK = TypeAdapter(FileMark)
_CHANGES: dict[str, TypeAdapter[Any]] = {
    kind.__name__: TypeAdapter(kind) for kind in (HandChange, StateEdit, FileChange, Compaction)
}


@dataclass
class Kept:
    """What a decision log holds. `problem`: a sentence on why it is not all that there was; empty where it is."""

    calls: list[CallRecord] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    files: dict[str, FileMark] = field(default_factory=dict)
    problem: str = ""

    def forget_calls(self, why: str) -> None:
        """Leave out what was decided; changes by hand and the state of files hold whatever was decided."""
        self.calls.clear()
        self.problem = why


def head_line(profile: Profile, system: int) -> bytes:
    """What the decisions behind this line were made under."""
    return _line("head", {"version": _VERSION, "profile": profile.model_dump(mode="json"), "system": system})


def call_line(record: CallRecord) -> bytes:
    """A decided call."""
    return _line("call", _CALL.dump_python(record, mode="json"))


def change_line(change: Change) -> bytes:
    """A change by hand."""
    kind = type(change).__name__
    return _line(kind, _CHANGES[kind].dump_python(change, mode="json"))


def mark_line(mark: FileMark) -> bytes:
    """The state of a file."""
    return _line("file", _MARK.dump_python(mark, mode="json"))


def _line(kind: str, value: Json) -> bytes:
    return json.dumps({"type": kind, **value}).encode() + b"\n"


def read_log(lines: Iterable[bytes], profile: Profile, system: int) -> Kept:
    """What the lines hold, for an engine under this profile and S. Calls that were decided under others are left out:
    they would not be what this engine says of them."""
    kept = Kept()
    same: bool | None = None
    for number, line in enumerate(lines, 1):
        try:
            value = json.loads(line)
            kind = value.pop("type")
            if kind == "head":
                same = _same(kept, value, profile, system)
            elif kind == "call":
                if same is None:
                    raise ValueError("nothing before it says under what profile it was decided")
                if same:
                    _take_call(kept, _CALL.validate_json(json.dumps(value)))
            elif kind == "file":
                mark = _MARK.validate_python(value)
                kept.files[mark.path] = mark
            else:
                _take_change(kept, _CHANGES[kind].validate_json(json.dumps(value)))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, ValidationError) as error:
            kept.problem = (
                f"Line {number:,} of the decision log cannot be read ({_short(error)}), so what was decided from there"
                " on is decided again, and pins and notes made there are gone."
            )
            break
    return kept


def _same(kept: Kept, head: Json, profile: Profile, system: int) -> bool:
    if head.get("version") != _VERSION:
        kept.forget_calls("The decision log is of another version of Ravenglass, so its calls are decided again.")
        return False
    if head.get("profile") != profile.model_dump(mode="json") or head.get("system") != system:
        kept.forget_calls(
            "The calls so far were decided under another profile or other tool definitions, so they are decided again"
            " under those of now."
        )
        return False
    kept.problem = ""
    return True


def _take_change(kept: Kept, change: Change) -> None:
    kept.changes.append(change)
    while isinstance(change, FileChange | Compaction) and kept.calls and kept.calls[-1].call >= change.call:
        kept.calls.pop()  # it was to be decided anew


def _take_call(kept: Kept, record: CallRecord) -> None:
    while kept.calls and kept.calls[-1].call >= record.call:
        kept.calls.pop()
    kept.calls.append(record)


def _short(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
