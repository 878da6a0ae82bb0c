"""What is known of an environment before its reward is written, from records and from flights by its own reward.

Flown are the policies that the audit saw, on a few of its seeds: those that are meant to succeed, and the
panel. Nothing is judged here; what cannot be known is a reason to stop.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.success import SuccessRule
from gonogo.errors import EnvironmentFailure, PolicyFailure
from gonogo.exploits.panel import panel
from gonogo.exploits.witness import actions_of
from gonogo.policies.named import find_policy
from gonogo.records.audit import AuditReport
from gonogo.rollouts.episodes import SUCCESS_NAMES, Episode
from gonogo.rollouts.space import Space, action_fields, free_text
from gonogo.rollouts.types import Failure, Inspection, Policy
from gonogo.wire import Action, JsonSchema, Observation, TaskOptions

SUCCESS_SEEDS = 8
PANEL_SEEDS = 2


@dataclass(frozen=True, slots=True)
class PolicyEpisode:
    """One policy's episode by the environment's own reward.

    Attributes:
        name: The policy's.
        kind: A kind of the panel, or ``reference``.
        episode: What it flew.
    """

    name: str
    kind: str
    episode: Episode

    @property
    def actions(self) -> list[Action]:
        """What was sent."""
        return actions_of(self.episode.turns)


@dataclass(frozen=True, slots=True)
class Facts:
    """What a reward is prefilled with.

    Attributes:
        success: The field that says success; None where an expression was given.
        fields: Names of the observation's fields.
        at_the_end: Whether the environment itself ended all the successes: a limit of turns ends nothing that
            a reward can see.
        guide: The policy that succeeds most often.
        good: Episodes that succeed, the guide's first.
        bad: Episodes of the panel that fail.
        par_steps: Mean number of turns that the guide's successes took.
        par: Mean return of a success by the environment's own reward.
        floor: Return of nothing: 0, or what idling earns where even success earns no more.
        texts: Fields of free text that successes use, with the least length of each.
        clocks: Fields that count by themselves.
        idle: The action that does least.
    """

    success: str | None
    fields: list[str]
    at_the_end: bool
    guide: str
    good: list[PolicyEpisode]
    bad: list[PolicyEpisode]
    par_steps: float
    par: float
    floor: float
    texts: dict[str, int]
    clocks: list[str]
    idle: Action


def find_facts(run: RunConfig, audit: AuditReport) -> Facts:
    """Fly and look.

    Args:
        run: The config.
        audit: Its audit's record.

    Raises:
        PolicyFailure: No policy succeeds, or the environment never says whether one did.
    """
    with Env(run.target, run.rollout) as env:
        connection, schemas = env.connection, env.schemas
        try:
            tools = connection.describe().tools
        except EnvironmentFailure:
            tools = ()
        tasks = [seeded(connection, sheet.task, audit) for sheet in audit.tasks]
        every = [task for some in tasks for task in some]
        tried = list(fly_guides(run, env, audit, every))
        few = [task for some in tasks for task in some[:PANEL_SEEDS]]
        habits = panel(schemas.action, schemas.observation, tools, run.seed)
        untried = [f for habit in habits for f in fly_all(env, habit, few, habit.kind)]
    good = [f for f in tried if f.episode.success is True]
    if not good:
        raise PolicyFailure(
            "a reward is written for an environment in which a policy succeeds, and none did: "
            "give one that does with --reference"
        )
    succeeds = Counter(f.name for f in good)
    guide = max(succeeds, key=lambda name: succeeds[name])
    good.sort(key=lambda f: f.name != guide)
    par = fmean(f.episode.episode_return or 0.0 for f in good)
    fields = list(schemas.observation.get("properties", {}))
    field = None if run.rollout.success else success_field(good[0].episode)
    stands = standing(run.rollout.success, fields, field)
    at_the_end = all(f.episode.turns[-1].done for f in good)
    idles = [f.episode.episode_return or 0.0 for f in untried if f.kind == "idle"]
    return Facts(
        success=field,
        fields=fields,
        at_the_end=at_the_end,
        guide=guide,
        good=good,
        bad=[f for f in untried if f.episode.success is False],
        par_steps=round(fmean(turns_of(f, stands) for f in good if f.name == guide), 2),
        par=par,
        floor=0.0 if par > 0 else fmean(idles),
        texts=least_lengths(schemas.action, good),
        clocks=clocks([f.episode for f in [*good, *untried]]),
        idle=Space(schemas.action, tools).idle(),
    )


def seeded(connection: Inspection, task: TaskOptions, audit: AuditReport) -> list[TaskOptions]:
    """A task of the audit with some of its seeds; once and without one where it takes none."""
    tasks = [{**task, "seed": seed} for seed in audit.seeds.survey[:SUCCESS_SEEDS]]
    takes_seeds = not isinstance(connection.reset({0: tasks[0]})[0], Failure)
    return tasks if takes_seeds else [dict(task)]


def fly_guides(
    run: RunConfig, env: Env, audit: AuditReport, tasks: Sequence[TaskOptions]
) -> Iterator[PolicyEpisode]:
    """Episodes of the policies that the audit flew as meant to succeed."""
    rows = [row for sheet in audit.tasks for row in sheet.policies]
    for name in dict.fromkeys(row.policy for row in rows if row.kind == "reference"):
        named = find_policy(name, env.target, env.schemas, seed=run.seed)
        with closing(named.policy) as guide:
            yield from fly_all(env, guide, tasks)


def fly_all(
    env: Env, policy: Policy, tasks: Sequence[TaskOptions], kind: str = "reference"
) -> Iterator[PolicyEpisode]:
    """One policy's episodes that were flown to their end and scored."""
    for episode in env.rollout(policy, tasks):
        if episode.error is None and episode.episode_return is not None:
            yield PolicyEpisode(policy.name, str(kind), episode)


