"""What is new in a turn: a refusal, a text, a reward, the form of an observation, the height of a number.

Lines of the environment's code are counted, for the record, and are no news: a search that they led was compared with
one that they did not lead, at the same budget, and was no better.

Texts are compared without what changes by itself or repeats what was sent: numbers, identifiers, quoted words, and the
words of the action.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from gonogo.explore.forms import places_of
from gonogo.explore.observed import named
from gonogo.rollouts.episodes import LARGEST, Episode, Turn
from gonogo.wire import Action, JsonValue, Observation

WORTH = {
    "success": 6.0,
    "end": 2.0,
    "return": 4.0,
    "reward": 1.5,
    "refusal": 1.0,
    "shape": 0.7,
    "level": 0.7,
    "text": 0.7,
}
"""What each kind of news is worth."""
MOST_REWARDS, MOST_TEXTS, MOST_SHAPES, MOST_REFUSALS = 64, 400, 300, 200
"""Of what was seen, after which more of it is no news: some environments never repeat themselves."""
MASKED = re.compile(
    r"0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+(?:\.\d+)?|'[^']*'|\"[^\"]*\"|`[^`]*`"
)
MOST_LEVELS = 500
MOST_CHARS = 300
DEEPEST = 4
CLOSE = 1e-6
"""By how much a return has to be higher."""


def masked(text: str, action: Action | None = None) -> str:
    """A text without numbers, identifiers, quoted words, and what the action said.

    Args:
        text: The text.
        action: What it answers.
    """
    text = MASKED.sub("#", text[: 4 * MOST_CHARS])
    for _, value in places_of(action or {}):
        if isinstance(value, str) and len(value) > 2:
            text = text.replace(value, "#")
    return " ".join(text[:MOST_CHARS].split())


def shape_of(value: JsonValue, depth: int = 0) -> str:
    """The form of a value: keys, types, whether a list is empty; no content."""
    if isinstance(value, dict):
        if depth >= DEEPEST:
            return "{}"
        return (
            "{" + ",".join(f"{k}:{shape_of(value[k], depth + 1)}" for k in sorted(value)[:40]) + "}"
        )
    if isinstance(value, list):
        return f"[{shape_of(value[0], depth + 1) if value and depth < DEEPEST else len(value)}]"
    if isinstance(value, str):
        return "s" if value else "-"
    return "0" if value in (0, None, False) else "1"


def level(value: float) -> int:
    """How high a number is: itself as far as three, then its power of two."""
    size = abs(value)
    high = int(size) if size <= 3 else 2 + int(math.log2(size))
    return high if value >= 0 else -high - 1


def texts_in(observation: Observation) -> Iterator[tuple[str, str]]:
    """The texts of an observation, each with the key that it stands under."""
    for (key, _), value in named(observation, keys=False):
        if isinstance(value, str) and value:
            yield key, value


@dataclass(slots=True)
class Novelty:
    """What was seen so far.

    Attributes:
        lines: Lines that were reached.
        refusals: Refusals, masked.
        texts: Texts, masked, each with its key.
        rewards: Rewards of single turns, rounded.
        shapes: Forms of observations.
        levels: How high each number was, in powers of two beyond the first few.
        best: The highest return of each task.
        ends: How episodes ended.
        answers: How often each answer was given to an action that was paid nothing, masked.
        turns: How many turns were seen.
    """

    lines: dict[str, None] = field(default_factory=dict)
    refusals: dict[str, str] = field(default_factory=dict)
    texts: set[tuple[str, str]] = field(default_factory=set)
    rewards: set[float] = field(default_factory=set)
    shapes: set[str] = field(default_factory=set)
    levels: set[tuple[str, str, int]] = field(default_factory=set)
    best: dict[str, float] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)
    answers: Counter[str] = field(default_factory=Counter)
    turns: int = 0

    def of(self, episode: Episode, task: str) -> list[tuple[int, float]]:
        """The turns at which something was new, each with what that is worth; from now on it is not.

        Args:
            episode: The episode.
            task: What its task is called, for what is compared with others of the same.
        """
        found: list[tuple[int, float]] = []
        total = 0.0
        opening = (
            {text for _, text in texts_in(episode.turns[0].observation)} if episode.turns else set()
        )
        for number, turn in enumerate(episode.turns):
            self.turns += 1
            total += turn.reward or 0.0
            last = number == len(episode.turns) - 1
            news = dict.fromkeys(self._news(turn, episode.after(number), opening))
            worth = sum(WORTH[kind] for kind in news)
            if turn.reward and total > self.best.get(task, -math.inf) + CLOSE:
                worth += WORTH["return"] if task in self.best or total > 0 else 0.0
                self.best[task] = total
            if last:
                worth += self._end(episode, turn)
            if worth:
                found.append((number, worth))
        return found

    def _news(self, turn: Turn, after: Observation, opening: set[str]) -> Iterator[str]:
        self.lines.update(dict.fromkeys(turn.reached))
        if turn.invalid is not None:
            said = masked(turn.invalid, turn.action)
            self.answers[turn.invalid[:MOST_CHARS]] += 1
            if said not in self.refusals and len(self.refusals) < MOST_REFUSALS:
                self.refusals[said] = turn.invalid
                yield "refusal"
            return
        reward = round(turn.reward, 3) if turn.reward is not None else None
        if reward and reward not in self.rewards and len(self.rewards) < MOST_REWARDS:
            self.rewards.add(reward)
            yield "reward"
        yield from self._shown(turn, after)
        if (turn.reward or 0.0) <= 0 and turn.observation:
            texts = [text for _, text in texts_in(after) if text not in opening and " " in text]
            self.answers.update(dict.fromkeys(text[:MOST_CHARS] for text in texts).keys())

    def _shown(self, turn: Turn, after: Observation) -> Iterator[str]:
        shape = shape_of(after)
        if shape not in self.shapes and len(self.shapes) < MOST_SHAPES:
            self.shapes.add(shape)
            yield "shape"
        unpaid = (turn.reward or 0.0) <= 0
        before = dict(texts_in(turn.observation))
        for key, value in texts_in(after):
            if before.get(key) != value or unpaid:
                said = key, masked(value, turn.action)
                if said not in self.texts and len(self.texts) < MOST_TEXTS:
                    self.texts.add(said)
                    yield "text"
        for (key, held), value in islice(named(after, keys=False), MOST_LEVELS):
            if isinstance(value, int | float) and abs(value) < LARGEST:
                at = key, held, level(value)
                if at not in self.levels and len(self.levels) < MOST_LEVELS:
                    self.levels.add(at)
                    yield "level"

    def _end(self, episode: Episode, turn: Turn) -> float:
        """What the way in which an episode ended is worth."""
        if episode.error is not None:
            how = f"lost: {masked(episode.error)}"
        elif turn.done:
            how = f"done, success {episode.success}, {shape_of(episode.final_observation)}"
        else:
            return 0.0
        if how in self.ends or len(self.ends) >= MOST_SHAPES:
            return 0.0
        fresh = episode.success is True and not any("success True" in end for end in self.ends)
        self.ends.add(how)
        return WORTH["success"] if fresh else WORTH["end"]
