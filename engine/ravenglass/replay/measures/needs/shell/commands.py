"""What commands of a shell do: which only look, which only run tests, which may change anything. A vocabulary.

A command that is not listed may change anything.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


READERS = frozenset({"cat", "bat", "nl", "head", "tail", "less", "more", "batcat"})
"""Print the content of files."""
FILTERS = _words(
    """
    head tail cat nl sort uniq wc cut tr column fold fmt rev less more awk gawk sed gsed jq yq grep egrep rg
    strings xxd od tac paste expand cat-n base64 iconv pr comm join seq yes numfmt
    """
)
"""Change what comes through a pipe, and no file."""
SEARCHES = frozenset({"grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep"})
LOOKS = _words(
    """
    ls ll tree find fd stat file du wc diff cmp jq yq sort uniq cut awk gawk sed gsed md5sum sha1sum sha256sum
    readlink realpath basename dirname which whereis type column strings xxd od hexdump tac comm exa eza locate man
    readelf nm objdump otool lsof printenv cloc tokei identify ffprobe sqlite3-read
    """
)
"""Show something and change nothing."""
NEUTRAL = _words(
    """
    cd echo printf true false test [ [[ pwd date export set unset local return exit whoami uname env id hostname
    kill pkill killall pushd popd shopt alias ulimit trap for while until if fi done do then else elif case esac in
    } { ( ) break continue read ps top df free uptime curl ping nc netstat ss dig nslookup clear open xdg-open code
    pgrep jobs history tput stty umask getconf nproc lscpu : say pbcopy sysctl mount command hash let declare
    typeset timeout nohup brew apt apt-get pip pip3 source . activate deactivate nvm fnm pyenv corepack yum dnf
    conda docker-compose ssh-add sudo
    """
)
"""Neither show a thing that could be fetched again nor change a file of the work."""
WAITING = frozenset({"sleep", "wait", "watch", "inotifywait"})
RUNNERS = _words(
    """
    pytest py.test tox nox unittest mypy pyright pylint flake8 pyflakes jest vitest mocha ava karma cypress
    playwright tsc tsgo vue-tsc rspec phpunit ctest golangci-lint staticcheck shellcheck hadolint tap bats
    codespell lint-imports import-linter bandit vulture gcc g++ clang clang++ cc javac rustc ninja cmake esbuild
    rollup webpack nose2 nosetests ruff-check yamllint markdownlint actionlint tflint coverage hyperfine time
    """
)
"""Run tests, checks or builds: what they write is not what is read."""
_RUN_WORDS = re.compile(
    r"(?:test|check|lint|build|typecheck|type-check|tsc|coverage|e2e|unit|spec|ci|verify|compile|all|bench|vet|dev\b|start|serve|preview|watch)"
)
_FIXES = re.compile(r"(?:-w|--?write|--fix(?:-\w+)?|-i|--in-place|--apply|-u|--update\w*|--updateSnapshot)\Z")
_RUN_BY = {
    "go": frozenset({"test", "build", "vet", "list", "doc", "version", "env"}),
    "cargo": frozenset({"test", "build", "check", "clippy", "bench", "doc", "tree", "metadata", "nextest"}),
    "ruff": frozenset({"check"}),
    "dotnet": frozenset({"test", "build"}),
    "mvn": frozenset({"test", "verify", "compile", "package"}),
    "gradle": frozenset({"test", "build", "check"}),
    "gradlew": frozenset({"test", "build", "check"}),
    "swift": frozenset({"test", "build"}),
    "mix": frozenset({"test", "compile"}),
    "bazel": frozenset({"test", "build", "query"}),
    "deno": frozenset({"test", "check", "lint"}),
    "eslint": frozenset(),
    "docker": frozenset({"ps", "images", "logs", "inspect", "stats", "version", "info"}),
    "kubectl": frozenset({"get", "describe", "logs", "version"}),
    "gh": frozenset({"run", "api", "pr", "issue", "repo", "auth", "release", "workflow", "search"}),
    "pre-commit": frozenset(),
}
_PACKAGE_RUNNERS = _words(
    """
    npm yarn pnpm bun make just mise task rake poe hatch pdm
    """
)
PACKAGES = _words(
    """
    npm yarn pnpm bun go cargo poetry uv bundle composer
    """
)
INSTALLS = _words(
    """
    install i ci add remove uninstall update upgrade mod get sync lock tidy
    """
)
PACKAGE_FILES = (
    "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "node_modules", "go.mod", "go.sum",
    "Cargo.toml", "Cargo.lock",
    "pyproject.toml", "poetry.lock", "uv.lock", "Gemfile.lock", "composer.lock",
)  # fmt: skip
"""What package managers write."""
_FORMATTERS = _words(
    """
    gofmt goimports gofumpt black isort prettier ruff rustfmt cargo biome yapf shfmt
    """
)
_CHECKS = frozenset({"-l", "-d", "--check", "--diff", "--list-different", "-c", "--check-only"})
_THROUGH = _words(
    """
    npx uvx uv poetry bundle pipenv bunx exec run xvfb-run python python3 -m env time nice
    """
)
_INTERPRETERS = re.compile(r"(?:python[\d.]*|node|ruby|perl|deno|bun|ipython|Rscript|php|lua)\Z")
GIT_LOOKS = _words(
    """
    status diff log show blame ls-files ls-tree rev-parse describe reflog shortlog cat-file for-each-ref rev-list
    name-rev merge-base grep show-ref ls-remote whatchanged diff-tree cherry check-ignore count-objects
    symbolic-ref var version range-diff diff-index diff-files annotate
    """
)
GIT_LISTS = {
    "branch": frozenset({"-a", "-r", "-v", "-vv", "--list", "--show-current", "-l", "--all", "--contains", "--merged"}),
    "tag": frozenset({"-l", "--list", "-n"}),
    "stash": frozenset({"list", "show"}),
    "remote": frozenset({"-v", "show", "get-url"}),
    "config": frozenset({"--get", "--list", "-l", "--get-all"}),
    "worktree": frozenset({"list"}),
    "notes": frozenset({"list", "show"}),
    "submodule": frozenset({"status"}),
}
"""Commands of git that only list when one of these words, or nothing, follows."""
GIT_HISTORY = _words(
    """
    add commit push fetch tag branch config remote init gc notes update-ref worktree update-index
    """
)
"""Commands of git that change history or index, but no file of the work."""
GIT_TREE = frozenset({"status", "diff", "blame", "ls-files", "grep", "diff-files", "diff-index", "annotate"})
"""Looks of git that a change of a file outdates as well."""
_TEST_FILES = re.compile(r"(?:test_\w+|\w+_tests?|run_?tests?|tests?)\.(?:py|js|mjs|ts|rb)\Z")
_SETUP_RUNS = frozenset({"develop", "install", "build", "build_ext", "test", "egg_info", "--version", "check"})


def only_runs(words: tuple[str, ...]) -> bool:
    """Whether a command (its name without folders first) runs tests, checks or builds that change no source."""
    name = words[0]
    if any(word in _CHECKS for word in words[1:]) and name in _FORMATTERS:
        return True
    if "fmt" in words or "format" in words or (name not in _PACKAGE_RUNNERS and any(map(_FIXES.match, words[1:]))):
        return False
    rest = words
    while len(rest) > 1 and rest[0] in _THROUGH:
        rest = tuple(rest[1:])
    name = rest[0].rpartition("/")[2]
    if name in RUNNERS:
        return True
    arguments = [word for word in rest[1:] if not word.startswith("-")]
    if name in _PACKAGE_RUNNERS:
        targets = [word for word in arguments if word not in ("run", "exec", "workspace")]
        return bool(targets) and bool(_RUN_WORDS.match(targets[0].rpartition(":")[2]) or _RUN_WORDS.match(targets[0]))
    if name in _RUN_BY:
        wanted = _RUN_BY[name]
        return name == "eslint" or bool(arguments and arguments[0] in wanted)
    return False


def is_interpreter(name: str) -> bool:
    """Whether the command runs a program that is given to it."""
    return bool(_INTERPRETERS.match(name))


def runs_tests(file: str, arguments: Sequence[str]) -> bool:
    """Whether a script, by its name, runs tests or builds in place, which changes no source."""
    name = file.rpartition("/")[2]
    if name == "setup.py":
        return bool(_SETUP_RUNS.intersection(arguments))
    if name == "manage.py":
        return arguments[:1] in (["test"], ["check"])
    return bool(_TEST_FILES.match(name))
