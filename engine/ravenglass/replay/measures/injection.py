"""Repeated injection: how much of what windows hold had been sent before, and how much stands twice in one window.

Content is the text of a message with its calls, as a window shows it: a stub is other content than the text it stands
for, the same text read again is the same content. docs/design/metrics.md defines the figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from hashlib import blake2b

from ravenglass.hub.item import WITH_CAP, Form
from ravenglass.hub.sizes import Content
from ravenglass.hub.stub import OPENING
from ravenglass.replay.figures import Injection
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.scheduler.view import visible
from ravenglass.sessions.model.session import Group

_MOST = 200_000
"""So many contents of groups are remembered; every value of the offload slider adds some."""


def injections(facts_at: Callable[[int], Inputs], log: ChangeLog) -> list[Injection]:
    """One value a call. `facts_at` gives the inputs that hold at a call."""
    teller = _Teller(log)
    return [teller.next(facts_at(call), call) for call in range(1, log.calls + 1)]


class _Teller:
    """Goes through the calls in order; looks only at what changed."""

    def __init__(self, log: ChangeLog) -> None:
        self._log = log
        self._sent: set[Hashable] = set()
        self._inside: Counter[Hashable] = Counter()
        self._doubled = 0
        self._placed: dict[int, list[Content]] = {}
        """Group, or -1 for what is no message -> its contents in the window."""
        self._profile: object = None

    def next(self, inputs: Inputs, call: int) -> Injection:
        log = self._log
        touched = {*log.changed.get(call, ()), *inputs.standing.growths.get(call, ())}
        if inputs.profile is not self._profile:
            touched |= self._placed.keys() - {-1}  # under other settings the same form may be another text
            self._profile = inputs.profile
        fresh = self._place(-1, list(_no_messages(inputs, log, call)))
        for g in sorted(touched):
            fresh += self._place(g, _contents(inputs, log, call, g))
        return Injection(log.tokens[call - 1], max(0, log.tokens[call - 1] - fresh), self._doubled)

    def _place(self, g: int, contents: list[Content]) -> int:
        """Put the contents of a group in place of what it had in the window. Returns the tokens never sent before."""
        for content, tokens in self._placed.pop(g, ()):
            self._inside[content] -= 1
            self._doubled -= tokens if self._inside[content] > 0 else 0
        fresh = 0
        for content, tokens in contents:
            self._doubled += tokens if self._inside[content] > 0 else 0
            self._inside[content] += 1
            fresh += tokens if content not in self._sent else 0
            self._sent.add(content)
        if contents:
            self._placed[g] = contents
        return fresh


def _contents(inputs: Inputs, log: ChangeLog, call: int, g: int) -> list[Content]:
    """What a call's window holds of a group. Remembered with the sizes: another replay shows most of it again."""
    track = log.tracks[g]
    form = track.form_at(call)
    if not form:
        return []
    group, offload = inputs.features.groups[g], inputs.profile.offload_tokens
    if inputs.features.ready[g] > call:
        group = visible(inputs.features, group, call)
    cap = _cap(track.cap_at(call), form)
    limit = offload if form in (Form.OFFLOADED, Form.REFERENCE, Form.UPDATED) else 0
    place = (g, len(group.messages), form, cap, limit)
    found = inputs.sizes.contents.get(place)
    if found is None:
        if len(inputs.sizes.contents) >= _MOST:
            inputs.sizes.contents.clear()
        found = inputs.sizes.contents[place] = list(_messages(inputs, group, form, cap))
    return found


def _messages(inputs: Inputs, group: Group, form: Form, cap: int) -> Iterator[Content]:
    for m, shown in inputs.sizes.shown(group, form, inputs.profile.offload_tokens, cap).items():
        recorded = inputs.session.messages[m]
        calls = () if shown.bare else tuple((one.name, one.arguments) for one in recorded.tool_calls)
        # What has neither text nor calls, an image say, is told apart by its message.
        yield _digest(shown.text, calls) if shown.text or calls else (m, form), shown.tokens
    for unanswered in group.unanswered:
        yield (group.index, unanswered), inputs.sizes.no_result


def _digest(text: str, calls: tuple[tuple[str, str], ...] = ()) -> bytes:
    """Tells a text with its calls from any other, without keeping it."""
    parts = (text, *(part for call in calls for part in call))
    made = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        made.update(len(data).to_bytes(8))
        made.update(data)
    return made.digest()


def _cap(cap: int, form: Form) -> int:
    return cap if form in WITH_CAP or form is Form.PARTIAL else 0


def _no_messages(inputs: Inputs, log: ChangeLog, call: int) -> Iterator[Content]:
    text, tokens = inputs.rendered(log.versions[call - 1])
    if text:
        yield _digest(text), tokens
    told = log.summary(call)
    if told is not None:
        yield _digest(told.text), told.tokens
    if log.openings[call - 1]:
        yield _digest(OPENING), inputs.sizes.opening
