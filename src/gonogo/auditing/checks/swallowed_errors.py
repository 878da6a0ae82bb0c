"""A full mark that a grader gives where it fails itself, and swallows its own error.

A grader that counts faults starts at none. If it raises before it counts the first, and catches the error, the mark is
full. So the best paid ends are flown again, and the lines are told that their last step reaches. If it reaches a
handler that catches every error, and ends that are paid less do not, the mark is not for the work.

Only those of the lesser ends count that come as far: their last step reaches what is tried. A handler that they reach
as well is part of how the environment reads what is sent, as of a text that is no JSON. A handler that only saves what
was won, or stands in for a package that is not installed, is no grader's. And one that gives the mark itself may be the
only right way to win, as where something has to raise. So it has to leave the mark as it was before, or another end has
to be paid as much without it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from gonogo.auditing.checks.emptied import best_everywhere, earns_all
from gonogo.auditing.checks.left_over import runs
from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY, Paid
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import EXPLORED, SWALLOWED, Survey, SurveyRow, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.contract.followed import FollowedCode
from gonogo.contract.functions import Code, chain_of, is_change
from gonogo.contract.syntax import assignments, elements_of, name_of, names_in
from gonogo.exploits.witness import actions_of
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

BROAD = frozenset({"Exception", "BaseException"})
"""Errors of whatever kind."""
LEAST_EPISODES, LEAST_OTHERS, MOST_OTHERS = 4, 2, 24
"""Episodes of such a row, lesser ends that it is held against, and those of which it is asked how far they come."""


@dataclass(frozen=True, slots=True)
class SwallowingHandler:
    """An ``except`` of whatever kind of error, which raises none itself.

    Attributes:
        file: Where it stands.
        line: Its first line.
        text: What that line says.
        handled: The lines of what it does.
        tried: The lines of what is tried.
        silent: Whether it leaves all values as they were.
    """

    file: str
    line: int
    text: str
    handled: range
    tried: range
    silent: bool

    def __str__(self) -> str:
        return f"{self.file}:{self.line} ({self.text}) catches every error and raises none"

    def is_reached(self, lines: Sequence[str]) -> bool:
        """Whether something that it does is among some lines."""
        return runs(lines, {(self.file, line) for line in self.handled})

    def is_tried(self, lines: Sequence[str]) -> bool:
        """Whether something that is tried is among some lines."""
        return runs(lines, {(self.file, line) for line in self.tried})


def swallowing_handlers(followed: FollowedCode) -> Iterator[SwallowingHandler]:
    """The handlers of what a reward is made of that catch errors of whatever kind and go on.

    What is tried has to count: it returns a value, or changes a name that is read behind it.

    Args:
        followed: The environment's functions.
    """
    known: set[int] = set()
    for code, _ in followed.paid:
        for node, _ in code.nodes if id(code) not in known else ():
            if isinstance(node, ast.Try) and counts(node, code):
                handlers = filter(swallows, node.handlers)
                yield from (told(handler, node, code) for handler in handlers)
        known.add(id(code))


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches errors of whatever kind and raises none."""
    broad = handler.type is None or any(name_of(e) in BROAD for e in elements_of(handler.type))
    return broad and not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))


def told(handler: ast.ExceptHandler, node: ast.Try, code: Code) -> SwallowingHandler:
    """A handler of a function, with its lines."""
    text = " ".join(code.file.lines[handler.lineno - 1].split())
    inner = [each for part in handler.body for each in ast.walk(part)]
    returns = any(isinstance(each, ast.Return) for each in inner)
    silent = not returns and not any(
        True for each in inner for _ in assignments(each, augmented=True)
    )
    handled, tried = lines_of(handler.body), lines_of(node.body)
    return SwallowingHandler(code.file.name, handler.lineno, text, handled, tried, silent)


