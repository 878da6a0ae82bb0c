"""Models to probe: a tiny one made from scratch, and chat models."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

from tests.training.probing import run_of

from gonogo.config import ModelConfig
from gonogo.models.saved import make, save
from gonogo.models.tokenizer import Speaker, train_tokenizer
from gonogo.records.record import Verdict
from gonogo.training.probe import report

TEXTS = ['goal_east: -3\n{"move": "north"}'] * 20
TEMPLATE = (
    "{% for m in messages %}<|{{ 'user' if m.role == 'system' else m.role }}|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def speaker(context: int = 2048) -> Speaker:
    """A model of no sense."""
    shape = ModelConfig(
        hidden=32, intermediate=48, layers=2, heads=4, key_value_heads=2, vocabulary=300,
        context=context,
    )  # fmt: skip
    return make(shape, train_tokenizer(TEXTS, 300), seed=1)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model's folder as the train station leaves it, untrained."""
    folder = tmp_path_factory.mktemp("tiny") / "tiny"
    save(speaker(), folder)
    return folder


@pytest.fixture
def chat(tmp_path: Path) -> Callable[..., Path]:
    """Make a chat model's folder, as others than gonogo leave it."""

    def folder(template: str | None = TEMPLATE, pad: str = "<|pad|>", context: int = 2048) -> Path:
        made = speaker(context)
        made.tokenizer.chat_template = template
        made.tokenizer.pad_token = pad
        save(made, tmp_path / "chat")
        (tmp_path / "chat" / "gonogo_model.json").unlink()
        return tmp_path / "chat"

    return folder


@pytest.fixture(scope="session")
def probed(gridworld: Path, tiny: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run of a probe of a model that was never trained."""
    out = tmp_path_factory.mktemp("probed")
    assert report.run(run_of(gridworld, out, str(tiny))) is Verdict.NO_GO
    return out
