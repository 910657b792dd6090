"""Archives and logs of Inspect that are damaged, or are none."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ravenglass.errors import SessionError
from ravenglass.sessions import holder_of, open_session
from ravenglass.sessions.formats.inspect.log import InspectLog
from tests.engine.sessions.damaged import check_pieces, hurt, is_held, mistyped, opened
from tests.engine.sessions.formats.inspect.test_importer import (
    HEADER,
    LOG,
    MEMBERS,
    SAMPLE,
    SHORT,
    packed,
    saved,
)


def test_that_other_archives_are_not_taken_for_a_log(tmp_path: Path) -> None:
    path = packed(tmp_path, {"a.json": 1})
    assert holder_of(path) is None
    with pytest.raises(SessionError, match="is a zip archive"):
        open_session(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, 93])
def test_that_a_damaged_archive_is_refused_with_a_sentence(tmp_path: Path, method: int) -> None:
    data = packed(tmp_path, MEMBERS, method).read_bytes()
    path = tmp_path / "log.eval"
    at = data.index(b"samples/task-1_epoch_1.json") + 60
    for piece in (data[:at] + b"\xff" * 40 + data[at + 40 :], data[:at] + data[at + 200 :]):
        path.write_bytes(piece)
        with pytest.raises(SessionError, match=r"\.$"):
            open_session(path, "task-1_epoch_1")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, 93]), st.data())
def test_that_no_damage_to_an_archive_is_an_error(tmp_path: Path, method: int, data: st.DataObject) -> None:
    path = packed(tmp_path, MEMBERS, method)
    path.write_bytes(data.draw(hurt(path.read_bytes())))
    opened(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(mistyped(LOG))
def test_that_no_wrong_type_is_an_error(tmp_path: Path, value: object) -> None:
    opened(saved(tmp_path, value))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(hurt(json.dumps(SAMPLE).encode()))
def test_that_damage_to_one_sample_loses_no_other(tmp_path: Path, data: bytes) -> None:
    good = json.dumps(SHORT).encode()
    path = tmp_path / "samples.jsonl"
    path.write_bytes(good + b"\n" + data.replace(b"\n", b" ") + b"\n" + good)
    session = opened(path)
    assert session is not None
    assert is_held(session, 0, len(good))
    assert is_held(session, path.stat().st_size - len(good), path.stat().st_size)


def test_that_asking_in_between_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_bytes(b"\n".join(json.dumps(value).encode() for value in (HEADER, SAMPLE, SHORT, {"x": 1})))
    check_pieces(path, InspectLog())


def test_that_the_same_words_said_twice_are_two_messages(tmp_path: Path) -> None:
    """A set of what the calls were sent would swallow what is said again after the last of them."""
    again = {"role": "user", "content": "Go on."}
    asked = {"role": "user", "content": "Find it", "source": "input"}

    def said(words: str) -> dict[str, object]:
        return {"role": "assistant", "content": words, "source": "generate"}

    def call(sent: list[object], words: str) -> dict[str, object]:
        output = {"model": "m", "choices": [{"message": said(words)}]}
        return {"event": "model", "model": "m", "input": sent, "tools": [], "output": output}

    messages = [asked, said("apple"), again, said("pear"), again, again]
    events = [call([asked], "apple"), call([asked, said("apple"), again], "pear")]
    one = {"id": 1, "epoch": 1, "input": "Find it", "messages": messages, "events": events}
    path = tmp_path / "log.json"
    path.write_text(
        json.dumps(
            {"version": 2, "status": "success", "eval": {"task": "t", "eval_id": "e", "model": "m"}, "samples": [one]}
        ),
        encoding="utf-8",
    )
    found = open_session(path)
    assert [message.text for message in found.messages] == ["Find it", "apple", "Go on.", "pear", "Go on.", "Go on."]
