"""What an agent writes is shown as it comes: at the end if one stands there, waiting if one looks elsewhere."""

from __future__ import annotations

import shutil
import sqlite3
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from ravenglass import Engine
from ravenglass.replay.stepping.changes import HandChange
from ravenglass.resources import demo_session
from ravenglass_gui.shell.bars.follow_chip import FollowChip
from ravenglass_gui.work.follow.worker import FollowWorker
from ravenglass_gui.work.loading import Loaded
from tests.engine.embed.conversations import Clock, drive
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT
from tests.engine.sessions.formats.opencode.store import Chat, database, fill, words
from tests.engine.traces.logs import start, written
from tests.gui.recorded import KEY, write_log
from tests.gui.stores import append, write_chat_lines
from tests.gui.work.follow.looked_at import Open, as_a_whole, calls, messages

pytestmark = pytest.mark.usefixtures("unstyled")


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write_chat_lines(tmp_path / "chat.jsonl", "cli:1", calls=5)


def test_that_the_playhead_stays_at_the_last_call_while_it_is_there(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    assert window.actions_["follow"].isChecked()
    assert (window.state.calls, window.state.call) == (5, 5)
    append(chat, messages(10, 14))
    calls(qtbot, window, 7)
    assert (window.state.call, window.following.new) == (7, 0)
    assert window.timeline.series is not None
    assert window.timeline.series.calls == 7
    assert window.following.status() == "following, last change 0 s ago"
    as_a_whole(window)


def test_that_a_scrubbed_playhead_stays_and_the_chip_counts_and_leads_to_the_end(
    qtbot: QtBot, opened: Open, chat: Path
) -> None:
    window = opened(chat)
    chip = window.findChild(FollowChip)
    assert isinstance(chip, FollowChip)
    window.state.set_call(2)
    window.state.set_filter("role:user")
    window.state.select(1)
    append(chat, messages(10, 16))
    calls(qtbot, window, 8)
    assert (window.state.call, window.state.selected, window.state.filter) == (2, 1, "role:user")
    assert window.following.new == 3
    assert chip.text() == "3 new"
    qtbot.waitUntil(chip.isVisible)
    chip.click()
    assert (window.state.call, window.following.new) == (8, 0)
    qtbot.waitUntil(lambda: not chip.isVisible())
    append(chat, messages(16, 18))
    calls(qtbot, window, 9)
    assert window.state.call == 9


def test_that_a_file_read_as_a_format_that_was_asked_for_is_followed_as_it(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    path = tmp_path / "log.jsonl"
    turn = b'{"role": "user", "content": "go"}\n{"role": "assistant", "content": "Done."}\n'
    path.write_bytes(turn)
    window = opened(path)
    by_content = window.state.root
    assert by_content is not None
    assert by_content.format == "openai-chat"
    asked = "raven"
    with qtbot.waitSignal(window.bridge.settled, timeout=60_000):
        window.bridge.open([path], asked)
    if not window.actions_["follow"].isChecked():
        window.actions_["follow"].trigger()
    assert window.state.root is not None
    assert (window.state.root.format, window.state.root.forced) == (asked, True)
    before = window.state.calls
    append(path, turn)
    calls(qtbot, window, before + 1)
    assert window.state.root.format == asked


def test_that_a_torn_line_waits(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    whole = messages(10, 12)
    append(chat, whole[:-20])
    qtbot.waitUntil(lambda: window.state.root is not None and len(window.state.root.messages) == 11, timeout=20_000)
    assert window.state.calls == 5
    assert window.state.root is not None
    assert window.state.root.damage == ()
    append(chat, whole[-20:])
    calls(qtbot, window, 6)
    as_a_whole(window)


def test_that_a_slider_keeps_working_and_the_newest_profile_is_followed(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    for number in range(6):
        append(chat, messages(10 + 2 * number, 12 + 2 * number))
        window.state.set_profile(window.state.profile.with_values(trim_target=0.3 + number / 100))
        qtbot.wait(20)
    calls(qtbot, window, 11)
    qtbot.waitUntil(lambda: not window.bridge.busy, timeout=20_000)
    assert window.state.run is not None
    assert window.state.run.profile.trim_target == 0.35
    as_a_whole(window)


def test_that_a_branch_stays_as_it_is_and_the_record_goes_on_behind_it(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    with qtbot.waitSignal(window.bridge.settled, timeout=20_000):
        window.state.add_change(HandChange(2, "pin", 0))
    branch = window.state.run
    append(chat, messages(10, 14))
    qtbot.waitUntil(lambda: window.following.held, timeout=20_000)
    assert window.state.run is branch
    assert window.following.new == 2
    window.following.to_end()
    assert window.state.run is branch
    assert "Ctrl+Z" in window.notice.text
    window.actions_["undo_change"].trigger()
    calls(qtbot, window, 7)
    assert window.state.changes == ()
    as_a_whole(window)


def test_that_a_stepped_conversation_is_not_taken_away(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    path = write_chat_lines(tmp_path / "long.jsonl", "cli:1")
    append(path, messages(2, 120, "word " * 800))
    window = opened(path)
    state = window.state
    assert state.run is not None
    state.set_call(next(n for n, way in enumerate(state.run.paths, 1) if way == "slow"))
    window.actions_["step"].trigger()
    loop, call = state.loop, state.call
    assert loop is not None
    append(path, messages(120, 122))
    calls(qtbot, window, 61)
    assert (state.loop, state.call) == (loop, call)


def test_that_a_file_written_anew_is_read_anew_and_said(qtbot: QtBot, opened: Open, chat: Path, tmp_path: Path) -> None:
    window = opened(chat)
    other = write_chat_lines(tmp_path / "other", "cli:1", calls=2)
    other.replace(chat)  # as editors and rotating writers do: another file takes its name
    calls(qtbot, window, 2)
    assert "written anew" in window.notice.text
    append(chat, messages(4, 6))
    calls(qtbot, window, 3)
    as_a_whole(window)


def test_that_a_file_that_is_gone_leaves_what_was_read_and_is_followed_once_it_is_back(
    qtbot: QtBot, opened: Open, chat: Path
) -> None:
    window = opened(chat)
    kept = chat.read_bytes()
    chat.unlink()
    qtbot.waitUntil(lambda: window.following.status() == "following: chat.jsonl is gone", timeout=20_000)
    assert window.state.calls == 5
    assert "what was read of it stays" in window.notice.text
    chat.write_bytes(kept + messages(10, 12))
    calls(qtbot, window, 6)


def test_that_a_sub_agent_on_screen_is_followed(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    shutil.copytree(demo_session().parent, tmp_path / "demo")
    path = tmp_path / "demo" / demo_session().name
    file = sorted((tmp_path / "demo").rglob("agent-*.jsonl"))[0]
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[: len(lines) // 2]))
    window = opened(path)
    root = window.state.root
    assert root is not None
    child = next(child for child in root.children if child.path == file)
    before = len(child.structure.calls)
    with qtbot.waitSignal(window.bridge.settled, timeout=20_000):
        window.bridge.show_session(child)
    append(file, b"".join(lines[len(lines) // 2 :]))
    qtbot.waitUntil(lambda: window.state.calls > before, timeout=20_000)
    assert window.state.session is not child
    assert window.state.root is not root
    assert window.state.session in (window.state.root.children if window.state.root is not None else ())
    assert window.state.call == window.state.calls


def test_that_a_session_of_a_database_is_followed_by_what_its_writer_logs(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    talk = Chat().user(words("fix the login")).assistant(words("done"))
    path = database(tmp_path / "opencode.db", talk, Chat("ses_2").user(words("another")))
    window = opened(path.with_name("opencode.db#ses_1"))
    assert window.state.calls == 1
    more = Chat("ses_1").user(words("x")).assistant(words("y")).user(words("and now")).assistant(words("went on"))
    added = more.messages[2:]
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM session WHERE id = 'ses_1'")
        chat = Chat("ses_1")
        chat.messages = added
        fill(connection, chat)
    connection.close()
    calls(qtbot, window, 2)
    assert window.state.root is not None
    assert window.state.root.key == "ses_1"


def test_that_a_running_engine_is_followed_with_its_trace(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    with Engine(TIGHT, tmp_path, session_key=KEY, clock=Clock()) as engine:
        drive(engine, long_chat(6))
        window = opened(tmp_path)
        before, log = window.state.calls, window.state.log
        assert log is not None
        drive(engine, long_chat(5))
        qtbot.waitUntil(lambda: window.state.calls > before, timeout=20_000)
        qtbot.waitUntil(lambda: window.state.log is not None and window.state.log.calls > log.calls, timeout=20_000)
        assert window.state.call == window.state.calls


def test_that_a_trace_log_by_itself_is_followed(qtbot: QtBot, opened: Open, tmp_path: Path) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    assert (window.state.session, window.state.calls) == (None, 3)
    written(tmp_path / "cli_1" / "0003.jsonl", start(7, history_tokens=100))
    calls(qtbot, window, 4)
    assert window.state.call == 4


def test_that_new_calls_of_a_trace_log_are_counted_while_an_earlier_one_is_looked_at(
    qtbot: QtBot, opened: Open, tmp_path: Path
) -> None:
    window = opened(write_log(tmp_path / "cli_1"))
    window.state.set_call(1)
    written(tmp_path / "cli_1" / "0003.jsonl", start(7, history_tokens=100))
    calls(qtbot, window, 4)
    assert (window.state.call, window.following.new) == (1, 1)
    window.following.to_end()
    assert (window.state.call, window.following.new) == (4, 0)


def test_that_turning_it_off_ends_it(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    window.actions_["follow"].trigger()
    assert not window.actions_["follow"].isChecked()
    append(chat, messages(10, 12))
    with qtbot.assertNotEmitted(window.state.grown, wait=400):
        pass
    assert (window.state.calls, window.following.status()) == (5, "")


def test_that_what_is_opened_next_is_followed_in_its_place(
    qtbot: QtBot, opened: Open, chat: Path, tmp_path: Path
) -> None:
    window = opened(chat)
    other = write_chat_lines(tmp_path / "other.jsonl", "cli:2", calls=1)
    with qtbot.waitSignal(window.bridge.opened, timeout=20_000):
        window.bridge.open([other])
    calls(qtbot, window, 1)
    append(chat, messages(10, 12))
    append(other, messages(2, 4))
    calls(qtbot, window, 2)
    assert window.state.root is not None
    assert window.state.root.path == other


def test_that_a_file_that_is_no_session_any_more_is_said_and_tried_again(
    qtbot: QtBot, opened: Open, chat: Path
) -> None:
    window = opened(chat)
    kept = chat.read_bytes()
    chat.write_bytes(b"\x00" * 10)
    qtbot.waitUntil(lambda: "could not be read" in window.following.status(), timeout=20_000)
    assert window.state.calls == 5
    assert "What was read before stays" in window.notice.text
    chat.write_bytes(kept + messages(10, 12))
    calls(qtbot, window, 6)


def test_that_a_defect_does_not_end_following(
    qtbot: QtBot, opened: Open, chat: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = opened(chat)
    told, failed = FollowWorker._tell, [True]

    def tell(worker: FollowWorker, place: Path) -> None:
        if failed.pop() if failed else False:
            raise KeyError("a defect")
        told(worker, place)

    monkeypatch.setattr(FollowWorker, "_tell", tell)
    qtbot.waitUntil(lambda: not failed, timeout=20_000)
    append(chat, messages(10, 12))
    calls(qtbot, window, 6)


def test_that_what_was_read_of_the_file_before_is_not_shown(
    qtbot: QtBot, opened: Open, chat: Path, tmp_path: Path
) -> None:
    window = opened(chat)
    late = Loaded(window.state.root)
    other = write_chat_lines(tmp_path / "other.jsonl", "cli:2", calls=1)
    with qtbot.waitSignal(window.bridge.opened, timeout=20_000):
        window.bridge.open([other])
    said: list[str] = []
    window.state.message_posted.connect(lambda _, sentence: said.append(sentence))
    following = window.following
    following._worker.looked.emit(following._ticket - 1, late, "gone")
    assert not said


def test_that_the_calls_of_what_is_being_replayed_are_not_new(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    shown = window.state.session
    window.state.set_session(None)
    window.bridge.show_session(shown)  # type: ignore[arg-type]
    assert (window.state.run, window.following.new) == (None, 0)
    with qtbot.waitSignal(window.state.run_changed, timeout=20_000):
        pass
    assert window.following.new == 0


def test_that_what_waits_is_not_shown_once_following_was_turned_off(qtbot: QtBot, opened: Open, chat: Path) -> None:
    window = opened(chat)
    window.state.add_change(HandChange(3, "pin", 1))
    append(chat, messages(10, 12))
    qtbot.waitUntil(lambda: window.bridge.later is not None, timeout=20_000)
    window.actions_["follow"].trigger()
    assert window.bridge.later is None
    with qtbot.assertNotEmitted(window.bridge.grew, wait=100):
        window.state.undo_change()
    assert window.state.calls == 5
