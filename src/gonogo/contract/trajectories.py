"""Scripted actions flown in one or two processes, and kept whole, so that two flights can be compared.

A :class:`Trace` holds everything an episode answered, the state and the raw facts included. A *history* is
the fixed programme of flights that repeats, resets, renews and interleaves sessions; flown identically in
two processes (:class:`ProcessPair`), it tells a leak from a clock and both from an ignored seed. Nothing here is a
judgement.
"""

from __future__ import annotations

import math
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import numpy as np

from gonogo.contract.tasks import Task
from gonogo.env.environment import Env
from gonogo.env.target import UrlTarget
from gonogo.env.websocket import WebSocketConnection
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout
from gonogo.records.findings import ContractWitness
from gonogo.records.inspection import Description, RawAnswer
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.rollouts.watch import Watch
from gonogo.wire import Action, State, TaskOptions

EPISODE_ID = "gonogo-map"
RESETS = tuple(f"reset {number}" for number in range(1, 7))
"""Names of the history's flights that are a reset alone."""
HISTORY_FLIGHTS = 9
FEWEST_STEPS = 4
SHOWN_CHARS = 200
MOST_ITEMS = 1024
MOST_BITS = 128
HASH_SEEDS = (1, 2)
SLOTS = 2


@dataclass(frozen=True, slots=True)
class Shot:
    """One answer: of a reset (no action) or of a step.

    Attributes:
        action: What was sent; None for the reset.
        answer: What came back.
        state: The state after it; None where it cannot be read.
        raw: What JSON does not show of it; None where the transport cannot tell.
        at: When it came, by a clock that goes on.
    """

    action: Action | None
    answer: Transition
    state: State | None
    raw: RawAnswer | None
    at: float = 0.0

    @property
    def refused(self) -> bool:
        """Whether the action was refused."""
        return self.answer.refusal is not None


@dataclass(slots=True)
class Trace:
    """One flight.

    Attributes:
        options: Reset options, as sent.
        shots: The reset's answer and every step's.
        failure: What lost the episode; None where it flew to its end or to the script's.
        lost_on: The action that was sent when the episode was lost; None for the reset.
        seconds: How long it took.
        before: Reset options of the resets of its session before its own, in order, as far as they are known.
    """

    options: TaskOptions
    shots: list[Shot] = field(default_factory=list)
    failure: Failure | None = None
    lost_on: Action | None = None
    seconds: float = 0.0
    before: tuple[TaskOptions, ...] = ()

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return bool(self.shots) and self.shots[-1].answer.done

    @property
    def replaced(self) -> bool:
        """Whether it was lost to another episode that began in its place."""
        return self.failure is not None and self.failure.kind == "identity"

    @property
    def actions(self) -> list[Action]:
        """The actions that were sent and answered."""
        return [shot.action for shot in self.shots if shot.action is not None]

    def witness(self, upto: int | None = None, **seen: Any) -> Proof:
        """The flight as the proof of a finding.

        Args:
            upto: Last shot that matters; None for all of them.
            seen: What else is worth showing.
        """
        return Proof(self, upto, self.shown(upto, **seen))

    def shown(self, upto: int | None = None, **seen: Any) -> ContractWitness:
        """What was done and seen, for a record: reset options, actions, rewards; as for :meth:`witness`."""
        shots = self.shots if upto is None else self.shots[: upto + 1]
        actions = [shot.action for shot in shots if shot.action is not None]
        if upto is None and self.lost_on is not None:
            actions.append(self.lost_on)
        rewards = [shot.answer.reward for shot in shots if shot.action is not None]
        told = {"reset": self.options, "actions": actions, "rewards": rewards, **seen}
        told |= {"resets_before": self.before} if self.before else {}
        return ContractWitness(**{key: recordable(value) for key, value in told.items()})


@dataclass(frozen=True, slots=True)
class Proof:
    """A flight that proves something.

    Attributes:
        trace: The flight.
        upto: Its last shot that matters; None for all of them.
        witness: What of it a record shows.
        turned: Whether the resets before it are all that it depends on beside its seed and actions.
    """

    trace: Trace
    upto: int | None
    witness: ContractWitness
    turned: bool = False


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """How one task's history is flown.

    Attributes:
        task: The task.
        seeds: Seeds, at least two.
        seeded: Whether a reset of this task takes a seed; else every flight has the same options.
        scripts: Actions by seed.
    """

    task: Task
    seeds: tuple[int, ...]
    seeded: bool
    scripts: tuple[tuple[Action, ...], ...]

    def options(self, number: int | None = 0) -> TaskOptions:
        """Reset options with the seed of that number; None for no seed."""
        seed = {"seed": self.seeds[number]} if self.seeded and number is not None else {}
        return {**self.task.options, **seed, "episode_id": EPISODE_ID}

    def shortened(self, steps: int) -> HistoryPlan:
        """The same plan with shorter scripts."""
        return replace(self, scripts=tuple(script[:steps] for script in self.scripts))


