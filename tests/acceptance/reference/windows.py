"""What a window holds, block by block, against what the record says and the forms that the reference expects."""

from __future__ import annotations

import re
from collections import Counter

from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.simulate import Scene
from tests.acceptance.reference.sizes import NEWER, Sizes, block_tokens, reference_text
from tests.acceptance.reference.tally import Tally

SAME = re.compile(r"\[the same content as message #(\d+); retrieve (cxt://\S+) if that is not in the window\]")
CUT = "characters cut to fit; retrieve cxt://"


def window(facts: Facts, sizes: Sizes, made: Observed, scene: Scene, costs: list[int], tally: Tally) -> None:
    """One window: its messages, their order and texts, pairs, totals."""
    told, call = made.windows[scene.call - 1], made.report["calls"][scene.call - 1]
    blocks: list[Json] = told["messages"]
    ids = [b["id"] for b in blocks if b["id"] is not None]
    forms = {i.group.index: made.lives[i.group.messages[0]][scene.call - 1][1] for i in scene.items}
    wanted = [m for i in scene.items if forms[i.group.index] != "out" for m in i.group.messages if m < scene.known]
    tally.same("window messages", sorted(wanted), sorted(ids), "messages in the window")
    order(facts, sizes, made, blocks, tally)
    pairs(facts, blocks, tally)
    tally.same("tokens", sum(costs), told["tokens"], "tokens of the window")
    tally.same("tokens", sum(costs), call["window_tokens"], "tokens of the report")
    tally.holds("tokens", sum(costs) <= made.report["budget"]["available"], f"{sum(costs)} tokens are over C")
    tally.same("tokens", by_tier(scene, facts, blocks, costs), call["by_tier"], "tokens by tier")
    tally.same("window messages", len(ids), call["included"], "messages that the report counts")
    before = {b["id"] for b in made.windows[scene.call - 2]["messages"]} - {None} if scene.call > 1 else set()
    tally.same("window messages", len(before - set(ids)), call["evicted"], "messages that left")
    for m in (m for index in scene.current for m in facts.groups[index].messages if m < scene.known):
        tally.holds("current, newest", m in ids or bool(call.get("impossible")), f"the current request #{m} is out")
    newest = facts.groups[scene.newest].messages
    tally.holds(
        "current, newest", {m for m in newest if m < scene.known} <= set(ids), f"the newest group {newest} is out"
    )
    kept = {b["id"]: b["content"] for b in made.windows[scene.call - 2]["messages"]} if scene.call > 1 else {}
    for block in blocks:
        if block["id"] is not None and forms[facts.group_of[block["id"]].index] == "updated":
            updated(facts, sizes, scene, kept if call["path"] == "fast" else {}, block, tally)
        elif block["id"] is not None:
            text(facts, sizes, made, scene, forms[facts.group_of[block["id"]].index], block, tally)


def by_tier(scene: Scene, facts: Facts, blocks: list[Json], costs: list[int]) -> dict[str, int]:
    """Tokens by tier; working state, summary and opening mark count in the session tier, stand-ins in their call's."""
    found = dict.fromkeys(("global", "session", "task", "atomic"), 0)
    tier = {i.group.index: i.tier for i in scene.items}
    holder: dict[str, str] = {}
    for block, cost in zip(blocks, costs, strict=True):
        if block["id"] is not None:
            mine = tier[facts.group_of[block["id"]].index]
            holder |= {c["id"]: mine for c in block.get("tool_calls", ())}
        else:
            mine = holder.get(block.get("tool_call_id", ""), "session")
        found[mine] += cost
    return found


def order(facts: Facts, sizes: Sizes, made: Observed, blocks: list[Json], tally: Tally) -> None:
    """Head first, then the history: groups in the order in which they were said, each together."""
    head = [b["role"] in ("system", "developer") for b in blocks]
    tally.holds("order", head == sorted(head, reverse=True), "an instruction stands inside the history")
    history = [b for b in blocks if b["role"] not in ("system", "developer")]
    tally.holds(
        "order", bool(history) and history[0]["role"] == "user", "the history does not start with a user message"
    )
    ids = [b["id"] for b in history if b["id"] is not None]
    groups = list(dict.fromkeys(facts.group_of[m].index for m in ids))
    tally.same(
        "order",
        [m for g in sorted(groups) for m in facts.groups[g].messages if m in set(ids)],
        ids,
        "order of the history",
    )


