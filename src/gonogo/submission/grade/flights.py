"""What is flown for the checks that map and audit do not answer: solving, idling and chance, and each again alone.

Nothing is judged here. The record holds what was paid, what a replay in another process did otherwise, what it took,
and what the package's canaries earn: known ways to cheat, each a plan of OpenEnv's own runtime schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from openenv.validation.manifest import ExecutionDeclaration
from openenv.validation.runtime.contracts import RuntimePlanError, load_runtime_plan

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget
from gonogo.exploits.panel import Habit, Kind, panel
from gonogo.exploits.witness import fly_plans
from gonogo.folder import no_file
from gonogo.policies.named import find_policy, shipped
from gonogo.records.audit import AuditedPolicy, AuditReport, TaskSheet
from gonogo.records.contract import ContractReport
from gonogo.records.provenance import provenance, source_hash
from gonogo.records.record import Verdict
from gonogo.records.submission import (
    CanaryEpisode,
    GradedEpisode,
    GradedTask,
    GradeReport,
    IdleEpisodes,
    OracleEpisodes,
    RandomReturns,
    ReplayedEpisode,
    ResourceUse,
    ResourceUses,
    ShownAnswers,
)
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection, Failure, Inspection, Policy
from gonogo.rollouts.volatile import volatile_in
from gonogo.submission.grade.leaks import find_shown
from gonogo.submission.grade.replay import lacks, replay
from gonogo.wire import Action, TaskOptions

SEEDS, GROUP, SHOWN_SEEDS, REPLAYED = 8, 8, 4, 3
HASH_SEEDS = (1, 2)
PROVOKING = frozenset({Kind.LENGTH, Kind.EXTREME, Kind.NAN, Kind.MALFORMED, Kind.NONSENSE})
PEAK = re.compile(r"^VmHWM:\s+(\d+) kB$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Canary:
    """One canary.

    Attributes:
        name: Its file, relative to the package.
        task: Reset options.
        actions: In order.
        problem: Why it cannot be read; it has no actions then.
    """

    name: str
    task: TaskOptions
    actions: tuple[Action, ...]
    problem: str | None = None


def read_canaries(root: Path, location: str | None) -> list[Canary]:
    """The canaries at a location, in the order of their names.

    Args:
        root: The package.
        location: A JSON file, or a folder of them, relative to the package; None for no canaries.
    """
    if location is None:
        return []
    place = root / location
    files = sorted(place.glob("*.json")) if place.is_dir() else [place]
    return [read_canary(root, file.relative_to(root).as_posix()) for file in files]


def read_canary(root: Path, name: str) -> Canary:
    """One canary; OpenEnv's reader refuses what leaves the package."""
    if (root / name).exists() and (why := no_file(root / name, root)) is not None:
        return Canary(name, {}, (), why)
    try:
        plan = load_runtime_plan(root, ExecutionDeclaration(probe_path=name))
    except (RuntimePlanError, ValueError) as error:
        return Canary(name, {}, (), str(error))
    return Canary(name, {**plan.reset.options, "seed": plan.reset.seed}, tuple(plan.actions))


def peak_mb(pid: int | None) -> float | None:
    """The peak of the resident memory of a process and all that it started and that run, summed.

    Args:
        pid: The process; None where there is none to be measured.

    Returns:
        Megabytes (10^6 bytes); None where the system does not tell.
    """
    total, waiting = 0, [] if pid is None else [pid]
    while waiting:
        of = waiting.pop()
        for file in Path(f"/proc/{of}/task").glob("*/children"):
            try:
                waiting.extend(map(int, file.read_text().split()))
            except OSError:
                continue  # the thread has ended
        try:
            found = PEAK.search(Path(f"/proc/{of}/status").read_text())
        except OSError:
            continue  # it has ended
        total += int(found[1]) * 1024 if found else 0
    return total / 1e6 if total else None


EpisodeCost = tuple[float, str | None]
"""Seconds that an episode flown alone took, and what lost it."""


