from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given

from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.hub.tiers import tiers
from ravenglass.profile import Profile
from ravenglass.scheduler.expiry import Expiry
from ravenglass.scheduler.standing import Standing, outdated_outside
from ravenglass.sessions.model.session import Message, Session
from tests.engine.builders import (
    assistant,
    call,
    filler,
    meta,
    profiles,
    result,
    session,
    sessions,
    system,
    user,
)
from tests.engine.scheduler.views import plain, ruled


def instructions_file(tokens: int) -> list[Message]:
    return [assistant("", call("Read", file_path="CLAUDE.md")), result(filler(tokens))]


@pytest.mark.rule("3.14")
def test_that_global_items_over_the_hard_cap_are_demoted_in_order_of_registration() -> None:
    built = session(user("go"), *(m for _ in range(3) for m in instructions_file(100)), assistant("Done."))
    size = ruled(built, plain())[1].full[1]
    _, found = ruled(built, plain(global_cap=size * 2 / 10_000))
    assert found.tier[1:4] == ["global", "global", "task"]
    assert list(found.demoted) == [3]
    assert f"holds {2 * size:,} of at most {2 * size:,} tokens; {size:,} more do not fit" in found.demoted[3]


def _outdated_at(found: Standing) -> dict[int, int]:
    """Group -> the call from which on it is expired because something newer outdated it."""
    return {g: end.call for g, end in found.expired.items() if end.outdated}


def test_that_a_smaller_item_may_follow_one_that_did_not_fit() -> None:
    built = session(user("go"), *instructions_file(900), *instructions_file(100), assistant("Done."))
    assert ruled(built, plain(global_cap=0.05))[1].tier[1:3] == ["task", "global"]


@pytest.mark.rule("3.15")
def test_that_instructions_count_against_the_cap_but_are_never_demoted() -> None:
    built = session(system(filler(500)), user("go"), *instructions_file(10), assistant("Done."))
    assert ruled(built, plain(global_cap=0.052))[1].tier == ["global", "session", "task", "session"]
    assert ruled(built, plain(global_cap=0.01))[1].tier == ["global", "session", "task", "session"]
    assert ruled(built, plain(global_cap=0.054))[1].tier == ["global", "session", "global", "session"]


@pytest.mark.rule("3.14")
@given(sessions(), profiles())
def test_that_the_global_tier_never_passes_its_cap_and_only_global_items_are_demoted(
    built: Session, profile: Profile
) -> None:
    _, found = ruled(built, profile)
    ruling = tiers(built, profile.tier_rules)
    cap = round(profile.global_cap * profile.available())
    allowed = [g for g, tier in enumerate(found.tier) if tier == "global" and g not in found.instructions]
    own = sum(found.full[g] for g in found.instructions)
    assert own + sum(found.full[g] for g in allowed) <= max(cap, own)
    for g, tier in enumerate(found.tier):
        assert tier == ("task" if g in found.demoted else ruling[g])
        assert g not in found.demoted or ruling[g] == "global"


@pytest.mark.rule("4.12")
def test_that_a_look_up_is_released_after_the_response_that_used_it() -> None:
    built = session(
        user("go"), assistant("", call("Grep", pattern="x")), result("y"), assistant("", call("Bash")), result("z"),
        assistant("Done."),
    )  # fmt: skip
    _, found = ruled(built)
    assert found.tier[1] == "atomic"
    assert found.released_at[1] == 3
    assert found.releases == {3: [1]}


@pytest.mark.rule("4.7")
def test_that_task_items_are_released_when_the_next_task_begins() -> None:
    built = session(
        user("one"), assistant("", call("Bash")), result("x"), assistant("Done."), user("two"), assistant("Done.")
    )
    _, found = ruled(built, plain(task_boundary="every_user_message"))
    assert found.task_of == [0, 0, 0, 1, 1]
    assert found.releases == {3: [1]}
    assert found.released_at == [NEVER, 3, NEVER, NEVER, NEVER]
    assert ruled(built, plain(task_boundary="todo"))[1].releases == {}


def test_that_a_late_result_is_not_released_before_it_was_seen() -> None:
    built = session(
        user("go"), assistant("", call("Grep", pattern="x", call_id="g")), assistant("Hm."), result("y", to="g"),
        assistant("Done."), assistant("More."),
    )  # fmt: skip
    _, found = ruled(built)
    assert found.growths == {3: [1]}
    assert found.releases == {4: [1]}


def test_that_a_result_that_comes_after_its_task_ended_is_not_released_before_it_was_seen() -> None:
    built = session(
        user("one"), assistant("", call("Bash", call_id="b")), user("two"), assistant("Hm."), result("y", to="b"),
        assistant("Done."),
    )  # fmt: skip
    _, found = ruled(built, plain(task_boundary="every_user_message"))
    assert found.tasks[0].end == 2
    assert found.releases == {3: [1]}


