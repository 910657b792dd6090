"""Names of a package that are imported when somebody asks for them (PEP 562): a command pays only for what it uses."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A package's `__getattr__`: `homes` says in which module each of its names is. Raises AttributeError, in Python's
    own words, for a name that is not one of them; a name that was asked for once stays in the package."""

    def asked(name: str) -> object:
        home = homes.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return asked
