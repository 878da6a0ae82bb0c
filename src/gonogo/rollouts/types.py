"""The words shared by everything that flies episodes: connections, policies, and what passes between.

A :class:`Connection` holds many instances of one environment, each in a *slot*, and answers batches. A
:class:`Policy` answers batches of :class:`View`. Neither knows the other: the engine in
:mod:`gonogo.rollouts.engine` moves views one way and actions the other. Nothing here decides, scores or retries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, runtime_checkable

from gonogo.rollouts.action_codec import Codec
from gonogo.wire import Action, JsonSchema, Metadata, Observation, State, TaskOptions, Tool

if TYPE_CHECKING:
    from gonogo.records.inspection import Description, RawAnswer


Operator = Literal["==", "!=", "<", "<=", ">", ">=", "in", "not in", "startswith", "endswith"]
"""How two things were compared.

A dictionary asked for a key that it has not is an ``in`` that did not hold. A text or a list in which something is
looked for is an ``in``, and two sets, or two numbers whose difference is measured, are an ``==``: see
:mod:`gonogo.env.worker.comparisons`.
"""
Compared: TypeAlias = str | int | float | list[str | int | float]
"""What was compared: a text, a number, or the first items of a list, set, range or dictionary (its keys)."""


class Comparison(NamedTuple):
    """What an environment's own code compared with what.

    Attributes:
        op: The operator.
        left: What stands to its left; of ``startswith`` and ``endswith`` the text.
        right: What stands to its right.
        held: Whether it held; None where it gave no truth value, or where that is not known.
        site: Where it stands, as ``file:line:column``: lines from 1, columns from 0 and in bytes, as Python's ``ast``
            counts; the file from the environment's folder.
        times: How often the very same was compared there, as far as that was followed.
        at: When it was: the numbers of the first times, counted from 0 over all that was taken down in the step.
    """

    op: Operator
    left: Compared
    right: Compared
    held: bool | None
    site: str
    times: int = 1
    at: tuple[int, ...] = ()

    @property
    def agreed(self) -> bool:
        """Whether the two sides were the same, or one was in the other."""
        if self.op in {"!=", "not in"}:
            return self.held is False
        return self.held is True and self.op in {"==", "in", "startswith", "endswith"}


@dataclass(frozen=True, slots=True)
class Transition:
    """What an environment answered to a reset or a step.

    Attributes:
        observation: The observation's own fields, without reward, done and metadata.
        reward: The reward of this step, or None where the environment gave none.
        done: Whether the episode has ended.
        metadata: What the environment says beside the observation; never shown to a model.
        refusal: Why the environment refused the action (it failed validation or raised), or None. A refused
            action leaves the episode where it was: ``observation`` is then the previous one.
        reached: Lines of the environment's own code, as ``file:line``, that its process reached for the first time;
            empty where they are not measured.
        erred: Type and place, as ``KeyError game.py:12``, of the error that refused the action, where the environment's
            code does not raise it itself; empty where it does, or where that cannot be told, as of a server.
        comparisons: What the environment's own code compared with what in this step, in the order in which it came
            first; None where it is not taken down: at a reset, over a connection that was not opened with
            ``compare=True``, and wherever the environment does not run in a worker of ours.
    """

    observation: Observation
    reward: float | None
    done: bool
    metadata: Metadata = field(default_factory=dict)
    refusal: str | None = None
    reached: tuple[str, ...] = ()
    erred: str = ""
    comparisons: tuple[Comparison, ...] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """An infrastructure failure of one slot: crash, timeout, silent reconnect. Never scored as a return.

    Attributes:
        message: What happened.
        kind: ``raised`` an error in reset or state, ``unmade`` where no instance could be made,
            ``timeout``, ``died`` with the process or the socket, ``identity`` where the answer is of another
            episode, ``full`` where a server has no session left, ``malformed`` where the answer cannot be read or has
            not OpenEnv's form. Failures that say the same are equal.
    """

    message: str
    kind: Literal["raised", "unmade", "timeout", "died", "identity", "full", "malformed"] = field(
        default="died", compare=False
    )


@dataclass(frozen=True, slots=True)
class Schemas:
    """JSON schemas of an environment's action, observation and state, and the tools that its actions call.

    Attributes:
        action: Of an action.
        observation: Of an observation.
        state: Of the state.
        tools: Of an MCP environment; empty for others.
        example: The action that a model is given as an example; None for the simplest of the schema.
        names_episodes: Whether the state names its episode and counts its steps, as OpenEnv's has to.
    """

    action: JsonSchema
    observation: JsonSchema
    state: JsonSchema
    tools: tuple[Tool, ...] = ()
    example: Action | None = None
    names_episodes: bool = True

    def codec(self) -> Codec:
        """What renders the environment's observations and reads replies to them.

        Raises:
            CodecError: The action schema is none.
        """
        return Codec(self.action, self.observation, self.tools, self.example)


class Connection(Protocol):
    """Many instances of one environment, addressed by slot.

    Every method takes and answers batches, so that one round trip serves all the slots.
    """

    schemas: Schemas
    capacity: int

    def reset(self, options: Mapping[int, TaskOptions]) -> dict[int, Transition | Failure]:
        """Reset the named slots, each with its own reset options (``seed``, ``split``, ...)."""
        ...

    def step(self, actions: Mapping[int, Action]) -> dict[int, Transition | Failure]:
        """Step the named slots with one action each (the action's JSON fields)."""
        ...

    def state(self, slots: Iterable[int]) -> dict[int, State | Failure]:
        """The state object of each named slot; holds ``episode_id`` and ``step_count``."""
        ...

    def close(self) -> None:
        """End the worker or the sockets. Safe to call twice."""
        ...


class Inspection(Connection, Protocol):
    """A connection whose environment can also be looked at from outside an episode."""

    @property
    def pid(self) -> int | None:
        """The process that the environment runs in now; None where there is none, or none of ours."""
        ...

    def describe(self) -> Description:
        """What the environment says of itself; flies nothing."""
        ...

    def renew(self, slots: Iterable[int]) -> dict[int, Failure | None]:
        """End the sessions in these slots and open new ones, not yet reset."""
        ...

    def cover(self) -> tuple[str, ...] | None:
        """Measure the lines that are reached from now on; those that there are, None where they cannot be measured."""
        ...

    def raw(self, slots: Iterable[int]) -> dict[int, RawAnswer | None]:
        """What the wire does not show of each slot's last answer; None where this transport cannot tell."""
        ...


@dataclass(frozen=True, slots=True)
class View:
    """What a policy gets before it acts.

    Attributes:
        text: The codec's rendering of the observation, with the error of the last reply where there was one. All
            that a model sees.
        observation: The same fields as they are, for policies that read telemetry instead of text: those that the codec
            hides from a model are hidden here too.
        options: The reset options of the episode. A model never sees them; an oracle may rebuild the task.
        turn: 0 at reset, then counts the policy's decisions.
        problem: Why the last reply was not accepted, or None; ``text`` says it too.
    """

    text: str
    observation: Observation
    options: TaskOptions
    turn: int
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Token record of one reply of a model, kept from sampling to loss; never decoded and encoded again.

    Attributes:
        prompt_ids: The tokens that were new to the model before this reply: the observation with the turn's markers.
        completion_ids: The sampled tokens, with the end-of-turn token where the model produced it.
        logprobs: Log-probability of each sampled token under the sampling distribution; as long as completion_ids, or
            empty in an episode that was kept to be judged.
    """

    prompt_ids: tuple[int, ...]
    completion_ids: tuple[int, ...]
    logprobs: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """A policy's answer: an action's fields, or a model's raw text that the codec has still to parse.

    Attributes:
        action: The action's fields; sent as they are.
        text: A model's raw text, read only where there is no action.
        tokens: The token record of the text.
        counted: How many tokens were read and said, where somebody else's server counted them.
        leaves: The policy leaves the episode here instead of acting. What was flown is kept, unscored.
        why: Why it leaves, for the episode's error.
        overflows: The episode no longer fits the model's context: it ends here, and is marked and scored as such.
        noisy: The action is not the policy's own: some of its fields were drawn at random.
    """

    action: Action | None = None
    text: str | None = None
    tokens: Tokens | None = None
    counted: tuple[int, int] | None = None
    leaves: bool = False
    why: str | None = None
    overflows: bool = False
    noisy: bool = False


@runtime_checkable
class Bounded(Protocol):
    """What holds only so many episodes at once, because its memory ends.

    Attributes:
        most: Most episodes, or None where nothing bounds them.
    """

    most: int | None


@runtime_checkable
class Policy(Protocol):
    """Chooses actions for many episodes at once, keyed by slot."""

    name: str

    def begin(self, slots: Iterable[int]) -> None:
        """Forget whatever was known of these slots: new episodes start there."""
        ...

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """One reply for each view. Slots that do not appear are waiting or have ended."""
        ...

    def end(self, slots: Iterable[int]) -> None:
        """The episodes in these slots have ended; free what they held."""
        ...

    def close(self) -> None:
        """Free processes and memory. Safe to call twice."""
        ...


def numbered(options: TaskOptions, number: int) -> TaskOptions:
    """Reset options of one task: ``index`` counts within a split, ``seed`` where there is none."""
    return {**options, "index" if "split" in options else "seed": number}
