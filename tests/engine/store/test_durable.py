"""What is acknowledged outlives a power cut: the bytes, the name, and the folders above it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ravenglass.store.durable import make_folder, write_whole
from tests.engine.store.forced import Forced

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be forced to the disk there")


def test_that_the_names_of_new_folders_are_forced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced = Forced(monkeypatch)
    make_folder(tmp_path / "archive" / "2026-03-02")
    assert tmp_path in forced
    assert tmp_path / "archive" in forced


def test_that_nothing_is_forced_for_a_folder_that_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced = Forced(monkeypatch)
    make_folder(tmp_path)
    assert tmp_path not in forced


def test_that_a_file_and_its_name_are_forced_to_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forced = Forced(monkeypatch)
    write_whole(tmp_path / "a.jsonl", [b"one", b"two"])
    assert tmp_path / "a.jsonl" in forced
    assert tmp_path in forced
