"""A reward given from outside, inside the worker process: a file's bundle of rubrics scores each episode.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. The file
is Python with a function ``make_reward(without=())`` that gives an OpenEnv rubric: a ``WeightedSum`` of at
least four components, perhaps inside gates. A component is called by its class's name in lower case, or by
its attribute ``name``; its attribute ``GUARDS``, where it has one, says by name what keeps it from being
paid for nothing, and ``without`` names guards to leave out as ``component.guard``, which is how tests show
what each is for: asked to *ablate*, every episode is also scored without each guard, beside.

After each step the rubric is called with the action and a copy of the environment's observation, in whose
metadata stand ``environment_reward`` and ``refused_actions`` (of this episode, so far). What it answers
replaces the reward; ``components`` in the metadata holds each component's pay so far, and what the
environment itself had there moves to ``environment_components``. After the end of an episode nothing is
paid. Success is the environment's word, and stays as it was.
"""

from __future__ import annotations

import importlib.util
import inspect
import math
import sys
import typing
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

Json = dict[str, Any]

LEAST = 4
MODULE = "gonogo_reward"


class BrokenReward(Exception):
    """The reward's file broke a rule: the message is the rule and the value."""


def load_reward(spec: Json) -> Callable[[], list[Scored]]:
    """The function that makes an episode's bundles, tried once: the whole one, then those without a guard.

    Args:
        spec: ``file`` and ``ablate``.

    Raises:
        BrokenReward: The file cannot be imported, or what it makes breaks a rule.
    """
    make = getattr(load_module(Path(spec["file"])), "make_reward", None)
    if not callable(make):
        raise BrokenReward("it must define make_reward(without=()), and does not")

    def bundle(*without: str) -> Any:
        with Boundary() as made:
            return make(without=without) if without else make()
        raise BrokenReward(f"make_reward raised {made.error!r}") from made.error

    whole = bundle()
    check_bundle(whole)
    guards = [
        f"{part['name']}.{guard}" for part in describe_reward(whole) for guard in part["guards"]
    ]
    left_out = guards if spec["ablate"] else []

    def bundles() -> list[Scored]:
        return [Scored(bundle()), *(Scored(bundle(guard), guard) for guard in left_out)]

    bundles()
    return bundles


def load_module(file: Path) -> ModuleType:
    """The file, imported.

    Raises:
        BrokenReward: It cannot be.
    """
    spec = importlib.util.spec_from_file_location(MODULE, file)
    if spec is None or spec.loader is None:
        raise BrokenReward("it cannot be imported: it is no Python file")
    module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
    try:
        with Boundary() as importing:
            spec.loader.exec_module(module)
    except SystemExit as error:
        raise BrokenReward(f"it cannot be imported: {error!r}") from error
    if importing.error is not None:
        raise BrokenReward(f"it cannot be imported: {importing.error!r}") from importing.error
    return module


def check_bundle(reward: Any) -> None:
    """Hold a bundle against the rules.

    Raises:
        BrokenReward: It breaks one.
    """
    from openenv.core.rubrics import Rubric

    if not isinstance(reward, Rubric):
        raise BrokenReward(f"make_reward must give an OpenEnv Rubric, not {reward!r}")
    bundle = bundle_of(reward)
    if bundle is None:
        raise BrokenReward("make_reward must give a WeightedSum of components, and has none")
    parts = components(bundle)
    names = [name for name, _, _ in parts]
    if len(set(names)) < len(names):
        raise BrokenReward(f"components must have different names, not {names}")
    if len(parts) < LEAST:
        raise BrokenReward(f"a bundle has at least {LEAST} components, not {len(parts)}: {names}")
    weights = {name: weight for name, weight, _ in parts}
    total = math.fsum(weights.values())
    if not abs(total - 1.0) <= 1e-6 or min(weights.values()) < 0:
        raise BrokenReward(f"weights must be 0 or more and sum to 1, not to {total:g}: {weights}")


def bundle_of(reward: Any) -> Any:
    """The weighted sum: the rubric itself, or the first below it; None where there is none."""
    from openenv.core.rubrics import WeightedSum

    found = [r for r in (reward, *reward.rubrics()) if isinstance(r, WeightedSum)]
    return found[0] if found else None


