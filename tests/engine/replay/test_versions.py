"""Versions of a file in the registry: the older one has expired, the newer one stands beside it."""

from __future__ import annotations

import pytest

from ravenglass.hub.files.content import fingerprint
from ravenglass.hub.item import State
from ravenglass.replay import replay
from tests.engine.builders import assistant, call, result, session, user


@pytest.mark.rule("4.32", "4.35")
def test_that_the_newer_version_is_registered_beside_the_expired_one() -> None:
    def read(text: str) -> tuple[object, ...]:
        return assistant("", call("Read", file_path="src/a.py")), result(text)

    edit = (assistant("", call("Edit", file_path="src/a.py", old_string="1", new_string="2")), result("ok"))
    run = replay(session(user("go"), *read("x = 1"), *edit, *read("x = 2"), assistant("Done.")))  # type: ignore[arg-type]
    versions = [e for e in run.registry(4) if e.namespace == "repo"]
    assert [(e.message, e.state, e.fingerprint) for e in versions] == [
        (2, State.EXPIRED, fingerprint("x = 1")),
        (6, State.ACTIVE, fingerprint("x = 2")),
        (4, State.EXPIRED, fingerprint("x = 2")),  # the file as the edit left it, read again since
    ]
    assert len({e.context_id for e in versions}) == 2
    assert {e.context_id.split("@")[0] for e in versions} == {"cxt://project/shop/file/src/a.py"}
    registered = [e for e in run.events(4) if e.event == "item_registered"]
    assert [e.messages for e in registered] == [(5, 6)]
