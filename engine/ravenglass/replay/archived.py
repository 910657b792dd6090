"""The virtual archive of a replay: nothing is written, a reference resolves to the session's own records."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from typing import Literal

from ravenglass.curator.archive import RetrieveMode
from ravenglass.errors import ArchiveError
from ravenglass.hub.item import State
from ravenglass.replay.facts import Facts
from ravenglass.replay.frame import ArchiveEntry, Retrieved
from ravenglass.replay.log import Log
from ravenglass.replay.manifest import squeeze

By = Literal["scheduler", "hand"]
_REF = re.compile(r"(?P<path>[^#]+)#(?P<first>\d+)-(?P<last>\d+)\Z")


class VirtualArchive:
    """Archivings of one run. References look like those of an archive on disk: `DATE/KEY_A_B.jsonl#A-B`."""

    def __init__(self, facts: Facts, log: Log) -> None:
        self._facts = facts
        self._log = log
        self._entries = tuple(self._all())

    def ref(self, group: int) -> str:
        """The reference of a group."""
        messages = self._facts.features.groups[group].messages
        ts = self._facts.session.messages[messages[0]].ts
        day = datetime.fromtimestamp(ts, UTC).strftime("%Y-%m-%d") if ts is not None else "undated"
        key = re.sub(r"[^0-9A-Za-z._-]+", "_", self._facts.session.id) or "session"
        return f"{day}/{key}_{messages[0]}_{messages[-1]}.jsonl#{messages[0]}-{messages[-1]}"

    def _all(self) -> list[ArchiveEntry]:
        entries: list[ArchiveEntry] = []
        for call, groups in self._log.archived.items():
            hand = self._log.by_hand.get(call, frozenset())
            for g, reason in groups.items():
                messages = self._facts.features.groups[g].messages
                entries.append(
                    ArchiveEntry(
                        self.ref(g),
                        call,
                        messages,
                        sum(self._facts.sizes.full[m] for m in messages),
                        reason,
                        "hand" if g in hand else "scheduler",
                        self._back_at(g, call),
                    )
                )
        return entries

    def _back_at(self, g: int, call: int) -> int | None:
        track = self._log.tracks[g]
        later = (c for c, code in zip(track.calls, track.codes, strict=True) if c > call and code & 7 != State.ARCHIVED)
        return next(later, None)

    def entries(self, call: int | None = None) -> tuple[ArchiveEntry, ...]:
        """All archivings up to a call, oldest first."""
        return tuple(e for e in self._entries if call is None or e.call <= call)

    def ref_of(self, group: int, call: int) -> str | None:
        """The reference of a group that is archived right after `call`."""
        return self.ref(group) if self._log.tracks[group].at(call) & 7 == State.ARCHIVED else None

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """What a reference holds. `max_tokens` None: the profile's cap; 0: no cap. Raises ArchiveError."""
        found = _REF.match(ref)
        if found is None:
            raise ArchiveError(f"{ref!r} is no archive reference; one looks like 2026-03-02/session_4_7.jsonl#4-7")
        first, last = int(found["first"]), int(found["last"])
        facts = self._facts
        if last >= len(facts.session.messages) or first > last:
            raise ArchiveError(
                f"{ref!r} names messages {first} to {last}; the session has {len(facts.session.messages):,}"
            )
        group_of = facts.session.structure.group_of
        messages = facts.features.groups[group_of[first]].messages
        if messages[-1] != last:
            messages = tuple(range(first, last + 1))
        cap = facts.profile.retrieve_tokens if max_tokens is None else max_tokens
        return self._bring(ref, messages, mode, cap)

    def _bring(self, ref: str, messages: tuple[int, ...], mode: RetrieveMode, cap: int) -> Retrieved:
        facts = self._facts
        count = facts.sizes.tokenizer.count
        texts: list[str] = []
        raws: list[bytes] = []
        used = 0
        truncated = False
        for m in messages:
            message = facts.session.messages[m]
            calls = "".join(f"\n{c.name} {c.arguments}" for c in message.tool_calls)
            body = f"[#{m} {message.tool_name or message.role}]\n{message.text}{calls}"
            if mode == "snippet":
                short = squeeze(body, facts.profile.snippet_chars)
                truncated |= short != body
                body = short
            tokens = count(body)
            if cap and used + tokens > cap:
                truncated = True
                body = self._cut(body, cap - used)
                if not body:
                    break
                tokens = count(body)
            texts.append(body)
            raws.append(facts.session.raw(m))
            used += tokens
            if cap and used >= cap:
                truncated |= m != messages[-1]
                break
        digests = tuple(hashlib.sha256(raw).hexdigest() for raw in raws)
        return Retrieved(ref, "\n\n".join(texts), tuple(raws), digests, used, truncated)

    def _cut(self, text: str, room: int) -> str:
        """The longest head of the text that takes at most `room` tokens."""
        count = self._facts.sizes.tokenizer.count
        low, high = 0, min(len(text), max(room, 0) * 24)
        while low < high:
            middle = (low + high + 1) // 2
            if count(text[:middle]) <= room:
                low = middle
            else:
                high = middle - 1
        return text[:low]
