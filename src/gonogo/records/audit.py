"""The record of ``gonogo audit``: what was found, and what every policy is paid, task by task."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import ConfigDict, Field

from gonogo.records.findings import (
    EpisodeWitness,
    ExploitDistance,
    Finding,
    Severity,
    accepted_of,
)
from gonogo.records.record import Estimate, Frame, Part, StationRecord, Verdict, written_as
from gonogo.records.success import JudgedSuccess
from gonogo.wire import Action, JsonObject, TaskOptions


class AuditSeeds(Part):
    """The seeds on which every policy flies."""

    survey: tuple[int, ...]
    """Of the survey."""
    fresh: tuple[int, ...]
    """On which what was suspected is flown again."""


class EpisodeCounts(Part):
    """How much was flown."""

    episodes: int
    steps: int
    """Environment steps."""

    def text(self, *, cut: bool) -> str:
        """It in words.

        Args:
            cut: Whether the limit of turns ended some of the episodes.
        """
        said = "; some were cut, as a note says" if cut else ""
        return f"{self.episodes} episodes, {self.steps} steps{said}"


AuditEnd = Literal["flown", "cut"]
"""What ended an audit: that all was flown, or the clock or its budget."""


class AuditBudget(Part):
    """How much an audit flew, so that it can be repeated: ``--budget`` with what was spent."""

    spent: int
    """Environment steps and resets of all tasks."""
    ended: AuditEnd
    unreached: tuple[str, ...]
    """Stages that the end cut or that were not begun, in words."""

    @property
    def text(self) -> str:
        """What a verdict says of the end, and how it is repeated; empty where all was flown."""
        if self.ended == "flown":
            return ""
        return f", where it was cut; --budget {self.spent} repeats it to the bit on the same map"


class AuditClock(Part):
    """What the clock said; it differs where an audit is repeated."""

    minutes: float | None
    """That map and audit might take; None where a budget in steps ended the audit."""
    first_finding_s: float | None
    """Seconds from the command's beginning to the first finding of the audit's own; None without one."""
    verdict_s: float
    """Seconds from the command's beginning to the verdict."""
    minutes_needed: int | None = None
    """Minutes with which an audit that lacked time is likely to come to a verdict; None where time lacked nothing."""


class AuditLimit(Part):
    """After how many turns episodes are cut that do not end themselves."""

    turns: int
    why: str
    """Where the limit is from, in words."""


class NamedEstimate(Estimate):
    """A mean with its interval, and the policy whose it is."""

    policy: str


class OutEarning(Part):
    """How often a failure out-earns a success, ties counting half."""

    same_seed: float
    """Probability on the same seed."""
    auroc: float
    """Probability that a success out-earns a failure, over all seeds."""
    successes: int
    failures: int


class SeedVariety(Part):
    """How many different episodes the seeds gave, as far as idling shows it."""

    different: int
    seeds: int


class HeadlineNumbers(Part):
    """The numbers of a task that a reader wants first."""

    paid_for_nothing: NamedEstimate | None
    """Share of a success's return that the best paid policy which does not try earns where it fails; None without a
    scale."""
    failure_out_earns_success: OutEarning | None
    """None without both."""
    best_failing_return: float | None
    """Of the failure that comes nearest to a success on its seed; the highest where none succeeded."""
    success_on_its_seed: float | None
    """Return of the best known success on the seed of that failure."""
    best_known_return: float | None
    """Mean over the seeds of the best success's return."""
    floor: float
    """Return of nothing."""
    distinct_episodes: SeedVariety
    reachability: NamedEstimate | None
    """How often the best of the policies that are meant to succeed does."""


class AuditedPolicy(Part):
    """One policy's episodes, a seed each."""

    policy: str
    kind: str
    """Kind of a habit of the panel, or how it was made of what succeeded, searched or given."""
    episodes: int
    lost: int
    """Episodes that the environment lost."""
    cut: int
    """Episodes that the limit of turns ended, though most of what was sent was taken."""
    refused: int = 0
    """Episodes that never ended, because most of what was sent was refused."""
    returns: Annotated[Estimate | None, written_as("return")]
    """Mean return; None where none has a return."""
    success: Estimate | None
    """Share of successes; None where none is told."""
    failed: int
    """Episodes that ended without success and with a return."""
    paid: float | None
    """Share of a success's return that its failures earn; None without a scale."""
    steps: float | None
    """Mean number of turns."""


class SearchPoint(Part):
    """A point of a search's curve."""

    steps: int
    """Steps spent."""
    best: float
    """The best so far."""


class SearchCurve(Part):
    """What one half of the search came to."""

    best_failing_return: float
    curve: tuple[SearchPoint, ...]
    """Each time that the best rose, and the end."""


class PlanSearch(SearchCurve):
    """What the search for an open-loop plan came to."""

    plan: tuple[Action, ...]
    """The best plan, the last action repeated to the end."""


