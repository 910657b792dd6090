"""The archive as a running engine has it: references of the archive on disk, contents of this session from memory."""

from __future__ import annotations

from ravenglass.curator.archive import RetrieveMode
from ravenglass.errors import ArchiveError
from ravenglass.hub.address import parse_address
from ravenglass.hub.item import Form
from ravenglass.replay.archived import VirtualArchive
from ravenglass.replay.facts import Facts
from ravenglass.replay.frame import Retrieved
from ravenglass.replay.log import Log
from ravenglass.store.archive import ArchiveRecord, ArchiveStore

_ADDRESS = "cxt://"


Written = dict[tuple[int, ...], str]
"""Messages of a group -> the reference of the archive on disk that holds them."""


def records_of(facts: Facts, group: int) -> list[ArchiveRecord]:
    """What is archived of a group: its messages with their verbatim records and what they cost."""
    messages = facts.features.groups[group].messages
    return [ArchiveRecord.of(facts.session, m, facts.sizes.full[m]) for m in messages]


class EngineArchive(VirtualArchive):
    """Without a store it is the virtual archive of a replay. `created` is the time that a group archived now gets."""

    def __init__(
        self, facts: Facts, log: Log, store: ArchiveStore | None, written: Written, created: float | None
    ) -> None:
        self._store = store
        self._written = written
        self._created = created
        self._refs: dict[int, str] = {}
        super().__init__(facts, log)

    def ref(self, group: int) -> str:
        """The reference of a group: where it is on disk, or would be."""
        known = self._written.get(self._facts.features.groups[group].messages)
        if known is not None:
            return known
        if group not in self._refs:
            self._refs[group] = self._named(group)
        return self._refs[group]

    def _named(self, group: int) -> str:
        if self._store is not None:
            try:
                return self._store.ref_of(self._facts.session.id, records_of(self._facts, group), self._created)
            except ArchiveError:
                pass  # the folder cannot be read: the reference still finds the messages in memory
        return super().ref(group)

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """What a reference holds, or the latest message that an address (`cxt://...`, as stubs name it) belongs to.

        Messages of this session come from memory, those of earlier ones in the workspace from its archive.
        """
        if ref.startswith(_ADDRESS):
            cap = self._facts.profile.retrieve_tokens if max_tokens is None else max_tokens
            return self._bring(ref, (self._at(ref),), mode, cap)
        if self._store is None or ref.partition("#")[0] in self._files:
            return super().retrieve(ref, mode, max_tokens)
        found = self._store.retrieve(ref, mode, max_tokens)
        return Retrieved(ref, found.text, found.raw, found.digests, found.tokens, found.truncated)

    def _at(self, address: str) -> int:
        """Addresses of files and of reused call ids stand for several messages: the latest that the window does not
        show whole is what a stub in it means."""
        wanted = str(parse_address(address))
        sizes, last = self._facts.sizes, self._log.calls
        found = [m for m in range(len(self._facts.session.messages)) if sizes.address(m) == wanted]
        if not found:
            raise ArchiveError(f"{address} is the address of no message of this session.")
        group_of = self._facts.session.structure.group_of
        hidden = [m for m in found if self._log.tracks[group_of[m]].at(last) >> 3 != Form.FULL]
        return (hidden or found)[-1]

    def body(self, message: int) -> str:
        """A message as a retrieval shows it."""
        return self._body(message)
