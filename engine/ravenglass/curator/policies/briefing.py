"""What a model is told before it curates: rules, budget, a compact manifest of the candidates. No full texts."""

from __future__ import annotations

import json

from ravenglass.curator.desk import Desk
from ravenglass.curator.working_state.state import render
from ravenglass.hub.item import Form
from ravenglass.sessions.model.session import Message
from ravenglass.trace import Json

RULES = """\
You are the curator of an agent's context window. You decide which recorded messages the agent's next model call sees.
You do not talk to the user, you do not solve the task, you never invent or rewrite a message.

How it works:
- You see a manifest, not the texts: message ids, tier, state, tokens, score, a snippet. Where that is not enough,
  search the manifest or retrieve archived texts with the tools.
- You propose a plan, an assembler decides. It completes every group (a call and all its results stay or leave
  together), adds what may not be missing (marked `stays`). A plan over budget comes back with the number of tokens to
  save while steps are left; after that whole groups are trimmed, lowest score first. Stay under the target.
- What you leave out goes to standby and can be retrieved. Nothing is ever deleted.
- Archive only what is on standby or expired. Pinned messages and those marked `stays` cannot be archived.

What to prefer, in this order: what the current request needs; constraints, decisions and open questions of the user;
the newest groups; the newest version of a file. Leave out results that were used once, outdated content and
repetitions. Keep the working state short and true: it outlives the messages.

Answer with tool calls only. A tool that was called wrongly answers with an error that says how to mend it. End with
curator_build_context; a plan that is rejected comes back with its reasons, and you may try again while steps are
left."""

NUDGE = (
    "That was no tool call. Answer with tool calls only, and end with curator_build_context: include_message_ids is the"
    " list of the ids that the window shall hold."
)


def _gist(message: Message) -> str:
    """What stands for a message in one line: its text, else its calls."""
    if message.text.strip():
        return message.text
    return "; ".join(f"{call.name} {call.arguments}" for call in message.tool_calls)


def _squeeze(text: str, limit: int) -> str:
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def brief(desk: Desk, manifest_chars: int) -> str:
    """The first message of the conversation, as JSON: request, budget, working state, candidates in file order.

    Exempt groups and then the best scores go in until `manifest_chars` are full; `not_listed` counts the rest.
    """
    view, decision, profile = desk.view, desk.decision, desk.view.profile
    messages = view.features.session.messages
    prompt = view.standing.prompt_at[view.call]
    request = "" if prompt is None else messages[view.group(prompt).messages[0]].text
    ranked = sorted(decision.ranks, key=lambda g: (-decision.scores.total[g], -g))
    rows: dict[int, Json] = {}
    room = manifest_chars
    for g in (*decision.exempt.forms, *(g for g in ranked if g not in decision.exempt.forms)):
        row = _row(desk, g)
        size = len(json.dumps(row, ensure_ascii=False)) + 1
        if size > room:
            break
        room -= size
        rows[g] = row
    candidates = len(set(decision.exempt.forms) | set(decision.ranks))
    budget = view.budget
    return json.dumps(
        {
            "call": view.call,
            "current_request": _squeeze(request, profile.summary_chars * 4),
            "budget": {"tokens": budget.available, "target": budget.target, "quotas": dict(budget.quotas)},
            "steps": profile.max_steps,
            "known_message_ids": [0, view.features.boundary(view.call) - 1],
            "working_state": render(desk.working_state),
            "manifest": [rows[g] for g in sorted(rows)],
            "not_listed": candidates - len(rows),
        },
        ensure_ascii=False,
    )  # fmt: skip


def _row(desk: Desk, g: int) -> Json:
    view, decision = desk.view, desk.decision
    group = view.group(g)
    message = view.features.session.messages[group.messages[0]]
    row: Json = {
        "ids": list(group.messages), "role": message.role, "tier": view.standing.tier[g], "state": view.state(g).label,
        "window": Form(view.live.forms[g]).label, "tokens": view.tokens(g, Form.FULL),
        "score": round(decision.scores.total[g], 3),
    }  # fmt: skip
    if g in decision.exempt.forms:
        row["stays"] = True
    if view.is_pinned(g):
        row["pinned"] = True
    row["snippet"] = _squeeze(_gist(message), view.profile.snippet_chars)
    return row
