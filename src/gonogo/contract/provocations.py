"""Checks by provocation: after the end, with malformed actions, in a session that was never reset.

Each flies what a careless agent or a broken network would do, and holds the answers against what a trainer
relies on: nothing is paid after the end, a bad action costs no session, a lost session shows; and the action that the
instructions give as an example is accepted.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import repeat

import numpy as np

from gonogo.contract.findings import Item, failed, not_applicable, passed
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import HistoryPlan, Shot, Trace, fly, recordable, take
from gonogo.errors import CodecError
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import ContractWitness
from gonogo.records.inspection import Description
from gonogo.records.tables import cut
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.wire import Action, TaskOptions, Tool

RESERVED_TOOL_NAMES = frozenset({"reset", "step", "state", "close"})
"""OpenEnv's; a test holds them against the package."""
NO_SUCH_SPLIT = "no-such-split"
ADVICE = "an action's schema may give one among its `examples`"
LINE_CHARS = 600
"""Of an action, in a sentence."""
UNKNOWN_SPLIT = ContractWitness(split=NO_SUCH_SPLIT)
NEGATIVE_INDEX = ContractWitness(index=-1)
PAST_THE_END = 5
TOLD = 6
CONSTANTS = 6
SEEDS = 12
"""Further seeds with which ends are looked for."""
FATAL_ERRORS = frozenset({"value_error", "assertion_error"})
"""Validation errors that OpenEnv's server cannot put into JSON: it drops the socket instead."""


def find_ends(
    connection: Inspection, plan: HistoryPlan, space: Space, steps: int, budget_s: float
) -> list[Trace]:
    """Fly until episodes end: at random, then with each constant action; where some do, also with other seeds.

    How long an episode takes may depend on its seed, and the limit of turns has to lie above the longest.

    Args:
        connection: Where to.
        plan: The task.
        space: Its actions.
        steps: Steps that a flight may take.
        budget_s: Seconds for all of it.
    """
    deadline = time.monotonic() + budget_s
    rng = np.random.default_rng([plan.seeds[0], 1])
    scripts: list[Iterable[Action]] = [(space.sample(rng) for _ in range(steps)) for _ in range(2)]
    scripts += [repeat(action, steps) for action in space.constants(CONSTANTS)]
    traces: list[Trace] = []

    def go_on(options: TaskOptions, script: Iterable[Action]) -> bool:
        timed = (action for action in script if time.monotonic() < deadline)
        traces.append(fly(connection, 0, options, timed))
        return traces[-1].failure is None and time.monotonic() < deadline

    lives = all(go_on(plan.options(), script) for script in scripts)
    if lives and plan.seeded and any(trace.done for trace in traces):
        first = plan.seeds[0] + len(plan.seeds)
        others = [{**plan.options(), "seed": first + number} for number in range(SEEDS)]
        all(go_on(options, repeat(space.idle(), steps)) for options in others)
    return traces


def check_after_done(
    connection: Inspection, plan: HistoryPlan, traces: Sequence[Trace], space: Space
) -> Iterator[Item]:
    """Fly to an end again and go on: once to the end that paid best, once to the one that paid worst."""
    ended = sorted((trace for trace in traces if trace.done and trace.actions), key=last_reward)
    if not ended:
        longest = max((len(trace.shots) - 1 for trace in traces), default=0)
        said = f"no episode ended within {longest} steps"
        yield not_applicable("after_done", said, plan.task, ItemEvidence(steps=longest))
        return
    rng = np.random.default_rng(plan.seeds[0])
    past = [space.idle(), *(space.sample(rng) for _ in range(PAST_THE_END - 1))]
    for trace in ended[:: max(1, len(ended) - 1)]:
        again = fly(connection, 0, trace.options, trace.actions)
        # Some environments tell the solution when it is over, and take it.
        told = repeated(again, space) if again.done else ()
        for action in (*past, *told):
            if again.failure is not None or not take(connection, 0, again, action):
                break
        yield after_done_item(plan.task, again)


