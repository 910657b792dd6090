"""Paths as the hub compares them: relative to the project, without `.` and `..`, with slashes."""

from __future__ import annotations

import posixpath
import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def normal_path(path: str, project: str, folder: str = "") -> str:
    """The one spelling of `path`: relative to `project` where it lies inside, else absolute.

    `folder` is what a relative path is relative to; empty: the project. Nothing is looked up on a disk.
    """
    if not path:
        return ""
    root = _slashes(project).rstrip("/")
    given = _slashes(path)
    if folder and not _absolute(given):
        given = posixpath.join(_slashes(folder), given)
    clean = posixpath.normpath(given)
    if clean.startswith("..") and _absolute(root):
        clean = posixpath.normpath(posixpath.join(root, clean))
    if not _absolute(root):
        # A project that is only a name says nothing about where a path lies.
        return clean
    return "." if clean == root else clean.removeprefix(root + "/")


def inside(path: str, folder: str) -> bool:
    """Whether a normal path is `folder` or lies below it; the project itself is `.`."""
    return path == folder or path.startswith(f"{folder}/") or (folder == "." and not _absolute(path))


def _absolute(path: str) -> bool:
    return path.startswith("/") or bool(_DRIVE.match(path))


def _slashes(path: str) -> str:
    """With slashes: a path of Windows is recognised by its drive, or by having only backslashes."""
    if _DRIVE.match(path) or ("\\" in path and "/" not in path):
        return path.replace("\\", "/")
    return path
