"""Which session of a record that was read on is the one on screen: the record's own, or one of its sub-agents."""

from __future__ import annotations

from collections.abc import Iterator

from ravenglass.sessions.model.session import Session


def later_of(shown: Session | None, root: Session | None, later: Session) -> Session | None:
    """The later state of `shown`, which is `root` or a sub-agent of it, in `later`, the later state of `root`.

    None where `later` is another record, or has that sub-agent no longer.
    """
    if shown is None or root is None or (later.path, later.key) != (root.path, root.key):
        return None
    if shown is root or _name(shown) == _name(root):
        return later
    path = _path_to(shown, root)
    if path is None:
        return None
    at = later
    for child in path:
        found = next((other for other in at.children if _name(other) == _name(child)), None)
        if found is None:
            return None
        at = found
    return at


def _path_to(shown: Session, above: Session) -> tuple[Session, ...] | None:
    """The sub-agents that lead from a session down to one below it."""
    for child in above.children:
        if child is shown or _name(child) == _name(shown):
            return (child,)
        below = _path_to(shown, child)
        if below is not None:
            return (child, *below)
    return None


def _name(session: Session) -> tuple[str, str, str | None, str]:
    """What tells a sub-agent from the others of its parent and does not change while it is written."""
    return session.id, session.path.name, session.parent_call_id, session.key


def every(session: Session) -> Iterator[Session]:
    """A session and all its sub-agents."""
    yield session
    for child in session.children:
        yield from every(child)
