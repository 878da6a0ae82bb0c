"""One task's audit: a survey with its analyses, and where they raised a suspicion, everything again on fresh seeds."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import numpy as np

from gonogo.auditing.checks.components import Ledger
from gonogo.auditing.checks.contract_breaks import prove, suspect
from gonogo.auditing.checks.environment_errors import prove_raised, raised, refused_to_the_end
from gonogo.auditing.checks.leakage import leakage
from gonogo.auditing.checks.memorisation import memorisation
from gonogo.auditing.checks.metamorphic import metamorphic
from gonogo.auditing.checks.stability import stability
from gonogo.auditing.checks.without_success import without_success
from gonogo.auditing.confirmation import (
    Confirmed,
    confirm,
    fly_candidate,
    nearest_failure,
    prove_like,
    prove_match,
)
from gonogo.auditing.exploration import fly_searched, search_failures, widen_survey
from gonogo.auditing.figures import farming, headline, policy_line, review
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import CANDIDATE, REFERENCE, Scale, Survey, survey
from gonogo.auditing.suspicions import Suspicion, strongest, suspicions
from gonogo.env.success import never_shown, untold
from gonogo.errors import ConfigError
from gonogo.records.audit import (
    AuditedTask,
    BrokenOffTask,
    CandidatePolicy,
    EpisodesTold,
    EpisodesWithout,
    LeakFigures,
    TaskSheet,
    TransformCheck,
)
from gonogo.records.contract import ContractReport
from gonogo.rollouts.episodes import success_place
from gonogo.rollouts.volatile import volatile_in
from gonogo.wire import TaskOptions


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one task's audit came to.

    Attributes:
        sheet: What the record says of the task.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        missing: What is missing to judge the task, as sentences.
        episodes: Episodes that were flown.
        steps: Environment steps that were flown.
    """

    sheet: AuditedTask | BrokenOffTask
    proofs: list[Confirmed]
    notes: list[str]
    missing: list[str]
    episodes: int
    steps: int


def audit_task(
    context: AuditContext, task: TaskOptions, seeds: Sequence[int], number: int
) -> Outcome:
    """Audit one task and say what the record needs of it.

    Args:
        context: What is flown, how, and where it is written down.
        task: Reset options without a seed.
        seeds: The survey's, then as many fresh ones.
        number: The task's place among the audit's tasks.
    """
    audited = TaskAudit(context, task, seeds)
    generator = np.random.default_rng([context.run.seed, number])
    context.part.finish()
    return Outcome(
        sheet(audited, context.card, generator),
        audited.proofs,
        audited.notes,
        [*uncalibrated(audited.flown), *audited.unclear],
        context.log.episodes,
        context.log.steps,
    )


class TaskAudit:
    """One task, flown.

    Attributes:
        flown: The survey, with what the search found.
        searched: What the search came to.
        analysed: What the checks beside the panel came to; None where the survey was broken off.
        candidate: What the policy under audit is like; None where none was given.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        unclear: What could not be told, as sentences.
    """

    def __init__(self, context: AuditContext, task: TaskOptions, seeds: Sequence[int]) -> None:
        run, half = context.run, context.run.audit.seeds
        self._context = context
        self.proofs: list[Confirmed] = []
        self.notes: list[str] = []
        self.unclear: list[str] = []
        self.candidate: CandidatePolicy | None = None
        self.analysed: AnalysisResults | None = None
        with closing(AuditSession(context)) as session:
            flown = survey(session, task, seeds[:half])
            never_shown(flown.episodes)
            check_rewards(run.audit.rewards, flown)
            self.notes += untold_notes(run.rollout.success, flown)
            flown = widen_survey(session, flown, run.audit.budget)
            self.searched = search_failures(
                session, flown, run.audit.budget, np.random.default_rng(run.seed)
            )
            flown = fly_searched(session, flown, self.searched)
            if run.audit.policy is not None and not flown.broken_off:
                flown = fly_candidate(session, flown, run.audit.policy)
            self.flown = flown
            if not flown.broken_off:
                rng = np.random.default_rng([run.seed, 1])
                self.analysed = analyse(session, flown, context.card, rng)
            doubtful = suspect(session, flown, context.card)
            errors = raised(session, flown)
        if not flown.broken_off:
            self.proofs += stability(context, flown)
        first = suspicions(flown)
        first |= without_success(flown, first)
        if self.analysed is not None:
            first |= self.analysed.suspicions
        if first or doubtful or errors:
            with closing(AuditSession(context)) as session:
                broken, self.unclear = prove(session, task, doubtful, context.card)
                faults, notes = prove_raised(session, task, errors, flown)
                self.proofs += [*broken, *faults]
                self.notes += notes
                if first:
                    self._confirm(session, first, seeds[half:])
        self._match(task)
        if flown.of_kind(CANDIDATE):
            rng = np.random.default_rng([run.seed, 3])
            with closing(AuditSession(context)) as session:
                self.candidate, like = prove_like(session, flown, self.proofs, rng)
                self.proofs += like

    def _confirm(
        self, session: AuditSession, first: dict[str, Suspicion], seeds: Sequence[int]
    ) -> None:
        """Fly everything again on fresh seeds; what is not seen again, or does not replay, is a note."""
        again = survey(session, self.flown.task, seeds)
        again = widen_survey(session, again, self._context.run.audit.budget)
        again = fly_searched(session, again, self.searched)
        second = suspicions(again)
        second |= without_success(again, second)
        if self.analysed is not None and self.analysed.suspicions:
            rng = np.random.default_rng([self._context.run.seed, 2])
            second |= analyse(session, again, self._context.card, rng).suspicions
        stands, notes = confirm(session, self.flown.task, first, second)
        self.notes += notes
        self.proofs += [explained(proof, self.flown, self._context.card) for proof in stands]

    def _match(self, task: TaskOptions) -> None:
        """Prove that a failure earns what a success on its seed does, where one does and nothing stronger is proven."""
        match = nearest_failure(self.flown)
        out_earns = any(p.finding.id == "failure_out_earns_success" for p in self.proofs)
        if match is None or match.short_by > 0 or out_earns:
            return
        with closing(AuditSession(self._context, guided=False)) as session:
            came = prove_match(session, task, match)
        if isinstance(came, str):
            self.unclear.append(came)
        else:
            self.proofs.append(explained(came, self.flown, self._context.card))


