"""From episodes to token sequences, for losses: what was shown, what was said, which tokens learn, how many there are.

Episodes of a model carry their tokens, which are only joined. Episodes of a teacher carry actions,
which are written here, once, the way a model has to write them: compact JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import AutoTokenizer

from gonogo.config import ModelConfig
from gonogo.models.chat import chat_format
from gonogo.models.pretrained import load_gguf_tokenizer
from gonogo.models.tokenizer import TurnFormat, encode, scratch_format, train_tokenizer
from gonogo.rollouts.episodes import Episode
from gonogo.training.forecast import written


@dataclass(frozen=True, slots=True)
class Transcript:
    """One episode as tokens.

    Attributes:
        ids: All tokens, in order.
        turn: For each token, the turn it was said in if the model said it (and is to learn from
            it); -1 for tokens that were shown to it.
        logprobs: For each token, its log-probability when it was sampled; 0 where none was.
    """

    ids: tuple[int, ...]
    turn: tuple[int, ...]
    logprobs: tuple[float, ...]


def flown(episode: Episode, *, refused: bool = True) -> Transcript:
    """The tokens of a model's episode, as they were fed and sampled.

    Args:
        episode: Flown by a model in this process.
        refused: Whether replies that were no valid action are said by the model too, or only shown.
    """
    ids: list[int] = []
    turn: list[int] = []
    logprobs: list[float] = []
    for number, each in enumerate(episode.turns):
        if each.tokens is None:
            continue
        shown, said = each.tokens.prompt_ids, each.tokens.completion_ids
        learn = refused or each.invalid is None
        ids += [*shown, *said]
        turn += [-1] * len(shown) + [number if learn else -1] * len(said)
        logprobs += [0.0] * len(shown) + list(each.tokens.logprobs)
    return Transcript(tuple(ids), tuple(turn), tuple(logprobs))


def taught(
    episode: Episode, tokenizer: Any, turns: TurnFormat, *, noise: bool = True
) -> Transcript:
    """The tokens of a teacher's episode; refused actions are shown, not learned.

    Args:
        episode: Flown by the teacher.
        tokenizer: The model's.
        turns: How turns are framed.
        noise: Whether actions that noise has changed are learned like the rest, or only shown.
    """
    ids: list[int] = []
    turn: list[int] = []
    for number, each in enumerate(episode.turns):
        if each.action is None:
            continue
        shown = turns.chunk(encode(tokenizer, each.text), turn=number)
        said = [*encode(tokenizer, written(each.action)), turns.end]
        learn = each.invalid is None and (noise or not each.noisy)
        ids += [*shown, *said]
        turn += [-1] * len(shown) + [number if learn else -1] * len(said)
    return Transcript(tuple(ids), tuple(turn), (0.0,) * len(ids))


def texts(episodes: Iterable[Episode]) -> Iterator[str]:
    """What a tokenizer for these episodes has to spell."""
    for episode in episodes:
        for turn in episode.turns:
            yield turn.text
            if turn.action is not None:
                yield written(turn.action)


def count_tokens(
    config: ModelConfig,
    episodes: Sequence[Episode],
    told: Sequence[str],
    spelled: Sequence[Episode] | None = None,
) -> list[tuple[int, int]] | None:
    """How many tokens each episode has, and how many of them are a policy's own words.

    Args:
        config: Which model. One made from scratch gets its tokenizer from these episodes, as it will in training.
        episodes: Of a policy that is no model.
        told: What a pretrained model is told before each of them.
        spelled: Episodes that such a tokenizer is made from instead; None for these.

    Returns:
        One pair an episode; None where the tokenizer is not on this machine.

    Raises:
        MissingExtra: It is a GGUF file, and ``gguf`` is not installed.
        PolicyFailure: The GGUF file does not say which token ends a reply.
        Misuse: The model's chat template or padding cannot carry an episode.
    """
    if config.pretrained is None:
        tokenizer = train_tokenizer(texts(spelled or episodes), config.vocabulary)
        turns = scratch_format(tokenizer)
    elif config.pretrained.endswith(".gguf"):
        tokenizer = load_gguf_tokenizer(Path(config.pretrained))
        turns = chat_format(tokenizer, "", config, config.pretrained)
    elif Path(config.pretrained).is_dir():
        tokenizer = AutoTokenizer.from_pretrained(config.pretrained)
        turns = chat_format(tokenizer, "", config, config.pretrained)
    else:
        return None
    counted = [
        taught(episode, tokenizer, turns.told(tokenizer, system))
        for episode, system in zip(episodes, told, strict=True)
    ]
    return [(len(each.ids), sum(turn >= 0 for turn in each.turn)) for each in counted]
