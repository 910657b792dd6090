"""The example in `examples/`: an agent of 300 calls whose model has a window of 16,000 tokens."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ravenglass import Engine, Profile, open_session, replay
from ravenglass.cli.commands import application
from ravenglass.curator.dialects import check
from ravenglass.embed.files.layout import session_file
from ravenglass.embed.keeper import SESSION_CLOSED
from ravenglass.replay import SimulatedRun
from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from ravenglass.store.layout import CURATOR
from ravenglass.traces import open_trace
from tests.proofs import PROOFS

openai = pytest.importorskip("openai", reason="the example needs the optional extra ravenglass[model]")

CALLS = 300 if PROOFS else 100
"""All of them in the proofs."""
KEY = "agent:example"


@dataclass(frozen=True)
class Outcome:
    """What the example left. `brought`: message -> what the running engine brought back for it."""

    profile: Profile
    constraint: str
    server: Any
    run: SimulatedRun
    workspace: Path
    brought: dict[int, tuple[bytes, ...]]

    @property
    def session_file(self) -> Path:
        return session_file(self.workspace, KEY)


@pytest.fixture(scope="module")
def outcome(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """Runs the example's loop once for all tests here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(root / "examples"))
        loop, model, shop = (importlib.import_module(name) for name in ("agent_loop", "scripted_model", "shop"))
    workspace = tmp_path_factory.mktemp("workspace")
    project = shop.make_shop(tmp_path_factory.mktemp("shop"))
    with (
        model.serving(loop.PROFILE.window) as server,
        openai.OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
        Engine(loop.PROFILE, workspace, session_key=KEY, tools=loop.TOOLS) as engine,
    ):
        loop.run_agent(client, engine, loop.Tools(project, engine), iter(shop.REQUESTS * CALLS), CALLS)
        run = engine.run()
        every = range(len(run.session.messages))
        brought = {m: engine.retrieve(engine.ref(m), max_tokens=0).raw for m in every}
    return Outcome(loop.PROFILE, shop.CONSTRAINT, server, run, workspace, brought)


def test_that_the_loop_ran_and_was_under_pressure(outcome: Outcome) -> None:
    assert outcome.run.calls == len(outcome.server.bodies) == CALLS
    found = outcome.run.metrics
    assert found.slow > CALLS // 10
    assert found.evictions > CALLS
    assert found.archived > CALLS // 3
    assert found.fail_safe == 0


def test_that_no_window_was_over_budget(outcome: Outcome) -> None:
    budget = outcome.run.budget
    assert (outcome.run.metrics.over_budget, outcome.run.metrics.impossible) == (0, 0)
    # The server counts for itself, tool definitions included, and leaves the answer its room.
    assert max(outcome.server.tokens) <= budget.window - budget.output_reserve


def test_that_no_request_was_structurally_invalid(outcome: Outcome) -> None:
    assert outcome.server.refusals == []
    for body in outcome.server.bodies:
        assert check("openai-chat", body) == []


def test_that_every_message_comes_back_byte_for_byte(outcome: Outcome) -> None:
    session, run = outcome.run.session, outcome.run
    left = [m for m in range(len(session.messages)) if any(not run.in_window(c, m) for c in _calls_after(run, m))]
    assert len(left) > CALLS
    for m in left:
        group = session.structure.groups[session.structure.group_of[m]]
        assert outcome.brought[m] == tuple(session.raw(other) for other in group.messages)


def _calls_after(run: SimulatedRun, message: int) -> range:
    group = run.session.structure.groups[run.session.structure.group_of[message]]
    return range(group.call, run.calls + 1)


def test_that_every_archived_message_stands_in_the_archive_on_disk(outcome: Outcome) -> None:
    session = open_session(outcome.session_file)
    archived = {m for entry in outcome.run.archive() for m in entry.messages}
    found: dict[int, bytes] = {}
    with ArchiveStore(outcome.workspace / CURATOR, writable=False) as store:
        for entry in store.entries():
            assert entry.session_key == KEY
            if entry.reason == SESSION_CLOSED:
                continue
            found |= {r.id: r.raw for r in store.records(entry.ref) if isinstance(r, StoredRecord) and r.proved}
    assert found == {m: session.raw(m) for m in archived}


def test_that_the_working_state_carries_the_first_constraint_to_the_last_call(outcome: Outcome) -> None:
    last = outcome.server.bodies[-1]["messages"]
    states = [m["content"] for m in last if m["role"] == "system" and "# Curator Working State" in m["content"]]
    assert len(states) == 1
    assert outcome.constraint in states[0]
    document = json.loads((outcome.workspace / CURATOR / "working_state" / "agent_example.json").read_bytes())
    assert outcome.constraint in document["decisions"]


def test_that_a_replay_of_the_session_it_left_gives_the_requests_that_were_sent(outcome: Outcome) -> None:
    run = replay(open_session(outcome.session_file), outcome.profile)
    assert run.calls == CALLS
    assert run.metrics == outcome.run.metrics
    for call, body in enumerate(outcome.server.bodies, start=1):
        sent = [message.get("content") or "" for message in body["messages"]]
        assert sent == [message.text for message in run.window(call).messages]


def test_that_the_traces_it_left_hold_every_call(outcome: Outcome) -> None:
    log = open_trace(outcome.workspace / CURATOR / "traces" / "agent_example")
    calls = [call for turn in log.turns for call in turn.calls]
    assert len(calls) == CALLS
    kept = [[r for r in call.records if r.payload.get("reason") != SESSION_CLOSED] for call in calls]
    assert all(records[-1].event == "main_agent_result" for records in kept)
    assert not any(turn.damage for turn in log.turns)


def test_that_the_command_line_reads_what_it_left(outcome: Outcome) -> None:
    result = CliRunner().invoke(application(), ["replay", str(outcome.session_file), "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["metrics"]["calls"] == CALLS
