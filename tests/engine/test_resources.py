"""Data files are found in a checkout; the installed wheel has its own test in tests/packaging."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from ravenglass import resources
from ravenglass.errors import RavenglassError


def test_that_an_asset_of_the_checkout_is_found(root: Path) -> None:
    assert resources.asset("o200k_base.tokens.zst") == root / "assets" / "o200k_base.tokens.zst"


def test_that_the_icon_is_well_formed_svg() -> None:
    assert ElementTree.parse(resources.asset("icon.svg")).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_that_a_missing_asset_is_named_in_a_sentence() -> None:
    with pytest.raises(RavenglassError, match=r"assets/no-such-table\.zst is missing from this installation"):
        resources.asset("no-such-table.zst")


def test_that_what_the_package_carries_is_taken_before_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    carried = tmp_path / "assets" / "icon.svg"
    carried.parent.mkdir()
    carried.touch()
    monkeypatch.setattr(resources, "_INSTALLED", tmp_path)
    assert resources.asset("icon.svg") == carried


def test_that_the_demo_session_is_the_one_transcript_beside_its_sub_agents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    demo = tmp_path / "demo"
    (demo / "subagents").mkdir(parents=True)
    for name in ("login.jsonl", "agent-1.jsonl", "subagents/agent-2.jsonl"):
        (demo / name).touch()
    monkeypatch.setattr(resources, "_INSTALLED", tmp_path)
    assert resources.demo_session() == demo / "login.jsonl"


def test_that_a_demo_folder_without_a_transcript_says_how_to_write_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "demo").mkdir()
    monkeypatch.setattr(resources, "_INSTALLED", tmp_path)
    with pytest.raises(RavenglassError, match="`make demo` writes it again"):
        resources.demo_session()
