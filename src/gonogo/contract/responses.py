"""Checks of what an environment answers: can it be flown, and are rewards, observations and states well-formed?

They read traces that were flown for other purposes; nothing is flown here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.protocols import Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from gonogo.contract.findings import LOSSES, Item, failed, not_applicable, passed
from gonogo.contract.outside import lacks, unreached
from gonogo.contract.provocations import errors_said
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Shot, Trace, recordable
from gonogo.records.contract import ItemEvidence
from gonogo.records.tables import in_a_line
from gonogo.rollouts.action_codec import describe
from gonogo.rollouts.types import Failure, Schemas
from gonogo.wire import Action, JsonSchema, Observation, State

CHANCE = 1e-3
RESERVED = re.compile(r"reserved name|is reserved and cannot be used")
"""How OpenEnv refuses a tool's name, while an environment is being made."""
CHECKED = 300


def check_episode(task: Task, traces: Sequence[Trace]) -> Item:
    """Whether the task's episodes can be flown: reset starts them, and steps are answered."""
    lost = next((trace for trace in traces if trace.failure is not None), None)
    if lost is not None and lost.failure is not None:
        return describe_loss(task, lost, lost.failure, begun=any(trace.shots for trace in traces))
    for trace in traces:
        if trace.shots and trace.shots[0].answer.done:
            said = "the episode is over at its reset: nothing can be done in it"
            return failed("episode", "done_at_reset", said, task, trace.witness(0))
        for step, shot in enumerate(trace.shots):
            if shot.refused and shot.raw and shot.raw.refused is None:
                said = f"step {step}: the answer cannot be JSON: {shot.answer.refusal}"
                return failed("episode", "answer_not_json", said, task, trace.witness(step))
    stuck = next(((t, at) for t in traces if (at := stuck_at(t)) is not None), None)
    if stuck is not None:
        return stuck_item(task, *stuck)
    steps = sum(len(trace.shots) - 1 for trace in traces)
    refusals = [s.answer.refusal for trace in traces for s in trace.shots if s.refused]
    refused = len(refusals)
    if steps and refused == steps:
        first = recordable(refusals[0])
        said = f"all {steps} random actions of the schema were refused: {first}"
        return not_applicable("episode", said, task, ItemEvidence(steps=steps, refused=refused))
    said = f"{len(traces)} flights, {steps} steps, {refused} of them refused"
    evidence = ItemEvidence(flights=len(traces), steps=steps, refused=refused)
    return passed("episode", said, task, evidence)


def describe_loss(task: Task, trace: Trace, failure: Failure, *, begun: bool) -> Item:
    """The item of an episode that was lost.

    Args:
        task: The task.
        trace: The flight.
        failure: What lost it.
        begun: Whether any flight of the task began.
    """
    at = "reset" if not trace.shots else f"step {len(trace.shots)}"
    said = f"{at}: {recordable(in_a_line(failure.message))}"
    lost, unbegun = trace.shown(), None if begun else True
    evidence = ItemEvidence(
        reset=lost.reset, actions=lost.actions, rewards=lost.rewards, unbegun=unbegun
    )
    why = lacks(failure.message) if failure.kind in {"raised", "unmade"} else None
    if failure.kind == "raised" and task.source in {"default", "given"}:
        # Nobody promised that these options make a task; the environment may ask for others.
        advised = "give --" in said or "pip install" in said
        hint = "" if advised else "; if it needs an option, give it: --reset NAME=VALUE"
        return not_applicable(
            "episode", f"{said}; {why}" if why else f"{said}{hint}", task, evidence
        )
    finding = LOSSES[failure.kind]
    if failure.kind == "unmade" and RESERVED.search(failure.message):
        finding = "reserved_tool_name"
    if why is not None:
        proof = trace.witness()
        return unreached("episode", finding, f"{said}; {why}", task, proof, evidence)
    return failed("episode", finding, said, task, trace.witness())


