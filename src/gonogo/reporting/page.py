"""The page: everything on it is computed here, from what was gathered and from nothing else.

The same records give the same page. Texts of environments and models are escaped by the template; no script but the
page's own can run, by a content security policy with its hash.

Charts are plain numbers for the template: lines in percent of their box, bars in percent of their row. Boxes stretch
with the page, so the drawing has no text; labels stand beside it as text of the page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from statistics import fmean

from gonogo.plots.evaluation_plots import COMPONENT, OVERALL, STAGES, VALIDATION
from gonogo.records.evaluation import EvaluationReport, PolicyResult
from gonogo.records.files import schema_name
from gonogo.records.findings import FINDINGS, MENDS
from gonogo.records.record import Estimate, Verdict
from gonogo.records.stations import EmbeddedEpisode
from gonogo.records.tables import cut
from gonogo.records.training import TrainingRow
from gonogo.reporting.run_contents import STATIONS, RunContents
from gonogo.reporting.templates import render
from gonogo.reporting.viewer import MOST_CHARS, replay_of, turn_of
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import BASELINE, CANDIDATE, choose_pair, score_of

PACKAGE = "gonogo.reporting"
MOST_FINDINGS, MOST_TRANSCRIPTS, MOST_TURNS = 24, 4, 64
BOTH = "all policies"
MOST_POINTS = 400
"""Points of a line; of a longer one, evenly chosen rows are drawn."""


def make_page(found: RunContents) -> tuple[str, tuple[EmbeddedEpisode, ...]]:
    """The page, and which episodes it holds.

    Args:
        found: What the run's folder holds.

    Returns:
        The HTML, and the episodes that can be replayed or read on it.
    """
    now = found.records.accepting
    audit, evaluation = now.audit, now.evaluation
    replay = replay_of(found.episodes, None if evaluation is None else evaluation.shown_task)
    tasks = () if replay is None else replay.tasks
    transcripts = [] if evaluation is None else transcripts_of(found, evaluation)
    shown = [
        *((flight.policy, task.index, "replay") for task in tasks for flight in task.flights),
        *((row.policy, row.index, "transcript") for row in transcripts),
    ]
    embedded = tuple(EmbeddedEpisode(policy=p, index=index, shown=how) for p, index, how in shown)
    script = resource("page.js")
    text = render(
        "page.html.j2",
        at=interval,
        style=resource("page.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=title_of(found),
        about=about(found),
        stations=STATIONS,
        board=now.by_station,
        records=found.records.by_station,
        run=found.run,
        missing=found.missing,
        evaluation=evaluation,
        headline=None if evaluation is None else headline_of(evaluation),
        scores=None if evaluation is None else scale(e.score for e in evaluation.policies.values()),
        reach=None if evaluation is None else reach(evaluation),
        curves=curves(found.training, evaluation) if found.training else [],
        component_charts=component_charts(found.training),
        levels=levels_of(found),
        outcomes=outcomes_of(found),
        audit=audit,
        findings=() if audit is None else audit.findings[:MOST_FINDINGS],
        meanings=FINDINGS,
        mends=MENDS,
        json_text=json_text,
        replay=None if replay is None else asdict(replay),
        transcripts=transcripts,
        score_of=score_of,
        turn_of=turn_of,
        most_turns=MOST_TURNS,
        schema_name=schema_name,
        embedded=len(embedded),
    )
    return text, embedded


def resource(name: str) -> str:
    """A file of this package."""
    return resources.files(PACKAGE).joinpath(name).read_text(encoding="utf-8")


def title_of(found: RunContents) -> str:
    """The environment's name, else the target."""
    first, *_ = records = list(found.records.by_station.values())
    named = (getattr(each, "environment", None) for each in records)
    return next((str(name) for name in named if name is not None), first.target)


def about(found: RunContents) -> list[tuple[str, str]]:
    """What the page is about, in a line."""
    record = [*found.records.by_station.values()][-1]
    evaluation = found.records.evaluation
    facts = [
        ("target", record.target),
        ("level", None if evaluation is None else evaluation.level),
        ("split", None if evaluation is None else evaluation.split),
        ("source", (record.source_hash or "")[:12]),
        ("measured", record.created[:10]),
    ]
    return [(name, value) for name, value in facts if value]


@dataclass(frozen=True, slots=True)
class Headline:
    """Before and after; of the first and the last policy where no model was flown."""

    title: str
    pair: tuple[tuple[str, PolicyResult], ...]
    low: float
    high: float


def headline_of(record: EvaluationReport) -> Headline:
    """The figures at the top of the page."""
    names = choose_pair(list(record.policies))
    pair = tuple((name, record.policies[name]) for name in names)
    title = title_of_headline(names, record.verdict)
    return Headline(title, pair, *scale(entry.score for _, entry in pair))


