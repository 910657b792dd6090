"""One call predicted from the call before it: who is exempt, what fits, what leaves, what is archived.

The prediction starts from the states that the program showed after the call before (which were themselves compared), so
one deviation is told once. Given by the program are only: relevance, what expired, and the number of the task.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from ravenglass.profile import Profile
from tests.acceptance.reference.facts import Facts, Group
from tests.acceptance.reference.sizes import Sizes
from tests.acceptance.reference.tiers import ORDER

PACKING = ("global", "task", "session", "atomic")
OUTDATED = "its content is outdated"


@dataclass
class Item:
    """A group as it stands: state and form after the call before, then after this one."""

    group: Group
    state: str
    form: str
    tier: str
    task: int
    new: bool = False
    before: str = ""
    """State when the decision begins: after release and expiry."""
    was: str = ""
    shown: int = 0
    """Tokens of its blocks in the window before."""
    score: float = 0.0
    relevance: float = 0.0
    known: int = 0
    """The call sees the messages below this."""
    idle: int = 0
    """Calls since it was last in the window."""
    updated: dict[int, int] = field(default_factory=dict)
    """Results that edits known to the call brought up to date -> their tokens as they would stand now."""
    texts: dict[int, str] = field(default_factory=dict)
    """Their texts."""
    renewed: bool = False
    """One of these edits is new to the call."""
    difference: int | None = None
    """Tokens, where the program shows it as the difference from an earlier version; checked by limits."""


@dataclass
class Scene:
    """Everything that a call is decided from."""

    call: int
    known: int
    items: list[Item]
    task: int
    ended: int
    """The task of the call before."""
    expired: set[int]
    """Groups that expire at this call."""
    protected: set[int]
    pinned: set[int]
    instructions: set[int]
    """Of the protected: system and developer messages."""
    current: set[int]
    """The current request: the latest prompt, and the latest user message of any kind."""
    newest: int
    extra: int
    """Tokens of working state and summary in the window, as the program made them."""
    log: int = 0


@dataclass
class Outcome:
    """What the reference expects. `notes`: what cannot be told from outside at this call."""

    path: str
    states: dict[int, tuple[str, str]] = field(default_factory=dict)
    history: int = 0
    archived: set[int] = field(default_factory=set)
    notes: set[str] = field(default_factory=set)
    capped: set[int] = field(default_factory=set)
    tokens: int = 0
    """Of the window before the assembler has to cut anything; with working state and summary."""
    cuts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Tiers in which something did not fit -> (share of P, tokens of what is exempt, tokens used)."""


