"""What the documentation says of the reward, as far as the environment keeps it.

A reward may be documented as a running total. Each step is then answered with the score so far, and its sum over the
steps says nothing. All episodes of an audit are counted by what each step adds, if the flights don't contradict: an
action that was paid otherwise than idling leaves its mark in the step after it. If idling after it is answered as if it
had not been done, each step is paid for itself, whatever is written.

A pay for each character or word may be documented, too, as in OpenEnv's own template. Whatever it pays for is then what
the author says, if each paid step of each episode was paid so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from gonogo.contract.documented_pay import DocumentedPay
from gonogo.exploits.search import leaves
from gonogo.exploits.witness import actions_of
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action, TaskOptions

FlyPlan = Callable[[TaskOptions, Sequence[Action]], Episode]
"""Flies a plan once, without repeating its last action."""
MOST_TRIED = 8
"""Actions after which is asked whether the next step keeps what they were paid."""
ALIKE = 1e-6
CLOSE = 0.01
"""By which share the pay of a character may differ."""
LEAST_LENGTHS = 3
"""Different lengths that have to be paid alike."""
MEASURES: dict[str, Callable[[str], int]] = {
    "character": len,
    "word": lambda text: len(text.split()),
}


def is_contradicted(explored: Sequence[Episode], idle: Action, fly: FlyPlan) -> bool:
    """Whether steps after a paid action forget it, as they do where each step is paid for itself.

    Args:
        explored: What exploration flew, with the rewards as they were answered.
        idle: The action that does least.
        fly: Flies what is asked.
    """
    kept, forgot = 0, 0
    for task, way, action in tried(explored):
        plain = fly(task, [*way, idle, idle])
        after = fly(task, [*way, action, idle])
        size = len(way) + 2
        answered = [e.rewards[-2:] for e in (plain, after) if len(e.turns) == size]
        if len(answered) < 2 or None in chain(*answered):
            continue
        (before, alone), (paid, then) = ([r or 0.0 for r in pair] for pair in answered)
        if abs(paid - before) <= ALIKE:
            continue  # what comes then is the same in either way
        as_total, as_step = abs(then - (paid + alone - before)), abs(then - alone)
        kept += as_total < as_step - ALIKE
        forgot += as_step < as_total - ALIKE
    return forgot > kept


def tried(explored: Sequence[Episode]) -> list[tuple[TaskOptions, list[Action], Action]]:
    """The actions that were answered otherwise than the step before them, each with its task and the way to it.

    The shortest ways come first, and of those the greatest changes; each action once.
    """
    found = []
    for episode in explored:
        sent, before = actions_of(episode.turns), 0.0
        if episode.error is not None or len(sent) < len(episode.turns):
            continue
        for place, (turn, reward) in enumerate(zip(episode.turns, episode.rewards, strict=True)):
            if reward is None:
                continue
            if abs(reward - before) > ALIKE and not turn.done:
                found.append((place, -abs(reward - before), episode.task, sent[: place + 1]))
            before = reward
    chosen: dict[str, tuple[TaskOptions, list[Action], Action]] = {}
    for _, _, task, (*way, action) in sorted(found, key=lambda each: each[:2]):
        chosen.setdefault(repr(action), (task, way, action))
    return list(chosen.values())[:MOST_TRIED]


def length_told(episodes: Iterable[Episode], documented: DocumentedPay) -> str | None:
    """What says that each step is paid by the length of a text, in flights and words; None if one of them does not.

    Args:
        episodes: What was flown.
        documented: What is said of the reward.
    """
    if documented.length is None:
        return None
    answered = [turn for e in episodes for turn in e.turns if turn.reward is not None]
    for unit, measure in MEASURES.items():
        for path in dict.fromkeys(path for turn in answered for path, _ in texts_of(turn)):
            if is_rate(list(measured(answered, path, measure))):
                field = path.strip(".")
                return f"each step is paid for each {unit} of {field}, {documented.length}"
    return None


def texts_of(turn: Turn) -> Iterator[tuple[str, str]]:
    """The texts that a turn sent, with their places."""
    sent = leaves(turn.action or {})
    return ((path, value) for path, value in sent if isinstance(value, str))


def measured(
    turns: Iterable[Turn], path: str, measure: Callable[[str], int]
) -> Iterator[tuple[int, float]]:
    """How long the text at a place was in each turn, 0 where there was none, and what the turn was paid."""
    for turn in turns:
        yield measure(dict(texts_of(turn)).get(path, "")), turn.reward or 0.0


def is_rate(paid: Sequence[tuple[int, float]]) -> bool:
    """Whether all pays are one rate times the length, of several lengths."""
    longest, most = max(paid, default=(0, 0.0))
    if longest == 0 or most <= 0 or len({length for length, _ in paid if length}) < LEAST_LENGTHS:
        return False
    rate = most / longest
    return all(abs(pay - rate * length) <= CLOSE * rate * length + ALIKE for length, pay in paid)