def title_of_headline(pair: tuple[str, str], verdict: Verdict) -> str:
    """What the pair of figures shows; a change only where the verdict says that there is one."""
    if pair != (BASELINE, CANDIDATE):
        return "The first and the last policy"
    return "What training changed" if verdict is Verdict.GO else "No improvement is shown"


def reach(record: EvaluationReport) -> float:
    """How far from 0 the comparisons of scores go."""
    held = [row.score_difference for row in record.comparisons]
    return max([abs(end) for each in held for end in each.ends or ()], default=1.0) or 1.0


@dataclass(frozen=True, slots=True)
class LevelTable:
    """Successes of each policy on each level of the tasks: how many of how many."""

    levels: tuple[str, ...]
    rows: tuple[tuple[str, list[tuple[int, int]]], ...]


def levels_of(found: RunContents) -> LevelTable:
    """Successes of each policy on each level of the tasks that were flown."""
    levels: dict[str, None] = {}
    counts: dict[str, dict[str, list[bool]]] = {}
    for name, flown in found.episodes.items():
        for episode in flown:
            level = str(episode.task.get("level", "all tasks"))
            levels.setdefault(level)
            if score_of(episode) is not None and episode.success is not None:
                counts.setdefault(name, {}).setdefault(level, []).append(episode.success)
    rows = (
        (name, [(sum(won), len(won)) for won in (by.get(level, []) for level in levels)])
        for name, by in counts.items()
    )
    return LevelTable(tuple(levels), tuple(rows))


@dataclass(frozen=True, slots=True)
class ComponentMeans:
    """Mean of a reward component over failed and over successful episodes, and their places in a row."""

    name: str
    means: tuple[float | None, float | None]
    at: tuple[RowPlaces | None, RowPlaces | None]


@dataclass(frozen=True, slots=True)
class OutcomeTable:
    """What failures and successes of some episodes were paid."""

    name: str
    failed: int
    succeeded: int
    rows: tuple[ComponentMeans, ...]


def outcomes_of(found: RunContents) -> list[OutcomeTable]:
    """Means of each reward component over failed and over successful episodes."""
    if not found.episodes:
        return []
    candidate = choose_pair(list(found.episodes))[1]
    groups = {
        candidate: found.episodes[candidate],
        BOTH: [episode for flown in found.episodes.values() for episode in flown],
    }
    tables = (split_of(name, flown) for name, flown in groups.items())
    return [table for table in tables if table is not None]


def split_of(group: str, flown: Sequence[Episode]) -> OutcomeTable | None:
    """Components of failed and successful episodes; None where there are no components or no outcomes."""
    failed, won = (
        [e for e in flown if e.success is outcome and e.components] for outcome in (False, True)
    )
    names = dict.fromkeys(name for e in (*failed, *won) for name in e.components)
    if not names:
        return None
    means = {name: (mean_of(name, failed), mean_of(name, won)) for name in names}
    low, high = span(value for pair in means.values() for value in pair if value is not None)

    def at(mean: float | None) -> RowPlaces | None:
        return interval(Estimate(mean=mean, ci95=None), low, high)

    rows = (ComponentMeans(name, pair, (at(pair[0]), at(pair[1]))) for name, pair in means.items())
    return OutcomeTable(group, len(failed), len(won), tuple(rows))


def mean_of(name: str, episodes: Sequence[Episode]) -> float | None:
    """Mean of a component over the episodes that have it, or None of nothing."""
    values = [episode.components[name] for episode in episodes if name in episode.components]
    return fmean(values) if values else None


def json_text(value: object, indent: int | None = None) -> str:
    """A value as JSON, cut to what a reader can bear."""
    return cut(json.dumps(value, ensure_ascii=False, indent=indent), MOST_CHARS)


def transcripts_of(found: RunContents, evaluation: EvaluationReport) -> list[Episode]:
    """Whole episodes to read: the shown task by both agents, a failure and a success of the second one."""
    if not found.episodes:
        return []
    left, right = choose_pair(list(found.episodes))
    shown = evaluation.shown_task
    flown = found.episodes[right]
    wanted = [] if shown is None else [found.episodes[left][shown], flown[shown]]
    for outcome in (False, True):
        others = [e for e in flown if e.success is outcome and e.index != shown]
        wanted += others[:1]
    return wanted[:MOST_TRANSCRIPTS]


@dataclass(frozen=True, slots=True)
class RowPlaces:
    """A mean and its interval as places in percent of a row."""

    mean: float
    left: float
    width: float
    constant: bool


@dataclass(frozen=True, slots=True)
class StepChart:
    """A line by training step, behind it others.

    Attributes:
        title: Above it.
        low: End of the vertical axis.
        high: Its other end.
        first_step: End of the horizontal axis.
        last_step: Its other end.
        line: What the chart is about, as a path.
        thin: The overall reward of a component's chart, validation of another one.
        dots: Validation, point by point.
        untrained: Place of the untrained model's score; None where it has none.
        first: First value of the line that the title names; None where there is none.
        last: Its last value.
    """

    title: str
    low: float
    high: float
    first_step: int
    last_step: int
    line: str
    thin: str
    dots: str = ""
    untrained: float | None = None
    first: float | None = None
    last: float | None = None


