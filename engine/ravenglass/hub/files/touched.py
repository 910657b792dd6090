"""Every file that a tool call touches: by its tool, by the patch in its arguments, or by its command line."""

from __future__ import annotations

import shlex
from functools import lru_cache

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.named_symbol import named_symbol
from ravenglass.hub.files.patches import envelope_uses, unified
from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.shell_uses import shell_uses
from ravenglass.hub.files.toolbox import argument_value, arguments, file_use, first_string, shell_command, strings
from ravenglass.sessions.model.session import ToolCall

_PATCH_TOOLS = ("apply_patch", "patch", "applyPatch", "apply_diff", "git_apply")
_READS_MANY = ("read_many_files", "read_multiple_files")
_MANY_KEYS = ("paths", "file_paths", "files", "include")
_FOLDER_KEYS = ("workdir", "cwd", "directory", "working_directory")


@lru_cache(maxsize=16_384)
def touched(call: ToolCall, project: str) -> tuple[FileUse, ...]:
    """The uses in order, paths as `normal_path` spells them; empty where the call touches no file that we know of."""
    return tuple(
        FileUse(use.op, normal_path(use.path, project, _folder(call)), use.part, use.how) for use in _uses(call)
    )


def _uses(call: ToolCall) -> list[FileUse]:
    use = file_use(call)
    if use.op != "none":
        return [use]
    symbol = named_symbol(call)
    if symbol is not None and symbol.read:
        return [symbol.use]
    if call.name in _PATCH_TOOLS:
        return _patch_uses(call)
    if call.name in _READS_MANY:
        return _many(call)
    if shell_command(call):
        return shell_uses(_command_line(call))
    return []


def _many(call: ToolCall) -> list[FileUse]:
    """The files of a list; none where a pattern stands among them, for it may show any other."""
    args = arguments(call)
    found = next((args[key] for key in _MANY_KEYS if isinstance(args.get(key), list)), [])
    paths = [path for path in found if isinstance(path, str) and path] if isinstance(found, list) else []
    return [] if any(set(path) & set("*?[{") for path in paths) else [FileUse("read", path) for path in paths]


def _patch_uses(call: ToolCall) -> list[FileUse]:
    """A patch is a string somewhere in the arguments, or (a custom tool's) the arguments themselves."""
    for text in [*strings(argument_value(call.arguments)), call.arguments]:
        found = envelope_uses(text)
        if not found:
            found = [FileUse("edit", p.path, how="removed" if p.gone else "patched") for p in unified(text)]
        if found:
            return found
    return []


def _command_line(call: ToolCall) -> str:
    """The command line with the quotes that a list of words has lost."""
    args = arguments(call)
    command = args.get("command") or args.get("cmd")
    if isinstance(command, list):
        return shlex.join(map(str, command))
    return str(command)


def _folder(call: ToolCall) -> str:
    return first_string(arguments(call), _FOLDER_KEYS)
