"""Random tests of the engine: no deadlines, since a busy machine is no defect, and fewer examples where asked to."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("engine", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("engine")
