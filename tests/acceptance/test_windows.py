"""The windows of every recorded session and of the demo, checked by code that shares nothing with the program."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.acceptance.check_windows import check, check_archive
from tests.acceptance.test_cli import printed
from tests.acceptance.window_truth import PRESETS, SUMMARY, Json, Replayed, Truth, replayed
from tests.conftest import ROOT, SAMPLES

DEMO = next(p for p in sorted((ROOT / "fixtures" / "demo").glob("*.jsonl")) if not p.name.startswith("agent-"))
FOLDERS = ("claude-code", "openai-chat", "openclaw-pi", "raven/workspace/sessions")
UNREADABLE = frozenset({"agentsessions_schema_v2.1.220.jsonl"})
"""Of this one nearly every text, id and time is the same placeholder, and its attachments are messages, which the
check's own reader does not know."""
LARGE = 100_000
"""Bytes from which a file is checked alone, through a process of its own."""


def _sessions() -> list[Path]:
    found = [path for folder in FOLDERS for path in sorted((SAMPLES / folder).rglob("*.json*"))]
    return [
        path
        for path in found
        if not path.name.endswith((".meta.json", "journal.jsonl"))
        and "wf_" not in path.stem
        and path.name not in UNREADABLE
    ]


def _problems(path: Path, folder: Path, **how: Callable[[list[str]], str]) -> list[str]:
    truth = Truth(path, folder, **how)
    found = []
    for preset in PRESETS:
        made = replayed(path, folder, "--profile", preset, **how)
        sentences = [*check(truth, made), *check_archive(truth, made, preset)]
        found += [f"{path.name} under {preset}: {sentence}" for sentence in sentences]
    return found


@pytest.mark.proof
def test_that_every_window_of_the_demo_holds_what_it_must(tmp_path: Path) -> None:
    assert _problems(DEMO, tmp_path) == []


@pytest.mark.proof
@pytest.mark.samples
@pytest.mark.parametrize("path", [p for p in _sessions() if p.stat().st_size >= LARGE], ids=lambda p: p.name[:40])
def test_that_every_window_of_a_large_recorded_session_holds_what_it_must(path: Path, tmp_path: Path) -> None:
    assert _problems(path, tmp_path) == []


@pytest.mark.samples
def test_that_every_window_of_the_small_recorded_sessions_holds_what_it_must(samples: Path, tmp_path: Path) -> None:
    paths = [p for p in _sessions() if p.stat().st_size < LARGE]
    assert len(paths) >= 20
    assert [sentence for path in paths for sentence in _problems(path, tmp_path, execute=printed)] == []


# The check itself: it must see what it is there to see.


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> Truth:
    return Truth(DEMO, tmp_path_factory.mktemp("wide"), printed)


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    return replayed(DEMO, tmp_path_factory.mktemp("tight"), "--profile", "tight-32k", execute=printed)


def _last(window: Json, role: str) -> Json:
    found = next(m for m in reversed(window["messages"]) if m["role"] == role and m["id"] is not None)
    assert isinstance(found, dict)
    return found


def _without(window: Json, role: str) -> None:
    window["messages"].remove(_last(window, role))


def _without_head(window: Json) -> None:
    """The first recorded messages: the protected exchange of a call without its result, all of it."""
    first = next(i for i, m in enumerate(window["messages"]) if m["id"] is not None)
    stop = next(i for i in range(first + 1, 999) if window["messages"][i]["role"] in ("assistant", "user"))
    del window["messages"][first:stop]


def _reversed_group(window: Json) -> None:
    at = next(i for i, m in enumerate(window["messages"]) if m["role"] == "tool")
    messages = window["messages"]
    messages[at - 1], messages[at] = messages[at], messages[at - 1]


def _too_much(window: Json) -> None:
    _last(window, "user")["content"] += " much more" * 30_000


def _another_text(window: Json) -> None:
    message = next(m for m in window["messages"] if m["id"] is not None)
    message["content"] = message["content"][:-1] + "x"


def _wrong_total(window: Json) -> None:
    window["tokens"] += 1


def _another_call(window: Json) -> None:
    for call in (c for m in window["messages"] for c in m.get("tool_calls", ())):
        call["function"]["arguments"] += " "


