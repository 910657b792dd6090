"""Names that a response needs, judged by hand from docs/design/metrics.md before there was code."""

from __future__ import annotations

import pytest

from ravenglass.replay.measures.needs.session import needs_of
from ravenglass.sessions.model.session import Message
from tests.engine.builders import assistant, call, meta, result, session, summary, system, user

_SHOWN = (user("go"), assistant("", call("Bash", command="make")))
"""A prompt and a call; the next message is its result."""


def _names(*messages: Message, project: str = "/home/dev/shop") -> dict[str, tuple[int, ...]]:
    """Names that the last response needs, with their sources."""
    made = session(*messages, project=project)
    last = made.structure.calls[-1].message
    return {need.what: need.sources for need in needs_of(made).of(last) if need.kind == "name"}


_NEEDED = {
    "identifier of a result": ("in parseWidget()", "I will call parseWidget next", "parseWidget"),
    "snake case": ("max_retry_count = 3", "raise max_retry_count", "max_retry_count"),
    "header": ("sent x-request-id", "log the x-request-id", "x-request-id"),
    "relative path": ("edited src/billing/invoice_rows.py",
                      "open src/billing/invoice_rows.py", "src/billing/invoice_rows.py"),
    "file name": ("a.go uses attrs_map.go", "see attrs_map.go", "attrs_map.go"),
    "file name out of a path": ("cmd/cli/attrs_map.go", "see attrs_map.go", "attrs_map.go"),
    "own error": ("raised DuplicateInvoiceError", "catch DuplicateInvoiceError", "DuplicateInvoiceError"),
    "system error": ("read: ECONNRESET", "it was ECONNRESET", "ECONNRESET"),
    "commit": ("82b4027 fix it", "revert 82b4027", "82b4027"),
    "id": ("job 5f0c9a1e-7d40-4b7e-9d3f-0a6b1c2d3e4f", "5f0c9a1e-7d40-4b7e-9d3f-0a6b1c2d3e4f failed",
           "5f0c9a1e-7d40-4b7e-9d3f-0a6b1c2d3e4f"),
    "version": ("lib 15.5.2", "it is at 15.5.2", "15.5.2"),
    "address": ("see https://api.shop.example/v2/orders", "fetch https://api.shop.example/v2/orders",
                "https://api.shop.example/v2/orders"),
    "figure with its unit": ("took 4.7 ms", "it took 4.7 ms", "4.7 ms"),
    "count with its unit": ("318 tests passed", "all 318 tests pass", "318 tests"),
    "port": ("listening on port 8123", "use port 8123", "port 8123"),
    "colour": ("accent: #0087ff", "use #0087ff", "#0087ff"),
    "Chinese around an identifier": ("函数parseWidget返回空", "修改parseWidget的返回值", "parseWidget"),
    "Chinese unit": ("共运行318个测试", "318个测试都通过了", "318个测试"),
    "Chinese file name": ("已创建 文档/设计说明.md", "打开 文档/设计说明.md", "文档/设计说明.md"),
}  # fmt: skip


@pytest.mark.parametrize(("shown", "said", "name"), _NEEDED.values(), ids=_NEEDED)
def test_that_a_name_which_an_earlier_result_introduced_is_needed(shown: str, said: str, name: str) -> None:
    assert _names(*_SHOWN, result(shown), assistant(said)) == {name: (2,)}


