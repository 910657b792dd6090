"""The virtual archive of a replay: nothing is written, a reference resolves to the session's own records."""

from __future__ import annotations

import hashlib
import re
from datetime import UTC, datetime
from functools import cached_property

from ravenglass.curator.archive import RetrieveMode, message_number
from ravenglass.errors import ArchiveError
from ravenglass.hub.item import State
from ravenglass.replay.answers.manifest import squeeze
from ravenglass.replay.frame import ArchiveEntry, Retrieved
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs

_REF = re.compile(r"(?P<path>[^#]+)#(?P<first>[0-9]+)-(?P<last>[0-9]+)\Z")
_DIGITS = 18
_BETWEEN = "\n\n"
_CHARS_PER_TOKEN = 24
"""More characters than a token ever covers on average in a text: where the search for a fitting cut starts."""


class VirtualArchive:
    """Archivings of one run. References look like those of an archive on disk: `DATE/KEY_A_B.jsonl#A-B`."""

    def __init__(self, inputs: Inputs, log: ChangeLog) -> None:
        self._inputs = inputs
        self._log = log

    @cached_property
    def _entries(self) -> tuple[ArchiveEntry, ...]:
        return tuple(self._all())

    def ref(self, group: int) -> str:
        """The reference of a group."""
        messages = self._inputs.features.groups[group].messages
        ts = self._inputs.session.messages[messages[0]].ts
        day = datetime.fromtimestamp(ts, UTC).strftime("%Y-%m-%d") if ts is not None else "undated"
        key = re.sub(r"[^0-9A-Za-z._-]+", "_", self._inputs.session.id) or "session"
        return f"{day}/{key}_{messages[0]}_{messages[-1]}.jsonl#{messages[0]}-{messages[-1]}"

    def _all(self) -> list[ArchiveEntry]:
        entries: list[ArchiveEntry] = []
        for call, groups in self._log.archived.items():
            hand = self._log.by_hand.get(call, frozenset())
            for g, reason in groups.items():
                messages = self._inputs.features.groups[g].messages
                entries.append(
                    ArchiveEntry(
                        self.ref(g),
                        call,
                        messages,
                        sum(self._inputs.sizes.full[m] for m in messages),
                        reason,
                        "hand" if g in hand else "scheduler",
                        self._back_at(g, call),
                    )
                )
        return entries

    def _back_at(self, g: int, call: int) -> int | None:
        track = self._log.tracks[g]
        later = (c for c in track.calls if c > call and track.state_at(c) is not State.ARCHIVED)
        return next(later, None)

    def entries(self, call: int | None = None) -> tuple[ArchiveEntry, ...]:
        """All archivings up to a call, oldest first."""
        return tuple(e for e in self._entries if call is None or e.call <= call)

    def ref_of(self, group: int, call: int) -> str | None:
        """The reference of a group that is archived right after `call`."""
        return self.ref(group) if self._log.tracks[group].state_at(call) is State.ARCHIVED else None

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """What a reference holds. `max_tokens` None: the profile's cap; 0: no cap. Raises ArchiveError."""
        cap = self._inputs.profile.retrieve_tokens if max_tokens is None else max_tokens
        number = message_number(ref)
        return self._bring(ref, self._resolve(ref) if number is None else self._group(number), mode, cap)

    def _group(self, message: int) -> tuple[int, ...]:
        """The messages of the group that a message belongs to."""
        structure = self._inputs.session.structure
        if message >= len(structure.group_of):
            raise ArchiveError(f"there is no message #{message}; known ones are #0 to #{len(structure.group_of) - 1}")
        return self._inputs.features.groups[structure.group_of[message]].messages

    def _resolve(self, ref: str) -> tuple[int, ...]:
        """The messages that a reference names: those of its file from the first to the last of its fragment."""
        found = _REF.match(ref)
        if found is None:
            raise ArchiveError(f"{ref!r} is no archive reference; one looks like 2026-03-02/session_4_7.jsonl#4-7")
        messages = self._files.get(found["path"])
        if messages is None:
            raise ArchiveError(f"{ref!r} is not in the archive of this session; no file of it has that name")
        # Longer numbers name no message, and Python refuses to read the longest ones.
        first, last = (int(found[end][:_DIGITS]) for end in ("first", "last"))
        named = tuple(m for m in messages if first <= m <= last)
        if not named:
            raise ArchiveError(f"{ref!r}: the file holds messages {messages[0]} to {messages[-1]}, none of those named")
        return named

    @cached_property
    def _files(self) -> dict[str, tuple[int, ...]]:
        """Path -> messages, for every group: what is not archived yet has its reference all the same."""
        return {self.ref(g.index).partition("#")[0]: g.messages for g in self._inputs.features.groups}

    def _bring(self, ref: str, messages: tuple[int, ...], mode: RetrieveMode, cap: int) -> Retrieved:
        inputs = self._inputs
        text = ""
        raws: list[bytes] = []
        truncated = False
        for m in messages:
            body = self._body(m)
            if mode == "snippet":
                line, body = " ".join(body.split()), squeeze(body, inputs.profile.snippet_chars)
                truncated |= body != line
            before = f"{text}{_BETWEEN}" if text else ""
            whole = before + body
            fits = whole if not cap or self._count(whole) <= cap else self._cut(whole, len(before), cap)
            if fits != before:
                text = fits
                raws.append(inputs.session.raw(m))
            if fits != whole:
                truncated = True
                break
        digests = tuple(hashlib.sha256(raw).hexdigest() for raw in raws)
        return Retrieved(ref, text, tuple(raws), digests, self._count(text), truncated)

    def _body(self, m: int) -> str:
        message = self._inputs.session.messages[m]
        calls = "".join(f"\n{c.name} {c.arguments}" for c in message.tool_calls)
        return f"[#{m} {message.tool_name or message.role}]\n{message.text}{calls}"

    def _count(self, text: str) -> int:
        return self._inputs.sizes.tokenizer.count(text)

    def _cut(self, text: str, least: int, cap: int) -> str:
        """The longest head of the text that takes at most `cap` tokens, never below `least` characters."""
        low, high = least, min(len(text), least + cap * _CHARS_PER_TOKEN)
        while low < high:
            middle = (low + high + 1) // 2
            if self._count(text[:middle]) <= cap:
                low = middle
            else:
                high = middle - 1
        return text[:low]
