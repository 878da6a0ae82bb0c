"""The evaluate station: the same held-out tasks for every policy, compared pair by pair.

It leaves ``evaluation.json``, the episodes behind it under ``evaluation/``, and the plots. The record holds every
number that a README or plot may say, with what reproduces it. The verdict follows from its ``criteria``
(:mod:`gonogo.evaluation.verdict`): did the training make an agent that is better, on tasks that are new to it, than
what imitation or doing nothing comes to, and not as an exploit? Its tables say the same words in a terminal and in a
README.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.table import Table

from gonogo.config import RunConfig, TrainConfig
from gonogo.env.acceptance import acceptances
from gonogo.env.environment import Env
from gonogo.env.success import never_shown
from gonogo.errors import MissingRecord, StaleRecord
from gonogo.evaluation.held_out import held_out_criterion, hold_apart, training_tasks
from gonogo.evaluation.rollout import EvaluationRollouts, constants_in_words, fly_all
from gonogo.evaluation.verdict import (
    IMITATED,
    WORDING,
    became_exploit,
    conclude,
    criteria_of,
    criterion,
    likenesses,
)
from gonogo.models.hub import refresh_cards
from gonogo.plots.evaluation_plots import choose_task, draw_before_after, draw_reward_curve
from gonogo.records.evaluation import EvaluatedTasks, EvaluationReport
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, percent
from gonogo.records.terminal import Terminal
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.rollouts.summary import (
    BASELINE,
    CANDIDATE,
    METHOD,
    ONE_SEED,
    default_pairs,
    exclusions,
    oddities,
    summarize,
)
from gonogo.wire import TaskOptions

SectionT = TypeVar("SectionT", bound=BaseModel)

MADE = ("evaluation.json", "evaluation", "reward_curve.png", "before_after.png")
"""What an evaluation leaves in its run's folder."""
POLICY_COLUMNS = ("policy", "decoding", "score", "success", "invalid", "timeouts", "turns")
NAME = 30
"""Characters of a name, or of two that are compared, that stay on a line."""
CRITERIA_COLUMNS = ("criterion", "", "found")
COMPARISON_COLUMNS = ("compared", "score difference", "success difference", "change", "McNemar p")


def run(run: RunConfig, *, over_ray: bool = False) -> Verdict:
    """The verdict of :func:`evaluate`."""
    with Env.of(run) as env:
        return evaluate(run, env, over_ray=over_ray).verdict


def evaluate(run: RunConfig, env: Env, *, over_ray: bool = False) -> EvaluationReport:
    """Fly, compare, write the record and draw the plots.

    Args:
        run: The config; its ``evaluation`` says which tasks, policies and comparisons.
        env: The environment.
        over_ray: Whether Ray's workers fly instead of this process; the numbers are the same.

    Returns:
        The record; it is GO where all criteria hold, NO-GO where one does not, HOLD where one cannot be told: nothing
        was trained, a policy was not flown, too many episodes were lost, or the tasks are copies of those of training.

    Raises:
        Misuse: A policy or the target is not there, or ``rollout.success`` asks for what no episode shows.
        EnvironmentFailure: The environment could not be opened.
        PolicyFailure: A policy failed.
    """
    flown = fly_all(run, env, over_ray=over_ray)
    never_shown(episode for episodes in flown.episodes.values() for episode in episodes)
    describe(run, env, flown).save(run.out)
    record = EvaluationReport.load(run.out)
    refresh_cards(run.out)
    console = Terminal()
    print_evaluation(record, console)
    draw(run, flown, record)
    said = f"{WORDS[record.verdict.name]}: {record.reason}"
    console.print(said, markup=False, highlight=False)
    return record


def describe(run: RunConfig, env: Env, flown: EvaluationRollouts) -> EvaluationReport:
    """The record."""
    plan = run.evaluation
    pairs = plan.compare or default_pairs(list(flown.episodes))
    numbers = summarize(flown.episodes, pairs, run.seed)
    likeness = likenesses(run, env, {name: flown.episodes[name] for name in flown.models})
    hacked = {
        row.candidate: became_exploit(likeness[row.candidate], row)
        for row in numbers.comparisons
        if row.baseline == BASELINE and row.candidate in likeness
    }
    tasks = trained_on(run) if CANDIDATE in flown.episodes else None
    held_out = None if tasks is None else hold_apart(run, env, tasks, plan.tasks())
    criteria = (
        *criteria_of(numbers.policies, run.seed, baselines(run)),
        *([held_out_criterion(held_out)] if CANDIDATE in flown.episodes else []),
        *([criterion("exploit", *hacked[CANDIDATE])] if CANDIDATE in hacked else []),
    )
    verdict, reason = conclude(criteria)
    accepted = acceptances(env.target).entries if flown.models else ()
    seeds = (training_seed(run),) if flown.models else ()
    return EvaluationReport(
        target=run.target,
        environment=flown.environment,
        source_hash=flown.source,
        reward_hash=reward_hash(run.reward),
        split=plan.split,
        level=plan.level,
        episodes=plan.episodes,
        tasks=EvaluatedTasks(first=plan.tasks()[0], count=plan.episodes),
        training_seeds=seeds,
        seed=run.seed,
        verdict=verdict,
        reason=reason,
        criteria=criteria,
        wording=WORDING,
        accepted=accepted,
        held_out=held_out,
        constants=flown.constants,
        method=METHOD,
        notes=(
            *([ONE_SEED] if seeds else []),
            *exclusions(numbers.policies),
            *oddities(numbers.policies),
            *constants_in_words(flown.constants),
            *(f"accepted of the audit: {each.finding}, because {each.reason}" for each in accepted),
            *(f"{name}: {said}" for name, (_, said) in hacked.items()),
        ),
        likeness=likeness,
        shown_task=choose_task(flown.episodes),
        policies={
            name: entry.model_copy(update={"model_hash": flown.models.get(name)})
            for name, entry in numbers.policies.items()
        },
        comparisons=numbers.comparisons,
        config=run.model_dump(mode="json", include={"reward", "rollout", "evaluation"}),
        **provenance(),
    )


