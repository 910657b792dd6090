"""What a tool call asks to see and may change, whichever agent's tool it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.toolbox import arguments, shell_command
from ravenglass.hub.files.touched import touched
from ravenglass.replay.measures.needs.asked import ANYTHING, Asked, AskedLook, Effect
from ravenglass.replay.measures.needs.shell.asked import shell_asked
from ravenglass.replay.measures.needs.shell.words import search_key
from ravenglass.sessions.model.session import ToolCall

_SEARCH = re.compile(r"(?i)grep|ripgrep|search_?(?:file_?content|code|files|in|text|dir)|codebase_search|find_in")
_LIST = re.compile(r"(?i)\A(?:ls|glob|list_?(?:dir|directory|files)|list|find|find_?files|file_search|tree)\Z")
_ADDRESS = re.compile(r"(?i)fetch|browse|open_?url|visit|navigate|web_?get|read_?url")
_WEB_SEARCH = re.compile(r"(?i)web_?search|google|search_?web|internet_search|tavily|brave")
_LOOKING = re.compile(
    r"(?i)(?:\A|_)(?:get|list|search|read|fetch|view|find|query|lookup|show|describe|count|status)(?:_|\Z|[A-Z])"
)
_HARMLESS = re.compile(
    r"(?i)todo|plan|think|askuser|ask_user|toolsearch|skill|finish|memory_search|remember|output\Z|update_?title|set_?status|complete"
    r"|screenshot|notify|wait|poll|killshell|kill_shell|reflect|cron|sleep|switch_mode|attempt_completion"
)
_JOB = re.compile(
    r"(?i)(?:bash|shell|task|agent|process|job|command).?(?:output|status|log)|poll|wait|write_stdin|read_process"
)
_LOCAL = re.compile(
    r"(?i)file|write|edit|patch|shell|bash|command|terminal|python|code|repo|git|dir|move|rename|agent|task|run_|exec_"
)
"""Tools of a server that may reach files of the work; others change what stands behind the server."""
_READ_ONLY_AGENTS = frozenset({"explore", "plan"})
_PATTERN_KEYS = ("pattern", "query", "regex", "search", "search_term", "regexp", "q")
_PLACE_KEYS = ("path", "paths", "directory", "dir_path", "dir", "include", "glob", "file_path", "target_directories")
_RANGE_KEYS = (("offset", "limit"), ("start_line", "end_line"), ("startLine", "endLine"), ("line_start", "line_end"))


def tool_asked(call: ToolCall, project: str, folder: str, script: Callable[[str], str | None]) -> Asked:
    """`folder`: what relative paths of a shell are relative to; `script` as in `shell_asked`."""
    line = shell_command(call) or _line(call)
    if line:
        return shell_asked(line, project, _workdir(call) or folder, script)
    bare = call.name.rpartition("__")[2]
    files = touched(call if bare == call.name else ToolCall(call.id, bare, call.arguments), project)
    reads = [use for use in files if use.op == "read"]
    changes = frozenset(use.path for use in files if use.op in ("edit", "write"))
    if changes:
        return Asked((), Effect(changes))
    if reads:
        lines = _lines(call)
        return Asked(
            tuple(AskedLook("file", use.path, use.path, lines, (use.path,), whole=lines is None) for use in reads)
        )
    return _other(call, project)


def _line(call: ToolCall) -> str:
    """The command line of a tool that is not known by name but takes one and nothing else."""
    given = arguments(call)
    command = given.get("command") or given.get("cmd")
    if isinstance(command, str) and re.search(r"(?i)bash|shell|exec|terminal|command|run|cmd", call.name):
        return command
    return ""


def _workdir(call: ToolCall) -> str:
    given = arguments(call)
    found = (given.get(name) for name in ("workdir", "cwd", "working_directory"))
    return next((value for value in found if isinstance(value, str)), "")


def _lines(call: ToolCall) -> tuple[int, int] | None:
    """First and last line that a reading tool is asked for."""
    given = arguments(call)
    view = given.get("view_range")
    if isinstance(view, list) and len(view) == 2 and all(isinstance(n, int) for n in view):
        return int(view[0]), (int(view[1]) if view[1] > 0 else 1 << 30)
    for first_key, second_key in _RANGE_KEYS:
        first, second = _number(given.get(first_key)), _number(given.get(second_key))
        if first is None and second is None:
            continue
        start = max(1, first or 1)
        if second_key == "limit":
            return start, (start + second - 1 if second else 1 << 30)
        return start, second or 1 << 30
    return None


def _number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value)
    return int(value) if isinstance(value, str) and value.isdigit() else None


def _other(call: ToolCall, project: str) -> Asked:
    given = arguments(call)
    name = call.name.rpartition("__")[2] or call.name
    if _JOB.search(name):
        return Asked()
    pattern = next((str(given[key]) for key in _PATTERN_KEYS if isinstance(given.get(key), str)), "")
    if _WEB_SEARCH.search(name) and pattern:
        return Asked((AskedLook("address", f"search {pattern}", pattern, None, (), "none"),))
    address = next((v for v in given.values() if isinstance(v, str) and v.startswith(("http://", "https://"))), "")
    if address and (_ADDRESS.search(name) or name == "web"):
        return Asked((AskedLook("address", address.rstrip("/"), address, None, (), "none"),))
    if (_SEARCH.search(name) or name in ("search", "Search")) and pattern:
        return _searched(pattern, given, project)
    if _HARMLESS.search(name):
        return Asked()
    key = f"{call.name} {json.dumps(given, sort_keys=True)}"
    if _LIST.match(name):
        place = next((v for k in _PLACE_KEYS if isinstance(v := given.get(k), str)), ".")
        return Asked((AskedLook("command", key, f"{name} {pattern or place}", None, (normal_path(place, project),)),))
    if _LOOKING.search(name):
        return Asked((AskedLook("command", key, name, None, (".",), "files" if "file" in name else "none"),))
    if call.name.startswith("mcp__") and not _LOCAL.search(name):
        return Asked((), Effect(server=call.name[: -len(name)]))
    if str(given.get("subagent_type", "")).lower() in _READ_ONLY_AGENTS:
        return Asked()
    return Asked((), ANYTHING)


def _searched(pattern: str, given: dict[str, object], project: str) -> Asked:
    places = [v for k in ("path", "directory", "dir_path", "file_path") if isinstance(v := given.get(k), str) and v]
    found = tuple(normal_path(p, project) for p in places) or (".",)
    globs = [v for k in ("glob", "include", "type", "file_pattern") if isinstance(v := given.get(k), str) and v]
    key = search_key(pattern, (*found, *globs))
    context = any(_number(given.get(k)) for k in ("-A", "-B", "-C", "context", "before", "after", "context_lines"))
    context &= given.get("output_mode", "content") == "content"
    folders = not all("." in path.rpartition("/")[2][1:] for path in found)
    looks = [AskedLook("search", key, pattern, None, found, context=context and folders)]
    if context:
        looks += [
            AskedLook("file", path, path, None, (path,), by_search=True)
            for path in found
            if "." in path.rpartition("/")[2][1:]
        ]
    return Asked(tuple(looks))
