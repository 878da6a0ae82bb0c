"""What of the themes can be measured: others who act, decisions, delay of the pay, what is hidden, tools, curriculum.

A fact is True where it was seen, False where flights refute it, and None where they cannot tell; then the author's
words count.

Flown are the policy that the audit saw succeed most, or the environment's own teacher where there is no audit, and two
that do not try: idle, which does the same whatever is hidden, and random. They show what the map and the audit do not
write down: how long a success takes, and when pay comes.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from statistics import fmean, median

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import Misuse, PolicyFailure
from gonogo.policies.named import find_policy
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.records.submission import (
    AgentsFact,
    AuditFact,
    CurriculumFact,
    DecisionsFact,
    DelayFact,
    HiddenFact,
    ThemeFacts,
    ToolsFact,
)
from gonogo.rollouts.episodes import Episode
from gonogo.submission.theme.catalogue import described_parts, distance
from gonogo.wire import TaskOptions

LONG_DECISIONS = 20
"""Decisions that a success takes, from which on an episode is called long."""
LONG_DELAY = 5.0
"""Mean number of decisions until a reward says something, from which on it is called delayed."""
LEAST_REPEATS = 20
"""Situations that have to be met again before it is said that nothing is hidden."""
OTHERS = frozenset({
    "agents", "allies", "ally", "bidder", "bidders", "buyer", "counterpart", "counterparty", "enemies", "enemy",
    "negotiator", "opponent", "opponents", "partner", "player", "players", "rival", "rivals", "seller", "team",
    "teammate", "teammates", "teams",
})  # fmt: skip
"""Words of a field's name that mean somebody else who acts."""
LEVELS = frozenset({"level", "difficulty", "stage", "tier"})
"""Names under which environments grade their tasks."""
SELECTORS = frozenset({"seed", "episode_id", "split", "index", "task", "task_id"})
"""Parameters of a reset that choose an episode and turn no knob."""
MOST_TASKS, SEEDS = 8, 4
NOT_TRYING = ("idle", "random")


def measure(
    mapped: ContractReport, audited: AuditReport | None, episodes: Sequence[Episode]
) -> ThemeFacts:
    """All facts.

    Args:
        mapped: The map.
        audited: The audit, or None.
        episodes: What was flown, all without errors.
    """
    return ThemeFacts(
        agents=agents(mapped),
        decisions=decisions(episodes),
        delay=delay(episodes),
        hidden=hidden(episodes),
        tools=tools(mapped),
        curriculum=curriculum(mapped),
        audit=exploits(audited),
        underexplored=distance(mapped),
    )


def agents(mapped: ContractReport) -> AgentsFact:
    """Whether fields or tools name somebody else who acts; a name that says nothing refutes nothing."""
    found = [
        f"{place}.{name}"
        for place, entries in described_parts(mapped).items()
        for name, _ in entries
        if OTHERS & set(re.split(r"[^a-z]+", name.lower()))
    ]
    naming = f"{', '.join(found)} names another" if found else "no field or tool names another"
    return AgentsFact(
        holds=True if found else None,
        said=f"one agent acts through the interface, and {naming}",
        acting=1,
        others_named_by=tuple(found),
    )


def decisions(episodes: Sequence[Episode]) -> DecisionsFact:
    """How many decisions a success takes, on the task on which it takes most."""
    by_task: dict[str, list[int]] = {}
    for episode in episodes:
        taken = by_task.setdefault(task_of(episode), [])
        if episode.success is True:
            taken.append(len(episode.turns))
    needed = {task: median(taken) for task, taken in by_task.items() if taken}
    longest = max((len(episode.turns) for episode in episodes), default=0)
    most, unknown = max(needed.values(), default=0), len(by_task) - len(needed)
    said = f"a success takes {most:g} decisions on the longest of {len(needed)} tasks that were flown to success"
    holds: bool | None = None
    if not needed:
        said = f"no policy flown here succeeded; the longest episode had {longest}"
    elif most >= LONG_DECISIONS:
        holds = True
    elif unknown:
        said += f"; {unknown} other tasks were not"
    else:
        holds, said = False, f"{said}, and {LONG_DECISIONS} would be long"
    flown = len(episodes)
    return DecisionsFact(
        holds=holds, said=said, to_succeed=needed, longest_episode=longest, episodes=flown
    )


def task_of(episode: Episode) -> str:
    """A task's reset options without the seed, on one line."""
    options = {name: value for name, value in episode.task.items() if name != "seed"}
    return json.dumps(options, sort_keys=True)


def delay(episodes: Sequence[Episode]) -> DelayFact:
    """How many decisions pass from an action to the next reward that differs from its episode's usual one, or the end.

    Successes are asked where there are any; of failures, what pays nothing tells nothing.
    """
    good = [episode for episode in episodes if episode.success is True]
    waits = [wait for episode in good or episodes for wait in waits_of(episode)]
    if not waits:
        return DelayFact(holds=None, said="no reward was seen")
    mean = fmean(waits)
    said = f"from an action to a reward that says something {mean:.1f} decisions pass"
    return DelayFact(
        holds=mean >= LONG_DELAY if good else None,
        said=said if good else f"{said}, in episodes that failed",
        mean_decisions=round(mean, 2),
        of_successes=bool(good),
        actions=len(waits),
    )


def waits_of(episode: Episode) -> Iterator[int]:
    """Decisions from each one to the next reward that says something, that one included."""
    rewards = [turn.reward for turn in episode.turns]
    known = [reward for reward in rewards if reward is not None]
    if not known:
        return
    usual = Counter(known).most_common(1)[0][0]
    telling = [place for place, reward in enumerate(rewards) if reward not in (None, usual)]
    ends = [*telling, len(rewards) - 1]
    yield from (next(e for e in ends if e >= place) - place + 1 for place in range(len(rewards)))


