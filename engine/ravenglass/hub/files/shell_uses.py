"""Which files a shell command line clearly reads, writes, removes or moves. What is not clear touches nothing.

Clear is what the words alone say: no expansion, no glob, and for a read no second output beside it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from ravenglass.hub.files.file_use import FileUse
from ravenglass.hub.files.patches import envelope_uses, unified
from ravenglass.hub.files.shell import UNKNOWN, Simple, simple_commands

_SHELLS = ("bash", "sh", "zsh", "dash")
_BEFORE = ("sudo", "command", "time", "nohup", "env", "exec", "then", "do", "else", "{", "!")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NO_FILE = re.compile(r"/dev/|&?\d*-?\Z")
_LINES = re.compile(r"\d+(?:,\d+|,\$)?p")
_MOST_NESTED = 3


def shell_uses(line: str, folder: str = "", nested: int = 0) -> list[FileUse]:
    """The uses in order. Paths are relative to `folder` where the line does not say otherwise."""
    found: list[FileUse] = []
    commands = list(_in_place(simple_commands(line), folder))
    only = sum(not _is_cd(command) for command, _ in commands) == 1
    for command, place in commands:
        words = _without_prefix(command.words)
        alone = only and not command.piped and not command.redirects
        if words and posixpath.basename(words[0]) in _SHELLS and nested < _MOST_NESTED:
            inner = shell_uses(_script(words[1:]), "", nested + 1)
            found += _placed((use for use in inner if alone or use.op != "read"), place)
        elif words:
            reads = _reads(words) if alone else []
            found += _placed([*reads, *_uses(words, command.here)], place)
        found += _placed((FileUse("edit", target, how="written") for target in _targets(command)), place)
    return found


def _is_cd(command: Simple) -> bool:
    return command.words[:1] == ("cd",)


def _in_place(commands: Sequence[Simple], folder: str) -> Iterator[tuple[Simple, str | None]]:
    """Every command with the folder that it runs in; None where that is not known."""
    places: dict[int, str | None] = {0: folder}
    for command in commands:
        inner = max(command.depth, 0)  # a line may close more than it opens
        for depth in [d for d in places if d > inner]:
            del places[depth]
        here = places.setdefault(inner, places[max(places)])
        if _is_cd(command):
            target = command.words[1] if len(command.words) == 2 else UNKNOWN
            known = target not in (UNKNOWN, "-") and here is not None
            places[inner] = posixpath.join(here or "", target) if known else None
        yield command, here


def _without_prefix(words: tuple[str, ...]) -> tuple[str, ...]:
    i = 0
    while i < len(words) and (words[i] in _BEFORE or _ASSIGNMENT.match(words[i])):
        i += 1
    return words[i:]


def _script(arguments: tuple[str, ...]) -> str:
    """The script of `bash -c script`; empty where it is something else."""
    for option, value in pairwise(arguments):
        if option.startswith("-") and option.endswith("c") and not option.startswith("--"):
            return "" if value == UNKNOWN else value
    return ""


def _targets(command: Simple) -> Iterator[str]:
    for operator, target in command.redirects:
        if operator in (">", ">>", ">|", "&>", "&>>", "<>") and not _NO_FILE.match(target):
            yield target


def _placed(uses: Sequence[FileUse] | Iterator[FileUse], folder: str | None) -> Iterator[FileUse]:
    """Those whose path is known, seen from where the whole line runs."""
    for use in uses:
        if use.path in ("", UNKNOWN) or (folder is None and not use.path.startswith("/")):
            continue
        yield FileUse(use.op, posixpath.join(folder or "", use.path), use.part, use.how)


def _uses(words: tuple[str, ...], here: str) -> list[FileUse]:
    name, rest = posixpath.basename(words[0]), words[1:]
    if name == "git" and rest:
        return _git(rest, here)
    tool = _CHANGES.get(name)
    if tool is not None:
        return tool(rest)
    if name in ("apply_patch", "applypatch"):
        return envelope_uses("\n".join((*rest, here)))
    return _patched(here) if name == "patch" else []


def _patched(diff: str) -> list[FileUse]:
    return [FileUse("edit", found.path, how="removed" if found.gone else "patched") for found in unified(diff)]


def _git(rest: tuple[str, ...], here: str) -> list[FileUse]:
    name, arguments = rest[0], rest[1:]
    names = _names(arguments)
    if name == "checkout" and "--" in arguments:
        return [FileUse("edit", path, how="restored") for path in arguments[arguments.index("--") + 1 :]]
    if name == "restore":
        # --staged alone changes what is to be committed, not the file.
        staged = {"--staged", "-S"} & set(arguments) and not {"--worktree", "-W"} & set(arguments)
        return [] if staged else [FileUse("edit", path, how="restored") for path in names]
    if name == "rm":
        return [] if "--cached" in arguments else _removed(arguments)
    if name == "mv":
        return _moved(arguments)
    return _patched(here) if name == "apply" else []


def _names(arguments: Sequence[str], with_value: Sequence[str] = ()) -> list[str]:
    """The arguments that are no options; options in `with_value` take the next word along."""
    found: list[str] = []
    skip = only_names = False
    for word in arguments:
        if skip:
            skip = False
        elif only_names or not word.startswith("-") or word == "-":
            found.append(word)
        elif word == "--":
            only_names = True
        else:
            skip = word in with_value
    return found


def _removed(arguments: tuple[str, ...]) -> list[FileUse]:
    return [FileUse("edit", path, how="removed") for path in _names(arguments)]


def _moved(arguments: tuple[str, ...]) -> list[FileUse]:
    *sources, target = _names(arguments) or [""]
    return [*(FileUse("edit", path, how="moved") for path in sources), *_arrived(sources, target)]


def _copied(arguments: tuple[str, ...]) -> list[FileUse]:
    *sources, target = _names(arguments) or [""]
    return _arrived(sources, target)


def _arrived(sources: list[str], target: str) -> list[FileUse]:
    """What is new at the target: it, if it is a file, or what lies in it then, if it is a folder."""
    if target == UNKNOWN:
        return []
    known = [path for path in sources if path != UNKNOWN]
    inside = [posixpath.join(target, posixpath.basename(path.rstrip("/"))) for path in known]
    as_file = [target] if len(sources) == 1 and not target.endswith("/") else []
    return [FileUse("edit", path, how="written") for path in [*as_file, *inside]]


def _tee(arguments: tuple[str, ...]) -> list[FileUse]:
    return [FileUse("edit", path, how="written") for path in _names(arguments) if not _NO_FILE.match(path)]


def _sed(arguments: tuple[str, ...]) -> list[FileUse]:
    if not any(re.match(r"-[nErsuz]*i|--in-place", word) for word in arguments):
        return []
    scripts = [word for word in arguments if re.match(r"-[nErsuz]*[ef]\Z|--expression\Z|--file\Z", word)]
    scripted = bool(scripts) or any(word.startswith(("--expression=", "--file=")) for word in arguments)
    names = [word for word in _names(arguments, scripts) if word]
    return [FileUse("edit", path, how="edited") for path in (names if scripted else names[1:])]


def _perl(arguments: tuple[str, ...]) -> list[FileUse]:
    options = [word for word in arguments if word.startswith("-")]
    scripts = [word for word in options if re.match(r"-\w*[eE]\Z", word)]
    if not scripts or not any(re.match(r"-[pnlw0]*i", word) for word in options):
        return []
    return [FileUse("edit", path, how="edited") for path in _names(arguments, scripts)]


def _truncated(arguments: tuple[str, ...]) -> list[FileUse]:
    return [FileUse("edit", path, how="truncated") for path in _names(arguments, ("-s", "--size"))]


_CHANGES: dict[str, Callable[[tuple[str, ...]], list[FileUse]]] = {
    "rm": _removed,
    "unlink": _removed,
    "mv": _moved,
    "cp": _copied,
    "tee": _tee,
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "truncate": _truncated,
}


def _reads(words: tuple[str, ...]) -> list[FileUse]:
    """The one file whose content a command prints, with the lines that it prints of it."""
    name, arguments = words[0], words[1:]
    if UNKNOWN in arguments:
        return []
    part = ""
    if name in ("cat", "bat", "nl"):
        files = _names(arguments, ("-b", "-w", "-v", "-s"))
    elif name in ("head", "tail"):
        files = _names(arguments, ("-n", "-c"))
        part = " ".join(word for word in arguments if word not in files)
        part = f"{name} {part}".strip()
    elif name == "sed" and len(arguments) == 3 and arguments[0] == "-n" and _LINES.fullmatch(arguments[1]):
        files, part = [arguments[2]], f"lines {arguments[1][:-1]}"
    else:
        return []
    return [FileUse("read", files[0], part)] if len(files) == 1 and files[0] != "-" else []
