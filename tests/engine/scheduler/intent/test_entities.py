from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.scheduler.intent.entities import entities, keywords

SAMPLES = Path(__file__).parents[5] / "shared" / "samples"
TEXTS = st.text(st.characters()) | st.text("ab A_./:#@~-\\\"'`12 设置のデ한", max_size=200)


@pytest.mark.rule("5.1")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fix the KeyError in src/auth.py:42.", ("fix", "KeyError", "src/auth.py", "auth.py")),
        ("see ./a/b.ts, ../c/d.go and /tmp/x/y", ("a/b.ts", "b.ts", "../c/d.go", "d.go", "/tmp/x/y")),
        ("engine/hub/ or and/or", ("engine", "hub")),
        ("src/my_app/", ("src/my_app", "my_app")),
        ("C:\\Users\\me\\app.py", ("C:/Users/me/app.py", "app.py")),
        (r'{"path": "C:\\Users\\app.py"}', ("path", "C:/Users/app.py", "app.py")),
        ("auth.py Makefile .gitignore", ("auth.py", "makefile", ".gitignore")),
        ("self.quota_manager.allocate()", ("quota_manager.allocate", "quota_manager")),
        ("os.path.join json.JSONDecodeError", ("os.path.join", "json.JSONDecodeError", "JSONDecodeError")),
        ("MAX_TOKENS parseArgs HTTPServer __init__", ("MAX_TOKENS", "parseArgs", "HTTPServer", "__init__")),
        ("closes #123, GH-77 and acme/app#9", ("closes", "#123", "GH-77", "acme", "app", "#9")),
        ("std::vector", ("std::vector", "std", "vector")),
        ("tests/test_a.py::TestX::test_y", ("tests/test_a.py", "test_a.py", "TestX", "test_y")),
        ("https://example.org/docs/api.html?x=1", ("https://example.org/docs/api.html", "api.html")),
        ("@scope/pkg --max-steps", ("@scope/pkg", "pkg", "max-steps", "max", "steps")),
        ('an "quota exceeded" error', ("quota exceeded", "quota", "exceeded", "error")),
        ("run `git commit --amend`", ("run", "git commit --amend", "git", "commit", "amend")),
        ("don't use the users' own 'login page'", ("users", "login page", "login", "page")),
        ("sha256 o200k v1.2.3 3ea751c087", ("sha256", "o200k", "v1.2.3", "3ea751c087")),
        ("12 3.5 10:30:22 2026-11-29 1/2 100ms 2nd #585858", ()),
        ("a an it of the THE -- ... // ** \\n", ()),
        (r"alpha\nbeta\tgamma", ("alpha", "beta", "gamma")),
        ("Größe увеличить", ("größe", "увеличить")),
    ],
)
def test_that_the_entities_of_a_text_are_found_in_order(text: str, expected: tuple[str, ...]) -> None:
    assert entities(text) == expected


@pytest.mark.rule("5.9")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("修改配额", ("修改", "改配", "配额")),
        ("修bug", ("修", "bug")),
        ("在src/auth.py中出现", ("在", "src/auth.py", "auth.py", "中出", "出现")),
        ("データを消す", ("デー", "ータ", "消")),
        ("데이터 삭제", ("데이", "이터", "삭제")),
        ("我们可以测试", ("们可", "以测", "测试")),
        ("“配额超限”", ("配额超限", "配额", "额超", "超限")),
    ],
)
def test_that_cjk_runs_give_bigrams_within_one_script(text: str, expected: tuple[str, ...]) -> None:
    assert entities(text) == expected


def test_that_a_path_is_the_same_entity_wherever_it_stands() -> None:
    contexts = ["{}", "see {}.", "({})", '"{}"', "`{}`", "在{}里", "{}:42: error", "--file={}", "./{}", "{},"]
    assert all("src/my_app/auth.py" in entities(context.format("src/my_app/auth.py")) for context in contexts)


def test_that_the_limit_keeps_the_first_entities() -> None:
    text = "alpha beta gamma alpha delta"
    assert entities(text, 2) == ("alpha", "beta")
    assert entities(text, 0) == ()


def test_that_a_cap_reads_the_head_and_the_tail_at_whole_words() -> None:
    text = "alpha_first " + "middle_part " * 1_000 + "omega_last"
    found = entities(text, max_chars=200)
    assert found[0] == "alpha_first"
    assert found[-1] == "omega_last"
    assert set(found) == {"alpha_first", "middle_part", "omega_last"}
    assert entities(text, max_chars=len(text)) == entities(text)
    assert len(entities("x" * 5_000 + " " + "y" * 5_000, max_chars=100)) <= 2


def test_that_encoded_data_is_no_entity() -> None:
    assert entities("QUJD" * 100 + "/x+y==") == ()
    assert entities("a1" * 500) == ()


@pytest.mark.rule("6.23")
def test_that_keywords_put_paths_and_identifiers_before_words() -> None:
    text = "The login page shows an error. The login of src/auth.py raises KeyError when the login is empty."
    assert keywords(text)[:3] == ("src/auth.py", "KeyError", "login")
    assert "auth.py" not in keywords(text)
    assert keywords(text, 1) == ("src/auth.py",)


def test_that_a_frequent_word_comes_before_a_rare_one() -> None:
    assert keywords("cache index cache index cache table")[:3] == ("cache", "index", "table")


@pytest.mark.rule("6.23")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("修改登录模块的配额计算逻辑", ("修改", "登录", "模块", "配额", "计算", "逻辑")),
        ("数据库连接池，请保持接口不变", ("数据库", "连接池", "保持", "接口", "不变")),
        ("データベースの接続を修正して、エラーを調べる", ("データベース", "接続", "修正", "エラー")),
    ],
)
def test_that_keywords_of_chinese_and_japanese_are_readable_words(text: str, expected: tuple[str, ...]) -> None:
    assert set(expected) <= set(keywords(text))
    assert len(keywords(text)) <= len(expected) + 1


def test_that_a_word_repeated_in_long_runs_is_recognised() -> None:
    assert "葵花" in keywords("栽培葵花技巧手册甲、比较葵花产量高低乙")


@given(TEXTS)
def test_that_any_text_gives_distinct_entities_and_keywords_within_the_limit(text: str) -> None:
    found = entities(text)
    assert len(found) == len(set(found))
    assert all(found)
    assert len(keywords(text, 5)) <= 5


@given(TEXTS, st.integers(0, 50))
def test_that_a_cap_finds_only_what_head_and_tail_hold(text: str, cap: int) -> None:
    half = cap // 2
    for entity in entities(text, max_chars=cap):
        assert len(entity) <= max(half, 3) or len(text) <= cap


@given(st.text("ab_ c"), st.text("de. f"))
def test_that_lines_are_read_independently(first: str, second: str) -> None:
    together = entities(f"{first}\n{second}")
    assert together == tuple(dict.fromkeys((*entities(first), *entities(second))))
