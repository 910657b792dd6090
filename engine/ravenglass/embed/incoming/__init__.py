"""What an agent hands over, in the words of the provider it talks to, as messages in OpenAI chat form.

The importers' own readers say what a message holds; nothing is parsed here a second time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ravenglass.embed.incoming import anthropic, gemini, responses
from ravenglass.embed.incoming.forms import plain, usage_form
from ravenglass.errors import MessageError
from ravenglass.sessions.importing.chat.messages import ROLES
from ravenglass.sessions.model.session import ToolCall
from ravenglass.sessions.records.values import mapping, sequence
from ravenglass.trace import Json

OpenCalls = Callable[[], Sequence[ToolCall]]
"""Tool calls that no result answers yet: Gemini's results name a tool, not a call."""


def chat_forms(given: Json, open_calls: OpenCalls, count: int) -> list[Json]:
    """The chat messages that a message, an item or a whole response of OpenAI, Anthropic or Gemini comes to: several
    where it holds several results. `count`: messages before it, for ids of calls that have none.

    Raises MessageError for what is no message of any of them.
    """
    value = plain(given)
    if gemini.is_gemini(value):
        found = gemini.chat_forms(value, open_calls(), count)
    elif responses.is_responses(value):
        found = responses.chat_forms(value, count)
    elif anthropic.is_anthropic(value):
        found = anthropic.chat_forms(value, count)
    elif len(sequence(value.get("choices"))) == 1:
        found = [_choice(value)]
    else:
        found = [value]
    if not found:
        raise MessageError("The message holds nothing that a conversation has. Nothing was added.")
    for form in found:
        _check(form)
    return found


def chat_usage_form(usage: Json) -> Json:
    """Usage that a provider reported, in the form of chat completions; that of another form as it was given."""
    return usage_form(plain(usage))


def _choice(value: Json) -> Json:
    """A whole chat completion: its only message, with its usage."""
    message = dict(mapping(mapping(sequence(value["choices"])[0]).get("message")))
    return {**message, **({"usage": value["usage"]} if value.get("usage") else {})}


def _check(form: Json) -> None:
    role, content = form.get("role"), form.get("content")
    if not isinstance(role, str) or role not in ROLES:
        roles = ", ".join(dict.fromkeys(ROLES))
        raise MessageError(f"The message has the role {role!r}; it can be {roles}. Nothing was added.")
    if content is None or isinstance(content, str):
        return
    blocks = content if isinstance(content, list) else None
    if blocks is None or not all(isinstance(block, (str, dict)) for block in blocks):
        kind = type(content).__name__ if blocks is None else "list of other things than texts and blocks"
        raise MessageError(f"The content of the message is a {kind}; it has to be a text or blocks. Nothing was added.")
    odd = next((block for block in blocks if isinstance(block, dict) and not _is_block(block)), None)
    if odd is not None:
        raise MessageError(
            f"A block of the message has no type and no text, only {', '.join(map(repr, odd)) or 'nothing'}; no"
            " provider has such a block. Nothing was added."
        )


def _is_block(block: Json) -> bool:
    return isinstance(block.get("type"), str) or isinstance(block.get("text"), str)


__all__ = ["OpenCalls", "chat_forms", "chat_usage_form"]
