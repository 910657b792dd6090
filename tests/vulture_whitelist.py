"""What vulture would call dead and is not. One line each, with who reads it."""

from __future__ import annotations

from ravenglass.profile import Profile
from ravenglass.traces.verdicts import LoggedPlan
from tests.labels.identity import term_hash

_READ = (
    Profile.cache_breakpoints,  # saved and shown, and said to have no effect yet
    LoggedPlan.memory_sections,  # of the reference implementation's plans: kept with the others, compared as a whole
    term_hash,  # how the files in tests/labels were made
)
