"""A model in training, flown by vLLM's server: its LoRA factors are sent there, and token ids come back.

Factors are sent as a folder that both see and are called by the hash of their numbers, so that the same ones are
loaded once, and never mistaken for others by a server that remembers what it has read. Before they fly, the server's
log-probabilities are held against the model's own: another base model, or other factors, are refused by what they say.

An episode's tokens are kept here and all of them are sent with each turn; those that the server has read before are
in its prefix cache. An episode draws from its own stream a seed for each reply.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.checkpoints import writing
from gonogo.models.drift import CHECK_TOKENS, ROUNDING, drift_of
from gonogo.models.replies import Replies, Sampled
from gonogo.models.speaker import Speaker
from gonogo.models.vllm_server import Question, VllmServer

__all__ = ["Served", "ServedReplies", "name_of"]

SEEDS = 2**63


@dataclass(slots=True)
class ServedEpisode:
    """One episode: its tokens, and its random stream."""

    stream: np.random.Generator | None
    ids: list[int] = field(default_factory=list)


class ServedReplies:
    """Replies of an adapter on a server.

    Args:
        server: It.
        adapter: The adapter's name there.
        stop: The token that ends a reply; None for none.
        context: Longest episode in tokens.
        longest: Longest reply in tokens.
        temperature: Of sampling; None for greedy.

    Attributes:
        most: None: the server queues what its memory does not hold.
    """

    most: int | None = None

    def __init__(
        self,
        server: VllmServer,
        adapter: str,
        *,
        stop: int | None,
        context: int,
        longest: int,
        temperature: float | None,
    ) -> None:
        self._server, self._adapter = server, adapter
        self._stop, self._context, self._longest = stop, context, longest
        self._temperature = temperature
        self._rows: dict[int, ServedEpisode] = {}

    def begin(self, slot: int, stream: np.random.Generator | None = None) -> None:
        """A new episode; its seeds come from the stream, which sampling needs."""
        self._rows[slot] = ServedEpisode(stream)

    def end(self, slots: Iterable[int]) -> None:
        """Forget these episodes' tokens."""
        for slot in slots:
            self._rows.pop(slot, None)

    def room(self, slot: int, chunk: int) -> bool:
        """Whether a chunk of so many tokens and the longest reply still fit; as for our own decoder."""
        return max(len(self._rows[slot].ids), 1) + chunk + self._longest <= self._context

    def reply(self, chunks: Mapping[int, Sequence[int]]) -> dict[int, Sampled | PolicyFailure]:
        """A reply to each chunk of new tokens, all asked for at once, or why there is none."""
        questions = []
        for slot, chunk in chunks.items():
            row = self._rows[slot]
            row.ids += chunk
            seed = None
            if self._temperature is not None and row.stream is not None:
                seed = int(row.stream.integers(SEEDS))
            ids = tuple(row.ids)
            questions.append(Question(ids, self._stop, self._longest, self._temperature, seed))
        out: dict[int, Sampled | PolicyFailure] = {}
        answers = self._server.complete(self._adapter, questions)
        for slot, answer in zip(chunks, answers, strict=True):
            if isinstance(answer, PolicyFailure):
                out[slot] = answer
                continue
            said, logprobs = answer
            self._rows[slot].ids += said
            out[slot] = Sampled(tuple(said), tuple(logprobs))
        return out


class Served:
    """Where a model with LoRA is flown by a server.

    Args:
        server: The server.

    Attributes:
        adapter: Name of the factors that fly; None before any were sent.
    """

    def __init__(self, server: VllmServer) -> None:
        self._server = server
        self.adapter: str | None = None

    def send(self, speaker: Speaker, folder: Path) -> str:
        """Save a model's present factors and let the server load them, in place of those sent before.

        Args:
            speaker: The model.
            folder: Where adapters lie while the server has them; it must see them there.

        Returns:
            The adapter's name.

        Raises:
            Misuse: The server cannot load it.
            PolicyFailure: The server cannot be asked.
        """
        name = name_of(speaker)
        if name == self.adapter:
            return name
        with writing(folder / name) as place:
            speaker.model.save_pretrained(place, save_embedding_layers=False)
        self.load(name, folder / name)
        loaded = self._server.names()
        for old in folder.iterdir():  # of a run that was killed, too
            if old.name != name:
                if old.name in loaded:
                    self._server.unload(old.name)
                shutil.rmtree(old)
        return name

    def load(self, name: str, folder: Path) -> None:
        """Let the server load an adapter that lies in a folder, and fly it.

        Raises:
            As :meth:`send`.
        """
        self._server.load(name, folder)
        self.adapter = name

    def replies(self, speaker: Speaker, longest: int, temperature: float | None) -> Replies:
        """What says a model's replies, by the factors that were sent.

        Args:
            speaker: The model, with the same factors.
            longest: Longest reply in tokens.
            temperature: Of sampling; None for greedy.

        Raises:
            Misuse: None were sent, or what the server says is not what the model would.
            PolicyFailure: The server did not answer.
        """
        if self.adapter is None:
            raise Misuse("rollout.vllm: no adapter was sent to the server")

        def replies(stop: int | None, most: int) -> ServedReplies:
            return ServedReplies(
                self._server,
                str(self.adapter),
                stop=stop,
                context=speaker.context,
                longest=most,
                temperature=temperature,
            )

        drift = drift_of(speaker.model, replies(None, CHECK_TOKENS), temperature)
        if not drift <= ROUNDING:
            raise Misuse(
                f"rollout.vllm: the server's log-probabilities differ from the model's by {drift:.2f} on average, and "
                f"{ROUNDING} is rounding: it must serve the weights of model.pretrained, and be started with "
                "--logprobs-mode processed_logprobs"
            )
        return replies(speaker.turns.end, longest)


def name_of(speaker: Speaker) -> str:
    """A name for a model's present factors: a hash of them and of what they belong to.

    Raises:
        Misuse: It has none.
    """
    if speaker.base is None:
        raise Misuse("rollout.vllm needs a model with LoRA: whole weights are not sent to a server")
    digest = hashlib.sha256(speaker.base.model_dump_json().encode())
    for name, weight in speaker.model.named_parameters():
        if weight.requires_grad:
            digest.update(name.encode())
            digest.update(weight.detach().float().cpu().numpy().tobytes())
    return f"gonogo-{digest.hexdigest()[:16]}"
