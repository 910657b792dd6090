"""Where the model policy finds its model: any endpoint that speaks OpenAI's chat completions. Settings, no I/O."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ravenglass.errors import ProfileError


class Endpoint(BaseModel):
    """Address, model and limits of one endpoint. The key itself is never kept, only the name of its variable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = Field(pattern=r"^https?://")
    """Address up to and including `/v1`."""
    model: str = Field(min_length=1)
    """Name of the model, as the endpoint has it."""
    api_key_env: str = "OPENAI_API_KEY"
    """Environment variable that holds the key; empty: the endpoint needs none."""
    stream: bool = True
    """Ask for a stream of pieces instead of one answer."""
    stream_usage: bool = True
    """Ask for the tokens of a streamed answer; off where an endpoint does not know that option."""
    temperature: float = Field(default=0.0, ge=0, le=2)
    """0: the same question gets the same answer, as far as the model can."""
    retries: int = Field(default=2, ge=0, le=10)
    """How often a request is repeated after an overload, a broken connection or a garbled reply."""
    pause_s: float = Field(default=0.5, ge=0, le=60)
    """Seconds before the first repetition, doubled for each further one; the endpoint's Retry-After goes first."""
    silent_answers: int = Field(default=2, ge=1, le=100)
    """After this many answers in a row without a tool call the policy gives up."""
    manifest_chars: int = Field(default=40_000, ge=1_000)
    """Most characters of the manifest in the first message."""
    result_chars: int = Field(default=8_000, ge=200)
    """Most characters of one tool result that the model is shown."""
    trace_chars: int = Field(default=1_600, ge=100)
    """Most characters of one message that the trace keeps."""
    reply_bytes: int = Field(default=4 << 20, ge=1_000)
    """A reply that is larger is taken for a fault of the endpoint."""
    give_up_after: int = Field(default=3, ge=1, le=1_000)
    """After this many slow paths in a row without an answer a replay asks no more."""
    price_input: float | None = Field(default=None, ge=0)
    """Dollars per million prompt tokens; None: unknown."""
    price_output: float | None = Field(default=None, ge=0)
    """Dollars per million tokens of answers; None: unknown."""

    @property
    def shown(self) -> str:
        """The address as messages name it: without a user's name and password."""
        parts = urlsplit(self.base_url)
        return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def make_endpoint(**values: Any) -> Endpoint:
    """An Endpoint, or a ProfileError whose sentence names the field."""
    try:
        return Endpoint(**values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])) or "endpoint"
        message = f"The model endpoint's {name}: {first['msg'][0].lower()}{first['msg'][1:]}."
        raise ProfileError(message, field=name) from None
