"""A plan and what the assembler said about it, as a log holds them."""

from __future__ import annotations

from dataclasses import dataclass

from ravenglass.sessions.records.values import count, mapping, sequence, text
from ravenglass.trace import Json


@dataclass(frozen=True, slots=True)
class LoggedPlan:
    """What a curator, or its fail-safe, proposed. Ids are those of the log."""

    include: tuple[int, ...] = ()
    archive_refs: tuple[str, ...] = ()
    memory_sections: tuple[str, ...] = ()
    working_state: str | bool | None = None
    """The text that was injected, or only whether one was; None: not said."""
    drop: tuple[int, ...] = ()
    notes: str = ""


@dataclass(frozen=True, slots=True)
class LoggedVerdict:
    """The assembler's answer. None where the log does not say."""

    ok: bool | None = None
    tokens: int | None = None
    budget: int | None = None
    over_by: int | None = None
    source: str = ""
    """What counted the tokens, by the log's own word."""
    included: tuple[int, ...] | None = None
    errors: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    impossible: bool = False


def ids(value: object) -> tuple[int, ...]:
    """Message ids in a list; what is no whole number is left out."""
    return tuple(number for item in sequence(value) if (number := count(item)) is not None)


def strings(value: object) -> tuple[str, ...]:
    """Texts in a list; what is none is left out."""
    return tuple(item for item in sequence(value) if isinstance(item, str))


def read_plan(value: object) -> LoggedPlan:
    """A plan payload, or the arguments of curator_build_context."""
    plan = mapping(value)
    injected = plan.get("working_state_injection")
    return LoggedPlan(
        ids(plan.get("include_message_ids")), strings(plan.get("include_archive_refs")),
        strings(plan.get("memory_sections")), injected if isinstance(injected, str | bool) else None,
        ids(plan.get("drop_message_ids")), text(plan.get("notes")),
    )  # fmt: skip


def read_verdict(value: object) -> LoggedVerdict:
    """A validation payload, or the result of curator_build_context, which may hold one inside."""
    outer = mapping(value)
    inner: Json = {**mapping(outer.get("validation")), **outer}
    ok = inner.get("ok", inner.get("accepted"))
    errors = strings(inner.get("errors")) or ((text(inner.get("error")),) if text(inner.get("error")) else ())
    included = inner.get("included_message_ids")
    tokens = count(inner.get("total_tokens"))
    return LoggedVerdict(
        ok if isinstance(ok, bool) else None if not errors else False,
        tokens if tokens is not None else count(inner.get("final_total_tokens")),
        count(inner.get("max_prompt_tokens")), count(inner.get("over_by")), text(inner.get("source")),
        ids(included) if isinstance(included, list) else None, errors, strings(inner.get("assembler_warnings")),
        inner.get("impossible") is True,
    )  # fmt: skip
