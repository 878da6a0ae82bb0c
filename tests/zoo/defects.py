"""Environments with one small defect each, opened by import path; a task's name says what is wrong in it."""

import asyncio
import os
import random
from typing import Any, ClassVar, Literal
from uuid import uuid4

import numpy as np
from fastmcp import FastMCP
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import (
    CallToolAction,
    CallToolObservation,
    ListToolsAction,
    ListToolsObservation,
    Tool,
)
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field, field_validator

STEPS = 4

Defect = Literal[
    "none",
    "seed_ignored",
    "coin_tossed",
    "fixed_generator",
    "episode_state_leak",
    "session_state_leak",
    "process_dependent",
    "nondeterministic",
    "paid_after_done",
    "revived_after_done",
    "nan_reward",
    "nan_observation",
    "missing_reward",
    "bool_reward",
    "observation_schema",
    "step_raises",
    "done_at_reset",
]


class AddAction(Action):
    """How much to add."""

    add: int = Field(ge=0, le=3)


class SumObservation(Observation):
    """The sum."""

    total: int = 0
    share: float = 0.0


class Patient(Environment[AddAction, SumObservation, State]):
    """Adds four times and ends; sound but for the defect that the reset asks for."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    everybody = 0

    def __init__(self) -> None:
        super().__init__()
        self._generator = np.random.default_rng(7)
        self._defect, self._total, self._mine = "none", 0, 0
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, defect: Defect = "none"
    ) -> SumObservation:
        """Start at a number that the seed decides, mostly."""
        self._defect = defect
        self._mine += 1
        Patient.everybody += 1
        self._state = State(episode_id=episode_id or str(uuid4()))
        starts = {
            "seed_ignored": lambda: random.randrange(10**6),
            "coin_tossed": lambda: random.randrange(2),
            "fixed_generator": lambda: int(self._generator.integers(10**6)),
            "episode_state_leak": lambda: self._mine,
            "session_state_leak": lambda: Patient.everybody,
        }
        seeded = np.random.default_rng(seed)
        self._total = starts.get(defect, lambda: int(seeded.integers(10**6)))()
        return self._answer(None, done=defect == "done_at_reset")

    def step(self, action: AddAction, timeout_s: float | None = None, **_: Any) -> SumObservation:
        """Add."""
        over = self._state.step_count >= STEPS
        kind = self._defect
        if over and kind not in {"paid_after_done", "revived_after_done"}:
            raise RuntimeError("the episode has ended: call reset")
        if kind == "step_raises" and self._state.step_count == 2:
            raise RuntimeError("out of order")
        self._state.step_count += 1
        self._total += action.add
        return self._answer(self._reward(over), done=self._state.step_count >= STEPS and not (
            over and kind == "revived_after_done"
        ))  # fmt: skip

    def _reward(self, over: bool) -> Any:
        rewards: dict[str, Any] = {
            "nan_reward": float("nan"),
            "bool_reward": True,
            "missing_reward": None,
            "nondeterministic": random.random(),
            "process_dependent": (hash("a word") % 1000) / 1000,
        }
        paid = 0.0 if over and self._defect != "paid_after_done" else 0.25
        return rewards.get(self._defect, paid)

    def _answer(self, reward: Any, done: bool) -> SumObservation:
        if self._defect == "observation_schema":
            return SumObservation.model_construct(
                total="many", share=0.0, reward=reward, done=done, metadata={}
            )
        share = float("inf") if self._defect == "nan_observation" else 0.5
        return SumObservation(total=self._total, share=share, reward=reward, done=done)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class NegativeAction(Action):
    """A validator that raises ValueError, where OpenEnv's server drops the socket."""

    add: int

    @field_validator("add")
    @classmethod
    def not_negative(cls, add: int) -> int:
        """No field constraint, so that the schema does not show it."""
        if add < 0:
            raise ValueError("must not be negative")
        return add


