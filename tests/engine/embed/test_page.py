"""docs/embedding.md: its code runs, its loop is the example's, and no method is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ravenglass import Engine


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "embedding.md").read_text(encoding="utf-8")


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page, re.DOTALL)


def test_that_the_code_of_the_page_runs_from_top_to_bottom(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("openai")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(page):
        if "def run_agent" not in block:
            exec(block, names)
    assert capsys.readouterr().out.startswith("2 ")
    assert (tmp_path / "agent-workspace" / "sessions" / "agent" / "first-steps.jsonl").is_file()


def test_that_the_ten_lines_are_no_more(page: str) -> None:
    assert len([line for line in blocks(page)[0].splitlines() if line]) <= 10


def test_that_the_loop_of_the_page_is_that_of_the_example(page: str, root: Path) -> None:
    example = (root / "examples" / "agent_loop.py").read_text(encoding="utf-8")
    loop = next(block for block in blocks(page) if "def run_agent" in block)
    assert loop in example


def test_that_every_method_and_link_of_the_page_exists_and_none_is_missing(page: str, root: Path) -> None:
    methods = {name for name in vars(Engine) if not name.startswith("_") and callable(getattr(Engine, name))}
    assert {name for name in methods if f"`{name}(" not in page} == set()
    for target in re.findall(r"\]\(([^)#]+)\)", page):
        assert (root / "docs" / target).exists(), target
