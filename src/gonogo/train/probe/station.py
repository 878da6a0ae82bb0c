"""The probe station: which model can be trained here, and whether it earns anything before it is.

It leaves ``probe.json`` with all candidates, their memory, context, licence and tools, and, for those whose weights
can be had, ten zero-shot episodes beside idle on the same tasks; the same as a page, ``probe.md``; and the episodes
under ``probe/``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from gonogo.config import Architecture, CandidateModel, RunConfig, load_candidates
from gonogo.models.machine import MemoryBudget, room_of
from gonogo.models.memory import OVERHEAD, needs
from gonogo.records.base import PROBE, Verdict, provenance, reward_hash, write_text
from gonogo.records.tables import Terminal, markdown, print_sheets
from gonogo.rollout.losses import MOST_LOST, losses_in_words, too_many
from gonogo.rollout.types import Json
from gonogo.train.probe.advice import advise_all
from gonogo.train.probe.flights import IDLE, ProbedModel, ProbeRollouts, fly_all
from gonogo.train.probe.numbers import against, context_need, summarize, tokens_a_byte, tokens_of
from gonogo.train.probe.scores import WEIGHTS, axes_of, choose, fit_of, total_of
from gonogo.train.probe.table import sheets_of

__all__ = ["PAGE", "run"]

PAGE = "probe.md"


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
    body, verdict = describe(run, flown, candidates)
    PROBE.write(run.out, body)
    record = PROBE.read(run.out, flown.source)
    sheets = sheets_of(record)
    write_text(run.out / PAGE, markdown(f"Probe of {flown.environment}", sheets, record))
    print_sheets(sheets, record, Terminal())
    return verdict


def describe(
    run: RunConfig, flown: ProbeRollouts, candidates: tuple[CandidateModel, ...]
) -> tuple[Json, Verdict]:
    """The record's body and the verdict."""
    plan, seed = run.probe, run.seed
    idle = summarize(IDLE, flown.plain[IDLE], flown.plain[IDLE], seed)
    policies = {IDLE: idle}
    for name, episodes in flown.plain.items():
        if name != IDLE:
            numbers = summarize(name, episodes, flown.plain[IDLE], seed)
            policies[name] = {**numbers, "against_idle": against(numbers, idle, seed, name)}
    machine = room_of(plan.memory_gb, "the config's memory_gb")
    need = context_need(
        flown.instructions,
        [episode for episodes in flown.plain.values() for episode in episodes],
        [(m.episodes, bool(m.facts.get("ours"))) for m in flown.models.values()],
    )
    known = {candidate.name: candidate for candidate in candidates}
    names = [*flown.models, *(name for name in known if name not in flown.models)]
    rows = [
        row_of(run, known.get(name), flown.models.get(name), flown, idle, need, machine)
        for name in names
    ]
    verdict, reason, choice = choose(rows, idle, machine)
    if lost := lost_of(policies, rows):
        verdict, reason = Verdict.worst([verdict, Verdict.HOLD]), f"{lost}; {reason}"
    body = {
        "target": run.target,
        "environment": flown.environment,
        "source_hash": flown.source,
        "reward_hash": reward_hash(run.reward),
        "seed": seed,
        "episodes": plan.episodes,
        "tasks": {"first": plan.tasks()[0], "count": plan.episodes},
        "verdict": verdict.name,
        "reason": reason,
        "choice": choice,
        "advice": advise_all(rows, policies, run.rollout.max_reply_tokens),
        "notes": notes_of(need, rows, known, machine),
        "machine_memory": machine._asdict(),
        "context_need": need,
        "weights": WEIGHTS,
        "policies": policies,
        "candidates": rows,
        "config": run.model_dump(mode="json", include={"reward", "rollout", "probe"}),
        **provenance(),
    }
    return body, verdict


def lost_of(policies: Json, rows: Sequence[Json]) -> str:
    """Who lost so many episodes that those that are left do not stand for all, and why; empty for nobody.

    A model that lost all of them is not compared, which its row says.
    """
    flown = {row["name"]: row["measured"] for row in rows if row["measured"]}
    measured = {
        **policies,
        **{
            name: each for name, each in flown.items() if any(s is not None for s in each["scores"])
        },
    }
    said = [
        f"{name}: {losses_in_words(list(Counter(each['lost']).elements()), len(each['scores']))}"
        for name, each in measured.items()
        if too_many(sum(each["lost"].values()), len(each["scores"]))
    ]
    return f"{'; '.join(said)}; more than {MOST_LOST:.0%}" if said else ""


