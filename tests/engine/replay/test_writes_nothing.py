"""A what-if replay leaves the disk as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from ravenglass.replay import HandChange, branch, replay
from ravenglass.sessions import open_session
from tests.engine.builders import assistant, call, filler, result, session, user, written
from tests.engine.scheduler.views import plain


def files(*roots: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.read_bytes())
        for root in roots
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.rule("7.15")
def test_that_a_replay_that_archives_and_retrieves_writes_nothing(
    tmp_path: Path, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    work = [m for n in range(20) for m in (assistant("", call("Bash", command="x")), result(f"{n} {filler(300)}"))]
    path = written(session(user("go"), *work, assistant("end")), tmp_path / "s.jsonl")
    before = files(tmp_path, data_folder)
    opened = open_session(path)
    run = replay(opened, plain(1_500, archive_below=1.0), [HandChange(9, "retrieve", 1)])
    made = branch(run, 12, run.profile.with_values(trim_target=0.4))
    for one in (run, made):
        assert one.archive()
        for entry in one.archive():
            assert one.retrieve(entry.ref, max_tokens=0).raw == tuple(opened.raw(m) for m in entry.messages)
        for number in range(1, one.calls + 1):
            one.loop(number).run()
            one.window(number), one.registry(number)
    assert files(tmp_path, data_folder) == before
