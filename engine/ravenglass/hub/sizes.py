"""Token sizes of messages and groups in each form they can take in a window. Exact counts, cached by content.

One `Sizes` belongs to one session and one setting of the fields that change counts (`SizeKey`). Counts are made
once, on a worker; a replay under another threshold only reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from ravenglass.errors import Cancelled
from ravenglass.hub.files.fingerprint import Edited
from ravenglass.hub.files.twins import Twins
from ravenglass.hub.files.uses import uses
from ravenglass.hub.item import WITH_CAP, Form
from ravenglass.hub.registry.address import format_address
from ravenglass.hub.registry.addressing import message_address
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.stub import (
    BARE_ARGUMENTS,
    CUT,
    LEFT_OUT,
    NEWER,
    NO_RESULT,
    OPENING,
    ORPHAN_PREFIX,
    SAME,
    UPDATED,
    shrunk,
    stub,
)
from ravenglass.sessions.model.attached import attached_tokens
from ravenglass.sessions.model.session import Group, Message, Session
from ravenglass.tokens import CountStore, Tokenizer, tokenizer

_MOST_SUMS = 200_000
"""Remembered sizes of shortened groups; every value of the offload slider adds some."""

_MOST_LIMITS = 16
"""Offload limits of which the sizes of shortened groups are at hand."""

_BATCH = 32
"""Messages counted between two reports of progress."""

_CHARS_PER_TOKEN = 24
"""More characters than a token ever covers on average in a text: where the search for a fitting cut starts."""

Content = tuple[Hashable, int]
"""What tells one content of a window from another, and its tokens."""

Progress = Callable[[int, int], bool]
"""Called with (done, total); returns False to cancel."""


def reference_cap(call: int, *, offloaded: bool) -> int:
    """What a REFERENCE group remembers: the call that decided it (later twins do not count), and whether its other
    results are offloaded."""
    return call * 2 + offloaded


@dataclass(frozen=True, slots=True)
class ShownText:
    """A message as a window shows it: its text and the tokens of the whole message.

    `bare`: thinking and images are left out and the arguments of the calls are replaced by a mark (see
    `stub.BARE_ARGUMENTS`). `calls`: so many of its tool calls are shown; None: all.
    """

    text: str
    tokens: int
    verbatim: bool
    bare: bool = False
    calls: int | None = None


class Sizes:
    """Tokens of every message of a session. `full[m]` is the whole message m, verbatim."""

    def __init__(
        self,
        session: Session,
        key: SizeKey,
        progress: Progress | None = None,
        store: CountStore | None = None,
        previous: Sizes | None = None,
    ) -> None:
        """`previous` are the sizes of the same session when it was shorter: its counts are reused."""
        self.session = session
        self.key = key
        self.tokenizer: Tokenizer = tokenizer(key.table)
        self.orphans = {m for g in session.structure.groups if g.orphan for m in g.messages}
        self.orphans |= {m.id for m in session.messages if "duplicate_result" in m.flags}
        """Results that no call in the window may be answered with: they are shown as user messages."""
        self.no_result = self.tokenizer.count(NO_RESULT) + key.overhead
        self.opening = self.tokenizer.count(OPENING) + key.overhead
        """Tokens of the mark that a window begins with whose history does not start with a user."""
        self._text: list[int] = []
        self._rest: list[int] = []
        self.estimated: set[int] = set()
        """Messages whose count is an estimate: a text runs on for too long without a place where it could be cut,
        or a document or a recording is among its parts."""
        self._stubs: dict[int, ShownText] = {}
        self._sums: dict[tuple[int, int, Form, int, int], int] = {}
        self._shortened: dict[tuple[int, Form], dict[int, int]] = {}
        self.contents: dict[tuple[int, int, Form, int, int], list[Content]] = {}
        """What windows hold of groups, as repeated injection compares it: by group, messages, form, cap and limit."""
        self._shrunk: dict[tuple[int, int, int], dict[int, ShownText]] = {}
        if previous is not None:
            self._reuse(previous)
        self.full: list[int] = []
        self._count(progress, store)

    def catch_up(self, grown: Iterable[int]) -> None:
        """Count what came to a session that grows in place; results there are none that no call is answered with.
        `grown`: groups that were there before and have more results now."""
        self.__dict__.pop("twins", None)
        self.__dict__.pop("edited", None)
        for g in grown:
            for known in self._shortened.values():
                known.pop(g, None)
        self._count(None, None)

    def _count(self, progress: Progress | None, store: CountStore | None) -> None:
        session, total = self.session, len(self.session.messages)
        for first in range(len(self._text), total, _BATCH):
            if progress is not None and not progress(first, total):
                raise Cancelled("Counting tokens was cancelled; nothing was changed.")
            batch = session.messages[first : first + _BATCH]
            counts = self.tokenizer.measure_many([self.full_text(m) for m in batch], store)
            self._text.extend(count.value for count in counts)
            self._rest.extend(self._count_rest(message) for message in batch)
            self.estimated.update(m.id for m, count in zip(batch, counts, strict=True) if count.how != "exact")
        known = len(self.full)
        self.full.extend(a + b for a, b in zip(self._text[known:], self._rest[known:], strict=True))

    def _reuse(self, previous: Sizes) -> None:
        """Take over the counts of the leading messages that are still what they were (the last one may have grown)."""
        before = previous.session.messages
        if previous.key != self.key or previous.orphans != {m for m in self.orphans if m < len(before)}:
            return
        same = 0
        for old, new in zip(before, self.session.messages, strict=False):
            if (old.parts, old.tool_calls) != (new.parts, new.tool_calls):
                break
            same += 1
        self._text.extend(previous._text[:same])
        self._rest.extend(previous._rest[:same])
        self.estimated.update(m for m in previous.estimated if m < same)
        self._stubs.update((m, shown) for m, shown in previous._stubs.items() if m < same)

    @cached_property
    def twins(self) -> Twins:
        """Which results say the same as others."""
        return Twins(self.session, uses(self.session))

    @cached_property
    def edited(self) -> Edited:
        """Which reads were brought up to date by edits."""
        return Edited(uses(self.session))

    def full_text(self, message: Message) -> str:
        """What a window shows of a message that is in it whole."""
        return ORPHAN_PREFIX + message.text if message.id in self.orphans else message.text

    def _count_rest(self, message: Message) -> int:
        """Tokens of everything but the text: frame, thinking, calls, images."""
        parts = [message.thinking, *(text for call in message.tool_calls for text in (call.name, call.arguments))]
        counts = [self.tokenizer.measure(part) for part in parts if part]
        if message.payloads or any(count.how != "exact" for count in counts):
            self.estimated.add(message.id)
        said = sum(count.value for count in counts)
        return self.key.overhead + said + attached_tokens(message, self.key)

    def stub(self, message: int) -> ShownText:
        """The message with its text as a stub; the whole message where a stub would not be smaller."""
        known = self._stubs.get(message)
        if known is None:
            recorded = self.session.messages[message]
            full = self.full_text(recorded)
            size = self._text[message] + attached_tokens(recorded, self.key)
            lines, chars = self.key.stub_lines, self.key.stub_chars
            short = stub(full, size, self.address(message), lines, chars, recorded.images, len(recorded.payloads))
            tokens = self.tokenizer.count(short) + self.key.overhead
            if tokens < self.full[message]:
                known = ShownText(short, tokens, verbatim=False)
            else:
                known = ShownText(full, self.full[message], verbatim=True)
            self._stubs[message] = known
        return known

    def address(self, message: int) -> str:
        return format_address(message_address(self.session, message))

    def whole(self, message: int) -> ShownText:
        return ShownText(self.full_text(self.session.messages[message]), self.full[message], verbatim=True)

    def shown(self, group: Group, form: Form, offload_tokens: int, cap: int = 0) -> dict[int, ShownText]:
        """Every message of the group as `form` shows it (`cap`: the tokens a SHRUNK group may take, see `reference_cap`
        and `Edited.cap` for others)."""
        if form is Form.SHRUNK:
            return self._fit(group, cap)
        if form is Form.REFERENCE:
            return {m: self._told_again(m, offload_tokens, cap) for m in group.messages}
        if form is Form.UPDATED:
            return {m: self._updated(m, offload_tokens, cap) for m in group.messages}
        return {m: self._one(m, form, offload_tokens) for m in group.messages}

    def _told_again(self, message: int, offload_tokens: int, cap: int) -> ShownText:
        """The message of a REFERENCE group. `cap` says what it was made from (see `reference_cap`)."""
        call, offloaded = divmod(cap, 2)
        boundary = self.session.structure.calls[call - 1].message
        later = self.twins.later(message, boundary)
        made = ""
        if later is not None:
            made = SAME.format(later=later, address=self.address(later))
        elif patch := self.twins.patch(message):
            made = NEWER.format(base=self.twins.base(message), patch=patch)
        if made:
            tokens = self.tokenizer.count(made) + self.key.overhead
            if tokens * 2 < self.full[message]:
                return ShownText(made, tokens, verbatim=False)
        return self._one(message, Form.OFFLOADED if offloaded else Form.FULL, offload_tokens)

    def _updated(self, message: int, offload_tokens: int, cap: int) -> ShownText:
        """The message of an UPDATED group, whose `cap` says which edits it shows and whether it is offloaded."""
        edit, offloaded = self.edited.by(message, cap), bool(cap % 2)
        if edit is None:
            return self._one(message, Form.OFFLOADED if offloaded else Form.FULL, offload_tokens)
        text = UPDATED.format(edit=edit, content=self.edited.content(message, cap))
        counted = self.tokenizer.count(text)
        if offloaded and counted + self.key.overhead > offload_tokens:
            short = stub(text, counted, self.address(message), self.key.stub_lines, self.key.stub_chars)
            text, counted = min((short, self.tokenizer.count(short)), (text, counted), key=lambda made: made[1])
        return ShownText(text, counted + self.key.overhead, verbatim=False)

    def _one(self, message: int, form: Form, offload_tokens: int) -> ShownText:
        shortens = form is Form.STUB or (form is Form.OFFLOADED and self.full[message] > offload_tokens)
        if shortens and self.session.messages[message].role == "tool" and message not in self.orphans:
            return self.stub(message)
        return self.whole(message)

    def shortened(self, group: int, form: Form, offload_tokens: int) -> int:
        """`tokens` of a group that is there with all its results, as a stub or offloaded."""
        limit = offload_tokens if form is Form.OFFLOADED else 0
        known = self._shortened.get((limit, form))
        if known is None:
            if len(self._shortened) >= _MOST_LIMITS:
                self._shortened.clear()
            known = self._shortened[limit, form] = {}
        tokens = known.get(group)
        if tokens is None:
            tokens = known[group] = self.tokens(self.session.structure.groups[group], form, offload_tokens)
        return tokens

    def tokens(self, group: Group, form: Form, offload_tokens: int, cap: int = 0) -> int:
        """Tokens of the whole group in a form, placeholders of unanswered calls included."""
        if form is Form.OUT:
            return 0
        if form is Form.FULL:
            return sum(self.full[m] for m in group.messages) + len(group.unanswered) * self.no_result
        made_by = cap if form in WITH_CAP else 0
        limit = 0 if form is Form.SHRUNK else offload_tokens
        key = (group.index, len(group.messages), form, made_by, limit)
        known = self._sums.get(key)
        if known is None:
            shown = self.shown(group, form, offload_tokens, cap)
            known = sum(s.tokens for s in shown.values()) + len(group.unanswered) * self.no_result
            if len(self._sums) >= _MOST_SUMS:
                self._sums.clear()
            self._sums[key] = known
        return known

    def _fit(self, group: Group, cap: int) -> dict[int, ShownText]:
        """Cut the largest texts of a group until it fits `cap` tokens; never below a short mark of each (`stub.CUT`).

        Results are cut first, then the other texts, and only then thinking and the arguments of the calls. The
        caller checks whether the result fits.
        """
        key = (group.index, len(group.messages), cap)
        if key in self._shrunk:
            return self._shrunk[key]
        shown = {m: self.whole(m) for m in group.messages}
        room = cap - len(group.unanswered) * self.no_result
        results = [m for m in group.messages if self.session.messages[m].role == "tool"]
        others = [m for m in group.messages if m not in results]
        for candidates in (results, others):
            self._cut_largest(shown, candidates, room)
        if sum(s.tokens for s in shown.values()) > room:
            for m in others:
                shown[m] = self._strip(m, shown[m])
        self._mark(shown, [m for m in results if m not in self.orphans], room)
        shown = self._leave_out(group, shown, results, room)
        self._shrunk[key] = shown
        return shown

    def _mark(self, shown: dict[int, ShownText], results: list[int], room: int) -> None:
        """Very many results are too large even with a label each: the largest labels become a mark until it fits."""
        over = sum(s.tokens for s in shown.values()) - room
        if over <= 0:
            return
        mark = ShownText(CUT, self.tokenizer.count(CUT) + self.key.overhead, verbatim=False, bare=True)
        for m in sorted(results, key=lambda m: (-shown[m].tokens, m)):
            if over <= 0:
                return
            if mark.tokens < shown[m].tokens:
                over -= shown[m].tokens - mark.tokens
                shown[m] = mark

    def _leave_out(
        self, group: Group, shown: dict[int, ShownText], results: list[int], room: int
    ) -> dict[int, ShownText]:
        """Where not even a mark for each result fits: as many calls from the front as do, each with its result, and a
        note of how many are left out. A group whose calls and results are not one to one stays as it is."""
        heads = [m for m in group.messages if m not in results]
        recorded = self.session.messages[heads[0]] if len(heads) == 1 else None
        if recorded is None or sum(one.tokens for one in shown.values()) <= room or group.unanswered:
            return shown
        answered = [self.session.messages[m].tool_call_id for m in results]
        if answered != [call.id for call in recorded.tool_calls] or not self.orphans.isdisjoint(results):
            return shown
        head, count = shown[heads[0]], self.tokenizer.count
        calls = [count(call.name) + count(BARE_ARGUMENTS if head.bare else call.arguments) for call in
                 recorded.tool_calls]  # fmt: skip
        fixed = head.tokens - count(head.text) - sum(calls)
        short = shrunk(self.full_text(recorded), self.address(heads[0]), 0) if head.text else ""
        text = min((head.text, short), key=count)
        most = sum(one.tokens for one in shown.values()) - 1
        costs = [0, *accumulate(call + shown[m].tokens for call, m in zip(calls, results, strict=True))]
        for kept in range(len(results) - 1, -1, -1):
            if kept and costs[kept] + fixed > room:
                continue
            note = LEFT_OUT.format(left=len(results) - kept, all=len(results), address=self.address(heads[0]))
            said = f"{text}\n{note}".lstrip()
            tokens = count(said) + fixed + sum(calls[:kept])
            fewer = {heads[0]: ShownText(said, tokens, verbatim=False, bare=head.bare, calls=kept)}
            fewer |= {m: shown[m] for m in results[:kept]}
            whole = sum(one.tokens for one in fewer.values())
            if whole <= min(most, room if kept else most) and tokens <= self.full[heads[0]]:
                return fewer
        return shown

    def _strip(self, message: int, shown: ShownText) -> ShownText:
        """Without thinking, images and arguments, where that is smaller."""
        recorded = self.session.messages[message]
        count = self.tokenizer.count
        calls = sum(count(call.name) + count(BARE_ARGUMENTS) for call in recorded.tool_calls)
        text = shown.text
        images, files = recorded.images, len(recorded.payloads)
        if (images or files) and shown.verbatim:
            text = shrunk(text, self.address(message), len(text), images, files)
        tokens = count(text) + self.key.overhead + calls
        return ShownText(text, tokens, verbatim=False, bare=True) if tokens < shown.tokens else shown

    def _cut_largest(self, shown: dict[int, ShownText], candidates: list[int], room: int) -> None:
        for m in sorted(candidates, key=lambda m: (-self.full[m], m)):
            over = sum(s.tokens for s in shown.values()) - room
            if over <= 0:
                return
            shown[m] = self._cut(m, max(0, self.full[m] - over))

    def _cut(self, message: int, target: int) -> ShownText:
        """The message with as much of its text as fits `target` tokens; the label alone where nothing does.

        A result loses its images before any of its text; those of a request are `_strip`'s.
        """
        recorded = self.session.messages[message]
        full = self.full_text(recorded)
        beside = recorded.role == "tool"
        images, files = (recorded.images, len(recorded.payloads)) if beside else (0, 0)
        rest = self._rest[message] - (attached_tokens(recorded, self.key) if beside else 0)
        room = target - rest
        address = self.address(message)
        low, high = 0, min(len(full), max(room, 0) * _CHARS_PER_TOKEN)
        best = shrunk(full, address, 0, images, files)
        whole = shrunk(full, address, len(full), images, files)
        if (images or files) and self.tokenizer.count(whole) <= room:
            low, best = high, whole
        # The label's own length varies by a few characters only, so the count grows with `keep`: bisect.
        while high - low > 16:
            keep = (low + high) // 2
            text = shrunk(full, address, keep, images, files)
            if self.tokenizer.count(text) <= room:
                low, best = keep, text
            else:
                high = keep
        tokens = self.tokenizer.count(best) + rest
        if tokens >= self.full[message]:
            return self.whole(message)
        return ShownText(best, tokens, verbatim=False)
