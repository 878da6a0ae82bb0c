"""From measurements to a config: each value with its reason. Nothing is flown or written here.

What is measured is a limit, a length or a name; what is not (how many steps, at which rate) is a round number that has
trained in other environments, and says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from gonogo.config import GrpoConfig, RunConfig, TaskSource
from gonogo.config.kept_flags import flat
from gonogo.policies.named import is_function
from gonogo.training.plan.measurements import NOISE, NOT_TRYING, PlanMeasurements
from gonogo.training.plan.task_splits import TaskRange
from gonogo.wire import TaskOptions

TURNS = 64
"""Decisions of an episode where nothing says how many it takes."""
ROOM = 1.25
"""How much longer than what was flown something may get."""
ROUND = 256
"""The context is a multiple of so many tokens."""
MANY = 2000
"""More tasks than such a training flies."""
PENALTY = GrpoConfig().invalid_penalty
"""For an episode whose replies are all refused, where nothing needs more."""
LEAST_REPLY = 12
"""Tokens of a reply at least: a few more than an action takes, so that a wrong one shows."""
LEAST_MEMORY = (
    "an episode at a time, its activations computed again: the least memory, and a third more time"
)
FEW = 8
"""Sessions under which flying takes most of the time."""
TRIED = "round numbers that trained elsewhere: the dry run says what they take"


@dataclass(frozen=True, slots=True)
class ConfigChoice:
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
    measured: PlanMeasurements,
    uses: tuple[TaskRange, TaskRange, TaskRange],
    noisy: Sequence[str],
    *,
    gpu: bool,
) -> list[ConfigChoice]:
    """All values, in the order of a config.

    Args:
        run: What was said on the command line.
        measured: What was flown.
        uses: Tasks to train on, to choose the checkpoint by, and to evaluate on.
        noisy: Fields of the action that may be random in what a teacher shows.
        gpu: Whether there is one here.
    """
    size = size_of(measured, pretrained=run.model.pretrained is not None, gpu=gpu)
    reply = max(LEAST_REPLY, math.ceil(ROOM * measured.reply_tokens))
    turns, why = turns_of(measured, reply)
    # What is made from nothing is refused in every turn at first, and is told why.
    turn = max(measured.turn_tokens, measured.refused_tokens + reply)
    most = measured.first_tokens + turns * turn + reply
    context = ROUND * math.ceil(most / ROUND)
    if measured.context is not None:
        context = min(context, measured.context)
    return [
        *named(run),
        *model(run, context, most, gpu=gpu),
        ConfigChoice(
            "rollout.slots",
            min(size.slots, measured.sessions),
            f"sessions that the environment has at once: {measured.sessions}; such a model flies {size.slots} at most",
        ),
        ConfigChoice("rollout.max_turns", turns, why),
        ConfigChoice(
            "rollout.max_reply_tokens",
            reply,
            f"an action took {measured.reply_tokens} tokens at most, and some room shows what is wrong",
        ),
        *spoken(run),
        *training(run, measured, uses, noisy, size),
        *evaluation(measured, uses[2]),
    ]


def named(run: RunConfig) -> Iterator[ConfigChoice]:
    """Which environment, and what the user said of it."""
    yield ConfigChoice("target", run.target, "the environment")
    yield ConfigChoice("out", str(run.out), "records, models and plots")
    yield ConfigChoice(
        "seed", run.seed, "of everything that draws at random; a claim about training takes three"
    )
    if run.reward is not None:
        yield ConfigChoice(
            "reward", str(run.reward), "pays in the environment's place, as was said"
        )
    if not run.theme.required:
        why = "goes on without a confirmed problem statement, as was said"
        yield ConfigChoice("theme.required", False, why)


def model(run: RunConfig, context: int, most: int, *, gpu: bool) -> Iterator[ConfigChoice]:
    """What is trained."""
    if run.model.pretrained is not None:
        yield ConfigChoice("model.pretrained", run.model.pretrained, "as was said")
        precision = "bf16" if gpu else "fp32"
        here = (
            "a GPU computes in it"
            if gpu
            else "there is no GPU here, and many a CPU only emulates bf16"
        )
        yield ConfigChoice("model.precision", precision, here)
        yield ConfigChoice(
            "model.lora",
            {"rank": 16, "alpha": 32},
            "a part of the weights is trained, which takes less memory",
        )
    else:
        shape = {"hidden": 96, "intermediate": 256, "layers": 3, "heads": 4, "key_value_heads": 2}
        for name, value in shape.items():
            yield ConfigChoice(
                f"model.{name}",
                value,
                "made from scratch, small enough for a CPU; --pretrained names another",
            )
        yield ConfigChoice(
            "model.vocabulary", run.model.vocabulary, "what the lengths below were counted with"
        )
    yield ConfigChoice(
        "model.context",
        context,
        f"an episode of rollout.max_turns decisions takes {most} tokens, if each reply is refused and told why",
    )


def turns_of(measured: PlanMeasurements, reply: int) -> tuple[int, str]:
    """Decisions of an episode at most, and what that rests on."""
    able = measured.policies.get(measured.teacher or "")
    if measured.ended is not None:
        turns = math.ceil(ROOM * measured.ended)
        why = (
            f"the environment ended each episode itself, the longest after {measured.ended} decisions, and a refused "
            "reply costs one too"
        )
    elif able is None or not able.success or not able.turns:
        turns = TURNS
        why = "the environment let episodes go on, and nobody who succeeds says how long one takes"
    else:
        turns = min(2 * max(able.turns), measured.limit)
        taken = f"{measured.teacher} takes {max(able.turns)} decisions, a beginner more"
        why = f"the environment let episodes go on; {taken}"
    if measured.context is None:
        return turns, why
    held = max(1, (measured.context - measured.first_tokens - reply) // measured.turn_tokens)
    if held >= turns:
        return turns, why
    return held, f"the model's context holds so many of them, and {turns} would be wanted: {why}"


def spoken(run: RunConfig) -> Iterator[ConfigChoice]:
    """How it is flown and audited, as the user said: a config stands for all that its run was begun with."""
    if run.rollout.success is not None:
        yield ConfigChoice("rollout.success", run.rollout.success, "what success is, as was said")
    plain = flat(RunConfig(target=run.target, out=run.out))
    for name, value in flat(run).items():
        if name not in {"seed", "rollout.success"} and value != plain[name]:
            yield ConfigChoice(name, value, "as was said")


def training(
    run: RunConfig,
    measured: PlanMeasurements,
    uses: tuple[TaskRange, TaskRange, TaskRange],
    noisy: Sequence[str],
    size: Size,
) -> Iterator[ConfigChoice]:
    """What is imitated and reinforced, and what chooses the checkpoint."""
    train, validation, _ = uses
    if (
        measured.teacher is not None
        and is_function(measured.teacher)
        and run.audit.reference is None
    ):
        yield ConfigChoice(
            "audit.reference", measured.teacher, "the policy that succeeds, also for the audit"
        )
    if run.model.pretrained is not None:
        yield ConfigChoice("train.micro_batch", 1, LEAST_MEMORY)
        yield ConfigChoice("train.gradient_checkpointing", True, LEAST_MEMORY)
    options = {**base(validation), **only_level(measured)}
    in_turn = each_level(measured) if len(measured.levels) > 1 else []
    source = TaskSource(options=options, in_turn=tuple(in_turn), start=validation.start)
    written = source.model_dump(mode="json", exclude=set() if in_turn else {"in_turn"})
    yield ConfigChoice("train.validation.tasks", written, validation.why)
    yield ConfigChoice(
        "train.validation.episodes",
        within(size.validation, validation),
        "enough to tell checkpoints apart",
    )
    if one_reply(measured):
        why = "an episode is one reply: greedily it is always the same"
        yield ConfigChoice("train.validation.decoding", "sampled", why)
    curriculum = list(stages(measured, train))
    yield ConfigChoice("train.curriculum.stages", curriculum, stages_why(measured, train))
    yield from imitation(measured, noisy, size)
    yield from reinforcement(measured, size)


class StageFields(TypedDict, total=False):
    """Fields of a stage that a plan gives, in their order; see :class:`~gonogo.config.Stage`."""

    name: str
    options: TaskOptions
    tasks: int
    taught: int


def stages(measured: PlanMeasurements, train: TaskRange) -> Iterator[StageFields]:
    """Stages of the curriculum: the levels, or all tasks."""
    levels: list[StageFields] = [
        {"name": str(level.name), "options": {**base(train), level.option: level.name}}
        for level in measured.levels
    ]
    for stage in levels or [StageFields(name="all", options=base(train))]:
        if train.count is not None and train.count < MANY:
            stage["tasks"] = train.count
        if len(levels) > 1 and stage is levels[0]:
            stage["taught"] = len(levels) - 1
        yield stage


def stages_why(measured: PlanMeasurements, train: TaskRange) -> str:
    """Where the stages come from."""
    if len(measured.levels) < 2:
        return train.why
    best = next(iter(measured.policies))
    return (
        f"levels from the shortest to the longest, as {best} flew them; half of what is taught is of the first, and "
        "the next opens when one is won"
    )


def imitation(
    measured: PlanMeasurements, noisy: Sequence[str], size: Size
) -> Iterator[ConfigChoice]:
    """The supervised part."""
    teacher = measured.teacher
    if teacher is None:
        why = "nobody is known to succeed: this teaches how an action is written, no more"
        yield ConfigChoice("train.sft.teacher", "random", why)
    else:
        yield ConfigChoice("train.sft.teacher", teacher, "the policy to imitate")
    if teacher is not None and measured.undisturbed is not None:
        yield ConfigChoice("train.sft.noise", {}, f"no action is random: {measured.undisturbed}")
    elif teacher is not None and noisy:
        why = "what is random now and then shows how to recover, and what else there is"
        yield ConfigChoice("train.sft.noise", dict.fromkeys(noisy, NOISE), why)
    for name, value in size.sft.items():
        yield ConfigChoice(f"train.sft.{name}", value, size.why)


def reinforcement(measured: PlanMeasurements, size: Size) -> Iterator[ConfigChoice]:
    """The part after it."""
    # A model may come to act like any of them, and then to say nothing must not be worth more.
    paid = {
        name: flown.lowest for name, flown in measured.policies.items() if flown.lowest is not None
    }
    worst = min(paid, key=lambda name: paid[name], default=None)
    if worst is not None and paid[worst] < -PENALTY:
        yield ConfigChoice(
            "train.grpo.invalid_penalty",
            math.ceil(-ROOM * paid[worst]),
            f"an episode by {worst} was paid {paid[worst]:.3g}, and one whose replies are all refused must not be "
            "worth more",
        )
    for name, value in size.grpo.items():
        yield ConfigChoice(f"train.grpo.{name}", value, size.why)


def evaluation(measured: PlanMeasurements, test: TaskRange) -> Iterator[ConfigChoice]:
    """Which held-out tasks decide, and who flies them."""
    if test.split is not None:
        yield ConfigChoice("evaluation.split", test.split, test.why)
    for option, name in only_level(measured).items():
        field = "level" if option == "level" else f"options.{option}"
        yield ConfigChoice(f"evaluation.{field}", name, "the only one that there is")
    if len(measured.levels) > 1:
        why = "all that is trained is judged, each as often as the others"
        yield ConfigChoice("evaluation.in_turn", each_level(measured), why)
    yield ConfigChoice("evaluation.start", test.start, test.why)
    yield ConfigChoice(
        "evaluation.episodes",
        within(100, test),
        "an interval of about a tenth to either side at worst",
    )
    others = [name for name in measured.policies if name not in NOT_TRYING]
    names = [*NOT_TRYING, *others, "untrained", "sft", "trained"]
    if one_reply(measured):
        names += ["untrained_sampled", "sft_sampled", "trained_sampled"]
    yield ConfigChoice(
        "evaluation.policies", names, "what is trained, beside everybody who is known"
    )


def base(tasks: TaskRange) -> TaskOptions:
    """Reset options of all tasks of a use."""
    return {} if tasks.split is None else {"split": tasks.split}


def only_level(measured: PlanMeasurements) -> TaskOptions:
    """The reset option of the level where there is but one."""
    levels = measured.levels
    return {levels[0].option: levels[0].name} if len(levels) == 1 else {}


def each_level(measured: PlanMeasurements) -> list[TaskOptions]:
    """The reset option of each level."""
    return [{level.option: level.name} for level in measured.levels]


def within(wanted: int, tasks: TaskRange) -> int:
    """As many tasks as are wanted, or as there are."""
    return wanted if tasks.count is None else max(1, min(wanted, tasks.count))


def one_reply(measured: PlanMeasurements) -> bool:
    """Whether every episode that was flown is a single decision."""
    return all(turn == 1 for flown in measured.policies.values() for turn in flown.turns)


@dataclass(frozen=True, slots=True)
class Size:
    """How much is flown and learned, for a kind of model and machine.

    Attributes:
        slots: Episodes at once at most.
        validation: Episodes of one validation.
        sft: Fields of the supervised part.
        grpo: Fields of the part after it.
        why: The reason for all of them.
    """

    slots: int
    validation: int
    sft: dict[str, float]
    grpo: dict[str, float]
    why: str = TRIED


def size_of(measured: PlanMeasurements, *, pretrained: bool, gpu: bool) -> Size:
    """The size that fits the model, the machine and the environment."""
    if pretrained and not gpu:
        why = "a start that a CPU takes hours over: for more there is a GPU"
        return Size(8, 8, sft_size(240, 240, 1, 120, 1e-3), grpo_size(3, 2, 4, 3, 1e-4), why)
    if pretrained:
        return Size(16, 32, sft_size(400, 400, 8, 100, 2e-4), grpo_size(40, 4, 8, 10, 2e-5))
    sft, group = sft_size(400, 600, 4, 200, 3e-3), 16
    if measured.teacher is None:
        sft = sft_size(100, 150, 8, 50, 3e-3)
        group = 32  # among many random beginners one may be paid
    if measured.sessions >= FEW:
        return Size(64, 32, sft, grpo_size(40, 4, group, 10, 1e-3))
    why = "few sessions at once take long over an episode: more where there is time"
    return Size(64, 32, sft, grpo_size(20, 2, group // 2, 5, 1e-3), why)


def sft_size(
    episodes: int, max_steps: int, batch: int, validate_every: int, learning_rate: float
) -> dict[str, float]:
    """Fields of the supervised part."""
    return {
        "episodes": episodes,
        "max_steps": max_steps,
        "batch": batch,
        "learning_rate": learning_rate,
        "validate_every": validate_every,
    }


def grpo_size(
    steps: int, tasks_per_step: int, group_size: int, validate_every: int, learning_rate: float
) -> dict[str, float]:
    """Fields of the part after it; its learning rate falls from the first step to the last."""
    return {
        "steps": steps,
        "tasks_per_step": tasks_per_step,
        "group_size": group_size,
        "validate_every": validate_every,
        "learning_rate": learning_rate,
        "learning_rate_end": learning_rate * 0.3,
    }
