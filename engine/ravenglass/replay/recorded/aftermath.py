"""What each recorded compaction or clearing took, what was fetched again after it, and how long no edit followed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import median

from ravenglass.replay.figures import Aftermath, Classes, Paid, Where
from ravenglass.replay.measures.needs.session import needs_of
from ravenglass.replay.measures.paid import paid
from ravenglass.replay.measures.recorded_needs import RecordedNeeds, recorded_needs
from ravenglass.replay.recorded.windows import RecordedWindows
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.sessions.model.session import Marker

_KINDS = frozenset({"compaction", "clearing", "consolidated", "new_chain"})


def aftermaths(inputs: Inputs, windows: RecordedWindows) -> tuple[Aftermath, ...]:
    """One for each compaction or clearing that a call followed, in order."""
    markers = sorted((m for m in inputs.session.markers if m.kind in _KINDS), key=lambda marker: marker.before)
    calls = len(inputs.features.calls)
    edits = _edits(inputs)
    places = [(marker, call) for marker in markers if 1 < (call := windows.first_call(marker.before)) <= calls]
    return tuple(_aftermath(inputs, windows, marker, call, edits) for marker, call in places)


def _aftermath(inputs: Inputs, windows: RecordedWindows, marker: Marker, call: int, edits: list[int]) -> Aftermath:
    found = recorded_needs(inputs.session, inputs.profile)
    took = [m for m in range(marker.before) if _stood(windows, call, m) and not _whole(windows, call, m)]
    again = list(_fetched_again(inputs, found, frozenset(took), call))
    gaps = [later - earlier for earlier, later in pairwise(edits) if later < call]
    last = min(len(inputs.features.calls), call + inputs.profile.need_within_calls - 1)
    return Aftermath(
        call=call, kind=marker.kind, note=marker.note, messages=len(took),
        tokens=sum(inputs.sizes.full[m] for m in took),
        results=_results(inputs, windows, found, call),
        fetched_again=sum(again, Paid()), within=last - call + 1,
        to_next_edit=next((edit - call + 1 for edit in edits if edit >= call), None),
        median_before=float(median(gaps)) if gaps else None,
    )  # fmt: skip


def _stood(windows: RecordedWindows, call: int, message: int) -> bool:
    """Whether a message stood in full before what was done to the window of a call."""
    epoch = windows.epoch(call - 1)
    return windows.sent(message) and epoch.holds(message) and message not in epoch.cleared


def _whole(windows: RecordedWindows, call: int, message: int) -> bool:
    return windows.holds(call, message) and not windows.clears(call, message)


def _edits(inputs: Inputs) -> list[int]:
    """Calls whose response edits or writes a file, ascending."""
    groups = {use.group for use in inputs.features.uses if any(file.op in ("edit", "write") for file in use.files)}
    group_of = inputs.session.structure.group_of
    return [call.number for call in inputs.features.calls if group_of[call.message] in groups]


def _results(inputs: Inputs, windows: RecordedWindows, found: RecordedNeeds, call: int) -> Classes:
    """Where the results are that stood in the window before and that nothing had changed."""
    needs, boundary = needs_of(inputs.session, inputs.profile.need_exchanges), windows.boundary(call)
    places: list[Where] = []
    for message, (what, outdated) in needs.shown.items():
        if message >= boundary or not _stood(windows, call, message) or 0 <= outdated < boundary:
            continue
        if _whole(windows, call, message):
            places.append("verbatim")
        else:
            named = (m for m in needs.naming(what, boundary) if m != message)
            places.append("mentioned" if any(found.holds(boundary, m) for m in named) else "gone")
    return Classes.of(places)


def _fetched_again(inputs: Inputs, found: RecordedNeeds, took: frozenset[int], call: int) -> Iterator[Paid]:
    """What fetching again cost of what a compaction before `call` took."""
    for needs in found.by_call[call - 1 : call - 1 + inputs.profile.need_within_calls]:
        for one in needs:
            need = one.need
            if need.kind == "fetch_again" and one.where != "verbatim" and took & set(need.sources):
                yield paid(inputs, one.response, need)
