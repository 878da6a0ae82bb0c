"""How each kind of defect is shown, without any auditor: fly the exploit and look.

A witness is a function of a pair and one of its two classes. It gives the share, from 0 to about 1, in
which the defect shows: near 1 for ``Defect``, near 0 for ``Sound``. Actions and observations pass
through OpenEnv's own serialisation, as over the wire.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import mean
from typing import Any

from openenv.core.env_server.serialization import deserialize_action, serialize_observation
from pydantic import ValidationError

from gonogo.rollouts.episodes import read_success
from gonogo.rollouts.types import Transition

from . import Json, Pair, Plan

SEEDS = range(12)
LONGEST = 200
EXTRA_STEPS = 3


@dataclass
class Flight:
    """What one episode gave.

    Attributes:
        seen: Observations, without reward, done and metadata.
        rewards: One for each step, as it came.
        declared: The reward's range as the metadata declares it, or None.
        counts: The state's step count after the reset and each step.
        refused: How many actions failed validation.
        success: What the environment says at the end.
    """

    seen: list[Json] = field(default_factory=list)
    rewards: list[Any] = field(default_factory=list)
    declared: list[float] | None = None
    counts: list[int] = field(default_factory=list)
    refused: int = 0
    success: bool | None = None
    done: bool = False

    @property
    def total(self) -> float:
        """The return; what is no number counts as nothing."""
        return math.fsum(reward for reward in self.rewards if is_number(reward))

    def take(self, environment: Any, observation: Any) -> None:
        """Take in what a reset or a step answered."""
        answer = serialize_observation(observation)
        metadata = answer["observation"].pop("metadata")
        self.seen.append(answer["observation"])
        self.done = answer["done"]
        self.declared = metadata.get("reward_range")
        self.counts.append(environment.state.step_count)
        self.success = read_success(Transition(self.seen[-1], None, self.done, metadata))

    @property
    def trace(self) -> tuple[list[Json], list[Any], bool | None]:
        """All that has to be the same when an episode is repeated."""
        return self.seen, self.rewards, self.success


def is_number(reward: Any) -> bool:
    """Whether a reward is a finite number and no truth value."""
    return type(reward) in {int, float} and math.isfinite(reward)


def action_class(environment: Any) -> Any:
    """The action's model, found as gonogo's worker finds it."""
    from gonogo.env.worker.load import load_class

    return load_class(f"{type(environment).__module__}:{type(environment).__name__}").action


def fly(
    environment: Any,
    plan: Plan,
    options: Json,
    *,
    reads_state: bool = False,
    extra_steps: int = 0,
) -> Flight:
    """Fly one episode; a list of actions repeats its last one until the end."""
    flight, memory, model = Flight(), Json(), action_class(environment)
    flight.take(environment, environment.reset(**options))
    action: Json = {}
    for turn in range(LONGEST):
        if flight.done:
            break
        seen = flight.seen[-1] | (environment.state.model_dump() if reads_state else {})
        action = plan(seen, memory) if callable(plan) else plan[min(turn, len(plan) - 1)]
        step(environment, model, action, flight)
    for _ in range(extra_steps):
        step(environment, model, action, flight)
    return flight


def step(environment: Any, model: Any, action: Json, flight: Flight) -> None:
    """One step; an action that fails validation leaves the episode where it was, as in gonogo."""
    try:
        parsed = deserialize_action(action, model)
    except ValidationError:
        flight.refused += 1
        return
    observation = environment.step(parsed)
    flight.rewards.append(observation.reward)
    flight.take(environment, observation)


def fly_pair(
    pair: Pair, environment: Any, plan: Plan, seed: int, options: Json | None = None, **how: Any
) -> Flight:
    """Fly a pair's solver or exploit, under the options where its defect shows if no others are given."""
    chosen = pair.options if options is None else options
    reads_state = pair.reads_state and plan is pair.exploit
    return fly(environment, plan, {**chosen, "seed": seed}, reads_state=reads_state, **how)


def flights(pair: Pair, cls: type[Any], plan: Plan, **how: Any) -> list[Flight]:
    """One flight for each seed, each on a new instance."""
    return [fly_pair(pair, cls(), plan, seed, **how) for seed in SEEDS]


def is_paid(pair: Pair, cls: type[Any]) -> float:
    """What the exploit earns where it fails, in units of what the solver earns."""
    failed = [f.total for f in flights(pair, cls, pair.exploit) if f.success is False]
    best = mean(f.total for f in flights(pair, cls, pair.solve))
    return mean(failed) / best if failed else 0.0


