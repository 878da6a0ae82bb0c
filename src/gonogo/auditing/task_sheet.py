"""What an audited task comes to: the checks beside the panel, its sheet in the record, what is missing to judge it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gonogo.auditing.checks.components import Ledger
from gonogo.auditing.checks.environment_errors import refused_to_the_end
from gonogo.auditing.checks.leakage import leakage
from gonogo.auditing.checks.memorisation import memorisation
from gonogo.auditing.checks.metamorphic import metamorphic
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.exploration import PaidFailures
from gonogo.auditing.figures import farming, headline, policy_line, review
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Scale, Survey, succeeded
from gonogo.auditing.suspicions import Suspicion
from gonogo.env.success import untold
from gonogo.errors import ConfigError
from gonogo.records.audit import (
    AuditedTask,
    BrokenOffTask,
    CandidatePolicy,
    EpisodesTold,
    EpisodesWithout,
    ExplorationFigures,
    LeakFigures,
    TaskSheet,
    TransformCheck,
)
from gonogo.records.contract import ContractReport
from gonogo.records.success import JudgedSuccess
from gonogo.records.tables import in_a_line
from gonogo.rollouts.episodes import Episode, success_place
from gonogo.rollouts.volatile import volatile_in


def sheet(
    flown: Survey,
    analysed: AnalysisResults,
    searched: PaidFailures,
    candidate: CandidatePolicy | None,
    card: ContractReport,
    generator: np.random.Generator,
    judged: JudgedSuccess | None = None,
    explored: ExplorationFigures | None = None,
) -> AuditedTask | BrokenOffTask:
    """What the record says of a task; without the analyses where the survey was broken off."""
    scale = Scale(flown)
    numbers = headline(flown, generator, volatile_in(card, flown.task))
    told = TaskSheet(
        task=flown.task,
        success=places_of_success(flown),
        judged=judged,
        numbers=numbers,
        policies=tuple(policy_line(row, scale, generator) for row in flown.rows),
        search=searched.record(),
        candidate=candidate,
        coverage=explored,
    )
    if flown.broken_off:
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


def uncalibrated(flown: Survey, judged: JudgedSuccess | None = None) -> list[str]:
    """What is missing to tell success from failure on this task, as sentences."""
    episodes = flown.episodes
    lost = [row for row in flown.rows if row.lost]
    if len(lost) == len(flown.rows):
        said = f"every episode was lost: {in_a_line(lost[0].episodes[0].error or '')}"
        advised = "give --" in said or "pip install" in said
        option = "" if advised else "; if its reset needs an option, give it: --reset NAME=VALUE"
        return [f"{said}{option}"]
    if lost:
        names = ", ".join(row.name for row in lost)
        return [f"every episode of {names} was lost: {in_a_line(lost[0].episodes[0].error or '')}"]
    if all(episode.success is None for episode in episodes):
        best = judged.likeliest if judged else None
        likely = f"; likeliest is --success {shlex.quote(best)}" if best else ""
        untold = f"the environment never says whether an episode succeeded{likely}"
        return [all_refused(episodes) or untold]
    if all(episode.episode_return is None for episode in episodes if episode.success):
        unpaid = sum(episode.success is True for episode in episodes)
        if unpaid:
            return [f"none of {unpaid} successes was given a reward: it is None at every step"]
    if not any(row.succeeded for row in flown.agents):
        refusals = [
            f"; every episode of {row.name} ends refused: {refusal}"
            for row in flown.of_kind(REFERENCE)
            if (refusal := refused_to_the_end(row)) is not None
        ]
        who = "policy" if not any(map(succeeded, flown.episodes)) else "policy without the answers"
        said = "".join([f"no {who} succeeded: give one that does with --reference", *refusals])
        return [all_refused(episodes) or said]
    return [] if judged is None or judged.assumed is None else unsure(flown, judged)


def unsure(flown: Survey, judged: JudgedSuccess) -> list[str]:
    """Why an assumed success may be none, as a sentence; none where nothing speaks against it."""
    return reached_by_chance(flown) or reached_by_idling(flown) or said_by_no_word(judged)


def said_by_no_word(judged: JudgedSuccess) -> list[str]:
    """That what was assumed is not called success by the environment, as a sentence; none where it is."""
    if not judged.doubtful:
        return []
    return [
        f"whether an episode succeeded: nothing that the environment says is called so, and the assumed success "
        f"`{judged.assumed}` only behaves like it: say what success is with --success"
    ]


def reached_by_idling(flown: Survey) -> list[str]:
    """That who does nothing reaches the assumed success in half of the episodes, as a sentence; none where not."""
    reached, tried = len(flown.idle.succeeded), len(flown.idle.episodes)
    if reached < BY_CHANCE * tried or not tried:
        return []
    return [
        f"idling reaches the assumed success in {reached} of {tried} episodes: say what success is with --success"
    ]


def reached_by_chance(flown: Survey) -> list[str]:
    """That no policy reaches the assumed success in half of its episodes, as a sentence; none where one does."""
    several = [row for row in flown.agents if len(row.episodes) >= LEAST_EPISODES] or flown.agents
    most = max(several, key=lambda row: len(row.succeeded) / max(1, len(row.episodes)))
    reached, tried = len(most.succeeded), len(most.episodes)
    if reached >= BY_CHANCE * tried:
        return []
    said = (
        "no policy reaches the assumed success in half of its episodes; the best is "
        f"{most.name}, in {reached} of {tried}"
    )
    asked = "" if flown.of_kind(REFERENCE) else ": give one that does with --reference"
    return [f"{said}{asked}"]


def all_refused(episodes: Sequence[Episode]) -> str | None:
    """That every action was refused, as a sentence; None where one was not, or none was sent."""
    sent = [turn for each in episodes for turn in each.turns if turn.action is not None]
    if not sent or any(turn.invalid is None for turn in sent):
        return None
    return (
        f"all {len(sent):,} actions that were sent were refused: {in_a_line(sent[0].invalid or '')}"
    )


BY_CHANCE, LEAST_EPISODES = 0.5, 4
"""Share of a policy's episodes, of so many, below which an assumed success says nothing of how well one can do."""
LEAKS, HEART, GUISES = "leakage", "memorisation", "metamorphic"
NO_LEAKS = LeakFigures(paths=0, copies_flown=0, agreements=(), copies=())
NOT_COUNTED = EpisodesWithout(note="the audit ended before it was reached")


