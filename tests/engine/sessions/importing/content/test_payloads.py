"""Documents and recordings are told by pages and seconds where their bytes tell them, and never by their text."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ravenglass.hub.size_key import SizeKey
from ravenglass.hub.sizes import Sizes
from ravenglass.profile import Profile
from ravenglass.replay import replay
from ravenglass.sessions import open_session
from ravenglass.sessions.importing.content.blocks import parts_of
from ravenglass.sessions.importing.content.payloads import payload_of
from ravenglass.sessions.model.attached import attached_tokens, basis, payload_tokens
from ravenglass.sessions.model.session import PartPayload

Write = Callable[..., Path]
PROFILE = Profile()


def coded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def pdf(pages: int, *, packed: bool = False) -> bytes:
    """What of a PDF tells its pages."""
    objects = b"".join(b"%d 0 obj << /Type /Page /Parent 1 0 R >> endobj\n" % n for n in range(2, pages + 2))
    tree = b"1 0 obj << /Type /Pages /Count %d >> endobj\n" % pages
    if packed:
        inner = zlib.compress(tree + objects)
        return b"%PDF-1.7\n9 0 obj << /Type /ObjStm /N 3 >>\nstream\n" + inner + b"\nendstream endobj\n%%EOF"
    return b"%PDF-1.4\n" + tree + objects + b"%%EOF"


def wav(seconds: int, rate: int = 8_000) -> bytes:
    sound = b"\x00" * (seconds * rate)
    head = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, rate, rate, 1, 8) + struct.pack("<4sI", b"data", len(sound))
    return b"RIFF" + struct.pack("<I", 4 + len(head) + len(sound)) + b"WAVE" + head + sound


@pytest.mark.parametrize("packed", [False, True])
def test_that_the_pages_of_a_pdf_are_counted(packed: bool) -> None:
    assert payload_of("application/pdf", coded(pdf(7, packed=packed))) == PartPayload("document", pages=7)


def test_that_the_length_of_a_wav_is_read() -> None:
    assert payload_of("wav", coded(wav(3))) == PartPayload("audio", seconds=3.0)


@pytest.mark.parametrize("data", ["", "not base64 !", coded(b"%PDF-1.7 nothing"), "JVBERi0xLjcK" * 90, None, 3])
def test_that_bytes_which_tell_nothing_have_a_flat_cost(data: object) -> None:
    payload = payload_of("application/pdf", data)
    assert payload == PartPayload("document")
    assert payload_tokens(payload, PROFILE) == PROFILE.document_tokens
    assert payload_tokens(payload_of("audio/mp3", data), PROFILE) == PROFILE.audio_tokens


BLOB = coded(pdf(2) + b"x" * 9_000)
SHAPES: tuple[tuple[object, int], ...] = (
    ({"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": BLOB}}, 4_000),
    ({"type": "document", "source": {"type": "url", "url": "https://x.y/a.pdf"}}, 6_000),
    ({"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{BLOB}"}}, 4_000),
    ({"type": "input_file", "filename": "a.pdf", "file_data": f"data:application/pdf;base64,{BLOB}"}, 4_000),
    ({"type": "input_file", "filename": "a.pdf", "file_data": BLOB}, 4_000),
    ({"type": "input_audio", "input_audio": {"data": coded(wav(2)), "format": "wav"}}, 64),
    ({"type": "audio", "data": coded(wav(2)), "mimeType": "audio/wav"}, 64),
    ({"type": "input_audio", "input_audio": {"data": BLOB, "format": "mp3"}}, 2_000),
    ({"type": "video", "source": {"media_type": "video/mp4", "data": coded(b"v" * 9_000)}}, 6_000),
    ({"type": "resource", "resource": {"uri": "file:///a", "mimeType": "application/pdf", "blob": BLOB}}, 4_000),
    ({"type": "hologram", "data": BLOB}, 6_000),
    ({"type": "image", "data": BLOB, "mimeType": "image/png"}, 1_600),
)


@pytest.mark.parametrize(("block", "tokens"), SHAPES)
def test_that_every_shape_of_a_payload_costs_its_estimate_and_none_of_its_text(
    write: Write, block: object, tokens: int
) -> None:
    (part,) = parts_of(block)
    assert len(part.text) < 200
    said = {"role": "user", "content": [{"type": "text", "text": "look at it"}, block]}
    session = open_session(write(json.dumps([said, {"role": "assistant", "content": "seen"}]).encode(), name="s.json"))
    sizes = Sizes(session, SizeKey.of(PROFILE))
    assert attached_tokens(session.messages[0], PROFILE) == tokens
    assert tokens < sizes.full[0] < tokens + 120
    assert (0 in sizes.estimated) is (part.kind != "image")
    assert replay(session, PROFILE).totals(1).tokens >= tokens


def test_that_the_basis_of_an_estimate_is_said() -> None:
    assert basis(PartPayload("document", pages=12), PROFILE) == "document, 12 pages at 2,000 each"
    assert basis(PartPayload("document"), PROFILE) == "document at a flat 6,000"
    assert basis(PartPayload("audio", seconds=2.5), PROFILE) == "recording, 2.5 s at 32 a second"
    assert basis(PartPayload("audio"), PROFILE) == "recording at a flat 2,000"