def failure_out_earns_success(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds on which the failing exploit earns more than the succeeding solver."""
    both = zip(flights(pair, cls, pair.exploit), flights(pair, cls, pair.solve), strict=True)
    return share(not bad.success and good.success and bad.total > good.total for bad, good in both)


def succeeds(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds on which the exploit is called a success."""
    return share(flight.success for flight in flights(pair, cls, pair.exploit))


def never_succeeds(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds on which the best that one can do fails."""
    return share(not flight.success for flight in flights(pair, cls, pair.exploit))


def same_seed_differs(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds whose episode, flown again, is another one."""
    again = zip(flights(pair, cls, pair.exploit), flights(pair, cls, pair.exploit), strict=True)
    return share(first.trace != second.trace for first, second in again)


def episodes_repeat(pair: Pair, cls: type[Any]) -> float:
    """Share of episodes that were seen before under another seed."""
    traces = [flight.trace for flight in flights(pair, cls, pair.exploit)]
    return share(trace in traces[:number] for number, trace in enumerate(traces))


def after_another_episode_differs(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds whose episode is another one after an earlier episode on the same instance."""
    differ = []
    for seed, alone in zip(SEEDS, flights(pair, cls, pair.exploit), strict=True):
        used = cls()
        fly_pair(pair, used, pair.exploit, seed + len(SEEDS))
        differ.append(fly_pair(pair, used, pair.exploit, seed).trace != alone.trace)
    return share(differ)


def beside_another_session_differs(pair: Pair, cls: type[Any]) -> float:
    """Share of seeds whose episode is another one after an episode on another instance."""
    differ = []
    for seed in SEEDS:
        alone = fly_pair(pair, cls(), pair.exploit, seed)
        fly_pair(pair, cls(), pair.exploit, seed + len(SEEDS))
        differ.append(fly_pair(pair, cls(), pair.exploit, seed).trace != alone.trace)
    return share(differ)


def another_process_differs(pair: Pair, cls: type[Any]) -> float:
    """Whether a process that salts its hashes differently gives other flights than this one."""
    program = (
        f"from {__name__} import flights; from {__package__} import Pair\n"
        f"pair = Pair.load({pair.name!r}, {pair.package!r})\n"
        f"print([f.trace for f in flights(pair, pair.{cls.__name__.lower()}, pair.exploit)])"
    )
    salt = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    said = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": salt},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    here = [flight.trace for flight in flights(pair, cls, pair.exploit)]
    return float(said.strip() != str(here))


def pays_after_done(pair: Pair, cls: type[Any]) -> float:
    """Share of episodes in which a step after the end earns something."""
    after = flights(pair, cls, pair.exploit, extra_steps=EXTRA_STEPS)
    return share(any(flight.rewards[-EXTRA_STEPS:]) for flight in after if flight.done)


def leaves_declared_range(pair: Pair, cls: type[Any]) -> float:
    """Share of episodes with a reward outside the range that the metadata declares."""
    return share(
        any(not f.declared[0] <= reward <= f.declared[1] for reward in f.rewards)
        for f in flights(pair, cls, pair.exploit)
        if f.declared is not None
    )


def reward_is_no_number(pair: Pair, cls: type[Any]) -> float:
    """Share of episodes in which a step's reward is no finite number."""
    return share(
        not all(is_number(reward) for reward in f.rewards) for f in flights(pair, cls, pair.exploit)
    )


def steps_go_back(pair: Pair, cls: type[Any]) -> float:
    """Share of episodes in which the step count goes back, although nobody called reset."""
    return share(f.counts != sorted(f.counts) for f in flights(pair, cls, pair.exploit))


def share(facts: Iterable[Any]) -> float:
    """Share of what is true."""
    return mean(bool(fact) for fact in facts)


Witness = Callable[[Pair, type[Any]], float]
WITNESSES: dict[str, Witness] = {
    witness.__name__: witness
    for witness in (
        is_paid, failure_out_earns_success, succeeds, never_succeeds, same_seed_differs,
        episodes_repeat, after_another_episode_differs, beside_another_session_differs,
        another_process_differs, pays_after_done, leaves_declared_range, reward_is_no_number,
        steps_go_back,
    )
}  # fmt: skip
