"""The archive as a running engine has it: references of the archive on disk, contents of this session from memory."""

from __future__ import annotations

from functools import cached_property

from ravenglass.curator.archive import RetrieveMode, message_number
from ravenglass.errors import ArchiveError
from ravenglass.hub.item import Form
from ravenglass.hub.registry.address import SCHEME, parse_address
from ravenglass.replay.answers.archived import VirtualArchive
from ravenglass.replay.answers.resolving import Resolver
from ravenglass.replay.frame import Retrieved
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.store.archive.store import ArchiveRecord, ArchiveStore

Written = dict[tuple[int, ...], str]
"""Messages of a group -> the reference of the archive on disk that holds them."""


def records_of(inputs: Inputs, group: int) -> list[ArchiveRecord]:
    """What is archived of a group: its messages with their verbatim records and what they cost."""
    messages = inputs.features.groups[group].messages
    return [ArchiveRecord.of(inputs.session, m, inputs.sizes.full[m]) for m in messages]


class EngineArchive(VirtualArchive):
    """Without a store it is the virtual archive of a replay. `created` is the time that a group archived now gets."""

    def __init__(
        self, inputs: Inputs, log: ChangeLog, store: ArchiveStore | None, written: Written, created: float | None
    ) -> None:
        self._store = store
        self._written = written
        self._created = created
        self._refs: dict[int, str] = {}
        super().__init__(inputs, log)

    def ref(self, group: int) -> str:
        """The reference of a group: where it is on disk, or would be."""
        known = self._written.get(self._inputs.features.groups[group].messages)
        if known is not None:
            return known
        if group not in self._refs:
            self._refs[group] = self._named(group)
        return self._refs[group]

    def _named(self, group: int) -> str:
        if self._store is not None:
            try:
                return self._store.ref_of(self._inputs.session.id, records_of(self._inputs, group), self._created)
            except ArchiveError:
                pass  # the folder cannot be read: the reference still finds the messages in memory
        return super().ref(group)

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """What a reference, a message's number (`#12`) or an address (`cxt://...`) holds. Raises ArchiveError,
        AddressError.

        Messages of this session come from memory, those of earlier ones in the workspace from its archive.
        """
        if ref.startswith(SCHEME):
            return self._addressed(
                ref, mode, self._inputs.profile.retrieve_tokens if max_tokens is None else max_tokens
            )
        if message_number(ref) is not None:
            return super().retrieve(ref, mode, max_tokens)
        path, _, ids = ref.partition("#")
        own = self._names.get(path.rpartition("/")[2])
        if self._store is None or own is not None:
            return super().retrieve(f"{own or path}#{ids}", mode, max_tokens)
        found = self._store.retrieve(ref, mode, max_tokens)
        return Retrieved(ref, found.text, found.raw, found.digests, found.tokens, found.truncated)

    @cached_property
    def _names(self) -> dict[str, str]:
        """File name -> path, for every group of this session. The day of what is not archived yet is still open."""
        return {path.rpartition("/")[2]: path for path in self._files}

    def _addressed(self, address: str, mode: RetrieveMode, cap: int) -> Retrieved:
        """The message that a stub with this address stands for; else what the address says: a version, a symbol."""
        behind = self._behind_stub(str(parse_address(address)))
        if behind is not None:
            return self._bring(address, (behind,), mode, cap)
        found = Resolver(self._inputs, self._log).resolve(address, len(self._inputs.features.calls))
        text = found.text if not cap or self._count(found.text) <= cap else self._cut(found.text, 0, cap)
        session, message = self._inputs.session, found.message
        return Retrieved(
            address, text, (session.raw(message),), (session.digest(message),), self._count(text), text != found.text
        )

    def _behind_stub(self, address: str) -> int | None:
        """A file, and a call id that is used again, have one address for several messages: the latest that the window
        does not show whole is what a stub in it means."""
        sizes, last = self._inputs.sizes, self._log.calls
        found = [m for m in range(len(self._inputs.session.messages)) if sizes.address(m) == address]
        group_of = self._inputs.session.structure.group_of
        hidden = [m for m in found if self._log.tracks[group_of[m]].form_at(last) is not Form.FULL]
        return next(reversed(hidden or found), None)

    def body(self, message: int) -> str:
        """A message as a retrieval shows it."""
        return self._body(message)
