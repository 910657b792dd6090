"""Calls that fetch again what an earlier result showed, with nothing in between that changed it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ravenglass.hub.files.paths import inside, normal_path
from ravenglass.hub.files.toolbox import arguments, strings
from ravenglass.hub.files.touched import touched
from ravenglass.replay.measures.needs import shown as showing
from ravenglass.replay.measures.needs.asked import Asked, AskedLook, Effect
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.places import Places
from ravenglass.replay.measures.needs.shell.programs import may_write_file
from ravenglass.replay.measures.needs.shown import Shown
from ravenglass.replay.measures.needs.tool_asked import tool_asked
from ravenglass.sessions.model.session import Message, ToolCall

_SAID_CHANGED = re.compile(
    r"(?i)\b(?:i|i've|i have|we|we've|someone|they)\s+(?:just\s+|already\s+|have\s+|manually\s+|also\s+)*"
    r"(?:changed|edited|updated|modified|fixed|committed|pushed|pulled|merged|rebased|reverted|reset|saved|renamed|moved|deleted|removed|added|amended"
    r"|checked out|switched|made (?:some |a few |the )?(?:changes|edits))\b"
    r"|\b(?:file|files|code|branch|it)\s+(?:was|were|has been|have been|is now)\s+(?:changed|updated|modified|edited"
    r"|fixed|committed)\b"
    r"|(?:我|已经?|刚刚?|我们)[^。，\n]{0,6}(?:改了|修改了|更新了|改过|改好|编辑了|提交了|推送了|合并了|删了|删除了|重命名|换了|保存了|添加了|加了)"
)
_FILE = re.compile(r"[\w./~-]*[\w-]\.[A-Za-z]{1,5}\b")
_UNCHANGED = 0.8
"""Share of the lines of a new answer that an old one has to hold to show that nothing was changed (notes of the tool
aside)."""
_SCRIPT = re.compile(r"\.(?:py|js|mjs|cjs|ts|rb|sh|bash|pl|php|lua)\Z")
_CUT = re.compile(r"(?i)truncat|more lines|lines? (?:omitted|left|not shown)|\[\.\.\.|characters cut")
_NOTE_CHARS = 600
"""A note that a result was cut stands in so many characters at its end."""
_FIRST_LINES = 30
"""A program that is shown whole has a telling line among so many."""
_MOST_KEPT = 64
"""Results of one thing that stay known: the latest."""


@dataclass(slots=True)
class _Pending:
    """A call whose result has not come yet."""

    response: int
    number: int
    call: ToolCall
    asked: Asked
    earlier: list[tuple[AskedLook, frozenset[int]]]
    script: tuple[str, str] | None = None
    """A file that the call writes, with its text."""


@dataclass(slots=True)
class _Made:
    """What a result shows of the looks of its call, each found once."""

    _result: Message | None
    _found: dict[AskedLook, Shown | None] = field(default_factory=dict)

    def of(self, look: AskedLook) -> Shown | None:
        """What it shows of a look; None where it shows nothing, or there is no result."""
        if self._result is not None and look not in self._found:
            self._found[look] = _of(look, self._result)
        return self._found.get(look)


@dataclass(slots=True)
class Fetches:
    """Reads the messages of a session in order. `found` are the fetches again, by response."""

    project: str
    found: dict[int, list[Need]] = field(default_factory=dict)
    shown: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Result that can be fetched again -> what it showed, and the message since which it may be out of date."""
    _known: dict[tuple[str, str], list[tuple[AskedLook, Shown]]] = field(default_factory=dict)
    _pending: dict[str, _Pending] = field(default_factory=dict)
    _places: Places[tuple[str, str]] = field(default_factory=Places)
    _scripts: dict[str, str] = field(default_factory=dict)
    _carried: list[Shown] = field(default_factory=list)
    """What a harness put into the conversation: the latest messages."""
    _doubt: int = -1
    """The latest message of a person that says something was changed, and not what."""
    _looked: int = 0
    """The first response after it that looked at anything."""

    def copy(self) -> Fetches:
        """One that reading on does not change."""
        return Fetches(
            self.project, dict(self.found), dict(self.shown), {key: list(kept) for key, kept in self._known.items()},
            dict(self._pending), self._places.copy(), dict(self._scripts), list(self._carried), self._doubt,
            self._looked,
        )  # fmt: skip

    def read(self, message: Message) -> None:
        """The next message."""
        if message.role == "assistant":
            self.settle(message.id)
            for number, call in enumerate(message.tool_calls):
                self._ask(message.id, number, call)
        elif message.role == "tool":
            pending = self._pending.pop(message.tool_call_id or "", None)
            if pending is not None:
                self._answered(pending, message)
        elif message.role == "user":
            self._told(message)

    def settle(self, at: int) -> None:
        """Calls whose result has not come by now have none."""
        for pending in list(self._pending.values()):
            self._answered(pending, None, at)
        self._pending.clear()

    def _ask(self, response: int, number: int, call: ToolCall) -> None:
        asked = tool_asked(call, self.project, "", self._scripts.get)
        if asked.looks and not self._looked:
            self._looked = response
        earlier = [
            (
                look,
                frozenset(
                    old.message for _, old in self._known.get((look.kind, look.key), ()) if old.message < response
                ),
            )
            for look in asked.looks
        ]
        self._pending[call.id] = _Pending(response, number, call, asked, earlier, self._written(call))

    def _written(self, call: ToolCall) -> tuple[str, str] | None:
        """The whole text of a file that the call writes; programs are known by it."""
        files = touched(call, self.project)
        written = next((use.path for use in files if use.op == "write" or use.how == "written"), None)
        if written is None:
            return None
        texts = [text for text in strings(arguments(call)) if "\n" in text or " " in text]
        return written, max(texts, key=len, default="open(x, 'w')")

    def _told(self, message: Message) -> None:
        for path in showing.changed_by_others(message.text):
            self._outdate(Effect(frozenset({normal_path(path, self.project)})), message.id)
        carried = showing.shown(message) if message.kind != "prompt" else None
        if carried is not None and carried.lines:
            self._carried = [*self._carried[1 - _MOST_KEPT :], carried]
        if message.kind == "prompt" and _SAID_CHANGED.search(message.text):
            files = frozenset(normal_path(path, self.project) for path in _FILE.findall(message.text))
            if files:
                named = {path for _, path in self._known if any(path == f or path.endswith(f"/{f}") for f in files)}
                self._outdate(Effect(files | named), message.id)
            else:
                self._doubt = message.id
                self._looked = 0

    def _answered(self, pending: _Pending, result: Message | None, at: int | None = None) -> None:
        effect = pending.asked.effect
        failed = (
            result is not None
            and bool(effect.paths)
            and not pending.asked.looks
            and _is_edit(pending)
            and showing.edit_failed(result)
        )
        if effect and not failed:
            self._outdate(effect, result.id if result is not None else at or pending.response)
            self._rewritten(pending)
        made = _Made(result)
        self._compare(pending, result, made)
        if result is not None:
            for path in showing.changed_by_others(result.text):
                self._outdate(Effect(frozenset({normal_path(path, self.project)})), result.id)
            self._enter(pending, result, made)

    def _rewritten(self, pending: _Pending) -> None:
        """Texts of programs after a call: of one that is edited, what it was and what was put in."""
        script = pending.script
        for path in pending.asked.effect.paths & self._scripts.keys():
            if script is None or path != script[0]:
                if _is_edit(pending):
                    added = "\n".join(strings(arguments(pending.call)))
                    self._scripts[path] = f"{self._scripts[path]}\n{added}"
                else:
                    del self._scripts[path]
        if script is not None:
            before = self._scripts.get(script[0], "") if ">>" in script[1] else ""
            self._scripts[script[0]] = f"{before}\n{script[1]}" if before else script[1]

    def _compare(self, pending: _Pending, result: Message | None, made: _Made) -> None:
        """Whether the call asked for what a result that still holds had shown."""
        text = "" if result is None else showing.answer(result)
        if result is not None and not showing.unchanged(text) and (not text or showing.fails(result, text)):
            return
        silent = result is None or showing.unchanged(text)
        sources: dict[int, tuple[str, ...]] = {}
        what = ""
        for look, before in pending.earlier:
            new = None if silent else made.of(look)
            valid = [(of, old) for of, old in self._known.get((look.kind, look.key), ()) if old.message in before]
            found = _sources(look, new, [one for one in valid if not self._is_doubted(one[1], new, pending.response)])
            for message, place in found.items():
                sources.setdefault(message, place)
                what = what or look.what
        if sources:
            self._carry(sources)
            found_in = tuple(sorted(sources))
            need = Need(
                "fetch_again", what, found_in, (), pending.number, tuple(sources[m] for m in found_in),
                None if result is None else result.id,
            )  # fmt: skip
            self.found.setdefault(pending.response, []).append(need)

    def _carry(self, sources: dict[int, tuple[str, ...]]) -> None:
        """Add what a harness put into the conversation after the first source and holds all of a place: files that a
        compaction carried on."""
        first, places = min(sources), list(sources.values())
        for carried in self._carried:
            if carried.message > first:
                held = max((place for place in places if carried.texts.issuperset(place)), key=len, default=())
                if held:
                    sources[carried.message] = held

    def _is_doubted(self, old: Shown, new: Shown | None, response: int) -> bool:
        """Whether a person said that something was changed since a result, and this look may be to see it: it is the
        first one after that, or its answer differs."""
        if self._doubt < old.message:
            return False
        return new is None or response == self._looked or len(new.texts & old.texts) < _UNCHANGED * len(new.texts)

    def _enter(self, pending: _Pending, result: Message, of_look: _Made) -> None:
        """What the result shows can be fetched again."""
        for look in pending.asked.looks:
            made = of_look.of(look)
            if made is None or not (made.lines or look.kind == "address"):
                continue
            self._keep(look, made)
            self.shown.setdefault(result.id, (look.what, -1))
            if look.kind == "file" and look.whole and not look.mixed and _SCRIPT.search(look.key):
                self._show_script(look.key, made, showing.answer(result))
            if look.context:
                for path in showing.paths_in(result):
                    spelt = normal_path(path, self.project)
                    part = showing.shown(result, path=path)
                    if part is not None and part.lines:
                        of = AskedLook("file", spelt, path, None, (spelt,), by_search=True)
                        self._keep(of, part)

    def _keep(self, look: AskedLook, made: Shown) -> None:
        key = (look.kind, look.key)
        kept = self._known.setdefault(key, [])
        kept.append((look, made))
        del kept[:-_MOST_KEPT]
        for place in look.places:
            self._places.add(key, place)

    def _reached(self, effect: Effect) -> list[tuple[str, str]]:
        """Keys of looks that an effect may have changed; where it only writes named files, those that they meet."""
        if effect.anything or effect.history or effect.programs or effect.server:
            return list(self._known)
        met = {key for path in effect.paths for key in self._places.meeting(path)}
        return [key for key in met if key in self._known]

    def _show_script(self, path: str, made: Shown, text: str) -> None:
        """The text of a program that was shown whole, from its first line to its end."""
        numbers = [number for number, _ in made.lines if number is not None]
        whole = bool(numbers) and min(numbers) <= _FIRST_LINES and not _CUT.search(text[-_NOTE_CHARS:])
        if whole and path not in self._scripts:
            self._scripts[path] = "\n".join(line for _, line in made.lines)

    def _outdate(self, effect: Effect, at: int) -> None:
        for key in self._reached(effect):
            kept = self._known[key]
            left = [(look, old) for look, old in kept if not _touches(effect, look)]
            if len(left) != len(kept):
                if left:
                    self._known[key] = left
                else:
                    del self._known[key]
                    self._places.remove(key)
                for _, old in kept:
                    if all(old is not other for _, other in left):
                        what, since = self.shown.get(old.message, ("", -1))
                        self.shown[old.message] = (what, at if since < 0 else since)


