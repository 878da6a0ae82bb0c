"""Can anybody succeed at all? What proves that nobody can, where nobody did.

That nobody succeeded is no proof: a task may be hard. Two things are. Where an action has few values in all, and each
of them ends the episode at once, all of them are tried on a task, and none is a success. And where the source asks
whether a text that was made lower-case (or upper-case) equals texts that all are written otherwise, the answer is
always no: if such a question stands before lines that nothing ever reached, although each of the texts was sent, what
follows from it can never follow.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.auditing.confirmation import Confirmed, proven
from gonogo.auditing.session import AuditSession
from gonogo.auditing.success_words import COUNTED, PAY, SCORE, SUCCESS, name_of, words_of
from gonogo.auditing.survey import Survey, succeeded, total
from gonogo.contract.sources import files_of, literals_of, tree_of, within
from gonogo.contract.syntax import Function, assignments, nodes_of, text_items
from gonogo.env.target import Target
from gonogo.exploits.witness import actions_of
from gonogo.explore.retrace import scalars
from gonogo.explore.search import CLOSED, Exploration
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import TaskOptions

UNREACHABLE = "unreachable_reward"
TASKS = 2
"""Tasks on which every action is tried."""
CASES = frozenset({"lower", "upper", "casefold"})
LEAST_TEXTS = 2
"""Different texts that a name has to stand for, of which all have to be sent."""
KEEPING = frozenset({"strip", "lstrip", "rstrip"})
"""Methods after which a text is in the case in which it was."""
DECIDING = SUCCESS | PAY | SCORE | COUNTED | {"right", "points", "marks", "hits", "total"}
"""Words of names that hold what an episode comes to."""


def unwinnable(
    session: AuditSession,
    other: AuditSession,
    flown: Survey,
    found: Exploration,
    target: Target,
    tasks: Sequence[TaskOptions],
) -> list[Confirmed]:
    """What proves that nobody can succeed; nothing where somebody did, or where nobody says success.

    Args:
        session: Where.
        other: A fresh process, in which the proof is flown last.
        flown: The survey.
        found: What exploring came to.
        target: The environment.
        tasks: Reset options.
    """
    known = [*flown.episodes, *found.episodes]
    told = any(episode.success is False for episode in known)
    if flown.broken_off or flown.assumed or not told or any(map(succeeded, known)):
        return []
    every = found.values.every(CLOSED)
    plans = [(task, [action]) for task in tasks[:TASKS] for action in every]
    episodes = session.plans("every action", plans, turns=1)
    if exhausted(episodes):
        said = (
            f"each of the {len(every)} actions that there are was tried on {len(tasks[:TASKS])} tasks, ends the "
            "episode at once, and is no success"
        )
        proof = shown(other, flown, max(episodes, key=total), said, "every action")
        return [] if proof is None else [proof]
    for question in never_equal(target):
        tried = [episode for episode in known if question.asked_by(episode)]
        sent = set().union(*map(question.sent_in, tried))
        if sent == set(question.texts) and is_wall(found, question):
            best = max(tried, key=lambda episode: len(question.sent_in(episode)))
            severity = None if question.matters else Severity.SUSPICIOUS
            proof = shown(other, flown, best, question.said, "exploration")
            if proof is not None:
                return [proof.weighing(severity)]
    return []


def shown(
    session: AuditSession, flown: Survey, episode: Episode, said: str, who: str
) -> Confirmed | None:
    """The finding, with an episode that was flown a last time and failed again; None where it did not."""
    plan = actions_of(episode.turns)
    proof = proven(session, UNREACHABLE, flown.task, episode.task, plan, said, who)
    failed = proof is not None and proof.episode is not None and proof.episode.success is False
    return proof if failed else None


def exhausted(episodes: Sequence[Episode]) -> bool:
    """Whether each of some episodes of one action was ended by it, and none succeeded."""
    return bool(episodes) and all(
        e.error is None and len(e.turns) == 1 and e.turns[0].done and e.success is False
        for e in episodes
    )


@dataclass(frozen=True, slots=True)
class NeverEqual:
    """A question whose answer is always no.

    Attributes:
        file: Name of its file.
        line: Where it stands.
        first: The first line of what follows where the answer is yes; 0 where the answer is only kept.
        test: The question.
        case: How the text was made: ``lower`` or ``upper``.
        texts: What it is compared with.
        matters: Whether pay, success or what is right is given by the answer.
    """

    file: str
    line: int
    first: int
    test: str
    case: str
    texts: tuple[str, ...]
    matters: bool

    @property
    def said(self) -> str:
        """What is wrong, as a sentence."""
        named = ", ".join(map(repr, self.texts[:4]))
        file = self.file.rpartition("/")[2]
        return (
            f"{file}:{self.line}: `{self.test}` is never true: a text in {self.case} case is compared with {named}. "
            "Each of them was sent, and nobody succeeded"
        )

    def asked_by(self, episode: Episode) -> bool:
        """Whether an episode sent one of the texts."""
        return episode.error is None and bool(self.sent_in(episode))

    def sent_in(self, episode: Episode) -> set[str]:
        """The texts that an episode sent as the whole of some value, in whatever case."""
        values = (value for turn in episode.turns for _, value in scalars(turn.action))
        sent = {value.strip().lower() for value in values if isinstance(value, str)}
        return {text for text in self.texts if text.strip().lower() in sent}


def is_wall(found: Exploration, question: NeverEqual) -> bool:
    """Whether what follows from a yes was measured and never reached; also where nothing stands there."""
    return not question.first or any(
        f"/{question.file}".endswith(f"/{line.rpartition(':')[0]}")
        and line.endswith(f":{question.first}")
        for line in found.unreached
    )


def never_equal(target: Target) -> list[NeverEqual]:
    """The questions of a target's source whose answer is always no; read, and never run."""
    read = [(path, tree) for path in files_of(target) if (tree := tree_of(path)) is not None]
    trees = within([tree for _, tree in read])
    known = SourceTexts(trees)
    return [
        question
        for path, tree in read[: len(trees)]
        for question in questions(tree, path.as_posix(), known)
    ]


