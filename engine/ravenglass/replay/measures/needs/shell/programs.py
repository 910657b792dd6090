"""What a program of which the text is known may write: nothing, files that it names as constants, or more than that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from ravenglass.replay.measures.needs.shell.own_folder import outside

_OPENS = re.compile(r"(?<![\w.])(?:open|io\.open|codecs\.open)\(|\.open\(|\bFile\.open\(")
_MODE = re.compile(r"\s*(?:mode\s*=\s*)?(?P<quote>['\"])(?P<mode>[rwaxbt+U]{1,4})(?P=quote)\s*\Z")
_OPTION = re.compile(r"\s*(?:encoding|errors|newline|buffering)\s*=")
_WRITES_BEHIND = re.compile(r"(?P<what>[\w.]+|\([^()\n]*\)|Path\([^()\n]*\))\.(?:write_text|write_bytes|touch)\(")
_WRITES_FIRST = re.compile(
    r"\b(?:writeFile(?:Sync)?|appendFile(?:Sync)?|createWriteStream|File\.write|IO\.write|file_put_contents"
    r"|to_csv|to_json|to_excel|to_parquet|savefig|urlretrieve)\("
)
_OTHER_WRITES = re.compile(
    r"\.save\(|mkdir|makedirs|unlink|rmtree|os\.(?:remove|rename|replace|truncate)|\.rename\(|shutil|subprocess|os\.system|os\.popen"
    r"|child_process|(?<![\w.])exec\(|\bexec(?:File)?(?:Sync)?\(|spawn|\.truncate\(|rename(?:Sync)?\(|rmSync|copyFile|cpSync|outputFile"
    r"|\bsystem\(|fileinput|download|\.commit\(|execute\w*\([^)\n]{0,9}\b(?:INSERT|UPDATE|DELETE|CREATE|DROP|REPLACE)\b"
    r"|(?:write_text|write_bytes|writeFile|appendFile)\b(?!\s*(?:Sync)?\()|File\.(?:delete|rename)|FileUtils|runpy|__import__"
)
_COMPUTED = re.compile(r"\bf['\"]|['\"]\s*\+|\+\s*['\"]|['\"]\s*%|\.format\(|\$\{|\bargv\b|ARGV|environ")
_LAST_CONSTANT = re.compile(r"(?:/|,)\s*(?P<quote>['\"])[^'\"\n]+(?P=quote)\s*\)*\s*\Z")
_CONSTANT = re.compile(r"\s*(?:(?:pathlib\.)?Path\()?\s*r?(?P<quote>['\"])(?P<text>[^'\"\n]*)(?P=quote)\s*\)*\s*\Z")
_WALKS = re.compile(
    r"os\.walk|glob\(|rglob|iterdir|listdir|scandir|readdir|subprocess|os\.system|os\.popen|child_process|\bexec\w*\(|spawn|sys\.argv"
    r"|process\.argv|ARGV|\bsystem\("
)


@lru_cache(maxsize=1 << 10)
def written(program: str) -> frozenset[str] | None:
    """Files that a program writes, as it names them; empty where it writes none, None where its words do not tell
    which."""
    program = outside(program)
    if _OTHER_WRITES.search(program):
        return None
    found: set[str] = set()
    for target in _targets(program):
        name = _constant(program, target)
        if name is None:
            return None
        found.add(name)
    return frozenset(found)


@lru_cache(maxsize=1 << 10)
def computes(program: str) -> bool:
    """Whether the name of a file that it writes is put together, so that it need not stand in the program. A folder
    before a constant name may well be."""
    program = outside(program)
    return any(_COMPUTED.search(target) and not _LAST_CONSTANT.search(target) for target in _targets(program))


def may_write_file(program: str, path: str) -> bool:
    """Whether a program whose targets are not constants may write this file or below this folder: it names it, or
    finds or computes names by itself."""
    name = path.rstrip("/").rpartition("/")[2]
    return not name or name == "." or name in program or bool(_WALKS.search(program)) or computes(program)


def _targets(program: str) -> Iterator[str]:
    """Expressions for the files that are opened for writing or written at once."""
    for match in _OPENS.finditer(program):
        arguments = _arguments(program, match.end())
        modes = [found["mode"] for word in arguments if (found := _MODE.match(word))]
        method = match[0] == ".open("
        if not method and len(arguments) > 1 and not modes and not all(map(_OPTION.match, arguments[1:])):
            modes = ["w"]  # a mode that is not a constant
        if any(set(mode) & set("wax+") for mode in modes[-1:]):
            before = re.search(r"[\w.]+\Z|Path\([^()\n]*\)\Z", program[max(0, match.start() - 200) : match.start()])
            yield (before[0] if before else "?") if method else arguments[0]
    for match in _WRITES_BEHIND.finditer(program):
        yield match["what"]
    for match in _WRITES_FIRST.finditer(program):
        arguments = _arguments(program, match.end())
        yield arguments[0] if arguments else "?"


def _arguments(program: str, start: int) -> list[str]:
    """Arguments of a call whose parenthesis opens before `start`."""
    found, depth, quote, begin = [], 0, "", start
    for at in range(start, min(len(program), start + 600)):
        char = program[at]
        if quote:
            quote = "" if char == quote and program[at - 1] != "\\" else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth -= 1
        elif char == ")" or (char == "," and not depth):
            found.append(program[begin:at])
            begin = at + 1
            if char == ")":
                return found
    return [*found, program[begin : begin + 600]]


def _constant(program: str, expression: str) -> str | None:
    """The text of an expression that is a constant, or a name that is given one constant and nothing else."""
    match = _CONSTANT.match(re.sub(r"\A\s*file\s*=", "", expression))
    if match is not None:
        return match["text"] or None
    name = expression.strip()
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        return None
    given = re.findall(rf"(?m)(?:^|[;\s]){re.escape(name)}\s*=(?!=)\s*([^;\n]*)", program)
    loops = re.search(rf"\bfor\b[^\n:]*\b{re.escape(name)}\b[^\n:]*\bin\b|\bas\s+{re.escape(name)}\b", program)
    if len(given) != 1 or loops or re.search(rf"\bdef \w+\([^)]*\b{re.escape(name)}\b", program):
        return None
    match = _CONSTANT.match(given[0])
    return match["text"] or None if match is not None else None
