"""Compares one run with the reference, call by call. Every comparison has a kind, which the printed table counts."""

from __future__ import annotations

from tests.acceptance.reference.archives import archive
from tests.acceptance.reference.cache import cached
from tests.acceptance.reference.counting import tokens
from tests.acceptance.reference.expired import expired
from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.scenes import Scenes, instructions, pinned, protected
from tests.acceptance.reference.simulate import Outcome, Reference, Scene
from tests.acceptance.reference.sizes import Sizes
from tests.acceptance.reference.state import working_state
from tests.acceptance.reference.tally import Tally
from tests.acceptance.reference.tiers import ORDER, Global
from tests.acceptance.reference.windows import window

FORMS_BY_LIMIT = ("shrunk",)


def compare(facts: Facts, whole: dict[int, Json], made: Observed, tally: Tally) -> None:
    """All of one run."""
    calls = len(facts.calls)
    tally.where = f"{made.path.name} under {made.profile.name}"
    tally.runs += 1
    tally.calls += calls
    budget(facts, made, tally)
    structure(facts, made, tally)
    if not calls:
        return
    rows = made.run.rows(calls)
    sizes = Sizes(facts, whole, {m: made.run.row(calls, m).address for m in range(rows)}, made.profile)
    scenes = Scenes(facts, sizes, made)
    reference = Reference(facts, sizes, made.profile, made.report["budget"]["available"])
    roof = Global(facts, sizes, made.profile, made.report["budget"]["available"])
    blocks: list[list[int]] = []
    for call in range(1, calls + 1):
        tally.where = f"{made.path.name} under {made.profile.name}, call {call}"
        scene = scenes.scene(call)
        tiers(facts, roof, made, call, tally)
        outcome = reference.decide(scene)
        decided(facts, made, scene, outcome, tally)
        scores(facts, made, scene, tally)
        blocks.append([scenes.cost(b) for b in made.windows[call - 1]["messages"]])
        window(facts, sizes, made, scene, blocks[-1], tally)
        working_state(facts, made, call, tally)
    tally.where = f"{made.path.name} under {made.profile.name}"
    found = cached(facts, made.windows, blocks, made.report["budget"]["system"], made.profile, marked(made, tally))
    for number, (ours, call) in enumerate(zip(found.reads, made.report["calls"], strict=True), 1):
        tally.same("cache reads", ours, call["cache_read"], f"tokens read at call {number}")
    metrics = made.report["metrics"]
    tally.same("cache hits", found.hit, metrics["cache_hit"], "cache hit")
    tally.same("cache hits", found.breaks, metrics["cache_breaks"], "cache breaks")
    tally.same("cost", found.cost, metrics["cost"], "cost")
    archive(facts, made, tally)
    expired(facts, made, tally)


def marked(made: Observed, tally: Tally) -> list[list[int]]:
    """The breakpoints of every call: at most as many as the profile has, in order, none behind the window's end."""
    found = []
    for call in made.report["calls"]:
        marks = [mark["tokens"] for mark in call["breakpoints"]]
        tally.holds(
            "breakpoints", len(marks) <= made.profile.cache_breakpoints, f"call {call['call']} has {len(marks)} marks"
        )
        tally.holds("breakpoints", marks == sorted(set(marks)), f"marks {marks} of call {call['call']}")
        tally.holds(
            "breakpoints", all(m <= call["window_tokens"] for m in marks), f"marks behind the end at {call['call']}"
        )
        found.append(marks)
    return found


def budget(facts: Facts, made: Observed, tally: Tally) -> None:
    """Section 3: C = W - O - S - B, and the quotas of C, to whole tokens."""
    p, told, session = made.profile, made.report["budget"], facts.session
    beside = "".join(text for text in (session.system_prompt, session.tools_text) if text)
    overhead = p.system_overhead
    if beside:
        overhead = sum(tokens(t, p.tokenizer) for t in (session.system_prompt, session.tools_text) if t)
    output, safety = round(p.window * p.output_reserve), round(p.window * p.safety_buffer)
    available = p.window - output - overhead - safety
    for name, value in (
        ("window", p.window), ("output_reserve", output), ("system", overhead), ("safety", safety),
        ("available", available),
    ):  # fmt: skip
        tally.same("budget", value, told[name], name)
    for tier in ORDER:
        tally.same("quotas", round(getattr(p, f"quota_{tier}") * available), told["quotas"][tier], f"quota of {tier}")


def structure(facts: Facts, made: Observed, tally: Tally) -> None:
    """Section 1: groups, turns, calls; pairs of calls and results."""
    told = made.report["session"]
    prompts = {
        t for m, t in zip(facts.messages, facts.turn_of, strict=True) if m.kind == "prompt" and m.id not in facts.never
    }
    ours = {
        "messages": len(facts.messages), "groups": len(facts.groups), "turns": len(prompts), "calls": len(facts.calls),
        "tool_results": sum(m.role == "tool" for m in facts.messages),
        "tool_calls": sum(len(m.tool_calls) for m in facts.messages),
    }  # fmt: skip
    for name, value in ours.items():
        tally.same("structure", value, told[name], name)
    mine = [(g.messages, g.turn, g.call) for g in facts.groups]
    theirs = [(g.messages, g.turn, g.call) for g in facts.session.structure.groups]
    tally.same("structure", mine, theirs, "groups")


