"""gonogo plan: the file of a config to train by, written for one environment from its map and a few flights.

It answers no GO: it writes what a newcomer would have to guess, and the dry run that follows says whether it holds. The
file is the user's from then on; one that is there is not written over unless that is asked for. Beside it stands what
the flights say against training now, and what to do about it.
"""

from __future__ import annotations

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import yaml

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import MissingRecord, Misuse, StaleRecord
from gonogo.models.machine import has_gpu
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ActionInterface, ContractReport
from gonogo.records.files import write_text
from gonogo.records.record import Verdict
from gonogo.records.tables import TextTable, print_tables
from gonogo.records.terminal import Terminal
from gonogo.rollouts.summary import MOSTLY, losses_in_words, refused_in_words, too_many
from gonogo.training.plan.config_choices import ConfigChoice, choose
from gonogo.training.plan.measurements import (
    MOST_TURNS,
    NOT_TRYING,
    PlanMeasurements,
    PolicyMeasurements,
    measure,
    teacher_of,
)
from gonogo.training.plan.task_splits import levels_of, shown, tasks_of

VOCABULARY = 1024
"""Of a model made from scratch: what a few kinds of numbers and some dozens of phrases take."""
WIDTH = 110
"""Characters of a line of reasons."""


def check(run: RunConfig, file: Path, teacher: str | None, *, overwrite: bool) -> None:
    """Whether a plan could be written at all, before anything flies.

    Args:
        run: The config.
        file: Where the plan goes.
        teacher: Who is to be imitated, as it was given.
        overwrite: Whether a file that is there is written over.

    Raises:
        Misuse: The file is there, or no policy has that name.
        TargetError: There is no environment at the target.
    """
    if file.exists() and not overwrite:
        raise Misuse(f"{file} is there already: choose another --file, or --overwrite it")
    teacher_of(Env.of(run).target, teacher)


def run(run: RunConfig, file: Path, teacher: str | None) -> Verdict:
    """Measure, choose, write, and print each value with its reason.

    Args:
        run: Target, seed, reward, success, and the pretrained model if one is meant; a map of it is in its folder.
        file: Where to.
        teacher: Who is to be imitated; None for the policy that the environment declares.

    Returns:
        GO; HOLD where so many episodes were lost that those that are left do not stand for all.

    Raises:
        Misuse: No policy has the teacher's name.
        MissingRecord: There is no map.
        StaleRecord: It is of another version of the environment.
        EnvironmentFailure: Nothing could be flown.
        PolicyFailure: A policy failed.
        MissingExtra: The ``train`` extra is not installed.
    """
    source = Env.of(run).source
    mapped = ContractReport.load(run.out, source)
    run = run.within(max(MOST_TURNS, mapped.terminal.limit))
    if run.model.pretrained is None:
        shape = run.model.model_copy(update={"vocabulary": VOCABULARY})
        run = run.model_copy(update={"model": shape})
    uses = tasks_of(mapped.tasks.splits)
    train = uses[0]
    options = {} if train.split is None else {"split": train.split}
    parameters = mapped.reset.names
    levels = levels_of(shown(mapped.tasks, train.split), parameters, declared=train.split is None)
    env = Env.of(run)
    noisy, able = noisy_fields(mapped.action), teacher_of(env.target, teacher)
    measured = measure(run, env, options, train.start, levels, able, noisy)
    choices = choose(run, measured, uses, noisy, gpu=has_gpu())
    write_text(file, text_of(choices, file))
    notes = [
        *advice(measured),
        *without_seed(measured, parameters),
        *unsaid(run, source),
        *unconfirmed(run),
    ]
    say(measured, notes, file, len(choices))
    return Verdict.HOLD if too_many(len(measured.lost), measured.flown) else Verdict.GO


def noisy_fields(action: ActionInterface) -> list[str]:
    """Fields of the action that a teacher may be disturbed in: choices and numbers that every action has."""
    if action.tools:
        return []  # a call of another tool is no slip
    return [
        field.name for field in action.fields if field.required and (field.choices or field.bounds)
    ]


