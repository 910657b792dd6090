"""A small share of `make fuzz`, and that it finds what it is there to find."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ravenglass.sessions import open_session
from ravenglass.sessions.catalogue.registry import holders, importers
from ravenglass.sessions.formats.chat.raven import _Reading
from ravenglass.sessions.records.reader import Record
from tests.fuzz.campaign import Origin, tried
from tests.fuzz.corpus import own_seeds
from tests.fuzz.mutate_stores import mutated
from tests.fuzz.records import elements, whole_lines
from tests.fuzz.seeds import Seed
from tests.proofs import examples

SEEDS = own_seeds()
SHARE = examples(14)
"""Mutations of each seed; `make fuzz` runs far more."""
SEED = 7


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: seed.name)
def test_that_damage_loses_no_other_record_and_is_told_in_sentences(seed: Seed) -> None:
    origin = Origin(seed)
    assert [fault for number in range(SHARE) for fault in tried(origin, number, SEED).faults] == []


def test_that_every_format_has_a_seed_that_it_reads_without_damage(tmp_path: Path) -> None:
    formats = set()
    for seed in SEEDS:
        session = open_session(seed.write(tmp_path / seed.name))
        assert session.messages, seed.name
        assert session.damage == (), seed.name
        formats.add(session.format)
    assert formats == {item.name for item in importers()} | {item.name for item in holders()}


def test_that_everything_of_a_seed_is_held_before_it_is_damaged() -> None:
    for seed in SEEDS:
        if seed.shape == "lines":
            held = Origin(seed).held[seed.opened]
            data = seed.files[seed.opened]
            assert held == {data[start:stop].decode() for start, stop in whole_lines(data)}, seed.name
        elif seed.name != "inspect-archive-93":
            assert any(Origin(seed).held.values()), seed.name


def test_that_a_mutation_can_be_made_again_from_its_number() -> None:
    for seed in SEEDS:
        assert mutated(seed, Random("0:x:5")).files == mutated(seed, Random("0:x:5")).files


def test_that_an_importer_that_loses_records_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    take = _Reading.take

    def forgetful(self: _Reading, record: Record) -> None:
        if b"a.py" not in self.records.opened.source.read(record.span):
            take(self, record)

    origin = Origin(next(seed for seed in SEEDS if seed.name == "raven"))
    assert origin.held  # what is held is learnt while the importer is whole
    monkeypatch.setattr(_Reading, "take", forgetful)
    faults = [fault for number in range(20) for fault in tried(origin, number).faults]
    assert any("lost of session.jsonl" in fault for fault in faults)


def test_that_an_importer_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: _Reading, record: Record) -> None:
        raise KeyError("role")

    monkeypatch.setattr(_Reading, "take", broken)
    origin = Origin(next(seed for seed in SEEDS if seed.name == "raven"))
    monkeypatch.setitem(origin.__dict__, "held", {})
    assert "KeyError" in tried(origin, 1).faults[0]


def test_that_elements_are_found_with_their_bytes() -> None:
    data = '{"a": [{"x": "é"}, 1, {"y": [{"z": 2}]}], "b": []}'.encode()
    found = [(element.path, data[slice(*element.place)].decode()) for element in elements(data)]
    assert found == [(("a",), '{"x": "é"}'), (("a",), '{"y": [{"z": 2}]}'), (("a", "*", "y"), '{"z": 2}')]
    assert elements(b'{"a": [') == []
