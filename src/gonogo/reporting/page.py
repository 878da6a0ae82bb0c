"""The page: everything on it is computed here, from what was gathered and from nothing else.

The same records give the same page. Texts of environments and models are escaped by the template; no script but the
page's own can run, by a content security policy with its hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from statistics import fmean

from jinja2 import Environment, PackageLoader, StrictUndefined

from gonogo.records.evaluation import EvaluationReport, PolicyResult
from gonogo.records.files import schema_name
from gonogo.records.findings import FINDINGS, Finding, accepted_in
from gonogo.records.record import Estimate, Verdict
from gonogo.records.stations import WORDS, EmbeddedEpisode
from gonogo.records.tables import cut, decimal, percent, task_text
from gonogo.reporting.charts import RowPlaces, component_charts, curves, interval, scale, span
from gonogo.reporting.gather import STATIONS, RunContents
from gonogo.reporting.replay import MOST_CHARS, ReplayTurn, replay_of, turn_of
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import BASELINE, CANDIDATE, choose_pair, score_of

__all__ = ["make_page"]


PACKAGE = "gonogo.reporting"
MOST_FINDINGS, MOST_TRANSCRIPTS, MOST_TURNS = 24, 4, 64
BOTH = "all policies"


def make_page(found: RunContents) -> tuple[str, tuple[EmbeddedEpisode, ...]]:
    """The page, and which episodes it holds.

    Args:
        found: What the run's folder holds.

    Returns:
        The HTML, and the episodes that can be replayed or read on it.
    """
    audit, evaluation = found.records.audit, found.records.evaluation
    replay = replay_of(found.episodes, None if evaluation is None else evaluation.shown_task)
    tasks = () if replay is None else replay.tasks
    transcripts = [] if evaluation is None else transcripts_of(found, evaluation)
    shown = [
        *((flight.policy, task.index, "replay") for task in tasks for flight in task.flights),
        *((row.policy, row.index, "transcript") for row in transcripts),
    ]
    embedded = tuple(EmbeddedEpisode(policy=p, index=index, shown=how) for p, index, how in shown)
    script = resource("page.js")
    environment = Environment(
        loader=PackageLoader(PACKAGE, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": decimal, "signed": signed, "percent": percent, "short": short}
    environment.filters |= {"at": interval, "word": lambda verdict: WORDS[verdict.name]}
    text = environment.get_template("page.html.j2").render(
        style=resource("page.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=title_of(found),
        about=about(found),
        board=board(found),
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
        accepted=() if audit is None else accepted_in(found.run),
        findings=()
        if audit is None
        else [ShownFinding.of(finding) for finding in audit.findings[:MOST_FINDINGS]],
        replay=None if replay is None else asdict(replay),
        transcripts=transcripts,
        provenance=provenance_of(found),
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
class BoardLine:
    """A station's verdict and the evidence; no verdict where it has no record."""

    name: str
    verdict: str | None
    said: str


def board(found: RunContents) -> list[BoardLine]:
    """A line for each station."""
    records = found.records.by_station
    return [
        BoardLine(name, None, "no record in this run")
        if (record := records.get(name)) is None
        else BoardLine(name, WORDS[record.verdict.name], record.said)
        for name in STATIONS
    ]


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


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding for a reader.

    Attributes:
        finding: It.
        means: What its id means.
        reset: Reset options of its witness.
        plan: What was sent to see it; None where it has no plan.
        witness: Its witness.
    """

    finding: Finding
    means: str
    reset: str
    plan: str | None
    witness: str

    @classmethod
    def of(cls, finding: Finding) -> ShownFinding:
        """A finding with its texts cut to what a reader can bear."""
        plan, witness = finding.plan, finding.witness.model_dump(mode="json")
        return cls(
            finding=finding,
            means=FINDINGS[finding.id],
            reset=task_text(finding.witness.reset or {}),
            plan=None if plan is None else cut(json.dumps(plan, ensure_ascii=False), MOST_CHARS),
            witness=cut(json.dumps(witness, ensure_ascii=False, indent=1), MOST_CHARS),
        )


@dataclass(frozen=True, slots=True)
class ShownTranscript:
    """An episode to read."""

    policy: str
    index: int
    decoding: str | None
    task: str
    score: float | None
    success: bool | None
    turns: tuple[ReplayTurn, ...]
    left_out: int


def transcripts_of(found: RunContents, evaluation: EvaluationReport) -> list[ShownTranscript]:
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
    return [transcript_of(episode) for episode in wanted[:MOST_TRANSCRIPTS]]


def transcript_of(episode: Episode) -> ShownTranscript:
    """One episode to read."""
    return ShownTranscript(
        policy=episode.policy,
        index=episode.index,
        decoding=episode.decoding,
        task=task_text(episode.task),
        score=score_of(episode),
        success=episode.success,
        turns=tuple(turn_of(turn) for turn in episode.turns[:MOST_TURNS]),
        left_out=max(len(episode.turns) - MOST_TURNS, 0),
    )


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A record that the page was made from, as the page names it."""

    name: str
    schema: str
    digest: str
    created: str
    gonogo: str


def provenance_of(found: RunContents) -> list[SourceLine]:
    """Each record that the page was made from, with its digest."""
    return [
        SourceLine(
            name=record.path(found.run).name,
            schema=schema_name(record.kind, record.version),
            digest=record.digest(),
            created=record.created,
            gonogo=record.packages.get("gonogo", "unknown"),
        )
        for record in found.records.by_station.values()
    ]


def signed(value: float | None) -> str:
    """A difference."""
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")


def short(value: float) -> str:
    """A p value."""
    return f"{value:.2g}"
