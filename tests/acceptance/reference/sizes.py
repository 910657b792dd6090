"""What a message and a group cost in each form, counted with tables of its own; stubs written by their rule.

A stub has the first `stub_lines` lines of a result, at most `stub_chars` characters of them, a line that says how much
was moved out and from where it comes back, and the last lines, at most as many characters.
"""

from __future__ import annotations

import json
from math import ceil

from ravenglass.profile import Profile
from tests.acceptance.reference.counting import tokens
from tests.acceptance.reference.facts import Facts, Group, Json


def stub_text(text: str, address: str, profile: Profile, images: int = 0, files: int = 0, attached: int = 0) -> str:
    """What stands for a text that was moved out, with images and files beside it that cost `attached` tokens.

    A text that head and tail hold between them stands whole; what is beside it never does.
    """
    lines = text.split("\n")
    head = "\n".join(lines[: profile.stub_lines])[: profile.stub_chars]
    tail = "\n".join(lines[max(0, len(lines) - profile.stub_lines) :])[-profile.stub_chars :]
    beside = "".join(f"{n:,} {name}{'s' * (n > 1)}, " for n, name in ((images, "image"), (files, "file")) if n)
    size = f"{len(lines):,} lines, {beside}{tokens(text, profile.tokenizer) + attached:,} tokens"
    said = f"[{size} moved out of the window; retrieve {address}]"
    if beside and head == text:
        return f"{text}\n{said}"
    return "\n".join(part for part in (head, said, tail) if part)


def block_tokens(block: Json, profile: Profile, attached: int) -> int:
    """Tokens of a block of a window, as `--windows` writes it."""
    table = profile.tokenizer
    total = (
        profile.message_overhead + tokens(block["content"], table) + tokens(block.get("reasoning_content", ""), table)
    )
    for call in block.get("tool_calls", ()):
        total += tokens(call["function"]["name"], table) + tokens(call["function"]["arguments"], table)
    return total + attached


class Sizes:
    """Sizes of one session's messages under one profile. `whole`: every message as it stands in a window for all."""

    def __init__(self, facts: Facts, whole: dict[int, Json], addresses: dict[int, str], profile: Profile) -> None:
        self.facts, self.whole, self.addresses, self.profile = facts, dict(whole), dict(addresses), profile
        for m in facts.messages:  # what no call sees, but is counted with its group
            text = {"content": m.text, "reasoning_content": m.thinking}
            self.whole.setdefault(m.id, {"id": m.id, "role": m.role, **text})
            self.addresses.setdefault(m.id, "")
        self._full: dict[int, int] = {}
        self._stub: dict[int, int] = {}

    def attached(self, message: int) -> int:
        """Images at their flat cost; documents and recordings by pages and seconds, or at theirs."""
        m, p = self.facts.messages[message], self.profile
        total = m.images * p.image_tokens
        for payload in m.payloads:
            if payload.media == "audio":
                known = payload.seconds is not None
                total += ceil((payload.seconds or 0) * p.audio_second_tokens) if known else p.audio_tokens
            else:
                total += p.document_tokens if payload.pages is None else payload.pages * p.page_tokens
        return total

    def full(self, message: int) -> int:
        if message not in self._full:
            self._full[message] = block_tokens(self.whole[message], self.profile, self.attached(message))
        return self._full[message]

    def stub(self, message: int) -> int:
        """A result as a stub; what would not get smaller stays as it is."""
        if message not in self._stub:
            block = dict(self.whole[message])
            block["content"] = self.stub_of(message)
            self._stub[message] = min(self.full(message), block_tokens(block, self.profile, 0))
        return self._stub[message]

    def stub_of(self, message: int) -> str:
        """The text of a result's stub."""
        m = self.facts.messages[message]
        beside = (m.images, len(m.payloads), self.attached(message))
        return stub_text(self.whole[message]["content"], self.addresses[message], self.profile, *beside)

    def is_result(self, message: int) -> bool:
        return self.facts.messages[message].role == "tool"

    def large(self, message: int) -> bool:
        """Whether a result is large enough to be offloaded."""
        return self.is_result(message) and self.full(message) > self.profile.offload_tokens

    def group(self, group: Group, form: str, known: int | None = None) -> int:
        """Tokens of a group's messages below `known`, with stand-ins for results that are not there yet; without it,
        of all its messages: whole logs and the cap of the global tier count results that come late (embedding.md)."""
        there = [m for m in group.messages if known is None or m < known]
        return sum(self.shown(m, form) for m in there) + self.placeholders(group, there)

    def shown(self, message: int, form: str) -> int:
        """Tokens of one message of a group in that form."""
        moved = (form == "stub" and self.is_result(message)) or (form == "offloaded" and self.large(message))
        return self.stub(message) if moved else self.full(message)

    def reference(self, message: int, last: int) -> int:
        """A result of which the same stands again later."""
        block = {**self.whole[message], "content": reference_text(last, self.addresses[last])}
        return block_tokens(block, self.profile, 0)

    def placeholders(self, group: Group, messages: list[int]) -> int:
        first = self.facts.messages[group.messages[0]]
        if not first.tool_calls:
            return 0
        answered = {self.facts.messages[m].tool_call_id for m in messages}
        missing = sum(c.id not in answered for c in first.tool_calls)
        return missing * (self.profile.message_overhead + tokens(PLACEHOLDER, self.profile.tokenizer))


def reference_text(last: int, address: str) -> str:
    """What stands for a text that stands again later."""
    return f"[the same content as message #{last}; retrieve {address} if that is not in the window]"


NEWER = "[a newer version of message #"
PLACEHOLDER = "[no result was recorded for this call]"


def dumped(block: Json) -> bytes:
    """A block in bytes, the same for the same block."""
    return json.dumps(block, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")