def repeated(trace: Trace, space: Space) -> Iterator[Action]:
    """Actions that say in a free text what the last observation says in a field."""
    shown = trace.shots[-1].answer.observation
    said = {str(value) for value in shown.values() if isinstance(value, str | int | float)}
    for name in space.texts():
        for text in sorted(said - {""}, key=len)[:TOLD]:
            yield {**space.idle(), name: text}


def last_reward(trace: Trace) -> float:
    """The last reward of a flight; 0 where there is none."""
    reward = trace.shots[-1].answer.reward
    return float(reward) if isinstance(reward, int | float) else 0.0


def after_done_item(task: Task, trace: Trace) -> Item:
    """What a flight past the end showed."""
    end = next((n for n, shot in enumerate(trace.shots) if shot.answer.done), None)
    if end is None:
        return not_applicable("after_done", "flown again, the episode did not end", task)
    after = trace.shots[end + 1 :]
    if trace.failure is not None:
        said = f"a step after the end lost the session: {recordable(trace.failure.message)}"
        name = "silent_reset" if trace.failure.kind == "identity" else "dies"
        return failed("after_done", name, said, task, trace.witness())
    for number, shot in enumerate(after, start=end + 1):
        reward = shot.answer.reward
        if isinstance(reward, int | float) and reward > 0 and not shot.refused:
            said = f"step {number}, {number - end} after the end, is paid {reward:g}"
            return failed("after_done", "paid_after_done", said, task, trace.witness(number))
        if not shot.refused and not shot.answer.done:
            said = f"step {number}, {number - end} after the end, is answered with done false"
            return failed("after_done", "revived_after_done", said, task, trace.witness(number))
    refused = sum(shot.refused for shot in after)
    said = f"{len(after)} steps after the end: {refused} refused, none paid"
    return passed("after_done", said, task, ItemEvidence(steps=len(after), refused=refused))


def check_malformed(
    connection: Inspection, plan: HistoryPlan, space: Space, budget_s: float
) -> tuple[Item, list[Trace]]:
    """Send malformed and extreme actions in the middle of episodes.

    Args:
        connection: Where to.
        plan: The task.
        space: Its actions.
        budget_s: Seconds after which no further action is tried.

    Returns:
        The item, and the flights with extreme actions, whose answers are judged like any other's.
    """
    deadline = time.monotonic() + budget_s
    # Where two good actions are refused in a row anyway, a refusal after a bad one proves nothing.
    good = plan.scripts[0][:2]
    control = fly(connection, 0, plan.options(), good)
    steady = all(not shot.refused for shot in control.shots)
    stretched: list[Trace] = []
    refused, tried = 0, 0
    bad = [(rule, action, False) for rule, action in space.malformed()]
    bad += [(f"{leaf.name}: {rule}", action, True) for leaf, rule, action in space.extremes()]
    for rule, action, fits in bad:
        if time.monotonic() > deadline:
            break
        script = [good[0], action, good[1]]
        trace = fly(connection, 0, plan.options(), script, past=True)
        stretched += [up_to_the_end(trace)] if fits else []
        wrong = misbehaviour(plan.task, trace, rule, steady)
        if wrong is not None:
            return wrong, stretched
        shot = provoked(trace)
        tried += shot is not None
        refused += shot is not None and shot.refused
    if not tried:
        said = "no malformed action could be tried in the middle of an episode"
        return not_applicable("malformed_actions", said, plan.task), stretched
    said = f"{tried} of {len(bad)} malformed or extreme actions tried, {refused} refused; every episode lived on"
    evidence = ItemEvidence(tried=tried, refused=refused)
    return passed("malformed_actions", said, plan.task, evidence), stretched


def up_to_the_end(trace: Trace) -> Trace:
    """A flight without what was sent after its episode's end, which no step has to answer like one."""
    ended = next((n for n, shot in enumerate(trace.shots) if shot.answer.done), len(trace.shots))
    return replace(trace, shots=trace.shots[: ended + 1])


