"""A running engine at every call against one that is given everything at once."""

from __future__ import annotations

import pytest
from hypothesis import given

from ravenglass import Engine, Profile
from tests.engine.builders import profiles
from tests.engine.embed.conversations import MOMENT, Chat, conversations
from tests.engine.embed.test_replay import same, short


@pytest.mark.rule("5.15", "5.16")
@short
@given(conversations(), profiles())
def test_that_an_engine_decides_every_call_as_one_that_is_given_everything_at_once(
    messages: list[Chat], profile: Profile
) -> None:
    running = Engine(profile, session_key="a:b", clock=lambda: MOMENT)
    for count, message in enumerate(messages):
        if message["role"] != "assistant":
            running.observe(message)
            continue
        if count:
            at_once = Engine(profile, session_key="a:b", clock=lambda: MOMENT)
            for earlier in messages[:count]:
                at_once.observe(earlier)
            assert running.decide() == at_once.decide()
            assert running.frame() == at_once.frame()
            assert running.window() == at_once.window() == running.window()
            same(running.run(), at_once.run())
        running.record_response(message)
