"""From measurements to a config: each value with its reason. Nothing is flown or written here.

The values are a beginning that runs in minutes where the model is small. What is measured is a limit, a length or a
name; what is not (how many steps, at which rate) is a round number that has trained in other environments, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gonogo.adapters.policies import is_function
from gonogo.config import GrpoConfig, RunConfig
from gonogo.rollout.protocols import Json
from gonogo.stations.plan.measure import MOST_TURNS, NOT_TRYING, Flown, Measured
from gonogo.stations.plan.tasks import Tasks

__all__ = ["Choice", "advice", "choose"]

SLOTS = 64
"""Episodes at once at most: more is slower for a model of any size on few cores."""
TURNS = 64
"""Decisions of an episode where nothing says how many it takes."""
ROOM = 1.25
"""How much longer than what was flown something may get."""
ROUND = 256
"""The context is a multiple of so many tokens."""
FEW = 8
"""Sessions under which flying takes most of the time."""
MANY = 2000
"""More tasks than such a training flies."""
PENALTY = GrpoConfig().invalid_penalty
"""For an episode whose replies are all refused, where nothing needs more."""
LEAST_REPLY = 12
"""Tokens of a reply at least: a few more than an action takes, so that a wrong one shows."""
TRIED = "a round number that trained elsewhere: the dry run says what it takes"


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of the config.

    Attributes:
        field: Its dotted name.
        value: What it is set to.
        why: The reason, in a sentence.
    """

    field: str
    value: Any
    why: str


def choose(
    run: RunConfig,
    measured: Measured,
    uses: tuple[Tasks, Tasks, Tasks],
    noisy: Sequence[str],
    *,
    gpu: bool,
) -> list[Choice]:
    """All values, in the order of a config.

    Args:
        run: What was said on the command line.
        measured: What was flown.
        uses: Tasks to train on, to choose the checkpoint by, and to evaluate on.
        noisy: Fields of the action that may be random in what a teacher shows.
        gpu: Whether there is one here.
    """
    turns = turns_of(measured)
    reply = max(LEAST_REPLY, math.ceil(ROOM * measured.reply_tokens))
    most = measured.first_tokens + turns * (measured.turn_tokens + reply)
    context = ROUND * math.ceil(ROOM * most / ROUND)
    return [
        *named(run),
        *model(run, context, most, gpu=gpu),
        Choice(
            "rollout.slots",
            min(SLOTS, measured.sessions),
            f"sessions that the environment has at once, of {run.rollout.slots} that were asked for",
        ),
        Choice("rollout.max_turns", turns, turns_why(measured)),
        Choice(
            "rollout.max_reply_tokens",
            reply,
            f"an action took {measured.reply_tokens} tokens at most, and some room shows what is wrong",
        ),
        *spoken(run),
        *training(run, measured, uses, noisy),
        *evaluation(measured, uses[2]),
    ]


def named(run: RunConfig) -> Iterator[Choice]:
    """Which environment, and what the user said of it."""
    yield Choice("target", run.target, "the environment")
    yield Choice("out", str(run.out), "records, models and plots")
    yield Choice(
        "seed", run.seed, "of everything that draws at random; a claim about training takes three"
    )
    if run.reward is not None:
        yield Choice("reward", str(run.reward), "pays in the environment's place, as was said")
    if not run.theme.required:
        why = "goes on without a confirmed problem statement, as was said"
        yield Choice("theme.required", False, why)


def model(run: RunConfig, context: int, most: int, *, gpu: bool) -> Iterator[Choice]:
    """What is trained."""
    if run.model.pretrained is not None:
        yield Choice("model.pretrained", run.model.pretrained, "as was said")
        precision = "bf16" if gpu else "fp32"
        here = (
            "a GPU computes in it"
            if gpu
            else "there is no GPU here, and many a CPU only emulates bf16"
        )
        yield Choice("model.precision", precision, here)
        yield Choice(
            "model.lora",
            {"rank": 16, "alpha": 32},
            "a part of the weights is trained, which takes less memory",
        )
    else:
        shape = {"hidden": 96, "intermediate": 256, "layers": 3, "heads": 4, "key_value_heads": 2}
        for name, value in shape.items():
            yield Choice(
                f"model.{name}",
                value,
                "made from scratch, small enough for a CPU; --pretrained names another",
            )
        yield Choice(
            "model.vocabulary", run.model.vocabulary, "what the lengths below were counted with"
        )
    yield Choice(
        "model.context",
        context,
        f"an episode of rollout.max_turns decisions takes {most} tokens, and errors are told too",
    )


