"""What the desktop remembers between starts: layout, theme, dismissed hints, the last session, opened folders.

An INI file of the user's; thresholds are in profiles and sessions in the library, never here.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from ravenglass_gui.theme.apply import CHOICES, Choice

LAYOUT_VERSION = 1
"""Raised when the docks change, so that an older layout is not applied to them."""

ENDPOINT_FIELDS = ("base_url", "model", "api_key_env", "price_input", "price_output")


class Settings:
    """Typed access to the INI file. With `path` another file than the user's."""

    def __init__(self, path: Path | None = None) -> None:
        if path is None:
            self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "ravenglass", "desktop")
        else:
            self._store = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def theme(self) -> Choice | None:
        """The choice of the person; None if they never made one."""
        text = str(self._store.value("theme", ""))
        return next((choice for choice in CHOICES if choice == text), None)

    @theme.setter
    def theme(self, choice: Choice) -> None:
        self._store.setValue("theme", choice)

    @property
    def hints_done(self) -> bool:
        return str(self._store.value("hints_done", "false")).lower() == "true"

    @hints_done.setter
    def hints_done(self, done: bool) -> None:
        self._store.setValue("hints_done", done)

    @property
    def last_session(self) -> Path | None:
        """The file that was open last, if it is still there."""
        text = str(self._store.value("last_session", ""))
        path = Path(text) if text else None
        return path if path is not None and path.exists() else None

    @last_session.setter
    def last_session(self, path: Path) -> None:
        self._store.setValue("last_session", str(path))

    @property
    def folders(self) -> list[Path]:
        """Folders and databases whose sessions are listed, as far as they are still there."""
        stored = self._store.value("folders", [])
        names = [stored] if isinstance(stored, str) else stored if isinstance(stored, list) else []
        return [Path(name) for name in map(str, names) if name and Path(name).exists()]

    @folders.setter
    def folders(self, folders: list[Path]) -> None:
        self._store.setValue("folders", [str(folder) for folder in folders])

    def endpoint(self) -> dict[str, str]:
        """What was typed last of a model's endpoint, by the field's name; never a key."""
        return {name: str(self._store.value(f"endpoint/{name}", "")) for name in ENDPOINT_FIELDS}

    def save_endpoint(self, values: Mapping[str, str]) -> None:
        for name in ENDPOINT_FIELDS:
            self._store.setValue(f"endpoint/{name}", values.get(name, ""))

    @property
    def geometry(self) -> QByteArray:
        return self._bytes("geometry")

    @property
    def layout(self) -> QByteArray:
        return self._bytes("layout")

    def save_window(self, geometry: QByteArray, layout: QByteArray) -> None:
        self._store.setValue("geometry", geometry)
        self._store.setValue("layout", layout)

    def sync(self) -> None:
        """Write now."""
        self._store.sync()

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()
