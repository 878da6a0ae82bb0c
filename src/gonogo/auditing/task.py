"""One task's audit: a survey with its analyses, and what they suspect, flown again on fresh seeds.

The stages stand in the order of what they promise, and each policy flies few seeds before any flies more: so the
sequence may end after any flight, and what was flown before says what it can. See :mod:`gonogo.auditing.budget`.
A suspicion is confirmed as soon as it is raised: its own row, the rows that may explain it and those that succeed
are flown on fresh seeds, by another process. At the end a finding stands only if all that was flown still suspects it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import cached_property, reduce

import numpy as np

from gonogo.auditing.blank_forms import blank_rows, form_rows, unformed_rows
from gonogo.auditing.budget import BudgetSpent
from gonogo.auditing.checks.any_order import turned_rows
from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.blind_plan import fixed_rows
from gonogo.auditing.checks.contract_breaks import LATE, REVIVED, BreakProofs, prove_late
from gonogo.auditing.checks.earlier import LEAK, EarlierEpisodes
from gonogo.auditing.checks.environment_errors import met_in, not_looked_into, prove_raised, raised
from gonogo.auditing.checks.fewer_words import fewer_words
from gonogo.auditing.checks.flown_alone import FlownAlone
from gonogo.auditing.checks.free_success import as_in_the_end
from gonogo.auditing.checks.handed_out import handed_rows
from gonogo.auditing.checks.handed_parts import part_rows
from gonogo.auditing.checks.handed_tables import table_rows
from gonogo.auditing.checks.laps import PaidAgain
from gonogo.auditing.checks.leakage import LEAKED
from gonogo.auditing.checks.left_empty import left_empty_rows
from gonogo.auditing.checks.left_over import LeftOver
from gonogo.auditing.checks.lopsided import mixed_rows
from gonogo.auditing.checks.named_at_once import named_rows
from gonogo.auditing.checks.nearly_full import later_rows
from gonogo.auditing.checks.neighbours import NEAR, RESTING, neighbours, refused_successes
from gonogo.auditing.checks.paid import standstill
from gonogo.auditing.checks.passed_over import passed_over_rows
from gonogo.auditing.checks.refused import refused_rows
from gonogo.auditing.checks.shown_in_order import order_rows
from gonogo.auditing.checks.stability import stability
from gonogo.auditing.checks.swallowed_errors import swallowed_rows
from gonogo.auditing.checks.sweeps import swept_rows
from gonogo.auditing.checks.uncounted import uncounted_rows
from gonogo.auditing.checks.unsettled import unsettled_rows
from gonogo.auditing.checks.unwinnable import unwinnable
from gonogo.auditing.checks.without_success import early, without_success
from gonogo.auditing.compared_rows import compared_rows
from gonogo.auditing.confirmation import (
    Confirmed,
    confirm,
    fly_candidate,
    fresh_tasks,
    prove_like,
    rows_to_confirm,
    scale_rows,
)
from gonogo.auditing.documented import length_told
from gonogo.auditing.exploration import (
    LEAST_STEPS,
    PLAN,
    POLICY,
    PaidFailures,
    WiderHabits,
    farms,
    matters,
    search_failures,
    searched_rows,
)
from gonogo.auditing.explored import TaskExploration, rounds
from gonogo.auditing.filled_rows import filled_rows
from gonogo.auditing.forgeries import claims_of, forged_rows, lines_written
from gonogo.auditing.joint_constants import joint_rows
from gonogo.auditing.last_check import last_checks
from gonogo.auditing.matching import BESIDE, BESIDE_ALL, Matches, prove_match
from gonogo.auditing.plans import answers_alone
from gonogo.auditing.probes import longer_looks
from gonogo.auditing.programs import program_rows
from gonogo.auditing.resets import Opening
from gonogo.auditing.scaling import scaled_rows
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import (
    CANDIDATE,
    EXPLORED,
    REFERENCE,
    Scale,
    Survey,
    SurveyRow,
    continuations,
    decision_rows,
    decisions_of,
    fly_idle,
    guide_rows,
    is_drawn,
    lost_too_often,
    needs_none,
    on_all,
    panel_rows,
    succeeded,
)
from gonogo.auditing.suspicions import (
    OF_THE_WHOLE,
    Suspicion,
    as_documented,
    doubts,
    strongest,
    suspicions,
    unconfirmed,
)
from gonogo.auditing.task_sheet import (
    AnalysisResults,
    analyse,
    check_rewards,
    explained,
    untold_notes,
)
from gonogo.env.success import never_shown
from gonogo.env.target import UrlTarget
from gonogo.exploits.panel import Kind
from gonogo.records.audit import CandidatePolicy, ExplorationFigures
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

OPENED = 3
"""Resets that are looked at for what success is not."""
EXPLORED_FIRST, EXPLORED_NEXT, EXPLORED_FURTHER = 400, 3_000, 12_000
"""Steps and resets of the parts of an exploration: before the panel, after it, and once the rest was flown; of the last
twice the search's steps at most."""
COMPARED_STEPS, COMPARED_SHARE = (200, 1_000), 0.25
"""Steps of the search by comparisons on a seed, within which most of what it finds is found: on all seeds together this
share of what was spent before, so that a slow environment has time for the stages after it. They are at most half of
the search's."""
FEW = 4
"""Seeds that every policy flies before any flies more."""
MORE = 12
"""Seeds beside those on which a plan that is sent unchanged on each has to be paid as well."""
FEW_FRESH = 8
"""Fresh seeds on which is confirmed what few seeds showed."""
ASK_AFTER, ASK_SHARE = 200, 0.25
"""What is spent between two looks for suspicions: at least so much, and at least this share of all before."""
MOST_TRIES = 4
"""So often is something confirmed that did not come back, on new evidence; once more when all has been flown."""