def stuck_item(task: Task, trace: Trace, step: int) -> Item:
    """The item of a flight that was refused everything from a step on."""
    error = trace.shots[-1].answer.refusal or ""
    tried = len(trace.shots) - step
    said = f"from step {step} on all {tried} actions that were sent are refused: {in_a_line(error)}"
    if (why := lacks(error)) is not None:
        said, proof = f"{said}; {why}", trace.witness()
        return unreached("episode", "step_raises", said, task, proof, ItemEvidence())
    return failed("episode", "step_raises", said, task, trace.witness())


def stuck_at(trace: Trace) -> int | None:
    """The step after which a flight that had flown was refused everything to its end, or None.

    One action repeated proves nothing: it may simply be illegal where the episode stands. Nor do a few
    refusals where many actions of the schema are illegal at any time: the refusals have to be more than what
    the share of refusals before them explains.
    """
    # An action that broke a rule which was not known when it was drawn (a pattern) is refused rightly.
    shots = [(n, s) for n, s in enumerate(trace.shots) if not s.raw or s.raw.refused != "invalid"]
    accepted = [n for n, shot in shots if n and not shot.refused]
    if not accepted or trace.done:
        return None
    judged = sum(0 < n <= accepted[-1] for n, _ in shots)
    tried = [repr(shot.action) for n, shot in shots if n > accepted[-1]]
    # The rule of succession: the share that is to be expected after so many, never quite 0 or 1.
    share = (judged - len(accepted) + 1) / (judged + 2)
    if len(set(tried)) < 2 or share ** len(tried) > CHANCE:
        return None
    return accepted[-1] + 1


def check_answers(
    task: Task,
    traces: Sequence[Trace],
    schemas: Schemas,
    reset_observation: JsonSchema | None,
    declared: tuple[float, float] | None,
    costs: Mapping[str, int],
) -> Iterator[Item]:
    """Every check of rewards, observations and states, over all flights of a task.

    Args:
        task: The task.
        traces: Its flights.
        schemas: What the environment publishes.
        reset_observation: Schema of a reset's observation where it is another.
        declared: The reward's range in the manifest, or None.
        costs: How many steps an action is said to cost, by its name, where that is not one; 0 where it takes some back.
    """
    yield from check_rewards(task, traces, declared)
    yield check_observations(task, traces, schemas, reset_observation)
    yield check_states(task, traces, schemas, costs)


def steps_of(traces: Sequence[Trace]) -> Iterator[tuple[Trace, int, Shot]]:
    """Every accepted step, with its flight and its place in it."""
    for trace in traces:
        for step, shot in enumerate(trace.shots):
            if step and not shot.refused:
                yield trace, step, shot


def check_rewards(
    task: Task, traces: Sequence[Trace], declared: tuple[float, float] | None
) -> Iterator[Item]:
    """Numeric, finite, in range."""
    steps = list(steps_of(traces))
    given = [step for step in steps if reward_type(step[2]) != "null"]
    if not given:
        yield from no_rewards(task, traces, bool(steps))
        return
    yield numeric_item(task, given, len(steps) - len(given))
    yield finite_item(task, given, len(steps) - len(given))
    yield range_item(task, given, declared)


def no_rewards(task: Task, traces: Sequence[Trace], stepped: bool) -> Iterator[Item]:
    """The items where no step gave a reward: a finding if an episode ended so."""
    said = "no step gave a reward"
    ended = next((trace for trace in traces if trace.done), None)
    if ended is not None and stepped:
        told = f"{said}, although an episode ended"
        yield failed("reward_numeric", "missing_reward", told, task, ended.witness())
    else:
        yield not_applicable("reward_numeric", said, task)
    yield not_applicable("reward_finite", said, task)
    yield not_applicable("reward_range", said, task)


def numeric_item(task: Task, given: Sequence[tuple[Trace, int, Shot]], without: int) -> Item:
    """Whether every reward is a number.

    Args:
        task: The task.
        given: Steps that gave a reward.
        without: How many gave none.
    """
    for trace, step, shot in given:
        kind = reward_type(shot)
        if kind in {"bool", "other"}:
            name = "bool_reward" if kind == "bool" else "reward_not_numeric"
            said = f"step {step}: the reward is {reward_shown(shot)}, not a number"
            return failed("reward_numeric", name, said, task, trace.witness(step))
    said = f"{len(given)} rewards, each a number"
    if without:
        said += f"; {without} of {len(given) + without} steps gave None, which is counted as 0"
    return passed("reward_numeric", said, task, ItemEvidence(rewards=len(given)))


