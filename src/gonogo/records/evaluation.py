"""What ``gonogo evaluate`` leaves: the numbers of each policy, the comparisons, and the criteria of the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from gonogo.records.findings import AcceptedFinding, ExploitDistance
from gonogo.records.record import Estimate, Frame, Part, Record, StationRecord, VerdictName
from gonogo.wire import JsonObject, TaskOptions


class EvaluatedTasks(Part):
    """The tasks that every policy flew."""

    first: TaskOptions
    count: int


class Criterion(Part):
    """One thing that GO needs."""

    id: str
    verdict: VerdictName
    said: str
    """Why, in a sentence."""


class EpisodeColumns(Part):
    """What the statistics need of each episode of a policy, in the order of the tasks."""

    score: tuple[float | None, ...]
    """None where the episode has none."""
    success: tuple[bool | None, ...]
    """None where the episode has no score, or the environment never says."""
    turns: tuple[int, ...]
    invalid: tuple[int, ...]
    """Turns whose action was refused."""
    timeout: tuple[bool, ...]
    context_overflow: tuple[bool, ...] | None = None
    """Which outgrew the model's context; None where none did."""


class LostEpisode(Part):
    """An episode that infrastructure lost."""

    index: int
    error: str


class PolicyResult(Part):
    """What a policy came to."""

    decoding: str | None
    """Of a model: ``greedy`` or ``sampled``."""
    success: Estimate
    score: Estimate
    components: dict[str, float]
    """Mean of each component of the reward."""
    invalid_rate: float | None
    """Share of the turns whose action was refused."""
    timeout_rate: float | None
    mean_turns: float | None
    episodes: int
    """Those with a score, from which the numbers come."""
    unscored: int
    """Those for which nothing was paid."""
    lost: tuple[LostEpisode, ...]
    seed: int | None
    flown: EpisodeColumns
    context_overflows: int | None = None
    """Episodes that outgrew the model's context; None where none did."""
    model_hash: str | None = None
    """Of the folder of a policy that is a model."""


class PairedComparison(Part):
    """Two policies on the tasks that both have a score for; differences are candidate minus baseline."""

    baseline: str
    candidate: str
    success_difference: Estimate
    """Of the rates, as a fraction."""
    score_difference: Estimate
    improvement_percent: float | None
    """Score difference in percent of the baseline's score; None where that is not above 0."""
    mcnemar_p: float | None
    """Two-sided exact p-value of the successes."""
    sign_flip_p: float | None
    """Two-sided p-value of the scores."""
    episodes: int
    """Tasks that were compared."""
    excluded: int
    """Tasks that one of the two has no score for."""

    def named(self, names: Mapping[str, str]) -> PairedComparison:
        """The same with other names of the two."""
        both = {"baseline": names[self.baseline], "candidate": names[self.candidate]}
        return self.model_copy(update=both)


class HeldOutComparison(Part):
    """Held-out tasks held against those of the training."""

    looked_at: int
    """Held-out tasks that were flown."""
    trained: int | None
    """Tasks of training that they were held against; None if the training flies none in this environment."""
    copies: int
    """Held-out tasks that are alike to one of them."""
    varies: tuple[str, ...]
    """Places of what a task shows that differ when the same task is flown again."""
    example: tuple[TaskOptions, TaskOptions] | None
    """A held-out task and the one of training's that it is alike to; None without copies."""


class ConstantChoice(Part):
    """How the best of the policies that repeat one action was chosen."""

    tried: int
    """Constants that were flown."""
    tasks: int
    """Tasks that each of them flew."""
    policy: str | None
    """The best one's name; None where none is paid more than idle."""


class BestConstant(Record):
    """The choice, kept so that the next evaluation need not fly it again."""

    kind: ClassVar[str] = "constant"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "evaluate"

    fingerprint: str
    """Of everything that the constants' episodes depend on."""
    tried: int
    tasks: int
    policy: str | None

    @property
    def choice(self) -> ConstantChoice:
        """The choice as an evaluation holds it."""
        return ConstantChoice(tried=self.tried, tasks=self.tasks, policy=self.policy)


class EvaluationReport(StationRecord):
    """The same held-out tasks for every policy, compared pair by pair."""

    kind: ClassVar[str] = "evaluation"
    version: ClassVar[int] = 2
    station: ClassVar[str] = "evaluate"

    environment: str
    """Its own name."""
    reward_hash: str | None
    """Of the reward that paid in place of the environment's own; None where that paid."""
    split: str | None
    level: str | None
    episodes: int
    """Tasks that each policy flew."""
    tasks: EvaluatedTasks
    training_seeds: tuple[int, ...]
    seed: int
    """Of the resampling and of random policies."""
    criteria: Annotated[tuple[Criterion, ...], Field(min_length=1)]
    wording: int | None = None
    """Version of the sentences of criteria and reason; None of those before the first."""
    accepted: tuple[AcceptedFinding, ...] | None = None
    """Findings of the audit that the author goes on with; None in a record from before they were written."""
    held_out: HeldOutComparison | None
    """None where nobody knows what was trained on, or nothing was trained."""
    constants: ConstantChoice | None
    """None where there is no trained model to hold against a constant."""
    method: str
    notes: tuple[str, ...]
    likeness: dict[str, tuple[ExploitDistance, ...]]
    """By model, the exploits that it is nearest to."""
    shown_task: int | None
    """Index of the task that plots and films show; None where none was flown by both."""
    policies: Annotated[dict[str, PolicyResult], Field(min_length=1)]
    comparisons: tuple[PairedComparison, ...]
    config: JsonObject
    """The sections ``reward``, ``rollout`` and ``evaluation`` of the run's config."""

    def compare(self, baseline: str, candidate: str) -> PairedComparison:
        """The comparison of two policies.

        Args:
            baseline: Name of the one.
            candidate: Name of the other.

        Raises:
            KeyError: They were not compared.
        """
        pairs = {(each.baseline, each.candidate): each for each in self.comparisons}
        if (baseline, candidate) not in pairs:
            raise KeyError(f"compared were {sorted(pairs)}, not {(baseline, candidate)}")
        return pairs[baseline, candidate]

    @property
    def frame(self) -> Frame:
        """A row a policy."""
        rows = [
            (
                name,
                p.score.mean,
                p.score.ci95,
                p.success.mean,
                p.success.ci95,
                p.episodes,
                len(p.lost),
            )
            for name, p in self.policies.items()
        ]
        return Frame(
            ("policy", "score", "score_ci95", "success", "success_ci95", "episodes", "lost"), rows
        )

    def where(self) -> list[str]:
        """The level and the split of the tasks, where there are any."""
        named = (("level", self.level), ("split", self.split))
        return [f"{key} {value}" for key, value in named if value is not None]
