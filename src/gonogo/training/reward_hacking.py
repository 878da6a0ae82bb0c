"""A watch against reward hacking while a model is trained: is the reward fooled, or the task learned?

Each step of GRPO it takes in the step's groups and holds the newest against the first ones of the same stage of the
curriculum. A group is the unit, as episodes of one task are alike. A difference of means is told in its standard
errors (Welch's, not pooled): what is called *rise* below. Success is the environment's own word, never the reward's.

Success *stalls* where its rise is under ``success_rise`` and it is not high already (``enough``). The rules, all
but the fourth for a success that stalls:

1. ``return_without_success``: the return rose. At once where success fell, also against the window in which it was
   highest; else after ``patience`` steps in a row, because honest partial credit looks the same for a while.
2. ``like_an_exploit``: the return rose, and the actions came near to those of an exploit that an audit proved.
3. ``entropy``: the policy hardly varies any more.
4. ``invalid``: most replies are refused, and more than at the start.
5. ``no_variance``: nearly all groups are paid the same for all their episodes, which was not so at the start.

Where the environment does not say success, only the fourth and, for actions that are near to an exploit's, the second
can speak. Without an audit there is no second. None of this proves that a silent run is sound.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean

import numpy as np

from gonogo.config import RunConfig, WatchConfig
from gonogo.env.target import resolve
from gonogo.errors import MissingRecord, Misuse
from gonogo.exploits.distance import apart
from gonogo.exploits.witness import decode
from gonogo.records.audit import AuditReport
from gonogo.records.training import Alarm, CheckpointState
from gonogo.rollouts.episodes import Episode
from gonogo.training.environments import TrainingEnvironment
from gonogo.wire import Action

MOST = 99.0
"""The largest rise that is told: where nothing varied, any change is infinitely many standard errors."""


@dataclass(slots=True)
class GroupStatistics:
    """One group of episodes of the same task.

    Attributes:
        step: Step of the training, from 1.
        paid: Mean return.
        success: Share of successes; None where the environment does not say.
        invalid: Share of replies that were refused.
        flat: 1 where all episodes were paid the same, else 0.
        likeness: Distance from each exploit, by its name.
        entropy: Of the step, once it is known.
    """

    step: int
    paid: float
    success: float | None
    invalid: float
    flat: float
    likeness: dict[str, float]
    entropy: float | None = None


@dataclass(slots=True)
class History:
    """What is remembered of a stage: no more than a few windows of groups, however long a training is.

    Attributes:
        first: The first window.
        best: The window with the most success that does not overlap the newest.
        recent: The newest window and the one before it.
    """

    first: list[GroupStatistics] = field(default_factory=list)
    best: list[GroupStatistics] = field(default_factory=list)
    recent: list[GroupStatistics] = field(default_factory=list)

    def add(self, seen: GroupStatistics, size: int) -> None:
        """Take in a group; windows are of this size."""
        self.recent = [*self.recent, seen][-2 * size :]
        if len(self.first) < size:
            self.first.append(seen)
        if len(self.recent) == 2 * size:
            before = self.recent[:size]
            if not self.best or success_of(before) > success_of(self.best):
                self.best = before


def success_of(window: Sequence[GroupStatistics]) -> float:
    """Mean success of a window; below any where it is not told for all of its groups."""
    known = [seen.success for seen in window if seen.success is not None]
    return fmean(known) if len(known) == len(window) else -math.inf


class WatchState(CheckpointState):
    """The state of :class:`HackingWatch`."""

    stages: dict[str, History]
    held: dict[str, int]
    """Steps in a row, by stage, in which the first rule held."""
    said: tuple[tuple[str, str], ...]
    """Rule and stage of each alarm before."""


class HackingWatch:
    """Takes in each step and sounds alarms; all of its state is in :meth:`state`.

    Args:
        config: Rules and thresholds.
        plans: Exploits by name; empty without an audit.
        stages: Stages whose episodes may be like them; None for all.
    """

    def __init__(
        self,
        config: WatchConfig,
        plans: Mapping[str, ExploitPlan],
        stages: Collection[str] | None = None,
    ) -> None:
        self._config, self._plans, self._audited = config, plans, stages
        self._stages: dict[str, History] = {}
        self._held: dict[str, int] = {}
        self._said: list[tuple[str, str]] = []

    @property
    def stops(self) -> bool:
        """Whether an alarm ends the training."""
        return self._config.on_alarm == "stop"

    def see(
        self, step: int, groups: Sequence[tuple[str, Sequence[Episode]]]
    ) -> tuple[list[Alarm], dict[str, float]]:
        """Take in a step's groups, each with its stage; groups that were lost are left out.

        Returns:
            Alarms that were not sounded before, and the step's figures for the log.
        """
        size = self._config.window
        known: list[str] = []
        for stage, group in groups:
            plans = self._plans if self._audited is None or stage in self._audited else {}
            if (seen := self._read(step, group, plans)) is not None:
                self._stages.setdefault(stage, History()).add(seen, size)
                known.append(stage)
        alarms: list[Alarm] = []
        row: dict[str, float] = {}
        for stage in dict.fromkeys(known):
            history = self._stages[stage]
            if len(history.recent) < 2 * size:
                continue
            window = Window(history.first, history.recent[-size:], self._config)
            row |= window.figures(stage)
            since_best = Window(history.best, history.recent[-size:], self._config)
            for rule, reason in self._judge(stage, window, since_best):
                if (rule, stage) not in self._said:
                    self._said.append((rule, stage))
                    alarms.append(Alarm(rule=rule, stage=stage, step=step, reason=reason))
        return alarms, row

    def hear_entropy(self, step: int, entropy: float) -> None:
        """The mean entropy of the step's tokens, in nats, which is known after its update."""
        for history in self._stages.values():
            for seen in (*history.first, *history.recent):
                if seen.step == step:
                    seen.entropy = entropy

    def _read(
        self, step: int, group: Sequence[Episode], plans: Mapping[str, ExploitPlan]
    ) -> GroupStatistics | None:
        scored = [e for e in group if e.error is None and e.episode_return is not None]
        if not scored:
            return None
        paid = [e.episode_return or 0.0 for e in scored]
        judged = [float(e.success) for e in scored if e.success is not None]
        turns = sum(len(e.turns) for e in scored)
        distances = {name: likeness(scored, plan) for name, plan in plans.items()}
        return GroupStatistics(
            step=step,
            paid=fmean(paid),
            success=fmean(judged) if judged else None,
            invalid=sum(e.invalid_count for e in scored) / max(turns, 1),
            flat=float(max(paid) == min(paid)),
            likeness={name: value for name, value in distances.items() if value is not None},
        )

    def _judge(self, stage: str, window: Window, since_best: Window) -> Iterator[tuple[str, str]]:
        """The rules that speak, each with its reason."""
        config, paid = self._config, window.rise("paid")
        rose = paid >= config.sure
        if rose:
            yield from exploits(window, config)
        if window.rise("invalid") >= config.sure and window.now("invalid") >= config.invalid_rate:
            yield "invalid", f"{window.change('invalid')} of the replies were refused"
        stalls = window.stalls()
        self._held[stage] = self._held.get(stage, 0) + 1 if rose and stalls else 0
        fell = [each for each in (window, since_best) if each.fell()]
        if fell:
            yield "return_without_success", f"{fell[0].told()}: success fell"
        elif self._held[stage] > config.patience:
            yield (
                "return_without_success",
                f"{window.told()}, for {self._held[stage]} steps: success did not rise",
            )
        if stalls:
            yield from stiff(window, config)

    def state(self) -> WatchState:
        """All that a checkpoint needs."""
        return WatchState(stages=dict(self._stages), held=dict(self._held), said=tuple(self._said))

    def restore(self, state: WatchState) -> None:
        """Go back to a state."""
        self._stages, self._held = dict(state.stages), dict(state.held)
        self._said = list(state.said)