def finite_item(task: Task, given: Sequence[tuple[Trace, int, Shot]], without: int) -> Item:
    """Whether every reward is finite.

    Args:
        task: The task.
        given: Steps that gave a reward.
        without: How many gave none, or NaN where the transport cannot tell the two apart.
    """
    for trace, step, shot in given:
        if shot.raw and shot.raw.reward and not shot.raw.reward.finite:
            said = f"step {step}: the reward is {reward_shown(shot)}"
            witness = trace.witness(step, reward=reward_shown(shot))
            return failed("reward_finite", "nan_reward", said, task, witness)
    if without and any(shot.raw is None for _, _, shot in given):
        said = f"{without} rewards are null, which is none, or NaN that the wire made null"
        return not_applicable("reward_finite", said, task)
    rewards = [shot.answer.reward for _, _, shot in given]
    values = [float(reward) for reward in rewards if isinstance(reward, int | float)]
    if not values:
        return not_applicable("reward_finite", "no reward is a number", task)
    said = f"{len(values)} rewards, from {min(values):g} to {max(values):g}"
    return passed("reward_finite", said, task, ItemEvidence(low=min(values), high=max(values)))


def range_item(
    task: Task, given: Sequence[tuple[Trace, int, Shot]], declared: tuple[float, float] | None
) -> Item:
    """Whether every reward lies in the declared range."""
    if declared is None:
        return not_applicable("reward_range", "no range is declared in validation.reward", task)
    low, high = declared
    for trace, step, shot in given:
        reward = shot.answer.reward
        if isinstance(reward, int | float) and not low <= reward <= high:
            said = f"step {step}: the reward {reward:g} is outside [{low:g}, {high:g}]"
            return failed("reward_range", "reward_out_of_range", said, task, trace.witness(step))
    said = f"{len(given)} rewards within [{low:g}, {high:g}]"
    return passed("reward_range", said, task, ItemEvidence(declared=declared))


def reward_type(shot: Shot) -> str:
    """``null``, ``bool``, ``number`` or ``other``; by the raw facts where there are any."""
    reward: Any = shot.answer.reward
    if shot.raw and (raw := shot.raw.reward):
        if raw.type in {"null", "bool"}:
            return raw.type
        return "number" if raw.numeric else "other"
    if reward is None or isinstance(reward, bool):
        return "null" if reward is None else "bool"
    return "number" if isinstance(reward, int | float) and math.isfinite(reward) else "other"


def reward_shown(shot: Shot) -> str:
    """A reward as it was before it was JSON."""
    if shot.raw and (raw := shot.raw.reward):
        return f"{raw.type} {raw.shown}"
    return repr(shot.answer.reward)


def check_observations(
    task: Task, traces: Sequence[Trace], schemas: Schemas, reset_observation: JsonSchema | None
) -> Item:
    """Whether observations fit their schema, on the wire and before it."""
    published = schemas.observation, reset_observation
    validators = [validator_for(schema) for schema in published]
    checked = 0
    for trace in traces:
        for step, shot in enumerate(trace.shots):
            if shot.refused or checked >= CHECKED:
                continue
            if shot.raw and shot.raw.nonfinite:
                said = f"step {step}: {', '.join(shot.raw.nonfinite)} is NaN or infinite"
                witness = trace.witness(step)
                return failed("observation_schema", "nan_observation", said, task, witness)
            which = 0 if step or validators[1] is None else 1
            wrong = misfit(validators[which], whole(shot, published[which], schemas))
            if wrong is not None:
                said = f"step {step}: {wrong}"
                witness = trace.witness(step, observation=shot.answer.observation)
                return failed("observation_schema", "observation_schema", said, task, witness)
            checked += 1
    if not checked:
        return not_applicable("observation_schema", "nothing was observed", task)
    evidence = ItemEvidence(observations=checked)
    return passed("observation_schema", f"{checked} observations fit", task, evidence)