def _is_edit(pending: _Pending) -> bool:
    """An edit or write by a tool, not by a command, which may have changed something before it failed."""
    return "command" not in arguments(pending.call) and "cmd" not in arguments(pending.call)


def _of(look: AskedLook, result: Message) -> Shown | None:
    """What a result shows of a look."""
    if look.kind == "address":
        text = showing.answer(result)
        return None if not text or showing.fails(result, text) else Shown(result.id, ((None, text[:200]),))
    first = look.lines[0] if look.lines is not None else (1 if look.whole else None)
    path = look.key if look.kind == "file" else ""
    counted = look.kind == "file" and not look.mixed
    return showing.shown(result, look.lines, first=first if counted else None, path=path)


def _sources(look: AskedLook, new: Shown | None, before: list[tuple[AskedLook, Shown]]) -> dict[int, tuple[str, ...]]:
    """Results that showed what the look asks for, each with the lines of it."""
    found: dict[int, tuple[str, ...]] = {}
    in_part: dict[int, tuple[str, ...]] = {}
    for of, old in before:
        if look.kind == "address":
            found[old.message] = tuple(text for _, text in old.lines)
        elif look.kind != "file":
            if place := showing.same_answer(new, old):
                found[old.message] = place
        elif place := showing.overlap(new, look.lines, old):
            (in_part if look.by_search or of.by_search else found)[old.message] = place
    # Lines around the hits of a search are a place of the file where they are most of what is asked for.
    shown = {line for place in in_part.values() for line in place}
    if new is None or len(shown) >= showing.SAME_SHARE * len(new.texts):
        found |= in_part
    return found


def _touches(effect: Effect, look: AskedLook) -> bool:
    """Whether an effect may have changed what a look shows."""
    if look.scope == "none":
        return bool(effect.server) and look.key.startswith(effect.server)
    if effect.anything or (effect.history and look.scope in ("history", "tree")):
        return True
    if look.scope == "history":
        return False
    if any(may_write_file(program, place) for program in effect.programs for place in look.places):
        return True
    return any(_meets(path, look.places) for path in effect.paths)


def _meets(path: str, places: Iterable[str]) -> bool:
    return any(inside(path, place) or inside(place, path) for place in places)