def make_plan(task: Task, space: Space, seed: int, seeds: int, steps: int) -> HistoryPlan:
    """A plan whose actions are random, drawn from the run's seed and the task."""
    key = zlib.crc32(repr(sorted(task.options.items(), key=str)).encode())
    scripts = []
    for number in range(seeds):
        rng = np.random.default_rng([seed, key, number])
        scripts.append(tuple(space.sample(rng) for _ in range(steps)))
    seeded = "seed" not in task.options
    return HistoryPlan(task, tuple(range(seed, seed + seeds)), seeded, tuple(scripts))


def fly(
    connection: Inspection,
    slot: int,
    options: TaskOptions,
    script: Iterable[Action],
    *,
    past: bool = False,
    patience: int | None = None,
) -> Trace:
    """Reset a slot and send the script's actions until the episode ends or is lost.

    Args:
        connection: Where to.
        slot: The slot.
        options: Reset options.
        script: Actions.
        past: Whether to go on past the end of the episode.
        patience: Refusals from the first action on, and nothing else, after which it is left; None for never.
    """
    trace = Trace(options)
    began = time.monotonic()
    if take(connection, slot, trace, None):
        for action in script:
            if (trace.done and not past) or not take(connection, slot, trace, action):
                break
            if len(trace.shots) - 1 == patience and all(s.refused for s in trace.shots[1:]):
                break
    trace.seconds = time.monotonic() - began
    return trace


def take(connection: Inspection, slot: int, trace: Trace, action: Action | None) -> bool:
    """Take one reset or step and append it to the trace.

    Args:
        connection: Where to.
        slot: The slot.
        trace: The flight.
        action: The action; None for a reset.

    Returns:
        Whether the episode lives.
    """
    send = connection.reset if action is None else connection.step
    answer = send({slot: trace.options if action is None else action})[slot]
    if isinstance(answer, Failure):
        trace.failure, trace.lost_on = answer, action
        return False
    state, raw = connection.state([slot])[slot], connection.raw([slot])[slot]
    if isinstance(state, Failure) and state.kind in {"timeout", "died"}:
        # The process is lost to that question, and not to the step after it.
        trace.failure, trace.lost_on = state, action
        return False
    seen = None if isinstance(state, Failure) else state
    trace.shots.append(Shot(action, answer, seen, raw, time.monotonic()))
    return True


def first_flight(connection: Inspection, plan: HistoryPlan) -> tuple[HistoryPlan, Trace]:
    """A first flight of a task, which learns whether its reset takes a seed.

    Returns:
        The plan, without seeds where the reset refuses them, and the flight.
    """
    connection.renew([0])
    trace = fly(connection, 0, plan.options(), plan.scripts[0])
    refused = trace.failure is not None and trace.failure.kind == "raised" and not trace.shots
    if plan.seeded and refused:
        unseeded = replace(plan, seeded=False)
        connection.renew([0])  # what a reset keeps that refuses may be taken the next time
        again = fly(connection, 0, unseeded.options(), plan.scripts[0])
        if again.shots:
            return unseeded, again
    return plan, trace


def affordable(trace: Trace, budget_s: float, steps: int, processes: int) -> int:
    """Steps of a flight for which a history fits the budget, judged by the first flight."""
    per_step = trace.seconds / max(1, len(trace.shots))
    flights = HISTORY_FLIGHTS * processes
    return max(FEWEST_STEPS, min(steps, int(budget_s / flights / max(per_step, 1e-9)) - 1))


def fly_history(
    connection: Inspection, plan: HistoryPlan, watch: Watch | None = None
) -> dict[str, Trace]:
    """The programme of flights; it stops at the first that is lost, and where the time is over.

    Args:
        connection: Where to.
        plan: How.
        watch: The clock; None for one that never ends.

    Returns:
        By name: ``reference`` in a fresh session, ``again`` right after it, ``other`` with another seed and
        other actions, ``after other`` as the reference, ``new session`` as the reference, ``seed N`` with the
        reference's actions and another seed in a new session, ``beside`` as the reference with another
        session flying in between, ``unseeded 1`` and ``unseeded 2`` without a seed, ``reset N`` the
        reference's reset alone in a new session: a coin that a reset tosses may fall alike a few times.
    """
    first, second = plan.scripts[0], plan.scripts[1]
    programme: list[tuple[str, bool, int | None, Sequence[Action]]] = [
        ("reference", True, 0, first),
        ("again", False, 0, first),
        ("other", False, 1, second),
        ("after other", False, 0, first),
        ("new session", True, 0, first),
    ]
    seeds = range(1, len(plan.seeds)) if plan.seeded else ()
    programme += [(f"seed {number}", True, number, first) for number in seeds]
    programme += [(f"unseeded {n}", True, None, first) for n in (1, 2) if plan.seeded]
    programme += [(name, True, 0, ()) for name in RESETS]
    out: dict[str, Trace] = {}
    before: tuple[TaskOptions, ...] = ()
    for name, fresh, number, script in programme:
        if watch is not None and watch.out:
            return out
        if fresh:
            connection.renew([0])
            before = ()
        out[name] = fly(connection, 0, plan.options(number), script)
        out[name].before = before
        before += (plan.options(number),)
        if out[name].failure is not None:
            return out
    if connection.capacity > 1:
        out["beside"] = fly_beside(connection, plan)
    return out


