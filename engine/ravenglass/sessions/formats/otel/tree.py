"""From spans to conversations: which call belongs to which conversation, and to which agent in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ravenglass.sessions.formats.otel.spans import TracedSpan, add_messages, tool_result, usage_of
from ravenglass.sessions.importing.assembly import SessionDraft, assembled
from ravenglass.sessions.importing.weave import Weave
from ravenglass.sessions.model.session import Message, Session
from ravenglass.sessions.records.reader import Records
from ravenglass.sessions.records.values import text, text_or_none

_NEVER = float("inf")


@dataclass(slots=True)
class SpanConversation:
    """One agent's calls, and the agents that it started."""

    draft: SessionDraft
    children: list[SpanConversation] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.draft.messages)

    def session(self, records: Records, name: str, *, main: bool) -> Session:
        """As a session; `name` is the importer's."""
        children = [child.session(records, name, main=False) for child in self.children]
        return assembled(self.draft, name, records, children=children, main=main)


@dataclass(slots=True)
class SpanTree:
    """All spans of a file. Parents come after their children in an export, so nothing is known before the end."""

    _spans: dict[tuple[str, str], TracedSpan] = field(default_factory=dict)
    _events: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = field(default_factory=lambda: defaultdict(list))
    _done: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many of the events outside of a span are in its messages."""

    _tools: dict[tuple[str, str], TracedSpan] = field(default_factory=dict)
    """Trace and id of a call -> the span of the tool that ran it."""

    def add(self, span: TracedSpan) -> None:
        """Take in a span; one that is exported twice is one."""
        if span.operation == "execute_tool" and (call := text(span.given.get("gen_ai.tool.call.id"))):
            self._tools[span.trace, call] = span
        self._spans[span.trace, span.id or f"at {span.place.offset}"] = span

    def told(self, trace: str, id_: str, name: str, content: dict[str, Any]) -> None:
        """Take in an event that stands outside its span."""
        self._events[trace, id_].append((name, content))

    def empty(self, name: str) -> SessionDraft:
        """The session of a file without model calls."""
        return SessionDraft(name)

    def conversations(self, name: str) -> list[SpanConversation]:
        """Every conversation, the longest first, the others by time; `name` is the file's."""
        self._tell()
        groups: dict[str, list[TracedSpan]] = defaultdict(list)
        for span in sorted(self._calls(), key=lambda span: _NEVER if span.started is None else span.started):
            groups[self._conversation(span)].append(span)
        found = [self._grown(key or name, spans) for key, spans in groups.items()]
        longest = max(found, key=lambda item: item.size, default=None)
        return [] if longest is None else [longest, *(item for item in found if item is not longest)]

    def _tell(self) -> None:
        """Events go to their spans, which may be exported after them."""
        for key, events in self._events.items():
            span = self._spans.get(key)
            done = self._done.get(key, 0)
            if span is None or done == len(events) or (done == 0 and (span.sent or span.answers)):
                continue
            self._done[key] = len(events)
            for name, content in events:
                if name == "gen_ai.client.inference.operation.details":
                    span.given.update({item: value for item, value in content.items() if item not in span.given})
            add_messages(span, events)

    def _calls(self) -> list[TracedSpan]:
        """Model calls: of calls inside calls (a framework around a client) the outer one that has messages."""
        calls = [span for span in self._spans.values() if span.calls_model]
        inner: set[int] = set()
        outer: set[int] = set()
        for span in calls:
            if span.agent:
                continue
            for above in self._above(span):
                if above.agent:
                    outer.add(id(above))
                elif above.calls_model and (above.sent or not span.sent):
                    inner.add(id(span))
                elif above.calls_model:
                    outer.add(id(above))
        return [span for span in calls if id(span) not in inner | outer]

    def _above(self, span: TracedSpan) -> Iterator[TracedSpan]:
        """The spans that a span lies in, innermost first."""
        seen = {span.id}
        while span.parent and span.parent not in seen:
            seen.add(span.parent)
            above = self._spans.get((span.trace, span.parent))
            if above is None:
                return
            yield above
            span = above

    def _conversation(self, span: TracedSpan) -> str:
        known = (item.conversation for item in (span, *self._above(span)))
        return next((found for found in known if found), span.trace)

    def _agents(self, span: TracedSpan) -> tuple[TracedSpan, ...]:
        """The agents that a call was made by, the outermost first, without that one: it is the conversation's own."""
        agents = [above for above in self._above(span) if above.agent]
        return tuple(reversed(agents))[1:]

    def _grown(self, name: str, spans: list[TracedSpan]) -> SpanConversation:
        threads: dict[tuple[str, ...], list[TracedSpan]] = defaultdict(list)
        agents: dict[tuple[str, ...], TracedSpan] = {}
        for span in spans:
            chain = self._agents(span)
            key = tuple(agent.id for agent in chain)
            threads[key].append(span)
            if chain:
                agents[key] = chain[-1]
        built = {
            key: SpanConversation(self._draft(name, key, calls, agents.get(key))) for key, calls in threads.items()
        }
        main = built.get(()) or max(built.values(), key=lambda item: item.size)
        for key, item in built.items():
            if item is not main:
                holder = next((built[key[:end]] for end in range(len(key) - 1, -1, -1) if key[:end] in built), main)
                holder.children.append(item)
        main.draft = replace(main.draft, id=name, parent_call_id=None)
        return main

    def _draft(
        self, name: str, key: tuple[str, ...], calls: list[TracedSpan], agent: TracedSpan | None
    ) -> SessionDraft:
        weave = Weave()
        draft = SessionDraft("#".join((name, *key)), weave.messages, weave.markers)
        for span in calls:
            usage = usage_of(span.given)
            if span.sent:
                weave.request(span.sent, usage.context if usage else None)
            for message in span.answers[:1] or _silent(span):
                if message.parts or message.tool_calls:
                    weave.answer(message)
                else:
                    weave.append(message)
            draft.model = span.model or draft.model
            draft.system = span.system or draft.system
            draft.tools = span.tools or draft.tools
            draft.project = text(span.given.get("gen_ai.agent.name")) or draft.project
        for message in self._unsent(weave.messages[-1:], calls):
            weave.append(message)
        if agent is not None:
            draft.title = text_or_none(agent.given.get("gen_ai.agent.name")) or agent.name
            tools = (above for above in self._above(agent) if above.operation == "execute_tool")
            draft.parent_call_id = next((text_or_none(tool.given.get("gen_ai.tool.call.id")) for tool in tools), None)
        return draft

    def _unsent(self, last: list[Message], calls: list[TracedSpan]) -> Iterator[Message]:
        """What the calls of the last answer brought: no request sends it any more, only the tools' own spans tell."""
        for call in last[0].tool_calls if last else ():
            known = (self._tools.get((trace, call.id)) for trace in {span.trace for span in calls})
            if (tool := next(filter(None, known), None)) is not None:
                yield from tool_result(tool)


def _silent(span: TracedSpan) -> tuple[Message, ...]:
    """The answer of a call whose content was not captured."""
    usage = usage_of(span.given)
    if usage is None or span.agent:
        return ()
    return (Message(0, "assistant", (), ts=span.ended, model=span.model, usage=usage, spans=(span.place,)),)
