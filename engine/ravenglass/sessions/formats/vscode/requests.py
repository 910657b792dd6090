"""One request of a chat in VS Code: the prompt, the rounds of calls with their results, the last answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ravenglass.sessions.importing.content.blocks import parts_of, unknown
from ravenglass.sessions.importing.content.salvaged import told
from ravenglass.sessions.importing.draft import MessageDraft
from ravenglass.sessions.importing.turns import Turns
from ravenglass.sessions.model.session import Marker, Part, Span, Usage
from ravenglass.sessions.records.times import seconds
from ravenglass.sessions.records.values import count, listed, mapping, sequence, text, text_or_none

_SUFFIX = re.compile(r"__vscode-[\w-]*\Z")
_QUIET = frozenset({
    "undoStop", "codeblockUri", "textEditGroup", "notebookEditGroup", "progressTaskSerialized", "progressTask",
    "progressMessage", "mcpServersStarting", "prepareToolInvocation", "confirmation", "elicitation", "command",
    "references", "codeCitation", "usedContext", "treeData", "multiDiffData", "extensions", "pullRequest", "reference",
})  # fmt: skip
"""Parts of the answer that only the screen needs."""


class ChatTurns:
    """The messages of a chat's requests, and where its rounds stand, so that summaries can name them."""

    def __init__(self) -> None:
        self.turns = Turns()
        self.markers: list[Marker] = []
        self._ends: dict[str, int] = {}

    def add(self, request: dict[str, Any], spans: Sequence[Span]) -> None:
        """Add one request with everything that followed from it."""
        result = mapping(request.get("result"))
        about = mapping(result.get("metadata"))
        ts, model = seconds(request.get("timestamp")), text_or_none(request.get("modelId"))
        self.turns.close()
        self._spanned(self.turns.spoken("user", _prompt(request, about), spans[0], ts, kind="prompt",
                                        source_id=text_or_none(request.get("requestId"))), spans)  # fmt: skip
        rounds = [mapping(item) for item in sequence(about.get("toolCallRounds"))]
        before = len(self.turns.drafts)
        if rounds:
            results = {_plain(key): value for key, value in mapping(about.get("toolCallResults")).items()}
            for item in rounds:
                self._round(item, results, spans[-1], ts, model)
            self._rest(request, rounds, spans[-1], ts, model)
        else:
            self._shown(request, spans[-1], ts, model)
        self._usage(about, result, before)
        self._summaries(about, spans[-1], ts)

    def _spanned(self, draft: MessageDraft, spans: Sequence[Span]) -> None:
        draft.spans = list(spans)

    def _round(
        self, item: dict[str, Any], results: dict[str, Any], span: Span, ts: float | None, model: str | None
    ) -> None:
        self.turns.close()
        when = seconds(item.get("timestamp")) or ts
        draft = self.turns.answer(span, when, model=model)
        thought = mapping(item.get("thinking")).get("text")
        words = "\n".join(map(text, listed(thought)))
        if words:
            draft.parts.append(Part("thinking", words))
        draft.parts.extend(parts_of(item.get("response")))
        calls = [mapping(call) for call in sequence(item.get("toolCalls"))]
        for call in calls:
            self.turns.call(draft, _plain(text(call.get("id"))), call.get("name"), call.get("arguments"))
        for made in draft.calls:
            if made.id in results:
                self.turns.result(made.id, _result(results[made.id]), span, when)
        self._ends[text(item.get("id"))] = len(self.turns.drafts)

    def _rest(
        self, request: dict[str, Any], rounds: list[dict[str, Any]], span: Span, ts: float | None, model: str | None
    ) -> None:
        """What was shown and stands in no round, such as an answer without a round of its own."""
        told_already = "\n".join(text(item.get("response")) for item in rounds)
        words = [
            part for part in sequence(request.get("response")) if mapping(part).get("kind") in (None, "markdownContent")
        ]
        said = tuple(part for item in words for part in _part(item) if part.text.strip() not in told_already)
        if said:
            self.turns.close()
            self.turns.answer(span, ts, model=model).parts.extend(said)

    def _shown(self, request: dict[str, Any], span: Span, ts: float | None, model: str | None) -> None:
        """An answer that has no rounds: what the screen showed is all there is."""
        for item in listed(request.get("response")):
            fields = mapping(item)
            if fields.get("kind") == "toolInvocationSerialized":
                draft = self.turns.answer(span, ts, model=model)
                given = mapping(fields.get("toolSpecificData")) or {"invocation": "\n".join(told(fields))}
                self.turns.call(draft, _plain(text(fields.get("toolCallId"))), fields.get("toolId"), given)
                details = fields.get("resultDetails")
                if details is not None and fields.get("isComplete") is True:
                    words = "\n".join(told({"result": details}))
                    self.turns.result(draft.calls[-1].id, parts_of(words), span, ts)
                continue
            parts = _part(item)
            if parts:
                self.turns.answer(span, ts, model=model).parts.extend(parts)
        error = text(mapping(mapping(request.get("result")).get("errorDetails")).get("message"))
        if error:
            self.turns.close()
            draft = self.turns.answer(span, ts)
            draft.parts.append(Part("text", error))
            draft.flags |= {"api_error"}

    def _usage(self, about: dict[str, Any], result: dict[str, Any], before: int) -> None:
        """The figures are those of the turn's last, which is its largest, request."""
        usage = mapping(result.get("usage"))
        sent = count(about.get("promptTokens")) or count(result.get("promptTokens")) or count(usage.get("promptTokens"))
        came = (
            count(about.get("outputTokens"))
            or count(result.get("outputTokens"))
            or count(usage.get("completionTokens"))
        )
        last = next((draft for draft in reversed(self.turns.drafts[before:]) if draft.role == "assistant"), None)
        if last is not None and (sent or came):
            last.usage = Usage(sent, came)
        resolved = text_or_none(about.get("resolvedModel"))
        for draft in self.turns.drafts[before:]:
            if draft.role == "assistant":
                draft.model = resolved or draft.model

    def _summaries(self, about: dict[str, Any], span: Span, ts: float | None) -> None:
        """A summary takes the place of everything up to the round it names."""
        found = [mapping(item) for item in sequence(about.get("summaries"))]
        found += [mapping(about["summary"])] if mapping(about.get("summary")) and not found else []
        for item in found:
            end = self._ends.get(text(item.get("toolCallRoundId")))
            words = text(item.get("text"))
            if not words:
                continue
            at = len(self.turns.drafts)
            keep = tuple(range(end, at)) if end is not None else ()
            self.markers.append(Marker("compaction", at, "the conversation before is sent as its summary", keep,
                                       tokens_before=count(item.get("contextLengthBefore"))))  # fmt: skip
            self.turns.spoken("user", (Part("text", words),), span, ts, kind="summary")