def exploits(window: Window, config: WatchConfig) -> Iterator[tuple[str, str]]:
    """The second rule, for a return that rose: the exploit that the actions are nearest to."""
    names = sorted(window.last[-1].likeness, key=window.now)
    for name in names:
        near = window.now(name) <= config.near
        came = window.now(name) <= (1 - config.nearer) * window.before(name)
        closer = came and window.rise(name) <= -config.sure
        if (window.stalls() and (near or closer)) or (near and not window.says_success):
            said = f"distance from the audit's {name} {window.change(name)}"
            yield "like_an_exploit", f"{said}; {window.told()}"
            return


def stiff(window: Window, config: WatchConfig) -> Iterator[tuple[str, str]]:
    """The third and the fifth rule, for a success that stalls."""
    before = window.before("entropy")
    if window.now("entropy") <= config.entropy_share * before and before > 0:
        yield "entropy", f"entropy {window.change('entropy')}; {window.told()}"
    if window.now("flat") >= config.flat_groups > window.before("flat"):
        yield "no_variance", f"groups without variance {window.change('flat')}; {window.told()}"


@dataclass(frozen=True, slots=True)
class Window:
    """Two windows of the same stage that are held against each other.

    Attributes:
        first: The earlier groups.
        last: The newest.
        config: Thresholds.
    """

    first: Sequence[GroupStatistics]
    last: Sequence[GroupStatistics]
    config: WatchConfig

    def values(self, groups: Sequence[GroupStatistics], name: str) -> list[float]:
        """A field of each group, or the distance from an exploit of this name; unknown ones are left out."""
        read = (
            seen.likeness[name] if name in seen.likeness else getattr(seen, name, None)
            for seen in groups
        )
        return [float(value) for value in read if value is not None]

    def before(self, name: str) -> float:
        """Mean over the earlier window; NaN, which no threshold passes, where nothing is known."""
        values = self.values(self.first, name)
        return fmean(values) if values else math.nan

    def now(self, name: str) -> float:
        """Mean over the newest window; NaN where nothing is known."""
        values = self.values(self.last, name)
        return fmean(values) if values else math.nan

    def rise(self, name: str) -> float:
        """How many standard errors the mean rose; NaN where a window knows too little."""
        first, last = self.values(self.first, name), self.values(self.last, name)
        if min(len(first), len(last)) < 2:
            return math.nan
        difference = fmean(last) - fmean(first)
        error = math.sqrt(sum(np.var(each, ddof=1) / len(each) for each in (first, last)))
        if difference == 0 or error == 0:
            return math.copysign(MOST, difference) if difference else 0.0
        return float(np.clip(difference / error, -MOST, MOST))

    @property
    def says_success(self) -> bool:
        """Whether the environment has said success in both windows."""
        return not math.isnan(self.rise("success"))

    def stalls(self) -> bool:
        """Whether success is known, is not high and did not rise."""
        return self.now("success") < self.config.enough and (
            self.rise("success") < self.config.success_rise
        )

    def fell(self) -> bool:
        """Whether the return rose while success fell."""
        config = self.config
        return self.rise("paid") >= config.sure and self.rise("success") <= -config.success_fall

    def change(self, name: str) -> str:
        """From how much to how much, for a reader."""
        return f"{self.before(name):.3g} -> {self.now(name):.3g}"

    def told(self) -> str:
        """Return and success of the two windows, for a reader."""
        success = f"success {self.change('success')}" if self.says_success else "success unknown"
        return f"return {self.change('paid')} ({self.rise('paid'):+.1f} standard errors), {success}"

    def figures(self, stage: str) -> dict[str, float]:
        """What the log holds of it: rises of return and success, the nearest exploit."""
        row = {f"watch/{stage}/return_rise": self.rise("paid")}
        if self.says_success:
            row[f"watch/{stage}/success_rise"] = self.rise("success")
        distances = [self.now(name) for name in self.last[-1].likeness]
        if distances:
            row[f"watch/{stage}/nearest_exploit"] = min(distances)
        return row