def hidden(episodes: Sequence[Episode]) -> HiddenFact:
    """Whether the same observation and action were followed by different observations, in different episodes."""
    followed: dict[str, dict[str, str]] = defaultdict(dict)
    for episode in episodes:
        for turn, after in zip(episode.turns, episode.turns[1:], strict=False):
            if turn.invalid is None:
                situation = json.dumps([turn.observation, turn.action], sort_keys=True, default=str)
                shown = json.dumps(after.observation, sort_keys=True, default=str)
                followed[situation][json.dumps(episode.task, sort_keys=True)] = shown
    again = [set(after.values()) for after in followed.values() if len(after) > 1]
    differ = sum(len(shown) > 1 for shown in again)
    said = f"{len(again)} situations were met again in another episode with the same observation and action"
    holds: bool | None = None
    if differ:
        holds, said = True, f"{said}, and {differ} of them went another way"
    elif len(again) >= LEAST_REPEATS:
        holds, said = False, f"{said}, and all of them went the same way: what is shown decides"
    else:
        said += ": too few to say what is hidden"
    return HiddenFact(
        holds=holds, said=said, situations_met_again=len(again), went_another_way=differ
    )


def tools(mapped: ContractReport) -> ToolsFact:
    """Whether the environment has tools; an action's fields may stand for them."""
    names = tuple(tool["name"] for tool in mapped.action.tools)
    fields = tuple(entry.name for entry in mapped.action.fields)
    none = f"it has no tools; an action has {', '.join(fields) or 'no fields'}"
    return ToolsFact(
        holds=True if names else None,
        said=f"it has {len(names)} tools" if names else none,
        tools=names,
        action_fields=fields,
    )


def curriculum(mapped: ContractReport) -> CurriculumFact:
    """Whether there is something to raise: levels among the tasks, knobs of the reset."""
    options = [task.options for task in (*mapped.tasks.flown, *mapped.tasks.left_out)]
    splits = mapped.tasks.splits or ()
    specs = [spec for split in splits for spec in split.preview if isinstance(spec, dict)]
    named = (each.get(name) for each in (*options, *specs) for name in LEVELS)
    found = {str(level) for level in named if level is not None}
    knobs = [name for name in mapped.reset.names if name not in SELECTORS]
    holds: bool | None = False
    said = "no levels, and no option of the reset that can be raised"
    if len(found) > 1 or knobs:
        holds = True
        said = f"{len(found)} levels and {len(knobs)} options of the reset that can be raised"
    elif mapped.reset.parameters is None:
        holds, said = None, "what a reset takes cannot be seen"
    return CurriculumFact(
        holds=holds,
        said=said,
        levels=tuple(sorted(found)),
        knobs=tuple(knobs),
        splits=tuple(split.name for split in splits),
    )


def exploits(audited: AuditReport | None) -> AuditFact:
    """Whether the reward is clean as far as the audit saw; a proven finding trains the wrong thing."""
    if audited is None:
        return AuditFact(holds=None, said="the reward is not audited yet")
    ids = tuple(dict.fromkeys(finding.id for finding in audited.findings))
    refuted = audited.verdict is Verdict.NO_GO
    proved = f"the audit proved {', '.join(ids)}: what is paid is something else"
    return AuditFact(
        holds=False if refuted else None,
        said=proved if refuted else f"the audit is {audited.verdict.name}",
        verdict=audited.verdict,
        findings=ids,
    )


def fly_all(
    run: RunConfig, mapped: ContractReport, audited: AuditReport | None
) -> tuple[list[Episode], list[str]]:
    """The episodes that ended without an error, and notes on policies that failed.

    Args:
        run: The config; its seed and limit of turns are used.
        mapped: Its map, whose tasks are flown.
        audited: Its audit, or None.

    Raises:
        EnvironmentFailure: The environment could not be started.
    """
    tasks = tasks_of(mapped)
    episodes: list[Episode] = []
    notes: list[str] = []
    with Env.of(run) as env:
        for name in dict.fromkeys([*guide(env, audited), *NOT_TRYING]):
            try:
                named = find_policy(name, env.target, env.schemas, seed=run.seed)
                with closing(named.policy) as policy:
                    flown = env.rollout(policy, tasks)
            except (Misuse, PolicyFailure) as error:
                notes.append(f"{name} could not be flown: {error}")
                continue
            episodes += [episode for episode in flown if episode.error is None and episode.turns]
    return episodes, notes


def tasks_of(mapped: ContractReport) -> list[TaskOptions]:
    """The map's first tasks, each with a few seeds where its options do not name one episode."""
    tasks: list[TaskOptions] = []
    for options in (task.options for task in mapped.tasks.flown[:MOST_TASKS]):
        seeds = [] if {"index", "seed"} & options.keys() else range(SEEDS)
        tasks += [{**options, "seed": seed} for seed in seeds] or [options]
    return tasks


def guide(env: Env, audited: AuditReport | None) -> Iterator[str]:
    """The policy that is most likely to succeed; none where nobody is known to."""
    if audited is None:
        teacher = None if env.references is None else env.references.teacher
        yield from [teacher] if teacher else []
        return
    rates: dict[str, list[float]] = {}
    for row in (row for sheet in audited.tasks for row in sheet.policies):
        if row.kind == "reference":
            rate = 0.0 if row.success is None else row.success.mean or 0.0
            rates.setdefault(row.policy, []).append(rate)
    if rates:
        yield max(rates, key=lambda name: sum(rates[name]))
