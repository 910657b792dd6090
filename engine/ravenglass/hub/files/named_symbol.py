"""Which symbol a read or a search names, and in which file: by the arguments of symbol tools, or by a pattern that asks
for a definition.

The names are a vocabulary, no thresholds: a tool that is not listed names no symbol.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ravenglass.hub.files.file_use import SYMBOL, FileUse
from ravenglass.hub.files.toolbox import PATH_KEYS, arguments, first_string, strings
from ravenglass.sessions.model.session import ToolCall

_PATH_KEYS = (*PATH_KEYS, "relative_path")
_SYMBOL_KEYS = ("symbol", "symbol_name", "name_path", "name_path_pattern", "function_name", "class_name", "identifier")
_READS = (
    "find_symbol", "get_symbol", "read_symbol", "view_symbol", "get_symbol_definition", "find_definition",
    "goto_definition", "go_to_definition", "read_function", "get_function", "read_definition",
)  # fmt: skip
_SEARCHES = ("Grep", "grep", "search", "search_files", "grep_search", "rg", "search_file_content")
_PATTERN_KEYS = ("pattern", "query", "regex", "search")
_DEFINITION = re.compile(
    r"\W*(?:def|class|function|func|fn|struct|enum|interface|trait|impl|type)(?:\s|\\s[+*]?)+(\w+)(?:\\b|\W)*"
)
_FILE = re.compile(r".*[^/\\]\.\w+")
_OLD_KEYS = ("old_string", "old_str", "old_text", "search", "old")


@dataclass(frozen=True, slots=True)
class NamedSymbol:
    """A symbol in a file, as the call writes both; `read`: the result is its text, else what a search found of it."""

    path: str
    symbol: str
    read: bool

    @property
    def use(self) -> FileUse:
        """The use of the file that it is."""
        return FileUse("read", self.path, f"{SYMBOL}{self.symbol}")


def named_symbol(call: ToolCall) -> NamedSymbol | None:
    """The symbol that a call names; None where it names none, or not in which file."""
    args = arguments(call)
    path = first_string(args, _PATH_KEYS)
    if not path:
        return None
    name = call.name.rsplit("__", 1)[-1]
    if name in _READS or name.startswith("lsp_"):
        named = first_string(args, _SYMBOL_KEYS)
        symbol = named.strip("/").replace("/", ".")
        return NamedSymbol(path, symbol, read=name in _READS) if symbol else None
    if name in _SEARCHES and _FILE.fullmatch(path):
        pattern = first_string(args, _PATTERN_KEYS)
        found = _DEFINITION.fullmatch(pattern)
        return NamedSymbol(path, found[1], read=False) if found else None
    return None


def changed_texts(call: ToolCall) -> list[str]:
    """What an edit takes the place of, as its arguments say it; empty where they do not."""
    args = arguments(call)
    edits = args.get("edits")
    asked = [args, *(edit for edit in edits if isinstance(edit, dict))] if isinstance(edits, list) else [args]
    return [text for edit in asked for key in _OLD_KEYS for text in strings(edit.get(key)) if text]


def overlaps(call: ToolCall, content: str) -> bool:
    """Whether an edit changes lines of a content; True where its arguments do not tell."""
    texts = changed_texts(call)
    lines = {line.strip() for line in content.split("\n")} - {""}
    return not texts or any(
        text.strip() in content or not lines.isdisjoint(line.strip() for line in text.split("\n")) for text in texts
    )