@pytest.fixture(scope="module")
def pressed(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    """The demo in a window so small that some results alone pass the budget."""
    folder = tmp_path_factory.mktemp("pressed")
    return replayed(DEMO, folder, "--profile", "tight-32k", "--set", "window=16000", execute=printed)


def _told(made: Replayed) -> list[Json]:
    """Summaries, with the windows that hold them."""
    return [m for w in made.windows for m in w["messages"] if m["content"].startswith(SUMMARY)]


@pytest.mark.proof
@pytest.mark.rule("10.5", "10.6", "10.7")
def test_that_summaries_of_the_demo_hold_what_they_must_and_only_a_tight_window_has_any(
    truth: Truth, tight: Replayed, pressed: Replayed
) -> None:
    assert list(check(truth, pressed)) == []
    assert len(_told(pressed)) >= 3
    assert _told(tight) == []


@pytest.mark.proof
@pytest.mark.parametrize(
    ("pattern", "put", "sentence"),
    [
        (r"\nRead the full transcript at: /", r"\nRead the full transcript at: x", "does not end with the path"),
        (r"## 3\. Files and code", r"## 3. Files", "has other parts"),
        (r"(?m)^- #(\d+): ", r"- #9\1: ", "as a user's that left the window"),
        (r"(?m)^- #(\d+): ", r"- #\1: never ", "has other words of message"),
        (r" \(#\d+\)", r" (#99999)", "that are not known yet"),
    ],
)
def test_that_the_check_sees_a_damaged_summary(
    truth: Truth, pressed: Replayed, pattern: str, put: str, sentence: str
) -> None:
    made = copy.deepcopy(pressed)
    for block in _told(made):
        block["content"] = re.sub(pattern, put, block["content"])
    assert any(sentence in found for found in check(truth, made))


@pytest.mark.proof
def test_that_the_check_sees_a_summary_that_nothing_forced(truth: Truth, tight: Replayed, pressed: Replayed) -> None:
    made = copy.deepcopy(tight)
    window = next(w for w in made.windows if w["messages"][0]["content"].startswith("# Curator Working State"))
    window["messages"].insert(1, copy.deepcopy(_told(pressed)[0]))
    assert any("although eviction was enough" in found for found in check(truth, made))


@pytest.mark.proof
@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (lambda w: _without(w, "tool"), "are missing"),
        (lambda w: _without(w, "assistant"), "is a result without its call"),
        (lambda w: _without(w, "user"), "the current user message"),
        (_without_head, "protected or pinned message"),
        (_reversed_group, "is a result without its call"),
        (_too_much, "are over C ="),
        (_another_text, "has another text than the record, and no mark"),
        (_wrong_total, "and the program says"),
        (_another_call, "and the program says"),
        (lambda w: w["messages"].append(copy.deepcopy(_last(w, "user"))), "and the program says"),
    ],
)
def test_that_the_check_sees_a_damaged_window(
    truth: Truth, tight: Replayed, damage: Callable[[Json], None], sentence: str
) -> None:
    made = copy.deepcopy(tight)
    window = next(w for w in made.windows if w["path"] == "slow" and w["messages"][-1]["role"] == "tool")
    damage(window)
    found = [s for s in check(truth, made) if s.startswith(f"call {window['call']}: ")]
    assert any(sentence in s for s in found)


@pytest.mark.proof
def test_that_the_check_sees_a_missing_call(truth: Truth, tight: Replayed) -> None:
    made = replace(tight, windows=tight.windows[:-1])
    assert "calls in the file, and windows for" in next(check(truth, made))


@pytest.mark.proof
def test_that_the_check_sees_an_archive_that_is_not_byte_equal(tight: Replayed, tmp_path: Path) -> None:
    truth = Truth(DEMO, tmp_path, printed)
    data = bytearray(truth.source.data)
    gone = next(m for m in range(99) if m not in {x["id"] for x in tight.windows[-1]["messages"]})
    data[truth.source.messages[truth.order[gone]].spans[0][0] + 5] ^= 1
    truth.source = replace(truth.source, data=bytes(data))
    assert f"message {gone} does not come back as it stands in the file" in check_archive(truth, tight, "tight-32k")


@pytest.mark.proof
def test_that_the_check_sees_a_text_that_no_window_shows_as_recorded(truth: Truth, tight: Replayed) -> None:
    other = copy.copy(truth)
    other.whole = {m: dict(shown) for m, shown in truth.whole.items()}
    other.whole[0]["content"] += "!"
    assert "message 0 is not shown as it was recorded" in check(other, tight)
