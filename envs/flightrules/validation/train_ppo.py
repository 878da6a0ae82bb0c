"""Trains and judges the PPO baseline: ``python validation/train_ppo.py [--minutes M | --steps N] [--seed S]``.

Says what a small classical policy reaches in the same wall time on the same cores as the language model: PPO of
stable-baselines3, two-layer perceptrons on the vector of `flightrules.gymnasium_env`, everything in one process and
one thread, so that a second core stays idle. It starts from nothing: it is shown no teacher, and paid at the end only.

Seeds differ more than missions do, by whether the recalibration (mode ``recover``) is found: judge several before
saying what PPO reaches.

It trains on tasks of the train split, then flies tasks of another split greedily, the first ``--episodes`` of them,
and prints one JSON line:

``success`` and ``score``
    ``mean``, and ``interval``, its 95 % interval: Wilson's for success, a percentile bootstrap for the score (null
    where all scores are equal: such a sample says nothing about its spread). They cover missions, not training seeds.
``illegal_share``, ``decisions_per_episode``
    of the judged episodes.
``decisions``, ``train_s``, ``wall_s``
    Decisions taken in training, seconds of training, seconds in all.
``minutes``, ``cores``, ``seed``, ``source``
    What it was given (minutes are null where the budget was decisions), and the hash of the sources that it flew.

``--record FILE`` appends the line to a file, from which `validation/handbook.py` writes its rows.

With ``--steps`` the result is a function of the arguments, on one machine with the same packages. With ``--minutes``
it is not: how many decisions fit depends on the machine. Tuned on validation tasks; the test split was not looked at.
Needs the extra ``ppo``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

from flightrules.gymnasium_env import FlightRulesGymEnv
from flightrules.missions.splits import LEVELS, SPLITS
from flightrules.missions.store import MissionStore, source_hash
from flightrules.validation.blocks import FLYING
from flightrules.validation.intervals import summary

ENVIRONMENTS = 64
"""Flights under way at once."""
TASKS = 3000
"""Training tasks that are drawn from; the store keeps as many in memory."""
PPO_SETTINGS: dict[str, Any] = {
    "n_steps": 64,
    "batch_size": 512,
    "n_epochs": 10,
    # The reward comes once, after about 14 decisions: nothing is gained by discounting it.
    "gamma": 1.0,
    "gae_lambda": 0.95,
    "clip_range": 0.2,
    "ent_coef": 0.003,
    "policy_kwargs": {"net_arch": [64, 64]},
}
LEARNING_RATE = 7e-4
"""At the start; it falls to 0 with the budget."""
THREADS = 1
"""Of the networks' arithmetic: layers this small are slower on two than on one."""


class Budget:
    """What a training may use: seconds, or decisions.

    Attributes:
        minutes: Wall-clock minutes, or None.
        steps: Decisions, or None.
    """

    def __init__(self, minutes: float | None, steps: int | None) -> None:
        self.minutes, self.steps = minutes, steps
        self._start = time.monotonic()

    def left(self, share_of_steps_left: float = 1.0) -> float:
        """Share of the budget that is left, in [0, 1].

        Args:
            share_of_steps_left: What stable-baselines3 says is left of the decisions.
        """
        if self.minutes is None:
            return share_of_steps_left
        return max(0.0, 1.0 - (time.monotonic() - self._start) / (60.0 * self.minutes))


def train(level: str, budget: Budget, seed: int, store: MissionStore) -> Any:
    """A stable-baselines3 PPO model, trained on the train split until the budget is used."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.vec_env import DummyVecEnv

    def make() -> FlightRulesGymEnv:
        return FlightRulesGymEnv("train", level, tasks=TASKS, store=store)

    model = PPO(
        "MlpPolicy",
        DummyVecEnv([make] * ENVIRONMENTS),
        learning_rate=lambda share: LEARNING_RATE * budget.left(share),
        seed=seed,
        device="cpu",
        **PPO_SETTINGS,
    )
    model.learn(
        # Without a number of steps the clock ends it.
        total_timesteps=budget.steps or 2**62,
        callback=lambda _locals, _globals: budget.left() > 0.0,
    )
    return model


def judge(
    model: Any, split: str, level: str, episodes: int, store: MissionStore
) -> list[dict[str, Any]]:
    """Fly the first tasks of a split greedily.

    Returns:
        Of each episode the last ``info``, with ``decisions`` taken and ``illegal`` ones among them.
    """
    environment = FlightRulesGymEnv(split, level, store=store)
    flown = []
    for index in range(episodes):
        observation, _ = environment.reset(options={"index": index})
        done, decisions, illegal = False, 0, 0
        info: dict[str, Any] = {}
        while not done:
            action, _ = model.predict(observation, deterministic=True)
            observation, _, done, _, info = environment.step(action)
            decisions += 1
            illegal += info["invalid"] is not None
        flown.append({**info, "decisions": decisions, "illegal": illegal})
    return flown


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--minutes", type=float, help="wall clock of the training; default 10")
    budget.add_argument("--steps", type=int, help="decisions instead of minutes; reproducible")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--level", choices=LEVELS, default=LEVELS[0])
    parser.add_argument("--split", choices=SPLITS, default="test", help="what is flown to judge")
    parser.add_argument("--episodes", type=int, default=300, help="how many tasks of it")
    parser.add_argument("--out", type=Path, help="where the policy is saved, a .zip")
    parser.add_argument("--record", type=Path, help="a file that the printed line is appended to")
    arguments = parser.parse_args()
    if arguments.steps is None and arguments.minutes is None:
        arguments.minutes = 10.0
    for name in ("minutes", "steps", "episodes"):
        value = getattr(arguments, name)
        if value is not None and not value > 0:
            parser.error(f"--{name} must be more than 0, got {value}")
    return arguments


def main() -> None:
    """Train, judge, print."""
    arguments, start = parse(), time.monotonic()
    os.environ["OMP_NUM_THREADS"] = str(THREADS)  # before torch is imported
    store = MissionStore()
    budget = Budget(arguments.minutes, arguments.steps)
    model = train(arguments.level, budget, arguments.seed, store)
    train_s = time.monotonic() - start
    if arguments.out is not None:
        model.save(arguments.out)
    flown = judge(model, arguments.split, arguments.level, arguments.episodes, store)
    result = {
        "level": arguments.level,
        "split": arguments.split,
        **summary(flown, np.random.default_rng(arguments.seed)),
        "decisions": model.num_timesteps,
        "train_s": round(train_s, 1),
        "wall_s": round(time.monotonic() - start, 1),
        "minutes": arguments.minutes,
        "cores": THREADS,
        "seed": arguments.seed,
        "source": source_hash(FLYING),
    }
    line = json.dumps(result)
    print(line)
    if arguments.record is not None:
        arguments.record.parent.mkdir(parents=True, exist_ok=True)
        with arguments.record.open("a", encoding="utf-8") as record:
            record.write(line + "\n")


if __name__ == "__main__":
    main()
