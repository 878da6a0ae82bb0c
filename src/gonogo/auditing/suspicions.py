"""From rows to suspicions: which habit is paid, and by what evidence it is called what.

A suspicion is one of :data:`gonogo.records.findings.FINDINGS` with the row that shows it. Nothing is read but what
was sent, seen and paid; thresholds stand on top. Whether a suspicion becomes a finding is decided on other
seeds, in another process.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean, median

import numpy as np

from gonogo.auditing.survey import (
    BROKEN,
    FARM,
    FOREIGN,
    LEAST_FAILED,
    MILESTONE,
    REFERENCE,
    UNFORMED,
    EpisodeKeys,
    Scale,
    Survey,
    SurveyRow,
    late_pay,
    lessened,
    may_be_clumsy,
    total,
)
from gonogo.exploits.panel import ALL_SEEN, AND_COMMON, APART, Kind
from gonogo.records.findings import Severity, severity_of
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at
from gonogo.wire import Observation

PAID = 0.25
"""Share of a success's return from which a failure that did not try is paid."""
CHEAP = 1.0
"""The same where there are nothing but costs, and idling is what earns nothing: to cost no more than a success. A share
of two sums below nothing says nothing else."""
FARMED = 0.5
"""The same for a cycle, which may have begun like a success, and for an answer that was right on another seed."""
PART, LARGE = 0.5, 0.6
"""Shares of a full mark, and of a success's return, from which a documented part is more than one right decision."""
EXPLAINED = 0.8
"""Share of a row's pay from which a simpler row explains it."""
MANY, CHANCE = 6, 2.0
"""Constants of which one may be lucky, and how many times as much as they are it is then paid at most."""
LUCKY = 1.5
"""So many times what one guess would earn has to be paid for naming all the answers at once."""
MOSTLY = 0.9
"""Share of seeds on which something has to be so."""
ALIKE = (0.35, 0.65)
"""Probability that success out-earns failure, between which the reward tells nothing of success."""
NOT_TRYING = frozenset(Kind) - {Kind.WIPED}
CRASH = re.compile(r"\b\w*(Error|Exception)\b|[Tt]raceback|[Ss]yntax error")
OF_ALL_ROWS = frozenset({"reward_uncorrelated", "unreachable_reward"})
"""Suspicions that all rows together show; they speak as much against an assumed success as against the reward."""
OF_THE_WHOLE = frozenset({"reward_uncorrelated"})
"""Those among them that a part of the rows shows falsely: they are confirmed when all rows are flown on all seeds."""


BY_SEED = frozenset({"milestone_then_idle", "stalling_pays"})
"""Names that are given where a failure out-earns the success of the same episode."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What may be wrong.

    Attributes:
        id: The finding's.
        row: Who shows it.
        witness: The episode that shows it best.
        explanation: What happened, in one sentence.
        worth: How much it pays, on the scale; orders suspicions of one id.
        severity: How much it weighs; None for what its id says.
        rests: Whether it rests on what success is.
        least_seeds: Different seeds, the fresh ones included, on which it has to be seen to block.
        beside: Other suspicions of the same id, each of another row, the strongest first.
    """

    id: str
    row: SurveyRow
    witness: Episode
    explanation: str
    worth: float
    severity: Severity | None = None
    rests: bool = False
    least_seeds: int = 0
    beside: tuple[Suspicion, ...] = field(default=(), compare=False, repr=False)


def suspicions(survey: Survey, again: str | None = None) -> dict[str, Suspicion]:
    """The strongest suspicion of each id.

    Args:
        survey: What was flown.
        again: Name of the constant that is asked again; None where every row is asked. Of many constants one is the
            luckiest on any seeds, and on others another one.
    """
    scale = Scale(survey)
    found = [
        *paid_rows(survey, scale, again),
        *failures_out_earn(survey, scale),
        *early_ends(survey),
        *worthless_success(survey, scale),
    ]
    return strongest(doubted(suspicion, survey) for suspicion in found)


