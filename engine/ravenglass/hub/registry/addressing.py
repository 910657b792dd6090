"""Which address a message of a session has."""

from __future__ import annotations

from ravenglass.hub.files.file_use import SYMBOL, FileUse
from ravenglass.hub.files.named_symbol import named_symbol
from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.toolbox import file_use
from ravenglass.hub.files.touched import touched
from ravenglass.hub.registry.address import Address, FileAddress, MessageAddress, ToolAddress
from ravenglass.sessions.model.session import Session


def project_id(session: Session) -> str:
    """A short name of the session's project: the last part of its working directory."""
    name = session.project.rstrip("/").replace("\\", "/").rsplit("/", 1)[-1]
    return name or "project"


def message_address(session: Session, message: int) -> Address:
    """A file that was read or written has a project address, another tool's output a tool address, and what is
    no tool result the address of its message."""
    recorded = session.messages[message]
    if recorded.role != "tool" or not recorded.tool_call_id:
        return MessageAddress(session.id or "session", message)
    group = session.structure.groups[session.structure.group_of[message]]
    for call in session.messages[group.messages[0]].tool_calls:
        if call.id == recorded.tool_call_id:
            files = touched(call, session.project)
            if len(files) == 1 and files[0].op in ("read", "write") and not recorded.is_error:
                # The project's own folder is no file; it keeps the name it was given.
                path = files[0].path if files[0].path != "." else file_use(call).path
                return FileAddress(project_id(session), path, symbol=_symbol(files[0]))
            searched = named_symbol(call)
            if searched is not None and not recorded.is_error:
                path = normal_path(searched.path, session.project)
                return FileAddress(project_id(session), path, symbol=searched.symbol)
            return ToolAddress(call.name or "tool", call.id)
    return ToolAddress(recorded.tool_name or "tool", recorded.tool_call_id)


def _symbol(use: FileUse) -> str | None:
    """The symbol that a read shows; None where it shows lines, or all."""
    return use.part.removeprefix(SYMBOL) if use.part.startswith(SYMBOL) else None
