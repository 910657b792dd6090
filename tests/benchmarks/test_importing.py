"""How fast every format is read, and how fast a list of many files is made. Prints figures; asserts nothing of time.

`RAVENGLASS_IMPORT` sets the size of each session in bytes, 5 MB by default.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from ravenglass.profile import Profile
from ravenglass.replay.stepping.inputs import sizes_of
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.listing import listing
from ravenglass.sessions.model.session import Session
from tests.benchmarks.long_sessions import WRITERS
from tests.benchmarks.timing import stats_of

_FILES = 500


@pytest.mark.parametrize("name", WRITERS)
def test_importing(benchmark: BenchmarkFixture, tmp_path: Path, figures: list[str], name: str) -> None:
    size = int(float(os.environ.get("RAVENGLASS_IMPORT", "5e6")))
    path = WRITERS[name](tmp_path, size)
    found = list(path.rglob("*")) if path.is_dir() else [path]
    megabytes = sum(file.stat().st_size for file in found if file.is_file()) / 1e6
    session = benchmark.pedantic(open_session, (path,), rounds=3, warmup_rounds=1)
    everyone = _family(session)
    messages = sum(len(inner.messages) for inner in everyone)
    assert messages > size / 50_000
    opened = stats_of(benchmark).min
    begun = time.perf_counter()
    for inner in everyone:
        sizes_of(inner, Profile())
    counted = opened + time.perf_counter() - begun
    figures.append(
        f"{name:22} {megabytes:6.1f} MB, {messages:6,} messages: {megabytes / opened:6.1f} MB/s,"
        f" with token counts {megabytes / counted:5.1f} MB/s"
    )


def _family(session: Session) -> list[Session]:
    return [session, *(inner for child in session.children for inner in _family(child))]


def test_the_first_list_of_many_files(benchmark: BenchmarkFixture, tmp_path: Path, figures: list[str]) -> None:
    names = ("claude-code", "codex", "gemini-cli, lines", "pi", "raven")
    for name in names:
        below = tmp_path / name
        below.mkdir()
        data = WRITERS[name](below, 300_000).read_bytes()
        for number in range(_FILES // len(names) - 1):
            marked = data.replace(b'"sessionId": "', f'"sessionId": "{number}-'.encode()).replace(
                b'"id": "019c8a59', f'"id": "{number:08x}'.encode()
            )
            marked = marked.replace(b'"id": "s-1"', f'"id": "s-{number}"'.encode()).replace(
                b'"cli:1"', f'"cli:{number}"'.encode()
            )
            (below / f"copy-{number}.jsonl").write_bytes(marked)
    entries = benchmark.pedantic(lambda: list(listing(tmp_path)), rounds=3)
    figures.append(f"{len(entries)} sessions of {_FILES} files listed in {stats_of(benchmark).min:.2f} s")
    assert len(entries) >= _FILES * 0.9
