"""Files that a person opens: what was cancelled is not shown, and nothing goes on behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject

from ravenglass_gui.work.loading import Loaded
from ravenglass_gui.work.opening import Opening
from tests.gui.work.by_hand import HandWorker

A, B, C = (Path(f"{name}.jsonl") for name in "abc")


@pytest.fixture
def worker() -> HandWorker:
    return HandWorker()


@pytest.fixture
def owner() -> QObject:
    return QObject()


@pytest.fixture
def opening(worker: HandWorker, owner: QObject) -> Opening:
    made = Opening(worker.as_opener, owner)
    made.ended.connect(lambda: made.go_on(further=True))
    return made


def test_that_a_file_that_was_read_after_all_is_not_shown_once_it_was_cancelled(
    opening: Opening, worker: HandWorker
) -> None:
    shown: list[object] = []
    cancelled: list[object] = []
    opening.read.connect(lambda reading, _: shown.append(reading))
    opening.cancelled.connect(cancelled.append)
    opening.open([A])
    opening.cancel()
    worker.finished.emit(worker.read[-1][0], Loaded(None), 0.1)
    assert (shown, len(cancelled)) == ([], 1)


def test_that_cancelling_ends_the_further_files_too(opening: Opening, worker: HandWorker) -> None:
    opening.open([A, B, C])
    opening.cancel()
    worker.cancelled.emit(worker.read[-1][0])
    assert [path for _, path in worker.read] == [A]
    assert not opening.busy


def test_that_further_files_are_read_one_after_the_other(opening: Opening, worker: HandWorker) -> None:
    opening.open([A, B, C])
    for count in (1, 2, 3):
        assert [path for _, path in worker.read] == [A, B, C][:count]
        worker.finished.emit(worker.read[-1][0], Loaded(None), 0.1)
    assert not opening.busy
