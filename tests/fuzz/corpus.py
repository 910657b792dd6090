"""All seeds: those written for this project, and the recorded sessions that may stand beside the checkout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ravenglass.sessions.catalogue.registry import holder_of
from tests.fuzz.corpus_documents import document_seeds
from tests.fuzz.corpus_lines import line_seeds
from tests.fuzz.corpus_stores import store_seeds
from tests.fuzz.corpus_written import written_seeds
from tests.fuzz.seeds import Seed, Shape, taken

_LARGEST = 200_000
"""Bytes of a recorded session that is still mutated."""


def own_seeds() -> list[Seed]:
    """A small session of every format."""
    return [*line_seeds(), *document_seeds(), *store_seeds(), *written_seeds()]


def recorded_seeds(samples: Path) -> list[Seed]:
    """The recorded sessions that are small enough, as seeds; each folder of a store is one."""
    return list(_below(samples, samples))


def _below(folder: Path, top: Path) -> Iterator[Seed]:
    for path in sorted(folder.iterdir()):
        name = "sample:" + path.relative_to(top).as_posix()
        size = sum(inner.stat().st_size for inner in path.rglob("*")) if path.is_dir() else path.stat().st_size
        if holder_of(path) is not None:
            if size <= _LARGEST:
                yield _store(name, path)
        elif path.is_dir():
            yield from _below(path, top)
        elif size <= _LARGEST and path.suffix in (".jsonl", ".json", ".traj"):
            shape: Shape = "lines" if path.suffix == ".jsonl" else "document"
            yield Seed(name, shape, {path.name: path.read_bytes()}, path.name)


def _store(name: str, path: Path) -> Seed:
    if path.is_file():
        return Seed(name, "database", {path.name: path.read_bytes()}, path.name)
    found = taken(name, "folder", path, path.name)
    return Seed(name, "folder", {f"{path.name}/{inner}": data for inner, data in found.files.items()}, path.name)
