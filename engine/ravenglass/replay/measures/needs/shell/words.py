"""Words of a shell command: names, files, ranges of lines; and keys that are the same for the same look."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from itertools import pairwise

_PREFIXES = (
    "sudo",
    "command",
    "time",
    "nohup",
    "env",
    "exec",
    "then",
    "do",
    "else",
    "{",
    "!",
    "timeout",
    "nice",
    "stdbuf",
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NOISE = re.compile(
    r"\s*(?:2>&1|[12]?>\s*/dev/null|\|\|\s*true|\|\s*(?:cat|head|tail)(?:\s+-n)?(?:\s+-?\d+)?(?=\s*(?:$|\|)))"
)
_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_COUNT = re.compile(r"-(?:n\s*)?(\d+)\Z")
_WITH_VALUE = frozenset(
    {
        "-e",
        "-f",
        "-m",
        "-A",
        "-B",
        "-C",
        "-g",
        "-t",
        "-T",
        "--include",
        "--exclude",
        "--exclude-dir",
        "--glob",
        "--type",
        "-d",
    }
)
_TO_END = 1 << 30
_NO_PAGER = frozenset({"--no-pager", "--color=never", "--no-color"})


def search_key(pattern: str, places: Sequence[str]) -> str:
    """The same for searches of one pattern in the same places, by whatever tool."""
    return f"{pattern}\0{' '.join(sorted(places))}"


def raw_key(text: str, here: str) -> str:
    """The same for the same command in the same folder, `here` as `normal_path` spells it: quotes, pagers, what only
    cuts the end, and a slash behind a folder make no difference."""
    bare = _NOISE.sub("", text)
    try:
        words = shlex.split(bare)
    except ValueError:
        words = bare.split()
    return "\0".join((here, *(word.rstrip("/") or word for word in words if word not in _NO_PAGER)))


_LOOP = re.compile(r"\bfor\s+(\w+)\s+in\s+([^;\n$`*?\[{]+?)\s*[;\n]\s*do\b\s*(.*?)[;\n]\s*done\b", re.DOTALL)
_GLOBBED = re.compile(r"(--(?:include|exclude|exclude-dir|glob)=)([^\s'\"$`]+)")
_MOST_ROUNDS = 20


def unrolled(line: str) -> str:
    """The line with loops over words that it names written out, and patterns of options quoted."""
    return _GLOBBED.sub(r"\1'\2'", line if "<<" in line else _LOOP.sub(_rounds, line))


def _rounds(loop: re.Match[str]) -> str:
    words = loop[2].split()
    if len(words) > _MOST_ROUNDS or re.search(r"\bdo\b", loop[3]):
        return loop[0]
    name = re.compile(rf"\$(?:{loop[1]}\b|\{{{loop[1]}\}})")
    return "\n".join(name.sub(lambda _, word=word: word, loop[3]) for word in words)


def without_prefix(words: tuple[str, ...]) -> tuple[str, ...]:
    i = 0
    while i < len(words) and (
        words[i] in _PREFIXES or _ASSIGNMENT.match(words[i]) or (i and words[i - 1] == "timeout")
    ):
        i += 1
    return words[i:]


def names_of(arguments: Sequence[str]) -> list[str]:
    """Arguments that are no options and no values of one."""
    found: list[str] = []
    skip = only = False
    for word in arguments:
        if skip:
            skip = False
        elif only or not word.startswith("-") or word == "-":
            found.append(word)
        elif word == "--":
            only = True
        else:
            skip = word in _WITH_VALUE
    return found


def cuts_lines(words: tuple[str, ...], name: str) -> bool:
    """Whether a command behind a pipe only leaves lines out, or numbers them."""
    if name in ("head", "tail", "cat", "nl", "less", "more"):
        return True
    return name in ("sed", "gsed") and "-n" in words


def files_of(words: tuple[str, ...], name: str) -> list[str]:
    arguments = list(words[1:])
    if name in ("head", "tail"):
        return [
            w
            for i, w in enumerate(arguments)
            if not w.startswith(("-", "+")) and not (i and arguments[i - 1] in ("-n", "-c"))
        ]
    if name in ("sed", "gsed"):
        names = names_of([w for w in arguments if w != "-e"])
        return names[1:] if "-n" in arguments else []
    if name in ("awk", "gawk"):
        return names_of(arguments)[1:]
    return [w for w in names_of(arguments) if w != "-"]


def lines_of(words: tuple[str, ...], name: str) -> tuple[int, int] | None:
    """First and last line that a command asks for, as far as the words say it."""
    if name in ("sed", "gsed"):
        found = [m for w in words[1:] for m in _RANGE.finditer(w)]
        if not found:
            return None
        lasts = [_TO_END if m[2] == "$" else int(m[2] or m[1]) for m in found]
        return min(int(m[1]) for m in found), max(lasts)
    if name == "head":
        count = next((int(m[1]) for w in words[1:] if (m := _COUNT.match(w))), None)
        if count is None:
            count = next((int(v) for o, v in pairwise(words[1:]) if o == "-n" and v.isdigit()), 10)
        return 1, count
    if name == "tail":
        first = next((int(w[1:]) for w in words[1:] if re.match(r"\+\d+\Z", w)), None)
        return None if first is None else (first, _TO_END)
    return None