def fly_beside(connection: Inspection, plan: HistoryPlan) -> Trace:
    """The reference flight, with another session's reset and steps between its own."""
    connection.renew([0, 1])
    trace, other = Trace(plan.options()), Trace(plan.options(1))
    lives = take(connection, 0, trace, None)
    other_lives = take(connection, 1, other, None)
    for mine, its in zip(plan.scripts[0], plan.scripts[1], strict=False):
        if other_lives and not other.done:
            other_lives = take(connection, 1, other, its)
        if not lives or trace.done:
            break
        lives = take(connection, 0, trace, mine)
    return trace


def recordable(value: Any) -> Any:
    """A value that a record can hold and a reader can bear: no NaN, no text, list or number without end."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"a whole number of {value.bit_length()} bits"
    if isinstance(value, str) and len(value) > SHOWN_CHARS:
        return f"{value[:SHOWN_CHARS]}… ({len(value)} characters)"
    if isinstance(value, Mapping):
        kept = dict(islice(value.items(), MOST_ITEMS))
        return {str(key): recordable(inner) for key, inner in kept.items()} | left_out(value)
    if isinstance(value, list | tuple):
        return [*map(recordable, value[:MOST_ITEMS]), *left_out(value).values()]
    return value


def left_out(value: Sequence[Any] | Mapping[Any, Any]) -> dict[str, str]:
    """How many items of a value are not shown, under a mark; empty where all are."""
    more = len(value) - MOST_ITEMS
    return {"…": f"{more} more"} if more > 0 else {}


class ProcessPair:
    """The connections of a run: two processes where processes can be started, one server otherwise.

    Args:
        env: The environment.

    Attributes:
        notes: What a reader should know.
        uneven: Whether the processes' pasts differ, because one of them was lost; renewing evens them.
    """

    def __init__(self, env: Env) -> None:
        self._env = env
        self._open: list[Inspection] = []
        self.notes: list[str] = []
        self.renew()

    @property
    def first(self) -> Inspection:
        """The connection that everything is flown over."""
        return self._open[0]

    @property
    def second(self) -> Inspection | None:
        """The same environment in another process, with another hash seed; None over a URL."""
        return self._open[1] if len(self._open) > 1 else None

    @property
    def cut_off(self) -> bool:
        """Whether a server's socket broke in use: by the environment, or by whoever ended its server."""
        return any(isinstance(each, WebSocketConnection) and each.broken for each in self._open)

    def renew(self) -> str | None:
        """Start both processes afresh, so that both have the same past: none. A server's past is its own affair.

        Returns:
            Why a server that was there before gives no session any more; None where everything is there.

        Raises:
            TargetError: There is no environment at the target.
            EnvironmentFailure: It cannot be started.
        """
        if isinstance(self._env.target, UrlTarget) and self._open:
            lost = self.first.renew([0])[0]
            return None if lost is None else lost.message
        self.close()
        self.uneven = False
        seeds = HASH_SEEDS[:1] if isinstance(self._env.target, UrlTarget) else HASH_SEEDS
        with ThreadPoolExecutor() as pool:  # loading an environment is most of a small map's time
            starts = [
                pool.submit(self._env.connect, SLOTS, hash_seed=hash_seed) for hash_seed in seeds
            ]
        self._open = [start.result() for start in starts if start.exception() is None]
        for start in starts:
            if (error := start.exception()) is not None:
                self.close()
                raise error
        return None

    def fresh(self) -> Inspection | None:
        """A process of its own, in which nothing was flown; None over a URL, whose past is its own affair.

        Raises:
            EnvironmentFailure: It cannot be started.
        """
        return self.start() if self.starts else None

    @property
    def starts(self) -> bool:
        """Whether further processes can be started: not over a URL."""
        return not isinstance(self._env.target, UrlTarget)

    def start(self) -> Inspection:
        """A further process, in which nothing was flown.

        Raises:
            EnvironmentFailure: It cannot be started.
        """
        return self._env.connect(SLOTS, hash_seed=HASH_SEEDS[0])

    def close(self) -> None:
        """End every process and socket."""
        while self._open:
            self._open.pop().close()

    def describe(self) -> Description:
        """What the environment says of itself; empty where it cannot be asked.

        Raises:
            EnvironmentTimeout: It is not there in time.
        """
        try:
            described = self.first.describe()
        except EnvironmentTimeout:
            raise
        except EnvironmentFailure as error:
            self.notes.append(f"the environment could not be asked what it is: {error}")
            return Description()
        for what, problem in described.problems.items():
            self.notes.append(f"asked for its {what}: {problem}")
        return described
