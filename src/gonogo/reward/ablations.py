"""Exploits tried against a reward: plans flown in processes of the environment, with its guards and without each.

Candidates are the witnesses of the audit, the episodes of its panel that fail, and successes that are spoiled: begun
with refused actions, or with idling. Every candidate is flown with all guards and once without each; what is paid
more without a guard than with it is an exploit that runs into that guard. The table of a component names its best
exploits with the guard that each runs into.

What is tried stands in a record ``exploits.json`` beside the reward's file. The tests that ``gonogo reward`` writes
read it through this module, and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from gonogo.config import RolloutConfig
from gonogo.env.success import judged
from gonogo.env.target import FolderTarget, ImportTarget, RewardFile, UrlTarget, resolve
from gonogo.env.worker.client import WorkerConnection
from gonogo.errors import Misuse
from gonogo.exploits.witness import decode, encode, fly_plans, trimmed
from gonogo.records.audit import AuditReport
from gonogo.records.findings import EpisodeWitness
from gonogo.records.reward import ExploitCase, ExploitCases, RewardComponent
from gonogo.reward.facts import Facts
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

Case = ExploitCase
"""What the tests that were written call it."""
FAILED = 0.1
"""Share of process and format that the prefilled reward pays a failure."""
MOST_FOR_A_FAILURE = 0.05
LEAST_GAIN = 0.02
MOST_EXPLOITS = 5
SPOILED = 3
SPOILT = "a spoiled success"


def read_cases(file: Path) -> tuple[ExploitCase, ...]:
    """The cases of a record.

    Raises:
        MissingRecord: It is not there.
        StaleRecord: It is of another version, or a field is not what it has to be.
    """
    return ExploitCases.load(file.parent).cases


class Trials:
    """The flights of a record's cases, all in one process.

    Args:
        file: The record; the reward is the file ``reward.py`` beside it.
    """

    def __init__(self, file: Path) -> None:
        record = ExploitCases.load(file.parent)
        rollout, target = RolloutConfig.model_validate(record.rollout), resolve(record.target)
        plans = [(case.task, decode(case.plan)) for case in record.cases]
        if isinstance(target, UrlTarget):
            raise Misuse(f"{file}: a reward is tried where the environment runs, not at {target}")
        _, flown = fly_with(target, file.with_name("reward.py"), plans, rollout)
        self._flown = dict(zip(map(str, record.cases), flown, strict=True))

    def fly(self, case: ExploitCase) -> Episode:
        """The episode of a case."""
        return self._flown[str(case)]

    def paid(self, case: ExploitCase) -> float:
        """What the case's component paid it."""
        return self.fly(case).components[case.component]

    def paid_without(self, case: ExploitCase) -> float:
        """What the component would have paid without the case's guard."""
        return unguarded(self.fly(case), case.component, case.guard)


def unguarded(episode: Episode, component: str, guard: str) -> float:
    """What a component would have paid an episode without one of its guards."""
    without: dict[str, float] = episode.final_metadata.get("without", {})
    return without.get(f"{component}.{guard}", 0.0)


def fly_with(
    target: FolderTarget | ImportTarget,
    reward: Path,
    plans: Sequence[tuple[TaskOptions, Sequence[Action]]],
    rollout: RolloutConfig,
) -> tuple[list[RewardComponent], list[Episode]]:
    """Fly plans in one fresh process of the environment, scored with a reward and without each guard.

    Args:
        target: The environment.
        reward: File of what pays.
        plans: Reset options and actions of each episode.
        rollout: How.

    Returns:
        The reward's components, and the episodes.

    Raises:
        ConfigError: The reward breaks a rule.
        Misuse: What success is cannot be told from the environment's observations.
    """
    worker = WorkerConnection(
        target,
        rollout.slots,
        timeout_s=rollout.timeout_s,
        startup_s=rollout.startup_s,
        reward=RewardFile(reward, ablate=True),
    )
    with closing(judged(worker, rollout.success)) as connection:
        flight = Flight(str(target), rollout.max_turns)
        described = [RewardComponent(**component) for component in worker.components]
        return described, fly_plans(connection, plans, flight, "exploit")


@dataclass(frozen=True, slots=True)
class CandidateExploit:
    """A plan that may be an exploit.

    Attributes:
        exploit: What it does, in words.
        origin: Where it comes from.
        task: Reset options.
        plan: Actions, the last one repeated to the end.
    """

    exploit: str
    origin: str
    task: TaskOptions
    plan: list[Action]


def candidates(audit: AuditReport, facts: Facts) -> list[CandidateExploit]:
    """Everything worth trying, each plan once: witnesses first, then the panel from the best paid on."""
    found: list[CandidateExploit] = []
    for candidate in [*witnesses(audit), *spoiled(facts), *habits(facts)]:
        if candidate.plan and not any(
            (c.task, repr(c.plan)) == (candidate.task, repr(candidate.plan)) for c in found
        ):
            found.append(candidate)
    return found