def check_rewards(functions: Sequence[str], flown: Survey) -> None:
    """Refuse reward functions that never answer a number.

    Raises:
        ConfigError: They answered None for every episode.
    """
    ended = [e for e in flown.episodes if e.error is None and e.turns]
    if functions and ended and all(e.episode_return is None for e in ended):
        raise ConfigError(
            f"reward function {', '.join(functions)} must answer a number for some episode, "
            f"not None for each of {len(ended)}"
        )


def untold_notes(success: str | None, flown: Survey) -> list[str]:
    """A note where the expression that says success had no value at some ends; else none."""
    silent = untold(flown.episodes)
    if not silent:
        return []
    return [
        f"success {success!r} had no value at the end of {silent} of {len(flown.episodes)} episodes, "
        "where what it asks for was not shown: they are no successes"
    ]


def sheet(
    audited: TaskAudit, card: ContractReport, generator: np.random.Generator
) -> AuditedTask | BrokenOffTask:
    """What the record says of a task; without the analyses where the survey was broken off."""
    flown, analysed = audited.flown, audited.analysed
    scale = Scale(flown)
    numbers = headline(flown, generator, volatile_in(card, flown.task))
    told = TaskSheet(
        task=flown.task,
        success=places_of_success(flown),
        numbers=numbers,
        policies=tuple(policy_line(row, scale, generator) for row in flown.rows),
        search=audited.searched.record(),
        candidate=audited.candidate,
    )
    if analysed is None:
        return BrokenOffTask(**dict(told))
    components = Ledger(flown, card).record()
    return AuditedTask(
        **dict(told),
        components=components,
        farming=farming(flown),
        metamorphic=analysed.metamorphic,
        leakage=analysed.leakage,
        distinct=analysed.distinct,
        review=review(components, numbers, card),
    )


def places_of_success(flown: Survey) -> tuple[str, ...]:
    """Where the environment says success, as in ``metadata.success``; empty where it never does."""
    places = {
        success_place(e.final_observation, e.final_metadata)
        for e in flown.episodes
        if e.error is None
    }
    return tuple(sorted(".".join(place) for place in places if place is not None))


def uncalibrated(flown: Survey) -> list[str]:
    """What is missing to tell success from failure on this task, as sentences."""
    episodes = flown.episodes
    lost = [row for row in flown.rows if row.lost]
    if len(lost) == len(flown.rows):
        said = f"every episode was lost: {first_line(lost[0].episodes[0].error)}"
        return [f"{said}; if its reset needs an option, give it: --reset NAME=VALUE"]
    if lost:
        names = ", ".join(row.name for row in lost)
        return [f"every episode of {names} was lost: {first_line(lost[0].episodes[0].error)}"]
    if all(episode.success is None for episode in episodes):
        return ["the environment never says whether an episode succeeded"]
    if all(episode.episode_return is None for episode in episodes if episode.success):
        unpaid = sum(episode.success is True for episode in episodes)
        if unpaid:
            return [f"none of {unpaid} successes was given a reward: it is None at every step"]
    if not any(row.succeeded for row in flown.rows):
        refusals = [
            f"; every episode of {row.name} ends refused: {refusal}"
            for row in flown.of_kind(REFERENCE)
            if (refusal := refused_to_the_end(row)) is not None
        ]
        return ["".join(["no policy succeeded: give one that does with --reference", *refusals])]
    return []


def first_line(said: str | None) -> str:
    """An error without the output that is quoted below it."""
    return (said or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class AnalysisResults:
    """What the checks beside the panel came to on one task.

    Attributes:
        metamorphic: What became of the episodes in another guise.
        leakage: Whether the answer is handed out.
        distinct: How many episodes there are.
        suspicions: What may be wrong, by the finding's id.
    """

    metamorphic: tuple[TransformCheck, ...]
    leakage: LeakFigures
    distinct: EpisodesTold | EpisodesWithout
    suspicions: dict[str, Suspicion]


def analyse(
    session: AuditSession, flown: Survey, card: ContractReport, rng: np.random.Generator
) -> AnalysisResults:
    """Fly the checks beside the panel.

    Args:
        session: Where.
        flown: The survey.
        card: The map.
        rng: Source of what is drawn.
    """
    checks, moved = metamorphic(session, flown, card)
    leaks, leaking = leakage(session, flown)
    episodes, memorised = memorisation(session, flown, rng, volatile_in(card, flown.task))
    return AnalysisResults(checks, leaks, episodes, strongest([*moved, *leaking, *memorised]))


def explained(proof: Confirmed, flown: Survey, card: ContractReport) -> Confirmed:
    """A proof whose finding names the one component that pays it, where there is one."""
    row = next((row for row in flown.rows if row.name == proof.policy), None)
    component = None if row is None else Ledger(flown, card).blamed(row)
    return replace(proof, finding=proof.finding.model_copy(update={"component": component}))
