"""Checks by provocation: after the end, with malformed actions, in a session that was never reset.

Each flies what a careless agent or a broken network would do, and holds the answers against what a trainer
relies on: nothing is paid after the end, a bad action costs no session, a lost session shows; and the action that the
instructions give as an example is accepted.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice, pairwise, repeat

import numpy as np

from gonogo.contract.findings import LOSSES, Item, failed, not_applicable, passed
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import HistoryPlan, Shot, Trace, fly, recordable, take
from gonogo.errors import CodecError
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import ContractWitness
from gonogo.records.inspection import Description
from gonogo.records.tables import cut
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import added_by_step
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.wire import Action, JsonValue, TaskOptions, Tool

RESERVED_TOOL_NAMES = frozenset({"reset", "step", "state", "close"})
"""OpenEnv's; a test holds them against the package."""
NO_SUCH_SPLIT = "no-such-split"
ADVICE = "an action's schema may give one among its `examples`"
LINE_CHARS = 600
"""Of an action, in a sentence."""
MOST_WRITTEN = 12
"""Objects of README and source that are sent where the schema's simple actions are refused."""
UNKNOWN_SPLIT = ContractWitness(split=NO_SUCH_SPLIT)
NEGATIVE_INDEX = ContractWitness(index=-1)
NAMES_OF_EPISODE = ("episode_id", "step_count")
PATIENCE = 64
"""Refusals, and nothing else, after which no end is looked for any further: an error is mostly no step."""
PAST_THE_END = 5
TOLD = 6
MOST_TURNS = 12
"""Resets of a session at which an end is looked for again."""
CONSTANTS = 6
SEEDS = 12
"""Further seeds with which ends are looked for."""
ERROR_NAME = re.compile(r"(.*_)?(errors?|error_(message|msg|text|code|reason)|exception)")
VALID_NAME = re.compile(r"(.*_)?(valid|is_valid|accepted|ok)")
"""Success is not among them: most observations say that there is none until the goal is reached."""
GOOD, FEWEST_GOOD = 3, 2
"""Good actions around a bad one, the first before it; and how few are enough where an episode ends with more."""
FATAL = frozenset({"malformed_action_fatal", "hangs"})
"""Findings that a bad action ends an episode."""
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
        traces.append(fly(connection, 0, options, timed, patience=PATIENCE))
        return traces[-1].failure is None and time.monotonic() < deadline

    lives = all(go_on(plan.options(), script) for script in scripts)
    if lives and plan.seeded and any(trace.done for trace in traces):
        first = plan.seeds[0] + len(plan.seeds)
        others = [{**plan.options(), "seed": first + number} for number in range(SEEDS)]
        all(go_on(options, repeat(space.idle(), steps)) for options in others)
    return traces


def check_after_done(
    connection: Inspection,
    plan: HistoryPlan,
    traces: Sequence[Trace],
    space: Space,
    *,
    totals: bool,
) -> Iterator[Item]:
    """Fly to an end again and go on: once to the end that paid best, once to the one that paid worst.

    Args:
        connection: Where to.
        plan: The task.
        traces: What was flown.
        space: Its actions.
        totals: Whether rewards are documented as running totals.
    """
    ended = sorted((trace for trace in traces if trace.done and trace.actions), key=last_reward)
    if not ended:
        longest = max((len(trace.shots) - 1 for trace in traces), default=0)
        said = f"no episode ended within {longest} steps"
        yield not_applicable("after_done", said, plan.task, ItemEvidence(steps=longest))
        return
    rng = np.random.default_rng(plan.seeds[0])
    past = [space.idle(), *(space.sample(rng) for _ in range(PAST_THE_END - 1))]
    for trace in ended[:: max(1, len(ended) - 1)]:
        again = flown_to_its_end(connection, trace)
        # Some environments tell the solution when it is over, and take it.
        told = repeated(again, space) if again.done else ()
        for action in (*past, *told):
            if again.failure is not None or not take(connection, 0, again, action):
                break
        yield after_done_item(plan.task, again, totals=totals)