class SourceTexts:
    """The texts that a name of the source may stand for.

    Args:
        trees: The files.
    """

    def __init__(self, trees: Sequence[ast.Module]) -> None:
        self._literals = literals_of(tuple(trees))
        self._given: dict[str, list[ast.expr]] = {}
        for node in (node for tree in trees for node in nodes_of(tree)):
            for name, value in givings(node):
                self._given.setdefault(name, []).append(value)

    def of(self, node: ast.expr) -> list[str]:
        """All texts that an expression may be; empty where that is not known for certain.

        Args:
            node: The expression.
        """
        if isinstance(node, ast.Constant):
            return [node.value] if isinstance(node.value, str) and node.value else []
        key = node.slice if isinstance(node, ast.Subscript) else None
        name = key.value if isinstance(key, ast.Constant) else None
        name = node.attr if isinstance(node, ast.Attribute) else name
        every = [self._literals.values(value) for value in self._given.get(str(name), ())]
        if name is None or not every or not all(every):
            return []
        texts = [value for values in every for value in values]
        plain = list(dict.fromkeys(text for text in texts if isinstance(text, str)))
        return plain if len(plain) >= LEAST_TEXTS and len(texts) >= len(plain) else []


def givings(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """What a node gives to attributes, keys and keywords, by their names."""
    yield from text_items(node)
    if isinstance(node, ast.Call):
        yield from ((k.arg, k.value) for k in node.keywords if k.arg)
    for target, value in assignments(node, augmented=True):
        if isinstance(target, ast.Attribute):
            yield target.attr, value
        elif isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
            yield str(target.slice.value), value


def questions(tree: ast.Module, file: str, known: SourceTexts) -> Iterator[NeverEqual]:
    """The questions of one file whose answer is always no."""
    for function in (node for node in ast.walk(tree) if isinstance(node, Function)):
        cases = cases_of(function)
        for node in ast.walk(function):
            for test, body in asked(node):
                if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
                    continue
                sides = test.left, test.comparators[0]
                for one, other in (sides, sides[::-1]):
                    case, texts = case_of(one, cases), known.of(other)
                    if case and texts and all(made(text, case) != text for text in texts):
                        said, first = ast.unparse(test), body[0].lineno if body else 0
                        follows: Sequence[ast.AST] = body or [node]
                        matters = any(map(decides, follows))
                        place = test.lineno
                        yield NeverEqual(file, place, first, said, case, tuple(texts), matters)


def asked(node: ast.AST) -> Iterator[tuple[ast.Compare, Sequence[ast.stmt]]]:
    """The comparisons that a statement needs, with what follows from a yes; nothing where it is only kept."""
    if isinstance(node, ast.If):
        tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
        if not isinstance(node.test, ast.BoolOp) or isinstance(node.test.op, ast.And):
            yield from ((test, node.body) for test in tests if isinstance(test, ast.Compare))
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.Return) and node.value is not None:
        yield from ((n, ()) for n in ast.walk(node.value) if isinstance(n, ast.Compare))


def decides(node: ast.AST) -> bool:
    """Whether a statement gives something to a name that speaks of pay, of success, or of what was right."""
    targets = [
        target
        for each in ast.walk(node)
        if isinstance(each, ast.Assign | ast.AugAssign)
        for target in (each.targets if isinstance(each, ast.Assign) else [each.target])
    ]
    return any(words_of(name_of(target)) & DECIDING for target in targets)


def made(text: str, case: str) -> str:
    """A text in a case."""
    return text.upper() if case == "upper" else text.lower()


def cases_of(function: Function) -> dict[str, str]:
    """The names of a function that always hold a text of one case, by all that is ever given to them."""
    given: dict[str, list[str]] = {}
    for node in ast.walk(function):
        targets: Sequence[ast.expr] = []
        value: ast.expr | None = None
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            targets, value = [node.target], node.value
        elif isinstance(node, ast.For | ast.comprehension):
            targets = [node.target]
        for target in targets:
            whole = isinstance(target, ast.Name) and not isinstance(node, ast.AugAssign)
            for name in (n for n in ast.walk(target) if isinstance(n, ast.Name)):
                case = case_of(value, {}) if whole and value is not None else ""
                given.setdefault(name.id, []).append(case)
    return {name: cases[0] for name, cases in given.items() if cases[0] and len(set(cases)) == 1}


def case_of(node: ast.expr, known: dict[str, str]) -> str:
    """The case in which a text always is: ``lower`` or ``upper``; empty where that is not known."""
    if isinstance(node, ast.Name):
        return known.get(node.id, "")
    if isinstance(node, ast.IfExp):
        one, other = case_of(node.body, known), case_of(node.orelse, known)
        blank = [is_blank(each) for each in (node.body, node.orelse)]
        return one if one == other or blank[1] else other if blank[0] else ""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.keywords:
        if node.func.attr in CASES:
            return "upper" if node.func.attr == "upper" else "lower"
        if node.func.attr in KEEPING:
            return case_of(node.func.value, known)
    return ""


def is_blank(node: ast.expr) -> bool:
    """Whether a node is a text without letters."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not node.value.strip()
