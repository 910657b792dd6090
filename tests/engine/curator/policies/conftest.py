"""A run to curate; no test of a policy goes through a proxy."""

from __future__ import annotations

import pytest

from ravenglass.replay import Run
from tests.engine.curator.policies.pressure import busy_run


@pytest.fixture(scope="module")
def run() -> Run:
    return busy_run()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
