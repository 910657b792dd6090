"""Conversations out of a log of chat requests that each repeat their history, with the answers that are logged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.importing.capture import bodies, placed_bodies
from ravenglass.sessions.importing.chat.answers import completion_of
from ravenglass.sessions.importing.chat.conversation import is_message
from ravenglass.sessions.importing.chat.messages import ChatThread, chat_usage
from ravenglass.sessions.importing.located import Located
from ravenglass.sessions.importing.threads import Thread, Threads, opening
from ravenglass.sessions.importing.weave import key_of
from ravenglass.sessions.model.session import Message, OtherRecord, Span
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import kind_of, mapping, sequence, text_or_none


def is_body(value: object) -> bool:
    """Whether the value is a request's body: an object with a list of messages of the chat API."""
    given = mapping(value).get("messages")
    return isinstance(given, list) and all(is_message(item) for item in given[:20])


def is_exchange(value: object) -> bool:
    """Whether the value is a request together with its answer of the chat API, or an answer's place."""
    found = mapping(value)
    asked = is_body(found) or any(is_body(body) for body in bodies(found.get("request")))
    return asked and "response" in found and bool(completion_of(found["response"]))


@dataclass(slots=True)
class ChatRequests:
    """Collects the requests of a file, in their order."""

    threads: Threads = field(default_factory=Threads)
    other: list[OtherRecord] = field(default_factory=list)
    failed: int = 0
    """Requests whose answer is no completion."""

    def take(self, found: Located) -> bool:
        """Take in a request, with its answer where there is one; False if it is none."""
        asked = next((body for body in _requests(found) if is_body(body.value)), None)
        if asked is None:
            return False
        response = found.get("response")
        answer = completion_of(response.value) if response is not None else {}
        chat = ChatThread()
        for item in asked.elements("messages"):
            if not chat.add(item.object, item.span):
                self.other.append(OtherRecord(kind_of(item.value), item.span))
        sent = list(chat.messages)
        usage = chat_usage(answer.get("usage"))
        thread = self._thread(sent, asked.object, logged=response is not None)
        thread.weave.request(sent, usage.context if usage else None)
        self._about(thread, asked, answer)
        if response is not None:
            self.failed += not answer
            self._answer(thread, chat, answer, response, found.object)
        if asked is not found:
            self.other.append(OtherRecord("capture", found.span))
        return True

    def _thread(self, sent: list[Message], body: dict[str, Any], *, logged: bool) -> Thread:
        tools = bool(sequence(body.get("tools")) or sequence(body.get("functions")))
        if logged:
            return self.threads.of(sent, has_tools=tools)
        # Bodies alone may be examples of many conversations that begin alike: only what goes on is one.
        for thread in reversed(self.threads.found):
            if thread.weave.window and thread.weave.common(sent) == thread.weave.window < len(sent):
                return thread
        self.threads.found.append(Thread(first=opening(sent), has_tools=tools))
        return self.threads.found[-1]

    def _about(self, thread: Thread, asked: Located, answer: dict[str, Any]) -> None:
        thread.model = text_or_none(answer.get("model")) or text_or_none(asked.object.get("model")) or thread.model
        for key in ("tools", "functions"):
            tools = asked.get(key)
            if tools is not None and sequence(tools.value):
                thread.tools = tools.text()

    def _answer(
        self, thread: Thread, chat: ChatThread, answer: dict[str, Any], response: Located, outer: dict[str, Any]
    ) -> None:
        """The first choice is what the model said; what further ones said is kept beside."""
        choices = [mapping(mapping(choice).get("message")) for choice in sequence(answer.get("choices"))]
        first = next((number for number, choice in enumerate(choices) if choice), 0)
        for number, message in enumerate(choices):
            if not message:
                continue
            place = _place(response, number)
            if number != first:
                self.other.append(OtherRecord(f"choice {number + 1}", place))
                continue
            chat.add({**message, "role": "assistant"}, place)
            said = chat.messages[-1]
            time = seconds(answer.get("created")) or seconds(outer.get("timestamp"))
            said = replace(
                said,
                usage=chat_usage(answer.get("usage")) or said.usage,
                model=text_or_none(answer.get("model")) or thread.model,
                ts=said.ts if said.ts is not None else time,
            )
            last = thread.weave.messages[-1] if thread.weave.messages else None
            if last is not None and last.role == "assistant" and key_of(last) == key_of(said):
                # The log's messages hold the answer already.
                thread.weave.messages[-1] = replace(last, usage=said.usage, model=said.model, ts=last.ts or said.ts)
            else:
                thread.weave.answer(said)


def _requests(found: Located) -> list[Located]:
    return [*placed_bodies(found.get("request")), found]


def _place(response: Located, number: int) -> Span:
    """Where the message of an answer's choice stands, as far as the response is no text."""
    choices = response.elements("choices")
    message = choices[number].get("message") if number < len(choices) else None
    return message.span if message is not None else response.span
