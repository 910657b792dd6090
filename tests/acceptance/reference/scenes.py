"""Makes the scene of a call from a session, its messages' sizes, and what the program said of the call before."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ravenglass.profile import Profile
from tests.acceptance.reference.counting import tokens
from tests.acceptance.reference.edits import MARK, Edits
from tests.acceptance.reference.facts import Facts, Group, Json
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.simulate import OUTDATED, Item, Scene
from tests.acceptance.reference.sizes import NEWER, Sizes, block_tokens, stub_text


def protected(facts: Facts, profile: Profile, known: int) -> set[int]:
    """The session's head: a prompt and the first response to it with its results, `protect_first_n` times."""
    found, seen, waiting = set(), 0, False
    for group in facts.groups:
        first = facts.messages[group.messages[0]]
        if first.id >= known or first.id in facts.never:
            continue
        if first.role == "user" and first.kind == "prompt":
            if seen == profile.protect_first_n:
                break
            seen, waiting = seen + 1, True
            found.add(group.index)
        elif waiting and first.id in facts.calls:
            waiting = False
            found.add(group.index)
    return found


def instructions(facts: Facts, known: int) -> set[int]:
    return {
        g.index
        for g in facts.groups
        if g.messages[0] < known and facts.messages[g.messages[0]].role in ("system", "developer")
    }


def pinned(facts: Facts, profile: Profile, known: int) -> set[int]:
    """The latest exchange of each instruction that a pin rule names."""
    latest: dict[str, int] = {}
    for group in facts.groups:
        if group.messages[0] >= known:
            continue
        for call in facts.messages[group.messages[0]].tool_calls:
            for rule in profile.pin_rules:
                if not fnmatchcase(call.name, rule.tool):
                    continue
                for text in facts.strings(call.arguments):
                    if fnmatchcase(text, rule.argument):
                        latest[text] = group.index
    return set(latest.values())


class Scenes:
    """Scenes of one run, call by call."""

    def __init__(self, facts: Facts, sizes: Sizes, made: Observed) -> None:
        self.facts, self.sizes, self.made = facts, sizes, made
        self.edits = Edits(facts)
        self.tier: dict[int, str] = {}
        self.task: dict[int, int] = {}
        self.now = 0
        self.last_in: dict[int, int] = {}

    def cost(self, block: Json) -> int:
        """Tokens of a recorded message's block; what was cut has no picture any more."""
        if block["id"] is None:
            return block_tokens(block, self.made.profile, 0)
        whole = block["content"] == self.sizes.whole[block["id"]]["content"]
        return block_tokens(block, self.made.profile, self.sizes.attached(block["id"]) if whole else 0)

    def edited(self, item: Item, call: int) -> None:
        """What edits made of the group's results, and whether the program shows it as a difference."""
        profile, known = self.made.profile, self.facts.known(call)
        before = self.facts.known(call - 1) if call > 1 else 0
        for m in item.group.messages if profile.edited_files else ():
            if m < known and (found := self.edits.shown(m, known)):
                item.texts[m] = self.text_of(m, item.group, call)
                item.updated[m] = block_tokens({**self.sizes.whole[m], "content": item.texts[m]}, profile, 0)
                item.renewed |= self.edits.shown(m, before) != found
        for block in self.made.windows[call - 1]["messages"]:
            if block["id"] in item.group.messages and block["content"].startswith(NEWER):
                mine = [b for b in self.made.windows[call - 1]["messages"] if b["id"] in item.group.messages]
                item.difference = sum(map(self.cost, mine))

    def text_of(self, message: int, group: Group, call: int) -> str:
        """What stands for a read that was edited since; where it is large and old, the stub of that."""
        found, p = self.edits.shown(message, self.facts.known(call)), self.made.profile
        assert found is not None
        said = MARK.format(edit=found[0], content=found[1])
        old = call - self.facts.first_call(group.messages[-1]) > p.offload_after
        if old and tokens(said, p.tokenizer) + p.message_overhead > p.offload_tokens:
            short = stub_text(said, self.sizes.addresses[message], p)
            said = min(short, said, key=lambda text: tokens(text, p.tokenizer))
        return said

    def scene(self, call: int) -> Scene:
        facts, made, p = self.facts, self.made, self.made.profile
        known = facts.known(call)
        outdated, was = set(), self.now
        for event in made.events[call - 1]:
            payload = event["payload"]
            if event["event"] == "item_registered":
                index = facts.group_of[payload["messages"][0]].index
                self.tier[index], self.task[index] = payload["tier"], payload["task"]
                self.now = max(self.now, payload["task"])
            if event["event"] == "archived" and payload["reason"] == OUTDATED:
                outdated.add(facts.group_of[int(payload["ref"].partition("#")[2].partition("-")[0])].index)
        items = []
        for group in facts.groups:
            if group.messages[0] >= known or group.index not in self.tier or group.messages[0] in facts.never:
                continue
            m = group.messages[0]
            state, form = made.lives[m][call - 2] if call > 1 else ("", "")
            if made.lives[m][call - 1][0] == "expired" and state != "expired":
                outdated.add(group.index)
            items.append(
                Item(group, state, form, self.tier[group.index], self.task[group.index], new=not state, known=known)
            )
            self.edited(items[-1], call)
            if form in ("reference", "updated", "shrunk"):
                items[-1].shown = sum(
                    self.cost(b) for b in made.windows[call - 2]["messages"] if b["id"] in group.messages
                )
        window = made.windows[call - 1]
        extra = sum(block_tokens(b, p, 0) for b in window["messages"] if b["id"] is None and b["role"] == "system")
        users = [m for m in range(known) if facts.messages[m].role == "user" and m not in facts.never]
        prompts = [m for m in users if facts.messages[m].kind == "prompt"]
        current = {facts.group_of[m].index for m in (*prompts[-1:], *users[-1:])}
        # Results that no call has seen yet are the reason for this one.
        since = facts.known(call - 1) if call > 1 else 0
        current |= {
            i.group.index
            for i in items
            if any(since <= m < known and facts.messages[m].role == "tool" for m in i.group.messages)
        }
        newest = max((i.group.index for i in items), default=0)
        told = instructions(facts, known) & self.tier.keys()
        # What was archived while it was over the cap does not come back by itself.
        gone = {i.group.index for i in items if i.state == "archived"}
        kept = ((protected(facts, p, known) & self.tier.keys()) | told) - gone
        pins = pinned(facts, p, known)
        made_scene = Scene(
            call, known, items, self.now, was, outdated, kept, pins, told, current, newest, extra
        )  # fmt: skip
        if window["path"] != "fast":
            for item in items:
                scores = [made.run.row(call, m).score for m in item.group.messages if m < known]
                relevances = [made.run.row(call, m).relevance for m in item.group.messages if m < known]
                item.score, item.relevance = max(scores), max(relevances)
        for item in items:
            item.idle = call - 1 - self.last_in.get(item.group.index, item.group.call - 1)
        made_scene.log = sum(self.sizes.group(i.group, "full") for i in items)
        for item in items:
            if made.lives[item.group.messages[0]][call - 1][1] not in ("out", ""):
                self.last_in[item.group.index] = call
        return made_scene
