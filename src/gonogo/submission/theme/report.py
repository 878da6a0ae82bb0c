"""The theme station: which of the hackathon's themes an environment serves, and the problem statement.

It reads the run's ``map.json``, and ``audit.json`` where there is one, flies a few episodes more, and asks the author,
in a file that it writes once as a template, for what no flight shows. It leaves ``theme.json`` and ``theme.md``. GO
when a theme is chosen and its statement is finished and confirmed; NO-GO when flights refute the chosen theme's
mechanic; until then HOLD, with what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from gonogo.config import THEMES, RunConfig, Words
from gonogo.env.environment import Env
from gonogo.errors import StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.provenance import provenance
from gonogo.records.record import StationRecord, Verdict
from gonogo.records.submission import ThemeCriterion, ThemeFacts, ThemeReport
from gonogo.records.tables import TextTable, print_sheets
from gonogo.records.tables import markdown as page
from gonogo.records.terminal import Terminal
from gonogo.submission.theme.facts import fly_all, measure
from gonogo.submission.theme.rubric import CRITERIA, choose, score, totals
from gonogo.submission.theme.words import words_there, write_words

PAGE = "theme.md"
HOLDS = {True: "yes", False: "no", None: "cannot be told"}
REASON_COLUMNS = ("theme", "criterion", "points", "by", "reason")
STATEMENT = {
    "gap": "capability gap",
    "observes": "the agent observes",
    "decides": "the agent decides",
    "does": "the agent does",
    "verified": "success is verified",
    "remember": "a reader remembers it",
}


def run(run: RunConfig) -> Verdict:
    """Measure, read the author's words or write their template, score, and print the tables.

    Args:
        run: The config; its ``theme`` says where the words are and who drafts them.

    Returns:
        GO, NO_GO or HOLD; see the module.

    Raises:
        TargetError: There is no environment at the target.
        ConfigError: The file of the words broke a rule.
        Misuse: A draft would replace words.
        MissingRecord: The run has no map.
        StaleRecord: A record is of another schema, target or version of the environment, or a field of it is broken.
        EnvironmentFailure: The environment could not be started.
        PolicyFailure: The server of the draft failed.
    """
    env = Env.of(run)
    words = words_there(run)
    mapped = about_target(run, ContractReport.load(run.out, env.source))
    audited = None  # the theme may come before the audit
    if AuditReport.path(run.out).exists():
        audited = about_target(run, AuditReport.load(run.out, env.source))
    run = run.within(mapped.terminal.limit)
    episodes, notes = fly_all(run, mapped, audited)
    facts = measure(mapped, audited, episodes)
    if words is None or run.theme.draft is not None:
        words = write_words(run, mapped, facts)
        who = f"drafted by {words.drafted_by}" if words.drafted_by else "a template"
        notes.append(f"{run.words} was written, {who}: fill it in and give the command again")
    if cut := sum(episode.cut for episode in episodes):
        notes.append(
            f"{cut} of {len(episodes)} episodes were cut after {run.rollout.max_turns} turns, before they ended; what "
            f"was measured is of what was flown until then. The limit: {mapped.terminal.why}"
        )
    record = describe(run, mapped, facts, words, notes)
    record.save(run.out)
    write_text(run.out / PAGE, markdown(record))
    print_sheets(sheets_of(record), record, Terminal())
    return record.verdict


Read = TypeVar("Read", bound=StationRecord)


def about_target(run: RunConfig, record: Read) -> Read:
    """A record of the run's target.

    Raises:
        StaleRecord: It is of another one.
    """
    if record.target != run.target:
        raise StaleRecord(
            f"{record.path(run.out)}: target must be {run.target!r}, not {record.target!r}; "
            f"run {record.station} again"
        )
    return record


def describe(
    run: RunConfig, mapped: ContractReport, facts: ThemeFacts, words: Words, notes: Sequence[str]
) -> ThemeReport:
    """The record."""
    points = score(facts, words)
    scores = totals(points)
    theme, why = choose(scores, words)
    missing = words.missing()
    verdict, reason = judge(theme, why, points, missing)
    return ThemeReport(
        target=run.target,
        environment=mapped.environment,
        source_hash=mapped.source_hash,
        seed=run.seed,
        verdict=verdict,
        reason=reason,
        theme=theme,
        why=why,
        totals=scores,
        points=tuple(points),
        facts=facts,
        words=str(run.words),
        statement=words.statement,
        drafted_by=words.drafted_by,
        confirmed=words.confirmed,
        missing=tuple(missing),
        notes=(*notes, *doubts(theme, scores, words)),
        config=run.model_dump(mode="json", include={"rollout", "theme"}),
        **provenance(),
    )


def doubts(theme: str | None, scores: dict[str, int], words: Words) -> list[str]:
    """What a reader of the choice should know."""
    best = max(scores, key=lambda name: scores[name])
    notes = []
    if theme is not None and scores[theme] < scores[best]:
        notes.append(f"theme {best} scores more, {scores[best]} against {scores[theme]}")
    if words.drafted_by and words.confirmed:
        notes.append(f"the words were drafted by {words.drafted_by} and confirmed by the author")
    return notes


def judge(
    theme: str | None, why: str, points: Sequence[ThemeCriterion], missing: Sequence[str]
) -> tuple[Verdict, str]:
    """The verdict and its reason.

    Args:
        theme: The chosen one, or None.
        why: Why it was or was not.
        points: All of them.
        missing: What the statement lacks.
    """
    core = next((p for p in points if p.theme == theme and p.criterion == "maps"), None)
    if core is not None and not core.points and core.by == "measured":
        return Verdict.NO_GO, f"theme {theme} is refuted: {core.reason}"
    lacks = list(missing)
    if core is None:
        lacks.insert(0, f"no theme is chosen ({why})")
    elif not core.points:
        lacks.insert(0, f"nothing says that the core mechanic maps to theme {theme}")
    if lacks:
        return Verdict.HOLD, f"missing: {'; '.join(lacks)}"
    return Verdict.GO, f"theme {theme}: {why}, and its problem statement is confirmed"


def markdown(record: ThemeReport) -> str:
    """The record as a page."""
    return page(f"Theme of {record.environment}", sheets_of(record), record)


def sheets_of(record: ThemeReport) -> list[TextTable]:
    """Scores, reasons, what was measured, the choice with its statement."""
    names = [f"{name} (+{points})" for name, (points, _) in CRITERIA.items()]
    facts = [(name, HOLDS[fact.holds], fact.said) for name, fact in record.facts.named().items()]
    return [
        TextTable("Scores", ("theme", *names, "total of 10"), list(score_rows(record))),
        TextTable("Reasons", REASON_COLUMNS, list(reason_rows(record))),
        TextTable("Measured", ("what", "holds", "evidence"), facts),
        TextTable("Problem statement", ("what", "words"), list(statement_rows(record))),
        TextTable("Missing", ("what",), [(said,) for said in record.missing]),
    ]


def score_rows(record: ThemeReport) -> Iterator[tuple[str, ...]]:
    """A row for each theme."""
    for theme, title in THEMES.items():
        points = {p.criterion: p.points for p in record.points if p.theme == theme}
        mark = " ← chosen" if theme == record.theme else ""
        cells = (str(points[name]) for name in CRITERIA)
        yield f"{theme} {title}{mark}", *cells, str(record.totals[theme])


def reason_rows(record: ThemeReport) -> Iterator[tuple[str, ...]]:
    """A row for each criterion; what is the same for all themes once."""
    shared = {"underexplored", "paper", "pitch"}
    first = next(iter(THEMES))
    for point in record.points:
        common = point.criterion in shared
        if common and point.theme != first:
            continue
        theme = "all" if common else point.theme
        points = f"{point.points} of {point.of}"
        yield theme, CRITERIA[point.criterion][1], points, point.by, point.reason


def statement_rows(record: ThemeReport) -> Iterator[tuple[str, str]]:
    """The choice, then the statement."""
    chosen = "none" if record.theme is None else f"{record.theme} {THEMES[record.theme]}"
    yield "theme", f"{chosen}: {record.why}"
    said = dict(record.statement)
    yield from ((label, text) for name, label in STATEMENT.items() if (text := said[name].strip()))
    if record.drafted_by:
        yield "drafted by", record.drafted_by
    yield "confirmed", "yes" if record.confirmed else "no"
