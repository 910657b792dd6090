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
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ravenglass.profile import Profile, make_profile
from ravenglass.sessions.model import Kind, Message, Part, Role, Session, Span, ToolCall, Usage
from ravenglass.sessions.source import MemorySource
from ravenglass.sessions.structure import link

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
                one = replace(one, id=f"call_{given}")
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


def texts(longest: int = 3_000) -> st.SearchStrategy[str]:
    """Short texts mostly; now and then one of up to `longest` tokens or some arbitrary Unicode."""
    some = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)
    huge = st.builds(
        lambda head, size, lines: head + ("\n" if lines else " ") + filler(size).replace(" ", "\n" if lines else " "),
        some,
        st.integers(longest // 10, longest),
        st.booleans(),
    )
    anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
    return st.one_of(some, some, some, anything, huge)


def calls() -> st.SearchStrategy[ToolCall]:
    """Tool calls of every kind that the engine tells apart, damaged arguments included."""

    def of(name: str, **arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[ToolCall]:
        return st.builds(lambda values: call(name, **values), st.fixed_dictionaries(arguments))

    paths = st.sampled_from(_PATHS)
    todos = st.lists(
        st.builds(
            lambda text, status: {"content": text, "status": status, "activeForm": text},
            st.sampled_from(_WORDS),
            st.sampled_from(("pending", "in_progress", "completed")),
        ),
        max_size=3,
    )
    return st.one_of(
        of("Read", file_path=paths),
        of("Read", file_path=paths, offset=st.integers(0, 2)),
        of("Write", file_path=paths, content=texts(1_500)),
        of("Edit", file_path=paths, old_string=st.just("a"), new_string=texts(200)),
        of("Bash", command=st.sampled_from(("pytest -q", "git diff", "ls", "git commit -m 'fix login'"))),
        of("Grep", pattern=st.sampled_from(_WORDS)),
        of("TodoWrite", todos=todos),
        of("Skill", skill=st.sampled_from(("review", "deploy"))),
        st.sampled_from((call("Bash", raw="{"), call("Read", raw='["a"]'), call("", raw=""), call("Task", raw="null"))),
    )


@st.composite
def messages(draw: st.DrawFn, turns: int = 4, exchanges: int = 4, longest: int = 3_000) -> list[Message]:
    """A well-formed conversation: every call answered, results directly after their call, in any order."""
    text = texts(longest)
    found: list[Message] = []
    if draw(st.booleans()):
        found.append(draw(st.builds(system, text) | st.builds(developer, text)))
    number = 0
    for _ in range(draw(st.integers(1, turns))):
        found.append(draw(st.builds(user, text, images=st.sampled_from((0, 0, 0, 1)))))
        for _ in range(draw(st.integers(0, exchanges))):
            named = []
            for one in draw(st.lists(calls(), min_size=1, max_size=3)):
                number += 1
                named.append(replace(one, id=f"call_{number}"))
            found.append(assistant(draw(text), *named, thinking=draw(st.sampled_from(("", "", "hm, max_tokens")))))
            failed = st.sampled_from((False, False, True))
            found += [result(draw(text), to=one.id, error=draw(failed)) for one in draw(st.permutations(named))]
            if draw(st.integers(0, 5)) == 0:
                found.append(draw(st.builds(meta, text) | st.builds(summary, text)))
        if draw(st.booleans()):
            found.append(assistant(draw(text)))
    return found


@st.composite
def damaged_messages(draw: st.DrawFn, /, **size: int) -> list[Message]:
    """A conversation with up to four things wrong with it."""
    found = draw(messages(**size))
    for _ in range(draw(st.integers(1, 4))):
        draw(st.sampled_from(_DAMAGES))(draw, found)
    return found


def _place(draw: st.DrawFn, found: list[Message]) -> int:
    return draw(st.integers(0, max(0, len(found) - 1)))


def _drop(draw: st.DrawFn, found: list[Message]) -> None:
    if found:
        del found[_place(draw, found)]


def _move(draw: st.DrawFn, found: list[Message]) -> None:
    """Late or early results, answers before their question."""
    if found:
        moved = found.pop(_place(draw, found))
        found.insert(draw(st.integers(0, len(found))), moved)


def _repeat(draw: st.DrawFn, found: list[Message]) -> None:
    """A record written twice: a duplicate result, a duplicate call id."""
    if found:
        found.insert(draw(st.integers(0, len(found))), found[_place(draw, found)])


def _orphan(draw: st.DrawFn, found: list[Message]) -> None:
    found.insert(_place(draw, found), draw(st.builds(result, texts(), to=st.sampled_from(("lost", "", None)))))


def _reuse(draw: st.DrawFn, found: list[Message]) -> None:
    """Some calls and results share one id."""
    for position in sorted({_place(draw, found) for _ in range(3)}) if found else ():
        one = found[position]
        if one.role == "tool":
            found[position] = replace(one, tool_call_id="call_0")
        elif one.tool_calls:
            found[position] = replace(one, tool_calls=tuple(replace(c, id="call_0") for c in one.tool_calls))


def _insert(draw: st.DrawFn, found: list[Message]) -> None:
    """Something that no model and no person wrote, anywhere."""
    odd = (
        meta("reminder"),
        summary("so far: fix login"),
        system("be brief"),
        assistant("hi", flags=["synthetic"]),
        user(""),
    )
    found.insert(_place(draw, found), draw(st.sampled_from(odd)))


_DAMAGES: tuple[Callable[[st.DrawFn, list[Message]], None], ...] = (
    _drop,
    _move,
    _move,
    _repeat,
    _orphan,
    _reuse,
    _insert,
)


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


@st.composite
def profiles(draw: st.DrawFn, largest: int = 12_000) -> Profile:
    """Legal profiles whose small windows put random sessions under pressure."""
    share = st.integers(0, 100).map(lambda n: n / 100)
    cut = sorted(draw(st.lists(st.integers(0, 100), min_size=4, max_size=4)))
    quotas = [(b - a) / 100 for a, b in zip([0, *cut[:3]], cut, strict=True)]
    window = draw(st.integers(1_000, largest))
    return make_profile(
        name="random",
        window=window,
        output_reserve=draw(st.sampled_from((0.0, 0.2))),
        safety_buffer=draw(st.sampled_from((0.0, 0.05))),
        system_overhead=draw(st.integers(0, window // 4)),
        **dict(zip(("quota_global", "quota_session", "quota_task", "quota_atomic"), quotas, strict=True)),
        quota_borrowing=draw(st.booleans()),
        global_cap=draw(share),
        fast_path_threshold=draw(share),
        trim_target=draw(st.integers(5, 100)) / 100,
        pressure_basis=draw(st.sampled_from(("live", "full_log"))),
        eager_lifecycle=draw(st.booleans()),
        task_boundary=draw(st.sampled_from(("every_user_message", "topic_shift", "todo"))),
        archive_below=draw(share),
        standby_calls=draw(st.integers(1, 6)),
        protect_first_n=draw(st.integers(0, 3)),
        protected_cap=draw(share),
        offload_tokens=draw(st.sampled_from((50, 500))),
        offload_after=draw(st.integers(0, 3)),
        stub_lines=draw(st.integers(0, 3)),
        stub_chars=draw(st.sampled_from((40, 400))),
    )
