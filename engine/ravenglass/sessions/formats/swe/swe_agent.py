"""Imports SWE-agent trajectories, `.traj` (formats.md, section 7)."""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.formats.swe.history import SweHistory, histories, is_step, model_name
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text

_MARKS = frozenset({"agent", "is_demo", "message_type", "thought"})
"""Keys that only a message of SWE-agent has."""
_LOOSE = "messages outside the history"


class SweAgent:
    """SWE-agent, first version and later ones."""

    name = "swe-agent"
    label = "SWE-agent trajectory (.traj)"
    description = (
        "Maps `history` as the messages (observations of the first version are injected user messages, demonstrations "
        "are no model calls), or the steps where there is no history; the model of `replay_config`; further agents and "
        "attempts are children. It keeps `trajectory`, `info` with the totals of `model_stats`, `environment` and "
        "everything unknown as other records: usage per call is not written."
    )

    def sniff(self, head: Head) -> float:
        """Sure for an object with a history, a trajectory or attempts of the known shape."""
        first = mapping(head.records[0]) if head.records else {}
        if _is_trajectory(first) or any(_is_trajectory(mapping(item)) for item in sequence(first.get("attempts"))):
            return 0.95
        # The objects of a damaged document.
        values = [mapping(record) for record in head.records] if head.container == "json" else []
        return 0.9 if any(_is_message(value) or is_step(value) for value in values) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The file's own history is the session."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._found: list[Located] = []
        self._loose = SweHistory()
        self._steps: list[Located] = []

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        value = found.object
        if _is_trajectory(value) or "attempts" in value:
            self._found.append(found)
        elif _is_message(value) or "role" in value:
            self._loose.add(value, record.span)
        elif is_step(value):
            self._steps.append(found)
        else:
            self._loose.other.append(OtherRecord(kind_of(record.value), record.span))

    def session(self) -> Session:
        path = self._records.opened.path
        name = stem(path)
        drafts = [draft for number, item in enumerate(self._found) for draft in _drafts(item, _numbered(name, number))]
        loose = self._damaged()
        if loose.messages or not drafts:
            drafts.append(
                SessionDraft(name if not drafts else f"{name}#loose", loose.messages, title=_LOOSE if drafts else "")
            )
        drafts[0].other = [*drafts[0].other, *loose.other]
        children = [assembled(draft, SweAgent.name, self._records, main=False) for draft in drafts[1:]]
        session = assembled(drafts[0], SweAgent.name, self._records, children=children)
        if not children:
            return session
        sentence = f"The file holds {len(drafts):,} conversations; the first is the session, the others its children."
        return replace(session, warnings=(sentence, *session.warnings))

    def _damaged(self) -> SweHistory:
        """What is left of a damaged file: its steps stand before the history, which tells the same."""
        if self._loose.messages or not self._steps:
            steps = [OtherRecord("step", step.span) for step in self._steps]
            return replace(self._loose, other=[*self._loose.other, *steps])
        history = SweHistory(other=list(self._loose.other))
        for step in self._steps:
            history.step(step)
        return history


def _numbered(name: str, number: int) -> str:
    return name if number == 0 else f"{name}#{number + 1}"


def _drafts(found: Located, name: str) -> list[SessionDraft]:
    """The conversation of a trajectory, its further agents, its attempts."""
    config = found.object.get("replay_config")
    if isinstance(config, str):
        try:
            config = decode_value(config.encode("utf-8", "replace"))
        except ValueError:
            config = None
    history = histories(found.elements("history"))
    # A trajectory without history tells the same in its steps; with one, steps only repeat it.
    known = ("history", "attempts") if history else ("history", "attempts", "trajectory")
    drafts = [SessionDraft(f"{name}#{agent}", item.messages, title=f"agent {agent}") for agent, item in history.items()]
    others = [item.other for item in history.values()]
    if not drafts and found.get("trajectory") is not None:
        steps = SweHistory()
        for step in found.elements("trajectory"):
            if is_step(step.object):
                steps.step(step)
            else:
                steps.other.append(OtherRecord(kind_of(step.value), step.span))
        drafts, others = [SessionDraft(messages=steps.messages)], [steps.other]
    attempts = [
        replace(draft, title=draft.title or f"attempt {number}")
        for number, item in enumerate(found.elements("attempts"), start=1)
        for draft in _drafts(item, f"{name}#attempt-{number}")
    ]
    drafts = drafts or attempts[-1:] or [SessionDraft()]
    attempts = [draft for draft in attempts if draft is not drafts[0]]
    main = drafts[0]
    main.id, main.title = name, ""
    main.model = main.model or model_name(config)
    main.project = text(found.object.get("environment"))
    main.other = [*main.other, *found.others(*known), *(record for other in others for record in other)]
    return [*drafts, *attempts]


def _is_trajectory(value: dict[str, object]) -> bool:
    if "messages" in value:
        return False  # mini-swe-agent writes some of the same keys
    history, steps = value.get("history"), value.get("trajectory")
    if isinstance(history, list) and any("role" in mapping(item) for item in history):
        return True
    return isinstance(steps, list) and (any(is_step(mapping(step)) for step in steps) or "info" in value)


def _is_message(value: dict[str, object]) -> bool:
    return "role" in value and "content" in value and bool(_MARKS & value.keys())