def provoked(trace: Trace) -> Shot | None:
    """The answer to the action in the middle; None where the episode had ended before."""
    if len(trace.shots) < 3 or trace.shots[1].answer.done:
        return None
    return trace.shots[2]


def misbehaviour(task: Task, trace: Trace, rule: str, steady: bool) -> Item | None:
    """What is wrong with the answer to a malformed action, or None.

    Args:
        task: The task.
        trace: The flight with the action in its middle.
        rule: What the action breaks.
        steady: Whether good actions are accepted where no bad one is among them.
    """
    if trace.failure is not None:
        return lost_session(task, trace, trace.failure, rule)
    shot = provoked(trace)
    if shot is None:
        return None
    errors = set(shot.raw.errors) if shot.raw else set()
    refused = shot.refused
    after = trace.shots[-1].answer
    name = "malformed_action_fatal"
    if refused and errors & FATAL_ERRORS:
        said = "a validator raises ValueError, and OpenEnv's server then drops the session"
    elif refused and steady and len(trace.shots) > 3 and after.refusal is not None:
        said = f"refused, and so is every good action after it: {recordable(after.refusal)}"
    elif rule.endswith(": type") and not refused and not shot.answer.metadata.get("invalid"):
        name = "malformed_action_accepted"
        said = "a value of another type than the schema's is accepted"
    else:
        return None
    return failed("malformed_actions", name, f"{rule}: {said}", task, trace.witness())


def lost_session(task: Task, trace: Trace, failure: Failure, rule: str) -> Item:
    """The item of a session that was lost around a malformed action."""
    said = recordable(failure.message)
    if trace.lost_on is None or len(trace.shots) < 2:
        return not_applicable("malformed_actions", f"no episode to try it in: {said}", task)
    name = "hangs" if failure.kind == "timeout" else "malformed_action_fatal"
    return failed(
        "malformed_actions", name, f"{rule}: the session is lost: {said}", task, trace.witness()
    )


def check_reconnect(connection: Inspection, plan: HistoryPlan) -> Item:
    """A step in a session that was never reset, as after a reconnect: does anything tell?"""
    task, check = plan.task, "silent_reconnect"
    options = {key: value for key, value in plan.options().items() if key != "episode_id"}
    connection.renew([0])
    whole = fly(connection, 0, options, plan.scripts[0])
    # A refusal tells something only if the same action is accepted in an episode.
    good = [s.action for s in whole.shots if s.action is not None and not s.refused]
    if whole.failure is not None or len(good) < 2:
        return not_applicable(check, "no episode of two accepted steps to be lost in", task)
    if connection.renew([0])[0] is not None:
        return not_applicable(check, "no session after the lost one", task)
    after = Trace({})
    if not take(connection, 0, after, good[0]):
        return passed(check, "a step on a fresh session fails", task)
    fresh = after.shots[0]
    if fresh.refused:
        said = f"a step on a fresh session is refused: {recordable(fresh.answer.refusal)}"
        return passed(check, said, task)
    new, expected = fresh.state or {}, whole.shots[-1].state or {}
    for name in ("episode_id", "step_count"):
        if new.get(name) != expected.get(name):
            said = f"answered, but {name} is not what the lost episode would show"
            return passed(check, said, task)
    said = (
        "a step on a fresh, un-reset session is answered, with the episode_id and the step_count of "
        f"the lost episode: {new.get('episode_id')!r}, {new.get('step_count')!r}"
    )
    witness = whole.shown(then="the same action in a fresh session, not reset", state=new)
    return failed(check, "silent_reconnect", said, task, witness)


