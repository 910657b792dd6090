"""What other layers make of a session and keep with it: each kind has a slot that says its type.

It lives in the session, not in a cache beside it, so that it goes when the session goes. A slot is made once, at the
top of the module that fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar, cast

from ravenglass.sessions.model.session import Session

T = TypeVar("T")


class Slot(Generic[T]):
    """One kind of what is kept. `of` tells several of a kind apart: the settings that each was made under."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"Slot({self._name!r})"

    def get(self, session: Session, of: Hashable = None) -> T | None:
        """What was kept; None where nothing was."""
        return cast("T | None", session.derived.get((self, of)))

    def keep(self, session: Session, value: T, of: Hashable = None) -> T:
        """Keep it, in place of what was kept before; returns it."""
        session.derived[self, of] = value
        return value

    def made(self, session: Session, make: Callable[[], T], of: Hashable = None) -> T:
        """What was kept; made and kept at the first call. Raises what `make` raises, and then keeps nothing."""
        found = session.derived.get((self, of), _NOTHING)
        return self.keep(session, make(), of) if found is _NOTHING else cast("T", found)


_NOTHING = object()
"""None may be what was made."""
