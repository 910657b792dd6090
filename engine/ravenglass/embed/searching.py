"""Full-text search over what has left the window of a running engine."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.embed.archive import EngineArchive
from ravenglass.hub.item import Form
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.store.search.index import Document, Hit, SearchIndex


def search(inputs: Inputs, log: ChangeLog, archive: EngineArchive, query: str, limit: int) -> tuple[Hit, ...]:
    """Messages that the latest decided window does not show whole, best first."""
    with SearchIndex(":memory:", inputs.profile) as index:
        index.add_many(_hidden(inputs, log, archive))
        return index.search(query, limit)


def _hidden(inputs: Inputs, log: ChangeLog, archive: EngineArchive) -> Iterator[Document]:
    for group in inputs.features.groups[: inputs.features.known[log.calls]]:
        if log.tracks[group.index].form_at(log.calls) is Form.FULL:
            continue
        path = archive.ref(group.index).partition("#")[0]
        for m in group.messages:
            yield Document(f"{path}#{m}-{m}", m, archive.body(m))