def lines_of(body: Sequence[ast.stmt]) -> range:
    """The lines of some statements, from the first to the last."""
    return range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def counts(node: ast.Try, code: Code) -> bool:
    """Whether what is tried returns a value, or changes a name that is read behind it; not where it only imports."""
    tried = [inner for each in node.body for inner in ast.walk(each)]
    if any(isinstance(inner, ast.Import | ast.ImportFrom) for inner in tried):
        return False
    if any(isinstance(inner, ast.Return) and inner.value is not None for inner in tried):
        return True
    changed = {
        name
        for inner in tried
        for target, _ in assignments(inner, augmented=True)
        for name in names_in(target)
    }
    calls = (inner.func for inner in tried if isinstance(inner, ast.Call) and is_change(inner.func))
    changed |= {chain[0] for func in calls if (chain := chain_of(func))}
    read = {
        name
        for inner, _ in code.nodes
        if isinstance(inner, ast.expr) and inner.lineno > (node.end_lineno or node.lineno)
        for name in names_in(inner)
    }
    return bool((changed - {"self"}) & read)


def swallowed_rows(
    session: AuditSession, flown: Survey, explored: Sequence[Episode]
) -> Iterator[SurveyRow]:
    """The best row of exploration, renamed, if its ends reach a handler that lesser ends do not.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew.
    """
    row = next((r for r in Paid(flown).rows if r.kind == EXPLORED and is_best(r, flown)), None)
    if row is None or session.followed is None or flown.of_kind(SWALLOWED):
        return
    handlers = list(swallowing_handlers(session.followed))
    mine = [last_lines(session, episode) for episode in row.ended] if handlers else []
    common = [each for each in handlers if all(map(each.is_reached, mine))]
    least = min(map(total, row.ended))
    ends = [e for e in [*flown.episodes, *explored] if common and is_graded(e)]
    lesser = (e for e in ends if total(e) < NEARLY * least)
    others = [last_lines(session, e) for e in islice(lesser, MOST_OTHERS)]
    equals = (e for e in ends if total(e) >= NEARLY * least)
    alike = [last_lines(session, e) for e in islice(equals, MOST_OTHERS)]
    for handler in common:
        as_far = list(filter(handler.is_tried, others))
        alone = len(as_far) >= LEAST_OTHERS and not any(map(handler.is_reached, as_far))
        without = any(lines and not handler.is_reached(lines) for lines in alike)
        if alone and (handler.silent or without):
            yield by_error(session, row, handler)
            return


def by_error(session: AuditSession, row: SurveyRow, handler: SwallowingHandler) -> SurveyRow:
    """The episodes of a row whose last step reaches a handler, under a name that says so."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        assert row.again is not None
        return by_error(session, row.again(session, tasks, flown), handler)

    ended = [e for e in row.ended if handler.is_reached(last_lines(session, e))]
    return SurveyRow(f"{row.name}; {handler}", SWALLOWED, ended, again=row.again and again)


def last_lines(session: AuditSession, episode: Episode) -> tuple[str, ...]:
    """The lines that an episode's last step reaches when it is flown again."""
    return session.last_lines(episode.task, actions_of(episode.turns))


def is_best(row: SurveyRow, flown: Survey) -> bool:
    """Whether a row earns a grade on each seed that nobody is known to earn more than."""
    graded = len(row.ended) >= LEAST_EPISODES and min(map(total, row.ended)) >= LEAST_GRADE
    return graded and best_everywhere(row, flown)


def is_graded(episode: Episode) -> bool:
    """Whether the environment ended an episode, and paid or refused to pay it."""
    if episode.error is not None or not episode.turns or not episode.turns[-1].done:
        return False
    return episode.episode_return is not None


def swallowed_errors(survey: Survey) -> Iterator[Suspicion]:
    """The rows that earn the best that is known where an error is swallowed.

    Args:
        survey: What was flown, with the rows of :func:`swallowed_rows`.
    """
    for row in survey.of_kind(SWALLOWED):
        if not is_best(row, survey):
            continue
        least = min(map(total, row.ended))
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, the best that is known; the last "
            "step of each reaches this handler, and ends that earn less do not"
        )
        severity = None if earns_all(row) else Severity.SUSPICIOUS
        witness = min(row.ended, key=total)
        yield Suspicion("verifier_crash_pays", row, witness, said, least, severity)
