"""An environment under test, as one object: where it is, what pays in it, what success is in it, and what it shows.

Whoever flies, asks or measures takes an :class:`Env`, so that nobody forgets the reward or the success that the config
names. It is opened once, by whoever first asks for its schemas or flies in it, and closed with the object: a worker
process for a folder or an import path, a WebSocket for a server's URL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Self, TypedDict

from pydantic import ValidationError

from gonogo.config import RolloutConfig, RunConfig, TaskPlan
from gonogo.env.http import has_socket
from gonogo.env.install import install, say
from gonogo.env.success import judged
from gonogo.env.target import (
    FolderTarget,
    References,
    RewardFile,
    Target,
    UrlTarget,
    resolve,
    source_of,
)
from gonogo.env.variables import pass_on, say_that_it_runs
from gonogo.errors import CodecError, ConfigError, EnvironmentFailure, Misuse
from gonogo.records.provenance import reward_hash
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.engine import Flight, Progress, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import takes_tools
from gonogo.rollouts.types import Inspection, Policy, Schemas
from gonogo.wire import TaskOptions, WireObject

DEFAULT = RolloutConfig()


class Waits(TypedDict):
    """Seconds that a connection waits."""

    timeout_s: float
    startup_s: float


def connect(
    target: Target,
    slots: int,
    rollout: RolloutConfig = DEFAULT,
    *,
    hash_seed: int | None = None,
    reward: RewardFile | Path | None = None,
    compare: bool = False,
) -> Inspection:
    """Open a target.

    Args:
        target: What :func:`gonogo.env.target.resolve` gave.
        slots: How many episodes should fly at once. The connection's ``capacity`` says how many can:
            an environment that does not declare concurrent sessions gets one.
        rollout: How long a batch, and loading or connecting, may take, and what success is.
        hash_seed: ``PYTHONHASHSEED`` of the process that is started; a server's is its own affair.
        reward: What pays instead of the environment; None for its own reward.
        compare: Whether each step tells what the environment's own code compared with what, in its ``comparisons``;
            they are None where it runs elsewhere. It makes it slower: what is measured is flown without.

    Raises:
        Misuse: A reward was given for a server, whose process is out of reach; or what success is to be cannot be
            told from the environment's observations; or a variable is to be given that is not set.
        ConfigError: The given reward breaks a rule; a connection may also find that while it flies.
        TargetError: There is no environment at the target, or it cannot be imported.
        EnvironmentFailure: It is there, and failed.
    """
    pass_on(rollout.env)
    if isinstance(target, FolderTarget):
        if rollout.install:
            install(target.folder)
        say_that_it_runs(target.folder)
        say_once(target, target.warning)
        say_once(target, target.undriven)
    waits: Waits = {"timeout_s": rollout.timeout_s, "startup_s": rollout.startup_s}
    connection: Inspection
    given = RewardFile(reward) if isinstance(reward, Path) else reward
    from gonogo.env.worker.client import WorkerConnection

    if isinstance(target, UrlTarget):
        if given is not None:
            raise Misuse(
                f"a reward is applied where the environment runs, and {target} is a server's URL: "
                "give its folder or package.module:EnvironmentClass instead"
            )
        if has_socket(target, rollout.startup_s):
            from gonogo.env.websocket import WebSocketConnection

            connection = told(target, WebSocketConnection(target, slots, **waits))
        else:
            connection = told(target, WorkerConnection(target, slots, **waits, hash_seed=hash_seed))
    else:
        from gonogo.rollouts.space import accepted

        worker = WorkerConnection(
            target, slots, **waits, hash_seed=hash_seed, reward=given, compare=compare
        )
        say_once(target, worker.note)
        connection = told(target, worker)
        example = accepted(connection.schemas, worker.fits)
        connection.schemas = replace(connection.schemas, example=example)
    return judged(connection, rollout.success)


said: set[tuple[str, str]] = set()
"""What was said of which environment; one run is one process."""


def say_once(target: Target, warning: str | None) -> None:
    """Say what is odd about an environment, once in a run."""
    if warning is None or (str(target), warning) in said:
        return
    said.add((str(target), warning))
    say(f"{target.name}: {warning}")


def told(target: Target, connection: Inspection) -> Inspection:
    """The connection, with the tools that its actions call, and an action schema that can be told.

    Raises:
        EnvironmentFailure: Its action schema is none. The connection is closed.
    """
    if takes_tools(connection.schemas.action):
        # One that cannot be asked for its tools is flown without, and the map says why.
        with suppress(EnvironmentFailure):
            found = tuple(told_tool(tool) for tool in connection.describe().tools)
            connection.schemas = replace(connection.schemas, tools=found)
    try:
        connection.schemas.codec()
    except CodecError as error:
        connection.close()
        raise EnvironmentFailure(f"{target}: {error}") from None
    return connection


def told_tool(tool: WireObject) -> WireObject:
    """A tool as a model can be told of it: one whose arguments have no JSON schema takes any."""
    takes = tool.get("input_schema")
    try:
        Codec(takes if isinstance(takes, dict) else {}, {})
    except CodecError:
        takes = {}
    return {**tool, "input_schema": takes if isinstance(takes, dict) else {}}


class Env:
    """An environment under test.

    Args:
        address: A folder, ``package.module:EnvironmentClass``, or the URL of a running server.
        config: How it is flown: the limits, what success is, the variables that it is given.
        reward: Python file whose ``make_reward`` pays instead of the environment; None for its own reward.

    Attributes:
        address: As it was given.
        target: What it is.
        config: As it was given.
        reward: As it was given.
        policies: What makes each policy that was given as an object, by the name that flights have for it.

    Raises:
        TargetError: There is no environment at the address. Nothing is opened yet.
    """

    def __init__(
        self, address: str, config: RolloutConfig | None = None, reward: Path | None = None
    ) -> None:
        self.address, self.config, self.reward = address, config or RolloutConfig(), reward
        self.target: Target = resolve(address)
        self.policies: dict[str, partial[Any]] = {}
        self._flying = Lock()

    @classmethod
    def of(cls, run: RunConfig) -> Self:
        """The environment of a run, with the reward and the success that its config names."""
        return cls(run.target, run.rollout, run.reward)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __str__(self) -> str:
        return str(self.target)

    @property
    def name(self) -> str:
        """Its own name."""
        return self.target.name

    @property
    def folder(self) -> Path | None:
        """Its package's folder; None where it is no folder."""
        return self.target.folder if isinstance(self.target, FolderTarget) else None

    @property
    def references(self) -> References | None:
        """The reference policies that it ships, or None."""
        return self.target.references

    @cached_property
    def source(self) -> str | None:
        """Hash of its source as it was when it was first asked for; None for a server, whose source is elsewhere."""
        return source_of(self.target)

    @property
    def reward_hash(self) -> str | None:
        """SHA-256 of the file that pays; None for the environment's own reward."""
        return reward_hash(self.reward)

    def connect(
        self,
        num_envs: int | None = None,
        *,
        hash_seed: int | None = None,
        compare: bool = False,
    ) -> Inspection:
        """Open it once more, in a process or over a socket of its own.

        Args:
            num_envs: Episodes that should fly at once; None for the config's. The connection's ``capacity`` says how
                many can.
            hash_seed: ``PYTHONHASHSEED`` of the process; a server's is its own affair.
            compare: Whether each step tells what the environment's own code compared with what.

        Returns:
            The connection, to be closed by whoever asked for it.

        Raises:
            As :func:`~gonogo.env.environment.connect`.
        """
        reward = None if self.reward is None else RewardFile(self.reward)
        wanted = num_envs or self.config.slots
        return connect(
            self.target, wanted, self.config, hash_seed=hash_seed, reward=reward, compare=compare
        )

    @cached_property
    def connection(self) -> Inspection:
        """The connection that everything is flown over; opened when it is first asked for.

        Raises:
            As :func:`~gonogo.env.environment.connect`.
        """
        return self.connect()

    def open(self) -> Self:
        """Open it now, instead of when it is first asked for something.

        Raises:
            As :func:`~gonogo.env.environment.connect`.
        """
        _ = self.connection
        return self

    @property
    def schemas(self) -> Schemas:
        """Schemas of its action, observation and state, and its tools."""
        return self.connection.schemas

    @cached_property
    def codec(self) -> Codec:
        """What renders its observations as text and reads replies as its actions."""
        return self.schemas.codec()

    @property
    def instructions(self) -> str:
        """What a model is told of it before the first observation."""
        return self.codec.instructions()

    def tasks(
        self,
        split: str | None = None,
        episodes: int = 1,
        *,
        level: str | None = None,
        start: int = 0,
        options: TaskOptions | None = None,
    ) -> TaskPlan:
        """Tasks of it, counted up.

        Args:
            split: Their split; None where the environment has none.
            episodes: How many.
            level: Their level; None where the environment has none.
            start: The first; the option is ``index`` with a split, ``seed`` without.
            options: Further reset options of every task.

        Raises:
            ConfigError: A value breaks a rule; the message names it.
        """
        try:
            return TaskPlan(
                split=split, level=level, start=start, episodes=episodes, options=options or {}
            )
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(
                f"tasks: {first['loc'][0]}: {first['msg']}, not {first['input']!r:.80}"
            ) from None

    def flight(
        self,
        *,
        max_turns: int | None = None,
        decoding: str | None = None,
        seed: int | None = None,
        gives_up: bool = False,
    ) -> Flight:
        """How episodes are flown in it; see :class:`~gonogo.rollouts.engine.Flight`.

        Args:
            max_turns: Decisions after which an episode ends; None for the config's.
            decoding: How the policy's model decodes, for the record.
            seed: Of the policy's draws, for the record.
            gives_up: Whether an environment that dies again and again ends the flight.
        """
        turns = self.config.max_turns if max_turns is None else max_turns
        return Flight(self.address, turns, decoding=decoding, seed=seed, gives_up=gives_up)

    def rollout(
        self,
        policy: Policy,
        tasks: Sequence[TaskOptions] | Mapping[int, TaskOptions],
        flight: Flight | None = None,
        *,
        on_episode: Callable[[Episode], None] | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> list[Episode]:
        """Fly every task once over the environment's connection.

        Args:
            policy: Who flies.
            tasks: Reset options, one episode each; a mapping gives the episodes' indices.
            flight: How, see :meth:`flight`; None for its defaults.
            on_episode: Called with each episode as it ends.
            on_progress: Called after each round.

        Returns:
            The episodes in the order of the tasks, lost ones included.

        Raises:
            Misuse: Something flies in it already.
            As :func:`~gonogo.rollouts.engine.fly`.
        """
        if not self._flying.acquire(blocking=False):
            raise Misuse(
                f"{self} is flying already: another thread, or a policy that flies, opens one of its own"
            )
        try:
            return fly(
                self.connection,
                policy,
                tasks,
                flight or self.flight(),
                codec=self.codec,
                on_episode=on_episode,
                on_progress=on_progress,
            )
        finally:
            self._flying.release()

    def release(self) -> None:
        """Give a server's sessions back before others are asked for; the next flight takes new ones."""
        if isinstance(self.target, UrlTarget):
            self.close()

    def close(self) -> None:
        """End its process or socket, and forget what its source was. Safe to call twice."""
        opened = self.__dict__.pop("connection", None)
        for known in ("codec", "source"):
            self.__dict__.pop(known, None)
        if opened is not None:
            opened.close()
