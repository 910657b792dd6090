"""The engine as an agent uses it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ravenglass import Engine, Profile, RavenglassError
from ravenglass.errors import AddressError, ArchiveError, MessageError, ProfileError
from ravenglass.replay.stepping.changes import HandChange
from tests.engine.builders import filler
from tests.engine.embed.conversations import answers, asks, drive, said
from tests.engine.embed.files.leftovers import long_chat
from tests.engine.embed.files.test_workspace import TIGHT


def pressed(**values: object) -> Engine:
    """An engine whose window has long been too small for the conversation."""
    engine = Engine(TIGHT.with_values(**values), session_key="agent:demo")
    drive(engine, long_chat(25))
    engine.observe(said("user", "What did src/f3.py hold?"))
    return engine


def test_that_a_short_conversation_goes_to_the_model_as_it_is() -> None:
    given = [said("system", "Be brief."), said("user", "Read a.py"), asks("c1", file_path="a.py"), answers("c1", "x")]
    engine = Engine()
    for message in given:
        engine.observe(message)
    assert engine.window() == given


def test_that_ids_count_from_zero_and_both_methods_give_them() -> None:
    engine = Engine()
    assert engine.observe(said("user", "a")) == 0
    assert engine.record_response(said("assistant", "b")) == 1
    assert engine.observe(said("user", "c")) == 2
    assert [message.id for message in engine.decide().messages if message.id is not None] == [0, 1, 2]


def test_that_there_is_no_window_of_nothing() -> None:
    engine = Engine()
    for ask in (engine.window, engine.decide, engine.frame, engine.request):
        with pytest.raises(RavenglassError, match="has observed no message yet"):
            ask()
    assert engine.run().calls == 0
    assert engine.search("x") == ()


def test_that_what_the_agent_does_to_a_window_changes_nothing_here() -> None:
    engine = Engine()
    engine.observe(said("user", "Hello", extra={"a": [1]}))
    engine.window()[0]["extra"]["a"].append(2)  # type: ignore[index]
    assert engine.window()[0]["extra"] == {"a": [1]}


def test_that_a_message_given_is_not_changed() -> None:
    message, usage = said("assistant", "Hi"), {"prompt_tokens": 3}
    engine = Engine()
    engine.observe(said("user", "Hello"))
    engine.record_response(message, usage)
    assert (message, usage) == (said("assistant", "Hi"), {"prompt_tokens": 3})


def test_that_an_answer_has_the_role_assistant_or_none() -> None:
    engine = Engine()
    engine.observe(said("user", "Hello"))
    with pytest.raises(MessageError, match="A response has the role 'assistant', not 'user'"):
        engine.record_response(said("user", "Hi"))
    assert engine.record_response({"content": "Hi"}) == 1


@pytest.mark.parametrize("given", [None, "Hello", 3, [said("user", "Hello")]])
def test_that_what_is_no_dict_is_refused_with_its_kind(given: Any) -> None:
    with pytest.raises(MessageError, match=rf"The message is a {type(given).__name__}; it has to be a dict"):
        Engine().observe(given)


def test_that_objects_of_the_openai_package_are_taken_as_they_come() -> None:
    chat = pytest.importorskip("openai.types.chat")
    usage = pytest.importorskip("openai.types").CompletionUsage(
        prompt_tokens=9, completion_tokens=1, total_tokens=10, prompt_tokens_details={"cached_tokens": 4}
    )
    engine = Engine()
    engine.observe(said("user", "Hello"))
    engine.record_response(chat.ChatCompletionMessage.model_validate(asks("c1")), usage)
    engine.observe(answers("c1"))
    assert engine.window()[-2:] == [asks("c1"), answers("c1")]
    found = engine.run().session.messages[1].usage
    assert found is not None
    assert (found.context, found.output, found.cache_read) == (9, 1, 4)


def test_that_tool_definitions_measure_the_system_overhead() -> None:
    tools = [{"type": "function", "function": {"name": "read", "description": filler(500)}}]
    engine = Engine(tools=tools)
    assert 500 < engine.run().budget.system < 600
    with pytest.raises(ProfileError):
        Engine(Profile().with_values(window=1_000, system_overhead=10), tools=tools * 10)
    with pytest.raises(MessageError, match="tool definitions cannot be written as JSON"):
        Engine(tools=[{"x": {1}}])


def test_that_history_of_another_engine_is_taken_in_and_decided_as_a_replay_would() -> None:
    told, fed = Engine(TIGHT, session_key="a:b"), Engine(TIGHT, session_key="a:b")
    drive(told, long_chat(25))
    for message in long_chat(25):
        fed.observe(message)
    for engine in (told, fed):
        engine.observe(said("user", "Go on with src/f3.py"))
    assert fed.window() == told.window()
    assert fed.run().metrics == told.run().metrics


def test_that_a_message_between_window_and_response_counts_as_seen_by_that_call() -> None:
    engine = Engine()
    engine.observe(said("user", "Hello"))
    assert len(engine.window()) == 1
    engine.observe(said("user", "quickly, please"))
    engine.record_response(said("assistant", "Hi"))
    assert [m.text for m in engine.run().window(1).messages] == ["Hello", "quickly, please"]


# Retrieval


@pytest.mark.rule("7.5", "10.4")
def test_that_every_message_that_left_comes_back_byte_for_byte() -> None:
    engine = pressed()
    engine.window()
    run = engine.run()
    out = [m for m in range(len(run.session.messages)) if not run.in_window(run.calls, m) and m < run.rows(run.calls)]
    assert len(out) > 30
    for m in out:
        group = run.session.structure.groups[run.session.structure.group_of[m]].messages
        assert engine.retrieve(engine.ref(m), max_tokens=0).raw == tuple(run.session.raw(n) for n in group)
    for entry in run.archive():
        assert engine.retrieve(entry.ref, max_tokens=0).raw == run.retrieve(entry.ref, max_tokens=0).raw


@pytest.mark.rule("10.3")
def test_that_the_address_in_a_stub_brings_back_what_the_stub_stands_for() -> None:
    engine = pressed(archive_below=0.0, offload_tokens=100, trim_target=1.0)
    stubs = [m for m in engine.decide().messages if not m.verbatim and m.id is not None and "retrieve cxt://" in m.text]
    assert stubs
    for stub in stubs:
        address = "cxt://" + stub.text.split("retrieve cxt://")[1].split("]")[0]
        found = engine.retrieve(address, max_tokens=0)
        assert found.raw == (engine.run().session.raw(stub.id or 0),)
        assert not found.truncated


def test_that_of_messages_with_one_address_the_one_that_the_window_lacks_comes_back() -> None:
    engine = Engine(TIGHT.with_values(protect_first_n=0))
    address = "cxt://project/project/file/a.py"
    drive(engine, [said("user", "Read"), asks("old", file_path="a.py"), answers("old", "old")])
    assert engine.retrieve(address).text.endswith("old")
    drive(engine, [*long_chat(25), said("user", "Again"), asks("new", file_path="a.py"), answers("new", "new")])
    shown = {message.id for message in engine.decide().messages}
    assert not {1, 2} & shown
    assert {56, 57} <= shown
    assert engine.retrieve(address).text.endswith("old")


def test_that_a_symbol_of_a_file_comes_back_alone() -> None:
    engine = Engine()
    text = "import os\n\n\ndef login(name):\n    return name\n\n\ndef logout():\n    pass\n"
    drive(engine, [said("user", "Read"), asks("c", file_path="a.py"), answers("c", text)])
    found = engine.retrieve("cxt://project/project/file/a.py#login")
    assert found.text.startswith("def login(name):\n    return name")
    assert "logout" not in found.text
    assert found.raw == (engine.run().session.raw(2),)
    assert engine.retrieve("cxt://project/project/file/a.py#login", max_tokens=3).truncated


def test_that_a_retrieval_is_cut_where_the_cap_says_so() -> None:
    engine = pressed()
    assert engine.retrieve(engine.ref(2)).tokens <= engine.profile.retrieve_tokens
    cut = engine.retrieve(engine.ref(2), max_tokens=60)
    assert (cut.truncated, cut.tokens <= 60) == (True, True)
    assert engine.retrieve(engine.ref(2), "snippet").truncated


@pytest.mark.parametrize(
    ("ref", "error", "sentence"),
    [
        ("nonsense", ArchiveError, "is no archive reference"),
        ("2026-03-02/agent_demo_1_2.jsonl#1-2#", ArchiveError, "is no archive reference"),
        ("2026-03-02/other_1_2.jsonl#1-2", ArchiveError, "is not in the archive of this session"),
        ("cxt://session/agent:demo/message/999", ArchiveError, "stands for nothing: the session has 53 messages"),
        ("cxt://nowhere", AddressError, "cxt://project/"),
    ],
)
def test_that_a_reference_that_leads_nowhere_is_a_sentence(ref: str, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        pressed().retrieve(ref)


@pytest.mark.rule("10.4")
def test_that_a_search_finds_what_left_the_window_and_only_that() -> None:
    engine = pressed()
    shown = {m.id for m in engine.decide().messages if m.verbatim}
    hits = engine.search("src/f3.py")
    assert [hit.id for hit in hits] == [7]
    assert not {hit.id for hit in engine.search("file", 200)} & shown
    for hit in hits:
        assert engine.run().session.raw(hit.id) in engine.retrieve(hit.ref, max_tokens=0).raw
    assert engine.search("") == ()
    assert len(engine.search("file", 3)) == 3


def test_that_what_no_window_has_shown_yet_is_found_and_comes_back() -> None:
    engine = pressed()
    engine.window()
    number = engine.observe(said("user", "zebra"))
    assert [hit.id for hit in engine.search("zebra")] == [number]
    assert b"zebra" in engine.retrieve(engine.ref(number)).raw[0]
    engine.window()
    assert engine.search("zebra") == ()


# Pins


@pytest.mark.rule("6.25", "6.26")
def test_that_a_pinned_message_stays_with_its_group() -> None:
    free, held = Engine(TIGHT, session_key="a:b"), Engine(TIGHT, session_key="a:b")
    for engine in (free, held):
        drive(engine, long_chat(2)[:-1])
    held.pin(4)
    for engine in (free, held):
        for n in range(30, 60):
            engine.record_response(asks(f"c{n}", file_path=f"src/g{n}.py"))
            engine.observe(answers(f"c{n}", filler(900)))
        engine.window()
    assert {3, 4} <= {m.id for m in held.decide().messages}
    assert not {3, 4} & {m.id for m in free.decide().messages}
    held.unpin(4)
    drive(held, [asks("x", file_path="x.py"), answers("x", filler(4_000)), asks("y"), answers("y", filler(4_000))])
    assert not {3, 4} & {m.id for m in held.decide().messages}
    made = [c for c in held.changes if isinstance(c, HandChange)]
    assert [(c.kind, c.message) for c in made] == [("pin", 4), ("unpin", 4)]


@pytest.mark.parametrize("number", [-1, 3, 10**9])
def test_that_only_known_messages_are_pinned(number: int) -> None:
    engine = Engine()
    with pytest.raises(MessageError, match=r"no message .*; there is none yet"):
        engine.pin(number)
    for n in range(3):
        engine.observe(said("user", str(n)))
    with pytest.raises(MessageError, match=rf"no message {number}; known ids are 0 to 2"):
        engine.pin(number)
    with pytest.raises(MessageError):
        engine.ref(number)


# Policies


def test_that_a_pin_set_after_a_look_holds_in_the_next_window() -> None:
    engine = pressed()
    engine.search("src/f3.py")
    engine.pin(7)
    assert {7, 8} <= {message.id for message in engine.decide().messages}
    assert not {7, 8} & {message.id for message in pressed().decide().messages}


def test_that_a_pin_leaves_the_window_that_was_given_already() -> None:
    engine = pressed()
    given = engine.decide()
    engine.pin(7)
    assert engine.decide() == given
    engine.record_response(said("assistant", "It held a class."))
    run = engine.run()
    assert not run.row(run.calls, 7).pinned
    engine.observe(said("user", "Go on."))
    assert {7, 8} <= {message.id for message in engine.decide().messages}


def test_that_a_call_that_is_decided_anew_gets_breakpoints_of_its_own() -> None:
    anew, at_once = pressed(), pressed()
    anew.decide()
    for engine in (anew, at_once):
        engine.observe(said("user", filler(300)))
    assert anew.decide() == at_once.decide()


def test_that_what_came_after_a_look_can_be_brought_back() -> None:
    engine = pressed()
    engine.search("src/f3.py")
    engine.observe(said("user", "The words of a late message."))
    last = len(engine.messages()) - 1
    assert "late message" in engine.retrieve(engine.ref(last)).text


def test_that_a_system_message_said_twice_in_a_new_session_is_there_twice() -> None:
    engine = Engine()
    given = [said("system", "Be brief."), said("user", "Hello"), said("system", "Be brief.")]
    assert [engine.observe(message) for message in given] == [0, 1, 2]
    assert len(engine.messages()) == 3


def test_that_an_engine_that_could_not_be_made_leaves_the_session_to_others(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "Read", "description": filler(9_000), "parameters": {}}}]
    with pytest.raises(ProfileError) as refused:
        Engine(TIGHT.with_values(window=8_000), tmp_path, session_key="agent:demo", tools=tools)
    with Engine(TIGHT, tmp_path, session_key="agent:demo") as engine:
        assert engine.observe(said("user", "Hello")) == 0
    assert "leaves nothing" in str(refused.value)


def test_that_what_was_said_after_a_look_into_the_archive_can_be_brought_back() -> None:
    engine = pressed()
    engine.decide()
    engine.retrieve("#0")
    number = engine.observe(said("user", "One more thing: the key is 4711."))
    assert "4711" in engine.retrieve(f"#{number}").text


def test_that_a_run_stays_as_it_was_when_the_engine_goes_on() -> None:
    engine = pressed()
    engine.decide()
    run = engine.run()
    before = [(name, len(getattr(run._log, name))) for name in ("paths", "tokens", "included", "prefix", "cached")]
    told = list(run._log.prefix)
    engine.record_response(said("assistant", "It holds a function."))
    engine.observe(said("user", "Which one?"))
    engine.decide()
    assert [(name, len(getattr(run._log, name))) for name, _ in before] == before
    assert list(run._log.prefix) == told