@dataclass(slots=True)
class GradeSession:
    """Two processes of the environment, and who is to succeed in it.

    Attributes:
        wide: Many instances, for flights of many episodes.
        alone: One instance in another process, for replays and what is measured.
        habits: The panel, made with each of several seeds.
        flight: How to fly.
        mapped: The environment's map.
        shipped: Names of the policies that come with the package.
        guides: The policies that do best on some task, by name.
        costs: What replays took.
    """

    wide: Inspection
    alone: Inspection
    habits: list[list[Habit]]
    flight: Flight
    mapped: ContractReport
    shipped: frozenset[str]
    guides: dict[str, Policy]
    costs: list[EpisodeCost] = field(default_factory=list)

    def habit(self, kind: Kind, seed: int = 0) -> Habit:
        """The panel's first habit of a kind."""
        return next(habit for habit in self.habits[seed] if habit.kind == kind)


def fly_evidence(
    run: RunConfig,
    target: FolderTarget,
    mapped: ContractReport,
    audit: AuditReport,
    canaries: Sequence[Canary],
) -> GradeReport:
    """Fly everything; the record holds until OpenEnv has made its report of it.

    Args:
        run: The config.
        target: The environment.
        mapped: Its map, which says what of it is a clock or a random id.
        audit: The record of its audit, which names the tasks and who succeeds in them.
        canaries: The package's canaries.

    Raises:
        EnvironmentFailure: The environment could not be started.
        PolicyFailure: A policy that is meant to succeed failed.
        Misuse: It is not there any more.
    """
    drawn = np.random.default_rng(run.seed).choice(2**31, size=SEEDS, replace=False)
    seeds = [int(seed) for seed in drawn]
    with ExitStack() as stack:
        session = open_session(run, target, mapped, audit, stack)
        flown = tuple(fly_task(session, sheet, seeds) for sheet in audit.tasks)
        replays = used(session.costs, session)
        provoked = [
            cost
            for sheet in audit.tasks
            for cost in provoke(session, seeded(session.alone, sheet.task, seeds)[0])
        ]
        resources = ResourceUses(replays=replays, provoked=used(provoked, session))
        played = tuple(fly_canary(session, canary) for canary in canaries)
        return GradeReport(
            target=run.target,
            source_hash=source_hash(target.folder),
            verdict=Verdict.HOLD,
            reason="OpenEnv has made no report of it yet",
            seed=run.seed,
            seeds=tuple(seeds),
            tasks=flown,
            canaries=played,
            resources=resources,
            config=run.model_dump(mode="json", include={"rollout"}),
            **provenance(),
        )


def used(costs: Sequence[EpisodeCost], session: GradeSession) -> ResourceUse:
    """What episodes took that were flown alone, and the process's peak so far."""
    return ResourceUse(
        episodes=len(costs),
        seconds=round(max((seconds for seconds, _ in costs), default=0.0), 3),
        memory_mb=peak_mb(session.alone.pid),
        lost=next((lost for _, lost in costs if lost), None),
    )


def open_session(
    run: RunConfig,
    target: FolderTarget,
    mapped: ContractReport,
    audit: AuditReport,
    stack: ExitStack,
) -> GradeSession:
    """Start both processes, and find who is to succeed."""
    env, (first, second) = Env(run.target, run.rollout), HASH_SEEDS
    wide = stack.enter_context(closing(env.connect(hash_seed=first)))
    alone = stack.enter_context(closing(env.connect(1, hash_seed=second)))
    schemas, tools = wide.schemas, wide.describe().tools
    habits = [panel(schemas.action, schemas.observation, tools, n) for n in range(GROUP)]
    best = dict.fromkeys(name for sheet in audit.tasks if (name := best_guide(sheet)))
    named = {name: find_policy(name, target, schemas, seed=run.seed) for name in best}
    guides = {name: stack.enter_context(closing(each.policy)) for name, each in named.items()}
    names = frozenset(shipped(target))
    return GradeSession(wide, alone, habits, env.flight(), mapped, names, guides)


def best_guide(sheet: TaskSheet) -> str | None:
    """Who of those who are meant to succeed does best on a task; None where nobody is."""
    rows = [row for row in sheet.policies if row.kind == "reference" and row.returns is not None]
    best = max(rows, key=worth, default=None)
    return None if best is None else best.policy


def worth(row: AuditedPolicy) -> tuple[float, float]:
    """A policy's success, as far as it is known, and then its return."""
    success, returns = ((each and each.mean) or 0.0 for each in (row.success, row.returns))
    return success, returns


def seeded(connection: Connection, task: TaskOptions, seeds: Sequence[int]) -> list[TaskOptions]:
    """A task's reset options with each seed; once, as they are, where they name an episode and take no seed."""
    options = [{**task, "seed": seed} for seed in seeds]
    refused = isinstance(connection.reset({0: options[0]})[0], Failure)
    return [dict(task)] if refused else options


