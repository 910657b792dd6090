"""The working state of a recorded session at every call, from structured signals alone, without a model.

Goals are what the user's prompts ask for, open threads the agent's own todo list, decisions the user's
rules, the agent's stated choices, approved plans and commits. One pass in file order; the same session gives
the same states. A tool call counts when its result is there and is no error.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from ravenglass.curator.working_state import signals
from ravenglass.curator.working_state.lines import EMPTY, Limits, StateLine, Versions, WorkingState, cut, says_the_same
from ravenglass.curator.working_state.tool_signals import (
    Committed,
    PlanApproved,
    Signal,
    Status,
    TaskCreated,
    TaskUpdated,
    Todo,
    TodoList,
    signal_of,
)
from ravenglass.sessions.model.session import Call, Message, Session, ToolCall

_READ_CHARS = 100_000
"""What somebody says stands in the head and the tail of a message; what is longer holds a paste."""


def _readable(text: str) -> str:
    half = _READ_CHARS // 2
    return text if len(text) <= _READ_CHARS else f"{text[:half]}\n{text[-half:]}"


def extract(session: Session, limits: Limits) -> Versions:
    """The states of the session as (first call at which it holds, state), only where what it says changed.

    A message is known at a call when its id is below the call's. What stands after the last call is in no
    version. `limits` is a Profile, or anything with its four `max_...` fields.
    """
    found = Extraction(session, limits)
    for call in session.structure.calls:
        found.follow(call)
    return tuple(found.versions)


class Extraction:
    """The states of a session call by call. The latest call may be followed again when messages came to it since."""

    def __init__(self, session: Session, limits: Limits) -> None:
        self.versions: list[tuple[int, WorkingState]] = []
        self._session = session
        self._reader = _Reader(limits)
        self._read = 0
        self._state = EMPTY
        """As the messages so far leave it."""

    def follow(self, call: Call) -> None:
        """Read what the call sees, and keep the state that holds at it where it says something else than before."""
        structure = self._session.structure
        for m in range(self._read, call.message):
            message = self._session.messages[m]
            self._reader.read(message, call.number, structure.groups[structure.group_of[m]].turn)
        self._read = max(self._read, call.message)
        if self._reader.changed:
            self._state = self._reader.state()
        if self.versions and self.versions[-1][0] == call.number:
            self.versions.pop()
        if not says_the_same(self._state, self.versions[-1][1] if self.versions else EMPTY):
            self.versions.append((call.number, self._state))


class _Stickiness(IntEnum):
    """Which decisions leave first when there are too many: the lowest, and of those the oldest."""

    COMMIT = 0
    CHOICE = 1
    RULE = 2


@dataclass(frozen=True, slots=True)
class _Decision:
    line: StateLine
    stickiness: _Stickiness


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the message being read stands; every line made from it says so."""

    message: int
    call: int
    turn: int


@dataclass(frozen=True, slots=True)
class _Thread:
    line: StateLine
    todo: Todo


