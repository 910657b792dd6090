"""Sessions with markers, written by hand and at random, for the tests of recorded runs."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from ravenglass.sessions.model.session import Marker, Session, Usage
from tests.engine.builders import assistant, call, filler, result, session, sessions, summary, user, with_calls

KINDS = ("compaction", "clearing", "rollback", "consolidated", "resume")


def usage(context: int, read: int | None = None) -> Usage:
    return Usage(context, 1, read, None)


def talk(*markers: Marker) -> Session:
    """Prompt 0; call 1 reads (1, result 2), call 2 greps (3, result 4), call 3 answers (5); prompt 6, call 4 (7)."""
    made = session(
        user("fix src/auth.py"),
        assistant("", call("Read", file_path="src/auth.py")),
        result("x = 1"),
        assistant("", call("Grep", pattern="login")),
        result("found it"),
        assistant("done"),
        user("and the cart"),
        assistant("done too"),
    )
    return replace(made, markers=markers)


def compacted(offset: int = 1_000, scale: float = 1.5, calls: int = 6, after: int = 400) -> Session:
    """Two segments of calls whose reported figures are a line through the estimates: offset + scale x tokens.

    After the compaction `after` tokens that the record does not hold are in every window.
    """
    messages = [user(filler(50))]
    for number in range(2 * calls):
        if number == calls:
            messages.append(summary(filler(30)))
        messages += [assistant(filler(3 + number)), user(filler(40), kind="meta")]
    made = session(*messages)
    before = next(m.id for m in made.messages if m.kind == "summary")
    made = replace(made, markers=(Marker("compaction", before),))
    sizes = [len(m.text.split()) + 4 for m in made.messages]
    reported = {}
    for c in made.structure.calls:
        first, more = (before, after) if c.message >= before else (0, 0)
        reported[c.message] = round(offset + more + scale * sum(sizes[first : c.message]))
    named = tuple(replace(m, usage=usage(reported[m.id])) if m.id in reported else m for m in made.messages)
    return replace(made, messages=named)


@st.composite
def marked_sessions(draw: st.DrawFn) -> Session:
    """Random sessions, damaged ones too, with random markers, sensible or not, and some reported figures."""
    made = draw(sessions().filter(with_calls))
    ids = st.integers(-2, len(made.messages) + 3)
    marker = st.builds(
        Marker,
        st.sampled_from(KINDS),
        ids,
        st.sampled_from(("", "auto")),
        st.none() | st.lists(ids, max_size=6).map(tuple),
        st.lists(ids, max_size=4).map(tuple),
    )
    markers = tuple(draw(st.lists(marker, max_size=4)))
    figures = draw(
        st.lists(st.none() | st.integers(0, 200_000), min_size=len(made.messages), max_size=len(made.messages))
    )
    messages = tuple(
        replace(m, usage=usage(figure, figure // 2)) if m.role == "assistant" and figure is not None else m
        for m, figure in zip(made.messages, figures, strict=True)
    )
    return replace(made, messages=messages, markers=markers)


def shifted(*figures: int) -> Session:
    """Exchanges with results of 1,000 words; the figure of call n is 20,000 + 1,200 a result + `figures[n]`."""
    messages = []
    for number in range(len(figures)):
        answer = assistant("", call("Read", file_path=f"{number}.py"))
        messages += [user(f"do {number}"), answer, result(filler(1_000))]
    made = session(*messages)
    known = {c.message: 20_000 + 1_200 * (c.number - 1) + figures[c.number - 1] for c in made.structure.calls}
    named = (replace(m, usage=usage(known[m.id])) if m.id in known else m for m in made.messages)
    return replace(made, messages=tuple(named))
