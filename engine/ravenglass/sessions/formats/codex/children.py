"""Hangs the sub-agents of a Codex session under the calls that started them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from pathlib import Path

from ravenglass.errors import SessionError
from ravenglass.sessions.formats.codex.assembly import Rollout
from ravenglass.sessions.formats.codex.siblings import Sibling, Siblings
from ravenglass.sessions.model.session import Session

ReadFile = Callable[[Path, AbstractSet[str]], tuple[Session, Rollout]]
"""Reads a rollout without its sub-agents; the turns are those of the session that started it."""

_SPAWN = "spawn_agent"


@dataclass(slots=True)
class RolloutChildren:
    """The sub-agents of one file. A rollout that did not change is not read again."""

    siblings: Siblings
    read_file: ReadFile
    warnings: list[str] = field(default_factory=list)
    _read: dict[Path, tuple[tuple[int, int], Session, Rollout]] = field(default_factory=dict)

    def of(self, session: Session, rollout: Rollout) -> tuple[Session, ...]:
        """The session's sub-agents, with theirs as their children."""
        self.warnings = []
        thread = rollout.meta.id if rollout.meta is not None else None
        if thread is None:
            return ()
        return tuple(self._under(thread, session, rollout, self.siblings.by_parent(), {thread}))

    def _under(
        self, thread: str, session: Session, rollout: Rollout, all_: dict[str, list[Sibling]], above: set[str]
    ) -> Iterator[Session]:
        for sibling in all_.get(thread, ()):
            name = sibling.meta.id
            if name is None or name in above:
                continue  # files may claim each other
            try:
                child, inner = self._file(sibling.path, rollout.turns)
            except (SessionError, OSError) as error:
                self.warnings.append(f"The sub-agent file {sibling.path.name} was left out: {error}")
                continue
            yield replace(
                child,
                parent_call_id=_call(sibling, session, rollout),
                children=(*child.children, *self._under(name, child, inner, all_, above | {name})),
            )

    def _file(self, path: Path, turns: set[str]) -> tuple[Session, Rollout]:
        state = path.stat()
        stamp = (state.st_size, state.st_mtime_ns)
        known = self._read.get(path)
        if known is None or known[0] != stamp:
            session, rollout = self.read_file(path, frozenset(turns))
            known = self._read[path] = (stamp, session, rollout)
        return known[1], known[2]


def _call(sibling: Sibling, session: Session, rollout: Rollout) -> str | None:
    """The call that started the sub-agent: as an event says, else the spawn call whose result names it."""
    name = sibling.meta.id or ""
    if name in rollout.spawned:
        return rollout.spawned[name]
    spawns = {call.id for message in session.messages for call in message.tool_calls if call.name.endswith(_SPAWN)}
    for message in session.messages:
        if message.role == "tool" and message.tool_call_id in spawns:
            words = message.text
            if any(known and f'"{known}"' in words for known in (name, sibling.meta.path)):
                return message.tool_call_id
    return None
