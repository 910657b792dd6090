"""The tiers of a growing conversation, group by group, with the cap of the global tier."""

from __future__ import annotations

from ravenglass.hub.tiers import off_list, tier_of
from ravenglass.rules import TierName, TierRule
from ravenglass.scheduler.global_cap import GlobalCap
from ravenglass.sessions.model.session import Group, Session


class GrowingTiers:
    """Takes in groups in their order. `tier` and `demoted` are as `Standing` has them, under one cap in tokens."""

    def __init__(self, session: Session, rules: tuple[TierRule, ...], cap: int) -> None:
        self.tier: list[TierName] = []
        self.demoted: dict[int, str] = {}
        self._session, self._rules, self._cap = session, rules, cap
        self._mixed: dict[int, tuple[str, ...]] = {}
        """Of groups that are global by the rules: what of them is not on the white list."""
        self._told = 0
        self._rule = GlobalCap(cap, 0)

    def tell(self, tokens: int, full: list[int]) -> bool:
        """So many tokens of instructions are to come. False where a group has another tier by it."""
        self._told += tokens
        return not tokens or self._anew(full)

    def take(self, group: Group, full: list[int], *, instruction: bool) -> None:
        """Take in the next group; `full` has its tokens already, and of instructions it was told before."""
        g, tier = group.index, tier_of(self._session, self._rules, group)
        self.tier.append(tier)
        if tier == "global" and not instruction:
            self._mixed[g] = off_list(self._session, self._rules, group)
            self._judge(g, full)

    def again(self, g: int, full: list[int]) -> bool:
        """A group takes another number of tokens now. False where one has another tier by it."""
        return g not in self._mixed or self._anew(full)

    def _anew(self, full: list[int]) -> bool:
        before = self.demoted.keys()
        self.demoted = {}
        self._rule = GlobalCap(self._cap, self._told)
        for g in self._mixed:
            self._judge(g, full)
        return self.demoted.keys() == before

    def _judge(self, g: int, full: list[int]) -> None:
        reason = self._rule.demotes(full[g], self._mixed[g])
        self.tier[g] = "task" if reason else "global"
        if reason:
            self.demoted[g] = reason