def doubted(suspicion: Suspicion, survey: Survey) -> Suspicion:
    """A suspicion that rests on success, as far as success is known: see :mod:`gonogo.auditing.success_judge`."""
    doubtful = survey.doubtful or (survey.assumed and suspicion.id in OF_ALL_ROWS)
    severity = Severity.SUSPICIOUS if doubtful else suspicion.severity
    return replace(suspicion, severity=severity, rests=True)


def as_documented(suspicion: Suspicion, told: str) -> Suspicion:
    """A suspicion as merely suspicious, since all that is paid is a length, as the documentation says.

    Args:
        suspicion: It.
        told: What says so, in flights and words.
    """
    said = f"{suspicion.explanation}; {told}"
    beside = tuple(as_documented(other, told) for other in suspicion.beside)
    return replace(suspicion, explanation=said, severity=Severity.SUSPICIOUS, beside=beside)


def strongest(found: Iterable[Suspicion]) -> dict[str, Suspicion]:
    """Of some suspicions the strongest of each id, the strongest first, with the others beside it."""
    every = (each for suspicion in found for each in (suspicion, *suspicion.beside))
    of_id: dict[str, dict[str, Suspicion]] = {}
    for suspicion in sorted(every, key=lambda s: -s.worth):
        of_row = of_id.setdefault(suspicion.id, {})
        of_row.setdefault(suspicion.row.name, replace(suspicion, beside=()))
    every_id = {name: list(of_row.values()) for name, of_row in of_id.items()}
    return {name: replace(best, beside=tuple(rest)) for name, (best, *rest) in every_id.items()}


def doubts(name: str, suspicion: Suspicion) -> bool:
    """Whether a suspicion would block nothing if it were confirmed."""
    return (suspicion.severity or severity_of(name)) is Severity.SUSPICIOUS


def unconfirmed(suspected: Mapping[str, Suspicion], settled: Container[str]) -> dict[str, bool]:
    """Sentences on what an audit ended before it settled, each with whether it would block nothing.

    Args:
        suspected: The suspicions by id.
        settled: Ids of what is proven or doubted.
    """
    return {
        f"{name} is suspected, and the audit ended before it was confirmed ({s.explanation})": doubts(
            name, s
        )
        for name, s in suspected.items()
        if name not in settled
    }


