"""Whether an answer of Why contradicts its own figures, the trace, or the window: every sentence is taken at its word.

What a sentence claims is looked up elsewhere: in the window, the manifest, the frame, the trace of the call that it
names. A sentence that no rule knows is a contradiction too, so that new ones are checked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ravenglass.hub.item import State
from ravenglass.replay import SimulatedRun
from ravenglass.replay.frame import Why

_N = r"([\d,]+)"


def contradictions(run: SimulatedRun, call: int, message: int) -> list[str]:
    """What is wrong with the answer for one message at one call; empty for one that is right."""
    why = run.why(call, message)
    return [f"call {call}, #{message}: {what}" for what in _Answer(run, why).wrong()]


def _number(text: str) -> int:
    return int(text.replace(",", ""))


class _Answer:
    def __init__(self, run: SimulatedRun, why: Why) -> None:
        self.run, self.why = run, why
        self.call, self.message = why.call, why.message
        self.group = run.session.structure.group_of[why.message]

    def wrong(self) -> Iterator[str]:
        why, run = self.why, self.run
        if why.included != run.in_window(self.call, self.message):
            yield f"included is {why.included}"
        if why.headline.startswith("It is in ") and not why.included:
            yield why.headline
        if why.headline.startswith(("It is out ", "It was ", "It left ")) and why.included:
            yield why.headline
        parts = (why.relevance, why.recency, why.reliability)
        if abs(why.score - sum(w * part for w, part in zip(why.weights, parts, strict=True))) > 1e-9:
            yield f"score {why.score} is not the sum of its parts"
        if why.rank is not None and not 1 <= why.rank <= why.ranked:
            yield f"rank {why.rank} of {why.ranked}"
        if why.decided_at and (why.decided_at > self.call or run.paths[why.decided_at - 1] == "fast"):
            yield f"decided at call {why.decided_at}"
        for sentence in (why.headline, *why.reasons):
            yield from self._sentence(sentence)

    def _sentence(self, sentence: str) -> Iterator[str]:
        for at in re.findall(r"(?:at|for|call) call (\d+)|: call (\d+)", sentence):
            number = int(at[0] or at[1])
            if not 1 <= number <= self.call:
                yield f"names call {number}: {sentence}"
        for pattern, rule in _RULES:
            found = re.fullmatch(pattern, sentence)
            if found is not None:
                if not rule(self, *found.groups()):
                    yield sentence
                return
        yield f"no rule knows: {sentence}"

    def kept(self, at: str) -> bool:
        """In the window of the call that decided, and in that of the call shown."""
        return self.holds(int(at)) and self.why.included

    def holds(self, call: int) -> bool:
        return self.run.in_window(call, self.message)

    def decided(self, at: str) -> bool:
        return int(at) == self.why.decided_at

    def traced(self, at: str, event: str) -> list[dict[str, object]]:
        return [dict(e.payload) for e in self.run.events(int(at)) if e.event == event]

    def first(self) -> int:
        return self.run.inputs.features.groups[self.group].messages[0]

    # What the sentences claim.

    def fast(self, history: str, threshold: str) -> bool:
        run, call = self.run, self.call
        return (
            all(path == "fast" for path in run.paths[:call])
            and _number(history) < _number(threshold) == run.budget.threshold
            and run.frame(call).history_tokens == _number(history)
            and self.why.included
        )

    def newer(self, at: str) -> bool:
        last = max(n for n in range(1, self.call + 1) if self.run.paths[n - 1] != "fast")
        return int(at) == last and self.run.rows(last) <= self.message and self.why.included

    def fitted(self, rank: str, ranked: str, tier: str, at: str, quota: str, needed: str, room: str) -> bool:
        return (
            self.kept(at)
            and self.decided(at)
            and _number(needed) <= _number(room) <= _number(quota)
            and self._ranks(rank, ranked, tier, at)
            and _number(needed) == self._size(int(at))
        )

    def cut(self, rank: str, ranked: str, tier: str, at: str, needed: str, room: str) -> bool:
        quota = next((q for q in self.traced(at, "quota_exceeded") if q["tier"] == tier), None)
        return (
            not self.holds(int(at))
            and not self.why.included
            and self.decided(at)
            and _number(needed) > _number(room)
            and self._ranks(rank, ranked, tier, at)
            and _number(needed) == self._size(int(at))
            and quota is not None
            and _number(room) <= int(str(quota["quota"]))
            and int(str(quota["cut_rank"])) <= int(rank)
            and quota["ranked"] == int(ranked)
            and quota["cut_rank"] == self.why.cut_rank
        )

    def _ranks(self, rank: str, ranked: str, tier: str, at: str) -> bool:
        row = self.run.row(int(at), self.message) if self.message < self.run.rows(int(at)) else None
        return (int(rank), int(ranked)) == (self.why.rank, self.why.ranked) and (row is None or row.tier == tier)

    def _size(self, at: int) -> int:
        """Tokens of the group in the form that the slow path of a call gave, or would have given it."""
        view = self.run.rerun(at).view
        return view.tokens(self.group, view.base_form(self.group, keep_whole=False))

    def first_cut(self, rank: str, score: str, above: str) -> bool:
        why = self.why
        if why.cut_rank != int(rank) or why.cut_score is None or why.rank is None:
            return False
        return (
            why.rank > int(rank)
            and abs(why.cut_score - float(score)) <= 0.005001
            and abs(why.cut_score - why.score - float(above)) <= 0.005001
        )

    def dropped(self, at: str, available: str) -> bool:
        verdicts = [*self.traced(at, "slow_path_accepted"), *self.traced(at, "fallback")]
        named = any(self.first() in v["validation"]["dropped"] for v in verdicts)  # type: ignore[index]
        budget = self.run.facts_at(int(at)).budget.available
        return named and not self.holds(int(at)) and _number(available) == budget

    def no_candidate(self, at: str) -> bool:
        return not self.why.matched and not self.holds(int(at)) and self.why.rank is None and self.why.relevance == 0

    def unwanted(self, at: str) -> bool:
        return not self.holds(int(at)) and self.why.rank is None and self.why.relevance == 0

    def was(self, at: str, state: State) -> bool:
        run, before = self.run, int(at) - 1
        states = {run.state(int(at), self.message)} | ({run.state(before, self.message)} if before else set())
        return state in states and not self.holds(int(at))

    def pinned_now(self, *_: str) -> bool:
        return self.run.row(self.call, self.message).pinned

    def came_back(self, at: str) -> bool:
        return not self.holds(int(at)) and self.why.included

    def left(self, at: str) -> bool:
        return self.holds(int(at)) and not self.why.included

    def archived(self, at: str, reason: str) -> bool:
        named = [e for e in self.run.events(int(at)) if e.event == "archived" and self.message in e.messages]
        return any(e.payload["reason"] == reason for e in named)

    def stubs(self, over: str, after: str) -> bool:
        decided = self.run.facts_at(self.why.decided_at or self.call)
        profile, features = decided.profile, decided.features
        group = features.groups[self.group]
        large = any(
            self.run.inputs.sizes.full[m] > profile.offload_tokens and self.run.session.messages[m].role == "tool"
            for m in group.messages
        )
        given = (profile.offload_tokens, profile.offload_after)
        return (_number(over), int(after)) == given and large and self.call - group.call > int(after)

    def over_cap(self, tokens: str, cap: str) -> bool:
        events = self.traced(str(self.why.decided_at), "protected_overflow")
        return _number(tokens) > _number(cap) and any(
            (e["tokens"], e["cap"]) == (_number(tokens), _number(cap)) for e in events
        )

    def other_members(self, others: str) -> bool:
        members = self.run.inputs.features.groups[self.group].messages
        return sorted(map(int, re.findall(r"\d+", others))) == sorted(m for m in members if m != self.message)

    def summarized(self, at: str) -> bool:
        told = self.run.summary(self.call)
        return told is not None and told.call == int(at) and not self.why.included

    def released(self, at: str, _: str) -> bool:
        return int(at) <= self.call and self.run.state(self.call, self.message) is State.STANDBY

    def form(self, *labels: str) -> bool:
        return self.run.row(self.call, self.message).form.label in labels

    def regretted(self, how: str) -> bool:
        kind = "name" if how == "needed" else "fetch_again"
        return any(r.call == self.call and self.message in r.sources and r.kind == kind for r in self.run.regrets)

    def call_left_out(self, head: str) -> bool:
        """The message with the calls stands there with fewer than the record has, its own among those that are not."""
        block = next(one for one in self.run.window(self.call).messages if one.id == int(head))
        own = self.run.session.messages[self.message].tool_call_id
        recorded = [call.id for call in self.run.session.messages[int(head)].tool_calls]
        shown = [call_id for call_id, _, _ in block.tool_calls]
        return own in recorded and own not in shown and not self.holds(self.call)

    def more_regrets(self, count: str) -> bool:
        """Three are told one by one."""
        found = [r for r in self.run.regrets if r.call == self.call and self.message in r.sources]
        return len(found) == 3 + int(count)

    def anything(self, *_: str) -> bool:
        return True


def _rule(pattern: str, rule: Callable[..., bool]) -> tuple[str, Callable[..., bool]]:
    return pattern, rule


_RULES = (
    _rule(rf"Everything live passes: history {_N} tokens is under the fast path threshold of {_N}\.", _Answer.fast),
    _rule(
        r"It left before any slow path ran: by hand, or because released items leave at once\.",
        lambda a: all(path == "fast" for path in a.run.paths[: a.call]) and not a.why.included,
    ),
    _rule(r"It is in because it is newer than the last slow path, at call (\d+)\.", _Answer.newer),
    _rule(r"It is out although no slow path has decided on it yet\.", lambda a: not a.why.included),
    _rule(
        r"It is in because it ranked (\d+) of (\d+) in the (\w+) tier at call (\d+) and fitted its quota of"
        rf" {_N} tokens: it needed {_N}, and {_N} were left when its turn came\.",
        _Answer.fitted,
    ),
    _rule(
        rf"It is out because it ranked (\d+) of (\d+) in the (\w+) tier at call (\d+): it needed {_N} tokens, and {_N}"
        r" were left when its turn came\.",
        _Answer.cut,
    ),
    _rule(
        r"The first group of the tier that did not fit ranked (\d+) \(score ([\d.]+)\), ([\d.]+) above this one\.",
        _Answer.first_cut,
    ),
    _rule(rf"It was dropped at call (\d+), because the window would have passed the budget of {_N}\.", _Answer.dropped),
    _rule(
        r"It was no candidate at call (\d+): it was on standby and shares no entity with the request or an open goal\.",
        _Answer.no_candidate,
    ),
    _rule(
        r"It was no candidate at call (\d+): it was on standby, and its relevance was set to 0 by hand\.",
        _Answer.unwanted,
    ),
    _rule(
        r"It was left out at call (\d+), because its content is outdated\.",
        lambda a, at: not a.holds(int(at)) and not a.why.included,
    ),
    _rule(r"It was already archived when the slow path ran at call (\d+)\.", lambda a, at: a.was(at, State.ARCHIVED)),
    _rule(r"It is in because it is pinned: .*", lambda a: a.kept(str(a.why.decided_at))),
    _rule(r"It is in because it belongs to the protected head .*", lambda a: a.kept(str(a.why.decided_at))),
    _rule(r"It is in because it is protected by hand: .*", lambda a: a.kept(str(a.why.decided_at))),
    _rule(r"It is in because it was the current request or the newest group at call (\d+)\.", _Answer.kept),
    _rule(r"It is in because [\w ,'\-()]+ holds it, or a message of its group: call (\d+)\.", _Answer.kept),
    _rule(r"It is in because the plan made by hand for call (\d+) names .*", _Answer.kept),
    _rule(
        r"It is out because message #(\d+) has more calls than there was room for, and its call is left out\.",
        _Answer.call_left_out,
    ),
    _rule(r"It is out because [\w ,'\-()]+ does not hold it: call (\d+)\.", lambda a, at: not a.holds(int(at))),
    _rule(
        r"It is out because the plan made by hand for call (\d+) does not name it\.",
        lambda a, at: not a.holds(int(at)),
    ),
    _rule(r"It came back after the slow path at call (\d+)\.", _Answer.came_back),
    _rule(r"It left after the slow path at call (\d+)\.", _Answer.left),
    _rule(
        r"It is out because [^:]*\.",
        lambda a: a.message in a.run.session.structure.never_sent and not a.why.included,
    ),
    _rule(r"It stands or goes with (.*): a group is never split\.", _Answer.other_members),
    _rule(rf"Results over {_N} tokens older than (\d+) calls are stubs; their address retrieves them\.", _Answer.stubs),
    _rule(r"Its result was for one call; it stands as a stub with its address\.", lambda a: a.form("stub")),
    _rule(
        r"It stands as the edits since left the file, not as it was read; its address retrieves that\.",
        lambda a: a.form("updated"),
    ),
    _rule(r"It was cut to what was left of the budget\.", lambda a: a.form("shrunk")),
    _rule(r"Its content stands in the window elsewhere; .*", lambda a: a.form("reference")),
    _rule(r"Pinned by a rule: .*", _Answer.pinned_now),
    _rule(r"Pinned by hand\.", _Answer.pinned_now),
    _rule(r"A rule pins it \(.*\), but it was unpinned by hand\.", lambda a: not a.pinned_now()),
    _rule(r"It was pinned until the same instruction was read again in #(\d+)\.", _Answer.anything),
    _rule(r"Protected by hand\.", _Answer.anything),
    _rule(r"It is in the head of the session, but its protection was taken away by hand\.", _Answer.anything),
    _rule(
        rf"Protected and pinned groups take {_N} tokens, over their cap of {_N}; this one lost its exemption, .*",
        _Answer.over_cap,
    ),
    _rule(r"Demoted from global to task when it was registered: .*", _Answer.anything),
    _rule(r"Its content is outdated: .*", _Answer.anything),
    _rule(r"Released at call (\d+), when (.*)\.", _Answer.released),
    _rule(r"Archived at call (\d+): (.*)\.", _Answer.archived),
    _rule(r"The summary made at call (\d+) stands for it; the whole message stays retrievable\.", _Answer.summarized),
    _rule(r"The response of this call (needed|fetched) [\s\S]*", _Answer.regretted),
    _rule(r"More regrets of it: (\d+)\.", _Answer.more_regrets),
    _rule(r"The record never answers one of its calls; .*", _Answer.anything),
    _rule(r"It is the result of a call that is not in the record; .*", _Answer.anything),
)
