"""What stands beside the sub-agents of a workflow run: its journal, and its summary with a label for each agent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from ravenglass.sessions.records.values import mapping, sequence, text, text_or_none


@dataclass(frozen=True, slots=True)
class Workflow:
    """One run. `labels`: agent id -> what it was to do; `started`: agents that its journal names, in order."""

    name: str
    labels: dict[str, str] = field(default_factory=dict)
    started: tuple[str, ...] = ()

    def missing(self, known: set[str]) -> Iterator[str]:
        """A sentence where the journal names agents that have no transcript."""
        absent = [agent for agent in self.started if agent not in known]
        if absent:
            agents, them = ("agents have", "them") if len(absent) > 1 else ("agent has", "it")
            yield f"{len(absent):,} {agents} no transcript in workflow {self.name}, though its journal names {them}."


def workflow_of(folder: Path) -> Workflow:
    """The run whose sub-agents stand in `SESSION/subagents/workflows/RUN`; what cannot be read is left out."""
    started: dict[str, None] = {}
    for record in _journal(folder / "journal.jsonl"):
        agent = text_or_none(mapping(record).get("agentId"))
        if agent is not None:
            started.setdefault(agent)
    summary = mapping(_decoded(folder.parents[2] / "workflows" / f"{folder.name}.json"))
    labels = {}
    for step in map(mapping, sequence(summary.get("workflowProgress"))):
        agent, label = text_or_none(step.get("agentId")), text_or_none(step.get("label"))
        if agent is not None and label is not None:
            phase = text(step.get("phaseTitle"))
            labels[agent] = f"{phase}: {label}" if phase else label
    return Workflow(text(summary.get("workflowName")) or folder.name, labels, tuple(started))


def _journal(path: Path) -> Iterator[object]:
    try:
        data = path.read_bytes()
    except OSError:
        return
    for line in data.split(b"\n"):
        try:
            yield msgspec.json.decode(line)
        except msgspec.DecodeError:
            continue  # a line cut by a crash names an agent whose transcript is there all the same


def _decoded(path: Path) -> object:
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
