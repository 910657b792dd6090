"""Sessions in memory, built from short descriptions, and strategies for random ones.

    session(user("Fix it"), assistant("", call("Read", file_path="a.py")), result("x = 1"), assistant("Done."))

Calls get the ids `call_1`, `call_2`, ... in order; a result answers the oldest call that is still open. Both can
be named instead (`call(..., call_id="x")`, `result(..., to="x")`). The source holds one OpenAI chat record a line, so
`written(session, path)` gives a file that the importers read: same roles, texts, calls and results.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ravenglass.profile import Profile, make_profile
from ravenglass.rules import SECTIONS, TIERS
from ravenglass.sessions.model.session import Kind, Message, Part, Role, Session, Span, ToolCall, Usage
from ravenglass.sessions.model.structure import link
from ravenglass.sessions.records.source import MemorySource

AUTO = "\0auto"
"""Stands for an id that `session` gives out."""


def _message(
    role: Role,
    text: str,
    *,
    kind: Kind = "ordinary",
    thinking: str = "",
    images: int = 0,
    **more: Any,
) -> Message:
    parts = [Part("thinking", thinking)] * bool(thinking) + [Part("text", text)] * bool(text)
    parts += [Part("image", "[image image/png, 48,112 bytes]")] * images
    return Message(0, role, tuple(parts), kind=kind, **more)


def user(text: str, *, kind: Kind = "prompt", images: int = 0, flags: Sequence[str] = ()) -> Message:
    """A user message; a prompt unless `kind` says otherwise."""
    return _message("user", text, kind=kind, images=images, flags=frozenset(flags))


def meta(text: str) -> Message:
    """A user message that the harness injected."""
    return user(text, kind="meta")


def summary(text: str) -> Message:
    """The harness's own compaction summary."""
    return user(text, kind="summary")


def system(text: str) -> Message:
    return _message("system", text)


def developer(text: str) -> Message:
    return _message("developer", text)


def call(name: str, /, *, call_id: str = AUTO, raw: str | None = None, **arguments: object) -> ToolCall:
    """A tool call; `raw` gives its arguments as text (damaged JSON, say)."""
    return ToolCall(call_id, name, json.dumps(arguments, ensure_ascii=False) if raw is None else raw)


def assistant(
    text: str = "",
    *calls: ToolCall,
    thinking: str = "",
    images: int = 0,
    flags: Sequence[str] = (),
    usage: Usage | None = None,
    model: str | None = None,
    source_id: str | None = None,
) -> Message:
    """An assistant message: a model call of the session, unless it is flagged `synthetic` or `api_error`."""
    return _message(
        "assistant", text, thinking=thinking, images=images, tool_calls=calls, flags=frozenset(flags), usage=usage,
        model=model, source_id=source_id,
    )  # fmt: skip


def result(
    text: str = "ok", *, to: str | None = AUTO, error: bool = False, images: int = 0, name: str | None = None
) -> Message:
    """A tool result; `to` is the id of the call it answers (None: the record has no id)."""
    return _message("tool", text, images=images, tool_call_id=to, is_error=error, tool_name=name)


def session(
    *messages: Message,
    session_id: str = "s1",
    project: str = "/home/dev/shop",
    seconds_apart: float | None = 10.0,
    **more: Any,
) -> Session:
    """The session of these messages in file order. `seconds_apart=None`: no message has a time.

    `more` are further fields of Session (title, tools_text, children, ...).
    """
    numbered = _numbered(messages)
    if seconds_apart is not None:
        numbered = [replace(m, ts=1_767_225_600.0 + m.id * seconds_apart) for m in numbered]
    data, spans = _records(numbered)
    numbered = [replace(m, spans=(span,)) for m, span in zip(numbered, spans, strict=True)]
    linked, structure = link(numbered)
    path = Path(f"{session_id}.jsonl")
    return Session(session_id, "openai-chat", path, linked, structure, MemorySource(data), project=project, **more)


