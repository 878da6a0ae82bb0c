"""Exploration: greybox fuzzing of an environment's actions, led by what opens something up.

First come sweeps, each verb with its best values soon after a reset. Then a corpus of prefixes is extended and changed:
each is a task and the actions up to a turn at which something was new, such as a text, a reward or the height of a
number. Energy goes to what is new and seldom taken (M. Böhme, V.-T. Pham, A. Roychoudhury, "Coverage-based greybox
fuzzing as Markov chain", CCS 2016). What was just found is extended by every verb before anything else.

Everything is drawn from the generator that is passed in, before an episode flies, so that flights that are read from a
log give the same as those that are flown. Actions of a tail are made while it flies, of what the episode has shown.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gonogo.contract.sources import Sources
from gonogo.explore.novelty import Novelty, texts_in
from gonogo.explore.observed import Observed
from gonogo.explore.products import MOST_PAIRS, about_each, products
from gonogo.explore.values import ValuePool, Verb
from gonogo.rollouts.builtin_policies import Stateless
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Policy, Reply, Schemas, View
from gonogo.wire import Action, Observation, TaskOptions

SWEPT = 0.3
"""Share of all steps that the sweeps may take, until they are done."""
PAIRED, PAIRED_AFTER = 0.3, 1_000
"""The same of the pairs of values that are sent in turn, and the steps before them, in which chance may do."""
BEST = 24
"""Actions of a verb that are swept."""
SWEEP = 6
"""Actions of one episode of a sweep."""
MOST_CROSSED = 4_000
"""Pairs of values of all verbs on one task."""
ROUND = 8
"""Actions of one episode of pairs of values, where none of the verb ends it."""
MOST_SWEPT = 1000
CLOSED = 256
"""Actions of a verb that are few enough for each to be tried."""
TOGETHER = 16
"""Episodes of one flight, where fewer fly at once."""
LONGEST = 60
"""Actions of a prefix."""
TAIL = 6
LAPS = 12
RESERVOIR = 240
"""Episodes that are kept whole beside the corpus."""
MOST_CORPUS = 600
MOST_BYTES = 96 << 20
"""Of the episodes that are kept whole, as JSON, about."""
MOST_LOST = 2
"""Flights in a row of which every episode was lost, after which nothing more is explored: each may be a timeout."""
WALLED = 0.5
"""Share of all turns from which on one answer is said to stand before the rest."""


class Flying(Protocol):
    """Where exploration flies; an audit's session is one."""

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment."""
        ...

    @property
    def capacity(self) -> int:
        """How many episodes fly at once."""
        ...

    def cover(self) -> tuple[str, ...] | None:
        """Measure lines from now on; those that there are, None where they cannot be measured."""
        ...

    def beside(self) -> list[Episode]:
        """The episodes since the last call in which something was reached for the first time, whoever flew them."""
        ...

    def fly(
        self,
        policy: Policy,
        tasks: Sequence[TaskOptions],
        *,
        whole: bool = True,
        text: bool = True,
        limits: Sequence[int] = (),
    ) -> list[Episode]:
        """Fly each task once."""
        ...


@dataclass(slots=True)
class CorpusEntry:
    """Something that opened something up.

    Attributes:
        task: Reset options.
        actions: What was sent, up to the turn at which something was new.
        episode: The episode in which it was.
        worth: What was new is worth.
        taken: How often it was extended or changed.
        over: Whether the episode was over with its last action.
    """

    task: TaskOptions
    actions: list[Action]
    episode: Episode
    worth: float
    taken: int = 0
    over: bool = False

    @property
    def energy(self) -> float:
        """How much it is worth to go on from it."""
        left = 0.4 if self.over else 1.0
        return left * self.worth / math.pow(1.0 + self.taken, 0.75)


@dataclass(frozen=True, slots=True)
class Reached:
    """What exploration reached.

    Attributes:
        lines: Lines reached of those that reset and step may reach; None where they were not measured.
        of: How many these are; None where they were not measured.
        wall: The answer that nothing, or hardly anything, got past; None where there is none such.
        past: Whether something got past it.
        steps: Environment steps.
        episodes: Episodes.
        best: The highest return of an episode; None where nothing was paid.
        rewards: Different rewards of single steps.
    """

    lines: int | None
    of: int | None
    wall: str | None
    past: bool
    steps: int
    episodes: int
    best: float | None
    rewards: int

    def __str__(self) -> str:
        said = []
        if self.lines is not None and self.of:
            said.append(f"{self.lines / self.of:.0%} of the step's lines".replace("%", " %"))
        if self.wall is not None:
            who = "few actions" if self.past else "no action"
            said.append(f"{who} got past {self.wall!r}")
        return "; ".join(said) or f"{self.steps} steps"


@dataclass(slots=True)
class Exploration:
    """What exploring came to.

    Attributes:
        episodes: Whole episodes: those of the corpus and a sample of the others.
        corpus: What opened something up.
        values: The values of each field.
        reached: What was reached.
        unreached: Lines that a step may reach and none did; empty where they are not measured.
    """

    episodes: list[Episode]
    corpus: list[CorpusEntry]
    values: ValuePool
    reached: Reached
    unreached: frozenset[str] = frozenset()


@dataclass(slots=True)
class Trial:
    """An episode to be flown.

    Attributes:
        task: Reset options.
        actions: What is sent first.
        tail: How many actions are drawn after it.
        seed: Of these draws.
        parent: The entry that it came from.
    """

    task: TaskOptions
    actions: list[Action]
    tail: int = 0
    seed: int = 0
    parent: CorpusEntry | None = None


class TrialPolicy(Stateless):
    """Flies trials, one an episode, in the order of the tasks.

    Args:
        trials: They.
        pool: Where the actions of a tail come from.
        choose: Draws a verb.
        name: Name for the record.
    """

    def __init__(
        self,
        trials: Sequence[Trial],
        pool: ValuePool,
        choose: Callable[[np.random.Generator], Verb],
        name: str,
    ) -> None:
        self.name = name
        self._waiting = iter(trials)
        self._pool, self._choose = pool, choose
        self._flying: dict[int, tuple[Trial, np.random.Generator, Observed]] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """The next trials fly in these slots, which the engine names in the order of the tasks."""
        for slot in slots:
            trial = next(self._waiting)
            self._flying[slot] = trial, np.random.default_rng(trial.seed), Observed()

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """A trial's next action, or one that is drawn."""
        return {slot: Reply(action=self._next(slot, view)) for slot, view in views.items()}

    def _next(self, slot: int, view: View) -> Action:
        trial, rng, seen = self._flying[slot]
        if trial.tail:
            seen.add(view.observation)
        if view.turn < len(trial.actions):
            return trial.actions[view.turn]
        return self._pool.draw(rng, self._choose(rng), seen)


