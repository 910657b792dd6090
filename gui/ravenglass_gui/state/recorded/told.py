"""What the record itself says of a session's calls, whichever run is shown: what the writer did to its window, and the
provider's figures beside our estimates."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ravenglass.replay.recorded.run import RecordedRun
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.session import Marker, MarkerKind, Session
from ravenglass_gui.state.recorded.kept import kept_recorded
from ravenglass_gui.text.numbers import amount

KINDS: tuple[tuple[MarkerKind, str], ...] = (
    ("compaction", "compaction"),
    ("clearing", "clearing"),
    ("consolidated", "consolidation"),
    ("rollback", "rollback"),
    ("resume", "resume"),
    ("new_chain", "cleared context"),
    ("fall", "unexplained fall"),
    ("rise", "unexplained rise"),
)
"""Kinds of the record's markers in the order of their lanes, and what they are called."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RecordMark:
    """A marker of the record, at the first call that was made after it."""

    kind: MarkerKind
    call: int
    text: str
    """A sentence for the person."""


def record_marks(session: Session) -> tuple[RecordMark, ...]:
    """The record's markers in order, without those that no call follows; once its recorded run was made, also the
    changes that only the provider's figures tell."""
    kept = kept_recorded(session)
    markers = kept.windows.all_markers if kept is not None else session.markers
    boundaries = [call.message for call in session.structure.calls]
    found = []
    for marker in sorted(markers, key=lambda marker: marker.before):
        call = bisect_left(boundaries, marker.before) + 1
        if call <= len(boundaries):
            found.append(RecordMark(marker.kind, call, _sentence(marker)))
    return tuple(found)


def _sentence(marker: Marker) -> str:
    by_whom = "" if marker.kind in ("fall", "rise") else "recorded "
    said = [f"{by_whom}{dict(KINDS)[marker.kind]} before this call"]
    if marker.note:
        said.append(marker.note)
    if marker.keep is not None:
        said.append(f"{amount(len(marker.keep), 'earlier message')} stayed in the window")
    if marker.cleared:
        said.append(f"the text of {amount(len(marker.cleared), 'result')} was cleared")
    if marker.tokens_after is not None:
        said.append(f"{marker.tokens_after:,} tokens after, as the writer says")
    return "; ".join(said)


_REPORTED = Slot[tuple[RecordedRun, Floats | None]]("reported in our tokens")


def reported_in_our_tokens(run: RecordedRun) -> Floats | None:
    """What the provider reported for every call, told in our tokens by the fit, so that it can stand in one picture
    with them: the recorded window times reported content over estimated content. NaN where nothing is reported or its
    segment has no overhead; None without a plausible fit. Made once a run: a drag asks for it at every step."""
    known = _REPORTED.get(run.session)
    if known is None or known[0] is not run:
        known = _REPORTED.keep(run.session, (run, _in_our_tokens(run)))
    return known[1]


def _in_our_tokens(run: RecordedRun) -> Floats | None:
    fit = run.fidelity
    if fit is None or not fit.trusted:
        return None
    found = np.full(run.calls, np.nan)
    for at, (made, window) in enumerate(zip(fit.calls, run.window_tokens, strict=True)):
        overhead = fit.overheads.get(made.segment)
        if made.reported is not None and overhead is not None and made.raw > 0:
            found[at] = max(0.0, window * (made.reported - overhead) / (fit.of(made.model).scale * made.raw))
    return found


def provider_line(run: RecordedRun, call: int) -> str:
    """`provider tokens 81,240 (reported), estimate 80,900 (-0.4 %)`; says what is not known."""
    usage, fit = run.usage(call), run.fidelity
    reported = usage.context if usage is not None and usage.context else None
    estimate = fit.calls[call - 1].fitted if fit is not None and fit.trusted else None
    if reported is None and estimate is None:
        return "provider tokens unknown: none reported, no fit"
    if reported is None:
        return f"provider tokens {estimate or 0:,.0f} (estimated; none reported)"
    if estimate is None:
        return f"provider tokens {reported:,} (reported); no fit to estimate them"
    return f"provider tokens {reported:,} (reported), estimate {estimate:,.0f} ({signed(estimate / reported - 1)})"


def signed(share: float) -> str:
    """`+0.4 %`, `−0.4 %`, `±0.0 %`."""
    percent = round(share * 100, 1)
    return f"{'±' if percent == 0 else '+' if percent > 0 else '−'}{abs(percent):.1f} %"