def turns_of(measured: Measured) -> int:
    """Decisions of an episode at most."""
    if measured.ended is not None:
        return min(math.ceil(ROOM * measured.ended), MOST_TURNS)
    able = measured.policies.get(measured.teacher or "")
    return TURNS if able is None or not able.success else min(2 * max(able.turns), MOST_TURNS)


def turns_why(measured: Measured) -> str:
    """What an episode's length rests on."""
    if measured.ended is not None:
        return (
            f"the environment ended each episode itself, the longest after {measured.ended} decisions, and a refused "
            "reply costs one too"
        )
    able = measured.policies.get(measured.teacher or "")
    if able is None or not able.success:
        return "the environment let episodes go on, and nobody who succeeds says how long one takes"
    return f"the environment let episodes go on; {measured.teacher} takes {max(able.turns)} decisions, a beginner more"


def spoken(run: RunConfig) -> Iterator[Choice]:
    """How it is flown, as the user said."""
    if run.rollout.success is not None:
        yield Choice("rollout.success", run.rollout.success, "what success is, as was said")


def training(
    run: RunConfig, measured: Measured, uses: tuple[Tasks, Tasks, Tasks], noisy: Sequence[str]
) -> Iterator[Choice]:
    """What is imitated and reinforced, and what chooses the checkpoint."""
    train, validation, _ = uses
    teacher, pretrained = measured.teacher, run.model.pretrained is not None
    if teacher is not None and is_function(teacher):
        yield Choice("audit.reference", teacher, "the policy that succeeds, also for the audit")
    if pretrained:
        yield Choice("train.micro_batch", 1, "an episode at a time takes the least memory")
    options = {**base(validation), **easiest(measured)}
    yield Choice(
        "train.validation.tasks", {"options": options, "start": validation.start}, validation.why
    )
    yield Choice(
        "train.validation.episodes", within(32, validation), "enough to tell checkpoints apart"
    )
    if one_reply(measured):
        yield Choice(
            "train.validation.decoding",
            "sampled",
            "an episode is one reply: greedily it is always the same",
        )
    yield Choice(
        "train.curriculum.stages", list(stages(measured, train)), stages_why(measured, train)
    )
    yield from imitation(teacher, noisy, pretrained=pretrained)
    yield from reinforcement(measured, pretrained=pretrained)


def stages(measured: Measured, train: Tasks) -> Iterator[Json]:
    """Stages of the curriculum: the levels, or all tasks."""
    few = {} if train.count is None or train.count >= MANY else {"tasks": train.count}
    if not measured.levels:
        yield {"name": "all", "options": base(train), **few}
    for number, level in enumerate(measured.levels):
        options = {**base(train), level.option: level.name}
        most = (
            {"taught": len(measured.levels) - 1} if number == 0 < len(measured.levels) - 1 else {}
        )
        yield {"name": level.name, "options": options, **few, **most}


def stages_why(measured: Measured, train: Tasks) -> str:
    """Where the stages come from."""
    if len(measured.levels) < 2:
        return train.why
    best = next(iter(measured.policies))
    return (
        f"levels from the easiest to the hardest, by what {best} came to on each; half of what is taught is of the "
        "first, and the next opens when one is won"
    )


def imitation(teacher: str | None, noisy: Sequence[str], *, pretrained: bool) -> Iterator[Choice]:
    """The supervised part."""
    if teacher is None:
        yield Choice(
            "train.sft.teacher",
            "random",
            "nobody is known to succeed: this teaches how an action is written, no more",
        )
        size = {"episodes": 100, "max_steps": 150, "batch": 8, "validate_every": 50}
    else:
        yield Choice("train.sft.teacher", teacher, "the policy to imitate")
        if noisy:
            noise = dict.fromkeys(noisy, 0.1)
            yield Choice(
                "train.sft.noise",
                noise,
                "what is random now and then shows how to recover, and what else there is",
            )
        size = {"episodes": 400, "max_steps": 600, "batch": 4, "validate_every": 200}
    rate = 1e-4 if pretrained else 3e-3
    for name, value in {**size, "learning_rate": rate}.items():
        yield Choice(f"train.sft.{name}", value, TRIED)


