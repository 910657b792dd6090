"""What is remembered between starts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray

from ravenglass_gui.state.settings import Settings


def test_that_a_first_start_remembers_nothing(settings: Settings) -> None:
    assert settings.theme is None
    assert settings.last_session is None
    assert not settings.hints_done
    assert settings.layout.isEmpty()


def test_that_everything_comes_back_from_the_file(tmp_path: Path) -> None:
    path, session = tmp_path / "desktop.ini", tmp_path / "会话.jsonl"
    session.touch()
    first = Settings(path)
    first.theme = "light"
    first.hints_done = True
    first.last_session = session
    first.save_window(QByteArray(b"\x00geometry"), QByteArray(b"layout\xff"))
    first.sync()
    second = Settings(path)
    assert (second.theme, second.hints_done, second.last_session) == ("light", True, session)
    assert (second.geometry.data(), second.layout.data()) == (b"\x00geometry", b"layout\xff")


def test_that_a_session_that_is_gone_is_not_offered(settings: Settings, tmp_path: Path) -> None:
    settings.last_session = tmp_path / "gone.jsonl"
    assert settings.last_session is None


def test_that_nonsense_in_the_file_is_read_as_nothing(tmp_path: Path) -> None:
    path = tmp_path / "desktop.ini"
    path.write_text("[General]\ntheme=purple\nlayout=12\nhints_done=maybe\n", encoding="utf-8")
    settings = Settings(path)
    assert settings.theme is None
    assert settings.layout.isEmpty()
    assert not settings.hints_done
