"""A training's dry run: everything is checked but the weights, which are neither loaded nor downloaded.

The target is opened, with the reward that pays, and so are further environments; a task of each stage and of the
validation is reset and flown by a policy that is no model, so that an episode's length and an environment step's time
are known; the model's shape is read, and what it takes of this machine is computed. NO-GO where something is wrong or
does not fit, HOLD where it cannot be told.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from gonogo.config import UNPLANNED, RunConfig, TrainConfig, load_candidates
from gonogo.env.success import never_shown
from gonogo.errors import DiskFailure, Misuse
from gonogo.evaluation.verdict import NOT_TRYING
from gonogo.models.machine import (
    Speed,
    gpu_without_bf16,
    has_gpu,
    measure_speed,
    missing_extras,
    room_of,
    uses_unsloth,
)
from gonogo.models.vllm import VllmServer
from gonogo.records.record import Verdict
from gonogo.records.tables import Conclusion, TextTable, cut, print_sheets, task_text
from gonogo.records.terminal import Terminal
from gonogo.rollouts.engine import Flight, try_example
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Policy
from gonogo.training.credit import silence_pays, worst_of
from gonogo.training.environments import Environments, TrainingEnvironment, environments_of
from gonogo.training.forecast import BITS, Length, TrainingForecast, length_of, memory_table
from gonogo.training.preflight import (
    apart_in,
    check_disk,
    check_layers,
    check_phases,
    check_policies,
    tasks_of,
)
from gonogo.training.reward_hacking import known_plans, watched_stages

LOWER = "train.micro_batch, rollout.slots, model.context or model.precision"
"""What takes less memory."""
MOST_CHARS = 200
"""Of an action or a refusal in a row."""


@dataclass(slots=True)
class DryRunReport:
    """What was checked, in order."""

    rows: list[tuple[str, Verdict, str]] = field(default_factory=list)

    def add(self, what: str, verdict: Verdict, found: str) -> None:
        """One more check."""
        self.rows.append((what, verdict, found))

    def take(self, what: str, check: Callable[[], str | None]) -> None:
        """One more check by what it answers, None for nothing to say; NO-GO by the words of its error."""
        try:
            found = check()
        except (Misuse, DiskFailure) as error:
            self.add(what, Verdict.NO_GO, str(error))
        else:
            if found is not None:
                self.add(what, Verdict.GO, found)

    def verdict(self) -> Verdict:
        """NO-GO where anything is, else HOLD where anything is."""
        said = {verdict for _, verdict, _ in self.rows}
        return next((v for v in (Verdict.NO_GO, Verdict.HOLD) if v in said), Verdict.GO)

    def reason(self) -> str:
        """The first row that decides the verdict."""
        verdict = self.verdict()
        if verdict == Verdict.GO:
            return "everything but the weights is there, and fits"
        return next(f"{what}: {found}" for what, said, found in self.rows if said == verdict)


def rehearse(run: RunConfig, memory: float | None = None) -> Verdict:
    """Check a training without its weights, and print what it will take.

    Args:
        run: The whole config; ``train`` must be given.
        memory: GB of the machine that is meant; None for this one.

    Returns:
        GO, NO_GO where something is wrong or does not fit, HOLD where that cannot be told.

    Raises:
        Misuse: The config does not train, or names a teacher that there is none of.
        TargetError: There is no environment at the target.
        EnvironmentFailure: It is there, and failed.
        PolicyFailure: A model's folder does not say what it holds, or a policy failed.
        MissingExtra: A GGUF file cannot be read without it.
    """
    if run.train is None:
        raise Misuse(UNPLANNED)
    train, report = run.train, DryRunReport()
    check_policies(run, train)
    where = environments_of(run)
    for each in where:
        if train.sft is not None:
            each.teacher_of(train.sft)
    known_plans(train.watch, run.out)
    watched_stages(run, where)
    with closing(Environments(where)) as environments:
        paid = "its own reward" if run.reward is None else f"the reward of {run.reward}"
        for each in where:
            what = "target" if each.key is None else f"environment {each.name}"
            report.add(what, Verdict.GO, f"{each.env.name} opens, with {paid}")
        if train.sft is not None:
            environments.check_noise(train.sft, train.curriculum.stages)
        episodes, step_s = fly_tasks(run, train, environments, report)
        check_examples(run, train, environments, report)
        idlers = fly_not_trying(run, train, environments) if train.grpo is not None else []
        for opened in environments:  # each has a success of its own
            never_shown(e for e in [*episodes, *idlers] if environments.flew(e) is opened)
        told = [environments.flew(episode).env.instructions for episode in episodes]
        for what, verdict, said in apart_in(run, train, environments):
            report.add(what, verdict, said)
    if train.grpo is not None:
        check_refusals(report, [*episodes, *idlers], train.grpo.invalid_penalty)
    check_extras(run, report)
    check_later(run, train, report)
    sheets = forecast(run, train, report, episodes, step_s, told, memory)
    print_report(report, sheets)
    return report.verdict()


def fly_tasks(
    run: RunConfig,
    train: TrainConfig,
    environments: Environments,
    report: DryRunReport,
) -> tuple[list[Episode], float]:
    """Fly each task with a policy that is no model; answers what flew to an end, and seconds of a step."""
    tasks = tasks_of(run, train)

    def policy(where: TrainingEnvironment) -> Policy:
        name = "random" if train.sft is None else where.teacher_of(train.sft) or "random"
        return where.policy(name, run.seed)

    flight = Flight(run.target, run.rollout.max_turns)
    wanted = dict(enumerate(task for _, task in tasks))
    flown = environments.fly(wanted, policy, flight)  # the first flight also starts things
    began = time.perf_counter()
    again = environments.fly(wanted, policy, flight)
    seconds = time.perf_counter() - began
    step_s = seconds / max(sum(len(episode.turns) for episode in again), 1)
    for (name, task), episode in zip(tasks, flown, strict=True):
        options = task_text(task.options)
        if episode.error is not None:
            report.add(name, Verdict.NO_GO, f"{options}: {episode.error}")
        elif episode.episode_return is None:
            report.add(name, Verdict.NO_GO, f"{options}: an episode is paid for nothing")
        else:
            said = f"{options}: {len(episode.turns)} decisions by {episode.policy}"
            report.add(name, Verdict.GO, said)
    return [episode for episode in flown if episode.error is None], step_s


def fly_not_trying(run: RunConfig, train: TrainConfig, environments: Environments) -> list[Episode]:
    """Fly each task idly and at random: what a model that has learned little may be paid."""
    wanted = dict(enumerate(task for _, task in tasks_of(run, train)))
    flight = Flight(run.target, run.rollout.max_turns)

    def policy(name: str) -> Callable[[TrainingEnvironment], Policy]:
        return lambda where: where.policy(name, run.seed)

    return [e for name in NOT_TRYING for e in environments.fly(wanted, policy(name), flight)]


def check_examples(
    run: RunConfig, train: TrainConfig, environments: Environments, report: DryRunReport
) -> None:
    """Whether each environment accepts the example that a model is given."""
    first = {task.environment: task.options for _, task in reversed(tasks_of(run, train))}
    for opened in environments:
        options = first.get(opened.key)
        if options is None or opened.env.codec.reply_field is not None:
            continue
        what = f"example {opened.key or ''}".strip()
        example = cut(json.dumps(opened.env.codec.example()), MOST_CHARS)
        said = try_example(opened.env.connection, opened.env.codec, options)
        if said is None:
            report.add(what, Verdict.GO, f"{example}, which the instructions give, is accepted")
            continue
        found = f"{example}, which the instructions give, is refused: {cut(said, MOST_CHARS)}"
        if run.model.pretrained is None:
            report.add(what, Verdict.GO, f"{found}; a model made from scratch is told none")
        else:
            advice = "an action's schema may give one among its `examples`"
            report.add(what, Verdict.HOLD, f"{found}; {advice}")


def check_refusals(report: DryRunReport, episodes: Sequence[Episode], penalty: float) -> None:
    """Whether to say nothing is worse than anything that was flown, by a teacher, idly or at random."""
    worst = worst_of(episodes)
    if (said := silence_pays(episodes, penalty)) is not None:
        report.add("refused replies", Verdict.HOLD, said)
    elif worst is not None:
        paid = worst.episode_return or 0.0
        found = (
            f"training pays {-penalty:g} for an episode whose replies are all refused, and no flown episode was paid "
            f"less: the lowest, by {worst.policy}, {paid:.3g}"
        )
        if paid < 0:
            found += "; an evaluation scores it 0, which is more"
        report.add("refused replies", Verdict.GO, found)


def check_extras(run: RunConfig, report: DryRunReport) -> None:
    """Name what is not installed."""
    missing = missing_extras(run.model)
    for each in missing:
        report.add("extra", Verdict.HOLD, str(each))
    loader = "Unsloth" if uses_unsloth(run.model) else "transformers"
    if run.model.loader == "unsloth" and not has_gpu():
        report.add("loader", Verdict.HOLD, "Unsloth needs a GPU, and there is none here")
    elif not missing:
        what = "made from scratch" if run.model.pretrained is None else f"loaded by {loader}"
        report.add("extra", Verdict.GO, f"all is installed; the model is {what}")


def check_later(run: RunConfig, train: TrainConfig, report: DryRunReport) -> None:
    """Whether the later phases take their settings, the model its factors, the disk what is left, the server the model.

    The server is the one that is to fly the model.
    """
    rollout = run.rollout

    def phases() -> str:
        check_phases(train, run.out)
        check_layers(run.model)
        return "each phase takes its settings and its schedule"

    report.take("phases", phases)
    report.take("disk", lambda: check_disk(run, train))
    if (url := rollout.vllm) is not None:
        server = VllmServer(url, rollout.timeout_s)
        adapters = "takes adapters; its weights are compared when the model is there"
        report.take(
            "server", lambda: f"{url} serves {server.check(run.model.context)} and {adapters}"
        )


def forecast(
    run: RunConfig,
    train: TrainConfig,
    report: DryRunReport,
    episodes: Sequence[Episode],
    step_s: float,
    told: Sequence[str],
    memory: float | None,
) -> list[TextTable]:
    """Whether the context and the machine hold it, and the tables of what it takes."""
    from gonogo.models.memory import plan_of
    from gonogo.training.transcripts import count_tokens

    plan = plan_of(run.model, load_candidates(run.probe.candidates))
    if not episodes:
        report.add("model", Verdict.HOLD, "no episode was flown, so that its length is not known")
        return []
    counted = count_tokens(run.model, episodes, told)
    length = length_of(run, episodes, told, counted, step_s)
    check_context(run, report, length, plan.context)
    if plan.shape is None:
        found = f"the shape of {run.model.pretrained} is known {plan.source}; --candidates adds it"
        report.add("memory", Verdict.HOLD, found)
        return []
    room = room_of(memory, "the machine that was named")
    made = TrainingForecast(run, train, plan.shape, length)
    said, most = (made.memory_gb(n, on_cpu=room.on_cpu) for n in (length.tokens, length.most))
    fits = said["at once"] <= room.gb
    found = f"{said['at once']:.3g} GB at once of {room.gb:.3g} GB, {room.whose}; shape by {plan.source}"
    if not fits:
        report.add("memory", Verdict.NO_GO, f"{found}; lower {LOWER}")
    elif most["at once"] > room.gb:
        longest = f"an episode of rollout.max_turns decisions would take {most['at once']:.3g} GB"
        report.add("memory", Verdict.HOLD, f"{found}; {longest}: lower that, {LOWER}")
    else:
        report.add("memory", Verdict.GO, found)
    speed = measure_speed(BITS[run.model.precision]) if memory is None and fits else None
    if speed is not None and run.model.precision != "fp32":
        check_precision(report, speed, on_unsloth=uses_unsloth(run.model))
    return [memory_table(said, most, plan.shape), replace(made, speed=speed).parts_table()]


def check_precision(report: DryRunReport, lower: Speed, *, on_unsloth: bool) -> None:
    """Whether this GPU has bf16, and this CPU computes faster in it than in fp32: without instructions it is emulated.

    Args:
        report: Takes the row.
        lower: What the machine does in bf16.
        on_unsloth: Whether Unsloth loads the model, which takes fp16 where there is no bf16.
    """
    if has_gpu():
        if (name := gpu_without_bf16()) is not None and not on_unsloth:
            said = f"{name} has no bf16 in hardware and emulates it: set model.precision: fp32 or model.loader: unsloth"
            report.add("precision", Verdict.HOLD, said)
        return
    ratio = measure_speed(32).operations / lower.operations
    if ratio > 1:
        said = f"this CPU multiplies {ratio:.2g} times as fast in fp32 as in bf16: set model.precision: fp32"
        report.add("precision", Verdict.HOLD, said)
    else:
        said = f"this CPU multiplies {1 / ratio:.2g} times as fast in bf16 as in fp32"
        report.add("precision", Verdict.GO, said)


def check_context(run: RunConfig, report: DryRunReport, length: Length, had: int | None) -> None:
    """Whether an episode fits into the context that the config gives and the model has."""
    wanted = run.model.context
    if had is not None and wanted > had:
        said = f"model.context must be at most {had}, which is what the model has, not {wanted}"
        report.add("context", Verdict.NO_GO, said)
        return
    kind = "takes" if length.exact else "takes at most, by its bytes,"
    said = f"the longest episode flown {kind} {length.tokens} tokens, and model.context is {wanted}"
    if length.tokens <= wanted:
        report.add("context", Verdict.GO, said)
    elif length.exact:
        report.add("context", Verdict.NO_GO, f"{said}: raise it, or lower rollout.max_turns")
    else:
        report.add("context", Verdict.HOLD, f"{said}: without its tokenizer that cannot be told")


def print_report(report: DryRunReport, sheets: list[TextTable]) -> None:
    """The checks, the tables, the verdict."""
    rows = [(what, verdict.name.replace("_", "-"), found) for what, verdict, found in report.rows]
    notes = ["a dry run: no weights were loaded, and nothing is trained or written"]
    verdict = Conclusion(report.verdict(), report.reason(), notes)
    print_sheets([TextTable("Dry run", ("what", "", "found"), rows), *sheets], verdict, Terminal())
