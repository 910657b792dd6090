"""Estimates against what the provider reported, call by call, with the fit between the two and its error.

A transcript lacks the system prompt and the tool definitions, and after a compaction the files that the writer attached
again; and a provider's tokens are not ours. So the fit has one scale for each model, and one overhead for each segment:
between markers after which unrecorded content may change, and between unexplained changes of the figures (`shifts`). No
call has a parameter of its own. Whether thinking of earlier turns stayed in the window (models differ) is a further,
two-valued parameter of each model, chosen by the fewer shifts, then by the smaller error.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ravenglass.hub.size_key import SizeKey
from ravenglass.profile import Profile
from ravenglass.replay.measures.fitting.doubt import doubt
from ravenglass.replay.measures.fitting.estimates import Estimated, Thinking, estimates
from ravenglass.replay.measures.fitting.fit import FittedLine, Point, fit
from ravenglass.replay.measures.fitting.fitted import NO_SEGMENT, CallFit, Errors, Fidelity, ModelFit
from ravenglass.replay.measures.fitting.shifts import Shift, apart, before, shifts
from ravenglass.replay.measures.fitting.weights import weights
from ravenglass.sessions.model.derived import Slot
from ravenglass.sessions.model.replaced import replaced
from ravenglass.sessions.model.session import Session

FOLDS = 5
"""Parts that are held out in turn: contiguous ones, because neighbouring calls are nearly the same window."""
_FIDELITY = Slot[Fidelity | None]("fidelity")


def fidelity(session: Session, profile: Profile) -> Fidelity | None:
    """The fit of a session, kept with it; None where too few calls have a reported figure."""
    of = (SizeKey.of(profile), *(getattr(profile, name) for name in _FIELDS))
    return _FIDELITY.made(session, lambda: _fidelity(session, profile), of)


_FIELDS = (
    "fit_scale_low", "fit_scale_high", "fit_shift_tokens", "fit_shift_share", "fit_good_median", "fit_good_p95",
    "fit_unfit_p95",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Line:
    """A model's points under the better choice for earlier thinking, and the line through them."""

    model: str
    thinking: Thinking
    points: list[Point]
    line: FittedLine
    shifts: tuple[Shift, ...]
    seen: int
    jumps: int
    numbers: dict[tuple[int, int], int]
    """(segment of markers, shifts before) -> segment."""

    @property
    def errors(self) -> list[float]:
        return [error for point in self.points if (error := self.line.error(point)) is not None]


def _fidelity(session: Session, profile: Profile) -> Fidelity | None:
    weighed = weights(session, profile)
    choices: tuple[Thinking, ...] = ("kept", "dropped") if weighed.has_thinking else ("none",)
    windows = {choice: estimates(session, weighed, choice) for choice in choices}
    names = _models(session)
    lines: list[_Line] = []
    held: list[float] = []
    for model in dict.fromkeys(names):
        points = {choice: _points(session, made, names, model) for choice, made in windows.items()}
        best = _best(model, points, profile, sum(len(line.numbers) for line in lines))
        if best is not None:
            lines.append(best)
            held += _held_out(points, best)
    judged = [error for line in lines for error in line.errors]
    errors = Errors.of(judged)
    if errors is None:
        return None
    lines.sort(key=lambda line: -len(line.errors))
    models = tuple(
        ModelFit(made.model, made.line.scale, made.thinking, len(made.errors), _plausible(made.line.scale, profile))
        for made in lines
    )
    found = tuple(sorted((shift for line in lines for shift in line.shifts), key=lambda shift: shift.call))
    overheads = {segment: offset for line in lines for segment, offset in line.line.offsets.items()}
    level = _level(errors, models[0].plausible, profile)
    made = Fidelity(
        models=models, overheads=overheads, shifts=found, jumps=sum(line.jumps for line in lines),
        parameters=len(lines) * (1 + (len(choices) - 1)) + len(overheads),
        reported=sum(len(line.points) for line in lines), errors=errors, content_error=_content_error(lines),
        held_out=Errors.of(held), calls=_calls(session, windows, names, lines), table=profile.tokenizer,
        base_overhead=_base_overhead(lines[0]), level=level,
    )  # fmt: skip
    texts = replaced(session)
    if level == "good" and not texts.mostly:
        return made
    return replace(made, doubt=doubt(session, made, profile, texts), replaced=texts.mostly)


def _plausible(scale: float, profile: Profile) -> bool:
    return profile.fit_scale_low <= scale <= profile.fit_scale_high


