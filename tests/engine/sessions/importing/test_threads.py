"""Which conversation a recorded request belongs to."""

from __future__ import annotations

from ravenglass.sessions.importing.threads import Threads, opening, starter
from ravenglass.sessions.model.session import Message, Part, Role, ToolCall


def said(role: Role, words: str, *calls: ToolCall) -> Message:
    return Message(0, role, (Part("text", words),), tool_calls=calls)


def test_that_instructions_and_the_first_message_tell_conversations_apart() -> None:
    system, one, two = said("system", "s"), said("user", "one"), said("user", "two")
    assert opening([system, one]) == opening([system, one, two])
    assert opening([system, one]) != opening([system, two])
    assert opening([one]) != opening([system, one])
    assert opening([]) == ""


def test_that_requests_with_and_without_tools_are_not_mixed() -> None:
    threads = Threads()
    with_tools = threads.of([said("user", "a")], has_tools=True)
    with_tools.weave.request([said("user", "a")])
    without = threads.of([said("user", "a")], has_tools=False)
    assert without is not with_tools
    assert threads.of([said("user", "a"), said("assistant", "b")], has_tools=True) is with_tools
    assert threads.last() is without


def test_that_the_call_that_brought_a_prompt_started_the_other_conversation() -> None:
    calls = (ToolCall("c1", "t", '{"n": 1, "prompt": "go  there"}'), ToolCall("c2", "t", '{"prompt": "go there"}'))
    broken = ToolCall("c0", "t", '{"prompt": "go there')
    main = [said("user", "start"), said("assistant", "x", broken, *calls)]
    assert starter(main, [said("system", "s"), said("user", "<system-reminder>r</system-reminder>go there")]) == "c1"
    assert starter(main, [said("user", "elsewhere")]) is None
    assert starter(main, [said("assistant", "no prompt")]) is None