FirstRows = Callable[[Beginnings, Survey, Sequence[Episode]], Iterable[SurveyRow]]
"""Rows of a check that asks how episodes begin: of that, the survey, and what was explored."""
TriedOn = tuple[str, int, tuple[str, ...], Severity | None]
"""Name and size of the row that shows something, the names of those that make the scale, and how grave it is."""


class TaskAudit:
    """One task, flown: a fixed sequence of stages, which ends where the clock or the budget cuts it.

    Attributes:
        flown: The survey, so far.
        searched: What the search came to.
        analysed: What the checks beside the panel came to.
        candidate: What the policy under audit is like; None where none was given.
        proofs: What was found and stands.
        notes: What was suspected and does not.
        unclear: What could not be told, as sentences.
        exhausted: Whether the whole sequence was flown.
        unreached: The stages that were not begun, and the one that was cut.
        first_s: Seconds to the first finding.
        waits: Whether something that would block was not told because the audit ended.
        panel_s: Seconds that what is left of the panel takes at the pace at which it was flown.
        explored: What exploration reached; None where it was not begun.
    """

    def __init__(self, context: AuditContext, task: TaskOptions, seeds: Sequence[int]) -> None:
        half = context.run.audit.seeds
        self._context, self._seeds, self._half = context, seeds, half
        drawn = is_drawn(context.card, task)
        self.flown = self._fresh = Survey(task, [], documented=context.sources.pay, drawn=drawn)
        self.searched, self.analysed = PaidFailures(), AnalysisResults()
        self.proofs: list[Confirmed] = []
        self.notes, self.unclear, self._undecided = list[str](), list[str](), list[str]()
        self.candidate: CandidatePolicy | None = None
        self.exhausted, self.waits, self.panel_s = False, False, 0.0
        self.unreached: tuple[str, ...] = ()
        self.first_s: float | None = None
        self._asked_at, self._surveyed, self._completed = 0, False, False
        self._farmed: set[tuple[str, str]] = set()
        self._scaled: set[str] = set()
        self._cut: set[str] = set()
        self._flew: dict[str, int] = {}
        self._flew_fresh: dict[str, int] = {}
        self._tried: dict[str, list[TriedOn]] = {}
        self._doubts: dict[str, str] = {}
        self._looked_into, self._looked_past = set[str](), set[str]()
        self._resting: set[str] = set()
        self._matches, self._wider = Matches(), WiderHabits()
        self._breaks = BreakProofs(context.card, lambda: self._ids, self._comes_back)
        self._earlier = EarlierEpisodes(context)
        self._left_over, self._alone = LeftOver(self._earlier), FlownAlone(self._earlier)
        self._laps = PaidAgain(
            lambda: self._session, lambda: self._other, lambda: self._exploration.episodes
        )
        self.explored: ExplorationFigures | None = None
        self._explores = False
        with ExitStack() as stack:
            self._stack = stack
            self._sequence()
            if self.flown.rows and not self._surveyed:
                self._judge()
            if self._explores:
                self.explored = self._exploration.figures()
        self._conclude()

    def _sequence(self) -> None:
        """Fly the stages in their order, until one is cut."""
        stages = [
            ("a first exploration", self._explore_first),
            ("what was paid so far, again", self._again),
            ("what follows an end", self._outlast),
            ("values told beside the task", self._hand),
            ("each thing in turn", self._sweep),
            ("the form alone", self._forms),
            ("each choice with what is seen", self._cross),
            ("lists and maps filled plainly", self._fill),
            ("programs that compute nothing", self._compute),
            (PANEL, self._panel),
            ("actions with nothing in them", self._blanks),
            ("several fields at once", self._join),
            ("answers near a right one", self._near),
            ("exploration", self._explore),
            ("cycles and milestones", self._continue),
            ("what an episode leaves behind", self._leave),
            ("errors and breaks", self._faults),
            ("values beside other choices", self._widen),
            ("claims in the grader's own words", self._forge),
            ("numbers without bounds", self._scale),
            ("cycles of paid actions", self._farm),
            ("longer looks", self._look),
            ("the policy under audit", self._candidate),
            ("more seeds where it matters", self._deepen),
            ("leakage, memorisation and changes", self._analyse),
            ("a success repeated", self._repeat),
            (BESIDE, self._match),
            ("errors and breaks so far", self._faults),
            ("what actions are compared with", self._compare),
            ("further exploration", self._explore_further),
            ("whether anybody can succeed", self._win),
            ("the search", self._search),
            ("all policies on all seeds", self._complete),
            ("errors and breaks of all policies", self._faults),
            (BESIDE_ALL, self._match),
            ("likeness to exploits", self._liken),
            ("rounds of exploration", self._explore_on),
        ]
        for number, (name, stage) in enumerate(stages):
            try:
                self._context.part.flying(name)
                stage()
                self._ask()
                if self.flown.broken_off:
                    self._faults()
                    break
            except BudgetSpent:
                self.unreached = tuple(name for name, _ in stages[number:])
                return
        self.exhausted = True

    @cached_property
    def _session(self) -> AuditSession:
        """The process of the survey."""
        return self._stack.enter_context(closing(AuditSession(self._context)))

    @cached_property
    def _other(self) -> AuditSession:
        """The process of everything that is confirmed, which never flew the survey.

        A server is one process, and may have no session left beside the survey's: it is flown over the survey's.
        """
        if isinstance(self._context.env.target, UrlTarget):
            return self._session
        return self._stack.enter_context(closing(AuditSession(self._context)))

    @cached_property
    def _tasks(self) -> list[TaskOptions]:
        """The task with each of the survey's seeds, then each of the fresh ones."""
        return self._session.tasks(self.flown.task, self._seeds)

    @property
    def _few(self) -> list[TaskOptions]:
        """The tasks that are flown first."""
        return self._tasks[: min(FEW, self._half)]

    def _take(self, rows: Iterable[SurveyRow]) -> None:
        """Put rows into the survey as they come, and ask about them when much has been flown."""
        for row in rows:
            self.flown = self.flown.having(row)
            spent = self._session.spent - self._asked_at
            if spent >= max(ASK_AFTER, ASK_SHARE * self._asked_at):
                self._ask()
            if lost_too_often(self.flown):
                self.flown = replace(self.flown, broken_off=True)
                return

    @cached_property
    def _exploration(self) -> TaskExploration:
        """The exploration of the task, on the seeds that are flown first."""
        sources, seed = self._context.sources, self._context.run.seed
        return TaskExploration(self._session, sources, self._few, seed)

    def _explore_first(self) -> None:
        self._session.measure_lists(self._few[:2])
        answers = answers_alone(self._session.space)
        self.flown = replace(self.flown, answers=answers)
        self._fresh = replace(self._fresh, answers=answers)
        exploration = self._exploration
        self._explores = True
        exploration.spend(EXPLORED_FIRST)
        self._session.find_base(self._few[:2], exploration.episodes)
        if self._session.find_totals(exploration.episodes):
            exploration.count_again()

    def _explore(self) -> None:
        self._explored(EXPLORED_NEXT)

    def _explore_further(self) -> None:
        steps = min(EXPLORED_FURTHER, 2 * self._context.run.audit.search)
        self._explored(steps)
        self._take(farms(self._session, self.flown, self._few, steps // 2, self._farmed))
        self._leave()

    def _explore_on(self) -> None:
        """Explore in rounds that grow, each with all that follows from it, as long as something new is met.

        Where nothing has succeeded yet and nothing that blocks is proven, quiet rounds do not end it.
        """
        run, limit = self._context.run, self._context.limit
        for steps in rounds(run.audit.search, sought=limit.ends):
            sought = self._sought and limit.ends
            if self._exploration.saturated and not needs_none(self.flown):
                return
            before, spent = self._exploration.news, self._session.spent
            self._explored(steps, others=True)
            self._scale()
            self._take(farms(self._session, self.flown, self._few, steps // 2, self._farmed))
            self._judge()
            self._ask()
            self._leave()
            self._complete()
            self._faults()
            quiet = self._exploration.news == before and not sought
            if quiet or self._session.spent == spent:
                return

    @property
    def _sought(self) -> bool:
        """Whether a success is still to be found: nothing has succeeded, and nothing that blocks is proven."""
        blocked = any(proof.finding.blocks for proof in self.proofs)
        return not blocked and not any(map(succeeded, self.flown.episodes))

    def _compare(self) -> None:
        if any(row.succeeded for row in self.flown.of_kind(REFERENCE)):
            return  # what a success is worth is known
        share = int(COMPARED_SHARE * self._session.spent) // len(self._few)
        least, most = COMPARED_STEPS
        steps = min(self._context.run.audit.search // 2, most, max(least, share))
        more = self._tasks[len(self._few) : self._half][:MORE]
        self._take(compared_rows(self._session, self.flown, self._few, more, steps))
        self._judge()

    def _explored(self, steps: int, *, others: bool = False) -> None:
        self._exploration.spend(steps)
        if self._context.judge.record.said_by == "nobody":
            self._judge()
        self._take(self._exploration.rows(others=others))
        self._take(swallowed_rows(self._session, self.flown, self._explored_so_far))
        self._begun(unsettled_rows)
        self._take(
            fixed_rows(self._session, self.flown, self._explored_so_far, self._few, self._cut)
        )
        self._again()

    def _again(self) -> None:
        """Do again what was paid, beside idling; before anything else was flown only for a few episodes' steps."""
        first = not self.flown.rows
        if first:
            self._take([fly_idle(self._session, self._few)])
            self._session.learn_still(standstill(self.flown))
        self.proofs[:] = self._laps.left(self.proofs, self.flown, self._doubts)
        proof = self._laps.proof(self.flown, briefly=first)
        if proof is not None and not self._prove([self._explained(proof)]):
            self._laps.unseen(proof)

    def _cross(self) -> None:
        self._take(self._wider.first(self._session, self.flown, self._few))

    def _panel(self) -> None:
        watch = self._context.limit.watch
        session = self._session
        habits = [*session.panel(), *decisions_of(session)]
        began, size = watch.gone, len(habits) + len(session.guides)
        try:
            self._take(self._plain())
        except BudgetSpent:
            flew = len(self.flown.rows)
            self.panel_s = (watch.gone - began) * (size - flew) / max(1, flew)
            raise
        openings: list[Opening | None] = []
        if self._context.judge.needs_state and not self.flown.broken_off:
            openings = self._session.openings(self.flown.tasks[:OPENED])
        self._surveyed = True
        self._judge([opening for opening in openings if opening is not None])
        never_shown(self.flown.episodes)
        check_rewards(self._context.run.audit.rewards, self.flown)

    def _plain(self) -> Iterator[SurveyRow]:
        """The panel, after what succeeds, which is the scale: where only exploration does, what it found."""
        yield from guide_rows(self._session, self._few)
        yield from refused_rows(self._session, self.flown, self._few, self._exploration.episodes)
        if not self.flown.guides and any(map(succeeded, self._exploration.episodes)):
            yield from self._exploration.rows()
        yield from decision_rows(self._session, self._few)
        yield from panel_rows(self._session, self._few)

    def _judge(self, openings: Sequence[Opening] = ()) -> None:
        """Judge all that was flown by what success is: where nobody says it, by the likeliest that can be assumed.

        Where that is another than before, what rests on it is to be proven again.
        """
        if self.flown.broken_off:
            return
        judge, folder = self._context.judge, self._context.env.folder
        before = judge.record.assumed
        guides = [row.name for row in self.flown.of_kind(REFERENCE)]
        explored = self._explored_so_far
        ended = [episode for episode in explored if not episode.cut]
        flown = [*self.flown.episodes, *ended]
        idle = self.flown.idle.name if self.flown.rows else ""
        judge.settle(flown, self._session.schemas, folder, openings, guides, idle)
        judge.judge([*self._fresh.episodes, *explored])
        self.flown = replace(self.flown, judged=judge.record)
        self._fresh = replace(self._fresh, judged=judge.record)
        if before is not None and judge.record.assumed != before:
            self.proofs = [p for p in self.proofs if p.suspected not in self._resting | RESTING]
            self._matches = Matches()
            for name in sorted(self._resting):
                del self._tried[name]
            self._resting.clear()
            self._context.part.proves([proof.finding for proof in self.proofs])

    def _forms(self) -> None:
        self._take(form_rows(self._session, self._context.env.target, self.flown, self._few))

    def _compute(self) -> None:
        self._take(program_rows(self._session, self.flown, self._explored_so_far, self._few))

    def _fill(self) -> None:
        self._begun(filled_rows)

    def _blanks(self) -> None:
        self._take(blank_rows(self._session, self.flown, self._few))
        self._take(mixed_rows(self._session, self.flown, self._few))

    def _join(self) -> None:
        self._take(joint_rows(self._session, self.flown, self._few))

    @cached_property
    def _start(self) -> Beginnings:
        """How the episodes begin that are flown first."""
        return Beginnings(self._session, self._few)

    def _begun(self, *checks: FirstRows) -> None:
        """Take the rows of checks that look at how episodes begin; none where idling never ends an episode."""
        for rows_of in checks:
            if self.flown.idle.ended and not self.flown.broken_off:
                self._take(rows_of(self._start, self.flown, self._exploration.episodes))

    def _hand(self) -> None:
        self._begun(handed_rows, part_rows, order_rows, table_rows, named_rows)

    def _sweep(self) -> None:
        self._begun(swept_rows, left_empty_rows)
        self._ask()  # what is shown by now is confirmed before more is spent
        self._begun(uncounted_rows)

    def _near(self) -> None:
        self._take(neighbours(self._session, self._few, self.flown))
        if self.flown.of_kind(NEAR):
            proofs, unclear = refused_successes(self._other, self.flown)
            self.notes += unclear
            self._prove(proofs)
            if self._context.judge.record.said_by == "given":
                self._match()
            self._faults()

    def _continue(self) -> None:
        self._begun(passed_over_rows)
        self._take(continuations(self._session, self._few, self.flown))

    def _leave(self) -> None:
        """Fly an episode and then another, where none of what was proven says yet that episodes depend on others."""
        if not self._leaks:
            self._prove(self._left_over.proofs(self._session, self.flown, self._explored_so_far))

    def _widen(self) -> None:
        self._take(self._wider.rows(self._session, self.flown, self._few))
        self._judge()  # what is tried further may be what succeeds

    def _forge(self) -> None:
        claims = claims_of(self._exploration.episodes, lines_written(self._context.env.target))
        self._take(forged_rows(self._session, self.flown, claims, self._few))
        self._judge()

    def _scale(self) -> None:
        found = self._exploration.found
        self._take(scaled_rows(self._session, self.flown, found, self._few, self._scaled))

    def _win(self) -> None:
        found, target = self._exploration.found, self._context.env.target
        self._prove(unwinnable(self._session, self._other, self.flown, found, target, self._few))

    def _farm(self) -> None:
        steps = max(LEAST_STEPS, self._context.run.audit.search // 2)
        self._take(farms(self._session, self.flown, self._few, steps, self._farmed))

    def _look(self) -> None:
        if needs_none(self.flown):
            self._take(longer_looks(self._session, self.flown))

    def _candidate(self) -> None:
        if (name := self._context.run.audit.policy) is not None:
            self.flown = fly_candidate(self._session, self.flown, name, self._tasks[: self._half])

    def _deepen(self) -> None:
        scale = Scale(self.flown)
        shown = {suspicion.row.name for suspicion in self._suspected().values()}
        self._more(row for row in self.flown.rows if row.name in shown or matters(row, scale))

    def _complete(self) -> None:
        self._more(self.flown.rows)
        self._completed = True

    def _more(self, rows: Iterable[SurveyRow]) -> None:
        """Fly rows on all seeds, after the rows that they are made of."""
        tasks, few = self._tasks[: self._half], len(self._few)
        self._take(on_all(self._session, tasks, rows, self._flew, few, lambda: self.flown))

    def _analyse(self) -> None:
        rng = np.random.default_rng([self._context.run.seed, 1])
        for _ in analyse(self._session, self.flown, self._context.card, rng, self.analysed):
            self._ask()
        # Who sends back what is told knows how to succeed, where nobody else may: that is the scale for all others.
        leaks = [found.row for found in self.analysed.suspicions if found.id == LEAKED]
        told = [replace(row, kind=EXPLORED) for row in leaks if row.succeeded]
        self._flew |= {row.name: len(row.episodes) for row in told}
        self._take(told)

    def _repeat(self) -> None:
        if not self._leaks:  # what each flight leaves to the next one is no other cause
            self._earlier.read(self._session)
            turns = self._earlier.turns
            proofs = stability(self._context, self._session, self.flown, turns=turns)
            self._prove([self._earlier.as_meant(proof, self._session) for proof in proofs])

    @property
    def _leaks(self) -> bool:
        """Whether it is proven that an episode depends on those before it."""
        return LEAK in self._ids

    def _search(self) -> None:
        run, session = self._context.run, self._session
        rng = np.random.default_rng(run.seed)
        self.searched = search_failures(session, self.flown, run.audit.search, rng)
        self._flew |= dict.fromkeys((PLAN, POLICY), self._half)
        self._take(searched_rows(session, self.searched, self._tasks[: self._half]))
        self._judge()

    def _faults(self) -> None:
        """Fly again what broke the contract or raised, each once; only what was flown to its end counts as such."""
        self._outlast()
        doubtful, task = self._breaks.suspects(self.flown), self.flown.task
        errors, looked = raised(self._session, self._met, self._looked_into)
        faults: list[Confirmed] = []
        if doubtful or errors:
            self._undecided = self._breaks.prove(self._other, task, doubtful)
            faults, notes = prove_raised(self._other, task, errors, self.flown)
            self.notes += notes
        self._looked_into |= looked
        self._prove(faults)

    def _outlast(self) -> None:
        """Go on after the ends that were seen, best first, each once, until a step there is paid."""
        known = self._ids.union(finding.id for finding in self._context.card.findings)
        if LATE in known:
            return
        seen = self.flown.plus([SurveyRow("exploration", Kind.RANDOM, self._explored_so_far)])
        looked, doubts, revives = self._looked_past, self._doubts, REVIVED in known
        self._prove(prove_late(lambda: self._other, seen, looked, doubts, revives=revives))

    @property
    def _met(self) -> Survey:
        """The survey with what was flown beside it."""
        return met_in(self.flown, self._fresh, self._explored_so_far)

    @property
    def _explored_so_far(self) -> list[Episode]:
        """Exploration's episodes."""
        return self._exploration.episodes if self._explores else []

    def _suspected(self) -> dict[str, Suspicion]:
        """The strongest suspicion of each id, as the survey and the checks beside it stand."""
        if not self.flown.rows or not self.flown.of_kind(Kind.IDLE):
            return {}
        found = strongest([*suspicions(self.flown).values(), *self.analysed.suspicions])
        if self._surveyed:
            found |= without_success(self.flown, found)
        else:
            found = early(self.flown, found, self._explored_so_far)
        told = length_told(self.flown.episodes, self.flown.documented)
        return found if told is None else {n: as_documented(s, told) for n, s in found.items()}

    def _ask(self) -> None:
        """Confirm what is suspected and was not tried by the same evidence; what would block comes first."""
        found = self._suspected()
        untold = self._surveyed and needs_none(self.flown)
        while more := [
            *fewer_words(self._session, self.flown, [s.row for s in found.values()]),
            *unformed_rows(self._session, self.flown, [s.row for s in found.values()]),
            *(turned_rows(self._session, self.flown) if untold else ()),
            *(later_rows(self._session, self.flown) if untold else ()),
        ]:
            self.flown = reduce(Survey.having, more, self.flown)
            found = self._suspected()
        # What is proven as merely suspicious is tried again where it would block by now.
        proven = {
            proof.suspected
            for proof in self.proofs
            if proof.finding.blocks
            or (s := found.get(proof.suspected)) is None
            or doubts(proof.suspected, s)
        }
        self._context.part.suspects([name for name in found if name not in proven])
        best = tuple(row.name for row in scale_rows(self.flown))
        for name, suspicion in sorted(found.items(), key=lambda each: doubts(*each)):
            if name in OF_THE_WHOLE and not self._completed:
                continue
            tried = self._tried.setdefault(name, [])
            evidence = suspicion.row.name, len(suspicion.row.episodes), best, suspicion.severity
            again = evidence not in tried and len(tried) < MOST_TRIES + self._completed
            if name not in proven and again:
                tried.append(evidence)
                self._resting |= {name} if suspicion.rests else set()
                self._confirm(name, suspicion)
        self._asked_at = self._session.spent

    def _confirm(self, name: str, suspicion: Suspicion) -> None:
        """Fly a suspicion again on fresh seeds, with what may explain it; what does not come back is a note."""
        plain = name in without_success(self.flown)
        few = FEW if plain else FEW_FRESH
        number = few if len(suspicion.row.episodes) <= FEW else self._half
        tasks, whose = self._tasks[self._half :], self.analysed.whose(name)
        for row in rows_to_confirm(self.flown, suspicion, plain=plain):
            self._fly_fresh(row, fresh_tasks(suspicion, row, tasks, number))
        self._fresh = replace(self._fresh, par=Scale(self.flown).par)
        constant = suspicion.row.kind == Kind.CONSTANT
        second = suspicions(self._fresh, suspicion.row.name if constant else None)
        second |= without_success(self._fresh, second, suspicion.row.name)
        if whose is not None:
            again, rng = AnalysisResults(), np.random.default_rng([self._context.run.seed, 2])
            card = self._context.card
            for _ in analyse(self._other, self._fresh, card, rng, again, only=whose):
                pass
            second = strongest([*second.values(), *again.suspicions])
        stands, notes = confirm(self._other, self.flown.task, {name: suspicion}, second)
        self._doubts.pop(name, None)
        if notes:
            self._look_alone(suspicion)
            self._doubts[name] = "; ".join(notes)
        if len(self._prove([*map(self._explained, stands)])) < len(stands):
            self._look_alone(suspicion)

    def _explained(self, proof: Confirmed) -> Confirmed:
        """A proof with what the survey and the map say of it."""
        return explained(proof, self.flown, self._context.card)

    def _look_alone(self, suspicion: Suspicion) -> None:
        """Fly episodes that show what was not confirmed alone: episodes before them may be what they were paid for."""
        if not self._leaks:
            explored = self._explored_so_far
            proof = self._alone.look(self._session, suspicion, self.flown, explored)
            self._prove([] if proof is None else [proof])

    def _fly_fresh(self, row: SurveyRow, tasks: Sequence[TaskOptions]) -> None:
        """Put a row on fresh seeds into the second survey, after the rows that it needs."""
        if row.again is None:
            return
        known, flew = self._fresh.named(row.name), self._flew_fresh.get(row.name, 0)
        if flew >= len(tasks) or (known is not None and row.about is not None):
            return
        more = row.again(self._other, tasks[flew:], self._fresh)
        self._flew_fresh[row.name] = len(tasks)
        self._fresh = self._fresh.having(more if known is None else known.on(more))

    def _prove(self, proofs: Sequence[Confirmed]) -> list[Confirmed]:
        """Take up what a process shows that flew nothing, in place of what was suspicious; what none shows is a doubt.

        Args:
            proofs: What is proven in a running session.

        Returns:
            What stands.

        Raises:
            BudgetSpent: The audit ended within a proof.
        """
        stands, doubts, ended = last_checks(self._other, proofs) if proofs else ([], {}, False)
        self._doubts |= doubts
        anew = {proof.suspected for proof in stands if proof.finding.blocks}
        self.proofs[:] = [p for p in self.proofs if p.finding.blocks or p.suspected not in anew]
        self.proofs += stands
        if stands:
            self._context.part.proves([proof.finding for proof in self.proofs])
            if self.first_s is None:
                self.first_s = self._context.limit.watch.gone
        if ended:
            raise BudgetSpent
        return stands

    def _comes_back(self, proof: Confirmed) -> bool:
        """Take up a proof, if a process that flew nothing shows it; whether one does."""
        return bool(self._prove([proof]))

    @property
    def _ids(self) -> set[str]:
        """Ids of what is proven."""
        return {proof.finding.id for proof in self.proofs}

    def _match(self) -> None:
        """Prove that a failure earns what a success on its seed does, where one does and nothing stronger is proven."""
        match = self._matches.take(self.flown, self.proofs)
        if match is None:
            return
        came = prove_match(self._other, self.flown.task, match)
        self._matches.close(match)
        if isinstance(came, str):
            self.unclear.append(came)
        else:
            self._prove([self._explained(came)])

    def _liken(self) -> None:
        """Hold the policy under audit against what was proven."""
        if self.flown.of_kind(CANDIDATE):
            rng = np.random.default_rng([self._context.run.seed, 3])
            self.candidate, like = prove_like(self._other, self.flown, self.proofs, rng)
            self._prove(like)

    def _conclude(self) -> None:
        """Keep of the proofs what the whole survey still suspects; say what was doubted."""
        suspected = self._suspected()
        for proof in [p for p in self.proofs if p.suspected in self._tried]:
            name = proof.suspected
            if name not in suspected:
                self.proofs.remove(proof)
                self._doubts[name] = (
                    f"{name} was confirmed, and what was flown later no longer suspects it"
                )
        left = self._laps.left(self.proofs, self.flown, self._doubts)
        self.proofs[:] = [as_in_the_end(proof, self.flown) for proof in left]
        proven = {proof.suspected for proof in self.proofs}
        if self._explores and LEAK not in proven:
            unreached = self._exploration.found.unreached
            self.proofs += self._left_over.by_source(self.flown, unreached)
        said = [note for name, note in self._doubts.items() if name not in proven]
        waiting = unconfirmed(suspected, proven | self._doubts.keys())
        # an audit that ends where it suspects what would block is no GO
        blocking = [note for note, doubted in waiting.items() if not doubted]
        blocks = any(proof.finding.blocks for proof in self.proofs)
        told = BESIDE_ALL not in self.unreached or blocks
        blocking += self._matches.unproven(self.flown, told=told)
        unseen, refused = not_looked_into(self._met, self._looked_into)
        blocking += unseen if self.unreached else ()
        if PANEL in self.unreached:
            blocking.append("the audit ended before every policy that does not try was flown")
        self.unclear += [*self._undecided, *blocking, *([] if self._leaks else self._alone.unclear)]
        self.waits = bool(blocking)
        self.notes += [
            *said,
            *(note for note in [*waiting, *refused] if note not in blocking),
            *untold_notes(self._context.run.rollout.success, self.flown),
        ]


PANEL = "the panel"
"""The stage of the policies that do not try."""