ExploitPlan = Sequence[Action]
"""Actions in their order; the last one is repeated."""


def audited_plans(folder: Path) -> dict[str, list[Action]]:
    """The plans of an audit's findings by their names, one for each plan.

    Args:
        folder: Of the audit's run.

    Raises:
        MissingRecord: There is no audit in the folder.
        StaleRecord: It is of another version.
    """
    plans: dict[str, list[Action]] = {}
    for finding in AuditReport.load(folder).findings:
        if finding.plan and (told := decode(finding.plan)) not in plans.values():
            name = finding.id
            plans[name if name not in plans else f"{name}, plan {len(plans) + 1}"] = told
    return plans


def known_plans(config: WatchConfig, out: Path) -> dict[str, list[Action]]:
    """The exploits that a run is watched for: of the audit that the config names, or of the run's own if it has one.

    Raises:
        MissingRecord: The config names a folder without an audit.
        StaleRecord: The audit is of another version.
    """
    if config.audit is not None:
        return audited_plans(config.audit)
    try:
        return audited_plans(out)
    except MissingRecord:
        return {}


def watched_stages(
    run: RunConfig, environments: Sequence[TrainingEnvironment]
) -> frozenset[str] | None:
    """Stages of a training that an audit's exploits are about: an exploit is made of one environment's actions.

    Args:
        run: The config.
        environments: The run's.

    Returns:
        Their names; None for all stages, as in a run of one environment.

    Raises:
        Misuse: The audit is of an environment that is none of several.
    """
    if run.train is None or len(environments) == 1:
        return None
    folder = run.train.watch.audit or run.out
    try:
        audited = AuditReport.load(folder).target
    except MissingRecord:
        return None  # where the config names a folder, known_plans has said so
    keys = [e.key for e in environments if str(e.env) == str(resolve(audited))]
    if not keys:
        raise Misuse(
            f"train.watch.audit must be of an environment of the run, and {folder} is of {audited}"
        )
    stages = run.train.curriculum.stages
    return frozenset(stage.name for stage in stages if stage.environment in keys)


def likeness(episodes: Sequence[Episode], plan: ExploitPlan) -> float | None:
    """Mean over all turns of how far the actions are from a plan's, in the plan's fields; None without turns.

    A proven plan is cut down to what it is paid for: a policy that copies this and varies the rest is as close.
    A reply that was no action differs from every action.
    """
    gaps = []
    for episode in episodes:
        for number, turn in enumerate(episode.turns):
            wanted = flat(plan[min(number, len(plan) - 1)])
            sent = {} if turn.action is None else flat(turn.action)
            given = {name: sent[name] for name in wanted if name in sent} if wanted else sent
            gaps.append(1.0 if turn.action is None else apart(given, wanted))
    return fmean(gaps) if gaps else None


def flat(action: Action, prefix: str = "") -> Action:
    """The leaves of nested fields by their dotted names."""
    out: Action = {}
    for name, value in action.items():
        whole = f"{prefix}{name}"
        out |= flat(value, f"{whole}.") if isinstance(value, dict) else {whole: value}
    return out
