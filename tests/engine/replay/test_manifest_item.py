"""A manifest item as files and curators have it."""

from __future__ import annotations

import pytest

from ravenglass.hub.item import State
from ravenglass.replay import HandChange, replay
from ravenglass.replay.answers.manifest import manifest_item
from tests.engine.builders import assistant, call, result, session, user
from tests.engine.scheduler.views import plain


@pytest.mark.rule("6.22")
def test_that_a_manifest_item_has_every_field_of_the_design() -> None:
    built = session(user("Fix src/auth.py"), assistant("", call("Bash", command="ls")), result("a.py"), assistant("ok"))
    run = replay(built, plain(100_000), [HandChange(2, "pin", 0)])
    row = run.row(2, 2)
    item = manifest_item(row)
    assert item == {
        "id": 2, "role": "tool", "ts": built.messages[2].ts, "tokens": row.tokens, "turn_id": 0, "call": 2,
        "group_id": row.group, "snippet": "a.py", "summary": "a.py", "keywords": ["a.py"], "relevance": 0.0,
        "protected": False, "pinned": False, "archived": False, "archive_ref": None,
        "address": "cxt://tool/Bash/call_1/output", "tier": "task", "state": State.ACTIVE.label,
        "score": round(0.6 * 0 + 0.3 * 1 + 0.1 * 0.8, 4), "recency": 1.0, "reliability": 0.8,
    }  # fmt: skip
    assert manifest_item(run.row(2, 0))["pinned"] is True
    assert row.tokens == run.inputs.sizes.full[2] > 0
