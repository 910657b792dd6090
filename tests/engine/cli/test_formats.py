"""`ravenglass formats` and its page name everything that can be opened, and where it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ravenglass.cli.main import main
from ravenglass.sessions import holders, importers
from ravenglass.sessions.catalogue.places import HOMES
from ravenglass.sessions.importing.holder import Holder
from ravenglass.sessions.importing.importer import Importer


def test_that_every_importer_and_holder_is_listed_with_what_it_maps_and_keeps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["formats"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    readers: list[Importer | Holder] = [*importers(), *holders()]
    for reader in readers:
        assert f"{reader.name} " in printed
        assert " ".join(reader.description.split()) in printed
    for home in HOMES:
        for path in (*home.usual, *home.elsewhere):
            assert path in printed


def test_that_the_json_list_says_where_each_agent_keeps_its_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["formats", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(item["name"], item["reads"]) for item in listed] == [
        *((importer.name, "file") for importer in importers()),
        *((holder.name, "folder or database") for holder in holders()),
    ]
    codex = next(item for item in listed if item["name"] == "codex")
    assert codex["places"] == [
        {
            "agent": "Codex",
            "paths": ["~/.codex/sessions", "~/.codex/archived_sessions"],
            "variable": "CODEX_HOME",
            "with_variable": ["$CODEX_HOME/sessions", "$CODEX_HOME/archived_sessions"],
        }
    ]
    names = {item["name"] for item in listed}
    assert {home.format for home in HOMES} <= names


@pytest.mark.parametrize("reader", [*importers(), *holders()], ids=lambda reader: reader.name)
def test_that_every_description_says_what_is_mapped_and_what_is_kept(reader: object) -> None:
    words = reader.description  # type: ignore[attr-defined]
    assert "aps " in words
    assert "keeps" in words
    assert words.endswith(".")


def test_that_the_page_names_every_format_and_every_place(root: Path) -> None:
    page = (root / "docs" / "formats.md").read_text(encoding="utf-8")
    readers: list[Importer | Holder] = [*importers(), *holders()]
    for reader in readers:
        assert page.count(f"`{reader.name}`") >= 2, reader.name  # in the table, and in a paragraph of its own
    for home in HOMES:
        assert f"| {home.agent} |" in page
        for path in (*home.usual, *home.elsewhere):
            assert f"`{path}`" in page
        assert not home.variable or f"`{home.variable}`" in page
