"""The words that a run's answers are made of, for those who use the engine by its front doors: states and forms of an
item, budget, working state, and what a person may answer in the curator's place."""

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.desk import Desk
from ravenglass.curator.loop import Policy
from ravenglass.curator.plan import Assembled
from ravenglass.curator.policies.manual import ManualPolicy, Submission
from ravenglass.curator.working_state.edits import ListName, StateEdit, checked, most_lines
from ravenglass.curator.working_state.state import ListDiff, StateLine, WorkingState, diff
from ravenglass.hub.item import Form, State
from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.hub.registry.select import FIELDS, select, shown
from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.snapshots.compare import SnapshotDiff, compare
from ravenglass.hub.snapshots.format import encode
from ravenglass.hub.snapshots.snapshot import Snapshot, Taken
from ravenglass.scheduler.budget import Budget

__all__ = [
    "FIELDS",
    "Assembled",
    "Budget",
    "Desk",
    "Form",
    "ListDiff",
    "ListName",
    "ManualPolicy",
    "Policy",
    "RegistryEntry",
    "RetrieveMode",
    "SizeKey",
    "Snapshot",
    "SnapshotDiff",
    "State",
    "StateEdit",
    "StateLine",
    "Submission",
    "Taken",
    "WorkingState",
    "checked",
    "compare",
    "diff",
    "encode",
    "most_lines",
    "select",
    "shown",
]
