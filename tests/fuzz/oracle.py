"""What must hold of whatever a mutation made of a session."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.presets import preset
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.replay.recorded.run import recorded_run
from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.follow import Follower
from ravenglass.sessions.model.session import Message, Session, Span

_QUOTED = re.compile(r" and begins with (['\"]).*\1")
_DEEPEST = 40
"""Levels of sub-agents; more are a circle."""


class FaultError(Exception):
    """A rule that does not hold, as a sentence."""


def require(holds: object, sentence: str) -> None:
    """Raises FaultError with the sentence where the condition does not hold."""
    if not holds:
        raise FaultError(sentence)


def family(session: Session, depth: int = 0) -> Iterator[Session]:
    """The session and everything below it."""
    require(depth < _DEEPEST, "sub-agents are nested without end")
    yield session
    for child in session.children:
        yield from family(child, depth + 1)


def spans(session: Session) -> Iterator[Span]:
    """Everything that the session's own messages and other records stand at."""
    for message in session.messages:
        yield from message.spans
    for record in session.other:
        yield record.span


def check_sentence(sentence: str, path: Path) -> None:
    """An error for people: one or more sentences that name the file, and nothing of the machinery."""
    require(sentence.endswith((".", "?")), f"no sentence: {sentence!r}")
    require(path.name in sentence or path.stem in sentence, f"does not name the file: {sentence!r}")
    said = _QUOTED.sub("", sentence)  # what a file begins with may be anything
    require("Traceback" not in said and "\x00" not in sentence, f"is not for people: {sentence!r}")
    require(len(sentence) < 3_000, f"is too long ({len(sentence)})")


def check(session: Session) -> None:
    """Everything that holds for every session, and for every one below it."""
    for inner in family(session):
        _texts(inner)
        _places(inner)
        _structure(inner)
        _markers(inner)
        for message in inner.messages:
            _message(message)


def _texts(session: Session) -> None:
    shown = [session.id, session.title, session.project, session.model or "", session.tools_text or ""]
    shown += [
        session.system_prompt or "",
        session.forked_from or "",
        session.parent or "",
        session.key,
        *session.warnings,
    ]
    shown += [record.label for record in session.other]
    for text in shown:
        require(isinstance(text, str), f"{text!r} is no text")
        text.encode()
    require(all(sentence.endswith((".", "?")) for sentence in session.warnings), f"no sentences: {session.warnings}")


def _message(message: Message) -> None:
    texts = [part.text for part in message.parts] + [
        text for c in message.tool_calls for text in (c.id, c.name, c.arguments)
    ]
    texts += [message.tool_call_id or "", message.tool_name or "", message.model or "", message.source_id or ""]
    for text in texts:
        text.encode()
    require(message.ts is None or math.isfinite(message.ts), f"message {message.id} has the time {message.ts}")
    figures = message.usage and (
        message.usage.context,
        message.usage.output,
        message.usage.cache_read,
        message.usage.cache_write,
    )
    for figure in figures or ():
        require(
            figure is None or (type(figure) is int and figure >= 0), f"message {message.id} reports {figure!r} tokens"
        )
    require(message.role == "assistant" or not message.tool_calls, f"message {message.id}, {message.role}, calls tools")
    require(
        message.role == "tool" or message.tool_call_id is None, f"message {message.id}, {message.role}, answers a call"
    )


def _places(session: Session) -> None:
    for span in spans(session):
        require(span.length > 0 and span.offset >= 0 and span.line > 0, f"{span} is no place")
        require(len(session.source.read(span)) == span.length, f"{span} is not inside the source")
    for message in session.messages:
        require(message.spans, f"message {message.id} stands nowhere")
        require(session.raw(message.id), f"message {message.id} has no bytes")
    for damage in session.damage:
        require(damage.reason and damage.kept, f"{damage} says nothing")


