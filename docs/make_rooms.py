"""Writes how many files a folder of the sources has into docs/design/house.md.

python docs/make_rooms.py            write the table
python docs/make_rooms.py --check    change nothing; exit code 1 where the table is stale
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median_low

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "design" / "house.md"
SOURCES = ("engine/ravenglass", "gui/ravenglass_gui")
BEGIN, END = "<!-- rooms: python docs/make_rooms.py -->\n", "<!-- end of rooms -->\n"


def rooms(top: Path) -> dict[str, int]:
    """Modules of every folder below `top`, `__init__` aside; folders without one are left out. Paths begin with the
    name of `top`."""
    found = {
        path.relative_to(top.parent).as_posix(): sum(1 for file in path.glob("*.py") if file.name != "__init__.py")
        for path in (top, *top.rglob("*/"))
        if path.is_dir()
    }
    return {name: found[name] for name in sorted(found) if found[name]}


def table(counted: dict[str, dict[str, int]]) -> Iterator[str]:
    """What stands between the marks, in lines. `counted`: package -> folder -> modules."""
    yield "| package now | folders | modules | largest folder | median folder |"
    yield "| --- | ---: | ---: | --- | ---: |"
    for package, found in counted.items():
        largest = max(found, key=lambda name: found[name])
        inner = largest.removeprefix(f"{package}/")
        yield (
            f"| `{package}` | {len(found)} | {sum(found.values())} | {found[largest]} (`{inner}`) |"
            f" {median_low(found.values())} |"
        )
    yield ""
    yield "| folder now | modules |"
    yield "| --- | ---: |"
    for found in counted.values():
        yield from (f"| `{name}` | {count} |" for name, count in found.items())


def page(text: str) -> str:
    """The page with the table as the sources are. Raises ValueError where a mark is missing."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"{PAGE.name} has no place for the table: {BEGIN.strip()} ... {END.strip()}")
    counted = {Path(top).name: rooms(ROOT / top) for top in SOURCES}
    return "".join((before, BEGIN, "\n", *(f"{line}\n" for line in table(counted)), "\n", END, after))


def main(arguments: list[str]) -> int:
    """Write or check the table; returns the exit code."""
    text = PAGE.read_text(encoding="utf-8")
    made = page(text)
    if arguments == ["--check"]:
        if made != text:
            print(f"{PAGE.name} is stale: run python docs/make_rooms.py", file=sys.stderr)
        return int(made != text)
    PAGE.write_text(made, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
