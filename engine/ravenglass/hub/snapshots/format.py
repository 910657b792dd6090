"""A snapshot as bytes: JSON in columns, compressed with zstd; the first of a task whole, later ones as differences.

A difference names what it refers to, lists the rows that came since, and for each column the rows that changed. Bytes
of the same snapshot are always the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

import zstandard

from ravenglass.errors import StoreError
from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.hub.snapshots.snapshot import Snapshot, Standpoint
from ravenglass.hub.summary import Summary

_FORMAT: Final = "ravenglass-snapshot"
VERSION: Final = 2
_MOST_BYTES = 1 << 30
_LEVEL = 9

Json = dict[str, Any]
Rows = Sequence[tuple[Any, ...]]

_ENTRY = (
    "context_id",
    "namespace",
    "scope",
    "source",
    "schema",
    "ttl",
    "priority",
    "fingerprint",
    "tier",
    "state",
    "tokens",
    "message",
    "group",
    "scheduled",
    "task",
    "result",
    "parameters",
)
_SINCE_2 = ("scheduled", "task", "result", "parameters")
"""Columns that the first version of the format has not."""  # fmt: skip
_NOW = 0
"""The snapshot's own step in the column `scheduled`: what stays in the window does not differ from call to call."""
_PLACE = ("state", "form", "cap", "out_since")


