"""What vulture would call dead and is not. One line each, with who reads it."""

from __future__ import annotations

from ravenglass.traces.verdicts import LoggedPlan
from tests.labels.identity import term_hash

__all__ = ["read"]


def read(plan: LoggedPlan) -> object:
    """Never called; vulture sees what it names as used."""
    return (
        plan.memory_sections,  # of the reference implementation's plans: kept with the others, compared as a whole
        term_hash,  # how the files in tests/labels were made
    )
