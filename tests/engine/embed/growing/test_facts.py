"""Facts that grow with a conversation against those that are found anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ravenglass import Profile
from ravenglass.embed.conversation import RunningConversation
from ravenglass.embed.files.transcript import SessionTranscript
from ravenglass.embed.growing.facts import GrowingFacts
from ravenglass.errors import MessageError
from ravenglass.hub.files.fingerprint import NEVER
from ravenglass.replay.stepping.inputs import Inputs
from tests.engine.builders import profiles
from tests.engine.embed.conversations import MOMENT, Chat, conversations, odd_conversations
from tests.engine.embed.lively import lively
from tests.engine.embed.test_replay import short

TRANSCRIPT = SessionTranscript()


def a_conversation() -> RunningConversation:
    return RunningConversation("a:b", Path("b.jsonl"), b"", None)


def anew(conversation: RunningConversation, profile: Profile) -> Inputs:
    return Inputs.grown(conversation.snapshot(next_call=True), profile, None, (), TRANSCRIPT)


def growing(conversation: RunningConversation, profile: Profile) -> GrowingFacts:
    return GrowingFacts(conversation.pattern(), profile, TRANSCRIPT)


def until(calls: int, at: Mapping[int, Sequence[int]]) -> dict[int, list[int]]:
    return {call: list(groups) for call, groups in sorted(at.items()) if call <= calls and groups}


def same(grown: Inputs, made: Inputs) -> None:
    assert list(grown.session.messages) == list(made.session.messages)
    mine, other = grown.session.structure, made.session.structure
    assert list(mine.groups) == list(other.groups)
    assert list(mine.turns) == list(other.turns)
    assert list(mine.calls) == list(other.calls)
    assert list(mine.group_of) == list(other.group_of)
    features, found = grown.features, made.features
    calls = len(found.calls)
    assert features.entities == found.entities
    assert features.postings == found.postings
    assert features.sources == found.sources
    assert list(features.uses) == list(found.uses)
    assert features.known == found.known
    assert features.ready == found.ready
    assert features.boundaries == found.boundaries
    assert grown.sizes.full == made.sizes.full
    assert grown.sizes.estimated == made.sizes.estimated
    assert grown.budget == made.budget
    assert list(grown.versions) == list(made.versions)
    one, two = grown.standing, made.standing
    for name in (
        "tier",
        "full",
        "demoted",
        "protected",
        "instructions",
        "sections",
        "users",
        "task_of",
        "prompt_at",
        "user_at",
    ):
        assert getattr(one, name) == getattr(two, name), name
    assert list(one.pins.items()) == list(two.pins.items())
    assert [(t.first_group, t.prompt, t.why) for t in one.tasks] == [
        (t.first_group, t.prompt, t.why) for t in two.tasks
    ]
    assert [min(call, calls + 1) for call in one.released_at] == [min(call, calls + 1) for call in two.released_at]
    assert until(calls, one.releases) == until(calls, two.releases)
    assert until(calls, one.growths) == until(calls, two.growths)
    assert until(calls, one.expiries) == until(calls, two.expiries)
    assert one.expired == two.expired
    assert one.outdated == two.outdated
    assert NEVER not in one.releases


def grow(messages: list[Chat], profile: Profile, pauses: Sequence[bool]) -> None:
    conversation = a_conversation()
    facts = growing(conversation, profile)
    for n, message in enumerate(messages):
        try:
            conversation.add(message, MOMENT + n)
        except MessageError:
            continue
        if not pauses[n % len(pauses)]:
            continue
        if facts.grow(conversation.messages):
            same(facts.inputs(()), anew(conversation, profile))
        else:
            return


@short
@given(
    conversations() | odd_conversations() | lively(),
    profiles(),
    st.lists(st.booleans(), min_size=1, max_size=7).filter(any),
)
def test_that_facts_grow_to_what_is_found_anew(messages: list[Chat], profile: Profile, pauses: list[bool]) -> None:
    grow(messages, profile, pauses)
