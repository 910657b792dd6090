"""Random writes, retrievals, damage and reopenings against a plain dictionary of what was archived."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from ravenglass.errors import ArchiveError
from ravenglass.store.archive.store import ArchiveStore, StoredRecord
from tests.engine.store.archive.builders import DAY, back, record
from tests.proofs import examples

sessions = st.sampled_from(["cli:a", "tg:b"])
contents = st.dictionaries(st.integers(0, 12), st.binary(max_size=30), min_size=1, max_size=5)


class Archiving(RuleBasedStateMachine):
    refs = Bundle("refs")

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp())
        self.store = ArchiveStore(self.root)
        self.written: dict[str, dict[int, bytes]] = {}
        self.damaged: set[str] = set()

    def teardown(self) -> None:
        self.store.close()
        shutil.rmtree(self.root)

    @rule(target=refs, session=sessions, content=contents, day=st.integers(0, 2))
    def write(self, session: str, content: dict[int, bytes], day: int) -> str:
        given = [record(number, raw=raw) for number, raw in content.items()]
        expected = self.store.ref_of(session, given, DAY + day * 86_400)
        ref = self.store.write(session, given, created=DAY + day * 86_400)
        assert ref == expected
        assert back(self.store, ref) == content
        self.written[ref] = content
        count = len(list(self.root.glob("archive/*/*.jsonl")))
        assert self.store.write(session, given, created=DAY) == ref
        assert len(list(self.root.glob("archive/*/*.jsonl"))) == count
        return ref

    @rule(ref=refs, cap=st.integers(0, 40))
    def retrieve(self, ref: str, cap: int) -> None:
        content = self.written[ref]
        try:
            found = self.store.retrieve(ref, max_tokens=cap)
        except ArchiveError:
            assert ref.partition("#")[0] in self.damaged
            return
        assert all(content[item.id] == item.raw for item in found.records)
        assert cap == 0 or found.tokens <= cap
        if not found.truncated:
            assert found.raw == tuple(content[number] for number in sorted(content))

    @rule(ref=refs, data=st.data())
    def damage(self, ref: str, data: st.DataObject) -> None:
        path = self.root / "archive" / ref.partition("#")[0]
        whole = bytearray(path.read_bytes())
        if not whole:
            return
        at = data.draw(st.integers(0, len(whole) - 1))
        if data.draw(st.booleans()):
            whole[at] ^= data.draw(st.integers(1, 255))
        else:
            del whole[at : at + data.draw(st.integers(1, 400))]
        path.write_bytes(whole)
        self.damaged.add(ref.partition("#")[0])

    @rule(ref=refs)
    def check_damaged(self, ref: str) -> None:
        """A message is either back as it was, or named; only without a header may some go unnamed."""
        content = self.written[ref]
        items = list(self.store.records(ref))
        assert all(content[item.id] == item.raw for item in items if isinstance(item, StoredRecord) and item.proved)
        assert all(item.proved for item in items if isinstance(item, StoredRecord))
        named = {item.id for item in items}
        assert named >= set(content) or None in named

    @rule()
    def reopen(self) -> None:
        with ArchiveStore(self.root) as second:
            assert not second.writable
        self.store.close()
        self.store = ArchiveStore(self.root)
        assert self.store.writable

    @invariant()
    def everything_unharmed_comes_back(self) -> None:
        for ref, content in self.written.items():
            if ref.partition("#")[0] not in self.damaged:
                assert back(self.store, ref) == content


TestArchiving = pytest.mark.rule("7.5", "7.6", "7.10", "R7")(Archiving.TestCase)
TestArchiving.settings = settings(max_examples=examples(60), stateful_step_count=25, deadline=None)