def baselines(run: RunConfig) -> list[str]:
    """Models that the trained one has to beat: the untrained one, and what imitation alone came to."""
    imitated = (run.trained_in / "models" / IMITATED).is_dir()
    return [BASELINE, IMITATED] if imitated else [BASELINE]


def trained_on(run: RunConfig) -> list[TaskOptions] | None:
    """Tasks that the run's models were trained on, by the training's record, else by the config; None for neither.

    Raises:
        StaleRecord: The record's config is not one of this version.
    """
    target, train = run.target, run.train
    try:
        record = TrainingReport.load(run.trained_in)
    except MissingRecord:
        record = None
    if record is not None and (recorded := record.config.get("train")) is not None:
        target = record.made_by.target
        path = TrainingReport.path(run.trained_in)
        train = recorded_section(TrainConfig, recorded, "config.train", path)
    if train is None:
        return None
    others = {each.target: each.name for each in train.environments}
    if run.target not in {target, *others}:
        return None
    return training_tasks(train, others.get(run.target))


def recorded_section(kind: type[SectionT], said: object, place: str, source: object) -> SectionT:
    """A section of a config as a record has it.

    Args:
        kind: Of the section.
        said: What the record holds.
        place: Where it holds that.
        source: The record, for the message.

    Raises:
        StaleRecord: It is not one of this version.
    """
    try:
        return kind.model_validate_json(json.dumps(said))
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join([place, *map(str, first["loc"])])
        raise StaleRecord(f"{source}: {at}: {first['msg']}") from error


def training_seed(run: RunConfig) -> int:
    """Seed that the run's models were trained with: their record's, else the config's."""
    try:
        return TrainingReport.load(run.trained_in).made_by.seed
    except MissingRecord:
        return run.seed


def draw(run: RunConfig, flown: EvaluationRollouts, record: EvaluationReport) -> None:
    """Draw what there is data for: the curve of a training, the flights before and after it."""
    if rows := TrainingRow.log(run.out):
        draw_reward_curve(rows, record, run.out / "reward_curve.png")
    draw_before_after(flown.episodes, record, run.out / "before_after.png")


def print_evaluation(record: EvaluationReport, console: Console) -> None:
    """Print the record: policies, comparisons, what GO needs, what the intervals cover."""
    title = f"{record.environment}, {tasks_in_words(record)}"
    for name, columns, rows in (
        (title, POLICY_COLUMNS, policy_rows(record)),
        (None, COMPARISON_COLUMNS, comparison_rows(record)),
        ("What GO needs", CRITERIA_COLUMNS, criteria_rows(record)),
    ):
        table = Table(*columns, title=name, title_justify="left")
        listed = list(rows)
        for row in listed:
            table.add_row(*row)
        # A name that is longer, such as a function's, is folded, and no figure is cut for it.
        table.columns[0].no_wrap = all(len(row[0]) <= NAME for row in listed)
        table.columns[0].overflow = "fold"
        if table.row_count:
            console.print(table)
    for note in record.notes:
        console.print(f"Note: {note}", markup=False, highlight=False)


def tasks_in_words(record: EvaluationReport) -> str:
    """What was flown, as in ``200 tasks (level detumble, split test), the same for every policy``."""
    named = f" ({', '.join(options)})" if (options := record.where()) else ""
    count = record.episodes
    return f"{count} task{'s' * (count != 1)}{named}, the same for every policy"


def policy_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each policy."""
    for name, entry in record.policies.items():
        yield (
            name,
            entry.decoding or "-",
            estimate(entry.score),
            estimate(entry.success),
            percent(entry.invalid_rate),
            percent(entry.timeout_rate),
            decimal(entry.mean_turns, 1),
        )


def comparison_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each comparison."""
    for row in record.comparisons:
        change, p = row.improvement_percent, row.mcnemar_p
        yield (
            f"{row.candidate} − {row.baseline}",
            estimate(row.score_difference, "+"),
            estimate(row.success_difference, "+"),
            "-" if change is None else f"{change:+.0f} %",
            "-" if p is None else f"{p:.2g}",
        )


def criteria_rows(record: EvaluationReport) -> Iterator[tuple[str, ...]]:
    """A row of texts for each criterion of the verdict."""
    for row in record.criteria:
        yield row.id.replace("_", " "), WORDS[row.verdict.name], row.said
