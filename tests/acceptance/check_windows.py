"""Checks windows written by `ravenglass replay --windows` against the file they come from, with code of its own.

Reads the session file (source_records), the windows and the JSON object that the command prints; counts tokens with
its own encoding (recount). Of the program it uses the command line, and one call: `Run.retrieve`, to see what the
archive gives back. Run as a script it checks files named on the command line and prints what it finds.

What it cannot know, and how it stays strict all the same:
- An image costs 1,600 tokens as long as its message is not cut; a cut message carries a mark, so both are exact.
- Who typed a user message is certain only for text that is neither marked as injected nor begins with "<"; other
  messages may or may not be prompts. Requests and protected exchanges are demanded where every reading agrees.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.acceptance.recount import count
from tests.acceptance.window_truth import (
    MARKS,
    OPENING,
    OVERHEAD,
    PARTS,
    PRESETS,
    PROTECTED_CAP,
    PROTECTED_EXCHANGES,
    STATE,
    SUMMARY,
    SUMMARY_TOKENS,
    Json,
    Replayed,
    Truth,
    replayed,
    tokens_of,
)


def check(truth: Truth, made: Replayed) -> Iterator[str]:
    """Sentences on everything that is wrong with the windows of one profile."""
    if [w["call"] for w in made.windows] != list(range(1, len(truth.calls) + 1)):
        yield f"there are {len(truth.calls)} calls in the file, and windows for {[w['call'] for w in made.windows]}"
        return
    yield from _wide(truth)
    before: set[int] = set()
    told_before: str | None = None
    for window, figures in zip(made.windows, made.summary["calls"], strict=True):
        call = window["call"]
        sentences = [*_structure(window), *_counts(truth, window, figures, made.available), *_texts(truth, window)]
        sentences += _request(truth, window, made.available)
        lacking, fits = _kept(truth, window, made.available)
        told = _summary_of(window)
        sentences += _summary(truth, window)
        if told is not None and told != told_before and not (lacking or _was_cut(window)):
            sentences.append("a summary was made although eviction was enough")
        told_before = told
        # What had to go in a call without room, and was archived then, need not come back by itself.
        since = truth.known(call - 1) if call > 1 else 0
        sentences += [
            f"protected or pinned message {m} is out" for m in lacking if fits and (m in before or m >= since)
        ]
        before = {m["id"] for m in window["messages"]}
        yield from (f"call {call}: {sentence}" for sentence in sentences)


def _wide(truth: Truth) -> Iterator[str]:
    """With a window that holds everything, every message is there as it was recorded."""
    last = truth.known(len(truth.calls)) if truth.calls else 0
    for m in range(last):
        shown, recorded = truth.whole.get(m), truth.messages[m]
        if recorded.again:
            if shown is not None:
                yield f"message {m} was written twice and sent twice"
            continue
        if shown is None:
            yield f"message {m} is in no window, however large"
            continue
        role = "user" if recorded.role == "tool" and "tool_call_id" not in shown else recorded.role
        if shown["role"] != role:
            yield f"message {m} is shown as {shown['role']}, recorded as {recorded.role}"
        given = [(c["id"], c["function"]["name"]) for c in shown.get("tool_calls", ())]
        named = all(not call_id.startswith("?") for call_id, _ in recorded.calls)
        if given != list(recorded.calls) if named else [n for _, n in given] != [n for _, n in recorded.calls]:
            yield f"message {m} is shown with the calls {given}"
        # A result without a call has a line of explanation above its text.
        text = shown["content"].partition("\n")[2] if role != recorded.role else shown["content"]
        if recorded.text is not None and _plain(recorded.text) != _plain(text):
            yield f"message {m} is not shown as it was recorded"


def _plain(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


def _structure(window: Json) -> Iterator[str]:
    """No result without its call, no call without its result, results right behind the call, a user message first."""
    messages = window["messages"]
    history = [m for m in messages if m["role"] not in ("system", "developer")]
    if not history or history[0]["role"] != "user":
        yield f"the conversation starts with {history[0]['role'] if history else 'nothing'}"
    if messages[len(messages) - len(history) :] != history:
        yield "an instruction stands inside the conversation"
    waiting: Counter[str] = Counter()
    for position, message in enumerate(messages):
        if message["role"] == "tool":
            if waiting[message["tool_call_id"]] < 1:
                yield f"block {position} is a result without its call"
            waiting[message["tool_call_id"]] -= 1
            continue
        if +waiting:
            yield f"block {position} stands where results of {sorted(+waiting)} are missing"
        waiting = Counter(call["id"] for call in message.get("tool_calls", ()))
    if +waiting:
        yield f"results of {sorted(+waiting)} are missing at the end"


def _counts(truth: Truth, window: Json, figures: Json, available: int) -> Iterator[str]:
    """Never over C, and every number is the number of these very messages."""
    images = {m["id"]: truth.messages[m["id"]].images for m in window["messages"] if m["id"] is not None}
    tokens = sum(tokens_of(m, images.get(m["id"], 0)) for m in window["messages"])
    if tokens > available:
        yield f"{tokens} tokens are over C = {available}"
    if not tokens == window["tokens"] == figures["window_tokens"] == sum(figures["by_tier"].values()):
        yield f"{tokens} tokens, and the program says {window['tokens']} and {figures}"
    ids = [m["id"] for m in window["messages"] if m["id"] is not None]
    if len(ids) != len(set(ids)) or len(ids) != figures["included"]:
        yield f"the window holds {len(ids)} messages, and the program says {figures['included']}"
    if any(m >= truth.known(window["call"]) for m in ids):
        yield "the window holds messages of the future"


def _texts(truth: Truth, window: Json) -> Iterator[str]:
    """A text is the recorded one, or says that it is not."""
    for message in window["messages"]:
        whole = truth.whole.get(message["id"])
        if whole and message["content"] != whole["content"] and not any(mark in message["content"] for mark in MARKS):
            yield f"message {message['id']} has another text than the record, and no mark"


def _summary_of(window: Json) -> str | None:
    """The text of the summary in a window."""
    found = [m["content"] for m in window["messages"] if m["id"] is None and m["content"].startswith(SUMMARY)]
    return found[0] if found else None


def _was_cut(window: Json) -> bool:
    """Whether something that had to stay did not fit whole: a text was cut, or the working state was left out."""
    texts = [m["content"] for m in window["messages"]]
    return any(MARKS[1] in text for text in texts) or not any(text.startswith(STATE) for text in texts)


def _summary(truth: Truth, window: Json) -> Iterator[str]:
    """Nine parts in order, within its size, about messages that the call knows and that are out; ends with the path."""
    made = [m for m in window["messages"] if m["id"] is None and m["content"].startswith(SUMMARY)]
    if not made:
        return
    if len(made) > 1 or made[0]["role"] != "system":
        yield f"there are {len(made)} summaries, the first of role {made[0]['role']}"
    text = made[0]["content"]
    if tokens_of(made[0], 0) > SUMMARY_TOKENS:
        yield f"the summary takes {tokens_of(made[0], 0)} tokens"
    if text.split("\n")[-1] != f"Read the full transcript at: {truth.path.absolute()}":
        yield "the summary does not end with the path of the transcript"
    parts = re.split(r"^## \d\. ", text, flags=re.MULTILINE)[1:]
    if tuple(part.partition("\n")[0] for part in parts) != PARTS:
        yield f"the summary has other parts: {[part.partition(chr(10))[0] for part in parts]}"
        return
    known, ids = truth.known(window["call"]), {m["id"] for m in window["messages"]}
    numbers = {int(n) for n in re.findall(r"\(#(\d+)\)$", text, re.MULTILINE)}
    if any(n >= known for n in numbers):
        yield f"the summary tells of messages that are not known yet: {sorted(n for n in numbers if n >= known)}"
    for number, said in re.findall(r"^- #(\d+): (.*)$", parts[5], re.MULTILINE):
        m = int(number)
        if m >= known or truth.messages[m].role != "user" or m in ids:
            yield f"the summary has message {m} as a user's that left the window, and it is not"
            continue
        recorded = truth.messages[m].text
        whole = " ".join((recorded or "").split())
        if recorded is not None and not (whole == said or (said.endswith("…") and whole.startswith(said[:-1]))):
            yield f"the summary has other words of message {m} than the record"


def _request(truth: Truth, window: Json, available: int) -> Iterator[str]:
    """The latest user message is in, and the latest that a person surely typed; so is the newest group."""
    ids = {m["id"] for m in window["messages"]}
    known = truth.known(window["call"])
    users = [m for m in range(known) if truth.messages[m].role == "user"]
    typed = [m for m in users if truth.messages[m].typed is not False]
    wanted = set(users[-1:]) | {m for m in typed[-1:] if truth.messages[m].typed}
    for m in sorted(wanted - ids):
        if truth.size(m) <= available:
            yield f"the current user message {m} is out"
    newest = max((group for group in truth.groups if group[0] < known), default=())
    if newest and newest[0] not in ids and sum(truth.size(m) for m in wanted) <= available // 2:
        yield f"the newest group {newest} is out"


def _kept(truth: Truth, window: Json, available: int) -> tuple[list[int], bool]:
    """Protected and pinned messages that are out, and whether cap and budget leave room for all of them."""
    known, ids = truth.known(window["call"]), {m["id"] for m in window["messages"]}
    protected, certain = _protected(truth, known)
    kept = {m for group in (*protected, *_pinned(truth, known)) for m in group if m < known}
    users = [m for m in range(known) if truth.messages[m].role == "user"]
    must = {*users[-1:], *[m for m in users if truth.messages[m].typed is not False][-1:]}
    exchanges = [g for g in truth.groups if g[0] < known]
    since = truth.known(window["call"] - 1) if window["call"] > 1 else 0
    for group in (*exchanges[-1:], *(g for g in exchanges if len(g) > 1 and g[-1] >= since)):
        must |= {m for m in group if m < known}
    size, beside = (sum(truth.size(m) for m in found) for found in (kept, must - kept))
    spare = 64 * OVERHEAD + count(OPENING)
    fits = certain and size <= PROTECTED_CAP * available and size + beside + spare <= available
    return sorted(kept - ids), fits


def _protected(truth: Truth, known: int) -> tuple[list[tuple[int, ...]], bool]:
    """Groups of the session's head; False where it cannot be told which they are."""
    found = [g for g in truth.groups if g[0] < known and truth.messages[g[0]].role in ("system", "developer")]
    seen, waiting = 0, False
    for group in (g for g in truth.groups if g[0] < known):
        first = truth.messages[group[0]]
        if first.role == "user" and first.typed is None:
            return found, False
        if first.role == "user" and first.typed:
            if seen == PROTECTED_EXCHANGES:
                break
            seen, waiting = seen + 1, True
            found.append(group)
        elif waiting and first.is_call:
            waiting = False
            found.append(group)
    return found, True


