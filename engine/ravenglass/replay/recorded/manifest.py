"""Manifest rows of a recorded run: in or out by message, since a writer may keep one half of a group."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.hub.item import Form, State
from ravenglass.replay.answers.manifest import Manifest
from ravenglass.replay.frame import ManifestRow
from ravenglass.replay.recorded.windows import RecordedWindows
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment

_OURS = frozenset({"protected", "pinned", "archived", "expired", "included", "changed", "stub"})
"""Flags that say what this engine would do with a message, or that a row of a recorded run tells by message."""


class RecordedManifest(Manifest):
    """Rows and filters of a recorded run."""

    def __init__(self, inputs: Inputs, windows: RecordedWindows) -> None:
        super().__init__(inputs)
        self._windows = windows

    def row(self, moment: Moment, m: int, archive_ref: str | None) -> ManifestRow:
        """The row of message m as the window of the call held it."""
        made = super().row(moment, m, archive_ref)
        held = self._windows.holds(moment.call, m)
        form = Form.OUT if not held else Form.PARTIAL if self._windows.clears(moment.call, m) else Form.FULL
        return replace(
            made, protected=False, pinned=False, archived=False, archive_ref=None, form=form, included=held,
            state=State.ACTIVE if held else State.STANDBY, changed=self._windows.changed(moment.call, m),
        )  # fmt: skip

    def _flags(self, moment: Moment, m: int, g: int, state: State, form: Form) -> frozenset[str]:
        del form  # that of the group; a message is whole, a note, or out
        call = moment.call
        held = self._windows.holds(call, m)
        found = {
            "included": held,
            "changed": self._windows.changed(call, m),
            "stub": self._windows.clears(call, m),
        }
        rest = super()._flags(moment, m, g, state, Form.FULL if held else Form.OUT) - _OURS
        return rest | {name for name, holds in found.items() if holds}