_NO_NEED = {
    "word of English": ("the Structure is condensed", "its Structure"),
    "conventional file": ("README.md package.json main.py index.ts",
                          "see README.md, package.json, main.py and index.ts"),
    "builtin error": ("ValueError: no", "a ValueError"),
    "option": ("usage: --no-cache -run", "with --no-cache and -run"),
    "file of any name": ("ran test.go, file2.rs and __init__.pyc", "see test.go, file2.rs and __init__.pyc"),
    "member of what it declares": ("tree.Ledger() of type Ledger struct", "tree := f()\nx(tree.Ledger())"),
    "member of its own parameter": ("tree.Ledger() of type Ledger struct", "func (s S) f(a A, tree T)\ntree.Ledger()"),
    "a palette of its own": ("accent: #88c0d0", "colours #88c0d0, #2e3440, #3b4252 and #434c5e"),
    "made-up id": ("id a1b2c3d4e5f6 and abc123456", "use a1b2c3d4e5f6 or abc123456"),
    "grey and an example": ("#808080 on https://example.com/a", "#808080 on https://example.com/a"),
    "range of a pattern": ("[a-zA-Z0-9] to match", "match a-zA-Z"),
    "phrase of the trade": ("a row-to-row copy", "the row-to-row copy"),
    "member of a library": ("tree.File = repo.Log\nMessage: commit.Message", "repo.Log of commit.Message"),
    "constant of a library": ("case diffkit.DiffInsert:", "case diffkit.DiffInsert:"),
    "public tool": ("pytest and node_modules on localhost", "pytest, node_modules, localhost"),
    "public library": ("TypeScript with json.Marshal and os.path", "TypeScript, json.Marshal, os.path"),
    "well known function": ("console.error(setTimeout)", "console.error and setTimeout"),
    "round figures": ("4096 bytes of 256 files in 40 rows", "4096 bytes of 256 files in 40 rows"),
    "bare number": ("line 295 of 453", "from 295 with limit 453"),
    "part of a longer term": ("the TodoApp class", "see TodoAppShell"),
    "words with a slash": ("stdout/stderr and/or", "stdout/stderr and/or"),
    "own phrasing": ("a non-blocking, built-in one", "non-blocking and built-in"),
}  # fmt: skip


@pytest.mark.parametrize(("shown", "said"), _NO_NEED.values(), ids=_NO_NEED)
def test_that_what_any_session_knows_is_no_name(shown: str, said: str) -> None:
    assert _names(*_SHOWN, result(shown), assistant(said)) == {}


def test_that_the_member_of_an_object_that_stood_there_before_is_needed() -> None:
    shown = "tree.Ledger() of type Ledger struct"
    assert set(_names(*_SHOWN, result(shown), assistant("call tree.Ledger()"))) == {"tree.Ledger"}


def test_that_both_ends_of_a_range_of_versions_are_names() -> None:
    shown = "15.5.2 and 15.6.0"
    assert set(_names(*_SHOWN, result(shown), assistant("git log 15.5.2..15.6.0"))) == {"15.5.2", "15.6.0"}


def test_that_colours_most_of_which_were_shown_are_needed() -> None:
    found = _names(*_SHOWN, result("accent: #88c0d0, back: #2e3440"), assistant("#88c0d0, #2e3440 and #3b4252"))
    assert set(found) == {"#88c0d0", "#2e3440"}


def test_that_words_of_the_result_that_came_back_are_none_of_the_response() -> None:
    made = session(user("go"), assistant("", call("Read", file_path="a.go")), result("parseWidget"),
                   assistant("", call("Bash", command="make lint")), result("first in parseWidget"),
                   assistant("ok"))  # fmt: skip
    assert needs_of(made).of(3) == ()


def test_that_what_the_current_prompt_says_is_not_needed() -> None:
    assert _names(*_SHOWN, result("parseWidget"), user("fix parseWidget"), assistant("parseWidget it is")) == {}


def test_that_an_earlier_prompt_is_a_source() -> None:
    found = _names(user("parseWidget fails"), assistant("hm"), user("go on"), assistant("parseWidget then"))
    assert found == {"parseWidget": (0,)}


def test_that_what_the_response_coins_is_not_needed() -> None:
    assert _names(*_SHOWN, result("done"), assistant("a new parseGadget in src/new_place.py")) == {}


def test_that_what_an_assistant_said_first_has_that_message_for_a_source() -> None:
    said = assistant("I name it mergeLedgers")
    assert _names(user("go"), said, user("and?"), assistant("mergeLedgers is next")) == {"mergeLedgers": (1,)}


def test_that_a_system_message_and_a_summary_introduce_names() -> None:
    assert _names(system("use parse_rows"), user("go"), assistant("parse_rows")) == {"parse_rows": (0,)}
    told = (summary("so far: mergeLedgers"), user("go on"), assistant("mergeLedgers"))
    assert _names(*told) == {"mergeLedgers": (0,)}