def _pinned(truth: Truth, known: int) -> list[tuple[int, ...]]:
    """The latest exchange that reads each instruction: skills, and files that hold one."""
    latest: dict[str, tuple[int, ...]] = {}
    for group in (g for g in truth.groups if g[0] < known):
        first = truth.messages[group[0]]
        for (_, name), arguments in zip(first.calls, first.arguments, strict=True):
            skill = name == "Skill" or (name.lower().startswith("read") and '/SKILL.md"' in arguments)
            if skill or "local/subagent-dag-orchestration" in arguments:
                latest[f"{name} {arguments}" if name != "Skill" else str(json.loads(arguments).get("skill"))] = group
    return list(latest.values())


def check_archive(truth: Truth, made: Replayed, profile: str) -> Iterator[str]:
    """Everything that a window left out comes back byte for byte. The one place where the program's API is used."""
    from ravenglass.presets import load
    from ravenglass.replay import replay
    from ravenglass.sessions import open_session

    if len(made.windows) != len(truth.calls):
        return
    run = replay(open_session(truth.path), load(profile))
    gone: set[int] = set()
    for window in made.windows:
        gone |= set(range(truth.known(window["call"]))) - {m["id"] for m in window["messages"]}
    archived = {m for entry in run.archive() for m in entry.messages}
    for m in sorted(gone | archived):
        group = truth.group_of[m]
        back = run.retrieve(run.ref(m), max_tokens=0)
        if back.raw != tuple(truth.raw(member) for member in group):
            yield f"message {m} does not come back as it stands in the file"
        if back.truncated:
            yield f"message {m} comes back truncated"


def main(paths: list[str]) -> int:
    """Check files under every preset; returns 1 if anything is wrong."""
    import tempfile

    wrong = 0
    for path in map(Path, paths):
        with tempfile.TemporaryDirectory() as folder:
            truth = Truth(path, Path(folder))
            for preset in PRESETS:
                made = replayed(path, Path(folder), "--profile", preset)
                found = [*check(truth, made), *check_archive(truth, made, preset)]
                wrong += len(found)
                print(f"{path.name}  {preset}: {len(made.windows)} windows, {len(found)} problems")
                for sentence in found[:10]:
                    print(f"    {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
