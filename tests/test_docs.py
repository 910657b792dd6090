"""The pages say what the program does."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
from typer.main import get_command

from ravenglass.cli.commands import application


@pytest.mark.rule("3.20")
def test_that_the_page_of_profile_fields_is_what_the_schema_says(root: Path) -> None:
    made = runpy.run_path(str(root / "docs" / "make_profile.py"))["page"]()
    assert (root / "docs" / "profile.md").read_text(encoding="utf-8") == made, "run: python docs/make_profile.py"


def test_that_every_command_and_option_is_documented(root: Path) -> None:
    page = (root / "docs" / "command-line.md").read_text(encoding="utf-8")
    commands = get_command(application()).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        assert name == "open" or f"ravenglass {name}" in page
        for parameter in command.params:
            options = [o for o in parameter.opts if o.startswith("-")]
            assert not options or any(o in page for o in options), f"{name} {options}"


@pytest.mark.parametrize("page", ["README.md", *(f"docs/{p}" for p in ("guide.md", "formats.md", "command-line.md"))])
def test_that_links_and_pictures_of_a_page_exist(root: Path, page: str) -> None:
    source = root / page
    for target in re.findall(r"\]\(([^)#]+)\)", source.read_text(encoding="utf-8")):
        assert target.startswith("http") or (source.parent / target).exists(), f"{page} links to {target}"
