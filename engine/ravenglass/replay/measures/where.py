"""Where a need was in a window: verbatim, mentioned, gone. What is never there only the recorded window can tell."""

from __future__ import annotations

from functools import lru_cache

from ravenglass.hub.item import Form
from ravenglass.hub.live import Live
from ravenglass.replay.figures import Where
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.spelled import fold, folds
from ravenglass.replay.measures.needs.terms import held, key
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.scheduler.view import visible

_folded = lru_cache(maxsize=1 << 16)(folds)
_OUT, _FULL = int(Form.OUT), int(Form.FULL)


class Whereabouts:
    """What of a message a window shows: all of it, a text in its place, nothing. Remembers texts of shortened
    groups."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, int, int, int, int], dict[int, str | None]] = {}
        self._held: dict[str, frozenset[str]] = {}
        self._folds: dict[str, frozenset[str]] = {}

    def where(self, inputs: Inputs, call: int, live: Live, need: Need, told: str) -> Where:
        """Where the need was in the window of a call. `told`: the working state and the summary in it."""
        if need.stands(lambda message, place: self._shows(inputs, call, live, need, message, place)):
            return "verbatim"
        if told and (need.what in told or self._names(told, need)):
            return "mentioned"
        for message in need.mentions:
            text = self._text(inputs, call, live, message)
            if text is None or (text and self._names(text, need)):
                return "mentioned"
        return "gone"

    def _names(self, text: str, need: Need) -> bool:
        """Whether a text holds the need in any spelling."""
        name = key(need.what)
        if name in self._terms(text):
            return True
        if need.kind != "name":
            return False
        known = self._folds.get(text)
        if known is None:
            known = self._folds[text] = frozenset(map(fold, self._terms(text)))
        return any(folded in known for folded in _folded(name))

    def whole(self, inputs: Inputs, call: int, live: Live, message: int) -> bool:
        """Whether a message is in the window in full."""
        return self._text(inputs, call, live, message) is None

    def _shows(self, inputs: Inputs, call: int, live: Live, need: Need, message: int, place: tuple[str, ...]) -> bool:
        """Whether the window shows the very place of a source: in full, or in the stub or diff of it."""
        text = self._text(inputs, call, live, message)
        if text is None:
            return True
        if not text:
            return False
        if need.kind == "name":
            return key(need.what) in self._terms(text)
        return bool(place) and all(line in text for line in place)

    def _terms(self, text: str) -> frozenset[str]:
        known = self._held.get(text)
        if known is None:
            known = self._held[text] = held(text)
        return known

    def _text(self, inputs: Inputs, call: int, live: Live, message: int) -> str | None:
        """What stands in place of a message; None: all of it stands, empty: nothing does."""
        features = inputs.features
        group = inputs.session.structure.group_of[message]
        stands = live.forms[group]
        if stands == _OUT or message >= features.boundary(call):
            return ""
        if stands == _FULL:
            return None
        form = Form(stands)
        shown = features.groups[group]
        if features.ready[group] > call:
            shown = visible(features, shown, call)
        cap, offload = live.caps.get(group, 0), inputs.profile.offload_tokens
        place = (group, len(shown.messages), int(form), cap, offload)
        texts = self._texts.get(place)
        if texts is None:
            made = inputs.sizes.shown(shown, form, offload, cap)
            texts = {m: None if one.verbatim and not one.bare else one.text for m, one in made.items()}
            self._texts[place] = texts
        return texts.get(message, "")