def reinforcement(measured: Measured, *, pretrained: bool) -> Iterator[Choice]:
    """The part after it."""
    crowd, why = 16, "returns of one task are compared"
    if measured.teacher is None:
        crowd, why = 32, "among so many random beginners one may be paid"
    steps, tasks, tried = 40, 4, TRIED
    if measured.sessions < FEW:
        crowd, steps, tasks = crowd // 2, steps // 2, tasks // 2
        tried = "few sessions at once take long over an episode: more where there is time"
    yield Choice("train.grpo.group_size", crowd, why)
    yield Choice("train.grpo.steps", steps, tried)
    yield Choice("train.grpo.tasks_per_step", tasks, tried)
    if (lowest := lowest_of(measured)) < -PENALTY:
        yield Choice(
            "train.grpo.invalid_penalty",
            math.ceil(-ROOM * lowest),
            f"an episode was paid {lowest:.3g}, and one whose replies are all refused must not be worth more",
        )
    rate, end = (2e-5, 5e-6) if pretrained else (1e-3, 3e-4)
    rest = {"validate_every": steps // 4, "learning_rate": rate, "learning_rate_end": end}
    for name, value in rest.items():
        yield Choice(f"train.grpo.{name}", value, TRIED)


def lowest_of(measured: Measured) -> float:
    """What the worst episode of those who act was paid; 0 where none was paid less."""
    acting = [flown for name, flown in measured.policies.items() if name != "idle"]
    return min((flown.lowest for flown in acting if flown.lowest is not None), default=0.0)


def evaluation(measured: Measured, test: Tasks) -> Iterator[Choice]:
    """Which held-out tasks decide, and who flies them."""
    if test.split is not None:
        yield Choice("evaluation.split", test.split, test.why)
    for level in measured.levels[:1]:
        field = "level" if level.option == "level" else f"options.{level.option}"
        yield Choice(f"evaluation.{field}", level.name, "the level that is trained first")
    yield Choice("evaluation.start", test.start, test.why)
    yield Choice(
        "evaluation.episodes",
        within(100, test),
        "an interval of about a tenth to either side at worst",
    )
    others = [name for name in measured.policies if name not in NOT_TRYING]
    names = [*NOT_TRYING, *others, "untrained", "sft", "trained"]
    if one_reply(measured):
        names += ["untrained_sampled", "sft_sampled", "trained_sampled"]
    yield Choice("evaluation.policies", names, "what is trained, beside everybody who is known")


def base(tasks: Tasks) -> Json:
    """Reset options of all tasks of a use."""
    return {} if tasks.split is None else {"split": tasks.split}


def easiest(measured: Measured) -> Json:
    """The reset option of the first level, where there are levels."""
    return {level.option: level.name for level in measured.levels[:1]}


def within(wanted: int, tasks: Tasks) -> int:
    """As many tasks as are wanted, or as there are."""
    return wanted if tasks.count is None else max(1, min(wanted, tasks.count))


def one_reply(measured: Measured) -> bool:
    """Whether every episode that was flown is a single decision."""
    return all(turn == 1 for flown in measured.policies.values() for turn in flown.turns)


def advice(measured: Measured) -> Iterator[str]:
    """What the measurements say against training now, and what to do about it."""
    idle, random = (measured.policies[name] for name in NOT_TRYING)
    able = measured.policies.get(measured.teacher or "")
    if all(flown.success is None for flown in measured.policies.values()):
        yield (
            "no episode says whether it succeeded, so that neither the audit nor the watch can tell a reward from what "
            "it is for: say it with --success"
        )
    if able is None and not above(random, idle):
        yield (
            "nobody who was flown is paid more than doing nothing, and the random policy's actions leave reinforcement "
            "nothing to prefer: name who succeeds with --teacher, such as a function of your own"
        )
    if able is not None and not above(able, idle):
        paid = f"{decimal(able)} and {decimal(idle)}"
        yield f"{measured.teacher} is not paid more than doing nothing ({paid}): is it the one to imitate?"
    if measured.sessions == 1:
        yield "the environment flies one session at a time, so that episodes wait for each other: training takes longer"


def above(flown: Flown, other: Flown) -> bool:
    """Whether one policy is paid more than another, on the same tasks."""
    return flown.score is not None and (other.score is None or flown.score > other.score)


def decimal(flown: Flown) -> str:
    """A policy's score in a sentence."""
    return "nothing" if flown.score is None else f"{flown.score:.3f}"