@dataclass(slots=True)
class AnalysisResults:
    """What the checks beside the panel came to on one task, so far.

    Attributes:
        metamorphic: What became of the episodes in another guise.
        leakage: Whether the answer is handed out.
        distinct: How many episodes there are.
        by: What each check suspects.
    """

    metamorphic: tuple[TransformCheck, ...] = ()
    leakage: LeakFigures = NO_LEAKS
    distinct: EpisodesTold | EpisodesWithout = NOT_COUNTED
    by: dict[str, list[Suspicion]] = field(default_factory=dict)

    @property
    def suspicions(self) -> list[Suspicion]:
        """What may be wrong."""
        return [suspicion for found in self.by.values() for suspicion in found]

    def whose(self, name: str) -> str | None:
        """The check that suspects something; None where none does."""
        return next((who for who, found in self.by.items() if name in {s.id for s in found}), None)


def analyse(
    session: AuditSession,
    flown: Survey,
    card: ContractReport,
    rng: np.random.Generator,
    into: AnalysisResults,
    only: str | None = None,
) -> Iterator[str]:
    """Fly the checks beside the panel, and name each that is done.

    Args:
        session: Where.
        flown: The survey.
        card: The map.
        rng: Source of what is drawn.
        into: Where each puts what it came to.
        only: The one that is flown; None for all.
    """
    if only in (None, LEAKS):
        into.leakage, into.by[LEAKS] = leakage(session, flown)
        yield LEAKS
    if only in (None, HEART):
        volatile = volatile_in(card, flown.task)
        into.distinct, into.by[HEART] = memorisation(session, flown, rng, volatile)
        yield HEART
    if only in (None, GUISES):
        into.metamorphic, into.by[GUISES] = metamorphic(session, flown, card)
        yield GUISES


def explained(proof: Confirmed, flown: Survey, card: ContractReport) -> Confirmed:
    """A proof whose finding names the one component that pays it, where there is one."""
    row = next((row for row in flown.rows if row.name == proof.policy), None)
    component = None if row is None else Ledger(flown, card).blamed(row)
    return replace(proof, finding=proof.finding.model_copy(update={"component": component}))


def untold_notes(success: str | None, flown: Survey) -> list[str]:
    """A note where the expression that says success had no value at some ends; else none."""
    silent = untold(flown.episodes)
    if not silent:
        return []
    return [
        f"success {success!r} had no value at the end of {silent} of {len(flown.episodes)} episodes, "
        "where what it asks for was not shown: they are no successes"
    ]


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
