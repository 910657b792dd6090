"""Collects where needs were while a replay runs, and what a simulated window put at risk.

At risk is what the recorded window held in full and the simulated one does not: a result that was fetched again
wherever the window lacks it; a name only where the window does not hold it at all, since its spelling is all
there is of it. Where the recorded window lacked it too, the response managed without it: never there. Source:
docs/design/metrics.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ravenglass.hub.item import Form
from ravenglass.hub.live import Live
from ravenglass.hub.summary import Summary
from ravenglass.replay.figures import PlacedNeed, Regret, Where
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.terms import key
from ravenglass.replay.measures.recorded_needs import RecordedNeed, recorded_needs
from ravenglass.replay.measures.where import Whereabouts
from ravenglass.replay.stepping.inputs import Inputs

_FULL = int(Form.FULL)


def _stands(found: RecordedNeed, forms: bytearray) -> bool:
    """Whether a look at the groups alone tells that a need stands: one source of a name, all of what is fetched again.
    Sources are always older than the response, so that its call sees them."""
    if found.need.kind == "name":
        return any(forms[g] == _FULL for g in found.groups)
    return bool(found.groups) and all(forms[g] == _FULL for g in found.groups)


class AtRisk:
    """Looks at every call in order. A recorded run looks at its own windows, which put nothing at risk."""

    def __init__(self, inputs: Inputs, *, recorded: bool = False) -> None:
        self.inputs = inputs
        """Those that hold at the next call that is looked at."""
        self._recorded = recorded
        self._needs = recorded_needs(inputs.session, inputs.profile).by_call
        self._standing = Whereabouts()
        self.placed: list[PlacedNeed] = []
        self.regrets: list[Regret] = []
        self._open: dict[str, frozenset[int]] = {}
        """Names that are at risk and already told, with the groups of their sources: told anew once one came back."""
        self._waiting: dict[int, list[str]] = {}
        """The same by group; names that are no longer told may be among them."""

    def look(
        self, call: int, live: Live, changed: Iterable[int], injected: int, summary: Summary | None = None
    ) -> None:
        """Check what the response of a call needed against its window: groups, the working state of version `injected`
        (-1: none), summary. `changed` are the groups that changed at this call, if not more."""
        forms = live.forms
        if self._waiting:
            self._come_back(g for g in changed if forms[g] == _FULL)
        told: str | None = None
        names: dict[int, list[Need]] = {}
        response = -1
        for found in self._needs[call - 1]:
            if not self._recorded and _stands(found, forms):
                self.placed.append(found.stands)
                continue
            if told is None:
                told = self.inputs.rendered(injected)[0]
                if summary is not None:
                    told = f"{told}\n{summary.text}"
            where, response = self._place(call, live, found, told), found.response
            if where is None:
                continue
            if found.need.kind == "name":
                self._open_name(found, names)
            else:
                out = [m for m in found.need.sources if not self._standing.whole(self.inputs, call, live, m)]
                self._regret(call, found.response, [found.need], where, out or found.need.sources)
        for together in names.values():
            self._regret(call, response, together, "gone", together[0].sources)

    def _come_back(self, groups: Iterable[int]) -> None:
        """What these groups introduced is told anew when it is at risk again."""
        for g in groups:
            for name in self._waiting.pop(g, ()):
                if g in self._open.get(name, ()):
                    del self._open[name]

    def _place(self, call: int, live: Live, found: RecordedNeed, told: str) -> Where | None:
        """Count a need by where it was. Returns that where it is a regret, else None."""
        need, inputs = found.need, self.inputs
        where = found.where if self._recorded else self._standing.where(inputs, call, live, need, told)
        lost = not self._recorded and where != "verbatim"
        if lost and found.where != "verbatim":
            lost, where = False, "never_there"
        risk = lost and (where == "gone" or need.kind == "fetch_again")
        if need.kind == "name":
            self.placed.append(PlacedNeed(call, "name", where))
        else:
            whole = tuple(m for m in need.sources if self._standing.whole(inputs, call, live, m))
            self.placed.append(PlacedNeed(call, "fetch_again", where, need.sources, whole))
        again = self._recorded and need.kind == "fetch_again" and where in ("mentioned", "gone")
        return where if risk or again else None

    def _open_name(self, found: RecordedNeed, names: dict[int, list[Need]]) -> None:
        """A name at risk that was not told before, beside the others of its latest source."""
        need = found.need
        name = key(need.what)
        if name not in self._open:
            self._open[name] = frozenset(found.groups)
            for g in self._open[name]:
                self._waiting.setdefault(g, []).append(name)
            names.setdefault(need.sources[-1], []).append(need)

    def _regret(self, call: int, response: int, needs: list[Need], where: Where, out: Sequence[int]) -> None:
        """What a response needed of one source, the latest of those that are out: a fetch again, or all names."""
        lead = max(needs, key=lambda need: len(need.what))
        source = out[-1]
        sources = tuple(sorted({m for need in needs for m in need.sources}))
        names = tuple(need.what for need in needs if need.kind == "name")
        tokens = self.inputs.sizes.full[source]
        self.regrets.append(Regret(call, response, lead.kind, lead.what, source, sources, where, tokens, names))
