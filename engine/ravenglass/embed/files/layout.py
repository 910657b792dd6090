"""Where a running engine's files are, and how their lines look: the layout of the reference implementation.

sessions/CHANNEL/CHAT.jsonl                      the session
memory/.curator/archive/YYYY-MM-DD/...jsonl      archived messages
memory/.curator/manifest/KEY.json                the manifest, as of the last slow path
memory/.curator/working_state/KEY.json           the working state
memory/.curator/snapshots/KEY/NAME.zst           snapshots: the first of each task and the latest few
memory/.curator/traces/KEY/TURN.jsonl            one trace a turn
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from ravenglass.curator.working_state.state import WorkingState, texts
from ravenglass.errors import MessageError
from ravenglass.safe.names import file_name
from ravenglass.sessions.records.decode import decode_value
from ravenglass.sessions.records.values import dump, mapping
from ravenglass.trace import Json

_CHANNEL = "agent"


def fresh_key(now: float) -> str:
    """A session key that no other engine has: the channel, the local time, six random digits."""
    return f"{_CHANNEL}:{datetime.fromtimestamp(now):%Y%m%d_%H%M%S}_{secrets.token_hex(3)}"


def session_file(root: Path, key: str) -> Path:
    """The file of a session whose key is `channel:chat`, or only the chat."""
    channel, chat = _parts(key)
    return root / "sessions" / file_name(channel) / f"{file_name(chat)}.jsonl"


def head(key: str, now: float, tools: Sequence[Mapping[str, object]] | None) -> bytes:
    """The first line of a session file. Raises MessageError where the tool definitions are no JSON."""
    channel, chat = _parts(key)
    about: Json = {
        "source": "ravenglass", "channel": channel, "chat_id": chat, "title": None, "parent_session_id": None,
    }  # fmt: skip
    if tools is not None:
        about["tools"] = [dict(tool) for tool in tools]
    # The reference implementation writes and compares local times without an offset.
    stamp = datetime.fromtimestamp(now).isoformat()
    line: Json = {
        "_type": "metadata", "key": key, "created_at": stamp, "updated_at": stamp, "metadata": about,
        "last_consolidated": 0, "pending_clarification": None,
    }  # fmt: skip
    try:
        return json.dumps(line, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError, RecursionError) as error:
        raise MessageError(f"The tool definitions cannot be written as JSON ({error}).") from error


def tools_text(line: bytes) -> str | None:
    """The tool definitions of a first line, as the session's importer reads them."""
    tools = mapping(mapping(decode_value(line)).get("metadata")).get("tools")
    return dump(tools) if isinstance(tools, list) else None


def working_state(state: WorkingState, now: float) -> Json:
    """The working state as its file holds it."""
    return texts(state) | {"updated_at": datetime.fromtimestamp(now, UTC).isoformat()}


def _parts(key: str) -> tuple[str, str]:
    channel, _, chat = key.partition(":")
    return (channel, chat) if chat else (_CHANNEL, channel)