@dataclass(slots=True)
class Kept:
    """Whole episodes within a bound of memory: a reservoir, and those of the corpus.

    Attributes:
        rng: Source of the reservoir's draws.
        sample: The reservoir.
        seen: Episodes that it was offered.
        size: Of all that is kept, as JSON, about.
    """

    rng: np.random.Generator
    sample: list[Episode] = field(default_factory=list)
    seen: int = 0
    size: int = 0

    def offer(self, episode: Episode) -> None:
        """Keep an episode in the sample, or not."""
        self.seen += 1
        if len(self.sample) < RESERVOIR and self.size < MOST_BYTES:
            self.sample.append(episode)
            self.size += weight(episode)
        elif self.sample and (place := int(self.rng.integers(self.seen))) < len(self.sample):
            self.size += weight(episode) - weight(self.sample[place])
            self.sample[place] = episode


def key_of(task: TaskOptions) -> str:
    """What tells a task from others."""
    return json.dumps(task, sort_keys=True)


def weight(episode: Episode) -> int:
    """About how much memory an episode takes."""
    last = len(json.dumps(episode.final_observation, default=repr))
    return (len(episode.turns) + 1) * (last + 400)


class Explorer:
    """One exploration, which can be gone on with.

    What ends a flight early comes out of :meth:`spend`; what was flown before is in the result all the same.

    Args:
        session: Where.
        sources: What the environment's folder says.
        tasks: Reset options of the episodes, seeds among them; every one is flown.
        rng: Source of everything that is drawn.
    """

    def __init__(
        self,
        session: Flying,
        sources: Sources,
        tasks: Sequence[TaskOptions],
        rng: np.random.Generator,
    ) -> None:
        self._session, self._tasks, self._rng = session, list(tasks), rng
        self._pool = ValuePool(session.schemas, sources)
        self._novelty = Novelty()
        self._lines = session.cover()
        self._corpus: list[CorpusEntry] = []
        self._fresh: list[CorpusEntry] = []
        self._kept = Kept(np.random.default_rng(int(rng.integers(2**31))))
        self._lost = 0
        self._steps = self._flights = self._episodes = self._swept = self._new = 0
        self._shown: dict[str, Observation] = {}
        self._ends: set[int] = set()
        self._pairs: list[Trial] = []
        self._crossed = self._paired = 0
        self._tried: list[float] = []
        self._opened: list[float] = []
        self._first, self._sweeps = self._sweep()
        self._know_verbs()

    @property
    def spent(self) -> int:
        """Environment steps so far, a reset counted as one."""
        return self._steps + self._episodes

    @property
    def news(self) -> int:
        """Turns so far at which something was new, and lines that were reached."""
        return self._new + len(self._novelty.lines)

    @property
    def values(self) -> ValuePool:
        """The values of each field, as far as they are known by now."""
        return self._pool

    def count_again(self) -> None:
        """Read the best returns anew, of episodes that are counted otherwise by now."""
        best = self._novelty.best
        best.clear()
        for episode in self.result().episodes:
            task = key_of(episode.task)
            so_far = accumulate(turn.reward or 0.0 for turn in episode.turns)
            best[task] = max([best.get(task, -math.inf), *so_far])

    def take(self, episodes: Iterable[Episode]) -> None:
        """Learn of what others flew: what opened something up there is gone on with, too.

        Args:
            episodes: They; what was seen may be missing.
        """
        for episode in episodes:
            self._learn(Trial(episode.task, []), episode, own=False)

    def spend(self, budget: int) -> None:
        """Explore further.

        Args:
            budget: Environment steps to spend, a reset counted as one; the last flight may go beyond them.
        """
        until = self.spent + budget
        while self.spent < until:
            before = self.spent
            self._fly(self._next(until - before))
            if self.spent == before or self._lost >= MOST_LOST:
                return

    def result(self) -> Exploration:
        """What exploring came to so far."""
        left = frozenset(self._lines or ()) - self._novelty.lines.keys()
        return Exploration(self._whole(), self._corpus, self._pool, self._reached(), left)

    def _next(self, left: int) -> list[Trial]:
        """What is flown next: the first sweep, then what was just found goes on, the other sweeps have a share.

        Args:
            left: Steps of the budget that are left: no more episodes fly at once than fit into it, as long as they
                have been on average.
        """
        fit = left * self._episodes // self.spent if self._episodes else left
        many = max(TOGETHER, min(self._session.capacity, fit))
        before = self.spent
        for waiting in (self._first, self._sweeps):
            if waiting and (waiting is self._first or self._swept <= SWEPT * before):
                trials = waiting[:many]
                del waiting[:many]
                self._swept += sum(len(trial.actions) + 1 for trial in trials)
                return trials
        found = self._paired_next(many) or self._extensions(many)
        return found or [self._trial() for _ in range(many)]

    def _paired_next(self, many: int) -> list[Trial]:
        """Pairs of values in turn, one task after another, within their share; none where there are no more."""
        if self._first or self._paired > PAIRED * (self.spent - PAIRED_AFTER):
            return []
        while not self._pairs and self._crossed < len(self._tasks):
            task = self._tasks[self._crossed]
            self._crossed += 1
            if (shown := self._shown.get(key_of(task))) is not None:
                self._pairs = list(self._crossings(task, shown))
        trials = self._pairs[:many]
        del self._pairs[:many]
        self._paired += sum(len(trial.actions) + 1 for trial in trials)
        return trials

    def _crossings(self, task: TaskOptions, shown: Observation) -> Iterator[Trial]:
        """All that is done to each thing of a task, beside each verb's pairs of values, the verbs in turn.

        Of a verb that ends an episode there is one pair an episode.
        """
        each = about_each(self._pool, shown, self._rng)
        ways = [[Trial(task, plan[:LONGEST]) for plan in each]]
        most = min(MOST_PAIRS, MOST_CROSSED // len(self._pool.verbs))
        for place, verb in enumerate(self._pool.verbs):
            size = 1 if place in self._ends else ROUND
            sent = products(self._pool, verb, shown, self._rng, most)
            ways.append([Trial(task, sent[n : n + size]) for n in range(0, len(sent), size)])
        yield from (trial for turn in zip_longest(*ways) for trial in turn if trial is not None)

    def _sweep(self) -> tuple[list[Trial], list[Trial]]:
        """Each verb once on every task; then verbs in turn with their best values, beside all actions of small ones."""
        pool, tasks = self._pool, self._tasks
        ways = [pool.best(verb, BEST) for verb in pool.verbs]
        good = [way[min(1, len(way) - 1)] for way in ways]
        first = [Trial(task, good[n : n + 4]) for n in range(0, len(good), 4) for task in tasks]
        first += [Trial(tasks[0], [action]) for action in good] if len(good) > 1 else []
        first += [Trial(tasks[n % len(tasks)], [a]) for n, a in enumerate(pool.given[:BEST])]
        rounds = [way[place] for place in range(BEST) for way in ways if place < len(way)]
        groups = [rounds[n : n + SWEEP] for n in range(0, len(rounds), SWEEP)]
        rest = [
            Trial(tasks[(n + shift) % len(tasks)], group)
            for shift in range(len(tasks))
            for n, group in enumerate(groups)
        ]
        closed = [Trial(tasks[0], [a]) for verb in pool.verbs for a in pool.all_of(verb, CLOSED)]
        both = [t for pair in zip_longest(closed, rest) for t in pair if t is not None]
        return first[:MOST_SWEPT], both[:MOST_SWEPT]

    def _know_verbs(self) -> None:
        """Count for verbs that came to be known, and sweep them first."""
        pool, known = self._pool, len(self._tried)
        new = pool.verbs[known:]
        self._tried += [1.0] * len(new)
        self._opened += [1.0] * len(new)
        if known:
            ways = [action for verb in new for action in pool.best(verb, BEST // 4)]
            self._first += [
                Trial(self._tasks[n % len(self._tasks)], [action]) for n, action in enumerate(ways)
            ][: MOST_SWEPT - len(self._first)]

    def _extensions(self, many: int) -> list[Trial]:
        """What was just found, each extended by every verb."""
        trials: list[Trial] = []
        while self._fresh and len(trials) < many:
            entry = self._fresh.pop(0)
            if entry.over or len(entry.actions) >= LONGEST:
                continue
            order = np.argsort(-self._weights(), kind="stable")[:many]
            for place in order:
                verb = self._pool.verbs[int(place)]
                action = self._pool.draw(self._rng, verb)
                trials.append(Trial(entry.task, [*entry.actions, action], 2, self._seed(), entry))
        return trials

    def _seed(self) -> int:
        return int(self._rng.integers(2**31))

    def _weights(self) -> NDArray[np.float64]:
        """How much each verb opened up for the times that it was tried."""
        opened, tried = np.array(self._opened), np.array(self._tried)
        weights: NDArray[np.float64] = opened / np.sqrt(tried)
        return weights

    def _verb(self, rng: np.random.Generator) -> Verb:
        """A verb, those that opened something up more often."""
        weights = self._weights()
        place = rng.choice(len(weights), p=weights / weights.sum())
        return self._pool.verbs[int(place)]

    def _trial(self) -> Trial:
        """A new trial: an entry that is extended, repeated or changed; now and then one from scratch."""
        rng = self._rng
        if not self._corpus or rng.random() < 0.1:
            task = self._tasks[int(rng.integers(len(self._tasks)))]
            return Trial(task, [], 1 + int(rng.integers(TAIL * 2)), self._seed())
        entry = self._chosen()
        entry.taken += 1
        actions = list(entry.actions)
        task = entry.task
        if rng.random() < 0.1:
            task = self._tasks[int(rng.integers(len(self._tasks)))]
        if entry.over or rng.random() < 0.35:
            actions = self._changed(actions)
        elif rng.random() < 0.1:
            first = int(rng.integers(max(0, len(actions) - 3), len(actions)))
            actions += actions[first:] * int(rng.integers(1, LAPS))
        tail = int(rng.integers(TAIL + 1)) + (not actions)
        return Trial(task, actions[:LONGEST], tail, self._seed(), entry)

    def _chosen(self) -> CorpusEntry:
        """An entry, by its energy."""
        energies = np.array([entry.energy for entry in self._corpus])
        place = self._rng.choice(len(energies), p=energies / energies.sum())
        return self._corpus[int(place)]

    def _changed(self, actions: list[Action]) -> list[Action]:
        """Some actions with one thing changed."""
        rng, place = self._rng, int(self._rng.integers(len(actions)))
        match int(rng.integers(5)):
            case 0:
                return [*actions[:place], *actions[place + 1 :]]
            case 1:
                return [*actions[:place], self._drawn(), *actions[place:]]
            case 2:
                other = self._chosen().actions
                return [*actions[: place + 1], *other[int(rng.integers(len(other))) :]]
            case 3:
                return [*actions[:place], self._drawn(), *actions[place + 1 :]]
            case _:
                crossed = {**actions[place], **self._part(actions[place])}
                return [*actions[:place], crossed, *actions[place + 1 :]]

    def _drawn(self) -> Action:
        return self._pool.draw(self._rng, self._verb(self._rng))

    def _part(self, action: Action) -> Action:
        """One field of an action of the same verb, drawn anew."""
        rng = self._rng
        same = [verb for verb in self._pool.verbs if verb.base.items() <= action.items()]
        drawn = self._pool.draw(
            rng, same[int(rng.integers(len(same)))] if same else self._verb(rng), None
        )
        names = [name for name in drawn if drawn[name] != action.get(name)]
        if not names:
            return drawn
        name = names[int(rng.integers(len(names)))]
        return {name: drawn[name]}

    def _fly(self, trials: Sequence[Trial]) -> None:
        """Fly trials and learn of them."""
        name = f"exploration {self._flights}"
        policy = TrialPolicy(trials, self._pool, self._verb, name)
        limits = [len(trial.actions) + trial.tail for trial in trials]
        self.take(self._session.beside())
        episodes = self._session.fly(
            policy, [trial.task for trial in trials], text=False, limits=limits
        )
        self._session.beside()
        self._flights += 1
        for trial, episode in zip(trials, episodes, strict=True):
            self._learn(trial, episode)
        self._lost = self._lost + 1 if all(e.error is not None for e in episodes) else 0
        self._steps += sum(len(episode.turns) for episode in episodes)
        self._episodes += len(episodes)

    def _learn(self, trial: Trial, episode: Episode, *, own: bool = True) -> None:
        """Take down what an episode showed, and what was new in it."""
        self._begin(trial.task, episode)
        new = self._novelty.of(episode, key_of(trial.task))
        self._new += len(new)
        for number, _ in new:
            self._read(episode.turns[number], episode.after(number))
        if new:
            self._hear(episode.turns[0].observation)
        self._know_verbs()
        for turn in [episode.turns[number] for number, _ in new]:
            self._credit(turn.action)
        if new or not self._episodes:
            self._pool.learn(episode.final_observation)
        if own:
            self._count(episode)
        for number, worth in new[: max(0, MOST_CORPUS - len(self._corpus))]:
            self._enter(trial, episode, number, worth)
        if not new:
            self._kept.offer(episode)

    def _begin(self, task: TaskOptions, episode: Episode) -> None:
        """Take down what was refused, how an episode began, and which verb ended it at once."""
        for turn in episode.turns:
            if turn.invalid is not None:
                self._pool.refused(turn.invalid, turn.action)
        for turn in episode.turns[:1]:
            if turn.observation:  # of what others flew it may be missing
                self._shown.setdefault(key_of(task), turn.observation)
            self._ends |= set(self._verbs_of(turn.action or {})) if turn.done else set()

    def _read(self, turn: Turn, after: Observation) -> None:
        """Take down the values that a turn shows, and the verbs that the answer to an unpaid action names."""
        self._pool.learn(turn.observation)
        if (turn.reward or 0.0) <= 0:
            self._hear(after, turn.action)

    def _hear(self, shown: Observation, action: Action | None = None) -> None:
        """Take down the verbs that something shown names."""
        for _, text in texts_in(shown):
            self._pool.refused(text, action, loudly=False)

    def _enter(self, trial: Trial, episode: Episode, number: int, worth: float) -> None:
        turns = episode.turns[: number + 1]
        actions = [turn.action for turn in turns if turn.action is not None]
        if actions:
            over = turns[-1].done or (
                episode.error is not None and number == len(episode.turns) - 1
            )
            entry = CorpusEntry(trial.task, actions, episode, worth, over=over)
            self._corpus.append(entry)
            self._fresh.append(entry)

    def _credit(self, action: Action | None) -> None:
        if action is not None:
            self._pool.opened(action)
            for place in self._verbs_of(action):
                self._opened[place] += 1

    def _count(self, episode: Episode) -> None:
        for turn in episode.turns:
            for place in self._verbs_of(turn.action or {}):
                self._tried[place] += 1

    def _verbs_of(self, action: Action) -> Iterator[int]:
        """The places of the verbs that an action may be of; the first."""
        said_first = {v.partition(" ")[0] for v in action.values() if isinstance(v, str)}
        for place, verb in enumerate(self._pool.verbs):
            said = verb.base.get("tool_name") if verb.at else verb.name
            if not said or said in action.values() or said in said_first:
                yield place
                return

    def _whole(self) -> list[Episode]:
        """The episodes of the corpus, each once, and the sample."""
        found = {id(entry.episode): entry.episode for entry in self._corpus}
        return [*found.values(), *self._kept.sample]

    def _reached(self) -> Reached:
        lines = self._lines
        known = self._novelty.lines
        wall, past = self._wall()
        best = max(self._novelty.best.values(), default=None)
        return Reached(
            None if lines is None else sum(line in known for line in lines),
            None if lines is None else len(lines),
            wall,
            past,
            self._steps,
            self._episodes,
            best,
            len(self._novelty.rewards),
        )

    def _wall(self) -> tuple[str | None, bool]:
        """The answer that most actions got, and whether something was paid all the same."""
        said, times = next(iter(self._novelty.answers.most_common(1)), ("", 0))
        if times < WALLED * self._novelty.turns or not said:
            return None, False
        return said, bool(self._novelty.rewards and max(self._novelty.rewards) > 0)
