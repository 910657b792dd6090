"""The working state in a window: its limits, where its lines come from, that it holds still between slow paths."""

from __future__ import annotations

import re

from tests.acceptance.reference.facts import Facts, Json
from tests.acceptance.reference.observed import Observed
from tests.acceptance.reference.sizes import block_tokens
from tests.acceptance.reference.tally import Tally

_MADE = re.compile(r"^(commit|plan): ")
"""Says what of a record a line is."""
_NUMBER = re.compile(r"^\s*\d+[.)]\s", re.MULTILINE)
"""Of an item in a list, which lines leave out."""
STATE, SUMMARY = "# Curator Working State\n", "# Summary of the earlier conversation\n"
PARTS = {"Goals": "max_goals", "Open threads": "max_open_threads", "Decisions": "max_decisions"}


def head(window: Json, title: str) -> list[Json]:
    return [b for b in window["messages"] if b["id"] is None and b["content"].startswith(title)]


def working_state(facts: Facts, made: Observed, call: int, tally: Tally) -> None:
    """Of one window, and the summary beside it."""
    p, now = made.profile, made.windows[call - 1]
    states, summaries = head(now, STATE), head(now, SUMMARY)
    tally.holds("working state", len(states) < 2 and len(summaries) < 2, "there are two working states or summaries")
    if now["path"] == "fast":
        before = made.windows[call - 2] if call > 1 else {"messages": []}
        tally.same("working state", head(before, STATE), states, "working state of a fast call")
        tally.same("working state", head(before, SUMMARY), summaries, "summary of a fast call")
        return
    for block in states:
        parts = re.split(r"^## (.+)$", block["content"], flags=re.MULTILINE)[1:]
        known = facts.messages[: facts.known(call)]
        said = "".join(_bare(m.text) + "\0" + _bare(_NUMBER.sub("", m.text)) + "\0" for m in known)
        said += "".join(_bare(text) + "\0" for m in known for c in m.tool_calls for text in facts.strings(c.arguments))
        for title, body in zip(parts[::2], parts[1::2], strict=True):
            lines = [line[2:] for line in body.split("\n") if line.startswith("- ")]
            limit = PARTS.get(title)
            tally.holds("working state", limit is not None, f"there is a part {title}")
            if limit is not None:
                tally.holds("working state", len(lines) <= getattr(p, limit), f"{title} has {len(lines)} lines")
            for line in lines:
                tally.holds("working state", len(line) <= p.max_line_chars, f"a line has {len(line)} characters")
                tally.holds(
                    "working state",
                    _bare(_MADE.sub("", line).removesuffix("…")) in said,
                    f"nobody said {line[:80]!r}",
                )
    for block in summaries:
        cost = block_tokens(block, p, 0)
        path = f"Read the full transcript at: {made.path.absolute()}"
        tally.holds("summary", p.summarize, "there is a summary, and the profile wants none")
        tally.holds("summary", cost <= p.summary_tokens, f"the summary takes {cost} tokens")
        tally.same("summary", path, block["content"].split("\n")[-1], "last line of the summary")
        quota = made.report["budget"]["quotas"]["session"]
        both = cost + sum(block_tokens(b, p, 0) for b in states)
        tally.holds("summary", both <= quota, f"summary and working state take {both} of {quota} tokens")


def _bare(text: str) -> str:
    """Letters and digits only: lines are made of a message's words, not of its marks and blanks."""
    return re.sub(r"[\W_]+", "", text)