def written(built: Session, path: Path) -> Path:
    """The session's records as a file."""
    source = built.source
    assert isinstance(source, MemorySource)
    path.write_bytes(source.data)
    return path


def filler(tokens: int) -> str:
    """Text of exactly that many tokens (both encodings) and without a single entity."""
    return " ".join("a" * bool(tokens) for _ in range(tokens))


def _numbered(messages: Sequence[Message]) -> list[Message]:
    done: list[Message] = []
    still_open: deque[str] = deque()
    given = 0
    for message in messages:
        calls = []
        for one in message.tool_calls:
            if one.id == AUTO:
                given += 1
                one = ToolCall(f"call_{given}", one.name, one.arguments)
            calls.append(one)
            still_open.append(one.id)
        answered = message.tool_call_id
        if answered == AUTO:
            if not still_open:
                raise ValueError(f"message {len(done)} answers no call; name one with to=")
            answered = still_open.popleft()
        elif answered is not None and answered in still_open:
            still_open.remove(answered)
        done.append(replace(message, id=len(done), tool_calls=tuple(calls), tool_call_id=answered))
    return done


def _records(messages: Sequence[Message]) -> tuple[bytes, list[Span]]:
    lines, spans, offset = [], [], 0
    for number, message in enumerate(messages, start=1):
        line = json.dumps(_record(message), ensure_ascii=False).encode("utf-8", "surrogatepass")
        lines.append(line)
        spans.append(Span(number, offset, len(line)))
        offset += len(line) + 1
    return b"".join(line + b"\n" for line in lines), spans


def _record(message: Message) -> dict[str, object]:
    record: dict[str, object] = {"role": message.role, "content": message.text}
    if message.tool_calls:
        record["tool_calls"] = [
            {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.arguments}}
            for c in message.tool_calls
        ]
    if message.tool_call_id is not None:
        record["tool_call_id"] = message.tool_call_id
    return record


# Random sessions. Small alphabets on purpose: entities, paths and ids have to meet again.

_WORDS = (
    "fix", "login", "quota", "cache", "src/auth.py", "src/cart.py", "KeyError", "max_tokens", "parseArgs", "test",
    "配额", "修改登录", "データを消す", "测试", "ok", "a", "12", "\n", "must not", "decided",
)  # fmt: skip
_PATHS = ("src/auth.py", "src/cart.py", "README.md", "CLAUDE.md", "/home/dev/shop/src/auth.py", "设置.toml", "")


