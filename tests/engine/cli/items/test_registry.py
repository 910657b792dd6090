"""`ravenglass registry` and `ravenglass resolve`: the registry, and what an address stands for."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest

from ravenglass.hub.registry.entry import RegistryEntry
from ravenglass.presets import load
from ravenglass.replay import SimulatedRun, replay
from ravenglass.replay.living import Living
from ravenglass.resources import demo_session
from ravenglass.sessions import open_session
from tests.acceptance.run_cli import run

PROFILE = ("--profile", "tight-32k")


@pytest.fixture(scope="module")
def demo() -> SimulatedRun:
    return replay(open_session(demo_session()), load("tight-32k"))


def listed(*more: str) -> dict[str, Any]:
    outcome = run("registry", demo_session(), *PROFILE, "--json", *more)
    assert outcome.code == 0, outcome.said
    read: dict[str, Any] = json.loads(outcome.printed)
    return read


def test_that_json_has_every_field_of_every_entry(demo: SimulatedRun) -> None:
    told = listed()
    names = {f.name for f in fields(RegistryEntry)} | {"alive", "why"}
    assert {frozenset(entry) for entry in told["entries"]} == {frozenset(names)}
    expected = [(e.context_id, e.state.label, e.tokens, e.priority) for e in demo.registry(demo.calls)]
    assert [(e["context_id"], e["state"], e["tokens"], e["priority"]) for e in told["entries"]] == expected


def test_that_a_call_and_a_filter_narrow_the_list(demo: SimulatedRun) -> None:
    told = listed("--call", "20", "--filter", "tier:task state:active")
    assert told["call"] == 20
    assert told["known"] == len(demo.registry(20))
    assert told["entries"]
    assert {(e["tier"], e["state"]) for e in told["entries"]} == {("task", "active")}


def test_that_what_is_alive_is_exactly_what_is_neither_expired_nor_archived_nor_unsent(demo: SimulatedRun) -> None:
    never = demo.session.structure.never_sent
    for call in (1, demo.calls // 2, demo.calls):
        living = Living(demo, call)
        for entry in demo.registry(call):
            dead = entry.state.label in ("expired", "archived") or entry.message in never
            assert living.of(entry).alive is not dead, entry


def test_that_why_says_where_an_archived_entry_went(demo: SimulatedRun) -> None:
    last = demo.calls
    archived = [entry for entry in demo.registry(last) if entry.state.label == "archived"]
    assert archived
    calls = {message: entry.call for entry in demo.archive(last) for message in entry.messages}
    living = Living(demo, last)
    for entry in archived:
        assert living.of(entry).why.startswith(f"archived at call {calls[entry.message]:,} by ")


def test_that_text_lists_the_address_its_fields_and_whether_it_is_alive(demo: SimulatedRun) -> None:
    outcome = run("registry", demo_session(), *PROFILE, "--call", "5")
    first = demo.registry(5).entries[0]
    lines = outcome.printed.split("\n")
    assert lines[0].startswith(f"Call 5 of {demo.calls:,}, simulated: ")
    assert lines[1] == first.context_id
    assert f"tier {first.tier}" in lines[2]
    assert f"fingerprint {first.fingerprint[:12]}" in lines[2]
    assert lines[3].strip().startswith("alive: ")


def test_that_a_filter_with_an_unknown_field_is_a_sentence() -> None:
    outcome = run("registry", demo_session(), "--filter", "colour:red")
    assert outcome.code == 1
    assert "'colour' is no field of the registry" in outcome.said


def test_that_a_call_that_is_not_there_is_a_sentence(demo: SimulatedRun) -> None:
    outcome = run("registry", demo_session(), "--call", "100000")
    assert (outcome.code, outcome.printed) == (1, "")
    assert f"the session has calls 1 to {demo.calls:,}" in outcome.said


def test_that_the_recorded_run_has_a_registry_too() -> None:
    outcome = run("registry", demo_session(), "--recorded", "--json")
    told = json.loads(outcome.printed)
    assert told["run"] == "recorded"
    assert {entry["state"] for entry in told["entries"]} <= {"registered", "active", "standby", "expired", "archived"}


@pytest.mark.proof
def test_that_every_listed_address_is_resolved_to_its_message(demo: SimulatedRun) -> None:
    entries = demo.registry(demo.calls).entries
    for entry in (entries[0], entries[len(entries) // 2], entries[-1]):
        outcome = run("resolve", demo_session(), entry.context_id, *PROFILE, "--json")
        assert outcome.code == 0, outcome.said
        told = json.loads(outcome.printed)
        expected = demo.resolve(entry.context_id)
        assert (told["text"], told["message"], told["state"]) == (
            expected.text, expected.message, expected.state.label,
        )  # fmt: skip


def test_that_resolving_prints_message_state_and_text(demo: SimulatedRun) -> None:
    address = demo.registry(demo.calls).entries[0].context_id
    outcome = run("resolve", demo_session(), address, *PROFILE)
    found = demo.resolve(address)
    assert outcome.printed.startswith(f"{address}\nmessage #{found.message} · {found.state.label} at call {demo.calls}")
    assert found.text.split("\n")[0] in outcome.printed


@pytest.mark.parametrize("address", ["cxt://", "http://example.org/a", "cxt://session/other/msg/3"])
def test_that_an_address_that_stands_for_nothing_is_a_sentence(address: str) -> None:
    outcome = run("resolve", demo_session(), address)
    assert (outcome.code, outcome.printed) == (1, "")
    assert outcome.said.endswith(".\n")
