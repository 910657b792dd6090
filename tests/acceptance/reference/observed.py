"""What the program says of one file under one profile: its command line's files, and the manifest of its `Run`."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ravenglass.cli.main import main
from ravenglass.presets import load
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.sessions.model.session import Session

Json = dict[str, Any]


def command(*arguments: str | Path) -> str:
    """What `ravenglass ARGUMENTS` prints. Raises RuntimeError where it fails."""
    printed, said = io.StringIO(), io.StringIO()
    with redirect_stdout(printed), redirect_stderr(said):
        code = main([str(a) for a in arguments])
    if code:
        raise RuntimeError(f"exit code {code}: {said.getvalue()}")
    return printed.getvalue()


@dataclass
class Observed:
    """One run. `folder` is what `--save` wrote."""

    path: Path
    profile: Profile
    session: Session
    folder: Path
    report: Json
    windows: list[Json]
    events: list[list[Json]] = field(default_factory=list)
    """By call, the events of the saved trace."""

    @cached_property
    def run(self) -> Any:
        """The program's `Run`, for what no file has: the manifest at every call."""
        return replay(self.session, self.profile)

    @cached_property
    def lives(self) -> list[list[tuple[str, str]]]:
        """By message, (state, form) after every call; call n stands at n - 1, ("", "") where it is not known yet."""
        calls = len(self.windows)
        found = []
        for m in range(len(self.session.messages)):
            life = [("", "")] * calls
            for span in self.run.life(m):
                for call in range(span.first, span.last + 1):
                    life[call - 1] = (span.state.name.lower(), span.form.name.lower())
            found.append(life)
        return found


def observe(path: Path, profile_source: str | Path, session: Session, folder: Path) -> Observed:
    """Replay with the command line, save, read what was saved."""
    report = json.loads(
        command("replay", path, "--profile", str(profile_source), "--save", folder, "--force", "--json")
    )
    windows = [json.loads(line) for line in (folder / "windows.jsonl").read_bytes().split(b"\n") if line]
    made = Observed(path, load(profile_source), session, folder, report, windows)
    for trace in sorted(folder.glob("traces/*/*.jsonl")):
        for line in trace.read_bytes().split(b"\n"):
            if line:
                event = json.loads(line)
                if event["event"] == "curator_start":
                    made.events.append([])
                made.events[-1].append(event)
    return made