def pairs(facts: Facts, blocks: list[Json], tally: Tally) -> None:
    """Every call has its results directly behind it, every result its call."""
    waiting: Counter[str] = Counter()
    for position, block in enumerate(blocks):
        if block["role"] == "tool":
            tally.holds("pairs", waiting[block["tool_call_id"]] > 0, f"block {position} is a result without its call")
            waiting[block["tool_call_id"]] -= 1
            continue
        tally.holds("pairs", not +waiting, f"block {position} stands where results are missing")
        waiting = Counter(c["id"] for c in block.get("tool_calls", ()))
    tally.holds("pairs", not +waiting, "results are missing at the end")


def updated(facts: Facts, sizes: Sizes, scene: Scene, kept: dict[int, str], block: Json, tally: Tally) -> None:
    """A message of a group that stands as edits left it: as in the window before, or brought up now."""
    m = block["id"]
    item = next(i for i in scene.items if m in i.group.messages)
    expected = [item.texts[m]] if m in item.texts else [sizes.whole[m]["content"]]
    if m not in item.texts and sizes.large(m):
        expected.append(sizes.stub_of(m))
    if m in kept:
        expected.append(kept[m])
    tally.holds("texts", block["content"] in expected, f"text of #{m} as updated: {block['content'][:80]!r}")


def difference(facts: Facts, sizes: Sizes, made: Observed, scene: Scene, block: Json, tally: Tally) -> None:
    """By limits: under half of the whole, and its first version stands whole in the same window."""
    base = int(block["content"].removeprefix(NEWER).partition(",")[0])
    there = {b["id"]: b["content"] for b in made.windows[scene.call - 1]["messages"]}
    whole = base in there and there[base] == sizes.whole[base]["content"]
    tally.holds("references", whole, f"#{block['id']} is a difference from #{base}, which is not whole")
    small = block_tokens(block, made.profile, 0) * 2 < sizes.full(block["id"])
    tally.holds("references", small, f"the difference #{block['id']} is no smaller than half")


def text(facts: Facts, sizes: Sizes, made: Observed, scene: Scene, form: str, block: Json, tally: Tally) -> None:
    """The very text that a form stands for."""
    m, whole = block["id"], sizes.whole[block["id"]]
    rest = {k: v for k, v in block.items() if k not in ("content", "reasoning_content", "tool_calls")}
    tally.same("texts", {k: v for k, v in whole.items() if k in rest and k != "content"}, rest, f"frame of #{m}")
    if CUT in block["content"] or form == "shrunk":
        tally.apart["text: cut to fit"] += 1
        tally.holds(
            "cut texts", form == "shrunk" or CUT not in block["content"], f"#{m} is cut, and its form is {form}"
        )
        return
    if block["content"].startswith(NEWER):
        tally.apart["text: difference"] += 1
        tally.holds("cut texts", form == "reference", f"#{m} is a difference, and its form is {form}")
        difference(facts, sizes, made, scene, block, tally)
        return
    expected, moved = whole["content"], sizes.shown(m, form) < sizes.full(m)
    if moved and form in ("stub", "offloaded"):
        expected = sizes.stub_of(m)
    same = SAME.fullmatch(block["content"])
    if form == "reference" and same:
        last = int(same.group(1))
        expected = reference_text(last, sizes.addresses[last])
        equal = last > m and sizes.whole[last]["content"] == whole["content"]
        tally.holds("references", equal, f"#{m} says that #{last} has the same content")
    if form == "reference" and not same and facts.messages[m].role == "tool" and sizes.large(m):
        expected = expected if block["content"] == expected else sizes.stub_of(m)
    tally.same("texts", expected, block["content"], f"text of #{m} as {form}")
    for key in ("reasoning_content", "tool_calls"):
        tally.same("texts", whole.get(key), block.get(key), f"{key} of #{m}")
