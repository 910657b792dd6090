"""Random tests of the engine: no deadlines, since a busy machine is no defect, and fewer examples where asked to.

The examples are the same in every run, so that a test passes or fails for a reason in the change. `RANDOM_TESTS=1 make
test` draws new ones: run that before a release.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "engine",
    deadline=None,
    max_examples=40,
    derandomize=not os.environ.get("RANDOM_TESTS"),
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("engine")