class SearchFigures(Part):
    """The search for failures that are paid."""

    plan: PlanSearch | None
    """None where no plan fails and is paid."""
    policy: SearchCurve | None
    """Of small policies that react to what they see; None where none fails and is paid."""


class CandidatePolicy(Part):
    """The policy under audit, and what it is like."""

    policy: str
    likeness: tuple[ExploitDistance, ...]
    """The exploits and habits that it is nearest to."""
    above_random: dict[str, Estimate | None]
    """How far its return and its success are above the random policy's on the same seeds; None where not
    known."""


class WithoutComponent(Part):
    """What the return becomes without a component."""

    success_return: float | None
    """Mean return of the successes."""
    best_failing: str | None
    """The policy whose failures are paid best."""
    best_failing_paid: float | None
    """Share of a success's return that they earn."""
    auroc: float | None
    """Probability that a success out-earns a failure."""


class ShapleyValue(Part):
    """A component's share of the return."""

    failed: float | None
    """Of the mean return of failures."""
    gap: float | None
    """Of what successes earn more."""


class CheapestExploit(Part):
    """The policy that does not try and gets most of a component where it fails."""

    policy: str
    kind: str
    mean: float
    """Of the component over its failures."""
    value: float
    """Of the component in the witness."""
    witness: EpisodeWitness


class AuditedComponent(Part):
    """A component of the reward: what it is worth, whom it pays, and whether the return needs it."""

    name: str
    min: float
    max: float
    mean: float
    mean_success: float | None
    mean_failure: float | None
    constant: bool
    """Whether it is the same in every episode."""
    weight: float | None
    """The rubric's."""
    factor: float | None
    """By which it enters the return; None where no rule gives the returns."""
    normalised: str | None
    """``weight`` where it lies within its weight, ``unit`` within [0, 1], or None."""
    auroc_success: float | None
    """Probability that it is higher in a success than in a failure."""
    correlation_return: float | None
    without: WithoutComponent | None
    """None where no rule gives the returns, as of the next."""
    shapley: ShapleyValue | None
    cheapest: CheapestExploit | None
    """None where no policy that does not try failed."""


class ComponentCorrelation(Part):
    """Pearson's correlation of two components."""

    pair: tuple[str, str]
    r: float | None
    """None where one is constant."""


class RewardComponents(Part):
    """The components of the reward, and how they make the return."""

    note: str | None
    """Why there is no rule; None where there is one."""
    rule: str | None
    """By which the components make the return."""
    episodes: int | None = None
    """Episodes with components; None without any, as of the next two."""
    left_out: int | None = None
    """Episodes that lack a component of the others."""
    rank: int | None = None
    """How many components move on their own."""
    correlations: tuple[ComponentCorrelation, ...] | None = None
    """Of each pair."""
    components: tuple[AuditedComponent, ...]


class LengthTrend(Part):
    """Return against the number of steps over the episodes that fail."""

    episodes: int
    spearman: float | None
    """Spearman's rank correlation."""
    slope_per_step: Estimate | None
    """Of the least squares."""
    note: str | None
    """Why there is none of the two."""


class FarmedCycle(Part):
    """A few actions repeated, and what they earn where they fail."""

    cycle: str
    episodes: int
    total: Annotated[float, written_as("return")]
    """Mean return."""
    return_per_step: float
    paid: float | None
    """Share of a success's return; None without a scale."""


class FarmingFigures(Part):
    """Whether it pays to go on."""

    length: LengthTrend
    cycles: tuple[FarmedCycle, ...]
    """The best paid first."""


TransformVerdict = Literal["pass", "fail", "na"]


class TransformCheck(Part):
    """What became of episodes that were flown again in another guise."""

    id: str
    """What was changed."""
    verdict: TransformVerdict
    said: str
    """The evidence in one sentence."""
    source: Literal["flown", "map"] = "flown"
    """Where the answer is from."""


class CopyAgreement(Part):
    """How often a succeeding policy sends what stands at a path."""

    path: str
    field: str
    """Of the action."""
    same_seed: float
    other_seeds: float

    @property
    def excess(self) -> float:
        """Beyond chance."""
        return self.same_seed - self.other_seeds


class LeakedCopy(Part):
    """What came of sending back what an opening shows."""

    path: str
    """What was copied."""
    field: str
    """What it was sent in."""
    items: bool
    """Whether its items were sent one after another."""
    success: float
    success_with_another_seeds_value: float
    needed_by_reference: bool | None
    """Whether the policies that succeed need the value; None where that was not asked or is not told."""
    verdict: str
    """``leak``, ``task``, ``chance`` or ``unknown``."""