def flown_to_its_end(connection: Inspection, trace: Trace) -> Trace:
    """A flight again, at the first reset of a session; where resets go on to other tasks, at the first that ends it."""
    connection.renew([0])
    again = fly(connection, 0, trace.options, trace.actions)
    for _ in range(MOST_TURNS - 1):
        if again.done or again.failure is not None:
            break
        again = fly(connection, 0, trace.options, trace.actions)
    return again


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


def after_done_item(task: Task, trace: Trace, *, totals: bool = False) -> Item:
    """What a flight past the end showed.

    Args:
        task: The task.
        trace: The flight.
        totals: Whether rewards are documented as running totals: then a step is paid what it adds.
    """
    end = next((n for n, shot in enumerate(trace.shots) if shot.answer.done), None)
    if end is None:
        return not_applicable("after_done", "flown again, the episode did not end", task)
    after = trace.shots[end + 1 :]
    rewarded = any(shot.answer.reward is not None for shot in trace.shots[1 : end + 1])
    if trace.failure is not None:
        said = f"a step after the end lost the session: {recordable(trace.failure.message)}"
        name = "silent_reset" if trace.failure.kind == "identity" else "dies"
        return failed("after_done", name, said, task, trace.witness())
    pays = pays_of(trace, totals)
    for number, (shot, reward) in enumerate(zip(after, pays[end + 1 :], strict=True), end + 1):
        if isinstance(reward, int | float) and reward > 0 and not shot.refused:
            said = f"step {number}, {number - end} after the end, is paid {reward:g}"
            return failed("after_done", "paid_after_done", said, task, trace.witness(number))
        # An answer without the reward that every step has is a refusal in the environment's own words.
        told = refused_in_words(shot, trace.shots[end]) or (rewarded and reward is None)
        if not (shot.refused or shot.answer.done or told) and runs_on(trace, end, number, reward):
            said = f"step {number}, {number - end} after the end, is answered with done false"
            return failed("after_done", "revived_after_done", said, task, trace.witness(number))
    refused = sum(shot.refused for shot in after)
    said = f"{len(after)} steps after the end: {refused} refused, none paid"
    return passed("after_done", said, task, ItemEvidence(steps=len(after), refused=refused))


def pays_of(trace: Trace, totals: bool) -> Sequence[float | None]:
    """What each shot of a flight was paid; as it was answered where something else than a number was.

    Args:
        trace: The flight.
        totals: Whether its rewards are running totals.
    """
    rewards = [shot.answer.reward for shot in trace.shots]
    known = all(reward is None or isinstance(reward, int | float) for reward in rewards)
    return added_by_step(rewards) if totals and known else rewards


