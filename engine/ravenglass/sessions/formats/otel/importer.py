"""Imports OpenTelemetry exports with spans of generative AI (formats.md, section 12).

Written after OTLP's JSON encoding and the GenAI semantic conventions, the older ones and OpenLLMetry's too.
"""

from __future__ import annotations

from dataclasses import replace

from ravenglass.sessions.formats.otel.spans import is_span, logged, speaks_genai, traced
from ravenglass.sessions.formats.otel.tree import SpanTree
from ravenglass.sessions.importing.assembly import assembled, stem
from ravenglass.sessions.importing.importer import Head
from ravenglass.sessions.importing.located import Located, located
from ravenglass.sessions.model.session import OtherRecord, Session
from ravenglass.sessions.records.reader import Record, Records
from ravenglass.sessions.records.values import kind_of, mapping, text

_SPANS, _LOGS = "resourceSpans", "resourceLogs"


class OTel:
    """OTLP JSON: a document, or one export a line."""

    name = "otel"
    label = "OpenTelemetry GenAI spans (OTLP JSON)"
    description = (
        "Maps model calls with their messages, system instructions, tool definitions and usage; calls that repeat the "
        "history of their conversation (or trace) are one session, agents inside agents its children. It keeps every "
        "span, log record and resource as another record. Where content was not captured, calls have usage only."
    )

    def sniff(self, head: Head) -> float:
        """Sure for an export with attributes of the conventions, fairly for any other export."""
        values = [mapping(record) for record in head.records]
        if any(_SPANS in value or _LOGS in value for value in values):
            return 0.95
        return 0.85 if any(is_span(value) and speaks_genai(value) for value in values) else 0.0

    def begin(self, records: Records) -> _Reading:
        """The longest conversation is the session, the others are its children."""
        return _Reading(records)


class _Reading:
    def __init__(self, records: Records) -> None:
        self._records = records
        self._tree = SpanTree()
        self._other: list[OtherRecord] = []

    def take(self, record: Record) -> None:
        found = located(self._records, record)
        value = found.object
        if is_span(value):
            self._span(found)
        elif _SPANS in value or _LOGS in value:
            self._walk(found, _SPANS, "scopeSpans", "spans")
            self._walk(found, _LOGS, "scopeLogs", "logRecords")
            self._other += found.others(_SPANS, _LOGS)
        elif isinstance(found.value, list) and any(is_span(item) or _SPANS in mapping(item) for item in found.value):
            for item in found.items():
                self.take(Record(item.value, item.span))
        else:
            self._other.append(OtherRecord(kind_of(found.value), found.span))

    def _walk(self, found: Located, outer: str, middle: str, leaf: str) -> None:
        for resource in self._inside(found, outer):
            self._other += resource.others(middle, "instrumentationLibrarySpans", prefix="resource/")
            scopes = (*self._inside(resource, middle), *self._inside(resource, "instrumentationLibrarySpans"))
            for scope in scopes:
                self._other += scope.others(leaf, prefix="scope/")
                for item in self._inside(scope, leaf):
                    if leaf == "spans":
                        self._span(item)
                    else:
                        self._log(item)

    def _inside(self, found: Located, key: str) -> list[Located]:
        """The objects of an array; what stands in their place and is none is kept."""
        inner = found.get(key)
        items = inner.items() if inner is not None else []
        strange = [item for item in items if not item.object]
        if inner is not None and not items:
            strange.append(inner)
        self._other += [OtherRecord(f"{key}, {kind_of(item.value)}", item.span) for item in strange]
        return [item for item in items if item.object]

    def _span(self, found: Located) -> None:
        if not is_span(found.value):
            self._other.append(OtherRecord(kind_of(found.value), found.span))
            return
        span = traced(found)
        self._other.append(OtherRecord(f"span {span.operation or span.name}", span.place))
        self._tree.add(span)

    def _log(self, found: Located) -> None:
        value = found.object
        name, told = logged(value)
        self._other.append(OtherRecord(f"event {name or kind_of(found.value)}", found.span))
        self._tree.told(text(value.get("traceId")), text(value.get("spanId")), name, told)

    def session(self) -> Session:
        name = stem(self._records.opened.path)
        conversations = self._tree.conversations(name)
        built = [item.session(self._records, OTel.name, main=number == 0) for number, item in enumerate(conversations)]
        if not built:
            empty = self._tree.empty(name)
            return replace(assembled(empty, OTel.name, self._records), other=tuple(self._other))
        main, *rest = built
        warnings = main.warnings
        if rest:
            sentence = (
                f"The file holds {len(built):,} conversations; the longest is the session, the others are its children."
            )
            warnings = (sentence, *warnings)
        if all(not message.parts and not message.tool_calls for message in main.messages) and main.messages:
            warnings = (*warnings, "The spans hold no content: capturing it is off by default; only usage is known.")
        return replace(main, children=(*main.children, *rest), other=tuple(self._other), warnings=warnings)
