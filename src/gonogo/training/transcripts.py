"""From episodes to token sequences, for losses: what was shown, what was said, which tokens learn.

Episodes of a model carry their tokens, which are only joined. Episodes of a teacher carry actions,
which are written here, once, the way a model has to write them: compact JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gonogo.models.vocabulary import TurnFormat, encode
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Policy, Reply, View
from gonogo.wire import Action, TaskOptions

__all__ = ["NoisyTeacher", "Transcript", "flown", "taught", "texts", "written"]


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


def written(action: Action) -> str:
    """An action as a model writes it."""
    return json.dumps(action, ensure_ascii=False, separators=(",", ":"))


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


class NoisyTeacher:
    """A teacher, some fields of whose actions are replaced by those of another policy, such as random ones.

    Traces then show how to recover. A neighbour of what was right is also where something better is likely to be:
    what a model never says, reinforcement never finds. :func:`taught` decides whether it is learned like the rest.

    Args:
        teacher: Who is imitated.
        explorer: Whose fields stand in; it sees what the teacher sees.
        noise: For an episode's reset options, by the names of fields, the share of actions in which the field is the
            explorer's.
        rng: Decides when.
        together: Whether one draw decides for all fields of an action.
    """

    def __init__(
        self,
        teacher: Policy,
        explorer: Policy,
        noise: Callable[[TaskOptions], Mapping[str, float]],
        rng: np.random.Generator,
        *,
        together: bool = False,
    ) -> None:
        self.name = teacher.name
        self._teacher, self._explorer = teacher, explorer
        self._noise, self._rng, self._together = noise, rng, together

    def begin(self, slots: Iterable[int]) -> None:
        """New episodes start in these slots."""
        slots = list(slots)
        self._teacher.begin(slots)
        self._explorer.begin(slots)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The teacher's actions, some replaced."""
        taught_actions = self._teacher.act(views)
        drawn_actions = self._explorer.act(views)
        replies = {}
        for slot, reply in taught_actions.items():
            own, drawn = reply.action or {}, drawn_actions[slot].action or {}
            mixed = self._mixed(self._noise(views[slot].options), own, drawn)
            replies[slot] = Reply(action=mixed, noisy=mixed != own)
        return replies

    def _mixed(self, noise: Mapping[str, float], action: Action, drawn: Action) -> Action:
        """The action, with each noisy field replaced as often as the noise says."""
        draws = self._rng.random(1 if self._together else len(noise))
        shares = zip(noise.items(), np.broadcast_to(draws, len(noise)), strict=True)
        swapped = [name for (name, share), draw in shares if draw < share]
        return action | {name: drawn[name] for name in swapped if name in drawn}

    def end(self, slots: Iterable[int]) -> None:
        """The episodes in these slots have ended."""
        slots = list(slots)
        self._teacher.end(slots)
        self._explorer.end(slots)

    def close(self) -> None:
        """End both."""
        self._teacher.close()
        self._explorer.close()
