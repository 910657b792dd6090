"""How much a test tries: little in `make test`, everything in `make proofs`.

A test that takes long whatever it tries carries `@pytest.mark.proof`; `make test` leaves it out. Every property test
runs in both, with other numbers of examples. The examples of `make test` are the first ones of the proofs.
"""

from __future__ import annotations

import os

PROOFS = bool(os.environ.get("RAVENGLASS_PROOFS"))
"""`make proofs` sets it."""

SHARE, FEWEST = 15, 4


def examples(full: int) -> int:
    """Random examples of a property test: `full` of them in the proofs, a share of that in `make test`."""
    return full if PROOFS else min(full, max(FEWEST, full // SHARE))