class LeakFigures(Part):
    """Whether the answer is handed out before it is earned."""

    paths: int
    """That were looked at."""
    copies_flown: int
    agreements: tuple[CopyAgreement, ...]
    """With the succeeding policy's actions."""
    copies: tuple[LeakedCopy, ...]
    """That succeeded on the first seeds."""


class LearnedByHeart(Part):
    """What was learned from the survey's successes, and how it does on fresh seeds without looking."""

    learned: int
    flown: int
    """Episodes."""
    success: Estimate
    success_of_reference: float


class EpisodesWithout(Part):
    """Why the episodes of a task were not counted."""

    note: str


class EpisodesTold(Part):
    """How many different episodes there are, and whether they can be learned by heart."""

    resets: int
    openings: int
    """Different ones that were seen."""
    estimated: float | None
    """How many there are at least, by Chao's estimator; None where every reset differed."""
    unseen: float | None
    """Chance that the next opening is a new one."""
    by_heart: LearnedByHeart | None
    """Plans by their opening."""
    answers: LearnedByHeart | None
    """Last actions, tried in turn; None where they were not, as of the next."""
    episodes: LearnedByHeart | None
    """Whole episodes."""


class ReviewAnswers(Part):
    """The answers of a reward review about one component."""

    component: str
    measures: str
    source: str
    scale: str
    composition: str
    exploit: str


class ExplorationFigures(Part):
    """What exploring a task reached."""

    steps: int
    episodes: int
    lines: int | None
    """Lines of the environment's code that anything reached, of those that reset and step may reach; None where they
    could not be measured, as of the next."""
    of: int | None
    wall: str | None
    """The answer that most actions got; None without one."""
    past: bool
    """Whether something was paid all the same."""
    best: float | None
    """The highest return of an episode."""
    said: str
    """The same for a reader, as in ``62 % of the step's lines; no action got past 'No room is chosen'``."""


class TaskSheet(Part):
    """What was flown on a task, whatever came of it."""

    task: TaskOptions
    """Reset options without a seed."""
    success: tuple[str, ...]
    """Where the environment says success, as in ``metadata.success``."""
    judged: JudgedSuccess | None = None
    """What success was; None in records of before it could be assumed."""
    numbers: HeadlineNumbers
    policies: tuple[AuditedPolicy, ...]
    search: SearchFigures
    candidate: CandidatePolicy | None
    """None where no policy is under audit."""
    coverage: ExplorationFigures | None = None
    """What exploration reached; None in records of before there was any."""


class BrokenOffTask(TaskSheet):
    """A task whose survey was broken off, because too many policies lost every episode."""

    broken_off: Literal[True] = True


class AuditedTask(TaskSheet):
    """A task that was audited to the end."""

    broken_off: Literal[False] = False
    components: RewardComponents
    farming: FarmingFigures
    metamorphic: tuple[TransformCheck, ...]
    leakage: LeakFigures
    distinct: EpisodesTold | EpisodesWithout
    review: tuple[ReviewAnswers, ...]


class FlownConfig(Part):
    """Fields of the config of an audit that others read; the rest is what the config says."""

    model_config = ConfigDict(extra="ignore")


class AuditedRollout(FlownConfig):
    """How the episodes of an audit were flown."""

    max_turns: int
    success: str | None
    """The expression that says success."""


class AuditedBy(FlownConfig):
    """What was asked of an audit."""

    seeds: int
    budget: int | None
    search: int
    reference: str | None
    rewards: tuple[str, ...]
    """Reward functions outside the environment that paid in its place."""
    policy: str | None
    jobs: int


class AuditedConfig(FlownConfig):
    """What an audit was made by."""

    reward: str | None
    """File of the reward that paid in place of the environment's own."""
    rollout: AuditedRollout
    audit: AuditedBy


FOR_LITTLE = frozenset({"success_costs_nothing", "blind_plan_pays", "shotgun_answer_pays"})
"""Findings that speak against an assumed success, even where they are no proof of a fault."""


def hollow(findings: Iterable[Finding], assumed: Sequence[str]) -> list[str]:
    """That an assumed success may take no skill, as a sentence on what it takes to go on; none where nothing says so.

    Args:
        findings: All that was found.
        assumed: The assumptions about success, in words.
    """
    doubtful = (f for f in findings if not f.blocks and f.accepted is None)
    names = names_of(f for f in doubtful if f.id in FOR_LITTLE)
    if not assumed or not names:
        return []
    return [
        f"whether the assumed success takes any skill ({names}): say what success is with --success, or give a policy "
        "that succeeds with --reference, or accept the finding in gonogo.yaml"
    ]


