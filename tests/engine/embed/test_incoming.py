"""Messages as the packages of OpenAI, Anthropic and Gemini give them back: understood, or refused with a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from ravenglass import Engine
from ravenglass.errors import MessageError

PIXEL = "iVBORw0KGgo="


class Given:
    """An object of a provider's package, as far as the engine knows it."""

    def __init__(self, **fields: object) -> None:
        self.fields = fields

    def model_dump(self, *, exclude_none: bool) -> dict[str, object]:
        assert exclude_none
        return dict(self.fields)


def anthropic(engine: Engine, wrap: Any) -> None:
    source = {"type": "base64", "media_type": "image/png", "data": PIXEL}
    engine.observe(
        {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image", "source": source}]}
    )
    blocks = [
        {"type": "thinking", "thinking": "Reading.", "signature": "s1"}, {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.py"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "b.py"}},
    ]  # fmt: skip
    usage = {"input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 30}
    engine.record_response(wrap(type="message", id="m", role="assistant", content=blocks, usage=usage))
    results = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "t2", "content": [{"type": "text", "text": "two"}], "is_error": True},
    ]
    assert engine.observe({"role": "user", "content": [*results, {"type": "text", "text": "And now?"}]}) == 4


def responses(engine: Engine, wrap: Any) -> None:
    picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}
    engine.observe({"role": "user", "content": [{"type": "input_text", "text": "Look."}, picture]})
    output = [
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "Reading."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "t1", "name": "Read", "arguments": '{"file_path": "a.py"}'},
        {"type": "function_call", "call_id": "t2", "name": "Read", "arguments": '{"file_path": "b.py"}'},
    ]
    usage = {"input_tokens": 40, "output_tokens": 5, "input_tokens_details": {"cached_tokens": 30}}
    engine.record_response(wrap(object="response", output=output, usage=usage))
    engine.observe({"type": "function_call_output", "call_id": "t1", "output": "one"})
    engine.observe({"type": "function_call_output", "call_id": "t2", "output": [{"type": "input_text", "text": "two"}]})
    engine.observe({"role": "user", "content": "And now?"})


def gemini(engine: Engine, wrap: Any) -> None:
    engine.observe(
        {"role": "user", "parts": [{"text": "Look."}, {"inline_data": {"mime_type": "image/png", "data": b"x"}}]}
    )
    parts = [
        {"text": "Reading.", "thought": True}, {"text": "I look."},
        {"function_call": {"name": "Read", "args": {"file_path": "a.py"}}, "thought_signature": b"s1"},
        {"function_call": {"name": "Read", "args": {"file_path": "b.py"}}},
    ]  # fmt: skip
    usage = {"prompt_token_count": 40, "candidates_token_count": 5, "cached_content_token_count": 30}
    engine.record_response(wrap(candidates=[{"content": {"role": "model", "parts": parts}}], usage_metadata=usage))
    answers = [{"function_response": {"name": "Read", "response": {"output": word}}} for word in ("one", "two")]
    assert engine.observe({"role": "user", "parts": [*answers, {"text": "And now?"}]}) == 4


@pytest.mark.parametrize("talk", [anthropic, responses, gemini])
@pytest.mark.parametrize("wrap", [dict, Given])
def test_that_a_conversation_in_a_providers_words_is_the_one_it_is(talk: Any, wrap: Any) -> None:
    with Engine() as engine:
        talk(engine, wrap)
        session = engine.run().session
        assert [m.role for m in session.messages] == ["user", "assistant", "tool", "tool", "user"]
        first, answer, one, two, last = session.messages
        assert [part.kind for part in first.parts] == ["text", "image"]
        assert [(c.name, c.arguments.replace(" ", "")) for c in answer.tool_calls] == [
            ("Read", '{"file_path":"a.py"}'), ("Read", '{"file_path":"b.py"}'),
        ]  # fmt: skip
        assert "I look." in answer.text
        assert "Reading." in str(answer.parts)
        assert answer.usage is not None
        assert (answer.usage.context, answer.usage.output, answer.usage.cache_read) == (40, 5, 30)
        assert [m.tool_call_id for m in (one, two)] == [c.id for c in answer.tool_calls]
        assert (one.text, two.text, last.text) == ("one", "two", "And now?")
        assert engine.open_calls() == []
        for dialect in ("openai-chat", "anthropic", "openai-responses", "gemini"):
            assert PIXEL in str(engine.request(dialect)) or talk is gemini
        assert "s1" in str(engine.request("anthropic")) or talk is not anthropic


@pytest.mark.parametrize(
    "block",
    [
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PIXEL * 400}},
        {"type": "input_audio", "input_audio": {"data": PIXEL * 400, "format": "wav"}},
        {"type": "file", "file": {"file_data": PIXEL * 400, "filename": "a.pdf"}},
    ],
)
def test_that_documents_and_audio_count(block: dict[str, Any]) -> None:
    with Engine() as engine:
        engine.observe({"role": "user", "content": [block]})
        with_it = engine.decide().tokens
    with Engine() as engine:
        engine.observe({"role": "user", "content": ""})
        assert with_it > engine.decide().tokens + 10


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ({"role": "user", "content": 7}, "The content of the message is a int"),
        ({"role": "user", "content": [{"odd": 1}]}, "has no type and no text, only 'odd'"),
        ({"type": "function_call_output", "call_id": "nobody", "output": "x"}, "answers 'nobody'"),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "nobody", "content": "x"}]}, "'nobody'"),
        ({"output": [{"type": "unheard_of"}]}, "The item unheard_of has no place in a conversation"),
        ({"candidates": []}, "The response holds 0 candidates"),
        ({"words": "x"}, "The message has the role None"),
    ],
)
def test_that_what_is_no_message_is_refused_with_a_sentence(message: dict[str, Any], sentence: str) -> None:
    with Engine() as engine:
        with pytest.raises(MessageError) as refused:
            engine.observe(message)
        assert sentence in str(refused.value)
        assert str(refused.value).endswith("Nothing was added.")
        assert engine.messages() == []


def test_that_of_several_results_all_are_added_or_none() -> None:
    with Engine() as engine:
        engine.observe({"role": "user", "content": "x"})
        engine.record_response(
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read", "input": {}}]}
        )
        blocks = [{"type": "tool_result", "tool_use_id": name, "content": "x"} for name in ("t1", "t2")]
        with pytest.raises(MessageError, match="answers 't2'"):
            engine.observe({"role": "user", "content": blocks})
        assert len(engine.messages()) == 2


def test_that_of_two_results_for_one_call_in_one_message_none_is_added() -> None:
    engine = Engine()
    engine.observe({"role": "user", "content": "go"})
    call = {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}
    engine.record_response({"type": "message", "role": "assistant", "content": [call]})
    twice = [{"type": "tool_result", "tool_use_id": "t1", "content": f"answer {n}"} for n in range(2)]
    with pytest.raises(MessageError, match="answers 't1'"):
        engine.observe({"role": "user", "content": twice})
    assert len(engine.messages()) == 2
    engine.observe({"role": "user", "content": twice[:1]})
    assert len(engine.messages()) == 3
