"""The eight tools of the curator: strict argument schemas, and what each does on the desk.

A tool call with unusable arguments raises PlanError with a sentence that a model can act on; the loop hands it
back as the tool's result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravenglass.curator.archive import message_number
from ravenglass.curator.desk import Desk
from ravenglass.curator.memory import MemoryNote
from ravenglass.curator.over import over_budget, with_warning
from ravenglass.curator.plan import BUILD_CONTEXT
from ravenglass.curator.working_state.state import apply_update, render
from ravenglass.errors import ArchiveError, PlanError
from ravenglass.hub.item import Form, State
from ravenglass.scheduler.intent.entities import entities
from ravenglass.scheduler.view import View
from ravenglass.sessions.model.session import Message
from ravenglass.trace import Json

_HEADLINE = 240
"""Characters of a note's first line in the list."""
_CHARS_PER_TOKEN = 8


class _Args(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class SearchHistory(_Args):
    """Search the manifest by words or by score, without loading texts."""

    query: str = ""
    min_relevance: float = Field(default=0.0, ge=0, le=1)
    limit: int = Field(default=20, ge=1, le=200)


class CheckBudget(_Args):
    """Tokens that a window of these messages would take, against the budget and the quotas; without ids, those of the
    window as it stands."""

    message_ids: list[int] = Field(default_factory=list)


class ArchiveMessages(_Args):
    """Move messages to the lossless archive when the plan is accepted."""

    message_ids: list[int] = Field(min_length=1)
    reason: str = Field(min_length=1, max_length=400)


class RetrieveArchived(_Args):
    """Read messages that are out of the window, by reference or by number (`#12`)."""

    refs: list[str] = Field(min_length=1)
    max_tokens: int = Field(default=2_000, ge=1)
    mode: Literal["snippet", "exact"] = "snippet"


class ReadMemory(_Args):
    """Read the working state, and the long-term memory: without names the list of its notes, with names their texts."""

    names: list[str] = Field(default_factory=list, max_length=20)
    max_tokens: int = Field(default=2_000, ge=1)


class SetRelevance(_Args):
    """Set the relevance of messages, 0 to 1. With the accepted plan it holds, until it is set again."""

    message_ids: list[int] = Field(min_length=1)
    relevance: float = Field(ge=0, le=1)


class UpdateWorkingState(_Args):
    """Replace lists of the working state; a list that is not given stays."""

    goals: list[str] | None = None
    open_threads: list[str] | None = None
    decisions: list[str] | None = None


class BuildContext(_Args):
    """Submit the plan. Must be the last call; a rejected plan comes back with reasons."""

    include_message_ids: list[int]
    working_state_injection: bool = True
    notes: str = ""


def _search(desk: Desk, args: SearchHistory) -> Json:
    view, scores = desk.view, desk.decision.scores
    query = args.query.strip()
    wanted = set(entities(query))
    # CJK text is held as pairs of characters: a single one is looked for in the text.
    short = {word for word in wanted if len(word) == 1}
    found = []
    for g in range(view.known):
        if wanted:
            held = len((wanted - short) & view.features.entities[g]) + sum(_holds(view, g, word) for word in short)
            share = held / len(wanted)
        elif query:
            # Too short or too common to be an entity ("a", one character of Chinese): look for it as it stands.
            share = float(_holds(view, g, query))
        else:
            share = scores.relevance[g]
        if (share > 0 or not query) and scores.relevance[g] >= args.min_relevance:
            found.append((share, scores.total[g], g))
    found.sort(key=lambda item: (-item[0], -item[1], -item[2]))
    return {"matches": [_match(desk, g, total) for _, total, g in found[: args.limit]], "total": len(found)}


def _holds(view: View, g: int, query: str) -> bool:
    """Whether what the call sees of a group holds the text, whatever its case."""
    messages = (view.features.session.messages[m] for m in view.group(g).messages)
    return any(query.casefold() in text.casefold() for m in messages for text in (m.text, *_arguments(m)))


def _arguments(message: Message) -> Iterator[str]:
    return (call.arguments for call in message.tool_calls)


def _match(desk: Desk, g: int, score: float) -> Json:
    view = desk.view
    found: Json = {
        "message_ids": list(view.group(g).messages), "score": round(score, 4), "tokens": view.tokens(g, Form.FULL),
        "state": view.state(g).label, "tier": view.standing.tier[g],
    }  # fmt: skip
    if view.state(g) is State.ARCHIVED:
        found["ref"] = desk.archive.ref(g)
    return found


def _budget(desk: Desk, args: CheckBudget) -> Json:
    view, exempt = desk.view, desk.decision.exempt.forms
    if args.message_ids:
        sizes = {g: view.tokens(g, exempt.get(g) or view.base_form(g, False)) for g in desk.groups_of(args.message_ids)}
    else:
        sizes = {g: view.placed_tokens(g) for g in range(view.known) if view.live.forms[g]}
    used: dict[str, int] = {}
    for g, tokens in sizes.items():
        tier = view.standing.tier[g]
        used[tier] = used.get(tier, 0) + tokens
    total = sum(used.values())
    return {
        "tokens": total, "budget": view.budget.available, "target": view.budget.target,
        "over_by": max(0, total - view.budget.available), "by_tier": dict(used), "quotas": dict(view.budget.quotas),
    }  # fmt: skip


def _archive(desk: Desk, args: ArchiveMessages) -> Json:
    groups = desk.groups_of(args.message_ids)
    refused = [desk.view.features.groups[g].messages[0] for g in groups if desk.view.is_pinned(g)]
    if refused:
        raise PlanError(f"messages {refused} are pinned, so they cannot be archived; leave them out")
    kept = [desk.view.features.groups[g].messages[0] for g in groups if g in desk.decision.exempt.forms]
    if kept:
        raise PlanError(f"messages {kept} have to stay in the window, so they cannot be archived; leave them out")
    live = [g for g in groups if desk.view.live.states[g] not in (State.STANDBY, State.EXPIRED)]
    if live:
        named = ", ".join(f"{desk.view.features.groups[g].messages[0]} ({desk.view.state(g).label})" for g in live)
        raise PlanError(
            f"messages {named} cannot be archived yet: only what is on standby or expired can. Leave active ones out of"
            " the plan, and they go to standby"
        )
    for g in groups:
        desk.to_archive[g] = args.reason
    return {
        "archived": len(groups),
        "refs": [desk.archive.ref(g) for g in groups][:50],
        "takes_effect": "when the plan is accepted",
    }


def _retrieve(desk: Desk, args: RetrieveArchived) -> Json:
    found = []
    for ref in args.refs:
        number = message_number(ref)
        if number is not None:
            desk.groups_of([number])
        try:
            brought = desk.archive.retrieve(ref, args.mode, args.max_tokens)
        except ArchiveError as error:
            raise PlanError(str(error)) from None
        found.append({"ref": ref, "text": brought.text, "tokens": brought.tokens, "truncated": brought.truncated})
    return {"results": found}


def _memory(desk: Desk, args: ReadMemory) -> Json:
    told: Json = {"working_state": render(desk.working_state)}
    if args.names:
        told["texts"] = [_noted(desk, desk.memory.note(name), args.max_tokens) for name in dict.fromkeys(args.names)]
    elif desk.memory.folder is not None:
        count = desk.view.sizes.tokenizer.count
        told["notes"] = [
            {"name": note.name, "headline": note.headline[:_HEADLINE], "tokens": count(note.text)}
            for note in desk.memory.notes.values()
        ]
    return told


def _noted(desk: Desk, note: MemoryNote, cap: int) -> Json:
    """A note, cut at a line where it is over the cap."""
    count, used = desk.view.sizes.tokenizer.count, 0
    kept: list[str] = []
    for line in note.text.split("\n"):
        used += count(f"{line}\n")
        if used > cap and kept:
            break
        kept.append(line[: cap * _CHARS_PER_TOKEN])
    text = "\n".join(kept)
    return {"name": note.name, "text": text, "truncated": text != note.text}


def _relevance(desk: Desk, args: SetRelevance) -> Json:
    groups = desk.groups_of(args.message_ids)
    for g in groups:
        desk.relevance[g] = args.relevance
    return {
        "groups": len(groups),
        "relevance": args.relevance,
        "holds": "until it is set again, once the plan is accepted",
    }


def _state(desk: Desk, args: UpdateWorkingState) -> Json:
    desk.working_state = apply_update(
        desk.working_state, args.goals, args.open_threads, args.decisions,
        limits=desk.view.profile, source=desk.view.features.boundary(desk.view.call) - 1, call=desk.view.call,
    )  # fmt: skip
    return {"working_state": render(desk.working_state)}


def _build(desk: Desk, args: BuildContext) -> Json:
    desk.groups_of(args.include_message_ids)
    assembled = desk.propose(args.include_message_ids, args.working_state_injection, args.notes)
    verdict = assembled.verdict
    over = over_budget(desk, assembled)
    if verdict.ok and over:
        assembled = with_warning(assembled, over)
        if desk.steps_left > 0:
            desk.over = assembled
            return {
                "ok": False, "total_tokens": assembled.asked, "max_prompt_tokens": verdict.budget,
                "over_by": assembled.asked - verdict.budget, "errors": [over],
                "assembler_warnings": list(verdict.warnings), "retry_allowed": True,
            }  # fmt: skip
        verdict = assembled.verdict
    if verdict.ok:
        desk.assembled = assembled
    return {
        "ok": verdict.ok, "total_tokens": verdict.tokens, "max_prompt_tokens": verdict.budget,
        "over_by": verdict.over_by,
        "errors": list(verdict.errors), "assembler_warnings": list(verdict.warnings),
        "retry_allowed": not verdict.ok and desk.steps_left > 0,
    }  # fmt: skip


@dataclass(frozen=True, slots=True)
class CuratorTool:
    """A tool's name, argument schema and effect."""

    name: str
    arguments: type[_Args]
    _run: Callable[..., Json]

    def run(self, desk: Desk, arguments: Json) -> Json:
        """Raises PlanError where the arguments cannot be used."""
        try:
            parsed = self.arguments.model_validate(arguments)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "arguments"
            raise PlanError(f"{self.name}: {where}: {first['msg'][0].lower()}{first['msg'][1:]}") from None
        return self._run(desk, parsed)

    def schema(self) -> Json:
        """The tool as an OpenAI-style function definition."""
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": " ".join((self.arguments.__doc__ or "").split()),
                "parameters": self.arguments.model_json_schema(),
            },
        }


TOOLS: dict[str, CuratorTool] = {
    tool.name: tool
    for tool in (
        CuratorTool("curator_search_history", SearchHistory, _search),
        CuratorTool("curator_check_budget", CheckBudget, _budget),
        CuratorTool("curator_archive_messages", ArchiveMessages, _archive),
        CuratorTool("curator_retrieve_archived", RetrieveArchived, _retrieve),
        CuratorTool("curator_read_memory", ReadMemory, _memory),
        CuratorTool("curator_set_relevance", SetRelevance, _relevance),
        CuratorTool("curator_update_working_state", UpdateWorkingState, _state),
        CuratorTool(BUILD_CONTEXT, BuildContext, _build),
    )
}