def components(bundle: Any) -> list[tuple[str, float, Any]]:
    """Name, weight and rubric of each component."""
    children = list(bundle.children())
    return [
        (component_name(rubric), float(weight), rubric)
        for rubric, weight in zip(children, bundle.weights, strict=True)
    ]


def component_name(rubric: Any) -> str:
    """What a component is called."""
    name = getattr(rubric, "name", None)
    return name if isinstance(name, str) else type(rubric).__name__.lower()


def describe_reward(reward: Any) -> list[Json]:
    """Each component by name, with its weight and its guards."""
    return [
        {"name": name, "weight": weight, "guards": dict(getattr(rubric, "GUARDS", {}))}
        for name, weight, rubric in components(bundle_of(reward))
    ]


class Scored:
    """A bundle and what it has paid in one episode.

    Args:
        reward: The rubric.
        without: The guard that it lacks; empty for the whole one.

    Attributes:
        paid: Each component's pay so far.
    """

    def __init__(self, reward: Any, without: str = "") -> None:
        self.reward, self.without = reward, without
        self._parts = components(bundle_of(reward))
        self.paid = {name: 0.0 for name, _, _ in self._parts}

    def ask(self, action: Any, shown: Any) -> float:
        """The pay of a step.

        Raises:
            BrokenReward: The rubric raised, or answered no finite number.
        """
        for _, _, rubric in self._parts:
            rubric.last_score = None  # a gate before it may leave it unasked
        with Boundary() as asked:
            pay = self.reward(action, shown)
        if asked.error is not None:
            silent = [name for name, _, rubric in self._parts if says_none(rubric, action, shown)]
            if silent:  # the sum of it failed
                finite(None, f"component {silent[0]}")
            raise BrokenReward(f"the rubric raised {asked.error!r}") from asked.error
        for name, _, rubric in self._parts:
            if rubric.last_score is not None:
                self.paid[name] += finite(rubric.last_score, f"component {name}")
        return finite(pay, "the bundle")


def says_none(rubric: Any, action: Any, shown: Any) -> bool:
    """Whether a component answers None, asked alone."""
    with Boundary():
        return rubric.forward(action, shown) is None
    return False


class Scorer:
    """The reward of one instance, episode after episode.

    Args:
        bundles: What :func:`load_reward` gave.
    """

    def __init__(self, bundles: Callable[[], list[Scored]]) -> None:
        self._bundles = bundles
        self.begin()

    def begin(self) -> None:
        """A new episode, and new bundles: nothing of the last one is left."""
        self._whole, *self._ablated = self._bundles()
        self._refused, self._steps, self._over = 0, 0, False

    def refuse(self) -> None:
        """An action was refused: it failed validation, or the step raised."""
        self._refused += 1

    def score(self, action: Any, observation: Any) -> Any:
        """The observation with this reward in the place of its own.

        Raises:
            BrokenReward: A rubric raised, or answered no finite number.
        """
        told = dict(observation.metadata or {})
        told["environment_reward"] = observation.reward
        told["refused_actions"] = self._refused
        if "components" in told:
            told["environment_components"] = told.pop("components")
        pay, self._steps = 0.0, self._steps + 1
        if not self._over:
            # A deep copy: a rubric may keep what it was shown, and the environment go on with its own.
            shown = observation.model_copy(update={"metadata": told}, deep=True)
            try:
                pay = self._whole.ask(action, shown)
                for scored in self._ablated:
                    scored.ask(action, shown)
            except BrokenReward as error:
                raise BrokenReward(f"step {self._steps}: {error}") from error
        self._over = self._over or bool(observation.done)
        metadata = {**told, "components": dict(self._whole.paid)}
        if self._ablated:
            metadata["without"] = {
                scored.without: scored.paid[scored.without.partition(".")[0]]
                for scored in self._ablated
            }
        return observation.model_copy(update={"reward": pay, "metadata": metadata})


def finite(score: Any, whose: str) -> float:
    """A score as a float.

    Raises:
        BrokenReward: It is no finite number.
    """
    if inspect.iscoroutine(score):
        score.close()
        raise BrokenReward(f"{whose} must answer at once: an async forward is not flown")
    if not isinstance(score, bool) and isinstance(score, int | float):
        try:
            if math.isfinite(score):
                return float(score)
        except OverflowError:
            raise BrokenReward(f"{whose} must answer a number that a float holds") from None
    raise BrokenReward(f"{whose} must answer a finite number, not {score!r:.200}")
