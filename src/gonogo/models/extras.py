"""What a training needs that the core install has not, named by the command that installs it; Unsloth goes first.

Unsloth patches trl, transformers and peft when it is imported, and has to be imported before them. So this module
imports none of these, and :func:`prepare` is called before anything that does.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from gonogo.config import ModelConfig
from gonogo.errors import MissingExtra, Misuse

__all__ = ["missing_extras", "prepare", "uses_unsloth"]

TRAINERS = ("accelerate", "datasets", "peft", "tokenizers", "torch", "transformers", "trl")


def has_gpu() -> bool:
    """Whether torch is there and sees a GPU."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


def uses_unsloth(config: ModelConfig) -> bool:
    """Whether Unsloth loads the model: where the config says so, or leaves it open and all is there."""
    if config.loader != "auto":
        return config.loader == "unsloth"
    there = config.lora is not None and config.precision != "fp32"
    return there and find_spec("unsloth") is not None and has_gpu()


def missing_extras(config: ModelConfig) -> list[MissingExtra]:
    """The extras that this model needs and that are not installed, in the order in which to install them."""
    wanted: dict[str, tuple[str, ...]] = {}
    if uses_unsloth(config):  # its extra brings trainers of its own versions, in the other's place
        wanted["unsloth"] = ("unsloth",)
    else:
        wanted["train"] = TRAINERS
    if config.precision == "4bit":
        wanted["4bit"] = ("bitsandbytes",)
    if config.pretrained is not None and config.pretrained.endswith(".gguf"):
        wanted["gguf"] = ("gguf",)
    uses = {"4bit": "model.precision 4bit", "gguf": f"the file {config.pretrained}"}
    return [
        MissingExtra(extra, uses.get(extra, "training"))
        for extra, modules in wanted.items()
        if any(find_spec(module) is None for module in modules)
    ]


def prepare(config: ModelConfig) -> None:
    """Refuse what cannot be loaded here, and import Unsloth where it will load the model.

    Raises:
        MissingExtra: Something is not installed.
        Misuse: Unsloth is wanted and there is no GPU.
    """
    if missing := missing_extras(config):
        raise missing[0]
    if uses_unsloth(config):
        if not has_gpu():
            raise Misuse("model.loader: unsloth needs a GPU, and torch sees none; say transformers")
        import_module("unsloth")
