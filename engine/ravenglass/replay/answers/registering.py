"""The registry of a session at one call, made of what the replay knows: nothing is kept for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ravenglass.curator.working_state.lines import StateLine
from ravenglass.hub.files.content import fingerprint
from ravenglass.hub.files.uses import Use
from ravenglass.hub.item import State
from ravenglass.hub.registry.address import Address, DecisionAddress, FileAddress, ToolAddress
from ravenglass.hub.registry.entry import Namespace, Registry, RegistryEntry
from ravenglass.hub.registry.nature import Natures
from ravenglass.hub.registry.schema import sniff
from ravenglass.hub.summary import Summary
from ravenglass.replay.stepping.changelog import ChangeLog
from ravenglass.replay.stepping.inputs import Inputs
from ravenglass.replay.stepping.moment import Moment
from ravenglass.rules import TierName
from ravenglass.scheduler.intent.entities import entities
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Session

_PLACES = 4
"""Decimal places of a priority."""
_DECISION_DIGITS = 8
_SUMMARY_TOOL = "curator_summary"
"""The tool whose output a summary is, in its address."""


_NATURES = Slot[Natures]("natures")


def natures_of(inputs: Inputs) -> Natures:
    """The natures of the session's messages, kept with the session."""
    return _NATURES.made(inputs.session, lambda: Natures(inputs.session, inputs.features.uses))


def carry_over(before: Inputs, after: Inputs) -> None:
    """Hand what was found out about a session's messages to the same session when it is longer."""
    known = _NATURES.get(before.session)
    if known is not None:
        _NATURES.keep(after.session, known.grown(after.session, after.features.uses))


def take_in(session: Session, uses: Sequence[Use]) -> None:
    """Forget what was made of a session that has grown in place, all but the natures of its messages, to which these
    tool calls came."""
    natures = _NATURES.get(session)
    session.derived.clear()
    if natures is not None:
        natures.take_in(uses)
        _NATURES.keep(session, natures)


def registry(inputs: Inputs, log: ChangeLog, moment: Moment) -> Registry:
    """Every item known right after the moment's call."""
    entries = [_message_entry(inputs, log, moment, m) for m in range(inputs.features.boundary(moment.call))]
    return Registry(
        moment.call,
        (
            *entries, *_edited_entries(inputs, log, moment), *_decision_entries(inputs, log, moment),
            *_summary_entries(inputs, log, moment),
        ),
    )  # fmt: skip


def _edited_entries(inputs: Inputs, log: ChangeLog, moment: Moment) -> Iterator[RegistryEntry]:
    """Files as edits left them."""
    natures = natures_of(inputs)
    for m, left in natures.edited.items():
        if m >= inputs.features.boundary(moment.call):
            continue
        g = inputs.session.structure.group_of[m]
        gone = natures.superseded(left.address.path, m, inputs.features.boundary(moment.call))
        nature = natures.of(m)
        yield RegistryEntry(
            context_id=str(left.address), namespace="repo", scope="file", source=nature.source,
            schema=sniff(left.content), ttl="until_invalidated", priority=_priority(moment, g),
            fingerprint=left.fingerprint, tier=inputs.standing.tier[g],
            state=State.EXPIRED if gone else State(moment.live.states[g]),
            tokens=inputs.sizes.tokenizer.count(left.content), message=m, group=None,
            scheduled=log.tracks[g].last_in(moment.call), task=inputs.standing.task_of[g], result=nature.result,
            parameters=nature.parameters,
        )  # fmt: skip


def decisions(inputs: Inputs, call: int) -> Iterator[tuple[DecisionAddress, StateLine]]:
    """The decisions of the working state at a call with their addresses."""
    session = inputs.session.id or "session"
    for line in inputs.working_state(inputs.version_at(call)).decisions:
        task = inputs.standing.task_of[inputs.session.structure.group_of[line.source]]
        name = f"{line.source}-{fingerprint(line.text)[:_DECISION_DIGITS]}"
        yield DecisionAddress(session, str(task), name), line


