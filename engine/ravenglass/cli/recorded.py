"""`ravenglass replay --recorded`: what really happened in a session, as one JSON object and as tables."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict

from rich.console import Console
from rich.table import Table

from ravenglass.cli.needs import print_needs, time_words
from ravenglass.cli.printing.console import stdout
from ravenglass.replay.measures.fitting.fidelity import FOLDS
from ravenglass.replay.measures.fitting.fitted import NO_SEGMENT, CallFit, Errors, Fidelity, ModelFit
from ravenglass.replay.recorded.run import Applied, RecordedRun
from ravenglass.replay.recorded.windows import ranges
from ravenglass.replay.report import damage_object, metrics_object, profile_object, regrets_object, session_object
from ravenglass.rules import TIERS
from ravenglass.safe.visible import visible
from ravenglass.sessions import counts
from ravenglass.trace import Json

_MOST_ROWS = 24
NO_FIT = (
    "The record reports too few figures of the provider for a fit; windows are in our tokens, as estimated from texts."
)


def fit_warnings(found: Fidelity | None) -> list[str]:
    """Sentences on a fit that is not there, or not to be trusted."""
    if found is None:
        return [NO_FIT]
    return [found.doubt] if found.doubt else []


def as_object(run: RecordedRun) -> Json:
    """The run as `--recorded --json` prints it. Sizes are tokens, counts are messages, null is unknown."""
    fidelity = run.fidelity
    fits = fidelity.calls if fidelity is not None else (None,) * run.calls
    return {
        "session": session_object(run.session),
        "profile": profile_object(run.profile),
        "markers": [_marker(applied) for applied in run.applied],
        "calls": [_call(run, call, made) for call, made in enumerate(fits, start=1)],
        "fidelity": None if fidelity is None else _fidelity(fidelity),
        "metrics": metrics_object(run.metrics),
        "regrets": regrets_object(run),
        "aftermaths": [asdict(made) for made in run.aftermaths],
        **damage_object(run.session),
        "warnings": [*run.session.warnings, *run.warnings, *fit_warnings(fidelity)],
    }


def _marker(applied: Applied) -> Json:
    marker = applied.marker
    return {
        "kind": marker.kind,
        "call": applied.call,
        "before_message": marker.before,
        "note": marker.note,
        "kept": None if marker.keep is None else len(marker.keep),
        "cleared": len(marker.cleared),
        "tokens_before": marker.tokens_before,
        "tokens_after": marker.tokens_after,
    }


def _call(run: RecordedRun, call: int, made: CallFit | None) -> Json:
    trusted = run.fidelity is not None and run.fidelity.trusted
    totals, usage = run.totals(call), run.usage(call)
    return {
        "call": call,
        "path": totals.path,
        "messages": ranges(run.windows, call),
        "window_tokens": totals.tokens,
        "by_tier": dict(totals.by_tier),
        "included": totals.included,
        "evicted": totals.evicted,
        "injection": run.injection(call).as_object(),
        "cleared": sum(seen.cleared for seen in run.windows.seen(call)),
        "reported": None if usage is None else asdict(usage),
        "fitted": None if made is None or made.fitted is None or not trusted else round(made.fitted),
        "error": None if made is None else made.error,
    }


def _fidelity(found: Fidelity) -> Json:
    held = found.held_out
    return {
        "table": found.table,
        "scale": found.scale,
        "models": [asdict(made) for made in found.models],
        "level": found.level,
        "doubt": found.doubt,
        "replaced": found.replaced,
        "trusted": found.trusted,
        "overhead": round(found.base_overhead),
        "overheads": [
            {"segment": segment, "calls": calls, "first_call": first, "overhead": round(found.overheads[segment])}
            for segment, first, calls in segments(found)
            if segment in found.overheads
        ],
        "earlier_thinking": found.thinking,
        "plausible": found.plausible,
        "parameters": found.parameters,
        "reported_calls": found.reported,
        **_errors(found.errors),
        "content_error": found.content_error if math.isfinite(found.content_error) else None,
        "held_out": None if held is None else {"folds": FOLDS, **_errors(held)},
    }


def _errors(errors: Errors) -> Json:
    return {
        "calls": errors.calls,
        "median_error": errors.median,
        "p95_error": errors.p95,
        "largest_error": errors.largest,
    }


def segments(found: Fidelity) -> Iterator[tuple[int, int, int]]:
    """(segment, first call, calls with a reported figure) in order."""
    for segment in sorted({made.segment for made in found.calls} - {NO_SEGMENT}):
        inside = [made for made in found.calls if made.segment == segment]
        yield segment, inside[0].call, sum(made.reported is not None for made in inside)


def print_json(run: RecordedRun) -> None:
    """One line of ASCII: lone surrogates of damaged files survive as escapes."""
    sys.stdout.write(json.dumps(as_object(run)) + "\n")


def print_tables(run: RecordedRun) -> None:
    """The run for people: what the writer did, how well estimates fit, and a choice of calls."""
    console = stdout()
    session, figures = run.session, counts(run.session)
    console.print(f"{visible(session.title or session.path.name)}  ({session.format})")
    console.print(
        f"{figures.messages:,} messages in {figures.groups:,} groups and {figures.turns:,} turns, {figures.calls:,}"
        f" calls, {figures.children:,} sub-agents; recorded: what the windows really held"
    )
    if not run.calls:
        console.print("\nThe session has no model call, so nothing was sent.")
        return
    _print_markers(run, console)
    _print_aftermaths(run, console)
    print_needs(run, console)
    _print_fit(run, console)
    _print_calls(run, console)


def _print_markers(run: RecordedRun, console: Console) -> None:
    if not run.applied:
        console.print(
            "\nThe record shows no compaction, clearing or rollback, its figures none either: every window holds all"
            " that came before."
        )
        return
    console.print("\nWhat happened to the writer's window:")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("before call", "what", "messages left", "note"):
        table.add_column(name, justify="left" if name in ("what", "note") else "right", no_wrap=name != "note")
    for applied in run.applied:
        left = f"{run.totals(applied.call).evicted:,}" if applied.call <= run.calls else "-"
        table.add_row(f"{applied.call:,}", applied.marker.kind, left, visible(applied.marker.note))
    console.print(table)


def _print_aftermaths(run: RecordedRun, console: Console) -> None:
    if not run.aftermaths:
        return
    console.print("\nWhat it took, and what came of it:")
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in (
        "before call", "what", "messages", "tokens", "results verbatim", "mentioned", "gone", "fetched again", "within",
        "tokens again", "time", "cost", "to next edit", "median before",
    ):  # fmt: skip
        table.add_column(name, justify="left" if name == "what" else "right")
    for made in run.aftermaths:
        again, results = made.fetched_again, made.results
        table.add_row(
            f"{made.call:,}", made.kind, f"{made.messages:,}", f"{made.tokens:,}", f"{results.verbatim:,}",
            f"{results.mentioned:,}", f"{results.gone:,}", f"{again.count:,}", f"{made.within:,} calls",
            f"{again.tokens:,}", time_words(again.seconds), f"{again.cost:,.4f}",
            "no edit" if made.to_next_edit is None else f"{made.to_next_edit:,} calls",
            "unknown" if made.median_before is None else f"{made.median_before:g} calls",
        )  # fmt: skip
    console.print(table)


def _print_fit(run: RecordedRun, console: Console) -> None:
    found = run.fidelity
    for sentence in fit_warnings(found):
        console.print(f"\n{sentence}")
    if found is None:
        return
    offsets = ", ".join(
        f"{found.overheads[segment]:,.0f} from call {first:,}"
        for segment, first, _ in segments(found)
        if segment in found.overheads
    )
    scales = " / ".join(f"{made.scale:.3f}{_named(made, found)}" for made in found.models)
    console.print(
        f"\nFit: reported = overhead + {scales} x {found.table} tokens; overhead {offsets}{_thinking(found)}."
    )
    errors, held = found.errors, found.held_out
    console.print(
        f"{found.parameters} parameters on {errors.calls:,} calls: error {errors.median:.2%} at the median,"
        f" {errors.p95:.2%} at the 95th percentile, {errors.largest:.2%} at most;"
        f" {found.content_error:.2%} of what the record itself holds"
    )
    if held is not None:
        console.print(
            f"held out in {FOLDS} parts: {held.median:.2%} at the median, {held.p95:.2%} at the 95th percentile"
            f" of {held.calls:,} calls"
        )


def _named(made: ModelFit, found: Fidelity) -> str:
    """Which model a scale is of, where there are several."""
    return f" ({visible(made.model) or 'no name'})" if len(found.models) > 1 else ""


def _thinking(found: Fidelity) -> str:
    if found.thinking == "none":
        return ""
    return f"; thinking of earlier turns {'stayed in' if found.thinking == 'kept' else 'left'} the window"


def _print_calls(run: RecordedRun, console: Console) -> None:
    rows = _chosen(run)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in ("call", "messages", "left", "window", *TIERS, "reported", "fitted", "error"):
        table.add_column(name, justify="right", no_wrap=True)
    fits = run.fidelity.calls if run.fidelity is not None else (None,) * run.calls
    trusted = run.fidelity is not None and run.fidelity.trusted
    for call in rows:
        totals, usage, made = run.totals(call), run.usage(call), fits[call - 1]
        reported = usage.context if usage is not None else None
        table.add_row(
            f"{call:,}", f"{totals.included:,}", f"{totals.evicted:,}", f"{totals.tokens:,}",
            *(f"{totals.by_tier[tier]:,}" for tier in TIERS), "?" if reported is None else f"{reported:,}",
            "?" if made is None or made.fitted is None or not trusted else f"{made.fitted:,.0f}",
            "?" if made is None or made.error is None or not trusted else f"{made.error:.2%}",
        )  # fmt: skip
    console.print(
        f"\nCalls ({len(rows)} of {run.calls:,}; window in our tokens, reported and fitted in the provider's):"
    )
    console.print(table)


def _chosen(run: RecordedRun) -> list[int]:
    """Calls around each thing the writer did, first and last, and an even choice of the others."""
    wanted = {1, run.calls}
    for applied in run.applied:
        wanted |= {applied.call - 1, applied.call} & set(range(1, run.calls + 1))
    wanted = set(sorted(wanted)[:_MOST_ROWS])
    rest = [call for call in range(1, run.calls + 1) if call not in wanted]
    room = _MOST_ROWS - len(wanted)
    if room > 0 and rest:
        step = max(1.0, len(rest) / room)
        wanted |= {rest[int(place * step)] for place in range(min(room, len(rest)))}
    return sorted(wanted)