def check_task_api(connection: Inspection, description: Description) -> Iterator[Item]:
    """Unknown splits and negative indices, of the task API and of a reset."""
    check, api = "task_api", description.task_api
    unknown = api.answers.unknown_split if api else None
    negative = api.answers.negative_index if api else None
    for asked, answered, witness in (
        ("num_tasks of an unknown split", unknown, UNKNOWN_SPLIT),
        ("get_task of index -1", negative, NEGATIVE_INDEX),
    ):
        if answered is not None and answered.status >= 500:
            said = f"{asked} is HTTP {answered.status}: {answered.said}"
            yield failed(check, "unknown_split_crashes", said, witness=witness)
    if negative is not None and negative.status == 200:
        said = f"get_task of index -1 answers {recordable(negative.said)}"
        yield failed(check, "negative_index_accepted", said, witness=NEGATIVE_INDEX)
    if not takes_split(description):
        if api is None:
            yield not_applicable(check, "there is no task API and no split")
        return
    if (lost := connection.renew([0])[0]) is not None:
        yield not_applicable(check, f"no session to try it in: {recordable(lost.message)}")
        return
    options = {"split": NO_SUCH_SPLIT, "index": 0}
    answer = connection.reset({0: options})[0]
    if isinstance(answer, Transition):
        said = f"a reset to split {NO_SUCH_SPLIT!r} starts an episode"
        yield failed(check, "unknown_split_accepted", said, witness=ContractWitness(reset=options))
    elif isinstance(answer, Failure) and answer.kind == "raised":
        yield passed(check, f"an unknown split is refused: {recordable(answer.message)}")
    else:
        said = f"an unknown split loses the session: {recordable(answer.message)}"
        yield failed(check, "dies", said, witness=ContractWitness(reset=options))


def takes_split(description: Description) -> bool:
    """Whether a split can be selected: a reset parameter, or a task API whose reset we cannot see."""
    if description.reset is None:
        return description.task_api is not None
    named = any(p.name == "split" for p in description.reset.parameters)
    return named or (description.reset.open and description.task_api is not None)


def check_tools(tools: Sequence[Tool]) -> Item:
    """Whether a tool has a name that OpenEnv keeps for itself."""
    names = [str(tool["name"]) for tool in tools]
    reserved = sorted(RESERVED_TOOL_NAMES.intersection(names))
    if not names:
        return not_applicable("tool_names", "the environment has no tools")
    if reserved:
        said = f"tools are named {', '.join(reserved)}"
        return failed(
            "tool_names", "reserved_tool_name", said, witness=ContractWitness(tools=tuple(names))
        )
    said = f"{len(names)} tools: {', '.join(names[:8])}"
    return passed("tool_names", said, None, ItemEvidence(tools=tuple(names)))


def check_example(connection: Inspection, plan: HistoryPlan, space: Space, codec: Codec) -> Item:
    """Send the example that the instructions give, once, and what idle does, in an episode of its own each.

    Args:
        connection: Where to.
        plan: The task.
        space: Its actions.
        codec: What tells a model of them.
    """
    example, idle = codec.example(), space.idle()
    if codec.reply_field is not None:
        said = "replies are texts that the environment judges itself, and no example is given"
        return not_applicable("example", said, plan.task)
    try:
        codec.parse(json.dumps(example))
    except CodecError as error:
        said = f"no action could be made that fits the schema: {error}; {ADVICE}"
        return not_applicable("example", said, plan.task)
    flown = [fly(connection, 0, plan.options(), [action]) for action in (example, idle)]
    refused = [refusal(trace) for trace in flown]
    if refused[0] is None:
        said = f"{cut(json.dumps(example), LINE_CHARS)} is accepted"
        if refused[1] is not None:
            said += f"; idle's {cut(json.dumps(idle), LINE_CHARS)} is refused: {refused[1]}"
        return passed("example", said, plan.task)
    said = f"{cut(json.dumps(example), LINE_CHARS)} is refused: {recordable(refused[0])}; {ADVICE}"
    raw = flown[0].shots[-1].raw if flown[0].shots else None
    if raw and raw.refused == "invalid":
        return failed("example", "example_refused", said, plan.task, flown[0].witness())
    return not_applicable("example", said, plan.task)


def refusal(trace: Trace) -> str | None:
    """Why the last action of a flight was not accepted; None where it was."""
    if trace.failure is not None:
        return trace.failure.message
    return trace.shots[-1].answer.refusal