@dataclass(frozen=True, slots=True)
class Evidence:
    """One survey, asked about its rows."""

    survey: Survey
    scale: Scale

    @property
    def least_paid(self) -> float:
        """From where on a failure is paid; where success only costs less, one may well cost less than another."""
        return PAID if (self.scale.par or 0.0) > 0 else CHEAP

    def paid(self, row: SurveyRow) -> float:
        """What a row's failures are worth; 0 where it is not known."""
        return self.scale.paid(row) or 0.0

    def explains(self, simpler: SurveyRow, row: SurveyRow) -> bool:
        """Whether a simpler row is paid nearly as much."""
        return self.paid(simpler) >= EXPLAINED * self.paid(row)

    def idle_explains(self, row: SurveyRow) -> bool:
        """Whether idling is paid nearly as much."""
        return self.explains(self.survey.idle, row)

    def plainer(self, row: SurveyRow) -> bool:
        """Whether what stands beside a row's value is paid nearly as much without it."""
        if row.context is None or row.context == row.action:
            return False
        beside = [r for r in self.survey.rows if r.action == row.context]
        return any(self.explains(r, row) for r in beside)

    def same_field(self, row: SurveyRow, *kinds: Kind) -> list[SurveyRow]:
        """Rows of some kinds that are carried by the same field."""
        return [r for r in self.survey.of_kind(*kinds) if r.field == row.field]

    def simpler(self, row: SurveyRow, *kinds: Kind) -> bool:
        """Whether idling, or a row of some kinds that the same field carries, is paid nearly as much."""
        others = [self.survey.idle, *self.same_field(row, *kinds)]
        return any(self.explains(other, row) for other in others)

    def cuts_short(self, row: SurveyRow) -> bool:
        """Whether its failures end much earlier than idle's episodes."""
        idle = median(len(e.turns) for e in self.survey.idle.episodes)
        return median(len(e.turns) for e in row.failed) <= idle / 3

    def moves_nothing_else(self, row: SurveyRow) -> bool:
        """Whether all that is seen is what idling sees, the field's own echo left out."""
        sent = value_at(row.action, row.field)
        same = []
        for mine, idle in zip(row.episodes, self.survey.idle.episodes, strict=False):
            both = list(zip(mine.turns, idle.turns, strict=False))
            same.append(all(alike(a.observation, b.observation, sent) for a, b in both))
        return fmean(same) >= MOSTLY

    def is_documented_part(self, row: SurveyRow) -> bool:
        """Whether a row earns no more than what the documentation gives to one decision that it sends.

        A constant decides one thing rightly wherever that is asked for, and is meant to be paid a part of the mark.
        """
        own = {name: (row.action or {})[name] for name in self.says(row)}
        names = [*own, *(value for value in own.values() if isinstance(value, str))]
        most = max(map(total, row.failed))
        small = most < PART and self.paid(row) < LARGE
        return (
            small and self.survey.documented.part(names, most) is not None and self.is_decided(row)
        )

    def is_luck(self, row: SurveyRow) -> bool:
        """Whether a constant is paid a small part, and hardly more than many others that fill as many fields.

        Where marks are given for parts, any constant has some of them, and the luckiest of many has more.
        """
        own = len(self.says(row))
        known = (r for r in self.survey.of_kind(Kind.CONSTANT) if r.failed and r.action is not None)
        paid = [self.paid(other) for other in known if len(self.says(other)) == own]
        small = self.paid(row) < PART and len(paid) >= MANY
        return small and self.paid(row) < CHANCE * fmean(paid)

    def says(self, row: SurveyRow) -> set[str]:
        """The fields in which a constant says something else than idling."""
        sent, idle = row.action or {}, self.survey.idle.action or {}
        return {name for name, value in sent.items() if value != idle.get(name)}

    def is_decided(self, row: SurveyRow) -> bool:
        """Whether another value in a constant's field earns less, so that it is paid for the decision."""
        same = (
            r
            for r in self.survey.of_kind(Kind.CONSTANT)
            if (r.field, r.context) == (row.field, row.context) and r.name != row.name
        )
        return any(self.paid(r) < EXPLAINED * self.paid(row) for r in same if r.failed)

    def is_compared(self, row: SurveyRow) -> bool:
        """Whether a number is paid for how near it comes to a truth, and not for being sent.

        Of a claim more is paid, or less, the higher it is. An answer is paid most where it is right: a lower number
        earns less, and so does a higher one.
        """
        pays: dict[float, list[float]] = {}
        for other in self.same_field(row, Kind.CONSTANT):
            value = value_at(other.action, row.field)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            taken = all(turn.invalid is None for e in other.ended for turn in e.turns)
            if number and taken and other.context == row.context and other.ended:
                pays.setdefault(float(value), []).extend(map(total, other.ended))
        means = [fmean(pays[value]) for value in sorted(pays)]
        if not means:
            return False
        slack = (1 - EXPLAINED) * (max(means) - min(means))
        steps = list(pairwise(means))
        return any(b - a > slack for a, b in steps) and any(a - b > slack for a, b in steps)

    def crashes(self, row: SurveyRow) -> bool:
        """Whether the environment speaks of an error, without having been told the words.

        What it speaks of before anything was done is a matter of its world, such as a log that is to be read.
        """
        ends = [[e.final_observation, e.final_metadata] for e in row.failed]
        last = [json.dumps(end, ensure_ascii=False) for end in ends]
        sent = json.dumps(row.action)
        words = [match.group() for said in last if (match := CRASH.search(said))]
        began = [turn.observation for e in self.survey.idle.episodes for turn in e.turns[:1]]
        known = json.dumps(began, ensure_ascii=False)
        own = [word for word in words if word not in known]
        return len(own) >= MOSTLY * len(last) and not any(word in sent for word in own)