def _message_entry(inputs: Inputs, log: ChangeLog, moment: Moment, m: int) -> RegistryEntry:
    natures = natures_of(inputs)
    nature = natures.of(m)
    g = inputs.session.structure.group_of[m]
    tier = inputs.standing.tier[g]
    return RegistryEntry(
        context_id=str(nature.address), namespace=_namespace(nature.address, tier), scope=nature.scope,
        source=nature.source, schema=nature.schema, ttl=natures.ttl(m, inputs.profile.ttl_rules),
        priority=_priority(moment, g), fingerprint=nature.fingerprint, tier=tier,
        state=State(moment.live.states[g]), tokens=inputs.sizes.full[m], message=m, group=g,
        scheduled=log.tracks[g].last_in(moment.call), task=inputs.standing.task_of[g], result=nature.result,
        parameters=nature.parameters,
    )  # fmt: skip


def _decision_entries(inputs: Inputs, log: ChangeLog, moment: Moment) -> Iterator[RegistryEntry]:
    injected = inputs.working_state(log.versions[moment.call - 1]).decisions
    for address, line in decisions(inputs, moment.call):
        g = inputs.session.structure.group_of[line.source]
        yield RegistryEntry(
            context_id=str(address), namespace="task", scope="project",
            source=natures_of(inputs).of(line.source).source,
            schema="text", ttl="none", priority=_priority(moment, g), fingerprint=fingerprint(line.text),
            tier="session", state=State.ACTIVE if line in injected else State.STANDBY,
            tokens=inputs.sizes.tokenizer.count(line.text), message=line.source, group=None,
            scheduled=moment.call if line in injected else None, task=inputs.standing.task_of[g], result=None,
            parameters=None,
        )  # fmt: skip


def summary_at(inputs: Inputs, log: ChangeLog, call: int) -> tuple[ToolAddress, Summary, int] | None:
    """The summary in the window of a call with its address and the last message that it stands for."""
    told = log.summary(call)
    if told is None:
        return None
    known, boundary = inputs.features.known[told.call], inputs.features.boundary(told.call)
    out = (g for g in inputs.features.groups[:known] if not g.unsent and not log.tracks[g.index].form_at(told.call))
    last = max((m for group in out for m in group.messages if m < boundary), default=0)
    return ToolAddress(_SUMMARY_TOOL, f"{inputs.session.id or 'session'}-{told.call}"), told, last


def _summary_entries(inputs: Inputs, log: ChangeLog, moment: Moment) -> Iterator[RegistryEntry]:
    found = summary_at(inputs, log, moment.call)
    if found is None:
        return
    address, told, last = found
    profile, calls, weights = inputs.profile, inputs.features.calls, moment.scores.intent.weights
    held = weights.keys() & set(entities(told.text))
    relevance = sum(weights[entity] for entity in held) / moment.scores.intent.total if held else 0.0
    age = calls[moment.call - 1].turn - calls[told.call - 1].turn
    score = profile.weight_relevance * relevance + profile.weight_recency * profile.relevance_decay**age
    score += profile.weight_source * profile.reliability["summary"]
    yield RegistryEntry(
        context_id=str(address), namespace="session", scope="project", source="summary", schema="text", ttl="none",
        priority=round(min(1.0, score), _PLACES), fingerprint=fingerprint(told.text), tier="session",
        state=State.ACTIVE, tokens=told.tokens, message=last, group=None, scheduled=moment.call,
        task=inputs.standing.task_of[inputs.session.structure.group_of[last]], result=None, parameters=None,
    )  # fmt: skip


def _priority(moment: Moment, g: int) -> float:
    """The score: weights may add up to more than 1, a priority does not."""
    return round(min(1.0, moment.scores.total[g]), _PLACES)


def _namespace(address: Address, tier: TierName) -> Namespace:
    if isinstance(address, FileAddress):
        return "repo"
    if isinstance(address, ToolAddress):
        return "tool"
    if isinstance(address, DecisionAddress):
        return "task"
    return "task" if tier in ("task", "atomic") else "session"