def runs_on(trace: Trace, end: int, number: int, reward: float | None) -> bool:
    """Whether something moves in an answer after the end, so that more than its flag goes on.

    The state tells, where it ever moves; else the observations of the answers after the end, with each other.

    Args:
        trace: The flight past the end.
        end: Its last shot.
        number: The answer.
        reward: What it was paid.
    """
    states = [shot.state for shot in trace.shots]
    if all(states) and any(a != b for a, b in pairwise(states[: end + 1])):
        return states[number] != states[number - 1]
    seen = [shot.answer.observation for shot in trace.shots[end + 1 :]]
    return any(a != b for a, b in pairwise(seen)) or reward not in {0, None}


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
    # Where good actions are refused in a row anyway, or end the episode, a refusal after a bad one proves nothing.
    good = plan.scripts[0][:GOOD]
    control = fly(connection, 0, plan.options(), good)
    lasting = len(control.shots) - 1 - control.done
    good = good[: max(FEWEST_GOOD, lasting)]
    steady = lasting >= FEWEST_GOOD and not any(shot.refused for shot in control.shots)
    stretched: list[Trace] = []
    refused, tried = 0, 0
    idle = space.idle()
    bad = [(rule, action, idle, False) for rule, action in space.malformed()]
    bad += [(f"{leaf.name}: {rule}", a, leaf.base, True) for leaf, rule, a in space.extremes()]
    for rule, action, plain, in_schema in bad:
        if time.monotonic() > deadline:
            break
        trace = provoke(connection, plan, good, action)
        stretched += [up_to_the_end(trace)] if in_schema else []
        if connection.schemas.names_episodes and ends_sessions(provoked(trace)):
            alone = one_fault(connection, plan, idle, (rule, action))
            if alone is not None:
                return alone, stretched
        wrong = misbehaviour(plan.task, trace, rule, steady)
        if wrong is not None:
            without = (
                provoke(connection, plan, good, plain) if wrong.checked.finding in FATAL else None
            )
            plainer = without and plain_fault(plan.task, without, plain, steady)
            return plainer or wrong, stretched
        shot = provoked(trace)
        tried += shot is not None
        refused += shot is not None and shot.refused
    if not tried:
        said = "no malformed action could be tried in the middle of an episode"
        return not_applicable("malformed_actions", said, plan.task), stretched
    said = f"{tried} of {len(bad)} malformed or extreme actions tried, {refused} refused; no episode was lost"
    evidence = ItemEvidence(tried=tried, refused=refused)
    return passed("malformed_actions", said, plan.task, evidence), stretched


def provoke(
    connection: Inspection, plan: HistoryPlan, good: Sequence[Action], action: Action
) -> Trace:
    """Send an action after the first of some good ones, and before the others."""
    script = [*good[:1], action, *good[1:]]
    return fly(connection, 0, plan.options(), script, past=True)


def up_to_the_end(trace: Trace) -> Trace:
    """A flight without what was sent after its episode's end, which no step has to answer like one."""
    ended = next((n for n, shot in enumerate(trace.shots) if shot.answer.done), len(trace.shots))
    return replace(trace, shots=trace.shots[: ended + 1])


def provoked(trace: Trace) -> Shot | None:
    """The answer to the action in the middle; None where the episode had ended before."""
    if len(trace.shots) < 3 or trace.shots[1].answer.done:
        return None
    return trace.shots[2]


def ends_sessions(shot: Shot | None) -> bool:
    """Whether an answer is a validator's error that OpenEnv's server cannot put into JSON."""
    if shot is None or shot.raw is None or not shot.refused:
        return False
    return bool(FATAL_ERRORS & set(shot.raw.errors))


def one_fault(
    connection: Inspection, plan: HistoryPlan, plain: Action, bad: tuple[str, Action]
) -> Item | None:
    """The item of an action that ends a session of OpenEnv's server, sent alone; None where it then does not.

    What is malformed is made of the schema's plainest action. Where that one is refused so by itself, it is the fault,
    and not what was added to it. Nothing is sent after it: the flight is without the server, and would go on.

    Args:
        connection: Where to.
        plan: The task.
        plain: The plainest action of the schema.
        bad: What was sent in the middle of an episode, after what it breaks.
    """
    for rule, action in (("the plainest action of the schema", plain), bad):
        trace = fly(connection, 0, plan.options(), [action])
        if ends_sessions(trace.shots[1] if len(trace.shots) > 1 else None):
            said = (
                f"{rule}: a validator raises ValueError or AssertionError, which OpenEnv's server cannot put into its "
                "answer. It drops the session, and answers no further action"
            )
            name = "malformed_action_fatal"
            return failed("malformed_actions", name, said, plan.task, trace.witness())
    return None