def text_of(choices: Sequence[ConfigChoice], file: Path) -> str:
    """The file: YAML, with a comment above each value, or above those that share a reason."""
    lines = [
        "# Written by gonogo plan from the environment's map and a few flights; yours from here on.",
        "#",
        f"#   gonogo train --config {file} --dry-run    what it takes, and whether all is there",
        f"#   gonogo demo  --config {file}              map, audit, train, evaluate, report",
    ]
    above: list[str] = []
    for (sections, why), group in groupby(choices, lambda c: (c.field.split(".")[:-1], c.why)):
        shared = 0
        while shared < min(len(above), len(sections)) and above[shared] == sections[shared]:
            shared += 1
        for depth, name in enumerate(sections[shared:], start=shared):
            lines += [""] * (depth == 0) + [f"{'  ' * depth}{name}:"]
        above, indent = sections, "  " * len(sections)
        lines += [f"{indent}# {line}" for line in textwrap.wrap(why, WIDTH - len(indent))]
        for choice in group:
            name = choice.field.rpartition(".")[2]
            if isinstance(choice.value, list) and isinstance(choice.value[0], dict):
                lines.append(f"{indent}{name}:")
                lines += [f"{indent}  - {value_text(each)}" for each in choice.value]
            else:
                lines.append(f"{indent}{name}: {value_text(choice.value)}")
    return "\n".join(lines) + "\n"


def value_text(value: Any) -> str:
    """A value in one line of YAML."""
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=10_000)
    return text.removesuffix("\n").removesuffix("\n...")


def without_seed(measured: PlanMeasurements, parameters: Sequence[str]) -> Iterator[str]:
    """That nothing can be held out of tasks which an environment declares and which are always the same."""
    if measured.levels and parameters and not {"seed", "index"} & set(parameters):
        yield (
            f"reset takes no seed, so that each {measured.levels[0].option} is one and the same task: nothing can be "
            "held out but by name, by leaving some out of train.curriculum.stages and validation"
        )


def unsaid(run: RunConfig, source: str | None) -> Iterator[str]:
    """That an audit in the run's folder has assumed what success is, and how it is said."""
    if run.rollout.success is not None:
        return
    try:
        said = AuditReport.load(run.out, source).proposed
    except (MissingRecord, StaleRecord):
        return
    if said is not None:
        yield (
            f"nobody says what success is; the audit in {run.out} takes it to be `{said}`: if it is, "
            f"--success {shlex.quote(said)} says so here, too"
        )


def unconfirmed(run: RunConfig) -> Iterator[str]:
    """What a training will ask for, and which is not there."""
    if run.theme.required and not run.words.is_file():
        yield (
            f"{run.words}: no problem statement there yet, which a training asks for: gonogo theme {run.target} "
            "writes a template, and --without-theme goes on without"
        )


def say(measured: PlanMeasurements, notes: Sequence[str], file: Path, values: int) -> None:
    """Print what was flown, what speaks against training by it, and where the values are."""
    flown = [
        (
            name,
            "none" if each.score is None else f"{each.score:.3f}",
            "not said" if each.success is None else f"{each.success:.2f}",
            f"{min(each.turns)} to {max(each.turns)}" if each.turns else "none",
        )
        for name, each in measured.policies.items()
    ]
    console = Terminal()
    table = TextTable("What was flown", ("policy", "score", "success", "decisions"), flown)
    print_tables([table], notes, console)
    said = f"{file}: {values} values, each below its reason; it is yours to change"
    console.print(said, markup=False, highlight=False)


def advice(measured: PlanMeasurements) -> Iterator[str]:
    """What the measurements say against training now, and what to do about it."""
    cut, flown = measured.cut
    if cut:
        yield (
            f"{cut} of {flown} episodes were broken off after {measured.limit} decisions, before they ended: scores "
            "and successes are of what was flown until then"
        )
    if measured.lost:
        yield losses_in_words(measured.lost, measured.flown)
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
    if measured.undisturbed is not None:
        yield f"no noise is written: {measured.undisturbed}"
    for name, each in measured.policies.items():
        if each.refused > MOSTLY:
            yield f"{name}: {refused_in_words(each.refused)}"
    if measured.sessions == 1:
        yield "the environment flies one session at a time, so that episodes wait for each other: training takes longer"


def above(flown: PolicyMeasurements, other: PolicyMeasurements) -> bool:
    """Whether one policy is paid more than another, on the same tasks."""
    return flown.score is not None and (other.score is None or flown.score > other.score)


def decimal(flown: PolicyMeasurements) -> str:
    """A policy's score in a sentence."""
    return "nothing" if flown.score is None else f"{flown.score:.3f}"