def success_field(episode: Episode) -> str:
    """The name under which the environment said that an episode succeeded."""
    said = (episode.final_metadata, episode.final_observation)
    return next(name for where in said for name in SUCCESS_NAMES if where.get(name) is True)


def standing(
    success: str | None, fields: Sequence[str], field: str | None
) -> Callable[[Observation], bool]:
    """Whether an observation before the end shows success: by an expression, or by a field of its own."""
    if success is None:
        return lambda observation: observation.get(field or "") is True
    rule = SuccessRule(success, fields)
    return lambda observation: rule.says(observation, {}, False) is True


def turns_of(flown: PolicyEpisode, stands: Callable[[Observation], bool]) -> int:
    """Turns of a success; those until it stood, where a limit of turns ended the episode."""
    episode, turns = flown.episode, len(flown.episode.turns)
    while episode.timeout and turns > 1 and stands(episode.turns[turns - 1].observation):
        turns -= 1
    return turns


def least_lengths(schema: JsonSchema, good: Sequence[PolicyEpisode]) -> dict[str, int]:
    """Half of the shortest text that succeeded, for each field of free text."""
    least = {}
    for name, field in action_fields(schema).items():
        sent = [action.get(name) for f in good for action in f.actions]
        texts = [text for text in sent if isinstance(text, str)]
        if texts and free_text(field, schema) is not None:
            least[name] = max(1, min(map(len, texts)) // 2)
    return least


def clocks(episodes: Sequence[Episode]) -> list[str]:
    """Fields of the observation that move by the same amount at every step of every episode."""
    moves: dict[str, set[float]] = {}
    for episode in episodes:
        shown = [turn.observation for turn in episode.turns]
        for old, new in pairwise(shown):
            for name, value in new.items():
                both = (value, old.get(name))
                plain = all(isinstance(v, int | float) and not isinstance(v, bool) for v in both)
                moves.setdefault(name, set()).add(value - old[name] if plain else 0.0)
    return sorted(name for name, by in moves.items() if len(by) == 1 and by != {0.0})