class Brittle(Environment[NegativeAction, SumObservation, State]):
    """Nothing tells its sessions apart, and its task API crashes on what it does not know."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    TASKS: ClassVar = {"train": ["easy", "hard"]}

    def reset(
        self, seed: int | None = None, split: str | None = None, index: int = 0
    ) -> SumObservation:
        """Take any split."""
        return SumObservation(total=seed or index)

    def step(self, action: NegativeAction, timeout_s: float | None = None) -> SumObservation:
        """Pay what was added, and count nothing."""
        return SumObservation(total=action.add, reward=float(action.add))

    @property
    def state(self) -> State:
        """Always the same."""
        return State()

    def list_splits(self) -> list[str]:
        """One split."""
        return list(self.TASKS)

    async def num_tasks(self, split: str) -> int:
        """Crashes with a KeyError."""
        await asyncio.sleep(0)
        return len(self.TASKS[split])

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Takes an index from the end."""
        return {"name": self.TASKS[split][index], "index": index}

    def get_task_range(self, split: str, start: int, stop: int) -> list[dict[str, Any]]:
        """All of them."""
        return [self.get_task(split, index) for index in range(len(self.TASKS[split]))]


class Mortal(Brittle):
    """Its process ends at a step of the default task; the tasks of its split can be flown."""

    def reset(
        self, seed: int | None = None, split: str | None = None, index: int = 0
    ) -> SumObservation:
        """Remember whether a task was chosen."""
        self._default = split is None
        return super().reset(seed, split, index)

    def step(self, action: NegativeAction, timeout_s: float | None = None) -> SumObservation:
        """End, or add."""
        if self._default:
            os._exit(7)
        return super().step(action)


class Needy(Patient):
    """Cannot be reset without saying for whom."""

    def reset(self, *, patient: str, seed: int | None = None) -> SumObservation:  # type: ignore[override]
        """Start for somebody."""
        if len(patient) > len("him"):
            raise ValueError(f"no patient {patient!r}")
        return super().reset(seed)


class Toolbox(Environment[CallToolAction, CallToolObservation, State]):
    """Answers MCP's actions by itself, with a tool whose name OpenEnv reserves."""

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> CallToolObservation:
        """Nothing to start."""
        return CallToolObservation(tool_name="", result=None)

    def step(self, action: Any, timeout_s: float | None = None) -> Any:
        """List the tools, or call one."""
        if isinstance(action, ListToolsAction):
            schema = {"type": "object", "properties": {"word": {"enum": ["a", "b"]}}}
            names = ("say", "reset")
            return ListToolsObservation(
                tools=[Tool(name=name, description="", input_schema=schema) for name in names]
            )
        return CallToolObservation(tool_name=action.tool_name, result=action.arguments, reward=0.0)

    @property
    def state(self) -> State:
        """Nothing to know."""
        return State()


class Stillborn(Patient):
    """Cannot be made."""

    def __init__(self) -> None:
        raise RuntimeError("no instance today")


class Stepper(MCPEnvironment):
    """Offers a tool of a reserved name, which OpenEnv refuses while it is made."""

    def __init__(self) -> None:
        server = FastMCP("stepper")
        server.tool(name="step")(lambda: 1)
        super().__init__(server)

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> Observation:
        """Never called."""
        return Observation()

    def step(self, action: CallToolAction, timeout_s: float | None = None) -> CallToolObservation:
        """Never called; says the models."""
        return super().step(action)

    def _step_impl(self, action: Action, timeout_s: float | None = None, **_: Any) -> Observation:
        return Observation()

    @property
    def state(self) -> State:
        """Nothing to know."""
        return State()


class WordAction(Action):
    """What the agent answers."""

    answer: str


class Quizzed(Observation):
    """The question, and once it was answered the answer."""

    question: str = ""
    solution: str | None = None


class Quiz(Environment[WordAction, Quizzed, State]):
    """One question; when it is over the answer is told, and may be given once more."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: int | None = None, episode_id: str | None = None) -> Quizzed:
        """Ask."""
        self._state = State(episode_id=episode_id or str(uuid4()))
        self._solution = str(np.random.default_rng(seed).integers(10**9))
        return Quizzed(question="how many?", reward=0.0)

    def step(self, action: WordAction, timeout_s: float | None = None, **_: Any) -> Quizzed:
        """Judge, and tell."""
        self._state.step_count += 1
        paid = float(action.answer == self._solution)
        return Quizzed(solution=self._solution, reward=paid, done=True)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state
