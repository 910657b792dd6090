"""What a shell command line asks to see and may change."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ravenglass.hub.files.paths import normal_path
from ravenglass.hub.files.shell import UNKNOWN, Simple, simple_commands
from ravenglass.hub.files.shell_uses import shell_uses
from ravenglass.replay.measures.needs.asked import ANYTHING, Asked, AskedLook, Effect, Scope
from ravenglass.replay.measures.needs.shell import commands
from ravenglass.replay.measures.needs.shell.programs import written
from ravenglass.replay.measures.needs.shell.words import (
    cuts_lines,
    files_of,
    lines_of,
    names_of,
    raw_key,
    search_key,
    unrolled,
    without_prefix,
)

_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_KNOWN_CHANGES = frozenset({"rm", "unlink", "mv", "cp", "tee", "truncate"})
_MAKES = frozenset({"mkdir", "touch", "rmdir", "chmod", "chown", "ln", "install"})
_CONTEXT = re.compile(r"-(?:[a-zA-Z]*[ABC]\d*)\Z|--(?:after|before)?-?context(?:=\d+)?\Z")
_RECURSIVE = re.compile(r"-[a-zA-Z]*[rR][a-zA-Z]*\Z|--recursive\Z")
_AT_COMMIT = re.compile(r"(?P<commit>[\w./@^~{}-]+):(?P<path>[\w./@+-]+)\Z")
_COMMIT = re.compile(r"[0-9a-f]{7,40}\Z")
_MOST_NESTED = 3


def shell_asked(line: str, project: str, folder: str, script: Callable[[str], str | None], nested: int = 0) -> Asked:
    """`script` gives the text of a file that the session wrote, None where it is not known."""
    line = unrolled(line)
    looks: list[AskedLook] = []
    effect = Effect(paths=_written(line, project, folder))
    parts = 0
    here = folder
    waits = False
    for part in segments(line):
        found = simple_commands(part)
        if found and found[0].words[:1] == ("cd",) and len(found) == 1:
            target = found[0].words[1] if len(found[0].words) == 2 else ""
            here = posixpath.join(here, target) if target and target != UNKNOWN else here
            continue
        parts += 1
        pipeline = _Pipeline(part, found, project, here, script, nested)
        effect = effect | pipeline.effect
        waits |= pipeline.waits
        looks += pipeline.looks
    if parts > 1:
        looks = [replace(look, mixed=True) for look in looks]
    return Asked(() if waits else tuple(looks), effect)


def segments(line: str) -> Iterator[str]:
    """The pipelines of a line: split at `;`, `&&`, `||` and line ends outside quotes. A line with a here-document or a
    loop is one."""
    if "<<" in line or re.search(r"\b(?:do|then)\b", line):
        yield line
        return
    start = at = depth = 0
    quote = ""
    while at < len(line):
        char = line[at]
        if quote:
            if char == "\\" and quote == '"':
                at += 1
            elif char == quote:
                quote = ""
        elif char in "'\"":
            quote = char
        elif char == "\\":
            at += 1
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
        elif depth <= 0 and (char in ";\n" or (char in "&|" and line[at + 1 : at + 2] == char)):
            if line[start:at].strip():
                yield line[start:at].strip()
            at += char in "&|"
            start = at + 1
        at += 1
    if line[start:].strip():
        yield line[start:].strip()


def _written(line: str, project: str, folder: str) -> frozenset[str]:
    """Files that the line clearly writes, removes or moves."""
    uses = (use for use in shell_uses(line, folder) if use.op in ("edit", "write"))
    return frozenset(normal_path(use.path, project, folder) for use in uses)


class _Pipeline:
    """One pipeline of a command line."""

    def __init__(
        self,
        text: str,
        found: Sequence[Simple],
        project: str,
        folder: str,
        script: Callable[[str], str | None],
        nested: int,
    ) -> None:
        self._text, self._project, self._folder, self._script, self._nested = text, project, folder, script, nested
        self._scripts: dict[str, str] = {}
        """Programs that the pipeline writes itself."""
        self.effect = Effect()
        self.waits = False
        self.looks: list[AskedLook] = []
        self._all_look = True
        """Every command so far only looks."""
        self._found = [(words, one) for one in found if (words := without_prefix(one.words))]
        for words, one in self._found:
            self._command(words, one)
        hidden = any(
            op in (">", ">>", ">|", "&>") and not target.startswith("/dev/")
            for _, one in self._found
            for op, target in one.redirects
        )
        if hidden or not self._all_look or self.waits:
            self.looks = []
            return
        self._whole()

    def _path(self, path: str) -> str:
        return normal_path(path, self._project, self._folder)

    def _command(self, words: tuple[str, ...], one: Simple) -> None:
        name = posixpath.basename(words[0])
        if one.here:
            self._scripts.update((self._path(target), one.here) for op, target in one.redirects if op in (">", ">>"))
        if name in commands.WAITING or (name == "tail" and "-f" in words):
            self.waits = True
        elif name in _SHELLS:
            self._inner(words)
        elif name == "git":
            self._git(words)
        elif name in ("sed", "gsed", "perl") and any(re.match(r"-\w*i|--in-place", word) for word in words[1:]):
            self._change(names_of(words[1:]))
        elif name in _KNOWN_CHANGES:
            names = names_of(words[1:])
            self._change(names[-1:] if name == "cp" else names, last=name == "cp")
        elif name in _MAKES:
            self._all_look = False
            self.effect = self.effect | Effect(frozenset(self._path(w) for w in names_of(words[1:]) if w != UNKNOWN))
        elif name == "find" and {"-exec", "-delete", "-execdir", "-ok"} & set(words):
            self._found_by(words)
        elif name == "xargs":
            self._command(tuple(w for w in words[1:] if not w.startswith("-")) or ("true",), one)
        elif name in commands.NEUTRAL:
            if name in ("curl",) and {"-o", "-O", "--output"} & set(words):
                self._all_look = False
        elif name in commands.READERS | commands.SEARCHES | commands.LOOKS | commands.FILTERS:
            return
        elif name in commands.PACKAGES and set(words[1:3]) & commands.INSTALLS:
            self._all_look = False
            self.effect |= Effect(frozenset(map(self._path, commands.PACKAGE_FILES)))
        elif commands.only_runs((name, *words[1:])):
            self._all_look = False
        else:
            self._all_look = False
            self._program(name, words, one)

    def _change(self, names: Sequence[str], *, last: bool = False) -> None:
        """A command whose targets are named; where the shell alone knows them, anything. `last`: only its last word is
        one."""
        self._all_look = False
        if UNKNOWN in names:
            places = self._expanded(last=last)
            self.effect = ANYTHING if places is None else self.effect | Effect(places)

    def _expanded(self, *, last: bool) -> frozenset[str] | None:
        """Folders below which the words lie that only the shell can tell; None where even that is not known."""
        found: set[str] = set()
        try:
            words = shlex.split(self._text)
        except ValueError:
            return None
        for word in words[-1:] if last else words:
            if "$" in word or "`" in word:
                return None
            if any(sign in word for sign in "*?["):
                found.add(self._path(re.split(r"[*?\[]", word)[0].rpartition("/")[0] or "."))
            elif word.startswith("~"):
                found.add(word)
        return frozenset(found)

    def _found_by(self, words: tuple[str, ...]) -> None:
        run = next((i for i, w in enumerate(words) if w in ("-exec", "-execdir", "-ok")), None)
        name = posixpath.basename(words[run + 1]) if run is not None and run + 1 < len(words) else "rm"
        if name not in commands.READERS | commands.SEARCHES | commands.LOOKS:
            self._all_look = False
            self.effect = ANYTHING

    def _inner(self, words: tuple[str, ...]) -> None:
        """`bash -c script` does what the script does; `bash file` is a program."""
        for option, value in pairwise(words[1:]):
            if option.startswith("-") and option.endswith("c") and value != UNKNOWN and self._nested < _MOST_NESTED:
                made = shell_asked(value, self._project, self._folder, self._script, self._nested + 1)
                self.effect = self.effect | made.effect
                self.looks += made.looks
                self._all_look &= not made.effect
                return
        self._all_look = False
        file = next((w for w in words[1:] if not w.startswith("-")), "")
        self._shell_script(self._known(file) if file else None)

    def _known(self, file: str) -> str | None:
        """The text of a program that the session wrote or was shown."""
        path = self._path(file)
        return self._scripts.get(path, self._script(path))

    def _shell_script(self, text: str | None) -> None:
        if text is None or self._nested >= _MOST_NESTED:
            self.effect = ANYTHING
            return
        self.effect |= shell_asked(text, self._project, self._folder, self._script, self._nested + 1).effect

    def _program(self, name: str, words: tuple[str, ...], one: Simple | None) -> None:
        """A program: changes nothing where its text is known and has no words that write; else maybe anything."""
        text: str | None = None
        if commands.is_interpreter(name):
            inline = next((v for o, v in pairwise(words[1:]) if o in ("-c", "-e", "-p")), None)
            if inline is not None:
                text = None if inline == UNKNOWN else inline
                if text is None and written(self._text) == frozenset():
                    text = ""
            elif one is not None and one.here:
                text = one.here
            else:
                file = next((w for w in words[1:] if not w.startswith("-")), "")
                text = self._known(file) if file else None
                if text is None and commands.runs_tests(file, list(words[words.index(file) + 1 :]) if file else []):
                    text = ""
                if "--version" in words or "-V" in words or "--help" in words:
                    text = ""
        elif "--version" in words or "--help" in words or words[-1:] == ("-h",):
            text = ""
        elif "/" in words[0] and (shown := self._known(words[0])) is not None:
            if re.match(r"#!.*\b(?:python|node|ruby|perl)", shown) is None:
                self._shell_script(shown)
                return
            text = shown
        if text is None:
            self.effect = ANYTHING
            return
        targets = written(text)
        self.effect |= Effect(programs=(text,)) if targets is None else Effect(frozenset(map(self._path, targets)))

    def _git(self, words: tuple[str, ...]) -> None:
        rest = list(words[1:])
        while rest and rest[0].startswith("-"):
            rest = rest[2:] if rest[0] in ("-C", "-c", "--git-dir", "--work-tree") else rest[1:]
        if not rest:
            return
        name, arguments = rest[0], rest[1:]
        lists = commands.GIT_LISTS.get(name)
        if name in commands.GIT_LOOKS or (
            lists is not None and (not arguments or lists & set(arguments)) and name != "stash"
        ):
            return
        if name == "stash" and arguments[:1] and arguments[0] in commands.GIT_LISTS["stash"]:
            return
        self._all_look = False
        only = (
            name in commands.GIT_HISTORY
            or (name in ("checkout", "restore") and "--" in arguments)
            or name in ("rm", "mv")
        )
        # Git changes nothing outside its repository.
        tree: frozenset[str] = frozenset() if only else frozenset({self._repository()})
        self.effect = self.effect | Effect(tree, history=True)

    def _repository(self) -> str:
        """The folder whose files git may change: the project, or another folder where the command runs."""
        here = self._path(".")
        return here if here.startswith("/") else "."

    def _whole(self) -> None:
        """What the pipeline shows."""
        shown = [(words, posixpath.basename(words[0])) for words, _ in self._found]
        shown = [(words, name) for words, name in shown if name not in commands.NEUTRAL]
        if not shown:
            return
        (words, name), rest = shown[0], shown[1:]
        cuts = all(cuts_lines(other, by) for other, by in rest)
        if name in commands.SEARCHES or (name == "git" and words[1:2] == ("grep",)):
            self._search(words[1:] if name == "git" else words, cuts=cuts)
        elif rest and rest[-1][1] in commands.SEARCHES and name in commands.READERS and len(rest) == 1:
            self._search((*rest[0][0], *names_of(words[1:])), cuts=True)
        elif name == "git" and words[1:2] == ("show",) and cuts and (found := _AT_COMMIT.match(words[-1])) is not None:
            self._at_commit(found["commit"], found["path"])
        elif name in commands.READERS or name in ("sed", "awk", "gawk", "gsed"):
            if cuts:
                self._read(words, name, plain=not rest)
            else:
                self._other(words, name)
        else:
            self._other(words, name)

    def _at_commit(self, commit: str, path: str) -> None:
        """A file as a commit or branch has it: no change of the file matters, only one of the history."""
        scope: Scope = "none" if _COMMIT.match(commit) else "history"
        self.looks.append(AskedLook("file", f"{commit}:{path}", f"{commit}:{path}", None, (), scope))

    def _read(self, words: tuple[str, ...], name: str, *, plain: bool) -> None:
        files = files_of(words, name)
        if UNKNOWN in words or not files:
            self._other(words, name)
            return
        lines = lines_of(words, name) if plain and len(files) == 1 else None
        whole = name in ("cat", "bat", "nl", "head", "less", "more") and len(files) == 1
        for file in files:
            path = self._path(file)
            self.looks.append(AskedLook("file", path, file, lines, (path,), whole=whole))

    def _search(self, words: tuple[str, ...], *, cuts: bool) -> None:
        names = names_of(words[1:])
        given = [v for o, v in pairwise(words[1:]) if o in ("-e", "--regexp")]
        pattern, places = (given[0], names) if given else ((names[0], names[1:]) if names else ("", []))
        if not pattern or not cuts:
            self._other(words, posixpath.basename(words[0]))
            return
        found = tuple(self._path(p) for p in places if p != UNKNOWN) or (self._path("."),)
        key = raw_key(self._text, self._path(".")) if UNKNOWN in words else search_key(pattern, found)
        context = any(_CONTEXT.match(word) for word in words[1:])
        one = len(places) == 1 and "." in places[0].rpartition("/")[2][1:]
        folders = context and not one and (len(places) != 1 or any(map(_RECURSIVE.match, words[1:])))
        self.looks.append(AskedLook("search", key, pattern, None, found, context=folders))
        if context and len(places) == 1 and places[0] != UNKNOWN and not folders:
            self.looks.append(AskedLook("file", found[0], places[0], None, found, by_search=True))

    def _other(self, words: tuple[str, ...], name: str) -> None:
        scope: Scope = "files"
        if name == "git":
            sub = next((w for w in words[1:] if not w.startswith("-")), "")
            scope = "tree" if sub in commands.GIT_TREE else "history"
        places = (
            [w for w in names_of(words[1:]) if w != UNKNOWN]
            if name in ("ls", "tree", "wc", "stat", "cat", "jq")
            else []
        )
        key = raw_key(self._text, self._path("."))
        found = tuple(self._path(p) for p in places) or (".",)
        self.looks.append(AskedLook("command", key, " ".join(self._text.split()), None, found, scope))