def alike(one: Observation, other: Observation, sent: object) -> bool:
    """Whether two observations are the same but for fields that show what was sent."""
    return all(one.get(k) == other.get(k) for k in one.keys() | other.keys() if one.get(k) != sent)


NameRow = Callable[[SurveyRow, Evidence], str | None]


def clumsiness(survey: Survey, scale: Scale) -> float:
    """Share that the known successes earn of the most that anything earns, where nobody said what success is.

    A success that is only assumed, and met by chance, may be a clumsy one: what earns more may be nearer to a good
    one.
    """
    if not may_be_clumsy(survey) or scale.par is None or scale.par <= 0:
        return 1.0
    return min(1.0, scale.par / max([scale.par, *means_failed(survey)]))


def means_failed(survey: Survey) -> list[float]:
    """The mean return of each row's failures, where there are enough of them."""
    rows = (row.failed for row in survey.rows if len(row.failed) >= LEAST_FAILED)
    return [fmean(map(total, failed)) for failed in rows]


def paid_rows(survey: Survey, scale: Scale, again: str | None = None) -> Iterator[Suspicion]:
    """Failures that are paid, each by the name that its evidence gives it; see :func:`suspicions`."""
    evidence, clumsy = Evidence(survey, scale), clumsiness(survey, scale)
    whole = "a success's return" if clumsy == 1.0 else "the most that anything earned"
    for row in survey.rows:
        paid, name = scale.paid(row), NAMES.get(row.kind)
        paid = None if paid is None else paid * clumsy
        if paid is None or paid < evidence.least_paid or name is None:
            continue
        if again is not None and row.kind == Kind.CONSTANT and row.name != again:
            continue
        found = None if evidence.plainer(row) else name(row, evidence)
        if found is not None:
            best = max(row.failed, key=total)
            said = f"{row.name}: {paid:.2f} of {whole} in {len(row.failed)} failed episodes"
            doubted = survey.drawn and found in BY_SEED
            yield Suspicion(found, row, best, said, paid, Severity.SUSPICIOUS if doubted else None)


def name_idle(row: SurveyRow, evidence: Evidence) -> str:
    """Idling, perhaps for longer than success would last."""
    lasts = [len(e.turns) for r in evidence.survey.rows for e in r.succeeded]
    longer = bool(lasts) and median(len(e.turns) for e in row.failed) > 1.2 * median(lasts)
    out_earns = (evidence.scale.out_earns(row) or 0.0) >= MOSTLY
    return "stalling_pays" if longer and out_earns else "paid_for_idling"


def name_constant(row: SurveyRow, evidence: Evidence) -> str | None:
    """One action for ever; where it ends the episode early, idling to the end is no explanation."""
    if evidence.cuts_short(row):
        return "truncated_window_satisfied"
    if evidence.idle_explains(row) or evidence.is_documented_part(row) or evidence.is_luck(row):
        return None
    value = value_at(row.action, row.field)
    number = isinstance(value, int | float) and evidence.moves_nothing_else(row)
    if number and not evidence.is_compared(row):
        return "self_reported_reward"
    return "constant_answer_pays"


def name_nonsense(row: SurveyRow, evidence: Evidence) -> str | None:
    """A text that says nothing; idle's own empty text is one too."""
    needed = value_at(evidence.survey.idle.action, row.field) is not None
    if evidence.idle_explains(row) and not needed:
        return None
    if any(not evidence.explains(row, r) for r in evidence.same_field(row, Kind.LENGTH)):
        return None  # what is paid then is length, of which this text has a little
    return "verifier_crash_pays" if evidence.crashes(row) else "malformed_action_pays"


