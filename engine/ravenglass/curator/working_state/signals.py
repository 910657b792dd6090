"""What people and agents say that a working state keeps: requests, constraints, decisions.

Patterns, no model; English, Chinese and Japanese. A missed sentence costs little, a wrong one misleads:
the patterns take a rule in the imperative ("never edit X"), not a description ("it never returns"), and
no question.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from ravenglass.scheduler.intent.scripts import CJK

_QUOTED_BLOCKS = re.compile(r"```.*?(?:```|\Z)|<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？；])")
_BULLET = re.compile(r"\s*(?:(?:[-*+•>]|\d{1,3}[.)]|#{1,6})\s+)+")
_NO_SENTENCE = re.compile(r"</?[\w:-]+(?:\s[^<>\n]*)?>|\[(?:image|document)\b[^\n]*\]")
"""A lone tag, or what an importer writes for an attachment."""
_QUESTION = re.compile(r"[?？][\s\"'”」)]*$|[吗嗎呢]$|为什么|為什麼|怎么|是不是|能不能|要不要|是否")
_CJK = re.compile(f"[{CJK}]")
_LETTERS = re.compile(r"[^\W\d_]")

_ASSENT = (
    r"(?:ok(?:ay)?|y|yes|yep|yeah|sure|no|nope|please|continue|go on|go ahead|proceed|keep going|next|do it|"
    r"done|thanks|thank you|great|good|nice|perfect|lgtm|stop|retry|try again|"
    r"继续|好的?|是的?|对|可以|行|嗯|谢谢|請|请|繼續|謝謝|"
    r"はい|続けて(?:ください)?|お願いします|ありがとう)"
)
_CONTINUATION = re.compile(rf"{_ASSENT}(?:[\s.,!。！，~]+{_ASSENT})*[\s.,!。！，~]*", re.IGNORECASE)
_MIN_SENTENCE = 12
"""A first sentence shorter than this ("Hi.") is joined with the next one (characters)."""
_MIN_TELLING = 40
"""What is told of a text goes on to the next sentence while it is shorter than this: "Found it." tells nothing."""
_ANSWER = re.compile(r"(?:don['’]?t|do not|never|always|不要|必须|不能|别|禁止|必ず)[\s.!。！]*", re.IGNORECASE)
"""Such a sentence alone answers something; it is no rule."""

_CLAUSE = (
    r"(?:^|[,;:.!(—–]\s*|\s-\s*|"
    r"\b(?:please|and|but|or|so|also|just|then|we|you|to|should|must|will|that)\s+)"
)
_CONSTRAINT = re.compile(
    r"\bmust\b(?!\s+have\b)|\bmustn['’]t\b"
    rf"|{_CLAUSE}(?:do\s+not|don['’]?t)\b"
    r"(?!\s+(?:know|think|understand|see|remember|believe|mind|care|get|have|need|you|we)\b)"
    r"|\bI\s+(?:do\s+not|don['’]?t)\s+want\b"
    rf"|{_CLAUSE}(?:never|always|make\s+sure)\b"
    r"|\b(?:keep|leave)\b[^\n]{1,120}?\b(?:unchanged|untouched|intact|alone|as\s+(?:it|they)\s+(?:is|are)|as\s+is)\b"
    r"|(?<!要)不要|(?<!能)不能(?!.{0,6}了)|必须|必須|不得|不可以|不许|不許|禁止|务必|務必|请勿|請勿|切勿|一定要|保持"
    r"|(?<![特区分级类识性个差判辨告鉴派])别(?![的人名处是说])"
    r"|しないで|ないでください|[てで]は(?:いけ|なら)ない|[てで]はいけません|なければ(?:なら|いけ)ない|必ず|決して|絶対に",
    re.IGNORECASE | re.MULTILINE,
)
_PROMISE = re.compile(r"\bI(?:['’]ll|\s+will)\b")
"""The user says what they will do themselves: no rule for the agent."""
_DECISION = re.compile(
    r"^[ \t>*_#-]{0,20}(?:decision[*_]*\s*[:：]|决定[:：]|決定[:：])"
    r"|\b(?:we|I)(?:['’]ve|\s+have)?\s+decided\b"
    r"|\b(?:I['’]ll|we['’]ll|I\s+will|we\s+will|let['’]s|I['’]m\s+going\s+to)\s+"
    r"(?:use|go\s+with|keep|switch\s+to|stick\s+with|take|do|implement|put|store|write)\b"
    r"[^\n]{1,200}?\b(?:instead of|rather than)\b"
    r"|(?:决定|決定)(?:采用|採用|使用|用|改用|改为|保留|不)"
    r"|(?:改用|采用|使用)[^\n。]{1,60}(?:因为|而不是|而非|代替)"
    r"|ことにし(?:た|ます|ました)",
    re.IGNORECASE | re.MULTILINE,
)
_DECISION_WORDS = (
    "decision",
    "decided",
    "instead of",
    "rather than",
    "决定",
    "決定",
    "改用",
    "采用",
    "使用",
    "ことにし",
)
"""Every match of `_DECISION` holds one of them: most messages hold none and need no pattern."""
_DECISION_LABEL = re.compile(r"[\s>*_#-]*(?:decision|决定|決定)[*_]*\s*[:：][*_\s]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    listed: bool
    """The line it stands on is a list item."""


def request(text: str) -> str:
    """What a prompt asks for: its first sentence, or line; empty for "ok", "继续" and the like.

    A heading that ends in a colon and a very short opening ("Hi.") are joined with what follows.
    """
    found = ""
    for sentence in _sentences(text):
        if found and not (found.endswith((":", "：")) or len(found) < _MIN_SENTENCE):
            break
        found = f"{found} {sentence.text}".strip()
    return "" if _CONTINUATION.fullmatch(found) or not _LETTERS.search(found) else found


def constraints(text: str) -> tuple[str, ...]:
    """Sentences of a prompt that state a rule to keep, in order, each once, with the list that follows."""
    if not _CONSTRAINT.search(text):
        return ()
    sentences = tuple(_sentences(text))
    return tuple(
        dict.fromkeys(
            _with_list(sentences, index) for index, sentence in enumerate(sentences) if _is_rule(sentence.text)
        )
    )


def decisions(text: str) -> tuple[str, ...]:
    """Sentences of an assistant message that state a decision, in order, each once, without "Decision:"."""
    lowered = text.lower()
    if not any(word in lowered for word in _DECISION_WORDS) or not _DECISION.search(text):
        return ()
    found: dict[str, None] = {}
    labelled = False
    for sentence in _sentences(text):
        if labelled or (_DECISION.search(sentence.text) and not _QUESTION.search(sentence.text)):
            stated = _DECISION_LABEL.sub("", sentence.text, count=1)
            labelled = not stated  # the label stood alone: the next line is the decision
            if _LETTERS.search(stated):
                found[stated] = None
    return tuple(found)


def first_line(text: str) -> str:
    """The first sentence that says something, without Markdown marks."""
    return next((sentence.text for sentence in _sentences(text)), "")


def telling(text: str) -> str:
    """What a text begins with, in as few sentences as tell something; empty for "ok", "Perfect!" and the like alone."""
    found = ""
    for sentence in _sentences(text):
        if found and not found.endswith((":", "：")) and _weight(found) >= _MIN_TELLING:
            break
        found = f"{found} {sentence.text}".strip()
    return "" if _CONTINUATION.fullmatch(found) else found


def _weight(text: str) -> int:
    """Length in characters; one of Chinese, Japanese or Korean says as much as three."""
    return len(text) + 2 * len(_CJK.findall(text))


def _is_rule(sentence: str) -> bool:
    if not _CONSTRAINT.search(sentence) or _ANSWER.fullmatch(sentence):
        return False
    return not _QUESTION.search(sentence) and not _PROMISE.search(sentence)


def _with_list(sentences: tuple[_Sentence, ...], index: int) -> str:
    first = sentences[index].text
    if not first.endswith((":", "：")):
        return first
    items = takewhile(lambda sentence: sentence.listed, sentences[index + 1 :])
    return f"{first} {'; '.join(item.text for item in items)}".rstrip()


def _sentences(text: str) -> Iterator[_Sentence]:
    """Sentences outside code fences and injected reminders, without list and heading marks."""
    for line in _QUOTED_BLOCKS.sub("\n", text).split("\n"):
        bullet = _BULLET.match(line)
        listed = bullet is not None and "#" not in bullet[0]
        for part in _SENTENCE_END.split(line[bullet.end() :] if bullet else line):
            sentence = part.strip()
            if sentence and not _NO_SENTENCE.fullmatch(sentence):
                yield _Sentence(sentence, listed)