def encode(snapshot: Snapshot, base: Snapshot | None = None) -> bytes:
    """The snapshot whole, or as its difference from `base`, an earlier one of the same task."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(_text(snapshot, base))


def _text(snapshot: Snapshot, base: Snapshot | None) -> bytes:
    document: Json = {
        "format": _FORMAT, "version": VERSION, "name": snapshot.name, "kind": "difference" if base else "full",
        "base": base.name if base else None, "base_digest": _digest(base) if base else None,
        "step": snapshot.step, "task": snapshot.task,
        "working_state": snapshot.working_state, "latest": _ranges(snapshot.latest),
    }  # fmt: skip
    if base is None or (base.request, base.instruction) != (snapshot.request, snapshot.instruction):
        document["request"], document["instruction"] = snapshot.request, snapshot.instruction
    if snapshot.summary is not None:
        document["summary"] = asdict(snapshot.summary)
    messages, decisions = _split(snapshot)
    base_messages, base_decisions = _split(base) if base else ((), ())
    document["messages"] = _columns(_ENTRY, messages, base_messages)
    if base is None or decisions != base_decisions:
        document["decisions"] = _columns(_ENTRY, decisions, ())
    document["places"] = _columns(_PLACE, _place_rows(snapshot), _place_rows(base) if base else ())
    return json.dumps(document, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def _digest(base: Snapshot) -> str:
    return hashlib.sha256(_text(base, None)).hexdigest()


def decode(data: bytes, base: Snapshot | None = None) -> Snapshot:
    """The snapshot that `encode` was given. Raises StoreError where the bytes are none, or need another base."""
    document = _document(data)
    try:
        return _snapshot(document, base)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise StoreError(f"The snapshot {document.get('name')} is damaged ({error!r}); nothing was restored.") from None


def base_name(data: bytes) -> str | None:
    """The name of the snapshot that a difference refers to; None for a full one. Raises StoreError."""
    name = _document(data).get("base")
    return name if isinstance(name, str) else None


def _document(data: bytes) -> Json:
    try:
        document = json.loads(zstandard.ZstdDecompressor().decompress(data, max_output_size=_MOST_BYTES))
    except (zstandard.ZstdError, ValueError, RecursionError) as error:
        raise StoreError(f"These {len(data):,} bytes are no snapshot ({error}); nothing was restored.") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise StoreError(f"These {len(data):,} bytes are no snapshot; nothing was restored.")
    if document.get("version") not in (1, VERSION):
        raise StoreError(
            f"The snapshot {document.get('name')} has version {document.get('version')} of its format, this program"
            f" reads {VERSION}; nothing was restored."
        )
    return document


def _snapshot(document: Json, base: Snapshot | None) -> Snapshot:
    wanted = document["base"]
    if wanted is None:
        base = None
    elif base is None or base.name != wanted:
        given = base.name if base else "none"
        raise StoreError(
            f"The snapshot {document['name']} is a difference from {wanted}, not from {given}; nothing was restored."
        )
    elif document["base_digest"] != _digest(base):
        raise StoreError(
            f"The snapshot {document['name']} is a difference from another {wanted} than this; nothing was restored."
        )
    base_messages, base_decisions = _split(base) if base else ((), ())
    messages = _rows(_ENTRY, document["messages"], base_messages)
    decisions = _rows(_ENTRY, document["decisions"], ()) if "decisions" in document else base_decisions
    places = _rows(_PLACE, document["places"], _place_rows(base) if base else ())
    if base is not None and "request" not in document:
        request, instruction = base.request, base.instruction
    else:
        request, instruction = document["request"], document["instruction"]
    return Snapshot(
        step=document["step"], task=document["task"], request=request, instruction=instruction,
        entries=tuple(_entry(row, document["step"]) for row in (*messages, *decisions)),
        places=tuple(_place(row) for row in places),
        working_state=document["working_state"],
        latest=tuple(m for first, last in document["latest"] for m in range(first, last + 1)),
        summary=Summary(**document["summary"]) if "summary" in document else None,
    )  # fmt: skip


def _split(snapshot: Snapshot) -> tuple[Rows, Rows]:
    """Rows of messages, which only ever grow in number, and rows of decisions."""
    rows = [
        (
            e.context_id, e.namespace, e.scope, e.source, e.schema, e.ttl, e.priority, e.fingerprint, e.tier,
            e.state.label, e.tokens, e.message, e.group,
            _NOW if e.scheduled == snapshot.step else e.scheduled, e.task, e.result, e.parameters,
        )
        for e in snapshot.entries
    ]  # fmt: skip
    count = sum(e.group is not None for e in snapshot.entries)
    return rows[:count], rows[count:]


def _place_rows(snapshot: Snapshot) -> Rows:
    return [(p.state.label, p.form.label, p.cap, p.out_since) for p in snapshot.places]


_STATES = {state.label: state for state in State}
_FORMS = {form.label: form for form in Form}


def _entry(row: tuple[Any, ...], step: int) -> RegistryEntry:
    values = dict(zip(_ENTRY, row, strict=True))
    if values["scheduled"] == _NOW:
        values["scheduled"] = step
    values["state"] = _STATES[values["state"]]
    return RegistryEntry(**values)


def _place(row: tuple[Any, ...]) -> Standpoint:
    state, form, cap, out_since = row
    return Standpoint(_STATES[state], _FORMS[form], cap, out_since)


def _columns(names: tuple[str, ...], rows: Rows, base: Rows) -> Json:
    """The rows behind those of the base by column, and what changed in the base's: gaps between the rows that did,
    and their new values."""
    columns: Json = {"rows": len(rows)}
    for i, name in enumerate(names):
        values = [row[i] for row in rows]
        columns[name] = _packed(values[len(base) :])
        changed = [k for k in range(min(len(base), len(rows))) if base[k][i] != values[k]]
        if changed:
            gaps = [k - before for k, before in zip(changed, [0, *changed], strict=False)]
            columns[f"{name}~"] = [gaps, _packed([values[k] for k in changed])]
    return columns


def _rows(names: tuple[str, ...], columns: Json, base: Rows) -> Rows:
    made: list[list[Any]] = []
    for i, name in enumerate(names):
        if name in _SINCE_2 and name not in columns:
            columns[name] = [0 if name == "task" else None] * (columns["rows"] - len(base))
        values = [row[i] for row in base[: columns["rows"]]] + _unpacked(columns[name])
        if f"{name}~" in columns:
            gaps, changes = columns[f"{name}~"]
            at = 0
            for gap, value in zip(gaps, _unpacked(changes), strict=True):
                at += gap
                values[at] = value
        if len(values) != columns["rows"]:
            raise ValueError(f"{name} has {len(values)} of {columns['rows']} rows")
        made.append(values)
    return list(zip(*made, strict=True))


def _packed(values: list[Any]) -> list[Any] | Json:
    """A column with equal neighbours as runs where that is shorter."""
    runs: list[list[Any]] = []
    for value in values:
        if runs and runs[-1][0] == value and type(runs[-1][0]) is type(value):
            runs[-1][1] += 1
        else:
            runs.append([value, 1])
    return {"runs": runs} if len(runs) * 2 < len(values) else values


def _unpacked(column: list[Any] | Json) -> list[Any]:
    if isinstance(column, dict):
        return [value for value, count in column["runs"] for _ in range(count)]
    return list(column)


def _ranges(ids: Sequence[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for m in ids:
        if found and found[-1][1] == m - 1:
            found[-1][1] = m
        else:
            found.append([m, m])
    return found
