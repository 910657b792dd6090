"""Writes docs/profile.md from the Profile's fields, so that the page cannot differ from the program.

python docs/make_profile.py
"""

from __future__ import annotations

from pathlib import Path

from ravenglass.presets import PRESETS
from ravenglass.profile import FieldSpec, field_specs
from ravenglass.rules import SECTIONS

PAGE = Path(__file__).with_name("profile.md")


def page() -> str:
    """The whole page."""
    lines = [
        "# Profile fields",
        "",
        "Every threshold of a replay, made from the program's own schema by `python docs/make_profile.py`. Change one",
        "with `--set name=value`, a TOML file, or its slider. Fields marked ° are kept and validated, but no replay",
        "with the planner reads them yet; the desktop shows no slider for them.",
        "",
        "## Presets",
        "",
        "| preset | C | differs from the default in | for |",
        "| --- | ---: | --- | --- |",
    ]
    for preset in PRESETS:
        changes = ", ".join(f"`{name}` {value}" for name, value in preset.differences.items()) or "-"
        lines.append(f"| `{preset.name}` | {preset.profile().available():,} | {changes} | {preset.purpose} |")
    groups = dict.fromkeys(spec.group for spec in field_specs())
    for group in groups:
        lines += ["", f"## {group}", ""]
        lines += ["| field | default | unit | range | what it does |", "| --- | ---: | --- | --- | --- |"]
        lines += [_row(spec) for spec in field_specs() if spec.group == group]
    lines += [
        "",
        "## Rules",
        "",
        "`tier_rules` (ordered; the first match decides a message's tier), `pin_rules` (groups that trimming",
        "may not touch), `ttl_rules` (how long a tool's result lives: seconds of recorded time, `until_invalidated`",
        "or `none`) and `reliability` (trust by kind of source) are tables in a profile file; `ravenglass profile",
        "--export` writes those that differ from the default.",
        "",
        f"`section_order` ({', '.join(SECTIONS)}) is the order of what stands before a window's history: each name",
        "once, in a list or, with `--set`, in one text with commas.",
        "",
    ]
    return "\n".join(lines)


def _row(spec: FieldSpec) -> str:
    bounds = " / ".join(spec.choices)
    if spec.kind in ("int", "float"):
        bounds = f"{spec.low:,g} to {spec.high:,g}" if spec.high < 1e6 else f"{spec.low:,.0f} to {spec.high:,.0f}"
    mark = "" if spec.used else "°"
    return f"| `{spec.name}`{mark} | {spec.default} | {spec.unit} | {bounds} | {spec.help} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
