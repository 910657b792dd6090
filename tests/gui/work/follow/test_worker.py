"""A look at what is followed: what changed is told once, and nothing of what is followed no more."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass_gui.work.follow.worker import FollowWorker
from tests.gui.recorded import KEY, leave_workspace
from tests.gui.stores import append, write_chat_lines
from tests.gui.work.follow.looked_at import messages

Told = list[str]


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[FollowWorker]:
    del qtbot
    made = FollowWorker()
    yield made
    made.close()


def told(worker: FollowWorker, path: Path) -> Told:
    """Follow a path; the reasons of its looks, as they come."""
    found: Told = []
    worker.looked.connect(lambda _, __, reason: found.append(reason))
    worker.wanted = 1
    worker.follow(1, path, "", "", False)
    return found


def test_that_a_file_that_is_followed_no_more_is_not_looked_at(worker: FollowWorker, tmp_path: Path) -> None:
    path = write_chat_lines(tmp_path / "chat.jsonl", "cli:1", calls=1)
    found = told(worker, path)
    append(path, messages(2, 4))
    worker._look()
    assert found == ["opened", "grown"]
    worker.wanted = 2
    append(path, messages(4, 6))
    worker._look()
    assert found == ["opened", "grown"]


def test_that_a_trace_that_changed_is_told_once(worker: FollowWorker, tmp_path: Path) -> None:
    root = leave_workspace(tmp_path, rounds=3)
    found = told(worker, root / "sessions" / "agent" / "demo.jsonl")
    trace = next((root / "memory" / ".curator" / "traces" / KEY.replace(":", "_")).glob("*.jsonl"))
    os.utime(trace, (1_000, 1_000))
    for _ in range(3):
        worker._look()
    assert len(found) == 2
