from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.hub.files.paths import inside, normal_path

PROJECTS = st.sampled_from(("/home/dev/shop", "/home/dev/shop/", "C:\\code\\shop", "shop", "/", ""))
SEGMENTS = st.sampled_from(("src", "a.py", "..", ".", "", "设置.toml", "home", "dev", "shop"))
PATHS = st.builds(lambda root, parts: root + "/".join(parts), st.sampled_from(("", "/", "./")), st.lists(SEGMENTS))


@pytest.mark.parametrize(
    ("path", "normal"),
    [
        ("/home/dev/shop/src/a.py", "src/a.py"),
        ("src/a.py", "src/a.py"),
        ("./src//b/../a.py", "src/a.py"),
        ("/home/dev/shop/../shop/src/a.py", "src/a.py"),
        ("../shop/src/a.py", "src/a.py"),
        ("../other/a.py", "/home/dev/other/a.py"),
        ("/home/dev/shopping/a.py", "/home/dev/shopping/a.py"),
        ("/etc/hosts", "/etc/hosts"),
        ("/home/dev/shop/", "."),
        (".", "."),
        ("", ""),
        ("src\\a.py", "src/a.py"),
    ],
)
def test_that_a_path_has_one_spelling(path: str, normal: str) -> None:
    assert normal_path(path, "/home/dev/shop") == normal


def test_that_a_path_of_windows_is_read_as_one() -> None:
    assert normal_path("C:\\code\\shop\\src\\a.py", "C:\\code\\shop") == "src/a.py"
    assert normal_path("C:/code/shop/src/a.py", "C:\\code\\shop") == "src/a.py"
    assert normal_path("D:\\x\\a.py", "C:\\code\\shop") == "D:/x/a.py"


def test_that_without_a_project_a_path_only_loses_its_detours() -> None:
    assert normal_path("/a/./b.py", "") == "/a/b.py"
    assert normal_path("a/../b.py", "") == "b.py"


def test_that_a_relative_path_starts_in_its_folder() -> None:
    assert normal_path("a.py", "/home/dev/shop", "src") == "src/a.py"
    assert normal_path("../a.py", "/home/dev/shop", "/home/dev/shop/src") == "a.py"
    assert normal_path("/etc/hosts", "/home/dev/shop", "src") == "/etc/hosts"


@given(PATHS, PROJECTS)
def test_that_a_normal_path_is_normal(path: str, project: str) -> None:
    normal = normal_path(path, project)
    assert normal_path(normal, project) == normal
    assert "/../" not in f"/{normal}" or normal.startswith("..")
    assert posixpath.normpath(normal or ".") == (normal or ".")


@given(PATHS)
def test_that_a_relative_and_an_absolute_spelling_meet(path: str) -> None:
    if not path.startswith("/"):
        assert normal_path(f"/home/dev/shop/{path}", "/home/dev/shop") == (normal_path(path, "/home/dev/shop") or ".")


@pytest.mark.parametrize(
    ("path", "folder", "verdict"),
    [
        ("src/a.py", "src", True),
        ("src", "src", True),
        ("src2/a.py", "src", False),
        ("src/a.py", ".", True),
        ("/etc/hosts", ".", False),
        ("/etc/hosts", "/etc", True),
    ],
)
def test_that_a_folder_holds_what_lies_below_it(path: str, folder: str, verdict: bool) -> None:
    assert inside(path, folder) is verdict