PLAINER = (Kind.CONSTANT, Kind.CLAIM, Kind.LENGTH)


def name_echo(row: SurveyRow, evidence: Evidence) -> str | None:
    """What was seen, unless a constant is paid as well; where it is always the same, it is one itself."""
    if evidence.simpler(row, *PLAINER):
        return None
    sent = {json.dumps(turn.action) for e in row.episodes for turn in e.turns}
    if len(sent) > 1:
        return "observation_echo_pays"
    value = value_at(json.loads(sent.pop()), row.field)
    if is_structured(value):
        return "format_outweighs_task"
    return "reward_from_agent_text" if isinstance(value, str) else "constant_answer_pays"


def name_shotgun(row: SurveyRow, evidence: Evidence) -> str | None:
    """All the answers at once, where they earn more than one guess, and less does not explain it.

    Where all of it at once succeeds, a failure that says it later has earned a part of that success.
    """
    guesses = (Kind.GUESS, Kind.FILLING, Kind.CYCLE)
    if evidence.simpler(row, *PLAINER, Kind.NONSENSE, Kind.ECHO, *guesses):
        return None
    alike = evidence.same_field(row, Kind.SHOTGUN)
    if any(len(r.succeeded) >= MOSTLY * len(r.episodes) for r in alike):
        return None
    if row.name.endswith(AND_COMMON):
        seen = [r for r in alike if r.name.endswith(ALL_SEEN)]
        return None if any(evidence.explains(r, row) for r in seen) else "keywords_pay"
    if row.name.endswith(ALL_SEEN) and not any(
        evidence.explains(r, row) for r in alike if not r.name.endswith((ALL_SEEN, AND_COMMON))
    ):
        return "observation_echo_pays"  # it names no answers: all that was seen comes back
    return "shotgun_answer_pays" if evidence.paid(row) > LUCKY / names_at_once(row) else None


def names_at_once(row: SurveyRow) -> float:
    """How many things a row's answers name, of which one taken by chance would be right as often as one in so many."""
    answers = [value_at(turn.action, row.field) for e in row.episodes for turn in e.turns]
    return median(map(named, answers)) if answers else 1.0


def named(answer: object) -> float:
    """How many things an answer names: the items of a list; a text that lists none stands for all there are."""
    if isinstance(answer, list):
        return max(1, len(answer))
    listed = answer.count(APART) if isinstance(answer, str) else 0
    return 1 + listed if listed else math.inf


def name_form(row: SurveyRow, evidence: Evidence) -> str | None:
    """A form that says nothing, paid half of a success, where no plainer text is paid as well."""
    if evidence.paid(row) < FARMED or evidence.simpler(row, *PLAINER, Kind.NONSENSE):
        return None
    words = (r for r in evidence.survey.of_kind(UNFORMED) if r.about == row.name)
    return (
        "keywords_pay" if any(evidence.explains(r, row) for r in words) else "format_outweighs_task"
    )


def name_blank(row: SurveyRow, evidence: Evidence) -> str | None:
    """An action with nothing in it, paid half of a success, where neither idling nor one choice is paid as well."""
    plain = [evidence.survey.idle, *evidence.survey.of_kind(Kind.CONSTANT, Kind.NONSENSE)]
    explained = any(evidence.explains(other, row) for other in plain if other.context is None)
    return None if explained or evidence.paid(row) < FARMED else "malformed_action_pays"


def name_foreign(row: SurveyRow, evidence: Evidence) -> str | None:
    """The answer to another seed, where no plainer text is paid as well: what is left of it is its form."""
    if evidence.paid(row) < FARMED:
        return None
    kinds = (Kind.CONSTANT, Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.ECHO, Kind.SHOTGUN)
    others = [evidence.survey.idle, *evidence.survey.of_kind(*kinds)]
    return None if any(evidence.explains(r, row) for r in others) else "format_outweighs_task"


