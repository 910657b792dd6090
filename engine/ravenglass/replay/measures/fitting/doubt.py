"""Why a fit is not a good one, in sentences: what most likely made the record differ from what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ravenglass.profile import Profile
from ravenglass.replay.measures.fitting.fitted import CallFit, Fidelity
from ravenglass.sessions.model.replaced import Replaced
from ravenglass.sessions.model.session import Session

_FEW = 10
"""Calls; of fewer a single one decides the 95th percentile."""
_OFTEN = 5
"""Judged calls to a shift; with more shifts than one in so many the figures jump up and down."""


def doubt(session: Session, found: Fidelity, profile: Profile, texts: Replaced) -> str:
    """Sentences on a fit that is coarse or unfit, the likeliest reason last. Knows no more than the figures tell, and
    that the `texts` were replaced where they were."""
    errors = found.errors
    if texts.mostly:
        return (
            f"The texts of this record were replaced: {texts.count:,} of {texts.of:,} are placeholders such as"
            f" {texts.example!r}. What was sent cannot be counted, so no fit is judged by it. Windows are in our"
            " tokens."
        )
    size = f"its error is {errors.median:.1%} at the median and {errors.p95:.1%} at the 95th percentile"
    reason = next(_reasons(session, found, profile))
    if not found.plausible and found.jumps * _OFTEN <= errors.calls:
        return (
            f"A scale of {found.scale:.2f} is none between token tables: the record does not show what was sent"
            " (redacted texts, say), or its figures are not the provider's. Windows are in our tokens."
        )
    if found.level == "unfit":
        return f"The fit is unfit: {size}. Windows are in our tokens, as estimated. The likeliest reason: {reason}."
    return f"The fit is coarse: {size}. The likeliest reason: {reason}."


def _large_step(judged: list[CallFit], found: Fidelity) -> int | None:
    """The call at which the error changed most, where what came in there is large enough to have done that alone."""
    steps = [
        (abs(_off(b) - _off(a)), abs(b.raw - a.raw) * found.of(b.model).scale, b.call)
        for a, b in pairwise(judged)
        if a.segment == b.segment
    ]
    if not steps:
        return None
    step, content, call = max(steps)
    largest = max((call.error or 0.0) * (call.reported or 0) for call in judged)
    return call if largest / 2 <= step <= content / 2 else None


def _off(call: CallFit) -> float:
    return (call.fitted or 0.0) - (call.reported or 0)


def _reasons(session: Session, found: Fidelity, profile: Profile) -> Iterator[str]:
    """Reasons in the order of how much they explain; the first that holds is the likeliest."""
    judged = [call for call in found.calls if call.error is not None]
    if len(judged) < _FEW:
        yield f"few calls ({len(judged):,}), of which one decides"
    if found.jumps * _OFTEN > len(judged):
        how = "requests of sub-agents or side requests seem to be reported with the session's own"
        yield f"the figures rise and fall {found.jumps:,} times beyond the texts; {how}"
    if doubtful := [made.model or "one" for made in found.models[1:] if not made.plausible]:
        yield f"another model ({', '.join(doubtful)}) counts in another way"
    wrong = [call for call in judged if (call.error or 0.0) > profile.fit_good_p95]
    first = wrong[0] if wrong else max(judged, key=lambda call: call.error or 0.0)
    boundary = session.structure.calls[first.call - 1].message
    before = session.messages[:boundary]
    if any(message.images for message in before):
        yield "images, whose cost is a flat figure here"
    if any(message.payloads for message in before):
        yield "documents or recordings, whose cost is a flat figure here"
    if any("interrupted" in message.flags for message in before):
        yield "interrupted answers, of which the record may hold more than was sent again"
    if (large := _large_step(judged, found)) is not None:
        yield (
            f"what came in before call {large:,}, a large text that counts at another rate than the rest (logs, tables,"
            " another script) or is not in the record as it was sent"
        )
    if all(call.error and call.error > profile.fit_good_median for call in judged[: max(1, len(judged) // 10)]):
        yield "the first calls are off: what the harness sends with the first requests is not in the record"
    yield "the system prompt, the tools or attachments changed while the session ran, and the record does not hold them"