def tiers(facts: Facts, roof: Global, made: Observed, call: int, tally: Tally) -> None:
    """Section 4: the tier of everything that is registered at a call."""
    for event in made.events[call - 1]:
        if event["event"] == "item_registered":
            told = event["payload"]
            group = facts.group_of[told["messages"][0]]
            if group.messages[0] in facts.never:
                continue
            tally.same("tiers", roof.tier(group, told["source"]), told["tier"], f"tier of #{group.messages[0]}")
            first = facts.messages[group.messages[0]]
            if first.role == "user" and first.kind == "prompt":
                tally.same("tiers", "user_input", told["source"], f"source of #{first.id}")


def decided(facts: Facts, made: Observed, scene: Scene, out: Outcome, tally: Tally) -> None:
    """Sections 3, 5, 6: path, what is kept in which form, states, quotas at the cut."""
    events, call = made.events[scene.call - 1], made.report["calls"][scene.call - 1]
    start = next(e["payload"] for e in events if e["event"] == "curator_start")
    tally.same("pressure", out.history, start["history_tokens"], "history tokens")
    threshold = made.profile.fast_path_threshold * made.report["budget"]["available"]
    tally.same("pressure", round(threshold), start["threshold_tokens"], "threshold")
    if not tally.same("path", out.path, call["path"], "path"):
        return
    reason = by_limits(made, scene, out)
    if reason:
        tally.apart[f"call: {reason}"] += 1
    archived = 0
    for index, (state, form) in out.states.items():
        m = facts.groups[index].messages[0]
        got = made.lives[m][scene.call - 1]
        before = made.lives[m][scene.call - 2][0] if scene.call > 1 else ""
        archived += sum(x < scene.known for x in facts.groups[index].messages) * (got[0] == "archived" != before)
        if reason or got[1] in FORMS_BY_LIMIT:
            tally.apart[f"group: {reason or got[1]}"] += 1
            continue
        tally.same("forms", form, got[1], f"form of #{m}")
        tally.same("states", state, got[0], f"state of #{m}")
    tally.same("archived", archived, call["archived"], "messages archived")
    told = {e["payload"]["tier"]: e["payload"] for e in events if e["event"] == "quota_exceeded"}
    if call["path"] == "slow" and not reason:
        tally.same("quota cuts", sorted(out.cuts), sorted(told), "tiers with a cut")
        for tier in out.cuts.keys() & told.keys():
            theirs = (told[tier]["quota"], told[tier]["exempt"], told[tier]["used"])
            tally.same("quota cuts", out.cuts[tier], theirs, f"quota, exempt, used of {tier}")


def by_limits(made: Observed, scene: Scene, out: Outcome) -> str:
    """Why a call cannot be predicted group by group; empty where it can."""
    events = made.events[scene.call - 1]
    if out.path == "slow" and out.tokens > made.report["budget"]["available"]:
        return "what is exempt passes C, the assembler cuts"
    warnings = (w for e in events for w in (e["payload"].get("validation") or {}).get("assembler_warnings", ()))
    if any(warning.startswith("the working state was left out") for warning in warnings):
        return "the working state was packed for, and left out by the assembler"
    if any(e["event"] == "summarized" for e in events):
        return "a summary is made"
    return ""


def scores(facts: Facts, made: Observed, scene: Scene, tally: Tally) -> None:
    """Section 5: score and its parts, what is protected and pinned; at slow calls, and at every tenth."""
    p, call = made.profile, scene.call
    if made.report["calls"][call - 1]["path"] == "fast" and call % 10:
        return
    turn = facts.turn_of[facts.calls[call - 1]]
    safe = protected(facts, p, scene.known) | instructions(facts, scene.known)
    pins = pinned(facts, p, scene.known)
    for item in scene.items:
        for m in item.group.messages:
            if m >= scene.known:
                continue
            row = made.run.row(call, m)
            total = (
                p.weight_relevance * row.relevance + p.weight_recency * row.recency + p.weight_source * row.reliability
            )
            tally.same("scores", total, row.score, f"score of #{m}")
            tally.same("scores", p.relevance_decay ** (turn - item.group.turn), row.recency, f"recency of #{m}")
            tally.same("scores", float(p.reliability[row.source]), row.reliability, f"reliability of #{m}")
            tally.holds("scores", 0 <= row.relevance <= 1, f"relevance of #{m} is {row.relevance}")
            tally.same("protected, pinned", item.group.index in safe, row.protected, f"protected #{m}")
            tally.same("protected, pinned", item.group.index in pins, row.pinned, f"pinned #{m}")
            tally.same("tiers", item.tier, row.tier, f"tier of #{m}")