def misbehaviour(task: Task, trace: Trace, rule: str, steady: bool) -> Item | None:
    """What is wrong with the answer to a malformed action, or None.

    Args:
        task: The task.
        trace: The flight with the action in its middle.
        rule: What the action breaks.
        steady: Whether good actions are accepted where no bad one is among them.
    """
    if trace.failure is not None:
        # Past an end another episode may begin, whatever was sent before it.
        return None if trace.done else lost_session(task, trace, trace.failure, rule)
    shot = provoked(trace)
    if shot is None:
        return None
    if (refusals := refused_after(trace)) and steady:
        name, said = "malformed_action_fatal", refusals
    elif (
        rule.endswith(": type") and not shot.refused and not refused_in_words(shot, trace.shots[1])
    ):
        name = "malformed_action_accepted"
        said = "a value of another type than the schema's is accepted"
    else:
        return None
    return failed("malformed_actions", name, f"{rule}: {said}", task, trace.witness())


def refused_after(trace: Trace) -> str | None:
    """That an action in the middle was refused and so was all that came after it, in words; None where it was not."""
    refusals = [shot.answer.refusal for shot in trace.shots[2:]]
    last = refusals[-1] if refusals else None
    if len(refusals) < 2 or last is None or None in refusals:
        return None
    many = "the action" if len(refusals) == 2 else f"the {len(refusals) - 1} actions"
    told = f"{many} after it, accepted where it is not sent"
    return f"refused, and so {'is' if len(refusals) == 2 else 'are'} {told}: {recordable(last)}"


def plain_fault(task: Task, trace: Trace, plain: Action, steady: bool) -> Item | None:
    """The item of a plain action that does by itself what a bad one was blamed for; None where it does not.

    Args:
        task: The task.
        trace: The flight with the plain action in its middle.
        plain: The action that the bad one was made of: nothing of it is malformed or extreme.
        steady: Whether the good actions are accepted where it is not sent.
    """
    rule = f"{cut(json.dumps(plain), LINE_CHARS)}, an action of the schema"
    blamed = misbehaviour(task, trace, rule, steady)
    if blamed is None or blamed.checked.finding not in FATAL:
        return None
    kind = None if trace.failure is None else trace.failure.kind
    name = "step_raises" if kind is None else LOSSES.get(kind, "dies")
    return failed("malformed_actions", name, blamed.checked.said, task, trace.witness())


def refused_in_words(shot: Shot, good: Shot) -> bool:
    """Whether an answer that is none of OpenEnv's refusals says an error, and pays nothing for the action.

    Args:
        shot: The answer.
        good: One to an action that was accepted before it: what this says too is no error of the other.
    """
    answer = shot.answer
    if answer.metadata.get("invalid"):
        return True
    reward = answer.reward
    paid = isinstance(reward, int | float) and reward > 0
    return not paid and any(
        set(errors_said(told)) - set(errors_said(before))
        for told, before in (
            (answer.observation, good.answer.observation),
            (answer.metadata, good.answer.metadata),
        )
    )


def errors_said(told: Mapping[str, JsonValue]) -> Iterator[tuple[str, str]]:
    """Names and values by which an answer holds an error, or says of what was done that it was not allowed.

    A number is none of them: an error of that name is how far something is from where it should be.
    """
    for name, value in told.items():
        word = name.lower()
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if ERROR_NAME.fullmatch(word) and not number and value not in (None, "", False, [], {}):
            yield name, repr(value)
        if VALID_NAME.fullmatch(word) and value is False:
            yield name, repr(value)
        if isinstance(value, dict) and word in {"info", "result", "metadata"}:
            yield from ((f"{name}.{inner}", said) for inner, said in errors_said(value))


def is_refused(shot: Shot) -> bool:
    """Whether an action was refused, by OpenEnv or in the answer's own words."""
    answer = shot.answer
    told = (answer.observation, answer.metadata)
    return shot.refused or any(any(errors_said(each)) for each in told)


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
    return reconnect_item(task, fresh, whole)


