"""A full mark that a grader gives where it fails itself, and swallows its own error.

A grader that counts faults begins with none. Where it raises before the first one is counted and the error is caught,
the mark is full. So what earns the best that is known is flown again, and it is asked which lines its last step
reaches. They are held against those of other ends that are paid less. Where the handler of errors of whatever kind
is reached by the best and by none of the others, the mark is not for the work.

A handler that others reach, too, is part of how the environment reads what is sent, as of a text that is no JSON. And
one that only saves what was won, or tells somebody, is no grader's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gonogo.auditing.checks.emptied import best_everywhere, earns_all
from gonogo.auditing.checks.left_over import runs
from gonogo.auditing.checks.paid import LEAST_GRADE, NEARLY, Paid
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import EXPLORED, Survey, SurveyRow, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.contract.followed import FollowedCode
from gonogo.contract.functions import Code, chain_of, is_change
from gonogo.contract.syntax import assignments, elements_of, name_of, names_in
from gonogo.exploits.witness import actions_of
from gonogo.records.contract import SourcePlace
from gonogo.records.findings import Severity
from gonogo.records.inspection import EnvironmentCode
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

BROAD = frozenset({"Exception", "BaseException"})
"""Errors of whatever kind."""
SWALLOWED = "swallowed"
"""Kind of the row of what earns the best by an error that is swallowed."""
LEAST_EPISODES, LEAST_OTHERS, MOST_OTHERS = 4, 2, 6
"""Episodes of such a row, and ends that are paid less which it is held against."""


@dataclass(frozen=True, slots=True)
class SwallowingHandler:
    """An ``except`` of whatever kind of error, which raises none itself.

    Attributes:
        place: Its first line.
        lines: The lines of what it does.
    """

    place: SourcePlace
    lines: range

    def __str__(self) -> str:
        return f"{self.place.file}:{self.place.line} swallows what goes wrong ({self.place.text})"


def swallowing_handlers(followed: FollowedCode) -> Iterator[SwallowingHandler]:
    """The handlers of what a reward is made of that catch errors of whatever kind and go on.

    What is tried has to be what is paid: a value that is returned there, or a name that is read behind it. To save
    what was won or to log it is none.

    Args:
        followed: The environment's functions.
    """
    known: set[int] = set()
    for code, _ in followed.paid:
        for node, _ in code.nodes if id(code) not in known else ():
            if isinstance(node, ast.Try) and counts(node, code):
                yield from (told(handler, code) for handler in node.handlers if swallows(handler))
        known.add(id(code))


def swallows(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches errors of whatever kind and raises none."""
    goes_on = not any(isinstance(inner, ast.Raise) for inner in ast.walk(handler))
    return goes_on and is_broad(handler)


def told(handler: ast.ExceptHandler, code: Code) -> SwallowingHandler:
    """A handler of a function, with its place and its lines."""
    text = " ".join(code.file.lines[handler.lineno - 1].split())
    place = SourcePlace(
        file=code.file.name, line=handler.lineno, inside=code.function.name, text=text
    )
    last = handler.end_lineno or handler.lineno
    return SwallowingHandler(place, range(handler.body[0].lineno, last + 1))


def counts(node: ast.Try, code: Code) -> bool:
    """Whether something comes of what is tried: it is returned, or changes a name that is read behind it."""
    tried = [inner for each in node.body for inner in ast.walk(each)]
    if any(isinstance(inner, ast.Return) and inner.value is not None for inner in tried):
        return True
    changed = {
        name
        for inner in tried
        for target, _ in assignments(inner, augmented=True)
        for name in names_in(target)
    }
    changed |= {
        chain_of(inner.func)[0]
        for inner in tried
        if isinstance(inner, ast.Call) and is_change(inner.func) and chain_of(inner.func)
    }
    read = {
        name
        for inner, _ in code.nodes
        if isinstance(inner, ast.expr) and inner.lineno > (node.end_lineno or node.lineno)
        for name in names_in(inner)
    }
    return bool((changed - {"self"}) & read)


def is_broad(node: ast.ExceptHandler) -> bool:
    """Whether a handler catches errors of whatever kind."""
    if node.type is None:
        return True
    return any(name_of(each) in BROAD for each in elements_of(node.type))


def swallowed_rows(
    session: AuditSession, flown: Survey, explored: Sequence[Episode]
) -> Iterator[SurveyRow]:
    """The best row that exploration found again, if its end reaches a handler that swallows errors, and others do not.

    Args:
        session: Where.
        flown: The survey.
        explored: What exploration flew.
    """
    row = next((r for r in Paid(flown).rows if r.kind == EXPLORED and is_best(r, flown)), None)
    if row is None or flown.of_kind(SWALLOWED):
        return
    handlers = [] if session.code is None else list(handlers_of(session, session.code))
    mine = [reached(session, e, handlers) for e in row.ended[:2]] if handlers else []
    common = [handler for handler in handlers if all(handler in each for each in mine)]
    if not mine or not common:
        return
    least = min(map(total, row.ended))
    lesser = (e for e in [*flown.episodes, *explored] if is_less(e, least))
    others = [reached(session, e, common) for e in islice(lesser, MOST_OTHERS)]
    apart = [handler for handler in common if not any(handler in each for each in others)]
    if apart and len(others) >= LEAST_OTHERS:
        yield named_again(row, apart[0])


def handlers_of(session: AuditSession, code: EnvironmentCode) -> Iterator[SwallowingHandler]:
    """The handlers of an environment's own reward."""
    return swallowing_handlers(FollowedCode(session.source, code))


def named_again(row: SurveyRow, handler: SwallowingHandler) -> SurveyRow:
    """A row under a name that says what its end reaches."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], flown: Survey) -> SurveyRow:
        assert row.again is not None
        return named_again(row.again(session, tasks, flown), handler)

    return replace(row, name=f"{row.name}; {handler}", kind=SWALLOWED, again=row.again and again)


def reached(
    session: AuditSession, episode: Episode, handlers: Sequence[SwallowingHandler]
) -> list[SwallowingHandler]:
    """The handlers that an episode's last step reaches, when it is flown again."""
    lines = session.last_lines(episode.task, actions_of(episode.turns))
    return [
        handler
        for handler in handlers
        if runs(lines, {(handler.place.file, line) for line in handler.lines})
    ]


def is_best(row: SurveyRow, flown: Survey) -> bool:
    """Whether a row earns a grade on each seed that nobody is known to earn more than."""
    graded = len(row.ended) >= LEAST_EPISODES and min(map(total, row.ended)) >= LEAST_GRADE
    return graded and best_everywhere(row, flown)


def is_less(episode: Episode, mark: float) -> bool:
    """Whether the environment ended an episode and paid less for it than some mark."""
    if episode.error is not None or not episode.turns or not episode.turns[-1].done:
        return False
    return episode.episode_return is not None and total(episode) < NEARLY * mark


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
            f"{row.name}: the end that is paid {least:g} or more on each of {len(row.ended)} seeds, the best that is "
            "known, reaches this, and ends that are paid less do not"
        )
        severity = None if earns_all(row) else Severity.SUSPICIOUS
        witness = min(row.ended, key=total)
        yield Suspicion("verifier_crash_pays", row, witness, said, least, severity)