def test_that_a_result_which_shows_it_anew_is_a_source_and_one_whose_call_named_it_is_not() -> None:
    grep = assistant("", call("Grep", pattern="parseWidget"))
    found = _names(*_SHOWN, result("parseWidget"), assistant("", call("Read", file_path="b.go")),
                   result("calls parseWidget"), grep, result("b.go: parseWidget"),
                   assistant("parseWidget"))  # fmt: skip
    assert found == {"parseWidget": (2, 4)}


def test_that_a_message_that_only_repeats_it_is_a_mention() -> None:
    made = session(*_SHOWN, result("parseWidget"), assistant("so parseWidget"), user("go on"), assistant("parseWidget"))
    (need,) = needs_of(made).of(5)
    assert (need.sources, need.mentions) == ((2,), (3,))


def test_that_argument_names_and_tool_names_are_not_needed() -> None:
    again = assistant("", call("search_orders", order_state="x"))
    shown = result("try search_orders with order_state")
    assert _names(*_SHOWN, shown, again) == {}


def test_that_values_of_arguments_are_words_of_the_response_whatever_json_writes_them_as() -> None:
    quoted = call("Edit", raw='{"file_path": "a\\u002dmap.go", "old_string": "x\\nparseWidget"}')
    assert set(_names(*_SHOWN, result("a-map.go: parseWidget"), assistant("", quoted))) == {"a-map.go", "parseWidget"}


def test_that_a_fixed_value_of_an_argument_is_no_name() -> None:
    todo = {"content": "x", "status": "in_progress"}
    assert _names(*_SHOWN, result("in_progress"), assistant("", call("TodoWrite", todos=[todo]))) == {}


def test_that_the_working_directory_and_its_parents_are_no_names() -> None:
    shown = result("/home/dev/shop /home/dev /home/dev/shop/src/rows.py")
    assert _names(*_SHOWN, shown, assistant("in /home/dev/shop and /home/dev")) == {}
    assert set(_names(*_SHOWN, shown, assistant("/home/dev/shop/src/rows.py"))) == {"/home/dev/shop/src/rows.py"}


def test_that_thinking_is_the_responses_own_words() -> None:
    assert _names(*_SHOWN, result("parseWidget"), assistant("ok", thinking="so parseWidget"))


def test_that_what_stands_all_over_is_no_name() -> None:
    often = [m for _ in range(13) for m in (user("see main_module_name"), assistant("ok"))]
    seldom = [m for _ in range(12) for m in (user("see main_module_name"), assistant("ok"))]
    end = (user("and"), assistant("main_module_name it is"))
    assert _names(*often, *end) == {}
    assert set(_names(*seldom, *end)) == {"main_module_name"}


def test_that_what_a_harness_injected_shows_names_like_a_result() -> None:
    assert _names(user("go"), assistant("look"), meta("parseWidget"), assistant("parseWidget")) == {"parseWidget": (2,)}


def test_that_the_setting_says_from_how_many_exchanges_on_a_name_stands_all_over() -> None:
    spread = [m for _ in range(3) for m in (assistant("", call("Read", file_path="x.txt")), result("load_widgets"))]
    made = session(user("go"), *spread, assistant("load_widgets is next"))
    last = made.structure.calls[-1].message
    few, many = (needs_of(made, most).of(last) for most in (2, 3))
    assert "load_widgets" not in {need.what for need in few}
    assert "load_widgets" in {need.what for need in many}


def test_that_the_limit_of_a_name_that_stands_all_over_counts_exchanges_and_not_messages() -> None:
    calls = [call("Bash", command=f"make step{n}") for n in range(40)]
    shown = [result(f"parseWidget of {n}") for n in range(40)]
    assert set(_names(user("go"), assistant("", *calls), *shown, assistant("parseWidget"))) == {"parseWidget"}
    apart = [m for one, text in zip(calls, shown, strict=True) for m in (assistant("", one), text)]
    assert _names(user("go"), *apart, assistant("parseWidget")) == {}


def test_that_a_summary_of_what_a_result_showed_is_a_mention_and_no_source() -> None:
    told = (*_SHOWN, result("parseWidget"), summary("so far: parseWidget"), user("go on"), assistant("parseWidget"))
    assert _names(*told) == {"parseWidget": (2,)}
