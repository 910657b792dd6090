"""One sample of an Inspect AI log as conversations: its own, and those of agents and graders beside it."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ravenglass.sessions.formats.inspect.calls import ModelCalls, told
from ravenglass.sessions.formats.inspect.messages import message_of, resolved
from ravenglass.sessions.importing.assembly import SessionDraft
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.importing.threads import Thread, starter
from ravenglass.sessions.importing.weave import key_of
from ravenglass.sessions.model.session import Message, OtherRecord, Span
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text, text_or_none

_NOWHERE = Span(0, 0, 0)


@dataclass(frozen=True, slots=True)
class EvalLog:
    """What the log says about all of its samples."""

    id: str = ""
    task: str = ""
    model: str | None = None


def log_of(value: dict[str, Any]) -> EvalLog:
    """From an object with `eval`: a whole log, or its header."""
    about = mapping(value.get("eval"))
    name = text(about.get("eval_id")) or text(about.get("task_id")) or text(about.get("run_id"))
    return EvalLog(name, text(about.get("task")), text_or_none(about.get("model")))


def is_sample(value: object) -> bool:
    """Whether the value has the shape of a sample."""
    return {"id", "epoch", "input"} <= mapping(value).keys()


def key_of_sample(value: dict[str, Any]) -> str:
    """Name of a sample inside its log, as its file in an `.eval` archive has it."""
    return f"{value.get('id')}_epoch_{value.get('epoch')}"


def identity(value: dict[str, Any], log: EvalLog) -> str:
    """Id of a sample that no other log has."""
    return text(value.get("uuid")) or (f"{log.id}/{key_of_sample(value)}" if log.id else key_of_sample(value))


def sample_drafts(found: Located, log: EvalLog) -> list[SessionDraft]:
    """The sample's conversation first, then those of calls that are none of its own.

    Its messages are the final state; where events tell what each call was sent, messages that left the window before
    are there too, and markers say when they left.
    """
    value = found.object
    attachments = {key: item for key, item in mapping(value.get("attachments")).items() if isinstance(item, str)}
    items = found.elements("messages")
    messages, other = _messages(items or list(_asked(found)), value.get("input"), attachments)
    known: dict[str, Message] = {}
    for message in messages:
        known.setdefault(key_of(message), message)
    calls = ModelCalls(attachments, known)
    calls.read(found)
    answers = calls.answers or _only_answer(value, attachments, known)
    main = _main(calls, messages) if calls.sent else None
    draft = SessionDraft(
        id=identity(value, log),
        messages=_reported(messages, answers) if main is None else _completed(main, messages),
        markers=main.weave.markers if main is not None else [],
        other=[*other, *found.others(*(("messages",) if items else ()), prefix="sample/")],
        project=log.task,
        model=text_or_none(mapping(value.get("output")).get("model")) or log.model,
        tools=calls.tools,
    )
    beside = [thread for thread in calls.threads.found if thread is not main] if main is not None else []
    return [draft, *(_beside(draft, thread, number) for number, thread in enumerate(beside, start=1))]


def _messages(
    items: Iterable[Located], asked: object, attachments: Mapping[str, str]
) -> tuple[list[Message], list[OtherRecord]]:
    inputs = sum(mapping(item).get("role") != "system" for item in asked) if isinstance(asked, list) else 1
    messages: list[Message] = []
    other: list[OtherRecord] = []
    spoken = 0
    for item in items:
        plain = mapping(resolved(item.value, attachments))
        message = message_of(plain, item.span, len(messages), asked=spoken < inputs and not _generated(plain))
        if message is None:
            other.append(OtherRecord(f"role {text(plain.get('role'))}" if plain else kind_of(item.value), item.span))
        else:
            messages.append(message)
            spoken += message.role != "system"
    return messages, other


def _asked(found: Located) -> Iterator[Located]:
    """Input and output of a sample that has no messages."""
    asked = found.get("input")
    if asked is not None and isinstance(asked.value, str):
        yield Located({"role": "user", "content": asked.value}, asked.member, asked.place)
    elif asked is not None:
        yield from asked.items()
    output = found.get("output")
    for choice in output.elements("choices")[:1] if output is not None else []:
        message = choice.get("message")
        if message is not None:
            yield message


def _generated(value: dict[str, Any]) -> bool:
    """Whether a model wrote the message."""
    return value.get("source") == "generate" or (value.get("role") == "assistant" and value.get("source") != "input")


def _only_answer(value: dict[str, Any], attachments: Mapping[str, str], known: Mapping[str, Message]) -> list[Message]:
    """The sample's output, for logs without events."""
    output = mapping(value.get("output"))
    choice = mapping(next(iter(sequence(output.get("choices"))), None))
    plain = mapping(resolved(mapping(choice.get("message")), attachments))
    answer = told(message_of({**plain, "role": "assistant"}, _NOWHERE, 0, asked=False), output, {}, known)
    return [answer] if answer is not None and plain else []


def _main(calls: ModelCalls, messages: list[Message]) -> Thread | None:
    """The conversation that brought the sample's messages: the one with most of its answers."""
    own = {key_of(message) for message in messages if message.role == "assistant"}

    def shared(thread: Thread) -> int:
        return sum(message.role == "assistant" and key_of(message) in own for message in thread.weave.messages)

    best = max(calls.threads.found, key=shared, default=None)
    return best if best is not None and shared(best) > 0 else None


def _completed(main: Thread, messages: list[Message]) -> list[Message]:
    """What the calls tell, and the sample's messages that no call was sent."""
    found = list(main.weave.messages)
    there = Counter(key_of(message) for message in found)
    for message in messages:
        key = key_of(message)
        # The same words said twice are two messages: each of the calls' stands for one of the sample's.
        if there[key] > 0:
            there[key] -= 1
        else:
            found.append(replace(message, id=len(found)))
    return found


def _beside(main: SessionDraft, thread: Thread, number: int) -> SessionDraft:
    messages = list(thread.weave.messages)
    first = next((message for message in messages if message.role == "user"), None)
    if first is not None and first.kind == "meta":
        messages[first.id] = replace(first, kind="prompt")
    call = starter(main.messages, messages)
    return SessionDraft(f"{main.id}#{number}", messages, thread.weave.markers, model=thread.model, parent_call_id=call)


def _reported(messages: Iterable[Message], answers: list[Message]) -> list[Message]:
    """The messages with what the events report: found by id, else by content in the events' order."""
    by_id = {answer.source_id: answer for answer in answers if answer.source_id}
    by_key: dict[str, deque[Message]] = defaultdict(deque)
    for answer in answers:
        by_key[key_of(answer)].append(answer)
    found: list[Message] = []
    for message in messages:
        if message.role == "assistant" and "synthetic" not in message.flags:
            waiting = by_key.get(key_of(message))
            report = by_id.get(message.source_id or "") or (waiting.popleft() if waiting else None)
            if report is not None:
                ts = message.ts if message.ts is not None else report.ts
                message = replace(message, usage=report.usage, model=message.model or report.model, ts=ts)
        found.append(message)
    return found
