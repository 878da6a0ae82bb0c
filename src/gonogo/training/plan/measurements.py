"""What a plan rests on: a few flights by policies that are no model, on the tasks that are to be trained on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from gonogo.config import ModelConfig, RunConfig, load_candidates
from gonogo.env.environment import Env
from gonogo.env.success import never_shown
from gonogo.env.target import Target
from gonogo.errors import CodecError, EnvironmentFailure, MissingExtra, PolicyFailure
from gonogo.policies.named import find_policy, teacher_named
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Schemas, numbered
from gonogo.training.forecast import most_tokens
from gonogo.training.plan.task_splits import Level
from gonogo.training.teachers import NoisyTeacher
from gonogo.wire import TaskOptions

EACH = 4
"""Tasks of each level that each policy flies."""
MOST_TURNS = 128
"""Decisions after which a flight is broken off, unless the map saw episodes that take longer."""
REPEATS = 4
"""How many times a teacher flies each task with noise, which draws anew: it would fly hundreds of traces."""
NOISE, STRESS = 0.1, 0.5
"""Share of a field's values that are random: in what a plan writes, and to see what a teacher dies of."""
NOT_TRYING = ("idle", "random")


@dataclass(frozen=True, slots=True)
class PolicyMeasurements:
    """What one policy came to.

    Attributes:
        score: Mean score of its episodes; None where none is paid.
        lowest: The lowest of them; None where none is paid.
        success: Share of them that succeeded; None where that is not said.
        turns: Decisions of each.
        refused: Share of the decisions that were refused.
    """

    score: float | None
    lowest: float | None
    success: float | None
    turns: tuple[int, ...]
    refused: float = 0.0


@dataclass(frozen=True, slots=True)
class PlanMeasurements:
    """What a plan is made from.

    Attributes:
        sessions: Episodes that the environment flies at once.
        policies: By name, the teacher first where there is one.
        teacher: Who succeeds; None where nobody is known to.
        levels: From those with the shortest episodes to those with the longest.
        ended: Decisions after which the environment itself ended the longest episode; None where it let some go on.
        turn_tokens: Tokens of a turn in long episodes, at most, what is said included.
        refused_tokens: Tokens that a turn shows after a refused reply, at most: the refusal and the observation.
        first_tokens: Tokens before the first observation.
        reply_tokens: Tokens of an action as a model writes it, at most.
        context: Tokens that a pretrained model's context holds; None where that is not known or for a new model.
        limit: Decisions after which an episode was broken off.
        cut: How many episodes were, of how many.
        lost: Why each episode that infrastructure lost was lost.
        flown: How many were flown in all.
        undisturbed: Why the teacher is not to be disturbed by noise; None where it bears it.
    """

    sessions: int
    policies: Mapping[str, PolicyMeasurements]
    teacher: str | None
    levels: tuple[Level, ...]
    ended: int | None
    turn_tokens: int
    refused_tokens: int
    first_tokens: int
    reply_tokens: int
    context: int | None
    limit: int = MOST_TURNS
    cut: tuple[int, int] = (0, 0)
    lost: tuple[str, ...] = ()
    flown: int = 0
    undisturbed: str | None = None


def teacher_of(target: Target, given: str | None) -> str | None:
    """Who is to be imitated: the given policy, else the one that the environment declares; None for nobody.

    Raises:
        Misuse: Nobody who is no model has that name.
    """
    if given is None:
        return None if target.references is None else target.references.teacher
    teacher_named(given, target, "--teacher")
    return None if given in NOT_TRYING else given