class _Reader:
    """Takes in messages in file order and keeps the three lists."""

    def __init__(self, limits: Limits) -> None:
        self.changed = False
        self._limits = limits
        self._goals: dict[str, StateLine] = {}
        self._threads: dict[str, _Thread] = {}
        """The agent's list by its own number; items of a replaced list are numbered from 1."""
        self._decisions: dict[str, _Decision] = {}
        self._pending: dict[str, ToolCall] = {}
        """Tool calls whose result has not come yet."""
        self._goal = ""
        """The newest goal, also after it was reached."""
        self._list_goal = ""
        """The goal that the todo list was made for."""
        self._last_commit = ""
        self._here = _Place(0, 0, 0)

    def read(self, message: Message, call: int, turn: int) -> None:
        """Takes in one message, first known at `call`."""
        self._here = _Place(message.id, call, turn)
        if message.role == "user" and message.kind == "prompt":
            self._read_prompt(_readable(message.text))
        elif message.role == "assistant":
            for decision in signals.decisions(_readable(message.text)):
                self._decide(decision, _Stickiness.CHOICE)
            self._pending.update((made.id, made) for made in message.tool_calls)
        elif message.role == "tool" and message.tool_call_id is not None:
            answered = self._pending.pop(message.tool_call_id, None)
            signal = signal_of(answered, message) if answered is not None else None
            if signal is not None:
                self._read_signal(signal)

    def state(self) -> WorkingState:
        """The lists as they stand; `changed` starts anew."""
        self.changed = False
        active = [thread for thread in self._threads.values() if thread.todo.status == "in_progress"]
        waiting = [thread for thread in self._threads.values() if thread.todo.status == "pending"]
        return WorkingState(
            tuple(self._goals.values()),
            tuple(thread.line for thread in (*active, *waiting)[: self._limits.max_open_threads]),
            tuple(decision.line for decision in self._decisions.values()),
        )

    def _line(self, text: str) -> StateLine:
        here = self._here
        return StateLine(cut(text, self._limits.max_line_chars), here.message, here.call, here.turn)

    def _read_prompt(self, text: str) -> None:
        goal = signals.request(text)
        if goal:
            line = self._line(goal)
            self._goal = line.text
            self._goals[line.text] = self._goals.pop(line.text, line)  # said again it is newest, from where it was
            while len(self._goals) > self._limits.max_goals:
                del self._goals[next(iter(self._goals))]
            self.changed = True
        for rule in signals.constraints(text):
            self._decide(rule, _Stickiness.RULE)

    def _read_signal(self, signal: Signal) -> None:
        match signal:
            case TodoList(items):
                self._replace_list(items)
            case TaskCreated(number, item):
                self._set_thread(number or str(len(self._threads) + 1), item)
            case TaskUpdated(number, text, status):
                self._update_thread(number, text, status)
            case PlanApproved(plan):
                self._decide(f"plan: {signals.first_line(plan)}", _Stickiness.CHOICE)
            case Committed(subject, amend):
                if amend:
                    self._decisions.pop(self._last_commit, None)
                self._last_commit = self._decide(f"commit: {subject}", _Stickiness.COMMIT)

    def _replace_list(self, items: tuple[Todo, ...]) -> None:
        before = {thread.line.text: thread.line for thread in self._threads.values()}
        self._threads = {}
        for number, item in enumerate(items, start=1):
            line = self._line(item.text)
            self._threads[str(number)] = _Thread(before.get(line.text, line), item)
        continued = any(thread.line.text in before for thread in self._threads.values())
        if not continued and self._list_goal != self._goal:
            # A list of its own for a newer request: what the older one was for is no goal any more.
            self._goals.pop(self._list_goal, None)
            self._list_goal = ""
        self._threads_changed()

    def _set_thread(self, number: str, item: Todo) -> None:
        self._threads[number] = _Thread(self._line(item.text), item)
        self._threads_changed()

    def _update_thread(self, number: str, text: str | None, status: Status | None) -> None:
        thread = self._threads.get(number)
        if thread is None:
            return  # a task made before the record begins, or in another session
        todo = Todo(text or thread.todo.text, status or thread.todo.status)
        self._threads[number] = _Thread(self._line(todo.text) if text else thread.line, todo)
        self._threads_changed()

    def _threads_changed(self) -> None:
        """Ties a new list to the newest goal; a goal whose list is done is reached and leaves."""
        self._list_goal = self._list_goal or self._goal
        if self._threads and all(thread.todo.status == "closed" for thread in self._threads.values()):
            self._goals.pop(self._list_goal, None)
            self._threads = {}
            self._list_goal = ""
        self.changed = True

    def _decide(self, text: str, stickiness: _Stickiness) -> str:
        """Adds a decision, or renews a known one; gives its line's text."""
        line = self._line(text)
        known = self._decisions.pop(line.text, None)
        if known is not None:
            line, stickiness = known.line, max(stickiness, known.stickiness)
        self._decisions[line.text] = _Decision(line, stickiness)
        if len(self._decisions) > self._limits.max_decisions:
            # min() gives the first of equals, and the dict is in the order of age.
            del self._decisions[min(self._decisions, key=lambda text: self._decisions[text].stickiness)]
        self.changed = True
        return line.text