def fly_task(session: GradeSession, sheet: TaskSheet, seeds: Sequence[int]) -> GradedTask:
    """One task: solved, idled through, flown at random, sent back what it shows, and replayed."""
    tasks = seeded(session.wide, sheet.task, seeds)
    policy = session.guides.get(best_guide(sheet) or "")

    def air(who: Policy) -> list[Episode]:
        return fly(session.wide, who, tasks, session.flight)

    solved = [] if policy is None else air(policy)
    idle = air(session.habit(Kind.IDLE))
    chance = [air(session.habit(Kind.RANDOM, seed)) for seed in range(GROUP)]
    again = [*solved[:REPLAYED], *idle[:REPLAYED], *chance[0][:REPLAYED]]
    tried, leaks = find_shown(session.wide, tasks[:SHOWN_SEEDS], session.flight)
    judged = any(episode.success is not None for episode in idle)
    name = None if policy is None else policy.name
    oracle = OracleEpisodes(policy=name, shipped=name in session.shipped, episodes=rows(solved))
    return GradedTask(
        task=sheet.task,
        oracle=oracle,
        idle=IdleEpisodes(episodes=rows(idle)),
        random=tuple(groups(tasks, chance)),
        replays=tuple(fly_again(session, each) for each in again if whole(each)),
        shown=ShownAnswers(tried=tried, leaks=leaks, judged=judged),
    )


def rows(episodes: Sequence[Episode]) -> tuple[GradedEpisode, ...]:
    """What the record holds of episodes."""
    return tuple(
        GradedEpisode(
            task=episode.task,
            episode_return=episode.episode_return,
            success=episode.success,
            turns=len(episode.turns),
            components=episode.components,
            error=episode.error,
        )
        for episode in episodes
    )


def groups(
    tasks: Sequence[TaskOptions], chance: Sequence[Sequence[Episode]]
) -> Iterator[RandomReturns]:
    """What each task's random episodes earned."""
    for task, episodes in zip(tasks, zip(*chance, strict=True), strict=True):
        returns = tuple(e.episode_return for e in episodes if e.episode_return is not None)
        yield RandomReturns(task=task, returns=returns)


def whole(episode: Episode) -> bool:
    """Whether an episode was flown to its end with actions."""
    return episode.error is None and all(turn.action is not None for turn in episode.turns)


def fly_again(session: GradeSession, episode: Episode) -> ReplayedEpisode:
    """One episode flown twice more, alone: what came out otherwise, and what a record of it lacks."""
    first, second = (replay(session.alone, episode) for _ in range(2))
    volatile = volatile_in(session.mapped, episode.task)
    session.costs += [(again.seconds, again.lost) for again in (first, second)]
    return ReplayedEpisode(
        policy=episode.policy,
        task=episode.task,
        success=episode.success,
        steps=len(episode.turns),
        difference=first.differs(episode, volatile) or second.differs(episode, volatile),
        verdict=first.judged(episode) or second.judged(episode),
        record=lacks(episode, first),
    )


def provoke(session: GradeSession, task: TaskOptions) -> Iterator[EpisodeCost]:
    """Fly one episode with each habit that sends what nobody should, each alone and measured."""
    for habit in session.habits[0]:
        if habit.kind in PROVOKING:
            (episode,) = fly(session.alone, habit, [task], session.flight)
            if whole(episode) or episode.error is not None:
                again = replay(session.alone, episode)
                yield again.seconds, episode.error or again.lost


def fly_canary(session: GradeSession, canary: Canary) -> CanaryEpisode:
    """What a canary earns, its last action repeated to the end, and what idling on the same reset does."""
    if canary.problem is not None:
        return CanaryEpisode(
            name=canary.name, episode_return=None, floor=None, problem=canary.problem
        )
    (flown,) = fly_plans(session.wide, [(canary.task, canary.actions)], session.flight, canary.name)
    (idle,) = fly(session.wide, session.habit(Kind.IDLE), [canary.task], session.flight)
    lost = flown.error or idle.error
    return CanaryEpisode(
        name=canary.name,
        episode_return=flown.episode_return or 0.0,
        floor=idle.episode_return or 0.0,
        problem=None if lost is None else f"its episode was lost: {lost}",
    )