def is_structured(value: object) -> bool:
    """Whether a text is a JSON object or list."""
    if not isinstance(value, str):
        return False
    try:
        return isinstance(json.loads(value), dict | list)
    except ValueError:
        return False


def name_broken(row: SurveyRow, evidence: Evidence) -> str | None:
    """An answer of which only the first character is left, where the environment speaks of an error."""
    unexplained = evidence.crashes(row) and not evidence.simpler(row, Kind.NONSENSE)
    return "verifier_crash_pays" if unexplained else None


def name_emptying(row: SurveyRow, evidence: Evidence) -> str | None:
    """Leaving nothing behind, unless idling or one choice for ever is paid as well.

    Where as much is seen at the end, nothing was emptied: what was seen was merely sent back.
    """
    constants = [r for r in evidence.survey.of_kind(Kind.CONSTANT) if r.context is None]
    if any(evidence.explains(r, row) for r in (evidence.survey.idle, *constants)):
        return None
    emptied = fmean(map(lessened, row.failed)) >= MOSTLY
    return "emptying_pays" if emptied else name_echo(row, evidence)


def name_milestone(row: SurveyRow, evidence: Evidence) -> str | None:
    """The way to success without its last step, where that is paid more."""
    share = evidence.scale.out_earns(row)
    if share is None or share < MOSTLY or evidence.idle_explains(row):
        return None
    return "milestone_then_idle"


def name_cycle(row: SurveyRow, evidence: Evidence) -> str | None:
    """A cycle that is paid to the end, where doing one thing is not paid."""
    plain = evidence.survey.of_kind(*NOT_TRYING - {Kind.RANDOM, Kind.CYCLE}, FOREIGN)
    if evidence.paid(row) < FARMED or any(evidence.explains(r, row) for r in plain):
        return None
    failed = {id(episode) for episode in row.failed}
    begun = row.begun or (0,) * len(row.episodes)
    both = zip(row.episodes, begun, strict=True)
    late = [late_pay(e, turns) / total(e) for e, turns in both if id(e) in failed and total(e) > 0]
    return "farmable_cycle" if late and fmean(late) >= 0.3 else None


def unless_simpler(found: str, *kinds: Kind) -> NameRow:
    """A finding, unless idling or a row of some kinds on the same field is paid as well."""
    return lambda row, evidence: None if evidence.simpler(row, *kinds) else found


NAMES: dict[str, NameRow] = {
    Kind.IDLE: name_idle,
    Kind.CONSTANT: name_constant,
    Kind.NONSENSE: name_nonsense,
    Kind.CLAIM: unless_simpler("reward_from_agent_text", Kind.NONSENSE, Kind.LENGTH),
    Kind.LENGTH: unless_simpler("paid_for_length", Kind.NONSENSE),
    Kind.EXTREME: unless_simpler("unbounded_action_pays", Kind.CONSTANT),
    Kind.NAN: unless_simpler("nan_reward", Kind.CONSTANT),
    Kind.ECHO: name_echo,
    Kind.SHOTGUN: name_shotgun,
    Kind.WORDS: unless_simpler("keywords_pay", Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.FORM),
    Kind.FORM: name_form,
    Kind.BLANK: name_blank,
    Kind.MALFORMED: unless_simpler("malformed_action_pays"),
    Kind.EMPTYING: name_emptying,
    FOREIGN: name_foreign,
    BROKEN: name_broken,
    MILESTONE: name_milestone,
    FARM: name_cycle,
}
"""What names a paid row, by the row's kind: None where a simpler row explains its pay."""


