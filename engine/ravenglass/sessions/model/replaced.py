"""Whether the texts of a record were replaced by placeholders before it came here.

Who publishes a session often puts `[REDACTED len=83]` or `[trimmed for fixture]` in place of its words. What was sent
can then not be counted, whatever the provider reported for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ravenglass.sessions.model.session import Message, Session

_MOST = 160
"""Characters; a longer text says something itself."""
_WORDS = "redacted|removed|trimmed|stripped|omitted|elided|scrubbed|sanitized|sanitised|anonymized|anonymised|masked"
_PLACEHOLDER = re.compile(
    rf"(?:\[[^\[\]]*(?:{_WORDS})[^\[\]]*\]|<[^<>]*(?:{_WORDS})[^<>]*>|\{{+[^{{}}]*(?:{_WORDS})[^{{}}]*\}}+|(?:{_WORDS}))\.?",
    re.IGNORECASE,
)
_VARYING = re.compile(r"\b[0-9a-f]+\b|\d+")
"""Lengths and digests, which differ from one placeholder to the next."""


@dataclass(frozen=True, slots=True)
class Replaced:
    """How many texts and arguments of a session are nothing but a placeholder."""

    count: int
    of: int
    """Texts in all, empty ones left out."""
    example: str
    """The most frequent one as it stands there; empty where there is none."""

    @property
    def mostly(self) -> bool:
        """Whether more than half of the texts were replaced."""
        return self.count * 2 > self.of


def replaced(session: Session) -> Replaced:
    """Counts over the session's own messages. A result that its harness cleared is none: its note was really sent."""
    seen, forms, examples = 0, Counter[str](), dict[str, str]()
    for message in session.messages:
        for text in _texts(message):
            seen += bool(text)
            if text and len(text) <= _MOST and _PLACEHOLDER.fullmatch(text):
                form = _VARYING.sub("0", text)
                forms[form] += 1
                examples.setdefault(form, text)
    common = forms.most_common(1)
    return Replaced(sum(forms.values()), seen, examples[common[0][0]] if common else "")


def _texts(message: Message) -> Iterator[str]:
    for part in message.parts:
        if part.kind == "text":  # thinking is withheld by providers, and says so in the same way
            yield part.text.strip()
    for call in message.tool_calls:
        yield call.arguments.strip().strip('"')