def _level(errors: Errors, plausible: bool, profile: Profile) -> str:
    if not plausible or errors.p95 > profile.fit_unfit_p95:
        return "unfit"
    return "good" if errors.median <= profile.fit_good_median and errors.p95 <= profile.fit_good_p95 else "coarse"


def _models(session: Session) -> list[str]:
    """The model of each call; a call without a name is of the model that most have."""
    named = [session.messages[call.message].model or "" for call in session.structure.calls]
    main = max(Counter(name for name in named if name).items(), key=lambda item: item[1], default=("", 0))[0]
    return [name or main for name in named]


def _points(session: Session, windows: Sequence[Estimated], names: Sequence[str], model: str) -> list[Point]:
    found = []
    for call, window, name in zip(session.structure.calls, windows, names, strict=True):
        usage = session.messages[call.message].usage
        if name == model and usage is not None and usage.context:
            found.append(Point(call.number, window.segment, window.estimate, usage.context))
    return found


def _best(model: str, points: dict[Thinking, list[Point]], profile: Profile, first: int) -> _Line | None:
    """The choice with the fewer shifts, then the smaller sum of errors. Its segments are numbered from `first` on."""
    found: list[_Line] = []
    for choice, these in points.items():
        seen = shifts(these, profile)
        changed = seen.told
        numbers: dict[tuple[int, int], int] = {}
        apart(these, changed, numbers)
        numbers = {key: first + number for key, number in numbers.items()}
        parted = apart(these, changed, numbers)
        line = fit(parted)
        if line is not None:
            found.append(_Line(model, choice, parted, line, changed, seen.seen, seen.jumps, numbers))
    return min(found, key=lambda made: (made.seen, sum(made.errors)), default=None)


def _base_overhead(main: _Line) -> float:
    """See `Fidelity.base_overhead`: of segments before any shift, where there are such."""
    offsets = main.line.offsets
    plain = [offsets[number] for (_, earlier), number in main.numbers.items() if not earlier and number in offsets]
    return max(0.0, min(plain or offsets.values()))


def _content_error(lines: Sequence[_Line]) -> float:
    judged = [
        (point.reported, offset, made)
        for line in lines
        for point in line.points
        if (made := line.line.at(point)) is not None and (offset := line.line.offsets.get(point.segment)) is not None
    ]
    content = sum(max(0.0, reported - offset) for reported, offset, _ in judged)
    return sum(abs(made - reported) for reported, _, made in judged) / content if content else math.inf


def _held_out(points: dict[Thinking, list[Point]], best: _Line) -> list[float]:
    """Errors of every call under a fit, thinking included, that was made without its part of the session. Segments are
    those of the whole session: where they begin is told by markers and by the figures on both sides."""
    part: dict[int, int] = {}
    segments: dict[int, list[int]] = defaultdict(list)
    for point in best.points:
        segments[point.segment].append(point.call)
    for calls in segments.values():
        part.update((call, place * FOLDS // len(calls)) for place, call in enumerate(calls))
    parted = {choice: apart(these, best.shifts, dict(best.numbers)) for choice, these in points.items()}
    errors: list[float] = []
    for fold in range(FOLDS):
        found: list[tuple[float, Thinking, FittedLine]] = []
        for choice, these in parted.items():
            line = fit([point for point in these if part[point.call] != fold])
            if line is not None:
                seen = (line.error(point) or 0.0 for point in these if part[point.call] != fold)
                found.append((sum(seen), choice, line))
        if found:
            _, choice, line = min(found, key=lambda item: item[0])
            tried = (line.error(point) for point in parted[choice] if part[point.call] == fold)
            errors.extend(error for error in tried if error is not None)
    return errors


def _calls(
    session: Session, windows: dict[Thinking, list[Estimated]], names: Sequence[str], lines: Sequence[_Line]
) -> tuple[CallFit, ...]:
    by_model = {line.model: line for line in lines}
    found = []
    for place, (call, name) in enumerate(zip(session.structure.calls, names, strict=True)):
        made = by_model.get(name, lines[0])
        window = windows[made.thinking][place]
        segment = made.numbers.get((window.segment, before(made.shifts, call.number)), NO_SEGMENT)
        usage = session.messages[call.message].usage
        reported = usage.context if usage is not None and usage.context else None
        point = Point(call.number, segment, window.estimate, reported or 1)
        told = made.line.at(point) if name in by_model else None
        error = made.line.error(point) if reported is not None and name in by_model else None
        found.append(CallFit(call.number, segment, reported, window.estimate, told, error, name))
    return tuple(found)
