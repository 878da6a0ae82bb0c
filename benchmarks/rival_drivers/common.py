"""What the drivers share: one class of the zoo, opened without gonogo, and its two policies."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import multiprocessing
import os
import resource
import signal
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openenv.core.env_server.serialization import serialize_observation
from tests.zoo.cases import Pair, Plan

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
FORK = multiprocessing.get_context("fork")
WALL_FACTOR = 8
MEMORY_BYTES = 8 * 2**30


class Pilot:
    """A solver or an exploit that answers one observation at a time.

    Attributes:
        plan: A policy, or a list of actions whose last one is repeated.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.begin()

    def begin(self) -> None:
        """A new episode: forget."""
        self.memory: Json = {}
        self.turn = 0
        self.answered: dict[str, Json] = {}

    def act(self, observation: Json) -> Json:
        """The next action of the episode."""
        if callable(self.plan):
            action = self.plan(copy.deepcopy(observation), self.memory)
        else:
            action = self.plan[min(self.turn, len(self.plan) - 1)]
        self.turn += 1
        self.answered[key_of(observation)] = action
        return action

    def again(self, observation: Json) -> Json:
        """What it answered when it last saw this; asked beside the episode, which stays where it is."""
        known = self.answered.get(key_of(observation))
        if known is not None:
            return known
        beside = Pilot(self.plan)
        beside.memory = copy.deepcopy(self.memory)
        return beside.act(observation)


@dataclass(frozen=True)
class Subject:
    """One class of a pair."""

    pair: Pair
    cls: type[Any]
    action: type[Any]
    observation: type[Any]

    @classmethod
    def load(cls, name: str, case: str) -> Subject:
        """Import a pair and choose ``Defect`` or ``Sound``; the models are those of ``play`` and ``show``."""
        pair = Pair.load(name)
        chosen = {"Defect": pair.defect, "Sound": pair.sound}[case]
        action = typing.get_type_hints(chosen.play)["action"]
        return cls(pair, chosen, action, typing.get_type_hints(chosen.show)["return"])

    def start(self, seed: int) -> tuple[Any, Json]:
        """A new instance after the reset in which the defect shows, and what it shows."""
        environment = self.cls()
        return environment, seen(environment.reset(**self.pair.options, seed=seed))

    def episode(self, plan: Plan, seed: int) -> tuple[list[Json], float]:
        """The actions of a policy and their return, played in this process."""
        environment, shown = self.start(seed)
        pilot, actions, total = Pilot(plan), [], 0.0
        while environment.success is None and len(actions) < 2 * self.cls.HORIZON:
            extra = environment.state.model_dump() if self.reads_state(plan) else {}
            actions.append(pilot.act(shown | extra))
            answer = environment.step(self.action.model_validate(actions[-1]))
            total += float(answer.reward or 0.0)
            shown = seen(answer)
        return actions, total

    def reads_state(self, plan: Plan) -> bool:
        """Whether the policy needs the state beside the observation."""
        return self.pair.reads_state and plan is self.pair.exploit


def seen(observation: Any) -> Json:
    """An observation as an agent gets it: over the wire, without reward, done and metadata."""
    shown: Json = serialize_observation(observation)["observation"]
    shown.pop("metadata", None)
    return shown


def text_of(observation: Any) -> str:
    """What an agent sees of an observation, as JSON text."""
    text: str = observation.model_dump_json(exclude={"reward", "done", "metadata"})
    return text


def key_of(observation: Json) -> str:
    """An observation as text, the same for equal ones."""
    return json.dumps(observation, sort_keys=True)


def forked(job: Callable[[], int | None], log: Path, cpu_s: float) -> tuple[int | None, str]:
    """Run a job in a child process of its own group, so that its imports, crashes and children stay there.

    Args:
        job: What to do; what it returns is the exit code.
        log: Where everything that it prints goes.
        cpu_s: Processor seconds; the machine may be busy, so the clock gets WALL_FACTOR times as many.

    Returns:
        The exit code, None if it ran out of time; and what it printed.
    """
    child = FORK.Process(target=contained, args=(job, log, math.ceil(cpu_s)))
    child.start()
    child.join(WALL_FACTOR * cpu_s)
    late = child.is_alive()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid or 0, signal.SIGKILL)
    child.join()
    late = late or child.exitcode == -signal.SIGXCPU
    return None if late else child.exitcode, log.read_text(errors="replace")


def contained(job: Callable[[], int | None], log: Path, cpu_s: int) -> None:
    """In the child: its own group, its output in a file, an end to its time and its memory."""
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    sink = log.open("w", buffering=1)
    os.dup2(sink.fileno(), 1)
    os.dup2(sink.fileno(), 2)
    sys.stdout, sys.stderr = sink, sink  # stays open: a traceback comes after this function
    sys.exit(job())
