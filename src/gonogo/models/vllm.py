"""A model in training, flown by vLLM's server: its LoRA factors are sent there, token ids go in and come back.

Written against vLLM 0.31 and run with it on a CPU. It must have been started so::

    VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve MODEL --enable-lora --max-lora-rank RANK
        --max-model-len CONTEXT --logprobs-mode processed_logprobs

Every sampling parameter is sent, so that nothing of the model's ``generation_config.json`` counts, and the end of a
sequence is the turn's end token alone. The server says which ids it has read, which must be those that were sent.

Factors are sent as a folder that both see and are called by the hash of their numbers, so that the same ones are
loaded once, and never mistaken for others by a server that remembers what it has read. Before they fly, the server's
log-probabilities are held against the model's own: another base model, or other factors, are refused by what they say.

An episode's tokens are kept here and all of them are sent with each turn; those that the server has read before are
in its prefix cache. An episode draws from its own stream a seed for each reply.
"""

from __future__ import annotations

import hashlib
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import BaseModel

from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.checkpoints import writing
from gonogo.models.endpoint import Api, shown
from gonogo.models.sampling import CHECK_TOKENS, ROUNDING, Replies, Sampled, drift_of

if TYPE_CHECKING:  # who asks a server whether it is there needs no torch
    from gonogo.models.tokenizer import Speaker


AT_ONCE = 256
"""Requests under way at most; the server batches those that it has."""
LORA_ROUTE, MODELS_ROUTE = "/load_lora_adapter", "/models"


class CompletionRequest(BaseModel):
    """A request: the model's own distribution, and the sampled tokens with their log-probabilities."""

    model: str
    prompt: tuple[int, ...]
    max_tokens: int
    stop_token_ids: tuple[int, ...]
    temperature: float
    seed: int | None
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    ignore_eos: bool = True
    logprobs: int = 0
    return_token_ids: bool = True


class ListedModel(BaseModel):
    """A model or an adapter that the server lists; a list of another API may lack what is None here."""

    id: str | None = None
    root: str | None = None
    max_model_len: int | None = None
    parent: str | None = None
    """Of an adapter, the model that it belongs to."""


class AdapterRequest(BaseModel):
    """A request to load an adapter."""

    lora_name: str
    lora_path: str


class AdapterName(BaseModel):
    """A request to forget an adapter."""

    lora_name: str


@dataclass(frozen=True, slots=True)
class Question:
    """What one reply is asked for with.

    Attributes:
        ids: All tokens so far.
        stop: The token that ends a reply; None for as many tokens as there may be.
        longest: Most tokens of the reply.
        temperature: Of sampling; None for greedy.
        seed: Of sampling.
    """

    ids: tuple[int, ...]
    stop: int | None
    longest: int
    temperature: float | None = None
    seed: int | None = None

    def body(self, model: str) -> CompletionRequest:
        """The request."""
        return CompletionRequest(
            model=model,
            prompt=self.ids,
            max_tokens=self.longest,
            stop_token_ids=() if self.stop is None else (self.stop,),
            temperature=self.temperature or 0.0,
            seed=self.seed,
        )