def row_of(
    run: RunConfig,
    candidate: CandidateModel | None,
    model: ProbedModel | None,
    flown: ProbeRollouts,
    idle: Json,
    need: Json,
    machine: MemoryBudget,
) -> Json:
    """One candidate in the record; what was seen of its weights goes before what its entry says."""
    facts = {} if model is None else model.facts
    shape = candidate.architecture if candidate is not None else None
    if facts.get("architecture") is not None:
        shape = Architecture.model_validate(facts["architecture"])
    context = context_of(run, candidate, model, flown, need)
    plan = run.probe
    tokens = int(context["need"])
    memory = (
        None
        if shape is None
        else needs(shape, tokens, plan.batch, plan.lora_rank, on_cpu=machine.on_cpu)
    )
    parameters = facts.get("parameters") or (None if shape is None else shape.parameters)
    row: Json = {
        "name": model.weights.name if model is not None else candidate.name if candidate else "",
        "repository": None if candidate is None else candidate.repository,
        "where": None if model is None else model.weights.where,
        "weights_hash": None if model is None else model.fingerprint,
        "parameters": parameters,
        "architecture": None if shape is None else shape.model_dump(mode="json"),
        "memory": memory,
        "fits": fit_of(memory, machine.gb),
        "context": context,
        "licence": None if candidate is None else candidate.licence,
        "unsloth": None if candidate is None else candidate.unsloth,
        "sources": {} if candidate is None else candidate.sources,
        "failure": None if model is None else model.failure,
        "measured": None,
    }
    if model is not None and model.episodes:
        name = row["name"]
        numbers = summarize(name, model.episodes, flown.plain[IDLE], run.seed)
        beside = against(numbers, idle, run.seed, name)
        row["measured"] = {**numbers, "against_idle": beside, "seconds": model.seconds}
    row["axes"] = axes_of(row)
    row["total"] = total_of(row["axes"])
    return row


def context_of(
    run: RunConfig,
    candidate: CandidateModel | None,
    model: ProbedModel | None,
    flown: ProbeRollouts,
    need: Json,
) -> Json:
    """Tokens that an episode needs, on which evidence, and how many the model has.

    A flown model's own tokens for each byte come first, then the worst of the other pretrained models', then one
    token for each byte and the markers, which no byte-level tokenizer exceeds. Its own longest episode counts too.
    """
    facts = {} if model is None else model.facts
    episodes = [] if model is None else model.episodes
    opening = 0 if facts.get("ours") else len(flown.instructions.encode())
    own = tokens_a_byte(opening, episodes)
    ratio = own if own is not None else need["tokens_a_byte"]
    basis = "at most" if ratio is None else "about"
    longest = need["at_most"] if ratio is None else math.ceil(need["bytes"] * ratio)
    flown_longest = (tokens_of(episodes) or {}).get("longest") or 0
    tokens = max(longest, flown_longest) + run.rollout.max_reply_tokens
    had = facts.get("context") or (None if candidate is None else candidate.context)
    enough = None if had is None else bool(had >= tokens)
    if enough is False and ratio is None:
        enough = None  # more than the bound is proven not to be needed; less is no proof that it is
    return {"need": tokens, "basis": basis, "had": had, "enough": enough}


def notes_of(
    need: Json, rows: list[Json], known: dict[str, CandidateModel], machine: MemoryBudget
) -> list[str]:
    """What a reader of the tables has to know."""
    beyond = f"{100 * (OVERHEAD - 1):.0f} %"
    if machine.on_cpu:
        beyond += " and what the C library keeps of a CPU's memory in training"
    notes = [
        f"memory is computed from each model's shape, plus {beyond}, and is not measured",
        "zero-shot, greedy; scores are compared with idle's interval on the same tasks",
    ]
    if need["tokens"] is None:
        notes.append(
            "no pretrained model was flown, so that an episode's tokens are bounded by its bytes, which is several "
            "times what a tokenizer makes of them"
        )
    for row in rows:
        candidate = known.get(row["name"])
        if candidate is None or candidate.architecture is None or row["where"] is None:
            continue
        if row["architecture"] != candidate.architecture.model_dump(mode="json"):
            notes.append(
                f"{row['name']}: the weights in {row['where']} have another shape than the candidate of that name"
            )
    return notes