def measure(
    run: RunConfig,
    env: Env,
    options: TaskOptions,
    start: int,
    levels: Sequence[Level],
    teacher: str | None,
    noisy: Sequence[str] = (),
) -> PlanMeasurements:
    """Fly the first tasks of each level.

    Args:
        run: The config; how it flies and what its reward is are used, and which model is meant.
        env: The environment.
        options: Reset options of every task to train on.
        start: Number of the first of them.
        levels: Of the tasks; none where there is one level.
        teacher: Who is to be imitated.
        noisy: Fields of its actions that are to be random now and then.

    Raises:
        EnvironmentFailure: Not one episode had a turn.
        PolicyFailure: A policy failed.
        MissingExtra: The ``train`` extra is not installed, or what reads the model's tokenizer.
    """
    check_extra()
    sets = [{level.option: level.name} for level in levels] or [{}]
    tasks = [
        numbered({**options, **level}, start + number) for level in sets for number in range(EACH)
    ]
    flown: dict[str, list[Episode]] = {}
    undisturbed = None
    with env:
        sessions, schemas = env.connection.capacity, env.schemas
        for name in [*([teacher] if teacher else []), *NOT_TRYING]:
            named = find_policy(name, env.target, schemas, seed=run.seed)
            with closing(named.policy) as policy:
                flown[name] = env.rollout(policy, tasks)
        if teacher is not None and noisy:
            before = came_to(flown[teacher])
            undisturbed = why_undisturbed(run, env, teacher, noisy, [*tasks] * REPEATS, before)
    episodes = [episode for each in flown.values() for episode in each]
    never_shown(episodes)
    lost = [episode.error for episode in episodes if episode.error]
    whole = [episode for episode in episodes if not episode.error and episode.turns]
    if not whole:
        raise EnvironmentFailure(
            f"no episode could be flown: {lost[0] if lost else 'none has a turn'}"
        )
    longest, cut = max(whole, key=lambda e: len(e.turns)), sum(episode.cut for episode in whole)
    told, off = schemas.codec().instructions(), told_off(longest, schemas, whole)
    turn, refused, first, reply = tokens_of(run.model, whole, told, off)
    return PlanMeasurements(
        sessions=sessions,
        policies={name: came_to(each) for name, each in flown.items()},
        teacher=teacher,
        levels=tuple(by_length(levels, next(iter(flown.values())))),
        ended=None if cut else len(longest.turns),
        turn_tokens=turn,
        refused_tokens=refused,
        first_tokens=first,
        reply_tokens=reply,
        context=context_of(run),
        limit=run.rollout.max_turns,
        cut=(cut, len(whole)),
        lost=tuple(lost),
        flown=len(episodes),
        undisturbed=undisturbed,
    )


def check_extra() -> None:
    """Whether what counts tokens and disturbs a teacher can be imported.

    Raises:
        MissingExtra: The ``train`` extra is not installed.
    """
    try:
        import gonogo.training.transcripts  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name not in {"transformers", "tokenizers", "torch"}:
            raise
        raise MissingExtra("train", "a plan") from None


def why_undisturbed(
    run: RunConfig,
    env: Env,
    teacher: str,
    fields: Sequence[str],
    tasks: Sequence[TaskOptions],
    before: PolicyMeasurements,
) -> str | None:
    """Why a teacher is not to be disturbed; None where it flies on and succeeds with noise.

    It is flown with the noise that a plan writes, and with much more: what it dies of there, it would meet in hundreds
    of traces too.

    Args:
        run: The config.
        env: The environment.
        teacher: Name of the teacher.
        fields: Of its actions, in which it is to be disturbed as a training does it.
        tasks: What to fly.
        before: What it came to without noise.
    """
    said = f"{teacher} flew {len(tasks)} tasks with {{}} of {', '.join(fields)} random"
    after = before
    for share in (STRESS, NOISE):
        try:
            after = fly_disturbed(run, env, teacher, dict.fromkeys(fields, share), tasks)
        except PolicyFailure as error:
            last = str(error).splitlines()[0]
            return f"{said.format(f'{share:.0%}')}, and died of it: {last}"
    was, now = before.success, after.success
    if was is not None and now is not None and now < was / 2:
        return f"{said.format(f'{NOISE:.0%}')}, and succeeded in {now:.2f} instead of {was:.2f}"
    return None


def fly_disturbed(
    run: RunConfig,
    env: Env,
    teacher: str,
    noise: Mapping[str, float],
    tasks: Sequence[TaskOptions],
) -> PolicyMeasurements:
    """What a teacher comes to with noise in fields of its actions, as a training disturbs it."""
    able, random = (
        find_policy(name, env.target, env.schemas, seed=run.seed).policy
        for name in (teacher, "random")
    )
    rng = np.random.default_rng(run.seed)
    with closing(NoisyTeacher(able, random, lambda options: noise, rng)) as noisy:
        return came_to(env.rollout(noisy, tasks))


