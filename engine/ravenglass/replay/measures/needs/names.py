"""Names that responses need: who introduced them, and who only repeats them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice

from ravenglass.replay.measures.needs.definitions import declared, defined, parameters
from ravenglass.replay.measures.needs.need import Need
from ravenglass.replay.measures.needs.said import argument_values, own_words
from ravenglass.replay.measures.needs.spelled import dotted, fold, folds, spellings, words
from ravenglass.replay.measures.needs.terms import held, is_colour, key, members, telling, terms
from ravenglass.sessions.model.session import Message, Session

_KEY = re.compile(r'"([A-Za-z_][\w-]*)"\s*:')
_AKIN = 32
"""So many messages are known that hold a name in another spelling."""
_MOST_ARGUMENTS = 4_000
"""Names of arguments stand at the beginning of them (characters)."""
_PERSON = frozenset({"prompt", "command"})


class Names:
    """Reads the messages of a session in order; what it knows of a response is what stands before it."""

    def __init__(self, most_exchanges: int, before: Names | None = None) -> None:
        """A name that stands in more exchanges before the response stands all over, and is no need."""
        self._most_exchanges = most_exchanges
        self._behind = before
        """Has read everything before the first message of this one, and is not changed by it."""
        self._holders: dict[str, list[int]] = {}
        """Key of a term -> messages that hold it, ascending."""
        self._folded: dict[str, list[str]] = {}
        """Fold of a key -> the keys that have it."""
        self._asked: dict[str, frozenset[str]] = {}
        """Id of a tool call -> keys that it names."""
        self._vocabulary: set[str] = set()
        """Names of tools and of arguments, as far as they were used."""
        self._prompt: frozenset[str] = before._prompt if before is not None else frozenset()
        self._prompt_words: frozenset[str] = before._prompt_words if before is not None else frozenset()
        """Words of the prompt, also those inside its paths and names."""
        self._defined: set[str] = set()
        """Identifiers that a text defines or assigns."""
        self._declared: set[str] = set()
        """Of these, those that it declares as a function, a method, a type or a module."""
        self._before: frozenset[str] = before._before if before is not None else frozenset()
        """Keys of the latest assistant message."""
        self._repeats: dict[int, frozenset[str]] = {}
        """Message -> keys that it only repeats, for messages that could introduce anything."""

    def over(self) -> Names:
        """One that reads on from here and leaves this one as it is."""
        return Names(self._most_exchanges, self)

    def _holding(self, name: str) -> list[int]:
        own = self._holders.get(name, [])
        return own if self._behind is None else [*self._behind._holding(name), *own]

    def _folding(self, folded: str) -> list[str]:
        own = self._folded.get(folded, [])
        return own if self._behind is None else [*self._behind._folding(folded), *own]

    def _is_vocabulary(self, name: str) -> bool:
        return name in self._vocabulary or (self._behind is not None and self._behind._is_vocabulary(name))

    def _named_by(self, call_id: str) -> frozenset[str]:
        own = self._asked.get(call_id)
        if own is None and self._behind is not None:
            return self._behind._named_by(call_id)
        return own or frozenset()

    def _repeated(self, message: int) -> frozenset[str]:
        own = self._repeats.get(message)
        if own is None and self._behind is not None:
            return self._behind._repeated(message)
        return own or frozenset()

    def read(self, message: Message) -> None:
        """The next message."""
        if message.role == "assistant":
            self._read_response(message)
            return
        found = held(message.text)
        self._define(message.text)
        self._enter(message.id, found)
        if message.role == "tool":
            self._repeats[message.id] = self._named_by(message.tool_call_id or "") & found
        elif message.role == "user" and message.kind == "prompt":
            self._prompt, self._prompt_words = found, words(message.text)
        elif message.role == "user" and message.kind not in _PERSON:
            # What a harness shows answers the message before it, which may have named what it asked for.
            self._repeats[message.id] = self._before & found

    def _read_response(self, message: Message) -> None:
        found: set[str] = set(held(message.text)) | held(message.thinking)
        for call in message.tool_calls:
            values = argument_values(call)
            for value in values:
                self._define(value)
            self._asked[call.id] = named = frozenset().union(*map(held, values))
            found |= named
            self._vocabulary.add(call.name)
            self._vocabulary.update(_argument_names(call.arguments))
        self._before = frozenset(found)
        self._enter(message.id, found)

    def _define(self, text: str) -> None:
        self._defined.update(defined(text))
        self._declared.update(declared(text))

    def _enter(self, message: int, found: Iterable[str]) -> None:
        for name in found:
            holders = self._holders.get(name)
            if holders is not None:
                holders.append(message)
                continue
            self._holders[name] = [message]
            if folded := fold(name):
                self._folded.setdefault(folded, []).append(name)

    def holding(self, term: str, before: int) -> tuple[int, ...]:
        """Messages before one that hold a term, ascending."""
        found = self._holding(key(term))
        return tuple(found[: bisect_left(found, before)])

    def naming(self, term: str, before: int) -> tuple[int, ...]:
        """As `holding`, also the latest messages that hold the term in another spelling."""
        akin = {m for other in self._others(key(term)) for m in self._latest(other, before)}
        return tuple(sorted(akin.union(self.holding(term, before))))

    def _others(self, name: str) -> set[str]:
        """Keys of the same thing in other spellings."""
        found = set(spellings(name))
        for folded in folds(name):
            found.update(self._folding(folded))
        found.discard(name)
        return found

    def needed(self, session: Session, response: Message) -> tuple[Need, ...]:
        """Names that the response needs; everything before it has been read."""
        own_texts = own_words(response)
        said = self._said(own_texts)
        own: frozenset[str] | None = None
        here = _around(session.project)
        tools = {call.name for call in response.tool_calls}
        found = []
        for name, term in said.items():
            if name in self._prompt or name in here or name in tools or self._is_vocabulary(name):
                continue
            parts = dotted(name)
            if len(parts) > 1:
                # `a.b` where the prompt names `a/b.ext`, or the member of something that the response itself declares.
                own = _declared(own_texts) if own is None else own
                if parts[0] in own or self._prompt_words.issuperset(parts):
                    continue
            holders = self._holding(name)
            if not holders:
                continue
            need = self._need(session, response.id, term, holders)
            if need is not None:
                found.append(need)
        return tuple(found)

    def _said(self, own_texts: Iterable[str]) -> dict[str, str]:
        """What the texts of a response name, key -> as they write it. Of a dotted name that nothing holds, or that a
        library gives its meaning, the members stand alone."""
        said: dict[str, str] = {}
        colours: dict[str, bool] = {}
        for text in own_texts:
            for name, term in terms(text).items():
                is_held = bool(self._holding(name))
                if is_colour(name):
                    colours[name] = is_held
                if is_held and self._of_the_session(name):
                    said.setdefault(name, term)
                    continue
                for member in members(name):
                    if member not in said and (not is_held or self._is_defined(member)):
                        said[member] = member
        if 2 * sum(colours.values()) < len(colours):
            # Most of these colours were never there before: the response chose them itself.
            return {name: term for name, term in said.items() if name not in colours}
        return said

    def _of_the_session(self, name: str) -> bool:
        """Whether the session shows where the member of a dotted name comes from. One that nothing defines is the
        member of a library, and known without the session."""
        parts = dotted(name)
        if len(parts) < 2:
            return True
        if not telling(parts[-1]):
            return self._is_declared(parts[-1])
        if self._is_defined(parts[-1]):
            return True
        return any(telling(part) and self._is_defined(part) for part in parts[:-1])

    def _is_declared(self, part: str) -> bool:
        return part in self._declared or (self._behind is not None and self._behind._is_declared(part))

    def _is_defined(self, part: str) -> bool:
        return part in self._defined or (self._behind is not None and self._behind._is_defined(part))

    def _need(self, session: Session, response: int, term: str, holders: list[int]) -> Need | None:
        end = bisect_left(holders, response)
        exchanges: set[int] = set()
        group_of = session.structure.group_of
        for message in islice(holders, end):
            exchanges.add(group_of[message])
            if len(exchanges) > self._most_exchanges:
                return None
        if not end:
            return None
        before = holders[:end]
        name = key(term)
        sources = [before[0], *(m for m in before[1:] if self._introduces(session.messages[m], name))]
        known = frozenset(sources)
        akin = set(before)
        for other in self._others(name):
            akin.update(self._latest(other, response))
        mentions = tuple(sorted(akin - known))
        return Need("name", term, tuple(sources), mentions)

    def _latest(self, name: str, response: int) -> list[int]:
        """The latest messages before a response that hold a name: the earlier ones leave a window before these do."""
        found = self._holding(name)
        end = bisect_left(found, response)
        return found[max(0, end - _AKIN) : end]

    def _introduces(self, message: Message, name: str) -> bool:
        """Whether a later holder shows the name anew: a person says it, or a result whose call did not ask for it."""
        if message.role == "tool":
            return name not in self._repeated(message.id)
        if message.role == "user":
            return message.kind != "summary" and name not in self._repeated(message.id)
        return False


def _declared(own_texts: Iterable[str]) -> frozenset[str]:
    """Identifiers that a response's own words define, assign or take as a parameter."""
    return frozenset(name for text in own_texts for name in defined(text) | parameters(text))


def _around(project: str) -> frozenset[str]:
    """The working directory and its parents."""
    found: set[str] = set()
    path = project.replace("\\", "/").rstrip("/")
    while "/" in path:
        found.add(path)
        path = path.rpartition("/")[0]
    return frozenset(found)


def _argument_names(arguments: str) -> frozenset[str]:
    return frozenset(_KEY.findall(arguments[:_MOST_ARGUMENTS]))
