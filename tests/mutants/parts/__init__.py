"""The list, a file for each room of the sources."""

from tests.mutants.fault import Part
from tests.mutants.parts.curator import CURATOR
from tests.mutants.parts.edits import EDITS
from tests.mutants.parts.embed import EMBED
from tests.mutants.parts.hub import HUB
from tests.mutants.parts.models import MODELS
from tests.mutants.parts.needs import NEEDS
from tests.mutants.parts.replay import REPLAY
from tests.mutants.parts.runs import RUNS
from tests.mutants.parts.scheduler import SCHEDULER
from tests.mutants.parts.sessions import SESSIONS
from tests.mutants.parts.state import STATE
from tests.mutants.parts.store import STORE
from tests.mutants.parts.work import WORK

PARTS: tuple[Part, ...] = (
    SCHEDULER, CURATOR, HUB, REPLAY, RUNS, NEEDS, STORE, SESSIONS, EMBED, WORK, STATE, MODELS, EDITS,
)  # fmt: skip
