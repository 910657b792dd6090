"""Saving into a folder: nobody else's files are touched, and what was saved is on the disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.errors import RavenglassError
from ravenglass.store.run_folder import RunFolder
from tests.engine.store.forced import Forced


def save(place: Path, text: bytes, *, force: bool = False) -> None:
    with RunFolder(place, "s1", "default", force=force) as saving:
        saving.write("windows/1.json", [text])


def test_that_a_saved_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced = Forced(monkeypatch)
    save(tmp_path / "run", b"one")
    assert tmp_path / "run" / "windows" / "1.json" in forced


def test_that_of_two_who_save_into_one_folder_the_later_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "run"
    late = RunFolder(place, "s2", "default")
    save(place, b"of the first")
    with pytest.raises(RavenglassError, match="holds a saved run already and was left as it is"), late:
        late.write("windows/1.json", [b"of the second"])
    assert (place / "windows" / "1.json").read_bytes() == b"of the first"


def test_that_a_file_that_a_person_changed_is_never_replaced(tmp_path: Path) -> None:
    place = tmp_path / "run"
    save(place, b"one")
    save(place, b"two", force=True)
    (place / "windows" / "1.json").write_bytes(b"my notes")
    with pytest.raises(RavenglassError, match=r"1\.json is there already and not as Ravenglass wrote it"):
        save(place, b"three", force=True)
    assert (place / "windows" / "1.json").read_bytes() == b"my notes"
