"""The profile fields that token counts depend on: under the same ones, the counts of a session are the same."""

from __future__ import annotations

from typing import NamedTuple

from ravenglass.profile import Profile
from ravenglass.tokens import EncodingName


class SizeKey(NamedTuple):
    """The profile fields that token counts depend on."""

    table: EncodingName
    image_tokens: int
    overhead: int
    stub_lines: int
    stub_chars: int
    page_tokens: int
    document_tokens: int
    audio_second_tokens: int
    audio_tokens: int

    @classmethod
    def of(cls, profile: Profile) -> SizeKey:
        return cls(
            profile.tokenizer,
            profile.image_tokens,
            profile.message_overhead,
            profile.stub_lines,
            profile.stub_chars,
            profile.page_tokens,
            profile.document_tokens,
            profile.audio_second_tokens,
            profile.audio_tokens,
        )
