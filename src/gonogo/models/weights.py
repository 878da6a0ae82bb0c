"""Models whose weights can be had: a folder, a GGUF file, or an OpenAI-compatible server; opened as policies.

Naming one touches nothing; opening it may take minutes, and may fail: a model without a chat template, a pad
token that is the end token, weights that no memory holds. Then a :class:`~gonogo.errors.GonogoError` says so.
Everything decodes greedily. Local models need the ``train`` extra, and GGUF files ``gguf`` beside it.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urldefrag

from gonogo.config import Architecture, ModelConfig
from gonogo.errors import MissingExtra, Misuse, PolicyFailure
from gonogo.models.failures import broken_errors, first_line
from gonogo.records.provenance import tree_hash
from gonogo.records.record import Part
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.types import Policy

MODEL_FILE = "config.json"
OUR_MODEL_FILE = "gonogo_model.json"
TRAIN_EXTRA = frozenset({"torch", "transformers", "tokenizers", "peft"})


def holds_model(folder: Path) -> bool:
    """Whether a folder holds a model: any chat model's, or one of gonogo's, which may be an adapter alone."""
    return any((folder / name).is_file() for name in (MODEL_FILE, OUR_MODEL_FILE))


NAMED = re.compile(r"(?P<name>[\w.+-]+)=(?P<where>.+)")
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Weights:
    """A model whose weights can be had.

    Attributes:
        name: What tables call it.
        where: Path, or URL with the model's name as its fragment.
        kind: What is there.
    """

    name: str
    where: str
    kind: Literal["folder", "gguf", "endpoint"]

    def fingerprint(self) -> str:
        """Hash of the weights; a server's are out of sight, and its address stands for them."""
        if self.kind == "folder":
            return tree_hash(Path(self.where))
        digest = hashlib.sha256()
        if self.kind == "endpoint":
            digest.update(self.where.encode())
        else:
            with open(self.where, "rb") as file:
                while chunk := file.read(CHUNK):
                    digest.update(chunk)
        return digest.hexdigest()


class ModelFacts(Part):
    """What was seen of a model when it was opened."""

    context: int | None = None
    """Longest episode in tokens; None where a server does not say."""
    architecture: Architecture | None = None
    """Its shape; None for a server's, and for shapes that are not known here."""
    parameters: int | None = None
    """Weights counted in memory; None for a server's."""
    ours: bool = False
    """Whether it was made from scratch by gonogo, with a tokenizer for one environment."""


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A model that is ready to fly.

    Attributes:
        policy: It; to be closed by whoever opened it.
        facts: What was seen of it.
    """

    policy: Policy
    facts: ModelFacts = field(default_factory=ModelFacts)


def find_weights(text: str) -> Weights:
    """What ``NAME=WHERE`` or ``WHERE`` means.

    Raises:
        Misuse: Nothing is there.
    """
    named = None if Path(text).exists() else NAMED.fullmatch(text)
    where = text if named is None else named["where"]
    name = None if named is None else named["name"]
    if where.startswith(("http://", "https://")):
        address, model = urldefrag(where)
        return Weights(name or model or address.partition("://")[2], where, "endpoint")
    path = Path(where).expanduser()
    if path.suffix == ".gguf" and path.is_file():
        return Weights(name or path.stem, str(path), "gguf")
    if holds_model(path):
        return Weights(name or path.resolve().name, str(path), "folder")
    raise Misuse(
        f"{text!r} names no model: give a folder with a {MODEL_FILE}, a .gguf file, or the URL of an "
        "OpenAI-compatible server, after NAME= where it is a candidate's"
    )


def open_weights(
    weights: Weights,
    codec: Codec,
    *,
    max_reply_tokens: int,
    reply_timeout_s: float,
    cache_mib: int | None = None,
    chat: ModelConfig | None = None,
) -> LoadedModel:
    """Make a policy of it.

    Args:
        weights: Which.
        codec: Of the environment; says how to reply.
        max_reply_tokens: Longest reply.
        reply_timeout_s: Seconds that a server may take for one.
        cache_mib: Most memory of keys and values, MiB, or None; a server has its own.
        chat: Says the chat template of a model; None for its own.

    Raises:
        Misuse: Its chat template or its tokens cannot carry an episode.
        MissingRecord: A folder of gonogo's is broken.
        PolicyFailure: It cannot be loaded, or would not fit the memory.
        MissingExtra: What loads it is not installed.
    """
    if weights.kind == "endpoint":
        from gonogo.models.endpoint import EndpointPolicy

        address, model = urldefrag(weights.where)
        return LoadedModel(
            EndpointPolicy(
                address,
                model or None,
                name=weights.name,
                system=codec.instructions(),
                max_reply_tokens=max_reply_tokens,
                timeout_s=reply_timeout_s,
            )
        )
    try:
        return open_local(weights, codec.instructions(), max_reply_tokens, cache_mib, chat)
    except ModuleNotFoundError as error:
        if error.name not in TRAIN_EXTRA:
            raise
        raise MissingExtra("train", f"the model {weights.name}") from None


def open_local(
    weights: Weights,
    system: str,
    max_reply_tokens: int,
    cache_mib: int | None,
    chat: ModelConfig | None,
) -> LoadedModel:
    """A model from the disk, in fp32."""
    from gonogo.models import saved as models
    from gonogo.models.machine import check_memory
    from gonogo.models.memory import read_config, shape_of
    from gonogo.models.model_policy import ModelPolicy
    from gonogo.models.pretrained import load_gguf, load_pretrained

    path = Path(weights.where)
    ours = (path / OUR_MODEL_FILE).is_file()
    try:
        if weights.kind == "gguf":
            speaker = load_gguf(path, system, chat)
        elif ours:
            speaker = models.load(path).told(system)
        else:
            config = read_config(path)
            check_memory(shape_of(config))
            context = getattr(config.get_text_config(), "max_position_embeddings", None)
            if context is None:
                raise PolicyFailure(
                    f"{path}: its config.json does not say how long an episode may be"
                )
            speaker = load_pretrained(str(path), context, system, chat)
    except broken_errors() as error:
        raise PolicyFailure(f"{path}: cannot be loaded: {first_line(error)}") from error
    return LoadedModel(
        ModelPolicy(speaker, weights.name, max_reply_tokens=max_reply_tokens, cache_mib=cache_mib),
        ModelFacts(
            context=speaker.context,
            architecture=shape_of(speaker.model.config),
            parameters=sum(weight.numel() for weight in speaker.model.parameters()),
            ours=ours and speaker.base is None,
        ),
    )
