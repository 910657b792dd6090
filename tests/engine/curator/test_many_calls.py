"""An exchange of very many calls at once stays in the window, shrunk."""

from __future__ import annotations

from ravenglass.curator.dialects import check, request
from ravenglass.profile import Profile
from ravenglass.replay import replay
from tests.engine.builders import assistant, call, result, session, user

CALLS = 2_000


def test_that_the_newest_exchange_stays_when_it_has_thousands_of_calls() -> None:
    calls = [call("Read", call_id=f"c{n}", file_path=f"src/module_{n}.py") for n in range(CALLS)]
    results = [result(f"{n} " + "some words of a result that is not short " * 40, to=f"c{n}") for n in range(CALLS)]
    run = replay(
        session(user("read it all"), assistant("", *calls), *results, assistant("done")), Profile(window=64_000)
    )
    window = run.window(2)
    assert not window.impossible
    assert run.warnings == ()
    assert window.tokens == run.window_tokens[1] <= run.budget.available
    assert len(window.messages) >= CALLS + 2
    assert check("openai-chat", request("openai-chat", window.messages)) == []