def context_of(run: RunConfig) -> int | None:
    """Tokens that a pretrained model's context holds."""
    from gonogo.models.memory import plan_of

    if run.model.pretrained is None:
        return None
    return plan_of(run.model, load_candidates(run.probe.candidates)).context


def came_to(episodes: Sequence[Episode]) -> PolicyMeasurements:
    """One policy's numbers."""
    kept = [episode for episode in episodes if not episode.error]
    scores = [e.episode_return for e in kept if e.episode_return is not None]
    known = [float(e.success) for e in kept if e.success is not None]
    return PolicyMeasurements(
        fmean(scores) if scores else None,
        min(scores, default=None),
        fmean(known) if known else None,
        tuple(len(e.turns) for e in kept),
        sum(e.invalid_count for e in kept) / max(1, sum(len(e.turns) for e in kept)),
    )


def by_length(levels: Sequence[Level], episodes: Sequence[Episode]) -> list[Level]:
    """The levels from the shortest episodes to the longest; equal ones stay in their order."""
    parts = [came_to(episodes[n * EACH : (n + 1) * EACH]).turns for n in range(len(levels))]
    means = [fmean(turns) if turns else math.inf for turns in parts]
    return [levels[number] for number in sorted(range(len(levels)), key=means.__getitem__)]


def told_off(episode: Episode, schemas: Schemas, flown: Sequence[Episode]) -> Episode:
    """An episode as it looks to a model whose replies are all refused, with the longest words that refuse one.

    Args:
        episode: Flown by a policy that is no model.
        schemas: The environment's.
        flown: Episodes in which the environment itself may have refused.
    """
    codec, space = schemas.codec(), Space(schemas.action, schemas.tools)
    wrong = ["", *(json.dumps(action) for _, action in space.malformed())]
    said = [refusal_of(codec, reply) for reply in wrong]
    said += [turn.invalid or "" for each in flown for turn in each.turns]
    longest = max(said, key=len)
    turns = [
        replace(turn, text=codec.render(turn.observation, longest or None))
        for turn in episode.turns
    ]
    return replace(episode, turns=turns)


def refusal_of(codec: Codec, reply: str) -> str:
    """What is wrong with a reply; empty where nothing is, or the environment says it."""
    try:
        codec.parse(reply)
    except CodecError as error:
        return str(error)
    return ""


def tokens_of(
    model: ModelConfig, episodes: Sequence[Episode], told: str, off: Episode
) -> tuple[int, int, int, int]:
    """Tokens of a turn in a long episode, of what it shows after a refusal, of what comes before, and of an action.

    Each at most. By the model's own tokenizer where it is on this machine, else by the bytes, which no tokenizer
    exceeds.
    """
    from gonogo.training.transcripts import count_tokens

    counted, with_told = (count_tokens(model, episodes, [t] * len(episodes)) for t in ("", told))
    shown = count_tokens(model, [off], [""], episodes)
    if counted is None or with_told is None or shown is None:
        refused = most_tokens(off)
        first, tokens = len(told.encode()), [most_tokens(episode) for episode in episodes]
        said = [json.dumps(t.action) for e in episodes for t in e.turns if t.action is not None]
        reply = max((len(text.encode()) for text in said), default=1)
    else:
        refused = shown[0][0] - shown[0][1]
        first, tokens = with_told[0][0] - counted[0][0], [all_of for all_of, _ in counted]
        own = zip(counted, episodes, strict=True)
        reply = max(math.ceil(said_in / len(episode.turns)) for (_, said_in), episode in own)
    # The first turn is the longest, and weighs most in short episodes: those say little of a long one.
    half = max(len(episode.turns) for episode in episodes) / 2
    turn = max(
        math.ceil(count / len(episode.turns))
        for count, episode in zip(tokens, episodes, strict=True)
        if len(episode.turns) >= half
    )
    return turn, math.ceil(refused / len(off.turns)), first, reply