class VllmServer:
    """One server.

    Args:
        address: Base URL of its API, such as ``http://127.0.0.1:8000/v1``.
        timeout_s: Seconds that one reply, or loading an adapter, may take.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        self._api = Api(address, timeout_s)
        self._pool = ThreadPoolExecutor(AT_ONCE)

    def check(self, context: int) -> str:
        """Whether it can fly a model in training; answers what it serves.

        Args:
            context: Longest episode in tokens.

        Raises:
            Misuse: It is not there, is no vLLM, reads fewer tokens or takes no adapters.
        """
        try:
            base = next((each for each in self._listed() if each.parent is None), ListedModel())
            root, length = base.root, base.max_model_len
            if root is None or length is None:
                said = f"{self._api.address}{MODELS_ROUTE} does not list models as vLLM does"
                raise Misuse(f"rollout.vllm must be the URL of vLLM's API, and {said}")
            takes = self._api.knows(LORA_ROUTE)
        except PolicyFailure as error:
            raise Misuse(f"rollout.vllm must be the URL of vLLM's API: {error}") from None
        if length < context:
            raise Misuse(
                f"rollout.vllm: the server must read model.context ({context}) tokens, not {length}: start it with "
                f"--max-model-len {context}"
            )
        if not takes:
            raise Misuse(
                "rollout.vllm: the server must take adapters while it runs: start it with --enable-lora and "
                "VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment"
            )
        return root

    def names(self) -> set[str]:
        """What requests can name: the base model, and the adapters that are loaded.

        Raises:
            PolicyFailure: The server cannot be asked.
        """
        return {str(entry.id) for entry in self._listed()}

    def load(self, name: str, folder: Path) -> None:
        """Load an adapter, if none of that name is there.

        Args:
            name: What requests call it. Never the name of other factors: the server keeps what it has read by it.
            folder: Of the adapter; the server must see it at the same place.

        Raises:
            Misuse: The server cannot load it.
            PolicyFailure: The server cannot be asked.
        """
        if name in self.names():
            return
        try:
            self._api.tell(
                LORA_ROUTE, AdapterRequest(lora_name=name, lora_path=str(folder.resolve()))
            )
        except PolicyFailure as error:
            if name not in self.names():  # another process may have been faster
                raise Misuse(
                    f"rollout.vllm: the server must load the adapter in {folder}, and did not: {error}"
                ) from None

    def unload(self, name: str) -> None:
        """Forget an adapter.

        Raises:
            PolicyFailure: The server did not.
        """
        self._api.tell("/unload_lora_adapter", AdapterName(lora_name=name))

    def complete(
        self, model: str, questions: Sequence[Question]
    ) -> list[tuple[list[int], list[float]] | PolicyFailure]:
        """Ask for replies, all at the same time.

        Args:
            model: An adapter's name.
            questions: What each is asked for with.

        Returns:
            Sampled ids and the log-probability of each, or why there is no reply.
        """

        def one(question: Question) -> tuple[list[int], list[float]] | PolicyFailure:
            try:
                answer = self._api.ask("/completions", question.body(model))
                return read_completion(answer, question)
            except PolicyFailure as error:
                return error

        return list(self._pool.map(one, questions))

    def _listed(self) -> list[ListedModel]:
        answer = self._api.ask(MODELS_ROUTE)
        try:
            return [ListedModel.model_validate(entry) for entry in answer["data"]]
        except (KeyError, TypeError, ValueError):
            raise PolicyFailure(
                f"{self._api.address}{MODELS_ROUTE} does not list models: {shown(answer)}"
            ) from None


def read_completion(answer: Any, question: Question) -> tuple[list[int], list[float]]:
    """The tokens of a completion.

    Raises:
        PolicyFailure: It is none, or of other tokens than were sent.
    """
    try:
        choice = answer["choices"][0]
        read, ids = choice["prompt_token_ids"], choice["token_ids"]
        logprobs, reason = choice["logprobs"]["token_logprobs"], choice["finish_reason"]
    except (KeyError, IndexError, TypeError):
        raise PolicyFailure(f"the answer is no completion of vLLM's: {shown(answer)}") from None
    if read != list(question.ids):
        raise PolicyFailure("the server has read other tokens than were sent")
    if not (isinstance(ids, list) and all(type(each) is int for each in ids)):
        raise PolicyFailure(f"the server's tokens are no ids: {shown(ids)}")
    if not 1 <= len(ids) <= question.longest or reason not in {"stop", "length"}:
        raise PolicyFailure(
            f"the server said {len(ids)} tokens of 1 to {question.longest} and ended for {reason!r}"
        )
    if not (
        isinstance(logprobs, list)
        and len(logprobs) == len(ids)
        and all(type(each) in {int, float} and math.isfinite(each) for each in logprobs)
    ):
        raise PolicyFailure(f"the server's log-probabilities are none: {shown(logprobs)}")
    return ids, [float(each) for each in logprobs]


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
