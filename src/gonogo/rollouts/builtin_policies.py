"""Policies that any environment can be flown with: idle, random over the schema, a script, and one that slips.

They know the action's JSON schema (:mod:`gonogo.rollouts.space`) and nothing else. None of them learns;
each is deterministic, whatever the number of slots: the random one draws every episode from a generator
of its seed and its task.
"""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Policy, Reply, View
from gonogo.wire import JsonSchema, TaskOptions, Tool

ALWAYS = "always "
"""How the name of a policy begins that repeats one action, which follows as JSON."""

CARELESS = "_careless"
"""How the name of a policy ends that slips."""
MOST_IDLE = 16
"""Actions that idle tries where its first is refused."""
MOST_SLIPS = 0.4
"""Largest share of an episode's actions that are slips."""


class Stateless:
    """A policy that keeps nothing between turns."""

    name: str

    def begin(self, slots: Iterable[int]) -> None:
        """Nothing to forget."""

    def end(self, slots: Iterable[int]) -> None:
        """Nothing to free."""

    def close(self) -> None:
        """Nothing to close."""


class IdlePolicy(Stateless):
    """Does as little as the schema allows: every turn the same action, as long as it is accepted.

    It is :meth:`~gonogo.rollouts.space.Space.idle`'s action. Where the environment refuses it, which its schema may not
    say, the next turn tries the next of the constants, and stays with the one that is taken.

    Args:
        schema: JSON schema of the action.
        tools: Tools of an MCP environment; empty for others.
    """

    def __init__(self, schema: JsonSchema, tools: Sequence[Tool] = ()) -> None:
        self.name = "idle"
        self._actions = Space(schema, tools).constants(MOST_IDLE)
        self.action = self._actions[0]
        self._at: dict[int, int] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """Each episode tries from the first."""
        self._at |= dict.fromkeys(slots, 0)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The same action for everyone, or the next where it was refused."""
        for slot, view in views.items():
            self._at[slot] = self._at.get(slot, 0) + (view.problem is not None)
        actions = self._actions
        return {slot: Reply(action=actions[self._at[slot] % len(actions)]) for slot in views}


class RandomPolicy(Stateless):
    """A random action each turn, as :meth:`~gonogo.rollouts.space.Space.sample` draws it.

    Args:
        schema: JSON schema of the action.
        seed: Seed; an episode's draws depend on it and on the episode's reset options only.
        tools: Tools of an MCP environment; empty for others.
    """

    def __init__(self, schema: JsonSchema, seed: int, tools: Sequence[Tool] = ()) -> None:
        self.name = "random"
        self._space, self._seed = Space(schema, tools), seed
        self._generators: dict[int, np.random.Generator] = {}

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """A fresh action for each view."""
        out = {}
        for slot, view in views.items():
            if view.turn == 0:
                self._generators[slot] = generator_of(self._seed, view.options)
            out[slot] = Reply(action=self._space.sample(self._generators[slot]))
        return out


def generator_of(seed: int, options: TaskOptions) -> np.random.Generator:
    """The source of an episode's draws: the same for the same seed and reset options."""
    task = zlib.crc32(json.dumps(options, sort_keys=True).encode())
    return np.random.default_rng([seed, task])


class CarelessPolicy:
    """Another policy that slips: now and then a random action goes out in place of its own.

    How often is drawn for each episode, so that its episodes lie between the other policy's and those at random.

    Args:
        policy: The other policy; no model, which would have to know what was said in its place. Closed with this one.
        schema: JSON schema of the action.
        seed: Seed; an episode's slips depend on it and on the episode's reset options only.
        tools: Tools of an MCP environment; empty for others.
    """

    def __init__(
        self, policy: Policy, schema: JsonSchema, seed: int, tools: Sequence[Tool] = ()
    ) -> None:
        self.name = f"{policy.name}{CARELESS}"
        self._policy, self._space, self._seed = policy, Space(schema, tools), seed
        self._slips: dict[int, tuple[np.random.Generator, float]] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """The other policy begins."""
        self._policy.begin(slots)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The other policy's replies, some of them replaced."""
        out = dict(self._policy.act(views))
        for slot, view in views.items():
            if view.turn == 0:
                generator = generator_of(self._seed, view.options)
                self._slips[slot] = generator, generator.uniform(0.0, MOST_SLIPS)
            generator, share = self._slips[slot]
            if generator.random() < share:
                out[slot] = Reply(action=self._space.sample(generator))
        return out

    def end(self, slots: Iterable[int]) -> None:
        """The other policy ends."""
        self._policy.end(slots)

    def close(self) -> None:
        """Close the other policy."""
        self._policy.close()


class ScriptedPolicy(Stateless):
    """Says what it was given: one list of replies an episode, in the order of the tasks.

    When a script is at its end, its last reply is repeated.

    Args:
        scripts: Replies by episode; as many as there are tasks, none empty.
        name: Name for the record.
    """

    def __init__(self, scripts: Sequence[Sequence[Reply]], name: str = "scripted") -> None:
        self.name = name
        self._waiting = deque(scripts)
        self._scripts: dict[int, Sequence[Reply]] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """Hand the next scripts to these slots, which the engine names in the order of the tasks."""
        for slot in slots:
            self._scripts[slot] = self._waiting.popleft()

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The reply whose turn it is."""
        return {
            slot: self._scripts[slot][min(view.turn, len(self._scripts[slot]) - 1)]
            for slot, view in views.items()
        }
