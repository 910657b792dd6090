"""The engine for agents that run in an event loop."""

from __future__ import annotations

import asyncio
import inspect
import threading
from pathlib import Path

import pytest

from ravenglass import AsyncEngine, Engine
from ravenglass.embed.files.layout import session_file
from ravenglass.errors import StoreError
from tests.engine.embed.conversations import Clock, drive, lines, said
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import KEY, TIGHT


def test_that_awaiting_gives_what_calling_gives(tmp_path: Path) -> None:
    async def agent() -> list[object]:
        async with AsyncEngine(TIGHT, tmp_path / "a", session_key=KEY, clock=Clock()) as engine:
            bodies: list[object] = []
            for message in long_chat(20):
                if message["role"] == "assistant":
                    await engine.decide()
                    bodies.append(await engine.window())
                    await engine.record_response(message)
                else:
                    await engine.observe(message)
            await engine.pin(2)
            await engine.unpin(2)
            assert (await engine.frame()).call == 22
            assert (await engine.run()).calls == 21
            assert await engine.search("file 3")
            assert (await engine.retrieve(await engine.ref(2))).raw
            assert list(await engine.request("gemini"))
            return bodies

    bodies = asyncio.run(agent())
    with Engine(TIGHT, tmp_path / "b", session_key=KEY, clock=Clock()) as plain:
        assert bodies == drive(plain, long_chat(20)).bodies
    assert session_file(tmp_path / "a", KEY).read_bytes() == session_file(tmp_path / "b", KEY).read_bytes()


def test_that_every_method_is_there_and_documented_with_the_same_parameters() -> None:
    names = [name for name, value in vars(Engine).items() if inspect.isfunction(value) and not name.startswith("_")]
    assert len(names) >= 12
    for name in names:
        ours, theirs = getattr(AsyncEngine, name), getattr(Engine, name)
        assert inspect.iscoroutinefunction(ours)
        assert list(inspect.signature(ours).parameters) == list(inspect.signature(theirs).parameters)
        assert ours.__doc__ == f"See `Engine.{name}`."


def test_that_the_event_loop_goes_on_while_a_window_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    inside, go_on = threading.Event(), threading.Event()
    window = Engine.window

    def slow(engine: Engine) -> object:
        inside.set()
        assert go_on.wait(10)
        return window(engine)

    async def agent() -> None:
        monkeypatch.setattr(Engine, "window", slow)
        async with AsyncEngine() as engine:
            await engine.observe(said("user", "x"))
            asked = asyncio.create_task(engine.window())
            while not inside.is_set():
                await asyncio.sleep(0)
            assert not asked.done()
            go_on.set()
            assert await asked == [said("user", "x")]

    asyncio.run(agent())


def test_that_messages_of_several_tasks_are_all_kept(tmp_path: Path) -> None:
    async def agent() -> None:
        async with AsyncEngine(workspace=tmp_path, session_key=KEY) as engine:
            given = [engine.observe(said("user", str(n))) for n in range(40)]
            assert sorted(await asyncio.gather(*given)) == list(range(40))

    asyncio.run(agent())
    assert {line["content"] for line in lines(session_file(tmp_path, KEY))[1:]} == {str(n) for n in range(40)}


def test_that_closing_says_what_could_not_be_written(tmp_path: Path) -> None:
    async def agent() -> None:
        async with AsyncEngine(workspace=tmp_path, session_key=KEY) as engine:
            await engine.observe(said("user", "x"))
            (tmp_path / "memory" / ".curator" / "traces").write_text("in the way")
            await engine.window()

    with pytest.raises(StoreError, match="traces"):
        asyncio.run(agent())
