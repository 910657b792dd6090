"""`ravenglass trace`: what a trace log says by itself, a row a call, as a table or as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from ravenglass.cli.loading import FormatName, choose, load_session, replayed
from ravenglass.cli.printing.console import reporting, stdout
from ravenglass.cli.printing.output import warn
from ravenglass.profile import Profile
from ravenglass.safe.visible import visible
from ravenglass.store.run_mark import unfinished
from ravenglass.trace import Json
from ravenglass.traces import (
    CallSummary,
    TraceCall,
    TraceLog,
    TraceTurn,
    faults,
    open_trace,
    path_under,
    summarise,
    told,
)

if TYPE_CHECKING:
    from ravenglass.replay import Run

_UNKNOWN = "unknown"
_REQUEST_CHARS = 60


def trace_command(
    log: Annotated[Path, typer.Argument(metavar="LOG", help="A trace log, or a folder of them.", show_default=False)],
    profile: Annotated[
        str | None, typer.Option("--profile", metavar="P", help="Also say which path each call takes under P.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Change one field of that profile.")
    ] = None,
    session: Annotated[
        Path | None,
        typer.Option(
            "--session", metavar="FILE", help="The log's session: give the log's answers again on it, under P."
        ),
    ] = None,
    format_name: FormatName = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Read a trace log."""
    if format_name and session is None:
        raise typer.BadParameter("it says what reads the session, so it needs --session", param_hint="--format")
    chosen = choose(profile or "default", settings or []) if profile or settings else None
    with reporting(f"Reading {log.name}") as report:
        opened = open_trace(log, progress=report)
    for sentence in (*opened.warnings, *filter(None, [unfinished(log)])):
        warn(sentence)
    run = replayed(load_session(session, format_name), chosen or Profile()) if session is not None else None
    if as_json:
        print(json.dumps(as_object(opened, chosen, run), ensure_ascii=True))
    else:
        _print(opened, chosen, run)


def as_object(log: TraceLog, profile: Profile | None = None, run: Run | None = None) -> Json:
    """The log as `--json` prints it. Null is what the log does not hold."""
    return {
        "log": str(log.path),
        "turns": [
            {
                "turn": turn.name, "session": turn.session, "file": str(turn.path), "events": len(turn.records),
                "damaged_lines": len(turn.damage), "pending": turn.pending is not None, "warnings": list(turn.warnings),
                "calls": [_call(call, profile, run) for call in turn.calls],
            }
            for turn in log.turns
        ],
    }  # fmt: skip


def _call(call: TraceCall, profile: Profile | None, run: Run | None) -> Json:
    s = summarise(call)
    made: Json = {
        "call": s.number, "path": s.path, "outcome": s.outcome, "history_tokens": s.history_tokens,
        "threshold_tokens": s.threshold_tokens, "budget": asdict(s.budget), "messages": s.message_count,
        "request": s.request, "steps": s.steps, "max_steps": s.max_steps, "tools": dict(s.tools),
        "plan": asdict(s.plan) if s.plan else None, "validation": asdict(s.verdict) if s.verdict else None,
        "included": s.included, "rejected_plans": s.rejected, "archived": list(s.archived),
        "usage": asdict(s.usage) if s.usage else None, "seconds": s.seconds, "unknown_events": list(s.unknown_events),
        "told": list(told(call)), "faults": [asdict(fault) for fault in faults(call)],
    }  # fmt: skip
    if profile is not None:
        check = path_under(call, profile)
        made["under_profile"] = {
            "profile": profile.name, "path": check.path, "changed": check.changed, "sentence": check.sentence,
        }  # fmt: skip
    if run is not None:
        from ravenglass.cli.again import again

        made["again"] = asdict(again(run, call))
    return made


def _print(log: TraceLog, profile: Profile | None, run: Run | None) -> None:
    console = stdout()
    for turn in log.turns:
        session = visible(turn.session) or _UNKNOWN
        console.print(f"{visible(turn.path.name)}  session {session}, {len(turn.records)} events")
        console.print(_table(turn, profile))
        for call in turn.calls:
            for sentence in _notes(call, profile, run):
                console.print(f"  call {call.number}: {visible(sentence)}", soft_wrap=True)
        console.print()


def _table(turn: TraceTurn, profile: Profile | None) -> Table:
    table = Table(box=None, pad_edge=False, header_style="")
    for name in ("call", "path", "history", "threshold", "steps", "tools", "included", "tokens", "budget", "warnings"):
        table.add_column(name, justify="left" if name == "path" else "right", no_wrap=True)
    if profile is not None:
        table.add_column(f"under {visible(profile.name)}", no_wrap=True)
    table.add_column("verdict", overflow="fold")
    for call in turn.calls:
        cells = _cells(summarise(call))
        if profile is not None:
            check = path_under(call, profile)
            cells.insert(-1, (check.path or _UNKNOWN) + (" (changed)" if check.changed else ""))
        table.add_row(*map(visible, cells))
    return table


def _cells(s: CallSummary) -> list[str]:
    verdict = s.verdict
    return [
        str(s.number), s.path or _UNKNOWN, _count(s.history_tokens), _count(s.threshold_tokens),
        f"{s.steps}/{s.max_steps}" if s.max_steps is not None else str(s.steps), str(sum(s.tools.values())),
        _count(s.included), _count(verdict.tokens if verdict else None),
        _count(verdict.budget if verdict and verdict.budget is not None else s.budget.available),
        str(len(verdict.warnings)) if verdict else "-", s.outcome,
    ]  # fmt: skip


def _count(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value:,}"


def _notes(call: TraceCall, profile: Profile | None, run: Run | None) -> list[str]:
    s = summarise(call)
    found = []
    if s.request:
        found.append(f"for {' '.join(s.request.split())[:_REQUEST_CHARS]!r}")
    if s.tools:
        found.append("calls " + ", ".join(f"{name.removeprefix('curator_')} {n}" for name, n in s.tools.items()))
    if s.verdict is not None and s.path in ("slow", "fail_safe"):
        ok = {True: "ok", False: "not ok", None: _UNKNOWN}[s.verdict.ok]
        found.append(f"validation as the log has it: {ok}, counted by {s.verdict.source or _UNKNOWN}")
        found += [f"assembler: {warning}" for warning in s.verdict.warnings[:3]]
        if len(s.verdict.warnings) > 3:
            found.append(f"assembler: {len(s.verdict.warnings) - 3} more warnings")
    found += told(call)
    if s.unknown_events:
        found.append(f"unknown events, kept: {', '.join(s.unknown_events)}")
    if profile is not None:
        found.append(path_under(call, profile).sentence)
    if run is not None:
        from ravenglass.cli.again import again

        found.append(f"again: {again(run, call).sentence}")
    return found + [f"{fault.rule}: {fault.sentence}" for fault in faults(call)]
