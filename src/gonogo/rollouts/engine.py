"""The batch engine: flies many tasks with one policy over one connection, in lock step.

Every round asks the policy once for all the slots in flight and steps the environment once. A slot
whose episode ended takes the next task (``refill``), or waits until all have ended, which is what a
policy that batches whole episodes wants. An invalid reply costs its turn: the environment is not
stepped, and the next view says what was wrong. A slot's failure ends its episode as an error, and so
does a policy that leaves; an episode that outgrows a model's context ends as that; the others fly on.
Nothing is retried or scored here. What loses everything that begins, again and again, is given up, with
the tasks that are left, instead of losing them all.

The policy hears of slots in the order of the tasks: ``begin`` is called once for each batch of
starting episodes, with their slots in task order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gonogo.errors import CodecError, EnvironmentFailure, Misuse, PolicyFailure
from gonogo.records.tables import cut
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.episodes import Episode, Turn, adds_up, short_values
from gonogo.rollouts.types import Bounded, Connection, Failure, Policy, Reply, Transition, View
from gonogo.wire import Action, TaskOptions

INVALID_CHARS = 1000
"""Of what an environment says against a reply."""

LOSSES = 3
"""Batches lost whole, one after another, after which what flies them is given up."""
LOST_KINDS = frozenset({"died", "timeout", "unmade", "full"})
"""Failures that say something of what answers and nothing of the task."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a flight is.

    Attributes:
        episodes: Episodes ended.
        total: Episodes to fly.
        turns: Decisions taken.
        flying: Episodes in the air.
    """

    episodes: int
    total: int
    turns: int
    flying: int


@dataclass(frozen=True, slots=True)
class Flight:
    """How to fly.

    Attributes:
        target: What is flown, for the record.
        max_turns: Decisions after which an episode ends as a timeout.
        limits: The same of each episode by its index, in place of ``max_turns``; empty for that of all.
        potential_key: The metadata's name of the progress potential.
        anchor_key: The metadata's name of the key of a state, for credit by shared states.
        decoding: ``greedy``, ``sampled`` or None, for the record.
        seed: Seed of the policy's draws or None, for the record.
        slots: Episodes at once; None for the connection's capacity. Fewer where the policy is bounded.
        refill: Whether a slot takes its next task at once, or only when all slots are free.
        gives_up: Whether a process that dies at the first step of episode after episode ends the flight, as one
            that dies at their resets always does. A policy that breaks an environment on purpose flies on.
        sees_state: Whether the state is asked for at the end of each episode.
    """

    target: str
    max_turns: int = 100
    limits: tuple[int, ...] = ()
    potential_key: str = "progress"
    anchor_key: str = "anchor"
    decoding: str | None = None
    seed: int | None = None
    slots: int | None = None
    refill: bool = True
    gives_up: bool = False
    sees_state: bool = False

    def __post_init__(self) -> None:
        if (least := min(self.max_turns, *self.limits, self.max_turns)) < 1:
            raise Misuse(f"max_turns must be at least 1, not {least}")
        if self.slots is not None and self.slots < 1:
            raise Misuse(f"slots must be at least 1, not {self.slots}")


def fly(
    connection: Connection,
    policy: Policy,
    tasks: Sequence[TaskOptions] | Mapping[int, TaskOptions],
    flight: Flight,
    *,
    codec: Codec | None = None,
    on_episode: Callable[[Episode], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> list[Episode]:
    """Fly every task once.

    Args:
        connection: Where to.
        policy: Who flies.
        tasks: Reset options, one episode each; a mapping gives the episodes' indices.
        flight: How.
        codec: Rendering and parsing; made from the connection's schemas if None.
        on_episode: Called with each episode as it ends.
        on_progress: Called after each round.

    Returns:
        The episodes in the order of the tasks, lost ones included.

    Raises:
        PolicyFailure: The policy left a view without a reply.
        EnvironmentFailure: Nothing answers any more, or loses everything that begins; the message says how many
            episodes are left. Those that ended before went to ``on_episode``.
    """
    if codec is None:
        codec = connection.schemas.codec()
    listed = list(tasks.items()) if isinstance(tasks, Mapping) else list(enumerate(tasks))
    return Engine(connection, policy, codec, flight, listed, on_episode, on_progress).run()


def try_example(connection: Connection, codec: Codec, options: TaskOptions) -> str | None:
    """Send the example that the instructions give, once, as a model would write it.

    Args:
        connection: Where to.
        codec: What gives the example and reads it.
        options: Reset options of the episode.

    Returns:
        Why it is not accepted; None where it is, or where the instructions give none.
    """
    if codec.reply_field is not None:
        return None
    policy = ScriptedPolicy([[Reply(text=json.dumps(codec.example()))]], "example")
    (episode,) = fly(connection, policy, [options], Flight("example", max_turns=1), codec=codec)
    return episode.error or next((turn.invalid for turn in episode.turns), None)


@dataclass(slots=True)
class Air:
    """An episode in the air: its record, its last transition, and the error to be shown."""

    episode: Episode
    last: Transition
    problem: str | None = None


class Engine:
    """The state of one flight; see :func:`fly`."""

    def __init__(
        self,
        connection: Connection,
        policy: Policy,
        codec: Codec,
        flight: Flight,
        tasks: list[tuple[int, TaskOptions]],
        on_episode: Callable[[Episode], None] | None,
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._connection, self._policy, self._codec = connection, policy, codec
        self._flight, self._tasks = flight, tasks
        self._on_episode, self._on_progress = on_episode, on_progress
        slots = min(flight.slots or connection.capacity, connection.capacity, len(tasks))
        if isinstance(policy, Bounded) and policy.most is not None:
            slots = min(slots, policy.most)
        self._free = list(range(slots))
        self._slots = slots
        self._waiting: Iterator[tuple[int, TaskOptions]] = iter(tasks)
        self._air: dict[int, Air] = {}
        self._ended: dict[int, Episode] = {}
        self._turns = 0
        self._losses = 0  # batches lost whole at their resets since one was answered
        self._broken: list[str] = []  # how batches were lost whole at steps since one was answered

    def run(self) -> list[Episode]:
        """Fly until every task has ended."""
        self._start()
        while self._air:
            replies = self._ask()
            self._leave(replies)
            self._turns += len(self._air)
            self._step(replies)
            if self._free and (self._flight.refill or not self._air):
                self._start()
            self._report()
        return [self._ended[index] for index, _ in self._tasks]

    def _start(self) -> None:
        """Give waiting tasks to free slots until a slot flies in each or none waits.

        Where all that begin are lost and others fly on, these show whether anything still answers.
        """
        while self._free and not (self._losses and self._air):
            self._free.sort()
            starting = dict(zip(self._free, self._waiting, strict=False))
            if not starting:
                return
            self._free = [slot for slot in self._free if slot not in starting]
            self._begin(starting)

    def _begin(self, starting: dict[int, tuple[int, TaskOptions]]) -> None:
        self._policy.begin(list(starting))
        try:
            answers = self._connection.reset({slot: task for slot, (_, task) in starting.items()})
        except EnvironmentFailure as error:
            raise type(error)(f"{error}; {self._left()}") from error
        failed = []
        for slot, (index, task) in starting.items():
            answer = answers[slot]
            flight = self._flight
            episode = Episode(
                index, task, flight.target, self._policy.name, flight.decoding, flight.seed
            )
            if isinstance(answer, Failure):
                failed.append(slot)
                self._finish(episode, None, error=answer.message)
            else:
                episode.potential_at_start = self._potential(answer)
                self._air[slot] = Air(episode, answer)
                if answer.done:
                    failed.append(slot)
                    del self._air[slot]
                    self._finish(episode, answer, error="the episode was over at its reset")
        self._release(failed)
        self._count_losses(list(answers.values()))

    def _count_losses(self, answers: Sequence[Transition | Failure]) -> None:
        """Give up what loses whole batches in a row, where nothing flies and something is left to fly.

        Raises:
            EnvironmentFailure: What answers has lost the last `LOSSES` batches.
        """
        lost = lost_whole(answers)
        if lost is None:
            self._losses = 0
            return
        self._losses += 1
        if self._losses >= LOSSES:
            self._give_up("everything that began was lost", lost)

    def _count_broken(self, answers: Sequence[Transition | Failure]) -> None:
        """Give up what begins episodes and loses them, in one way, without answering a step between.

        Raises:
            EnvironmentFailure: What answers has lost the last `LOSSES` batches, and the flight gives up.
        """
        if not answers:
            return
        lost = lost_whole(answers)
        if lost is None or lost.kind not in self._broken:
            self._broken = []
        if lost is None:
            return
        self._broken.append(lost.kind)
        if self._flight.gives_up and len(self._broken) >= LOSSES:
            self._give_up("a step was lost and none was answered between", lost)

    def _give_up(self, said: str, lost: Failure) -> None:
        """End the flight where nothing flies and something is left to fly.

        Raises:
            EnvironmentFailure: That is so.
        """
        if self._air or len(self._ended) == len(self._tasks):
            return
        said = f"{self._flight.target}: {LOSSES} times in a row, {said}"
        raise EnvironmentFailure(
            f"{said}: {lost.message}; {self._left()}; give the same command again"
        )

    def _left(self) -> str:
        """How many episodes are left, for whoever ends before them."""
        total = len(self._tasks)
        left = total - sum(episode.error is None for episode in self._ended.values())
        return f"{left} of {total} episodes are left to fly"

    def _ask(self) -> Mapping[int, Reply]:
        """One reply for each slot in the air; opens the turn that it belongs to."""
        codec, views = self._codec, {}
        for slot, air in self._air.items():
            turns, observation = air.episode.turns, air.last.observation
            text, seen = codec.render(observation, air.problem), codec.seen(observation)
            views[slot] = View(text, seen, air.episode.task, len(turns), air.problem)
            at_reset = air.last.reached if not turns else ()
            anchor = self._anchor(air.last)
            turns.append(Turn(text, observation, anchor=anchor, reached=at_reset))
        replies = self._policy.act(views)
        if replies.keys() != views.keys():
            missing = sorted(views.keys() - replies.keys())
            raise PolicyFailure(f"{self._policy.name} gave no reply for slots {missing}")
        return replies

    def _leave(self, replies: Mapping[int, Reply]) -> None:
        """End the episodes that the policy leaves or has outgrown; the turn that was opened for it never was one."""
        left = [slot for slot in self._air if replies[slot].leaves or replies[slot].overflows]
        for slot in left:
            air = self._air.pop(slot)
            turns = air.episode.turns
            turns.pop()
            if replies[slot].overflows:
                self._finish(air.episode, air.last, outgrown=True)
                continue
            said = f"left unfinished by the policy after {len(turns)} decisions"
            if (why := replies[slot].why) is not None:
                said += f": {why}"
            self._finish(air.episode, air.last, error=said)
        self._release(left)

    def _step(self, replies: Mapping[int, Reply]) -> None:
        """Send what the replies say, record what came back, end what has ended."""
        actions = {}
        for slot, air in self._air.items():
            turn, reply = air.episode.turns[-1], replies[slot]
            turn.reply, turn.tokens, turn.counted = reply.text, reply.tokens, reply.counted
            turn.noisy = reply.noisy
            try:
                turn.action = self._read(reply)
                actions[slot] = turn.action
                air.problem = None
            except CodecError as error:
                turn.invalid = air.problem = str(error)
        try:
            answers = self._connection.step(actions)
        except EnvironmentFailure as error:
            raise type(error)(f"{error}; {self._left()}") from error
        lost: dict[int, str] = {}
        over: list[int] = []
        for slot, air in self._air.items():
            answer = answers.get(slot)
            if isinstance(answer, Failure):
                lost[slot] = answer.message
            elif answer is not None and not is_payable(answer.reward):
                lost[slot] = f"the reward is {answer.reward!r:.200}, not a finite number"
            elif not self._record(air, answer):
                continue
            over.append(slot)
        self._look([slot for slot in over if slot not in lost])
        for slot in over:
            air, why = self._air[slot], lost.get(slot)
            out_of_turns = why is None and not air.last.done
            self._finish(air.episode, air.last, out_of_turns=out_of_turns, error=why)
        for slot in over:
            del self._air[slot]
        self._release(over)
        self._count_broken(list(answers.values()))

    def _look(self, ended: Sequence[int]) -> None:
        """Ask for the state at the end of episodes, where the flight wants it; one that is not told stays None."""
        if not (self._flight.sees_state and ended):
            return
        for slot, state in self._connection.state(ended).items():
            if not isinstance(state, Failure):
                self._air[slot].episode.final_state = state

    def _read(self, reply: Reply) -> Action:
        if reply.action is not None:
            return reply.action
        if reply.text is None:
            raise PolicyFailure(f"{self._policy.name} replied with neither an action nor a text")
        return self._codec.parse(reply.text)

    def _record(self, air: Air, answer: Transition | None) -> bool:
        """Close the turn; answers whether the episode is over."""
        turns = air.episode.turns
        turn = turns[-1]
        if answer is not None and answer.reached:
            turn.reached += answer.reached
        if answer is not None and answer.refusal is not None:
            turn.invalid = air.problem = answer.refusal
            turn.erred = answer.erred
        elif answer is not None:
            air.last = answer
            turn.reward, turn.done = answer.reward, answer.done
            if self._flight.sees_state and not answer.done:
                turn.aside = short_values(answer.metadata)
            judged = answer.metadata.get("invalid")
            if judged:
                said = judged if isinstance(judged, str) else "judged by the environment"
                turn.invalid = cut(said, INVALID_CHARS)
        turn.potential = self._potential(air.last)
        flight = self._flight
        most = flight.limits[air.episode.index] if flight.limits else flight.max_turns
        return turn.done or len(turns) >= most

    def _potential(self, transition: Transition) -> float | None:
        value: Any = transition.metadata.get(self._flight.potential_key)
        return float(value) if adds_up(value) else None

    def _anchor(self, transition: Transition) -> str | None:
        value: Any = transition.metadata.get(self._flight.anchor_key)
        return None if value is None else json.dumps(value, sort_keys=True)

    def _finish(
        self,
        episode: Episode,
        last: Transition | None,
        *,
        out_of_turns: bool = False,
        outgrown: bool = False,
        error: str | None = None,
    ) -> None:
        episode.close(last, out_of_turns=out_of_turns, outgrown=outgrown, error=error)
        self._ended[episode.index] = episode
        if self._on_episode is not None:
            self._on_episode(episode)

    def _release(self, slots: list[int]) -> None:
        if slots:
            self._policy.end(slots)
            self._free.extend(slots)

    def _report(self) -> None:
        if self._on_progress is not None:
            self._on_progress(
                Progress(len(self._ended), len(self._tasks), self._turns, len(self._air))
            )


def lost_whole(answers: Sequence[Transition | Failure]) -> Failure | None:
    """The last failure, where all answers are failures that say something of what answers; None otherwise."""
    lost = [a for a in answers if isinstance(a, Failure) and a.kind in LOST_KINDS]
    return lost[-1] if lost and len(lost) == len(answers) else None


def is_payable(reward: Any) -> bool:
    """Whether a reward can be added up; a foreign environment may answer anything in its place."""
    return reward is None or adds_up(reward)
