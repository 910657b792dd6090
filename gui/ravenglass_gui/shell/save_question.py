"""Saves the run on screen into a folder; where a run was saved there before, only after asking."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

from ravenglass.errors import RavenglassError, StoreError
from ravenglass.safe.visible import visible
from ravenglass.store.run_folder import refuse_saved
from ravenglass_gui.state.debugger_state import DebuggerState
from ravenglass_gui.work.replay_bridge import Bridge


def save_run(parent: QWidget, state: DebuggerState, bridge: Bridge, folder: Path) -> None:
    """Save, ask first, or say why it cannot be."""
    try:
        refuse_saved(folder, force=False)
    except StoreError as error:
        state.post("error", str(error))
    except RavenglassError as error:
        _question(parent, bridge, folder, str(error).partition(" and was left")[0])
    else:
        bridge.save(folder)


def _question(parent: QWidget, bridge: Bridge, folder: Path, what: str) -> None:
    asking = QMessageBox(parent)
    asking.setIcon(QMessageBox.Icon.Question)
    asking.setTextFormat(Qt.TextFormat.PlainText)
    asking.setText(f"{visible(what)}. Replace it? Other files there stay.")
    asking.setStandardButtons(QMessageBox.StandardButton.Save | QMessageBox.StandardButton.Cancel)
    asking.setDefaultButton(QMessageBox.StandardButton.Cancel)
    asking.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    asking.button(QMessageBox.StandardButton.Save).setText("Replace")
    asking.accepted.connect(lambda: bridge.save(folder, force=True))
    asking.open()
