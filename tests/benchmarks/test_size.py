"""Memory and speed of importing a very large file. Prints figures; asserts what the design promises of memory.

`RAVENGLASS_BIG` sets the size in bytes, 1 GB by default.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.big_session import write_session

_OPEN = """
import json, resource, sys, time
from pathlib import Path
from ravenglass.sessions import open_session
begun = time.perf_counter()
session = open_session(Path(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([time.perf_counter() - begun, peak, len(session.messages), len(session.structure.calls)]))
"""
_MOST = 600
"""Megabytes of memory that opening 1 GB may take."""


def test_a_very_large_file_opens_with_bounded_memory(
    benchmark: BenchmarkFixture, tmp_path: Path, figures: list[str]
) -> None:
    pytest.importorskip("resource")
    size = int(float(os.environ.get("RAVENGLASS_BIG", "1e9")))
    path = tmp_path / "big.jsonl"
    calls = write_session(path, size)

    def opened() -> list[float]:
        command = [sys.executable, "-c", _OPEN, str(path)]
        found: list[float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        return found

    seconds, peak, messages, seen = benchmark.pedantic(opened, rounds=1)
    megabytes = path.stat().st_size / 1e6
    figures.append(
        f"{megabytes:,.0f} MB, {messages:,.0f} messages: {megabytes / seconds:.0f} MB/s, peak memory {peak:,.0f} MB"
    )
    assert seen == calls
    assert peak < _MOST
