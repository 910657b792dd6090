"""What an agent hands over, as plain objects: mappings, or the objects of the providers' packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from ravenglass.errors import MessageError
from ravenglass.trace import Json


@runtime_checkable
class Dumps(Protocol):
    """An object that can be written as a dict, such as the messages and the usage of the `openai` package."""

    def model_dump(self, *, exclude_none: bool) -> dict[str, object]: ...


Given = Mapping[str, object] | Dumps


def as_object(given: Given, what: str) -> Json:
    """A new dict of what was given. Raises MessageError for anything else."""
    if isinstance(given, Mapping):
        return dict(given)
    if isinstance(given, Dumps):
        return given.model_dump(exclude_none=True)
    raise MessageError(f"The {what} is a {type(given).__name__}; it has to be a dict. Nothing was added.")
