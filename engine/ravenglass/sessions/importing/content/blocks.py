"""A message's content, whatever its shape, as Parts. Payloads become descriptions here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ravenglass.sessions.importing.content.payloads import payload_of
from ravenglass.sessions.importing.content.salvaged import holds_bytes, told
from ravenglass.sessions.model.session import Part, PartKind, PartPayload
from ravenglass.sessions.records.values import dump, mapping, sequence, text

_NESTING = ("document", "mcp_tool_result", "search_result")
"""Blocks that hold blocks."""
_SHORT = 120
"""Characters of an address or a name that a description shows."""


def parts_of(content: object) -> tuple[Part, ...]:
    """Parts of a content that is a string, a list of blocks, one block, or null; empty texts give no part.

    Tool calls and tool results among the blocks must be taken out before.
    """
    if content is None:
        return ()
    if isinstance(content, str):
        return (Part("text", content),) if content else ()
    blocks = content if isinstance(content, list) else [content]
    return tuple(part for block in blocks for part in _part(block))


def other(name: str, block: object) -> Part:
    """A block that is kept as its name and size."""
    return Part("other", f"[{name}, {len(dump(block)):,} bytes]")


def unknown(name: str, block: object) -> Part:
    """A block of a kind that nothing here knows: what it says in words, else its name and size. It is counted."""
    words = "\n".join(told(block))
    payload = PartPayload("document") if holds_bytes(block) else None
    shown = f"[{name}]\n{words}" if words else other(name, block).text
    return Part("other", shown, unknown=name[:_SHORT], payload=payload)


def result_of(block: dict[str, Any]) -> tuple[Part, ...]:
    """What a `tool_result` block brings; one that has no `content` is kept as what it says elsewhere."""
    if block.get("content") is not None or next(told(block), None) is None:
        return parts_of(block.get("content"))
    return (unknown("tool_result without content", block),)


def _inner(content: object) -> str:
    """What a block's own content says. Blocks with a content of their own in there are kept as name and size: no
    writer nests them, and damaged files must not nest them without end."""
    blocks = content if isinstance(content, list) else [content]
    found = (
        (other(block["type"], block),)
        if isinstance(block, dict) and block.get("type") in _NESTING
        else parts_of([block])
        for block in blocks
    )
    return "\n".join(part.text for parts in found for part in parts)


def _part(block: object) -> tuple[Part, ...]:
    if isinstance(block, str):
        return (Part("text", block),) if block else ()
    if not isinstance(block, dict):
        return () if block is None else (Part("text", dump(block)),)
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    if reader is not None:
        part = reader(block)
        if part.text:
            return (part,)
        # A known kind whose words stand in another field than the one it is known for.
        return (unknown(str(kind), block),) if next(told(block), None) is not None else ()
    if kind is None and isinstance(block.get("text"), str):
        return (Part("text", block["text"]),)
    return (unknown(kind if isinstance(kind, str) and kind else "block of no type", block),)


def _text(block: dict[str, Any]) -> Part:
    return Part("text", text(block.get("text")))


def _refusal(block: dict[str, Any]) -> Part:
    return Part("text", text(block.get("refusal")))


def _thinking(block: dict[str, Any]) -> Part:
    words = text(block.get("thinking")) or text(block.get("text"))
    if words:
        return Part("thinking", words)
    # Some writers keep only the signature; it is no text, but the block was in the window.
    return Part("thinking", f"[thinking, withheld, {len(dump(block)):,} bytes]")


def _redacted(block: dict[str, Any]) -> Part:
    return Part("thinking", f"[redacted thinking, {len(text(block.get('data'))):,} bytes]")


def _image(block: dict[str, Any]) -> Part:
    source = mapping(block.get("source")) or block
    media = source.get("media_type") or source.get("mimeType") or source.get("mediaType")
    return _blob("image", media, source.get("data"), source.get("url") or source.get("file_id"))


def _image_url(block: dict[str, Any]) -> Part:
    value = block.get("image_url")
    return _blob("image", None, None, value if isinstance(value, str) else mapping(value).get("url"))


def _document(block: dict[str, Any]) -> Part:
    source = mapping(block.get("source"))
    if source.get("type") == "text":
        return Part("text", text(source.get("data")))
    if source.get("type") == "content":
        return Part("document", _inner(source.get("content")))
    return _blob("document", source.get("media_type"), source.get("data"), source.get("url") or block.get("title"))


def _file(block: dict[str, Any]) -> Part:
    file = mapping(block.get("file")) or block
    return _blob("document", None, file.get("file_data"), file.get("filename") or file.get("file_id"))


def _audio(block: dict[str, Any]) -> Part:
    audio = mapping(block.get("input_audio")) or mapping(block.get("audio")) or mapping(block.get("source")) or block
    media = text(audio.get("media_type")) or text(audio.get("mimeType")) or text(audio.get("format"))
    return _blob("other", media if media.startswith("audio") else f"audio {media}".strip(), audio.get("data"), None)


def _video(block: dict[str, Any]) -> Part:
    video = mapping(block.get("source")) or mapping(block.get("video_url")) or block
    media = text(video.get("media_type")) or text(video.get("mimeType"))
    return _blob("other", f"video {media}".strip(), video.get("data"), video.get("url") or video.get("file_id"))


def _resource(block: dict[str, Any]) -> Part:
    """What a server of the Model Context Protocol embeds: a text, or bytes."""
    found = mapping(block.get("resource")) or block
    if isinstance(found.get("text"), str):
        return Part("text", found["text"])
    return _blob("document", found.get("mimeType"), found.get("blob"), found.get("uri") or found.get("name"))


def _link(block: dict[str, Any]) -> Part:
    return Part("other", f"[{' '.join(filter(None, (text(block.get(key)) for key in ('name', 'uri')))) or 'resource'}]")


def _server_tool(block: dict[str, Any]) -> Part:
    return Part("other", f"[{text(block.get('name')) or 'server tool'} {dump(block.get('input'))}]")


def _tool_reference(block: dict[str, Any]) -> Part:
    return Part("other", f"[tool {text(block.get('tool_name')) or text(block.get('name')) or 'reference'}]")


def _mcp_result(block: dict[str, Any]) -> Part:
    return Part("other", _inner(block.get("content")) or other("MCP result", block).text)


def _search_result(block: dict[str, Any]) -> Part:
    """A search result that the request brings: its title and its text."""
    return Part("text", "\n".join(words for words in (text(block.get("title")), _inner(block.get("content"))) if words))


def _upload(block: dict[str, Any]) -> Part:
    return Part("document", f"[file {text(block.get('file_id')) or 'in the container'}]")


def _web_results(block: dict[str, Any]) -> Part:
    found = [mapping(item) for item in sequence(block.get("content"))]
    lines = [f"{text(item.get('title'))} {text(item.get('url'))}".strip() for item in found]
    return Part("other", "\n".join(line for line in lines if line) or other("web search result", block).text)


def _blob(kind: PartKind, media: object, data: object, place: object) -> Part:
    """A description such as `[image image/png, 48,112 bytes]`; a `data:` address is described, not shown.

    Everything that is no image comes with what its size in tokens is told by.
    """
    address = text(place)
    if address.startswith("data:"):
        head, _, data = address.partition(",")
        media, address = head[5:].split(";", 1)[0], ""
    elif isinstance(data, str) and data.startswith("data:"):
        head, _, data = data.partition(",")
        media = text(media) or head[5:].split(";", 1)[0]
    words = " ".join(word for word in ("" if kind == "other" else kind, text(media)) if word)
    payload = None if kind == "image" else payload_of(text(media).removeprefix("audio ") or text(media), data)
    if isinstance(data, str) and data:
        return Part(kind, f"[{words}, {_decoded_size(data):,} bytes{_length(payload)}]", payload=payload)
    shown = address if len(address) <= _SHORT else address[:_SHORT] + "..."
    return Part(kind, f"[{words} {shown}]" if shown else f"[{words}]", payload=payload)


def _length(payload: PartPayload | None) -> str:
    """Pages or seconds, where the bytes tell them."""
    if payload is not None and payload.pages is not None:
        return f", {payload.pages:,} page{'s' * (payload.pages != 1)}"
    return f", {payload.seconds:,.1f} s" if payload is not None and payload.seconds is not None else ""


def _decoded_size(data: str) -> int:
    """Bytes that a base64 text stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


_READERS: dict[str, Callable[[dict[str, Any]], Part]] = {
    "text": _text,
    "input_text": _text,
    "output_text": _text,
    "refusal": _refusal,
    "thinking": _thinking,
    "reasoning": _thinking,
    "redacted_thinking": _redacted,
    "image": _image,
    "image_url": _image_url,
    "input_image": _image_url,
    "document": _document,
    "file": _file,
    "input_file": _file,
    "input_audio": _audio,
    "audio": _audio,
    "video": _video,
    "video_url": _video,
    "input_video": _video,
    "resource": _resource,
    "resource_link": _link,
    "server_tool_use": _server_tool,
    "mcp_tool_use": _server_tool,
    "mcp_tool_result": _mcp_result,
    "search_result": _search_result,
    "container_upload": _upload,
    "tool_reference": _tool_reference,
    "web_search_tool_result": _web_results,
}
