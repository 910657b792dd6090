"""What a person types to say who answers: a model's endpoint, or a trace log."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QHBoxLayout, QLineEdit, QPushButton, QWidget

from ravenglass.errors import ProfileError, RavenglassError
from ravenglass.replay.asking.answering import LogAnswers, ModelAnswers, make_endpoint

_FIRST = {"api_key_env": "OPENAI_API_KEY"}


class ModelForm(QWidget):
    """An endpoint. The key, where one is typed, is in this field only and goes with the dialog."""

    changed = Signal()

    def __init__(self, values: Mapping[str, str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.url = _line("Endpoint", "https://api.openai.com/v1, or http://localhost:8080/v1")
        self.model = _line("Model", "its name, as the endpoint has it")
        self.variable = _line("Variable with the key", "environment variable; empty: the endpoint needs no key")
        self.key = _line("Key", "instead of the variable; forgotten when this dialog closes")
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.asked = _line("Price of the prompts", "dollars per million tokens")
        self.answered = _line("Price of the answers", "dollars per million tokens")
        self._named = {
            "base_url": self.url,
            "model": self.model,
            "api_key_env": self.variable,
            "price_input": self.asked,
            "price_output": self.answered,
        }
        prices = QHBoxLayout()
        prices.addWidget(self.asked)
        prices.addWidget(self.answered)
        form = _form(self)
        form.addRow("&Endpoint", self.url)
        form.addRow("&Model", self.model)
        form.addRow("Key's &variable", self.variable)
        form.addRow("&Key", self.key)
        form.addRow("Prices, in and out", prices)
        for name, line in self._named.items():
            line.setText(values.get(name, "") or ("" if any(values.values()) else _FIRST.get(name, "")))
        for line in (*self._named.values(), self.key):
            line.textChanged.connect(self.changed)

    def values(self) -> dict[str, str]:
        """What is typed, by the field of the endpoint; without the key."""
        return {name: line.text().strip() for name, line in self._named.items()}

    def answers(self) -> ModelAnswers:
        """Raises ProfileError with a sentence that names the field."""
        typed: dict[str, object] = dict(self.values())
        if not typed["base_url"]:
            raise ProfileError("Say where the model is: the endpoint's address up to and including /v1.")
        if not typed["model"]:
            raise ProfileError("Say which model is asked, by the name that the endpoint has for it.")
        for name in ("price_input", "price_output"):
            typed[name] = _price(str(typed[name]))
        return ModelAnswers(make_endpoint(**typed), self.key.text().strip())


class LogForm(QWidget):
    """A trace log: a file, or the folder of a session's turns."""

    changed = Signal()

    def __init__(self, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.path = _line("Trace log", "a .jsonl file, or the folder of a session's turns")
        self.path.setText(path)
        self.choose = QPushButton("Choose folder…", self)
        row = QHBoxLayout()
        row.addWidget(self.path, 1)
        row.addWidget(self.choose)
        _form(self).addRow("&Trace log", row)
        self.path.textChanged.connect(self.changed)
        self.choose.clicked.connect(self._choose)

    def _choose(self) -> None:
        dialog = QFileDialog(self, "Folder with the turns of a trace log", self.path.text() or str(Path.home()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.path.setText)
        dialog.open()

    def answers(self) -> LogAnswers:
        """Raises RavenglassError where nothing is named."""
        if not self.path.text().strip():
            raise RavenglassError("Say which trace log has the answers.")
        return LogAnswers(Path(self.path.text().strip()).expanduser())


def _line(name: str, hint: str) -> QLineEdit:
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    line.setToolTip(f"{name}: {hint}")
    return line


def _form(parent: QWidget) -> QFormLayout:
    form = QFormLayout(parent)
    form.setContentsMargins(0, 0, 0, 0)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


def _price(text: str) -> float | None:
    if not text:
        return None
    try:
        return float(text.removeprefix("$").replace(",", "."))
    except ValueError:
        raise ProfileError(f"{text!r} is no price in dollars per million tokens.") from None