def conclude(
    findings: Sequence[Finding],
    missing: Sequence[str],
    flown: str,
    assumed: Sequence[str] = (),
    unchecked: Sequence[str] = (),
) -> tuple[Verdict, str]:
    """The verdict over an audit and its reason: what is accepted or merely suspicious blocks nothing.

    Args:
        findings: All that was found.
        missing: What is missing to judge, as sentences.
        flown: How much was flown, in words.
        assumed: Under which assumptions about success, in words.
        unchecked: Beside what was not looked at, in words.
    """
    under = (*assumed, *unchecked)
    missing = [*missing, *hollow(findings, assumed)]
    blocking = [finding for finding in findings if finding.blocks]
    broken = names_of(f for f in blocking if f.severity is Severity.CONTRACT)
    paid = names_of(f for f in blocking if f.severity is not Severity.CONTRACT)
    accepted = accepted_of(findings)
    doubtful = names_of(f for f in findings if not f.blocks and f.accepted is None)
    said = [f"the contract is broken: {broken}"] if broken else []
    said += [f"proven and replayed in a fresh process: {paid}"] if paid else []
    unknown = [f"not known: {'; '.join(missing)}"] if missing else []
    beside = [*under, *([f"accepted: {accepted}"] if accepted else [])]
    beside += [f"suspicious, and no proof of a fault: {doubtful}"] if doubtful else []
    if said:
        return Verdict.NO_GO, "; ".join([*said, *unknown, *beside])
    if missing:
        return Verdict.HOLD, "; ".join([*unknown, *beside])
    none = (
        f"nothing else found in {flown}" if len(beside) > len(under) else f"none found in {flown}"
    )
    return Verdict.GO, "; ".join([*beside, none])


def names_of(findings: Iterable[Finding]) -> str:
    """Ids of some findings, each once."""
    return ", ".join(dict.fromkeys(finding.id for finding in findings))


def assumed_in(sheets: Iterable[TaskSheet]) -> tuple[str, ...]:
    """The assumptions about success that the tasks were judged under, in words, each once."""
    said = [sheet.judged.under for sheet in sheets if sheet.judged is not None]
    return tuple(dict.fromkeys(each for each in said if each))


class AuditReport(StationRecord):
    """The audit of an environment's reward."""

    kind: ClassVar[str] = "audit"
    version: ClassVar[int] = 2
    station: ClassVar[str] = "audit"

    environment: str
    reward_hash: str | None
    """Of the file whose reward was paid in the environment's place; None for its own."""
    seed: int
    seeds: AuditSeeds
    findings: tuple[Finding, ...]
    """The contract's first, each once a task."""
    tasks: tuple[Annotated[AuditedTask | BrokenOffTask, Field(discriminator="broken_off")], ...]
    flown: EpisodeCounts
    budget: AuditBudget
    clock: AuditClock
    limit: AuditLimit
    notes: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """What is missing to tell success from failure, as sentences."""
    unchecked: tuple[str, ...] = ()
    """What of the contract the map did not check, because its time was over, in words."""
    config: JsonObject
    """Of the run: ``reward``, ``rollout`` and ``audit``."""

    def accepting(self, reason: Callable[[Finding], str | None]) -> Self:
        """The same with what its author accepts by now, and the verdict that follows.

        Args:
            reason: Why a finding is accepted; None of one that is not.
        """
        findings = tuple(f.model_copy(update={"accepted": reason(f)}) for f in self.findings)
        if findings == self.findings:
            return self
        cut = any(policy.cut for task in self.tasks for policy in task.policies)
        flown = self.flown.text(cut=cut) + self.budget.text
        verdict, said = conclude(findings, self.missing, flown, self.under, self.unchecked)
        return self.model_copy(update={"findings": findings, "verdict": verdict, "reason": said})

    @property
    def made_by(self) -> AuditedConfig:
        """What others read of its config; :class:`~gonogo.errors.StaleRecord` if it lacks that."""
        return self.read_config(self.config, AuditedConfig)

    @property
    def under(self) -> tuple[str, ...]:
        """Under which assumed success the verdict stands, in words; empty where none is assumed."""
        return assumed_in(self.tasks)

    @property
    def needed(self) -> int | None:
        """Minutes that an audit which could not tell is to be given; None where time would not help."""
        return self.clock.minutes_needed if self.verdict is Verdict.HOLD else None

    @property
    def said(self) -> str:
        """The evidence behind the verdict, and how much time it takes to come to one, in a line."""
        if self.needed is None:
            return super().said
        return (
            f"{super().said}; it lacked time: --minutes {self.needed} goes on where this one ended"
        )

    @property
    def proposed(self) -> str | None:
        """The success that was assumed, else the likeliest that was proposed; None where neither is."""
        judged = [task.judged for task in self.tasks if task.judged is not None]
        said = [each.assumed for each in judged] + [each.likeliest for each in judged]
        return next((each for each in said if each is not None), None)

    @property
    def frame(self) -> Frame:
        """A row a finding."""
        rows = [(each.id, each.component, each.task, each.explanation) for each in self.findings]
        return Frame(("finding", "component", "task", "explanation"), rows)
