"""The archive that `--save` wrote: every record equal to the bytes of the session file, proved by its own digests."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

from tests.acceptance.reference.facts import Facts
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.tally import Tally


def source(facts: Facts, path: Path) -> bytes | None:
    """The file's bytes, decompressed; None where the session is no single file."""
    if not path.is_file():
        return None
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return None if data[:16] == b"SQLite format 3\0" or data[:4] == b"\x28\xb5\x2f\xfd" else data


def raw(facts: Facts, data: bytes | None, message: int) -> bytes:
    """The bytes of a message's records."""
    spans = facts.messages[message].spans
    if data is None:
        return facts.session.raw(message)
    return b"\n".join(data[s.offset : s.offset + s.length] for s in spans)


def archive(facts: Facts, made: Observed, tally: Tally) -> None:
    """All events `archived`, what they name, and the messages that the run says are archived."""
    data = source(facts, made.path)
    named: set[int] = set()
    for number, events in enumerate(made.events, 1):
        for event in events:
            if event["event"] == "archived":
                named |= _entry(facts, made, data, event["payload"]["ref"], number, tally)
    last = len(made.windows)
    final = {m for m in range(facts.known(last)) if made.lives[m][last - 1][0] == "archived"}
    tally.holds("archive", final <= named, f"{sorted(final - named)[:5]} are archived, and no event says so")


def _entry(facts: Facts, made: Observed, data: bytes | None, ref: str, call: int, tally: Tally) -> set[int]:
    name, _, span = ref.partition("#")
    first, _, last = span.partition("-")
    path = made.folder / "archive" / name
    tally.holds("archive", path.is_file(), f"{ref} names no file")
    if not path.is_file():
        return set()
    lines = [line for line in path.read_bytes().split(b"\n") if line]
    header, records = json.loads(lines[0]), [json.loads(line) for line in lines[1:]]
    found = {r["id"] for r in records if int(first) <= r["id"] <= int(last)}
    group = facts.group_of[int(first)]
    whole = {m for m in group.messages if m < facts.known(call)}
    tally.same("archive", whole, found, f"messages behind {ref}")
    for record, digest in zip(records, header["sha256"], strict=True):
        expected = raw(facts, data, record["id"])
        kept = record["raw"].encode("utf-8", "surrogateescape") if "raw" in record else b""
        tally.same("archive", expected, kept, f"bytes of #{record['id']}")
        tally.same("archive", hashlib.sha256(expected).hexdigest(), digest, f"digest of #{record['id']}")
    return found
