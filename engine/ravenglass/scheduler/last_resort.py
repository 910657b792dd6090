"""What the assembler may ask for when offload and eviction do not reach the budget: a summary of what had to leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ravenglass.hub.summary import Summary


class Summarizer(Protocol):
    """Who writes summaries."""

    def summary(self, call: int, groups: Sequence[int], cap: int) -> Summary | None:
        """What stands for these groups (ascending), as a call knows them, in at most `cap` tokens.

        None where that is too few to say anything, and where the transcript could not be brought to the disk first.
        The same question always gets the same answer.
        """
        ...