def witnesses(audit: AuditReport) -> Iterator[CandidateExploit]:
    """The audit's findings and what its search found."""
    for finding in audit.findings:
        witness = finding.witness
        if witness.reset is None:
            continue  # nothing was flown for it
        plan = witness.plan if isinstance(witness, EpisodeWitness) else None
        yield CandidateExploit(
            f"{finding.id}: {finding.explanation.partition(':')[0]}",
            f"finding {finding.id}",
            witness.reset,
            decode(plan or witness.actions or ()),
        )
    for sheet in audit.tasks:
        if sheet.search.plan is not None:
            task = {**sheet.task, "seed": audit.seeds.survey[0]}
            plan = decode(sheet.search.plan.plan)
            yield CandidateExploit("the search's plan", "the audit's search", task, plan)


def habits(facts: Facts) -> Iterator[CandidateExploit]:
    """The panel's failures: the best paid of each kind, then the best paid of each other policy."""
    ranked = sorted(facts.bad, key=lambda f: -(f.episode.episode_return or 0.0))
    of_kind = {flown.kind: flown for flown in reversed(ranked)}
    of_policy = {flown.name: flown for flown in reversed(ranked)}
    for flown in [*of_kind.values(), *of_policy.values()]:
        plan = trimmed(flown.actions)
        yield CandidateExploit(flown.name, f"the panel's {flown.kind}", flown.episode.task, plan)


def spoiled(facts: Facts) -> Iterator[CandidateExploit]:
    """Successes with something before them, or drawn out."""
    bad = {**facts.idle, "no_such_field": 1}
    for flown in facts.good[:SPOILED]:
        ways = {
            "three refused actions, then a success": [bad] * 3 + flown.actions,
            "idling, then a success": [facts.idle] * 3 + flown.actions,
            "each action twice, to a success": [a for a in flown.actions for _ in range(2)],
        }
        for exploit, plan in ways.items():
            yield CandidateExploit(exploit, SPOILT, flown.episode.task, plan)


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of a candidate.

    Attributes:
        candidate: The plan.
        episode: Its episode, scored with all guards and without each.
    """

    candidate: CandidateExploit
    episode: Episode


def try_all(
    target: FolderTarget | ImportTarget,
    reward: Path,
    some: Sequence[CandidateExploit],
    rollout: RolloutConfig,
) -> tuple[list[RewardComponent], list[Tried]]:
    """The components of a reward, and all candidates flown by it; without what was lost.

    A success that its spoiling turned into a failure is left out too: it is not what it is called.
    """
    plans = [(candidate.task, candidate.plan) for candidate in some]
    described, flown = fly_with(target, reward, plans, rollout)
    both = [Tried(plan, episode) for plan, episode in zip(some, flown, strict=True)]
    return described, [
        each
        for each in both
        if each.episode.error is None and (each.candidate.origin != SPOILT or each.episode.success)
    ]


def choose(
    tried: Sequence[Tried], component: str, guards: Sequence[str]
) -> tuple[ExploitCase, ...]:
    """The table of a component: for each guard its best exploit, then others, as many as are shown."""
    ranked = [
        sorted(
            cases_of(tried, component, guard),
            key=lambda case: (not case.origin.startswith("finding"), case.guarded - case.unguarded),
        )
        for guard in guards
    ]
    chosen: dict[str, ExploitCase] = {}
    exploits: set[str] = set()
    for _ in range(MOST_EXPLOITS):
        for row in ranked:
            # An exploit that the table has not shown yet says more than another guard of one that it has.
            rest = [case for case in row if str(case) not in chosen]
            case = next((c for c in rest if c.exploit not in exploits), next(iter(rest), None))
            if case is not None:
                chosen[str(case)] = case
                exploits.add(case.exploit)
    return tuple(chosen.values())[: max(MOST_EXPLOITS, len(guards))]


def cases_of(tried: Sequence[Tried], component: str, guard: str) -> Iterator[ExploitCase]:
    """The candidates that a component would pay without one of its guards."""
    for each in tried:
        candidate, episode = each.candidate, each.episode
        paid = episode.components.get(component, 0.0)
        free = unguarded(episode, component, guard)
        if free - paid >= LEAST_GAIN:
            yield ExploitCase(
                component=component,
                guard=guard,
                exploit=candidate.exploit,
                origin=candidate.origin,
                task=candidate.task,
                plan=encode(candidate.plan),
                fails=episode.success is False,
                guarded=paid,
                unguarded=free,
                most_for_a_failure=MOST_FOR_A_FAILURE,
            )
