"""What a command loads before it begins: by the names of modules, never by the time it takes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from ravenglass.cli.commands import COMMANDS, NAMES, application

CODE = """
import json, sys
from ravenglass.cli.main import main
code = main(sys.argv[2:])
open(sys.argv[1], "w").write(json.dumps(sorted(sys.modules)))
sys.exit(code)
"""
DATABASE = {"sqlalchemy", "sqlmodel"}
DRAWN = {"rich"}
DESKTOP = {"PySide6", "pyqtgraph", "superqt", "qtawesome", "ravenglass_gui"}
NEVER = DESKTOP | {"openai", "asyncio", "http", "numpy"}
FORMATS = "ravenglass.sessions.formats"
SLOW_PATH = ("ravenglass.curator.tools", "ravenglass.curator.policies.model", "ravenglass.curator.policies.endpoint")
WRITERS = tuple(f"ravenglass.curator.dialects.{name}" for name in ("anthropic", "gemini", "openai_chat", "checks"))


def loaded(tmp_path: Path, *arguments: str) -> set[str]:
    """Every module that is there when the command has ended."""
    names = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(names), *arguments], capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(names.read_text("utf-8")))


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules}


def within(modules: set[str], *rooms: str) -> set[str]:
    """Modules of these packages of the engine."""
    return {name for name in modules if any(name == room or name.startswith(f"{room}.") for room in rooms)}


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    path = tmp_path / "chat.jsonl"
    said = [{"role": "user", "content": "Which files?"}, {"role": "assistant", "content": "a.py and b.py."}]
    path.write_text("".join(json.dumps(message) + "\n" for message in said), encoding="utf-8")
    return path


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_that_help_and_version_load_no_command(tmp_path: Path, option: str) -> None:
    modules = loaded(tmp_path, option)
    assert packages(modules) & (NEVER | DATABASE | DRAWN | {"pydantic", "tiktoken", "msgspec", "tomlkit"}) == set()
    rooms = ("curator", "embed", "hub", "profile", "replay", "scheduler", "store", "tokens", "traces")
    assert within(modules, *(f"ravenglass.{room}" for room in rooms)) == set()
    commands = {command.module for command in COMMANDS}
    assert within(modules, *(f"ravenglass.cli.{module}" for module in commands)) == set()


def test_that_a_replay_loads_no_database(tmp_path: Path, chat: Path) -> None:
    modules = loaded(tmp_path, "replay", str(chat))
    assert packages(modules) & ((NEVER | DATABASE) - {"numpy"}) == set()  # scores are arrays
    assert within(modules, "ravenglass.store.library", "ravenglass.saving", "ravenglass.embed") == set()


def test_that_a_replay_of_fast_paths_loads_no_tools_nobody_to_ask_and_nothing_that_writes(
    tmp_path: Path, chat: Path
) -> None:
    modules = loaded(tmp_path, "replay", str(chat))
    assert within(modules, *SLOW_PATH, *WRITERS, "ravenglass.replay.filter") == set()


def test_that_a_replay_loads_the_one_format_that_its_file_can_be_of(tmp_path: Path, chat: Path) -> None:
    modules = loaded(tmp_path, "replay", str(chat))
    assert within(modules, FORMATS) == {FORMATS, f"{FORMATS}.chat", f"{FORMATS}.chat.openai_chat"}


def test_that_a_list_of_sessions_loads_no_database_and_no_replay(tmp_path: Path, chat: Path) -> None:
    modules = loaded(tmp_path, "sessions", str(chat.parent))
    assert packages(modules) & (NEVER | DATABASE | {"tiktoken"}) == set()
    assert within(modules, "ravenglass.replay", "ravenglass.curator", "ravenglass.scheduler") == set()


def test_that_printing_a_profile_loads_no_session_and_no_replay(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "profile")
    assert packages(modules) & (NEVER | DATABASE | {"tiktoken"}) == set()
    rooms = ("curator", "hub", "replay", "scheduler", "sessions.catalogue", "sessions.formats", "traces")
    assert within(modules, *(f"ravenglass.{room}" for room in rooms)) == set()


def test_that_reading_a_trace_log_loads_no_session_and_no_replay(tmp_path: Path, chat: Path) -> None:
    loaded(tmp_path, "replay", str(chat), "--save", str(tmp_path / "run"))
    modules = loaded(tmp_path, "trace", str(tmp_path / "run" / "traces"))
    assert packages(modules) & (NEVER | DATABASE | {"tiktoken"}) == set()
    rooms = ("curator", "hub", "replay", "scheduler", "sessions.catalogue", "sessions.formats")
    assert within(modules, *(f"ravenglass.{room}" for room in rooms)) == set()


def test_that_the_list_of_formats_loads_no_replay(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "formats")
    assert packages(modules) & (NEVER | {"sqlalchemy", "sqlmodel", "tiktoken"}) == set()
    assert within(modules, "ravenglass.replay", "ravenglass.curator", "ravenglass.scheduler") == set()


@pytest.mark.parametrize("name", sorted(NAMES))
def test_that_every_command_in_the_table_is_there_with_its_help(name: str) -> None:
    whole, listed, alone = (get_command(application(names)) for names in (NAMES, (), (name,)))
    made = [tree.commands[name] for tree in (whole, listed, alone)]  # type: ignore[attr-defined]
    assert len({command.help for command in made}) == 1
    assert [option.name for option in made[2].params] == [option.name for option in made[0].params]
    assert made[2].params