def whole(shot: Shot, published: JsonSchema | None, schemas: Schemas) -> Observation:
    """An observation with the fields that OpenEnv's wire sends beside it.

    Of an app of its own they stand in the observation only where its schema names them.

    Args:
        shot: The answer.
        published: Schema of the observation.
        schemas: What the environment publishes.
    """
    answer = shot.answer
    beside = {"reward": answer.reward, "done": answer.done, "metadata": answer.metadata}
    if not schemas.names_episodes:
        named = (published or {}).get("properties") or {}
        beside = {name: value for name, value in beside.items() if name in named}
    return {**answer.observation, **beside}


def validator_for(schema: JsonSchema | None) -> Validator | None:
    """A validator that fetches nothing from anywhere; None for no schema, or one that is none."""
    if schema is None:
        return None
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return None
    return Draft202012Validator(schema, registry=Registry())


def misfit(validator: Validator | None, instance: Observation | State) -> str | None:
    """What does not fit, or None."""
    if validator is None:
        return "the published schema is no JSON schema"
    try:
        error = next(iter(validator.iter_errors(instance)), None)
    except Unresolvable as missing:
        return f"the published schema refers to what is not in it: {missing}"
    return None if error is None else describe(error)


def check_states(
    task: Task, traces: Sequence[Trace], schemas: Schemas, costs: Mapping[str, int]
) -> Item:
    """Whether the state names the episode, counts its steps and fits its schema.

    Args:
        task: The task.
        traces: Its flights.
        schemas: What the environment publishes.
        costs: How many steps an action is said to cost, by its name; 0 of one that is said to take some back.
    """
    if not schemas.names_episodes:
        said = "the environment is not OpenEnv's: its state need not name the episode"
        return not_applicable("state_contract", said, task)
    validator = validator_for(schemas.state)
    checked = 0
    for trace in traces:
        accepted = most = 0
        back = False
        for step, shot in enumerate(trace.shots):
            if shot.action is not None:
                told = [costs.get(name, 1) for name in names_in(shot.action)]
                most += max(told, default=1) or 1
                back = back or 0 in told
            refused = shot.refused or (step > 0 and refused_in_words(shot, trace.shots[0]))
            accepted += step > 0 and not refused
            least = 0 if back else accepted
            wrong = wrong_state(shot.state, trace.options.get("episode_id"), least, most)
            wrong = wrong or (misfit(validator, shot.state or {}) if checked < CHECKED else None)
            if wrong is not None:
                said = f"step {step}: {wrong}"
                witness = trace.witness(step, state=shot.state)
                return failed("state_contract", "state_contract", said, task, witness)
            checked += 1
    if not checked:
        return not_applicable("state_contract", "no state was seen", task)
    said = f"{checked} states name the episode that was asked for and count its steps"
    return passed("state_contract", said, task, ItemEvidence(states=checked))


def names_in(action: Action) -> Iterator[str]:
    """What an action may be called by: the texts that it holds."""
    return (value for value in action.values() if isinstance(value, str))


def refused_in_words(shot: Shot, opening: Shot) -> bool:
    """Whether an answer says in a text that an action was refused, which the reset's answer does not say."""
    said = shot.answer.observation.items()
    before = opening.answer.observation
    return any(errors_said({n: v for n, v in said if isinstance(v, str) and before.get(n) != v}))


def wrong_state(
    state: State | None, episode_id: str | None, accepted: int, most: int
) -> str | None:
    """What is wrong with a state, or None.

    Args:
        state: The state; None where it could not be read.
        episode_id: What the reset asked for.
        accepted: Steps that were accepted, none where some may have been taken back; the environment may count refused
            ones too, also those that its answer refuses in words.
        most: Steps that were sent, each as often as it is said to count.
    """
    if state is None:
        return "the state cannot be read"
    if episode_id is not None and state.get("episode_id") != episode_id:
        given = recordable(state.get("episode_id"))
        return f"episode_id is {given!r}, and the reset asked for {episode_id!r}"
    count = state.get("step_count")
    if type(count) is not int or not accepted <= count <= most:
        return f"step_count is {recordable(count)!r} after {accepted} steps"
    return None