def _prompt(request: dict[str, Any], about: dict[str, Any]) -> tuple[Part, ...]:
    """The prompt as it was sent where that is written, else as it was typed."""
    sent = [mapping(item) for item in sequence(about.get("renderedUserMessage"))]
    parts = tuple(Part("text", text(item.get("text"))) for item in sent if text(item.get("text")))
    if parts:
        return parts
    message = request.get("message")
    return parts_of(text(mapping(message).get("text"))) or parts_of(message if isinstance(message, str) else None)


def typed(request: dict[str, Any]) -> str:
    """What the person typed."""
    message = request.get("message")
    return text(mapping(message).get("text")) or text(message)


def _plain(call: str) -> str:
    return _SUFFIX.sub("", call)


def _result(value: object) -> tuple[Part, ...]:
    items = listed(mapping(value).get("content", value))
    return tuple(part for item in items for part in _content(item))


def _content(item: object) -> tuple[Part, ...]:
    fields = mapping(item)
    inner = fields.get("value")
    if isinstance(inner, str):
        return parts_of(inner)
    if inner is not None:
        words = "\n".join(told({"value": inner}))
        return parts_of(words) or (unknown("tool result", item),)
    return parts_of(item)


def _part(item: object) -> tuple[Part, ...]:
    """A part of the shown answer that is words; one of an unknown kind is kept and counted."""
    fields = mapping(item)
    kind = text_or_none(fields.get("kind"))
    if isinstance(item, str) or kind in (None, "markdown", "markdownContent", "markdownVuln", "warning", "thinking"):
        inner = fields.get("value", fields.get("content", item if isinstance(item, str) else None))
        words = inner if isinstance(inner, str) else "\n".join(told({"value": inner}))
        return (Part("thinking" if kind == "thinking" else "text", words),) if words else ()
    if kind == "inlineReference":
        name = text(fields.get("name")) or text(mapping(fields.get("inlineReference")).get("path"))
        return parts_of(name)
    if kind in _QUIET or kind == "toolInvocationSerialized":
        return ()
    return (unknown(str(kind), item),) if next(told(item), None) is not None else ()
