"""The engine inside a running agent: feed it messages, get the window back before each model call.

with Engine(profile, workspace) as engine:
    engine.observe({"role": "user", "content": "..."})
    messages = engine.window()
    engine.record_response(answer)
"""

from ravenglass.embed.asynchronous import AsyncEngine
from ravenglass.embed.engine import Engine

__all__ = ["AsyncEngine", "Engine"]
