"""Imports Inspect AI logs written as JSON, and single samples of them (formats.md, section 11).

Written after the public models of Inspect's logs (EvalLog, EvalSample, ModelEvent).
"""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.formats.inspect.messages import message_of
from ravenglass.sessions.formats.inspect.sample import EvalLog, is_sample, log_of, sample_drafts
from ravenglass.sessions.importing.assembly import SessionDraft, assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import located
from ravenglass.sessions.model.session import Message, OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping

MAPPED = (
    "Maps every sample as a conversation with its attachments in place, tool definitions, and usage, model and time "
    "of the model events; a user message of the sample's input is the prompt, later ones are the harness's. It keeps "
    "`events`, `scores` and all other fields as other records. Calls that wrote no message of the sample (agents that "
    "are tools, graders) are children; what a call was no longer sent is marked."
)
_LOG = frozenset({"eval", "status", "version"})


class InspectLog:
    """Inspect AI logs in JSON."""

    name = "inspect"
    label = "Inspect AI log (.json)"
    description = f"{MAPPED} The first sample is the session, the others are its children."

    def __init__(self, log: EvalLog | None = None) -> None:
        self._log = log or EvalLog()

    def sniff(self, head: Head) -> float:
        """Sure for a log's header fields or a sample; a damaged log is known by what describes its task."""
        for record in head.records:
            value = mapping(record)
            if value.keys() >= _LOG and isinstance(value["eval"], dict):
                return 1.0
            if is_sample(value) and {"messages", "target"} & value.keys():
                return 0.95
            if head.container == "json" and {"run_id", "task_id", "dataset"} <= value.keys():
                return 0.9
        return 0.0

    def begin(self, records: Records) -> _Reading:
        """Samples in the order of the file."""
        return _Reading(records, self._log)


class _Reading:
    def __init__(self, records: Records, log: EvalLog) -> None:
        self._records = records
        self._log = log
        self._drafts: list[list[SessionDraft]] = []
        self._loose: list[Message] = []
        self._other: list[OtherRecord] = []

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        value = found.object
        if "eval" in value and not is_sample(value):
            self._log = log_of(value)
            for sample in found.elements("samples"):
                if is_sample(sample.value):
                    self._drafts.append(sample_drafts(sample, self._log))
                else:
                    self._other.append(OtherRecord(kind_of(sample.value), sample.span))
            self._other += found.others(*(("samples",) if found.elements("samples") else ()))
        elif is_sample(value):
            self._drafts.append(sample_drafts(found, self._log))
        elif "role" in value and (message := message_of(value, record.span, len(self._loose), asked=not self._loose)):
            self._loose.append(message)
        else:
            self._other.append(OtherRecord(kind_of(record.value), record.span))

    def session(self) -> Session:
        name = stem(self._records.opened.path)
        drafts = list(self._drafts)
        if self._loose or not drafts:
            drafts.append([SessionDraft(f"{name}#loose" if drafts else name, self._loose, model=self._log.model)])
        children = [self._sample(sample, main=False) for sample in drafts[1:]]
        session = self._sample(drafts[0], main=True)
        session = replace(session, other=(*session.other, *self._other), children=(*session.children, *children))
        if not children:
            return session
        sentence = f"The file holds {len(drafts):,} samples; the first is the session, the others are its children."
        return replace(session, warnings=(sentence, *session.warnings))

    def _sample(self, drafts: list[SessionDraft], *, main: bool) -> Session:
        """A sample with the conversations beside its own as children."""
        beside = [assembled(draft, InspectLog.name, self._records, main=False) for draft in drafts[1:]]
        return assembled(drafts[0], InspectLog.name, self._records, children=beside, main=main)
