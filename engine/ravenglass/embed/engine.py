"""`Engine`: scheduler and curator inside a running agent, with session, trace and archive on disk.

The windows it gives are those that a replay of the session it writes gives.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from ravenglass.curator.archive import RetrieveMode
from ravenglass.curator.dialects import Dialect
from ravenglass.curator.loop import Policy
from ravenglass.curator.working_state.edits import ListName
from ravenglass.embed.archive import EngineArchive
from ravenglass.embed.conversation import RunningConversation
from ravenglass.embed.decider import Decider
from ravenglass.embed.files import layout
from ravenglass.embed.files.transcript import SessionTranscript
from ravenglass.embed.files.workspace import EngineWorkspace
from ravenglass.embed.given import Given, as_object
from ravenglass.embed.incoming import chat_forms, chat_usage_form
from ravenglass.embed.keeper import Keeper, Resumed
from ravenglass.embed.outgoing import chat_messages, provider_request
from ravenglass.embed.searching import search
from ravenglass.errors import MessageError, RavenglassError, StoreError
from ravenglass.profile import Profile
from ravenglass.replay.frame import Frame, Retrieved, Window
from ravenglass.replay.run import SimulatedRun
from ravenglass.replay.stepping.changes import Change
from ravenglass.store.search.index import Hit
from ravenglass.trace import Json

_NOTHING = "The engine has observed no message yet; observe one before asking for a window."


class Engine:
    """Tell it every message in order, ask for the window before each model call, tell it the answer.

    Messages are dicts or the objects of a provider's package: OpenAI's chat and Responses, Anthropic's, Gemini's. Their
    ids count from 0; of one that holds several tool results each result is a message, and the last one's id is told.
    Methods may be called from several threads, one works at a time. Raises MessageError for what is no message;
    a disk that cannot be written to raises nothing before `close`: `warnings` and the log `ravenglass` tell.
    """

    def __init__(
        self,
        profile: Profile | None = None,
        workspace: Path | str | None = None,
        *,
        session_key: str | None = None,
        tools: Sequence[Mapping[str, object]] | None = None,
        policy: Policy | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`workspace`: a folder, made where it is missing; None keeps everything in memory. `session_key` is
        `channel:chat`. `tools`: the agent's tool definitions, which measure S. `policy`: who answers the curator's
        slow path, the planner if None. `clock` gives seconds since the epoch.

        A session of that key that is there goes on where it ended, however it ended; `resumed` tells. Raises StoreError
        where a newer program wrote the workspace or another engine has the session open, ProfileError where the
        profile leaves no budget beside the tools.
        """
        self.profile = profile or Profile()
        self.session_key = session_key or layout.fresh_key(clock())
        self._clock = clock
        self._lock = threading.RLock()
        self._closed = False
        root = Path(workspace) if workspace is not None else None
        head = layout.head(self.session_key, clock(), tools)
        opened = EngineWorkspace(root, self.session_key, self.profile) if root is not None else None
        try:
            self._conversation = self._begin(root or Path(), head, opened.left if opened is not None else b"")
            transcript = SessionTranscript()
            self._decider = Decider(self._conversation, self.profile, policy, transcript)
            if opened is not None:
                transcript.keep_in(opened)
            self._keeper = Keeper(opened, self._decider, clock)
            self.resumed: Resumed | None = self._keeper.go_on()
            """What was there of the session already; None where it begins here."""
        except BaseException:
            if opened is not None:
                opened.abandon()
            raise
        if self.resumed is None:
            self._keeper.lines(head)
        self._brings: EngineArchive | None = None
        self._sent: dict[int, Json] = {}
        """Messages of the latest window that went out as they were given."""

    def _begin(self, root: Path, head: bytes, left: bytes) -> RunningConversation:
        """The conversation that is to be gone on with, or a new one. The tools are those that the engine was given;
        where it was given none, those that the session began with."""
        path, tools = layout.session_file(root, self.session_key), layout.tools_text(head)
        if not left:
            return RunningConversation(self.session_key, path, head, tools)
        first = left[: left.find(b"\n")]
        return RunningConversation.resumed(self.session_key, path, left, tools or layout.tools_text(first))

    @property
    def session_file(self) -> Path | None:
        """The session on disk, for the desktop and `open_session`; None without a workspace."""
        return self._keeper.workspace.session_file if self._keeper.workspace is not None else None

    @property
    def changes(self) -> tuple[Change, ...]:
        """Pins by hand so far, and what a policy made of the working state; a replay that is to give the same windows
        needs them."""
        return tuple(self._decider.changes)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences on what is not on disk and why; empty while all is well."""
        return self._keeper.workspace.warnings if self._keeper.workspace is not None else ()

    def observe(self, message: Given) -> int:
        """Take in a message that no call of this engine produced: a user's, a tool result, a system message, history.
        Returns its id. Raises MessageError.

        In a session that goes on, the system message that it has already is not added again: the program may say it
        each time it starts.
        """
        with self._lock:
            self._check_open()
            value = as_object(message, "message")
            known = self._said_before(value) if self.resumed is not None else None
            return self._add_all(value) if known is None else known

    def _said_before(self, value: Json) -> int | None:
        """The id of the session's latest system message, if this is the same again."""
        if value.get("role") not in ("system", "developer"):
            return None
        return self._conversation.same_instruction(value)

    def messages(self) -> list[Json]:
        """Every message so far as it was given, by id: what a program that starts again finds out from where it is."""
        with self._lock:
            return [self._conversation.given(m) for m in range(len(self._conversation))]

    def open_calls(self) -> list[Json]:
        """Tool calls that no result answers yet, in order: `id`, `name` and `arguments` as the model wrote them. After
        a crash they are what the program has to answer first."""
        with self._lock:
            found = self._conversation.open_calls()
            return [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in found]

    def decide(self) -> Window:
        """The window of the next call, with ids, tokens and sections; without a new message, the same again.

        Raises RavenglassError where nothing was observed yet.
        """
        with self._lock:
            if not len(self._conversation):
                raise RavenglassError(_NOTHING)
            self._advance()
            return self._decider.window()

    def window(self) -> list[Json]:
        """What the next model call should see, as new dicts in OpenAI chat form."""
        with self._lock:
            made = self.decide()
            return chat_messages(self._decider.inputs.session, made, self._sent)

    def request(self, dialect: Dialect = "openai-chat") -> Json:
        """The same as part of a provider's request body: `messages`, or `system`, `input`, `contents`."""
        with self._lock:
            made = self.decide()
            return provider_request(self._decider.inputs.session, made, dialect)

    def record_response(self, message: Given, usage: Given | None = None) -> int:
        """Take in what the model answered to the latest window. Returns the message's id. `usage`: what the provider
        reported, in the form of chat completions. Raises MessageError."""
        with self._lock:
            self._check_open()
            value = self._response(as_object(message, "response"))
            if usage is not None:
                value["usage"] = chat_usage_form(as_object(usage, "usage"))
            self._advance()
            call = self._decider.log.calls
            number = self._add(value)
            self._keeper.answered(call, self._conversation.last)
            return number

    def compact(self, target: float | None = None) -> Window:
        """Have the next window made by a slow path now, whatever the threshold says, and return it. `target`: what it
        packs into, up to 1 a fraction of C, above it tokens; None is the profile's `trim_target`. Raises PlanError."""
        with self._lock:
            self._check_open()
            if not len(self._conversation):
                raise RavenglassError(_NOTHING)
            self._keeper.changed(self._decider.compact(target))
            return self.decide()

    def retrieve(self, ref: str, mode: RetrieveMode = "exact", max_tokens: int | None = None) -> Retrieved:
        """Bring back what a reference, the address in a stub, or a number in a summary (`#12`) holds. `max_tokens` None
        is the profile's cap, 0 none. Raises ArchiveError, AddressError."""
        with self._lock:
            return self._archive().retrieve(ref, mode, max_tokens)

    def search(self, query: str, limit: int = 20) -> tuple[Hit, ...]:
        """Messages that are not whole in the latest window and hold the words of the query, best first; `retrieve`
        brings one back by its `ref`."""
        with self._lock:
            decider = self._decider
            return search(decider.inputs, decider.log, self._archive(), query, limit)

    def ref(self, message: int) -> str:
        """The reference that brings a message's group back. Raises MessageError for an unknown message."""
        with self._lock:
            self._check_message(message)
            return self._archive().ref(self._decider.inputs.session.structure.group_of[message])

    def pin(self, message: int) -> None:
        """Keep a message, with its whole group, in every window from the next one on that is not decided yet."""
        with self._lock:
            self._check_open()
            self._check_message(message)
            self._keeper.changed(self._decider.pin(message, pinned=True))

    def unpin(self, message: int) -> None:
        """Let go of a message again, also where a rule pins it."""
        with self._lock:
            self._check_open()
            self._check_message(message)
            self._keeper.changed(self._decider.pin(message, pinned=False))

    def note(self, text: str, into: ListName = "decisions") -> None:
        """Add a line to the working state, from the next window on that is not decided yet; windows that a slow path
        made show it. `into`: `goals`, `open_threads` or `decisions`. Raises PlanError where it does not fit.

        In a session that goes on, a line that is there already is not added again: the program may say it each time.
        """
        with self._lock:
            self._check_open()
            if self.resumed is not None and self._decider.noted(into, text):
                return
            self._keeper.changed(self._decider.note(into, text))

    def frame(self) -> Frame:
        """Everything true after the latest decision, of the next call if none was made yet."""
        with self._lock:
            self.decide()
            inputs, log = self._decider.inputs, self._decider.log
            return SimulatedRun(inputs, log).frame(log.calls)

    def run(self) -> SimulatedRun:
        """The calls answered so far as a run, for metrics, manifest, explanations; it does not grow."""
        with self._lock:
            return self._decider.run(*self._keeper.on_disk)

    def close(self) -> None:
        """Write what is left and unlock the workspace; closing twice is no error. Raises StoreError where the disk
        does not take it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._keeper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except StoreError:
            if error is None:
                raise

    def _check_open(self) -> None:
        if self._closed:
            raise RavenglassError(f"The engine of session {self.session_key} is closed; nothing was added.")

    def _check_message(self, message: int) -> None:
        count = len(self._conversation)
        if not 0 <= message < count:
            known = f"known ids are 0 to {count - 1}" if count else "there is none yet"
            raise MessageError(f"There is no message {message}; {known}.")

    def _response(self, value: Json) -> Json:
        """An answer in chat form. Raises MessageError."""
        if not any(name in value for name in ("output", "candidates", "choices", "parts", "type")):
            value.setdefault("role", "assistant")
        forms = chat_forms(value, self._conversation.open_calls, len(self._conversation))
        if len(forms) != 1:
            raise MessageError(f"A response is one message, not {len(forms)}. Nothing was added.")
        if forms[0]["role"] != "assistant":
            raise MessageError(f"A response has the role 'assistant', not {forms[0]['role']!r}. Nothing was added.")
        return forms[0]

    def _add_all(self, value: Json) -> int:
        """Add what a message comes to, all of it or none. Returns the last id."""
        forms = chat_forms(value, self._conversation.open_calls, len(self._conversation))
        self._conversation.check_results(forms)
        number = 0
        for form in forms:
            number = self._add(form)
        return number

    def _add(self, value: Json) -> int:
        self._brings = None
        start = len(self._conversation.data)
        number = self._conversation.add(value, self._clock())
        self._keeper.lines(bytes(self._conversation.data[start:]))
        return number

    def _advance(self) -> None:
        """Decide the next call unless that is done."""
        if not self._decider.current:
            self._check_open()
            self._brings = None
            self._keeper.decided(self._decider.advance(*self._keeper.on_disk))

    def _archive(self) -> EngineArchive:
        """Made anew when something was added or decided: references of everything take a while to find."""
        if self._brings is None:
            self._brings = self._keeper.archive()
        return self._brings
