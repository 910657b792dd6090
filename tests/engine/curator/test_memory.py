"""The long-term memory: which notes there are, what the curator gets of them, and that nothing else is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ravenglass.curator.memory import Memory, memory_beside
from ravenglass.curator.tools import TOOLS
from ravenglass.errors import PlanError
from tests.engine.builders import assistant, session, user
from tests.engine.curator.desks import desk
from tests.engine.scheduler.views import look, plain

READ = TOOLS["curator_read_memory"]


def _folder(top: Path) -> Path:
    folder = top / "memory"
    (folder / "topics").mkdir(parents=True)
    (folder / ".curator").mkdir()
    (folder / "MEMORY.md").write_text("\n# Shop\nPrices are in cents.\n", "utf-8")
    (folder / "topics" / "税.txt").write_text("税率 8 %", "utf-8")
    (folder / ".curator" / "state.md").write_text("no note", "utf-8")
    (folder / "image.png").write_bytes(b"no note")
    (top / "secret.md").write_text("secret", "utf-8")
    (folder / "link.md").symlink_to(top / "secret.md")
    return folder


@pytest.mark.rule("6.45")
def test_that_the_notes_are_the_text_files_of_the_folder_and_no_link_leads_out(tmp_path: Path) -> None:
    memory = Memory(_folder(tmp_path))
    assert list(memory.notes) == ["MEMORY.md", "topics/税.txt"]
    for name in ("../secret.md", "link.md", "/etc/hostname", ".curator/state.md"):
        with pytest.raises(PlanError, match="there are MEMORY"):
            memory.note(name)


@pytest.mark.rule("6.45")
def test_that_the_curator_gets_the_list_and_the_notes_that_it_names(tmp_path: Path) -> None:
    at = desk(look(session(user("Fix it"), assistant("ok"), user("more"), assistant("done")), plain()))
    assert "notes" not in READ.run(at, {})
    at.memory = Memory(_folder(tmp_path))
    listed: Any = READ.run(at, {})["notes"]
    assert [(n["name"], n["headline"]) for n in listed] == [("MEMORY.md", "# Shop"), ("topics/税.txt", "税率 8 %")]
    told: Any = READ.run(at, {"names": ["MEMORY.md"]})["texts"]
    assert told == [{"name": "MEMORY.md", "text": "\n# Shop\nPrices are in cents.\n", "truncated": False}]
    cut: Any = READ.run(at, {"names": ["MEMORY.md"], "max_tokens": 4})["texts"]
    assert (cut[0]["text"], cut[0]["truncated"]) == ("\n# Shop", True)


@pytest.mark.rule("6.45")
def test_that_a_memory_is_found_beside_the_session_and_in_its_workspace(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    for place in (tmp_path / "s.jsonl", tmp_path / "sessions" / "agent" / "s.jsonl"):
        place.parent.mkdir(parents=True, exist_ok=True)
        assert memory_beside(place).folder is None
        place.write_text("", "utf-8")
        assert memory_beside(place).folder == folder
    elsewhere = tmp_path / "other" / "agent" / "s.jsonl"
    elsewhere.parent.mkdir(parents=True)
    elsewhere.write_text("", "utf-8")
    assert memory_beside(elsewhere).folder is None


@pytest.mark.rule("6.45")
def test_that_a_note_of_one_long_line_comes_back_cut_and_not_empty(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("word " * 500, "utf-8")
    at = desk(look(session(user("Fix it"), assistant("ok")), plain()))
    at.memory = Memory(tmp_path)
    texts: Any = READ.run(at, {"names": ["long.md"], "max_tokens": 10})["texts"]
    told = texts[0]
    assert told["text"].startswith("word word")
    assert len(told["text"]) < 200
    assert told["truncated"] is True
