"""A language model as a policy: the decoder, or a server in its place, fed with text turns.

What the model saw and said is kept as token ids in each reply's :class:`~gonogo.rollouts.types.Tokens`
and nowhere encoded again. Sampling draws from a stream of the task's own: the seed, the reset options
and how often these options have begun before, so that a group of episodes of one task differs and is
the same in every run, whoever else is in the batch.

An episode that no longer fits the model's context ends there, as that: the model never spoke in that turn.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np
import torch

from gonogo.errors import PolicyFailure
from gonogo.models.decoder import Decoder
from gonogo.models.failures import FLYING, naming_what_to_lower
from gonogo.models.forwards import forward_for
from gonogo.models.sampling import Replies
from gonogo.models.tokenizer import Speaker, encode
from gonogo.models.vllm import Served
from gonogo.rollouts.types import Reply, Tokens, View
from gonogo.wire import TaskOptions


class ModelPolicy:
    """Flies with a language model.

    Args:
        speaker: The model. Its weights are read when the policy is made: make a new one after an
            update.
        name: Name for the record.
        max_reply_tokens: Longest reply.
        temperature: Of sampling; None for greedy.
        seed: Of sampling.
        cache_mib: Most memory of keys and values, MiB, or None.
        served: The server that has the model's weights and says its replies; None for gonogo's own decoder.

    Attributes:
        most: Most episodes at once that this memory holds, or None.

    Raises:
        Misuse: It holds not one, or the server has other weights.
        PolicyFailure: The server did not answer.
        OutOfMemory: The memory does not hold the copy of the weights.
    """

    @naming_what_to_lower(FLYING)
    def __init__(
        self,
        speaker: Speaker,
        name: str,
        *,
        max_reply_tokens: int,
        temperature: float | None = None,
        seed: int | tuple[int, ...] = 0,
        cache_mib: int | None = None,
        served: Served | None = None,
    ) -> None:
        self.name = name
        self._tokenizer, self._turns = speaker.tokenizer, speaker.turns
        self._temperature = temperature
        self._seed = [seed] if isinstance(seed, int) else list(seed)
        self._decoder: Replies
        if served is not None:
            self._decoder = served.replies(speaker, max_reply_tokens, temperature)
        else:
            with torch.no_grad():
                forward = forward_for(speaker.model, speaker.context)
            self._decoder = Decoder(
                forward,
                stop=self._turns.end,
                pad=self._turns.pad,
                max_new_tokens=max_reply_tokens,
                temperature=temperature,
                cache_mib=cache_mib,
            )
        self.most = self._decoder.most
        self._begun: Counter[int] = Counter()
        self._closed: dict[int, bool] = {}  # slots in flight: whether the last reply was ended

    def begin(self, slots: Iterable[int]) -> None:
        """New episodes; their streams start with the first view, which names the task."""
        for slot in slots:
            self._closed.pop(slot, None)

    @naming_what_to_lower(FLYING)
    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """One reply for each view.

        Raises:
            OutOfMemory: The memory does not hold the episodes in the air.
        """
        chunks: dict[int, tuple[int, ...]] = {}
        for slot, view in views.items():
            if view.turn == 0:
                self._decoder.begin(slot, self._stream(view.options))
                self._closed[slot] = True
            chunk = self._turns.chunk(
                encode(self._tokenizer, view.text), turn=view.turn, closed=self._closed[slot]
            )
            if self._decoder.room(slot, len(chunk)):
                chunks[slot] = chunk
        replies = {slot: Reply(overflows=True) for slot in views.keys() - chunks.keys()}
        for slot, sampled in self._decoder.reply(chunks).items():
            if isinstance(sampled, PolicyFailure):
                replies[slot] = Reply(leaves=True, why=str(sampled))
                continue
            self._closed[slot] = sampled.ids[-1] == self._turns.end
            said = sampled.ids[:-1] if self._closed[slot] else sampled.ids
            text = self._tokenizer.decode(said, skip_special_tokens=False)
            replies[slot] = Reply(
                text=text, tokens=Tokens(chunks[slot], sampled.ids, sampled.logprobs)
            )
        return replies

    def end(self, slots: Iterable[int]) -> None:
        """Free what these episodes held."""
        slots = list(slots)
        self._decoder.end(slots)
        for slot in slots:
            self._closed.pop(slot, None)

    def close(self) -> None:
        """Free all rows."""
        self.end(list(self._closed))

    def _stream(self, options: TaskOptions) -> np.random.Generator | None:
        if self._temperature is None:
            return None
        task = zlib.crc32(json.dumps(options, sort_keys=True).encode())
        self._begun[task] += 1
        return np.random.Generator(np.random.Philox([*self._seed, task, self._begun[task]]))
