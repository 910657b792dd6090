"""The one tree of errors that leave the engine.

    RavenglassError
    |-- SessionError        a file cannot be read as any known session format   (exit code 3)
    |-- ProfileError        a threshold is out of range, or thresholds contradict (exit code 4)
    |-- FilterError         a manifest filter does not parse; carries the position
    |-- AddressError        a `cxt://` address does not parse; carries the position
    |-- TransitionError     a context item was asked for a state change that does not exist
    |-- PlanError           a tool call of the curator has unusable arguments
    |-- ArchiveError        a reference does not resolve
    |-- MessageError        a running agent handed over what is no chat message
    |-- Cancelled           the person cancelled; what was there before is unchanged
    `-- StoreError          the library of opened sessions or a workspace cannot be read or written

Every message says what is wrong, where, and what was kept. None of them wraps a traceback for the user.
"""

from __future__ import annotations


class RavenglassError(Exception):
    """Base of every error that the engine raises on purpose."""


class SessionError(RavenglassError):
    """A file is no session of a known format. `tried` names what was tried on it."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None, tried: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.path = path
        self.line = line
        self.tried = tried


class ProfileError(RavenglassError):
    """A profile is invalid. `field` is the name of the first offending field."""

    def __init__(self, message: str, *, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class FilterError(RavenglassError):
    """A filter does not parse. `position` is the 0-based offset of the offending word."""

    def __init__(self, message: str, *, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class AddressError(RavenglassError):
    """An address does not parse. `position` is the 0-based offset of the offending character."""

    def __init__(self, message: str, *, position: int = 0) -> None:
        super().__init__(message)
        self.position = position


class TransitionError(RavenglassError):
    """A state change that the state machine does not have; the message names both states."""


class PlanError(RavenglassError):
    """A curator tool was called with arguments that cannot be used; the message says how to mend them."""


class ArchiveError(RavenglassError):
    """An archive reference does not resolve to a record."""


class MessageError(RavenglassError):
    """A running agent handed over what is no chat message; nothing of it was taken in."""


class StoreError(RavenglassError):
    """The library in the user's data directory, or a workspace, cannot be read or written."""


class Cancelled(RavenglassError):  # noqa: N818 - it is no error, a person asked for it
    """The person cancelled; what was there before is unchanged."""