class Reference:
    """The rules, under one profile."""

    def __init__(self, facts: Facts, sizes: Sizes, profile: Profile, available: int) -> None:
        self.facts, self.sizes, self.profile, self.available = facts, sizes, profile, available

    def size(self, item: Item, form: str) -> int:
        """Tokens of a group as far as the call knows it."""
        if form in ("reference", "updated", "shrunk"):
            return item.shown
        return 0 if form == "out" else self.sizes.group(item.group, form, item.known)

    def decide(self, scene: Scene) -> Outcome:
        self._arrive(scene)
        live = sum(self.size(i, i.form) for i in scene.items)
        history = scene.log if self.profile.pressure_basis == "full_log" else live
        fast = history < self.profile.fast_path_threshold * self.available and live + scene.extra <= self.available
        out = Outcome("fast" if fast else "slow", history=history)
        if not fast:
            self._slow(scene, out)
        self._archive(scene, out, slow=not fast)
        out.tokens = scene.extra + sum(self.size(i, i.form) for i in scene.items)
        out.states = {i.group.index: (i.state, i.form) for i in scene.items}
        return out

    def _arrive(self, scene: Scene) -> None:
        """New items are active; what ended its task, was used once or is outdated changes its state at once."""
        for item in scene.items:
            index = item.group.index
            item.was = item.form
            if item.new:
                item.state, item.form = "active", "full"
            if index in scene.expired:
                item.state = "expired"
            elif item.state == "active" and self._released(item, scene):
                item.state = "standby"
            item.before = item.state
            leaves = self.profile.eager_lifecycle and item.state in ("standby", "expired")
            renews = self.profile.eager_lifecycle and item.form in ("full", "offloaded", "updated") and item.renewed
            if renews and index not in scene.current | {scene.newest}:
                self._bring_up(item, scene)
            if leaves and index not in scene.pinned | scene.protected and index not in scene.current | {scene.newest}:
                item.form = self._leaving(item)

    def _bring_up(self, item: Item, scene: Scene) -> None:
        """The group stands as the edits left its files; results that none edited as they would without that."""
        item.form, item.shown = "updated", self._now(item, scene)

    def _now(self, item: Item, scene: Scene) -> int:
        rest = "offloaded" if self._offloadable(item, scene) else "full"
        there = [m for m in item.group.messages if m < item.known]
        sizes = (item.updated.get(m, self.sizes.shown(m, rest)) for m in there)
        return sum(sizes) + self.sizes.placeholders(item.group, there)

    def _leaving(self, item: Item) -> str:
        if item.form == "out" or item.tier != "atomic" or item.state == "expired":
            return "out"
        return "stub"

    def _released(self, item: Item, scene: Scene) -> bool:
        """Released once: when its task ends, or at the call after the one that first saw it."""
        if item.tier == "task":
            return scene.ended <= item.task < scene.task
        return item.tier == "atomic" and self._seen(item.group) == scene.call - 1

    def _seen(self, group: Group) -> int:
        """The call that first saw the whole group."""
        return self.facts.first_call(group.messages[-1])

    def _slow(self, scene: Scene, out: Outcome) -> None:
        target = round(self.profile.trim_target * self.available)
        byindex = {i.group.index: i for i in scene.items}
        exempt = scene.current | {scene.newest} | scene.pinned | scene.protected
        for item in (i for i in scene.items if i.updated):
            item.shown = self._now(item, scene)
        forms = dict.fromkeys(exempt, "full")
        forms |= self._capped(scene, byindex, exempt, out, target)
        kept = {i: f for i, f in forms.items() if f != "out"}
        used: Counter[str] = Counter()
        for index, form in kept.items():
            used[byindex[index].tier] += self.size(byindex[index], form)
        used["session"] += scene.extra
        left = target - sum(used.values())
        chosen = self._pack(scene, set(kept), used, left, out)
        for item in scene.items:
            index = item.group.index
            form = kept.get(index) or chosen.get(index) or "out"
            self._settle(item, form)
        self._repeated(scene, set(kept))

    def _repeated(self, scene: Scene, kept: set[int]) -> None:
        """Of the same content twice the latest stands; the older becomes a reference where that is under half."""
        latest: dict[str, int] = {}
        there = [i for i in scene.items if i.form != "out"]
        for item in there:
            for m in item.group.messages:
                if m < scene.known and self.sizes.is_result(m) and not self._moved_out(item, m):
                    latest[self.sizes.whole[m]["content"]] = m
        for item in (i for i in there if i.group.index not in kept and i.form != "updated"):
            if item.difference is not None:
                item.form, item.shown = "reference", item.difference
                continue
            for m in item.group.messages:
                if m < scene.known and self.sizes.is_result(m):
                    last = latest.get(self.sizes.whole[m]["content"], m)
                    if last > m and self._worth(item, m, self.sizes.reference(m, last)):
                        item.form = "reference"
                        break

    def _worth(self, item: Item, message: int, small: int) -> bool:
        return small * 2 < self.sizes.full(message) and small < self.sizes.shown(message, item.form)

    def _moved_out(self, item: Item, message: int) -> bool:
        if message in item.updated and item.form == "updated":
            return True
        return self.sizes.shown(message, item.form) < self.sizes.full(message)

    def _capped(
        self, scene: Scene, items: dict[int, Item], exempt: set[int], out: Outcome, target: float
    ) -> dict[int, str]:
        """Forms of protected groups that are offloaded, and of those over the cap, which lose their exemption.

        Largest first, instructions last of all; what is current or newest counts as droppable, and is not dropped.
        """
        always = scene.current | {scene.newest}
        changed = {i: "updated" for i in (scene.protected | scene.pinned) - always if items[i].updated}
        over: set[int] = set()

        def total(of: Iterable[int]) -> int:
            return sum(self.size(items[i], changed.get(i, "full")) for i in of)

        if sum(self.size(items[i], "full") for i in exempt) >= target:
            for index in scene.protected - scene.pinned - scene.instructions - always - changed.keys():
                if self._offloadable(items[index], scene):
                    changed[index] = "offloaded"
        cap = round(self.profile.protected_cap * self.available)

        def biggest(index: int) -> tuple[int, int]:
            return -self.size(items[index], changed.get(index, "full")), index

        head = scene.protected - scene.pinned
        for some in (head - scene.instructions, scene.pinned, head & scene.instructions):
            for index in sorted(some, key=biggest):
                if total((scene.protected | scene.pinned) - over) <= cap:
                    break
                over.add(index)
        out.capped = over - always
        return changed | dict.fromkeys(out.capped, "out")

    def _pack(self, scene: Scene, kept: set[int], exempt: Counter[str], left: float, out: Outcome) -> dict[int, str]:
        """Each tier takes by score what fits its share of P and what is left of P."""
        p, chosen, lent = self.profile, {}, 0.0
        quotas = {tier: round(getattr(p, f"quota_{tier}") * round(self.available * p.trim_target)) for tier in ORDER}
        for tier in PACKING:
            used, passed = exempt[tier], False
            quota = quotas[tier] + (lent if p.quota_borrowing and tier != "global" else 0)
            candidates = [i for i in scene.items if i.tier == tier and i.group.index not in kept and self._candidate(i)]
            for item in sorted(candidates, key=lambda i: (i.score, i.group.index), reverse=True):
                form = self._form(item, scene)
                size = self.size(item, form)
                if size <= quota - used and size <= left:
                    chosen[item.group.index] = form
                    used, left = used + size, left - size
                else:
                    passed = True
            if passed:
                out.cuts[tier] = (round(quota), exempt[tier], used)
            if tier != "global":
                lent = max(0.0, quota - used)
        return chosen

    def _candidate(self, item: Item) -> bool:
        return item.state == "active" or (
            item.state == "standby" and (item.relevance > 0 or (item.tier == "atomic" and item.form != "out"))
        )

    def _form(self, item: Item, scene: Scene) -> str:
        """Look-ups that were used take part as stubs; large results that are old enough, too."""
        if item.tier == "atomic" and item.state == "standby":
            return "stub" if self.size(item, "stub") < self.size(item, "full") else "full"
        if item.updated:
            return "updated"
        return "offloaded" if self._offloadable(item, scene) else "full"

    def _offloadable(self, item: Item, scene: Scene) -> bool:
        """Whether a group has a large result, is old enough, and gets smaller by it."""
        first = self.facts.messages[item.group.messages[0]]
        old = scene.call - self._seen(item.group) > self.profile.offload_after
        large = any(self.sizes.large(m) for m in item.group.messages if m < scene.known)
        smaller = large and self.size(item, "offloaded") < self.size(item, "full")
        return bool(first.tool_calls) and old and smaller

    def _settle(self, item: Item, form: str) -> None:
        before = item.state
        item.form = form
        if form != "out":
            if before == "standby" and form != "stub":
                item.state = "active"
            return
        if before == "active":
            item.state = "standby"

    def _archive(self, scene: Scene, out: Outcome, slow: bool) -> None:
        """What was out for long goes to the archive; on the slow path also what is outdated, and what scores little."""
        for item in scene.items:
            if item.form != "out" or item.state not in ("standby", "expired"):
                continue
            weak = item.before == "standby" and item.score < self.profile.archive_below
            long = item.before == "standby" and item.was == "out" and item.idle >= self.profile.standby_calls
            if long or (slow and (weak or item.state == "expired")):
                item.state = "archived"
                out.archived.add(item.group.index)
