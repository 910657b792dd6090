from __future__ import annotations

import gc
import math
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ravenglass.errors import Cancelled
from ravenglass.scheduler.features import Features, features_of
from ravenglass.scheduler.intent.entities import entities
from ravenglass.sessions.model.session import Session
from tests.engine.builders import assistant, call, meta, result, session, sessions, user


@given(sessions())
def test_that_what_a_call_knows_is_what_stands_before_its_response(built: Session) -> None:
    features = Features(built)
    assert features.known[0] == 0
    for one in features.calls:
        seen = {g.index for g in features.groups if g.messages[0] < one.message}
        assert seen == set(range(features.known[one.number]))
        assert features.boundary(one.number) == one.message


@given(sessions())
def test_that_a_group_is_ready_at_the_first_call_that_sees_all_of_it(built: Session) -> None:
    features = Features(built)
    for group in features.groups:
        seeing = [one.number for one in features.calls if max(group.messages) < one.message]
        assert features.ready[group.index] == min(seeing, default=len(features.calls) + 1)
        assert features.ready[group.index] >= group.call


@given(sessions(), st.data())
def test_that_holders_are_the_known_groups_that_name_the_entity(built: Session, data: st.DataObject) -> None:
    features = Features(built)
    if not features.postings:
        return
    entity = data.draw(st.sampled_from(sorted(features.postings)))
    known = data.draw(st.integers(0, len(features.groups)))
    naive = [
        g.index
        for g in features.groups[:known]
        if any(
            entity in {*entities(m.text), *(e for c in m.tool_calls for e in entities(c.arguments))}
            for m in (built.messages[i] for i in g.messages)
        )
    ]
    assert features.holders(entity, known) == naive
    assert all((entity in features.entities[g]) is (g in naive) for g in range(known))


@pytest.mark.rule("5.16")
@given(sessions(), sessions(), st.integers(0, 30))
def test_that_features_of_a_grown_session_are_those_that_would_be_made(
    built: Session, other: Session, kept: int
) -> None:
    grown = session(*built.messages[:kept], *other.messages)
    found, fresh = Features(grown, previous=Features(built)), Features(grown)
    assert (found.entities, found.postings, found.known, found.ready) == (
        fresh.entities,
        fresh.postings,
        fresh.known,
        fresh.ready,
    )


def test_that_a_message_that_grew_is_read_anew() -> None:
    before = Features(session(user("go"), assistant("So")))
    grown = session(user("go"), assistant("So src/auth.py is done."), user("thanks"))
    assert "src/auth.py" in Features(grown, previous=before).entities[1]


def test_that_a_rare_entity_tells_more_than_a_common_one() -> None:
    features = Features(session(user("go")))
    assert features.idf(100, 1) > features.idf(100, 50) > features.idf(100, 100) > 0
    assert features.idf(100, 4) == math.log(26)
    assert features.idf(100, 0) == 0


def test_that_arguments_and_results_say_what_a_group_is_about() -> None:
    built = session(
        user("go"), assistant("", call("Read", file_path="src/auth.py")), result("raise KeyError"), assistant("Done.")
    )
    features = Features(built)
    assert {"src/auth.py", "auth.py", "KeyError"} <= features.entities[1]
    assert "KeyError" not in features.entities[0]


def test_that_a_very_long_text_is_read_at_both_ends() -> None:
    text = "first_name " + "filler " * 10_000 + "last_name"
    built = session(user(text), assistant("", call("Write", content=text)), result(text))
    features = Features(built)
    assert all({"first_name", "last_name"} <= found for found in features.entities)


@pytest.mark.rule("5.15")
def test_that_features_are_made_once_a_session_and_forgotten_with_it() -> None:
    built = session(user("go"), assistant("Done."))
    features = weakref.ref(features_of(built))
    assert features_of(built) is features()
    assert features_of(session(user("go"), assistant("Done."))) is not features()
    del built
    gc.collect()
    assert features() is None


def test_that_reading_reports_progress_and_can_be_cancelled() -> None:
    built = session(*(meta(f"note {n}") for n in range(100)))
    seen: list[tuple[int, int]] = []

    def look(done: int, total: int) -> bool:
        seen.append((done, total))
        return True

    Features(built, look)
    assert len(seen) > 2
    assert seen == sorted(set(seen))
    with pytest.raises(Cancelled, match="nothing was changed"):
        features_of(built, lambda done, _: done < 32)
    assert features_of(built).known == [0]