@cache
def texts(longest: int = 3_000) -> st.SearchStrategy[str]:
    """Short texts mostly; now and then one of up to `longest` tokens or some arbitrary Unicode."""
    some = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)
    huge = st.builds(
        lambda head, size, gap: head + gap + filler(size).replace(" ", gap),
        some,
        st.integers(longest // 10, longest),
        st.sampled_from((" ", "\n")),
    )
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    return st.one_of(some, some, some, anything, huge)


@cache
def calls(longest: int = 3_000) -> st.SearchStrategy[ToolCall]:
    """Tool calls of every kind that the engine tells apart, damaged arguments included."""

    def of(name: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[ToolCall]:
        return st.fixed_dictionaries(arguments).map(lambda values: call(name, **values))

    paths = st.sampled_from(_PATHS)
    todo = st.tuples(st.sampled_from(_WORDS), st.sampled_from(("pending", "in_progress", "completed")))
    todos = st.lists(todo.map(lambda item: {"content": item[0], "status": item[1]}), max_size=3)
    return st.one_of(
        of("Read", file_path=paths),
        of("Read", file_path=paths, offset=st.integers(0, 2)),
        of("Write", file_path=paths, content=texts(longest)),
        of("Edit", file_path=paths, old_string=st.just("a"), new_string=texts(longest)),
        of("Edit", file_path=paths, old_string=st.just("a"), new_string=texts(longest), replace_all=st.just(True)),
        of("Bash", command=st.sampled_from(("pytest -q", "git diff", "ls", "git commit -m 'fix login'"))),
        of("Grep", pattern=st.sampled_from(_WORDS)),
        of("TodoWrite", todos=todos),
        of("Skill", skill=st.sampled_from(("review", "deploy"))),
        st.sampled_from((call("Bash", raw="{"), call("Read", raw='["a"]'), call("", raw=""), call("Task", raw="null"))),
    )


# Everything random is drawn as plain values first, so that each strategy is built once and drawing stays cheap.

_Answered = tuple[ToolCall, str, int, bool]
"""A call, the text of its result, how many images it has, whether it reports an error."""
_Exchange = tuple[str, str, list[_Answered], bool, Message | None]
"""Text, thinking, calls, whether the results come in reverse order, an injected message after them."""
_Turn = tuple[Message, list[_Exchange], str | None]
"""Prompt, exchanges, closing answer."""


@cache
def messages(turns: int = 4, exchanges: int = 4, longest: int = 3_000) -> st.SearchStrategy[list[Message]]:
    """A well-formed conversation: every call answered, results directly after their call, in any order."""
    text = texts(longest)
    seldom = st.sampled_from((False, False, False, True))
    answered = st.tuples(calls(longest), text, seldom.map(int), seldom)
    aside = st.one_of(st.none(), st.none(), text.map(meta), text.map(summary))
    thinking = st.sampled_from(("", "", "hm, max_tokens"))
    tool_group = st.tuples(text, thinking, st.lists(answered, min_size=1, max_size=3), st.booleans(), aside)
    prompt = st.tuples(text, seldom).map(lambda drawn: user(drawn[0], images=drawn[1]))
    turn = st.tuples(prompt, st.lists(tool_group, max_size=exchanges), st.none() | text)
    lead = st.none() | text.map(system) | text.map(developer)
    return st.tuples(lead, st.lists(turn, min_size=1, max_size=turns)).map(lambda drawn: _conversation(*drawn))


def _conversation(lead: Message | None, turns: list[_Turn]) -> list[Message]:
    found = [] if lead is None else [lead]
    number = 0
    for prompt, exchanges, closing in turns:
        found.append(prompt)
        for text, thinking, answered, backwards, aside in exchanges:
            named = []
            results = []
            for one, answer, images, error in answered:
                number += 1
                named.append(ToolCall(f"call_{number}", one.name, one.arguments))
                results.append(result(answer, to=f"call_{number}", images=images, error=error))
            found.append(assistant(text, *named, thinking=thinking))
            found += reversed(results) if backwards else results
            found += [] if aside is None else [aside]
        found += [] if closing is None else [assistant(closing)]
    return found


@cache
def damaged_messages(**size: int) -> st.SearchStrategy[list[Message]]:
    """A conversation with up to four things wrong with it."""
    place = st.integers(0, 99)
    odd = st.sampled_from(_ODD)
    wrong = st.tuples(st.sampled_from(_DAMAGES), place, place, odd)
    return st.tuples(messages(**size), st.lists(wrong, min_size=1, max_size=4)).map(lambda drawn: _damage(*drawn))


_ODD = (
    result("lost src/auth.py", to="lost"),
    result(filler(400), to=""),
    result("配额", to=None),
    meta("reminder"),
    summary("so far: fix login"),
    system("be brief"),
    assistant("hi", flags=["synthetic"]),
    user(""),
)


def _damage(found: list[Message], wrongs: list[tuple[_Damage, int, int, Message]]) -> list[Message]:
    done = list(found)
    for damage, one, other, odd in wrongs:
        if done:
            damage(done, one % len(done), other % len(done), odd)
    return done


_Damage = Callable[[list[Message], int, int, Message], None]


def _drop(found: list[Message], one: int, other: int, odd: Message) -> None:
    del found[one]


def _move(found: list[Message], one: int, other: int, odd: Message) -> None:
    """Late or early results, answers before their question."""
    found.insert(other, found.pop(one))


def _repeat(found: list[Message], one: int, other: int, odd: Message) -> None:
    """A record written twice: a duplicate result, a duplicate call id."""
    found.insert(other, found[one])


def _insert(found: list[Message], one: int, other: int, odd: Message) -> None:
    """An orphan result, or something that no model and no person wrote."""
    found.insert(one, odd)


def _reuse(found: list[Message], one: int, other: int, odd: Message) -> None:
    """Everything between two places shares one call id."""
    for position in range(min(one, other), max(one, other) + 1):
        changed = found[position]
        if changed.role == "tool":
            found[position] = replace(changed, tool_call_id="call_0")
        elif changed.tool_calls:
            calls = tuple(ToolCall("call_0", c.name, c.arguments) for c in changed.tool_calls)
            found[position] = replace(changed, tool_calls=calls)


_DAMAGES: tuple[_Damage, ...] = (_drop, _move, _move, _repeat, _insert, _insert, _reuse)


def valid_sessions(**size: int) -> st.SearchStrategy[Session]:
    """Well-formed sessions. `size`: turns, exchanges (a turn), longest (tokens of a text)."""
    return messages(**size).map(lambda found: session(*found))


def damaged_sessions(**size: int) -> st.SearchStrategy[Session]:
    """Sessions with late, repeated, missing and orphan results, reused ids, messages out of place."""
    return damaged_messages(**size).map(lambda found: session(*found))


def sessions(**size: int) -> st.SearchStrategy[Session]:
    """Sessions of either kind."""
    return valid_sessions(**size) | damaged_sessions(**size)


def with_calls(found: Session) -> bool:
    """For `.filter`: the session has at least one model call."""
    return bool(found.structure.calls)


@cache
def profiles(largest: int = 12_000) -> st.SearchStrategy[Profile]:
    """Legal profiles whose small windows put random sessions under pressure."""
    share = st.integers(0, 100).map(lambda n: n / 100)
    return st.builds(
        _profile,
        st.integers(1_000, largest),
        st.integers(0, 25),
        st.tuples(*[st.integers(0, 100)] * 4).map(sorted),
        st.fixed_dictionaries(
            {
                "output_reserve": st.sampled_from((0.0, 0.2)),
                "safety_buffer": st.sampled_from((0.0, 0.05)),
                "quota_borrowing": st.booleans(),
                "global_cap": share,
                "fast_path_threshold": share,
                "trim_target": st.integers(5, 100).map(lambda n: n / 100),
                "pressure_basis": st.sampled_from(("live", "full_log")),
                "eager_lifecycle": st.booleans(),
                "task_boundary": st.sampled_from(("every_user_message", "topic_shift", "todo")),
                "archive_below": share,
                "standby_calls": st.integers(1, 6),
                "protect_first_n": st.integers(0, 3),
                "protected_cap": share,
                "offload_tokens": st.sampled_from((50, 500)),
                "offload_after": st.integers(0, 3),
                "stub_lines": st.integers(0, 3),
                "stub_chars": st.sampled_from((40, 400)),
                "summarize": st.booleans(),
                "summary_tokens": st.sampled_from((100, 400, 2_000)),
                "section_order": st.permutations(SECTIONS).map(tuple) | st.just(SECTIONS),
            }
        ),
    )


def _profile(window: int, overhead: int, cuts: list[int], values: dict[str, Any]) -> Profile:
    """`overhead` in hundredths of the window; the four quotas lie between neighbouring cuts."""
    quotas = {f"quota_{tier}": (high - low) / 100 for tier, low, high in zip(TIERS, (0, *cuts), cuts, strict=False)}
    return make_profile(name="random", window=window, system_overhead=window * overhead // 100, **quotas, **values)