def early_ends(survey: Survey) -> Iterator[Suspicion]:
    """Constant actions that end at once and are called a success, where idling on is not and doing it takes longer."""
    done = [len(e.turns) for row in survey.of_kind(REFERENCE) for e in row.succeeded]
    idle = survey.idle.episodes
    if not done or fmean(e.success is False for e in idle) < MOSTLY:
        return
    takes = fmean(done)
    for row in survey.of_kind(Kind.CONSTANT):
        early = [e for e in row.succeeded if len(e.turns) <= 2 and 2 * len(e.turns) < takes]
        if early and len(early) >= MOSTLY * len(row.episodes):
            steps = len(early[0].turns)
            said = f"{row.name}: a success in {steps} steps, where trying takes {takes:.1f}"
            yield Suspicion("early_end_success", row, early[0], said, 1.0)


def worthless_success(survey: Survey, scale: Scale) -> Iterator[Suspicion]:
    """Success that nobody reaches, or that is paid no better than failure."""
    tried = survey.of_kind(REFERENCE)
    ended = [e for row in tried for e in row.failed]
    if tried and not any(row.succeeded for row in survey.rows) and len(ended) >= LEAST_FAILED:
        best = max(ended, key=total)
        said = f"{tried[0].name} is to succeed, and fails in all of {len(ended)} episodes, as all others do"
        yield Suspicion("unreachable_reward", tried[0], best, said, 1.0)
    # Rows that stand there only because they are paid would tell nothing of the others.
    plain = [row for row in survey.of_kind(*NOT_TRYING) if row.context is None]
    failed = [(row, e) for row in plain for e in row.failed]
    worths = scale.worths(e for _, e in failed)
    chance = success_out_earns(survey)
    if chance is None or not worths or not ALIKE[0] <= chance <= ALIKE[1]:
        return
    if 0.7 <= median(worths) <= 1.3:
        row, best = max(failed, key=lambda pair: total(pair[1]))
        said = f"a success out-earns a failure on the same seed with probability {chance:.2f}"
        severity = Severity.SUSPICIOUS if survey.drawn else None
        yield Suspicion("reward_uncorrelated", row, best, said, 1.0, severity)


def success_out_earns(survey: Survey) -> float | None:
    """Probability that a success out-earns a failure of the same episode, ties counting half; None without both."""
    keys = EpisodeKeys(survey)
    good, bad = keys.grouped(survey.succeeded), keys.grouped(survey.failed)
    wins = [
        0.5 + 0.5 * float(np.sign(total(success) - total(failure)))
        for seed in good.keys() & bad.keys()
        for success in good[seed]
        for failure in bad[seed]
    ]
    return fmean(wins) if wins else None


def is_surpassed(survey: Survey) -> bool:
    """Whether success is only assumed, and some row of failures earns more on average than the best success."""
    if not may_be_clumsy(survey) or not survey.succeeded:
        return False
    best = max(map(total, survey.succeeded))
    return any(mean > best for mean in means_failed(survey))


def failures_out_earn(survey: Survey, scale: Scale) -> Iterator[Suspicion]:
    """Rows whose failures out-earn the success on the same seed, by whatever way.

    Where all that succeeds does not try, and is paid nothing or less, a flag may be no success: then it is suspicious.
    So it is where success is only assumed, and something is known to earn more than the best of it: what earns more may
    be nearer to a good one.
    """
    careless = all(row.kind in NOT_TRYING for row in survey.rows if row.succeeded)
    hollow = careless and bool(survey.succeeded) and max(map(total, survey.succeeded)) <= 0
    doubted = hollow or survey.drawn or is_surpassed(survey)
    severity = Severity.SUSPICIOUS if doubted else None
    for row in survey.rows:
        share = scale.out_earns(row)
        if share is not None and share >= 0.5:
            best = max(row.failed, key=total)
            said = f"{row.name}: its failures out-earn the success on {share:.0%} of the seeds"
            yield Suspicion("failure_out_earns_success", row, best, said, share, severity)