def curves(rows: Sequence[TrainingRow], evaluation: EvaluationReport | None) -> list[StepChart]:
    """A chart for each part of the training: the reward, validation, and the untrained model's score.

    Args:
        rows: The training log's.
        evaluation: The evaluation's record, if there is one.
    """
    parts = [(stage, [r for r in rows if r.stage == stage]) for stage in STAGES]
    parts = [(stage, found) for stage, found in parts if found]
    drawn = [points(found, name) for _, found in parts for name in (OVERALL, VALIDATION)]
    low, high = span(value for line in drawn for _, value in line)
    base = None if evaluation is None else evaluation.policies.get(BASELINE)
    untrained = None if base is None else base.score.mean
    return [
        StepChart(
            STAGES[stage],
            low,
            high,
            *first_and_last(found),
            line=path(found, OVERALL, low, high),
            thin=path(found, VALIDATION, low, high),
            dots=dots(found, VALIDATION, low, high),
            untrained=None if untrained is None else place(untrained, low, high),
            last=last(found, VALIDATION) or last(found, OVERALL),
        )
        for stage, found in parts
    ]


def component_charts(rows: Sequence[TrainingRow]) -> list[StepChart]:
    """A small chart for each reward component in reinforcement, the overall reward behind it."""
    found = [row for row in rows if row.stage == "grpo"]
    names = sorted({n for row in found for n in row.numbers if n.startswith(COMPONENT)} - {OVERALL})
    lines = [points(found, name) for name in (OVERALL, *names)]
    low, high = span(value for line in lines for _, value in line)
    return [
        StepChart(
            name.removeprefix(COMPONENT),
            low,
            high,
            *first_and_last(found),
            line=path(found, name, low, high),
            thin=path(found, OVERALL, low, high),
            first=points(found, name)[0][1],
            last=points(found, name)[-1][1],
        )
        for name in names
        if points(found, name)
    ]


def interval(estimate: Estimate, low: float, high: float) -> RowPlaces | None:
    """A mean and its interval as places in percent of a row from ``low`` to ``high``; None without a mean."""
    if estimate.mean is None or estimate.ends is None:
        return None
    left, right = (100 - place(end, low, high) for end in estimate.ends)
    mean = 100 - place(estimate.mean, low, high)
    return RowPlaces(mean, left, right - left, estimate.ci95 is None)


def scale(estimates: Iterable[Estimate]) -> tuple[float, float]:
    """An axis that holds estimates with their intervals; as :func:`span`."""
    held = [(each.mean, *each.ends) for each in estimates if each.mean is not None and each.ends]
    return span(end for ends in held for end in ends)


def span(values: Iterable[float]) -> tuple[float, float]:
    """An axis that holds 0 and all values; from 0 to 1 where that does."""
    held = [0.0, *values]
    low, high = min(held), max(held)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return low, high if high > low else low + 1.0


def points(rows: Sequence[TrainingRow], name: str) -> list[tuple[float, float]]:
    """Steps and values of the rows that have a finite number of this name."""
    found = [
        (float(row.step), float(row.numbers[name]))
        for row in rows
        if name in row.numbers and math.isfinite(row.numbers[name])
    ]
    every = math.ceil(len(found) / MOST_POINTS)
    return found if every < 2 else [*found[:-1:every], found[-1]]


def first_and_last(rows: Sequence[TrainingRow]) -> tuple[int, int]:
    """The first step and the last."""
    steps = [row.step for row in rows]
    return min(steps), max(steps)


def last(rows: Sequence[TrainingRow], name: str) -> float | None:
    """The last value of a name, if there is one."""
    found = points(rows, name)
    return found[-1][1] if found else None


def place(value: float, low: float, high: float) -> float:
    """Percent from the top of a box in which ``high`` is the top."""
    return round(100 * (high - value) / (high - low), 3)


def spots(
    rows: Sequence[TrainingRow], name: str, low: float, high: float
) -> list[tuple[float, float]]:
    """Points of a name in percent of a box as wide as the rows' steps."""
    start, end = first_and_last(rows)
    width = max(end - start, 1)
    line = points(rows, name)
    return [(round(100 * (x - start) / width, 3), place(y, low, high)) for x, y in line]


def path(rows: Sequence[TrainingRow], name: str, low: float, high: float) -> str:
    """A line as an SVG path in a box of 100 by 100; empty where there is none."""
    at = spots(rows, name, low, high)
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in at) if at else ""


def dots(rows: Sequence[TrainingRow], name: str, low: float, high: float) -> str:
    """Points as an SVG path of lines without length, whose round ends stay round in a stretched box."""
    return "".join(f"M{x:g} {y:g}h0" for x, y in spots(rows, name, low, high))
