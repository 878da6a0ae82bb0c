"""gonogo probe: which model can be trained here, and whether it earns anything before it is.

It leaves ``probe.json`` with all candidates, their memory, context, licence and tools, and, for those whose weights
can be had, ten zero-shot episodes beside idle on the same tasks; the same as a page, ``probe.md``; and the episodes
under ``probe/``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from gonogo.config import CandidateModel, RunConfig, load_candidates
from gonogo.models.machine import room_of
from gonogo.models.memory import OVERHEAD, needs
from gonogo.models.weights import ModelFacts
from gonogo.records.files import write_text
from gonogo.records.probe import (
    ContextFit,
    ContextNeed,
    MeasuredModel,
    MeasuredPolicy,
    MemoryBudget,
    ModelChoice,
    ModelNumbers,
    ProbedTasks,
    ProbeReport,
    RankedModel,
)
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.tables import TextTable, decimal, estimate, markdown, print_sheets
from gonogo.records.terminal import Terminal
from gonogo.rollouts.summary import MOST_LOST, losses_in_words, too_many
from gonogo.training.probe.measurements import (
    against,
    context_need,
    summarize,
    tokens_a_byte,
    tokens_of,
)
from gonogo.training.probe.ranking import WEIGHTS, advise_all, axes_of, choose, fit_of, total_of
from gonogo.training.probe.rollouts import IDLE, ProbedModel, ProbeRollouts, fly_all

PAGE = "probe.md"
UNKNOWN = "unknown"


def run(run: RunConfig) -> Verdict:
    """Fly what can be had, compute the rest, write the record and the page.

    Args:
        run: The config; its ``probe`` says which models, tasks and machine.

    Returns:
        GO when a model that can be trained here scores above idle, NO_GO when none does, HOLD when nothing was
        measured.

    Raises:
        Misuse: A model or the target is not there.
        MissingExtra: A model needs what is not installed.
        EnvironmentFailure: The environment could not be opened.
        PolicyFailure: A policy that is no model failed.
    """
    candidates = load_candidates(run.probe.candidates)  # before anything flies
    flown = fly_all(run)
    report = describe(run, flown, candidates)
    report.save(run.out)
    sheets = sheets_of(report)
    write_text(run.out / PAGE, markdown(f"Probe of {flown.environment}", sheets, report))
    print_sheets(sheets, report, Terminal())
    return report.verdict


def describe(
    run: RunConfig, flown: ProbeRollouts, candidates: tuple[CandidateModel, ...]
) -> ProbeReport:
    """The record."""
    plan, seed = run.probe, run.seed
    idle = summarize(IDLE, flown.plain[IDLE], flown.plain[IDLE], seed)
    policies = {IDLE: idle}
    for name, episodes in flown.plain.items():
        if name != IDLE:
            numbers = summarize(name, episodes, flown.plain[IDLE], seed)
            beside = against(numbers, idle, seed, name)
            policies[name] = numbers.model_copy(update={"against_idle": beside})
    machine = room_of(plan.memory_gb, "the config's memory_gb")
    need = context_need(
        flown.instructions,
        [episode for episodes in flown.plain.values() for episode in episodes],
        [(m.episodes, m.facts.ours) for m in flown.models.values()],
    )
    known = {candidate.name: candidate for candidate in candidates}
    flown_first = [known.get(name, CandidateModel(name=name)) for name in flown.models]
    entries = [*flown_first, *(each for each in candidates if each.name not in flown.models)]
    rows = tuple(row_of(run, each, flown, idle, need, machine) for each in entries)
    verdict, reason, choice = choose(rows, idle, machine)
    if lost := lost_of(policies, rows):
        verdict, reason = Verdict.worst([verdict, Verdict.HOLD]), f"{lost}; {reason}"
    return ProbeReport(
        target=run.target,
        environment=flown.environment,
        source_hash=flown.source,
        reward_hash=reward_hash(run.reward),
        seed=seed,
        episodes=plan.episodes,
        tasks=ProbedTasks(first=plan.tasks()[0], count=plan.episodes),
        verdict=verdict,
        reason=reason,
        choice=choice,
        advice=advise_all(rows, policies, run.rollout.max_reply_tokens),
        notes=notes_of(need, rows, known, machine),
        machine_memory=machine,
        context_need=need,
        weights=WEIGHTS,
        policies=policies,
        candidates=rows,
        config=run.model_dump(mode="json", include={"reward", "rollout", "probe"}),
        **provenance(),
    )


def lost_of(policies: Mapping[str, MeasuredPolicy], rows: Sequence[RankedModel]) -> str:
    """Who lost so many episodes that those that are left do not stand for all, and why; empty for nobody.

    A model that lost all of them is not compared, which its row says.
    """
    flown = {row.name: row.measured for row in rows if row.measured and row.measured.episodes}
    said = [
        f"{name}: {losses_in_words(list(Counter(each.lost).elements()), len(each.scores))}"
        for name, each in {**policies, **flown}.items()
        if too_many(sum(each.lost.values()), len(each.scores))
    ]
    return f"{'; '.join(said)}; more than {MOST_LOST:.0%}" if said else ""


def row_of(
    run: RunConfig,
    candidate: CandidateModel,
    flown: ProbeRollouts,
    idle: MeasuredPolicy,
    need: ContextNeed,
    machine: MemoryBudget,
) -> RankedModel:
    """One candidate in the record; what was seen of its weights goes before what its entry says."""
    name, model = candidate.name, flown.models.get(candidate.name)
    facts = ModelFacts() if model is None else model.facts
    shape = facts.architecture or candidate.architecture
    context = context_of(run, candidate, model, flown, need)
    plan = run.probe
    memory = None
    if shape is not None:
        memory = needs(shape, context.need, plan.batch, plan.lora_rank, on_cpu=machine.on_cpu)
    measured = None
    if model is not None and model.episodes:
        numbers = summarize(name, model.episodes, flown.plain[IDLE], run.seed)
        beside = against(numbers, idle, run.seed, name)
        own = dict(numbers) | {"against_idle": beside, "seconds": model.seconds}
        measured = MeasuredModel(**own)
    row = ModelNumbers(
        name=name,
        repository=candidate.repository,
        where=None if model is None else model.weights.where,
        weights_hash=None if model is None else model.fingerprint,
        parameters=facts.parameters or (None if shape is None else shape.parameters),
        architecture=None if shape is None else shape.model_dump(mode="json"),
        memory=memory,
        fits=fit_of(memory, machine.gb),
        context=context,
        licence=candidate.licence,
        unsloth=candidate.unsloth,
        sources=candidate.sources,
        failure=None if model is None else model.failure,
        measured=measured,
    )
    axes = axes_of(row)
    return RankedModel(**dict(row), axes=axes, total=total_of(axes))


def context_of(
    run: RunConfig,
    candidate: CandidateModel,
    model: ProbedModel | None,
    flown: ProbeRollouts,
    need: ContextNeed,
) -> ContextFit:
    """Tokens that an episode needs, on which evidence, and how many the model has.

    A flown model's own tokens for each byte come first, then the worst of the other pretrained models', then one
    token for each byte and the markers, which no byte-level tokenizer exceeds. Its own longest episode counts too.
    """
    facts = ModelFacts() if model is None else model.facts
    episodes = [] if model is None else model.episodes
    opening = 0 if facts.ours else len(flown.instructions.encode())
    own = tokens_a_byte(opening, episodes)
    ratio = own if own is not None else need.tokens_a_byte
    basis = "at most" if ratio is None else "about"
    longest = need.at_most if ratio is None else math.ceil(need.bytes * ratio)
    counted = tokens_of(episodes)
    tokens = max(longest, (counted and counted.longest) or 0) + run.rollout.max_reply_tokens
    had = facts.context or candidate.context
    enough = None if had is None else bool(had >= tokens)
    if enough is False and ratio is None:
        enough = None  # more than the bound is proven not to be needed; less is no proof that it is
    return ContextFit(need=tokens, basis=basis, had=had, enough=enough)


def notes_of(
    need: ContextNeed,
    rows: Sequence[RankedModel],
    known: Mapping[str, CandidateModel],
    machine: MemoryBudget,
) -> tuple[str, ...]:
    """What a reader of the tables has to know."""
    beyond = f"{100 * (OVERHEAD - 1):.0f} %"
    if machine.on_cpu:
        beyond += " and what the C library keeps of a CPU's memory in training"
    notes = [
        f"memory is computed from each model's shape, plus {beyond}, and is not measured",
        "zero-shot, greedy; scores are compared with idle's interval on the same tasks",
    ]
    if need.tokens is None:
        notes.append(
            "no pretrained model was flown, so that an episode's tokens are bounded by its bytes, which is several "
            "times what a tokenizer makes of them"
        )
    for row in rows:
        candidate = known.get(row.name)
        if candidate is None or candidate.architecture is None or row.where is None:
            continue
        if row.architecture != candidate.architecture.model_dump(mode="json"):
            notes.append(
                f"{row.name}: the weights in {row.where} have another shape than the candidate of that name"
            )
    return tuple(notes)


def sheets_of(record: ProbeReport) -> list[TextTable]:
    """The candidates, what was measured, the axes, the advice."""
    machine = record.machine_memory
    room = f"{machine.gb:.1f} GB of {machine.whose}"
    flown = {row.name: row.measured for row in record.candidates if row.measured is not None}
    return [
        table_of(
            f"Candidates for {record.environment}, on {room}; GB at 4 / 16 bit",
            [facts_row(row) for row in record.candidates],
        ),
        table_of(
            f"Flown zero-shot on {record.episodes} tasks, the same for all",
            [
                measured_row(name, entry)
                for name, entry in (*record.policies.items(), *flown.items())
            ],
        ),
        TextTable(
            "Scores by axis, 0 to 1; unknown earns nothing",
            ("model", *record.weights, "total"),
            [
                (row.name, *(number(row.axes[axis]) for axis in record.weights), number(row.total))
                for row in record.candidates
            ],
        ),
        TextTable(
            "Could not be flown",
            ("model", "why"),
            [(row.name, row.failure) for row in record.candidates if row.failure],
        ),
        TextTable("Advice", ("for", "what"), [(a.name, a.advice) for a in record.advice]),
        choice_sheet(record.choice),
    ]


def choice_sheet(choice: ModelChoice | None) -> TextTable:
    """The choice; a sheet without rows where there is none."""
    title = "Choice" if choice is None or choice.measured else "To try first"
    rows = [] if choice is None else [(choice.name, choice.why)]
    return TextTable(title, ("model", "why"), rows)


def table_of(title: str, rows: Sequence[dict[str, str]]) -> TextTable:
    """A table of rows whose cells are named by their columns."""
    return TextTable(title, tuple(rows[0]) if rows else (), [tuple(row.values()) for row in rows])


def facts_row(row: RankedModel) -> dict[str, str]:
    """What is known of a candidate without flying it."""
    memory, context, parameters = row.memory, row.context, row.parameters

    def pair(use: str) -> str:
        if memory is None:
            return UNKNOWN
        return f"{memory[f'{use}_4bit_gb']:.1f} / {memory[f'{use}_16bit_gb']:.1f}"

    fits = row.fits or UNKNOWN
    return {
        "model": row.name,
        "weights": UNKNOWN if parameters is None else count(parameters),
        "to fly": pair("inference"),
        "to train (LoRA)": pair("lora"),
        "fits": fits.replace("lora", "LoRA").replace("_", ", ").replace("bit", " bit"),
        "context: need / had": f"{context.basis} {context.need} / {text(context.had)}",
        "licence": text(row.licence),
        "Unsloth": UNKNOWN if row.unsloth is None else "yes" if row.unsloth else "no",
        "total": number(row.total),
    }


def measured_row(name: str, entry: MeasuredPolicy) -> dict[str, str]:
    """What a policy did."""
    beside, tokens = entry.against_idle, entry.tokens
    return {
        "policy": name,
        "score": estimate(entry.score),
        "success": "-" if entry.success is None else estimate(entry.success),
        "better than idle": "-" if not beside else f"{beside.better} of {beside.episodes}",
        "invalid": "-" if entry.invalid_rate is None else f"{100 * entry.invalid_rate:.0f} %",
        "turns": decimal(entry.mean_turns, 1),
        "tokens": "-" if tokens is None or tokens.mean is None else f"{tokens.mean:.0f}",
        "lost": str(sum(entry.lost.values())),
    }


def count(parameters: int) -> str:
    """A number of weights in words of a table."""
    billions = parameters / 1e9
    return f"{billions:.2f} B" if billions >= 1 else f"{parameters / 1e6:.1f} M"


def number(value: float | None) -> str:
    """A score of an axis."""
    return "?" if value is None else f"{value:.2f}"


def text(value: object) -> str:
    """A fact, or that it is not known."""
    return UNKNOWN if value is None else str(value)