@given(sessions(), profiles())
def test_that_releases_expiries_and_growths_are_what_each_group_says(built: Session, profile: Profile) -> None:
    features, found = ruled(built, profile)
    calls = range(1, len(features.calls) + 1)
    for at, by_group in ((found.releases, dict(enumerate(found.released_at))), (found.expiries, _outdated_at(found))):
        assert {g: call for call, groups in at.items() for g in groups} == {
            g: call for g, call in by_group.items() if call in calls
        }
    for g, released in enumerate(found.released_at):
        if found.tier[g] in ("global", "session"):
            assert released == NEVER
        else:
            assert released >= features.ready[g]
    grown = {
        call: [
            group.index
            for group in features.groups
            if group.call < call
            and any(features.boundary(call - 1) <= m < features.boundary(call) for m in group.messages)
        ]
        for call in calls
    }
    assert found.growths == {call: groups for call, groups in grown.items() if groups}


@given(sessions(), profiles())
def test_that_the_latest_user_messages_of_a_call_are_the_last_it_sees(built: Session, profile: Profile) -> None:
    features, found = ruled(built, profile)
    assert len(found.prompt_at) == len(found.user_at) == len(features.calls) + 1
    for one in features.calls:
        seen = built.messages[: one.message]
        user_at = [m.id for m in seen if m.role == "user"]
        prompt_at = [m.id for m in seen if m.role == "user" and m.kind == "prompt"]
        group_of = built.structure.group_of
        assert found.user_at[one.number] == (group_of[user_at[-1]] if user_at else None)
        assert found.prompt_at[one.number] == (group_of[prompt_at[-1]] if prompt_at else None)


@given(sessions(), profiles())
def test_that_an_outdated_group_expires_when_all_of_what_outdated_it_is_known(built: Session, profile: Profile) -> None:
    features, found = ruled(built, profile)
    assert set(_outdated_at(found)) == set(found.outdated)
    for g, expires in _outdated_at(found).items():
        assert expires == features.ready[found.outdated[g].by]


def test_that_an_orphan_result_counts_as_a_user_message_for_the_provider_only() -> None:
    built = session(meta("hello"), result("x", to="lost"), assistant("Done."))
    _, found = ruled(built)
    assert found.users == {0, 1}
    assert found.user_at[1] == 0
    assert found.prompt_at[1] is None


@pytest.mark.rule("5.15", "5.16")
@pytest.mark.parametrize(
    "change",
    [
        {"global_cap": 0.0}, {"protect_first_n": 1}, {"task_boundary": "every_user_message"}, {"topic_overlap": 1.0},
        {"tier_rules": ()}, {"pin_rules": ()}, {"message_overhead": 9}, {"window": 200_000},
        {"tokenizer": "cl100k_base"},
    ],
)  # fmt: skip
def test_that_a_remembered_standing_is_the_one_that_would_be_made(change: dict[str, object]) -> None:
    def talk() -> Session:
        one = [*instructions_file(50), assistant("", call("Skill", skill="review")), result("x"), assistant("Done.")]
        prompts = user("fix src/auth.py login"), user("src/auth.py login changelog"), user("write release notes")
        return session(*(m for prompt in prompts for m in (prompt, *one)))

    shared = talk()
    before = ruled(shared, Profile())[1]
    changed = Profile().with_values(**change)
    assert ruled(shared, changed)[1] == ruled(talk(), changed)[1]
    assert ruled(shared, Profile())[1] is before


def test_that_a_field_the_standing_does_not_depend_on_keeps_it() -> None:
    built = session(user("go"), assistant("Done."))
    assert ruled(built, Profile(trim_target=0.9))[1] is ruled(built, Profile())[1]


@given(sessions())
def test_that_every_list_has_one_value_a_group(built: Session) -> None:
    features, found = ruled(built)
    assert {f.name for f in fields(Standing)} >= {"tier", "full", "task_of", "released_at"}
    for values in (found.tier, found.full, found.task_of, found.released_at):
        assert len(values) == len(features.groups)


def test_that_what_a_file_outside_the_session_ends_counts_where_it_ends_sooner() -> None:
    read = [assistant("", call("Read", file_path="a.py")), result("x")]
    edit = [assistant("", call("Edit", file_path="a.py")), result("ok")]
    _, found = ruled(session(user("go"), *read, assistant("Hm."), *edit, assistant("Done."), assistant("More.")))
    assert found.expired[1].call == 4
    assert found.expiries == {4: [1]}
    sooner, later = Expiry(3, "a.py was changed on the disk"), Expiry(5, "a.py was changed on the disk")
    assert outdated_outside(found, {1: sooner}).expired[1] is sooner
    assert outdated_outside(found, {1: sooner}).expiries == {3: [1], 4: []}
    assert outdated_outside(found, {1: later}) is found
    both = outdated_outside(found, {2: Expiry(4, "b.py was changed on the disk")})
    assert (set(both.expired), both.expiries) == ({1, 2}, {4: [1, 2]})
