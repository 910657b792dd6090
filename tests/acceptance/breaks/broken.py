"""The engine broken on purpose: each break replaces one real function by one that is wrong in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from ravenglass.curator import desk
from ravenglass.hub import sizes, stub
from ravenglass.profile import Profile
from ravenglass.replay.answers import windows
from ravenglass.replay.measures import breakpoints, metrics
from ravenglass.replay.stepping import inputs, moment, step
from ravenglass.scheduler import expiry, packing, scoring, standing
from ravenglass.store.archive.layout import ArchiveRecord
from ravenglass.store.archive.store import ArchiveStore

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Break:
    """`kind`: the comparison that must tell it."""

    what: str
    kind: str
    apply: Callable[[Patch], None]


def _around(place: Any, name: str, wrong: Callable[..., Any], *others: Any) -> Callable[[Patch], None]:
    """Replace a function by `wrong`, which gets the real one first and then what it was called with; in a module that
    has it, and in `others`."""
    real = getattr(place, name)

    def broken(*args: Any, **kwargs: Any) -> Any:
        return wrong(real, *args, **kwargs)

    def apply(patch: Patch) -> None:
        for one in (place, *others):
            patch.setattr(one, name, broken)

    return apply


def _less_task(real: Any, view: Any) -> Any:
    return real(replace(view, profile=view.profile.with_values(quota_task=view.profile.quota_task / 2)))


def _backwards(real: Any, *args: Any) -> Iterator[Any]:
    yield from reversed(list(real(*args)))


def _next_record(real: Any, *args: Any, **kwargs: Any) -> str:
    """A reference to the record behind the one that was archived."""
    path, _, span = str(real(*args, **kwargs)).partition("#")
    first, _, last = span.partition("-")
    return f"{path}#{int(first) + 1}-{int(last) + 1}"


def _five(real: Any, *args: Any) -> Any:
    return (*(breakpoints.CacheMark(tokens, "head") for tokens in range(1, 5)), *real(*args)[-1:])


def _told(real: Any, state: Any) -> str:
    text: str = real(state)
    return text + "\n- nobody wanted zebras" if text else text


def _extra_in_task(real: Any, stepper: Any) -> dict[str, int]:
    found = dict(real(stepper))
    found["session"], found["task"] = found["session"] - stepper._extra, found["task"] + stepper._extra
    return found


def _kept_outdated(real: Any, view: Any, *args: Any) -> dict[int, str]:
    return {g: why for g, why in real(view, *args).items() if why != "its content is outdated"}


def _earlier_fast(real: Any, stepper: Any, view: Any) -> bool:
    compact, total = view.call in stepper.inputs.compactions, stepper.total
    return not compact and stepper.pressure < 1.4 * view.budget.threshold and total <= view.budget.available


BREAKS = (
    Break("the safety buffer is not kept free", "budget",
          lambda patch: patch.setattr(Profile, "safety_tokens", property(lambda _: 0))),
    Break("the task tier gets half of its quota", "quota cuts", _around(step, "schedule", _less_task, moment, desk)),
    Break("look-ups go to the task tier", "tiers",
          _around(standing, "tiers", lambda real, *a: ["task" if t == "atomic" else t for t in real(*a)])),
    Break("the history is told backwards", "order", _around(windows, "history", _backwards)),
    Break("recency does not fade", "scores", _around(scoring, "_decayed", lambda real, _, most: real(1.0, most))),
    Break("a block that became another counts as the same", "cache reads",
          _around(windows, "_bytes", lambda _, message: (message.role,))),
    Break("what is new costs half", "cost", _around(metrics, "price_of_new", lambda real, *a: real(*a) / 2)),
    Break("a reference leads to the next record", "archive", _around(ArchiveStore, "write", _next_record)),
    Break("the archive keeps a record without its last byte", "archive",
          _around(ArchiveRecord, "of", lambda real, *a: replace(made := real(*a), raw=made.raw[:-1]))),
    Break("a request has five breakpoints", "breakpoints", _around(breakpoints.Breakpoints, "_placed", _five)),
    Break("nothing that was written expires", "expired", _around(expiry, "_content_ends", lambda _real, *_: {})),
    Break("what is outdated is never archived", "states", _around(packing, "_archive", _kept_outdated)),
    Break("one exchange of the head too few is protected", "protected, pinned",
          _around(standing, "protected", lambda real, session, count: real(session, count - 1))),
    Break("no rule pins", "protected, pinned", _around(standing, "pins", lambda real, uses, _: real(uses, ()))),
    Break("the fast path goes on over its threshold", "path", _around(step.Stepper, "is_fast", _earlier_fast)),
    Break("a stub has a line less", "texts",
          _around(sizes, "stub", lambda real, t, n, a, lines, *rest: real(t, n, a, lines - 1, *rest))),
    Break("a repeated result names the wrong message", "references",
          lambda patch: patch.setattr(sizes, "SAME", stub.SAME.replace("{later}", "0"))),
    Break("the working state says what nobody said", "working state", _around(inputs, "render", _told)),
    Break("the working state counts in the task tier", "tokens", _around(step.Stepper, "tiers", _extra_in_task)),
)  # fmt: skip