def reconnect_item(task: Task, fresh: Shot, whole: Trace) -> Item:
    """Whether an answer in a session that was never reset passes for one of the episode that was lost."""
    check, told = "silent_reconnect", difference_told(fresh, whole)
    if told is not None:
        return passed(check, f"answered, but {told} is not what the lost episode would show", task)
    new, expected = fresh.state, whole.shots[-1].state
    if new is None or expected is None:
        said = "answered, and the state, which would tell the sessions apart, cannot be read"
        return not_applicable(check, said, task)
    shown = {name: new[name] for name in NAMES_OF_EPISODE if name in new}
    held = (
        f"the {' and the '.join(shown)} of the lost episode: {', '.join(map(repr, shown.values()))}"
        if shown
        else "a state that names no episode and counts no steps"
    )
    said = f"a step on a fresh, un-reset session is answered, with {held}"
    witness = whole.shown(then="the same action in a fresh session, not reset", state=new)
    return failed(check, "silent_reconnect", said, task, witness)


def difference_told(fresh: Shot, whole: Trace) -> str | None:
    """What an agent or its trainer reads of an answer by which it is not the lost episode's; None of nothing.

    Args:
        fresh: The answer to a step in a session that was never reset.
        whole: The episode that was lost.
    """
    last = whole.shots[-1]
    sources = [("state", fresh.state or {}, last.state or {})]
    sources.append(("observation", fresh.answer.observation, last.answer.observation))
    for source, new, expected in sources:
        for name in NAMES_OF_EPISODE:
            if new.get(name) != expected.get(name):
                return name if source == "state" else f"the observation's {name}"
    # What an episode shows all along belongs to it.
    seen = [shot.answer.observation for shot in whole.shots]
    for name, value in seen[0].items():
        if all(name in each and each[name] == value for each in seen[1:]):
            new = fresh.answer.observation
            if name not in new or new[name] != value:
                return f"the observation's {name}"
    return None


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


def check_example(
    connection: Inspection,
    plan: HistoryPlan,
    space: Space,
    codec: Codec,
    written: Sequence[Action],
    budget_s: float,
) -> Item:
    """Send the example that the instructions give, once, and what idle does, in an episode of its own each.

    Where the schema says less than the README, what stands there is sent: a reader knows what to do then.

    Args:
        connection: Where to.
        plan: The task.
        space: Its actions.
        codec: What tells a model of them.
        written: Objects that README and source give together; many are no actions.
        budget_s: Seconds after which none of them is sent any more.
    """
    deadline = time.monotonic() + budget_s
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
        known = islice(each_once(filter(partial(fits, codec), written)), MOST_WRITTEN)
        told = check_written(connection, plan, known, said, deadline)
        return told or failed("example", "example_refused", said, plan.task, flown[0].witness())
    return not_applicable("example", said, plan.task)


def check_written(
    connection: Inspection, plan: HistoryPlan, known: Iterable[Action], said: str, deadline: float
) -> Item | None:
    """Send actions that README or source show, after the example was refused; None where each of them is, too.

    Args:
        connection: Where to.
        plan: The task.
        known: The actions.
        said: What was refused before.
        deadline: When no further one is sent.
    """
    for action in known:
        shown = f"{cut(json.dumps(action), LINE_CHARS)}, which README or source show,"
        if time.monotonic() > deadline:
            return not_applicable(
                "example", f"{said}; no time was left to try {shown} too", plan.task
            )
        if refusal(fly(connection, 0, plan.options(), [action])) is None:
            return passed("example", f"{said}; {shown} is accepted", plan.task)
    return None


def each_once(actions: Iterable[Action]) -> Iterator[Action]:
    """Actions without those that came before: a README shows one again and again."""
    known: set[str] = set()
    for action in actions:
        said = json.dumps(action)
        if said not in known:
            known.add(said)
            yield action


def fits(codec: Codec, action: Action) -> bool:
    """Whether an object is an action by the schema."""
    try:
        codec.parse(json.dumps(action))
    except CodecError:
        return False
    return True


def refusal(trace: Trace) -> str | None:
    """Why the last action of a flight was not accepted; None where it was."""
    if trace.failure is not None:
        return trace.failure.message
    return trace.shots[-1].answer.refusal
