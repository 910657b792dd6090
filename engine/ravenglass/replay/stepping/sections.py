"""The head of a window: what stands before its history, by section, in the order of the profile.

Movable is only what is no part of the conversation: system and developer messages, the working state, the summary. The
history is chronological and comes last, because providers demand it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ravenglass.hub.item import WITH_CAP, Form
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.rules import SectionName


class SectionBlock(NamedTuple):
    """One block of a window before its text is fetched; equal blocks are the same bytes for a provider."""

    group: int
    """-1: the working state, -2: the opening mark, -3: the summary."""
    form: int
    cap: int
    seen: int
    """Messages of the group that the call sees; of the working state, its version; of the summary, the call at which
    it was made."""


WORKING_STATE, OPENING_MARK, SUMMARY = -1, -2, -3
OPENING_BLOCK = SectionBlock(OPENING_MARK, Form.FULL, 0, 0)


def head(inputs: Inputs, log: ChangeLog, call: int, version: int, told: int) -> list[SectionBlock]:
    """The blocks before the history of a call whose groups are in the log already. `version` is that of the injected
    working state (-1: none), `told` the call at which its summary was made (0: none)."""
    found: dict[SectionName, list[SectionBlock]] = {name: [] for name in inputs.profile.section_order}
    for g, section in inputs.standing.sections.items():
        if g >= inputs.features.known[call]:
            break
        block = _placed(inputs, log, g, call)
        if block is not None:
            found[section].append(block)
    found["session"] += _session(version, told)
    return [block for blocks in found.values() for block in blocks]


def _placed(inputs: Inputs, log: ChangeLog, g: int, call: int) -> SectionBlock | None:
    track = log.tracks[g]
    form = track.form_at(call)
    if not form:
        return None
    cap = track.cap_at(call) if form in WITH_CAP else 0
    return SectionBlock(g, form, cap, len(inputs.features.groups[g].messages))


def _session(version: int, told: int) -> Iterator[SectionBlock]:
    if version >= 0:
        yield SectionBlock(WORKING_STATE, Form.FULL, 0, version)
    if told:
        yield SectionBlock(SUMMARY, Form.FULL, 0, told)
