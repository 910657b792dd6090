"""Exact token counts of texts, offline, each carrying how it was got.

What a *message* costs (its calls, images, overhead) is the hub's business; here are only texts.
"""

from ravenglass.tokens.amounts import CountStore, How, TokenCount
from ravenglass.tokens.encodings import ENCODINGS, EncodingName
from ravenglass.tokens.tokenizer import Tokenizer, tokenizer

__all__ = ["ENCODINGS", "CountStore", "EncodingName", "How", "TokenCount", "Tokenizer", "tokenizer"]