def _structure(session: Session) -> None:
    size, found = len(session.messages), session.structure
    require([m.id for m in session.messages] == list(range(size)), "ids are no positions")
    members = sorted(m for group in found.groups for m in group.messages)
    require(members == list(range(size)), "groups do not hold every message once")
    require(all(m in found.groups[found.group_of[m]].messages for m in range(size)), "group_of is wrong")
    require([call.number for call in found.calls] == list(range(1, len(found.calls) + 1)), "calls are not counted")
    made = [call.message for call in found.calls]
    require(made == sorted(set(made)), "calls are not in the order of their messages")
    require(all(session.messages[m].role == "assistant" for m in made), "a call is no assistant's")
    covered = [m for turn in found.turns for m in range(turn.first, turn.last + 1)]
    require(covered == list(range(size)), "turns do not hold every message once")
    for group in found.groups:
        results = [m for m in group.messages if session.messages[m].role == "tool"]
        require(
            len(results) == len(group.messages) or len(group.messages) == len(results) + 1, "two calls in one group"
        )
        alone = group.orphan or group.unsent  # what was never sent answers nothing
        require(not results or alone or group.messages[0] not in results, "a result stands before its call")


def _markers(session: Session) -> None:
    for marker in session.markers:
        require(0 <= marker.before <= len(session.messages), f"{marker.kind} stands before {marker.before}")
        kept = list(marker.keep or ())
        require(kept == sorted(set(kept)), f"{marker.kind} keeps {kept}")
        require(all(0 <= m < marker.before for m in kept), f"{marker.kind} at {marker.before} keeps {kept}")
        require(all(0 <= m < len(session.messages) for m in marker.cleared), f"{marker.kind} clears {marker.cleared}")


def check_replay(session: Session) -> None:
    """Replays under a small window: no window is over its budget, and the recorded run can be made."""
    for name in ("tight-32k", "strict-quota"):
        profile: Profile = preset(name).profile()
        run = replay(session, profile)
        for call in range(1, run.calls + 1):
            window = run.window(call)
            fits = window.tokens <= run.budget.available or window.impossible
            require(fits, f"call {call} has {window.tokens} of {run.budget.available} tokens under {name}")
    happened = recorded_run(session, Profile())
    for call in range(1, happened.calls + 1):
        seen = session.structure.calls[call - 1].message
        shown = [block.id for block in happened.window(call).messages if block.id is not None]
        require(all(message < seen for message in shown), f"call {call} of what happened saw what came later")
        require(len(shown) == len(set(shown)), f"call {call} of what happened saw a message twice")
    _ = happened.metrics, happened.fidelity


def inputs(session: Session) -> list[tuple[object, ...]]:
    """What two readings of the same bytes must agree on."""
    return [
        (
            inner.format,
            inner.id,
            inner.title,
            inner.model,
            inner.messages,
            inner.markers,
            inner.other,
            inner.damage,
            inner.pending and (inner.pending.line, inner.pending.offset),
        )
        for inner in family(session)
    ]


def check_following(path: Path, data: bytes, cuts: Iterable[int], whole: Session) -> None:
    """A file that grows by these pieces becomes, followed, the session that it is when it is opened whole.

    An unfinished last line may still grow, so it is finished first.
    """
    if not data.endswith(b"\n"):
        data += b"\n"
        path.write_bytes(data)
        whole = open_session(path)
    follower, seen = Follower(path), 0
    path.write_bytes(b"")
    found: Session | None = None
    for cut in (*sorted(cuts), len(data)):
        with path.open("ab") as file:
            file.write(data[seen:cut])
        seen = cut
        try:
            look = follower.look()
        except SessionError:
            continue
        found = look.session if look is not None else found
    require(found is not None, "was never read while it was followed")
    if found is not None:
        _same(inputs(found), inputs(whole))


def _same(followed: list[tuple[object, ...]], opened: list[tuple[object, ...]]) -> None:
    names = ("format", "id", "title", "model", "messages", "markers", "other", "damage", "pending")
    require(len(followed) == len(opened), f"followed it has {len(followed)} sessions, opened {len(opened)}")
    for one, other in zip(followed, opened, strict=True):
        for name, left, right in zip(names, one, other, strict=True):
            if left != right:
                raise FaultError(f"followed, {name} is {str(left)[:300]}; opened, it is {str(right)[:300]}")
