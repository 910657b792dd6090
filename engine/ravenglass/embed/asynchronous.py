"""`AsyncEngine`: the same engine for agents that run in an event loop. The work is done in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.dialects import Dialect
from ravenglass.curator.loop import Policy
from ravenglass.curator.working_state.edits import ListName
from ravenglass.embed.engine import Engine
from ravenglass.embed.given import Given
from ravenglass.profile import Profile
from ravenglass.replay.frame import Frame, Retrieved, Window
from ravenglass.replay.run import SimulatedRun
from ravenglass.store.search.index import Hit
from ravenglass.trace import Json


class AsyncEngine:
    """An `Engine` whose methods are awaited; `engine` is that one, for everything that does no work."""

    def __init__(
        self,
        profile: Profile | None = None,
        workspace: Path | str | None = None,
        *,
        session_key: str | None = None,
        tools: Sequence[Mapping[str, object]] | None = None,
        policy: Policy | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        """As `Engine`; opening the workspace is done at once."""
        more = {} if clock is None else {"clock": clock}
        self.engine = Engine(profile, workspace, session_key=session_key, tools=tools, policy=policy, **more)

    async def observe(self, message: Given) -> int:
        """See `Engine.observe`."""
        return await asyncio.to_thread(self.engine.observe, message)

    async def decide(self) -> Window:
        """See `Engine.decide`."""
        return await asyncio.to_thread(self.engine.decide)

    async def compact(self, target: float | None = None) -> Window:
        """See `Engine.compact`."""
        return await asyncio.to_thread(self.engine.compact, target)

    async def window(self) -> list[Json]:
        """See `Engine.window`."""
        return await asyncio.to_thread(self.engine.window)

    async def request(self, dialect: Dialect = "openai-chat") -> Json:
        """See `Engine.request`."""
        return await asyncio.to_thread(self.engine.request, dialect)

    async def record_response(self, message: Given, usage: Given | None = None) -> int:
        """See `Engine.record_response`."""
        return await asyncio.to_thread(self.engine.record_response, message, usage)

    async def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """See `Engine.retrieve`."""
        return await asyncio.to_thread(self.engine.retrieve, ref, mode, max_tokens)

    async def search(self, query: str, limit: int = 20) -> tuple[Hit, ...]:
        """See `Engine.search`."""
        return await asyncio.to_thread(self.engine.search, query, limit)

    async def ref(self, message: int) -> str:
        """See `Engine.ref`."""
        return await asyncio.to_thread(self.engine.ref, message)

    async def pin(self, message: int) -> None:
        """See `Engine.pin`."""
        await asyncio.to_thread(self.engine.pin, message)

    async def unpin(self, message: int) -> None:
        """See `Engine.unpin`."""
        await asyncio.to_thread(self.engine.unpin, message)

    async def note(self, text: str, into: ListName = "decisions") -> None:
        """See `Engine.note`."""
        await asyncio.to_thread(self.engine.note, text, into)

    async def messages(self) -> list[Json]:
        """See `Engine.messages`."""
        return await asyncio.to_thread(self.engine.messages)

    async def open_calls(self) -> list[Json]:
        """See `Engine.open_calls`."""
        return await asyncio.to_thread(self.engine.open_calls)

    async def frame(self) -> Frame:
        """See `Engine.frame`."""
        return await asyncio.to_thread(self.engine.frame)

    async def run(self) -> SimulatedRun:
        """See `Engine.run`."""
        return await asyncio.to_thread(self.engine.run)

    async def close(self) -> None:
        """See `Engine.close`."""
        await asyncio.to_thread(self.engine.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.engine.__exit__, kind, error, trace)
