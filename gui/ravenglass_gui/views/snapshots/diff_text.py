"""What differs between two snapshots, as plain text."""

from __future__ import annotations

from ravenglass.replay.vocabulary import SnapshotDiff


def diff_text(diff: SnapshotDiff) -> str:
    """Sentences first, then a line an entry: `+` became known, `-` is not known any more, `~` changed."""
    lines = [f"From {diff.first} to {diff.second}:"]
    if diff.empty:
        return f"{lines[0]} nothing differs."
    if diff.instruction:
        lines.append("Another task: it began with another prompt.")
    if diff.working_state:
        lines.append("The window holds another version of the working state.")
    if diff.summary:
        lines.append("The window holds another summary.")
    for name, ids in (("Came into the window", diff.entered), ("Left the window", diff.left)):
        if ids:
            lines.append(f"{name}: {' '.join(f'#{m}' for m in ids)}")
    lines += [f"~ #{moved.message} {moved.before} → {moved.after}  {moved.context_id}" for moved in diff.moved]
    lines += [f"+ #{entry.message} {entry.state.label} · {entry.tier}  {entry.context_id}" for entry in diff.added]
    lines += [f"- #{entry.message} {entry.state.label} · {entry.tier}  {entry.context_id}" for entry in diff.removed]
    return "\n".join(lines)
