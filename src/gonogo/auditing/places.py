"""Where a reward is computed: the line that decides what a witness is paid, as the environment's process runs it.

A finding's plan is flown once more, in a process that measures lines, up to the step that is paid most. Of the lines
that this step runs, those that compute something called a reward or a score are read from the source; the last of them
that adds something is named. A server's code, and a reward from outside the environment, are out of reach.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gonogo.contract.source import REWARDS, name_below, parse, wanted_value
from gonogo.contract.syntax import Function, called_in, name_of, text_items
from gonogo.env.environment import Env
from gonogo.env.target import FolderTarget, UrlTarget
from gonogo.errors import EnvironmentFailure
from gonogo.exploits.witness import decode
from gonogo.records.findings import EpisodeWitness, Finding, RewardLine
from gonogo.rollouts.types import Failure, Inspection

MOST_FINDINGS, MOST_STEPS = 12, 200
ROUNDING = 1e-9
MERELY = frozenset({"float", "int", "round", "min", "max", "abs", "sum", "clip", "clamp"})
"""Functions that pass on what they are given."""
GRADERS = frozenset({"forward", "grade", "evaluate", "verify", "judge"})
"""Functions whose answer is a reward, whatever it is called."""


def located(findings: Sequence[Finding], env: Env) -> tuple[Finding, ...]:
    """Findings, each with the line that pays its witness where one can be told.

    Args:
        findings: What was proven.
        env: The environment.
    """
    flown = [f for f in findings if isinstance(f.witness, EpisodeWitness)]
    if not flown or isinstance(env.target, UrlTarget):
        return tuple(findings)
    lines: dict[str, RewardLine | None] = {}
    try:
        with closing(env.connect()) as connection:
            source = Written(connection, env)
            for finding in islice(flown, MOST_FINDINGS):
                if isinstance(finding.witness, EpisodeWitness):
                    key = f"{finding.id} {finding.component} {finding.task}"
                    lines[key] = paying(connection, source, finding.witness)
    except EnvironmentFailure:
        pass  # what it does when its lines are measured is no fault of its reward
    return tuple(
        f.model_copy(update={"place": lines.get(f"{f.id} {f.component} {f.task}")})
        if isinstance(f.witness, EpisodeWitness)
        else f
        for f in findings
    )


def paying(connection: Inspection, source: Written, seen: EpisodeWitness) -> RewardLine | None:
    """The line that computes what a witness's best step is paid; None where it cannot be told.

    Args:
        connection: Where it is flown again.
        source: The environment's code.
        seen: The witness.
    """
    pays = [pay if isinstance(pay, int | float) else 0.0 for pay in seen.rewards]
    if not pays or len(pays) > MOST_STEPS:
        return None
    best = max(pays)
    last = pays.index(best)
    if seen.resets_before:
        connection.renew([0])
    for options in seen.resets_before or ():
        connection.reset({0: options})
    answer = connection.reset({0: seen.reset})[0]
    for action in decode(seen.actions[:last]):
        if isinstance(answer, Failure):
            return None
        answer = connection.step({0: action})[0]
    if isinstance(answer, Failure) or connection.cover() is None:
        return None
    answer = connection.step({0: decode(seen.actions[last])})[0]
    return None if isinstance(answer, Failure) else source.decisive(answer.reached, best)


@dataclass(frozen=True, slots=True)
class Site:
    """A line that gives something called a reward a value.

    Attributes:
        name: The file's, as the worker tells it.
        lines: Its first number, and its last.
        value: What is given.
        adds: Whether it is added, and not taken away.
        inside: Name of the function that it stands in.
    """

    name: str
    lines: tuple[int, int]
    value: ast.expr
    adds: bool
    inside: str = ""

    def asks(self, others: Collection[str]) -> bool:
        """Whether its value is another function's, one of some names."""
        return any(name in others for name in called_in(self.value))

    def rank(self, paid: float) -> int:
        """How well it explains what was paid: the amount itself, what is computed, what costs, what is passed on."""
        if isinstance(self.value, ast.Constant):
            amount = self.value.value
            if not isinstance(amount, int | float) or not amount or not self.adds:
                return 1
            return 3 if abs(amount - paid) < ROUNDING else 2
        if passes_on(self.value):
            return 0
        return 2 if self.adds else 1


def passes_on(value: ast.expr) -> bool:
    """Whether a value is a reward that was computed before, in other bounds perhaps."""
    if isinstance(value, ast.Name):
        return REWARDS.fullmatch(value.id) is not None
    if isinstance(value, ast.Attribute):
        return REWARDS.fullmatch(value.attr) is not None
    if isinstance(value, ast.Call):
        name = name_of(value.func)
        given = [each for each in value.args if not isinstance(each, ast.Constant)]
        return name in MERELY and bool(given) and all(map(passes_on, given))
    if isinstance(value, ast.BinOp):
        sides = [value.left, value.right]
        if isinstance(value.op, ast.Mult | ast.Div):
            sides = [side for side in sides if not isinstance(side, ast.Constant)]
        return bool(sides) and all(map(passes_on, sides))
    return False


class Written:
    """The code of one environment, by the names that its process gives its files.

    Args:
        connection: The environment.
        env: It.
    """

    def __init__(self, connection: Inspection, env: Env) -> None:
        self._folder = env.target.folder if isinstance(env.target, FolderTarget) else None
        code = connection.describe().code
        # A step may be inherited from a file of a namesake's folder.
        files = [] if code is None else [code.environment.file, code.step.file]
        known = [parent for file in files if file is not None for parent in Path(file).parents]
        own = [] if self._folder is None else [self._folder]
        self._bases = list(dict.fromkeys([*own, *known, Path.cwd()]))
        self._sites: dict[str, list[Site]] = {}

    def decisive(self, reached: Sequence[str], paid: float) -> RewardLine | None:
        """The line that decides what a step is paid; None where no line that it ran computes a reward.

        Args:
            reached: The lines that the step ran, as ``file:line``, in their order.
            paid: What it was paid.
        """
        found: list[Site] = []
        for told in reached:
            name, _, line = told.rpartition(":")
            found += [
                site for site in self._of(name) if site.lines[0] <= int(line) <= site.lines[1]
            ]
        found = [site for site in found if not site.asks({o.inside for o in found} - {site.inside})]
        if not found:
            return None
        best = max(site.rank(paid) for site in found)
        site = [site for site in found if site.rank(paid) == best][-1]
        path = self._path(site.name)
        if path is None:
            return None
        file = parse(path, name_below(path, self._folder))
        if file is None:
            return None
        place = file.place(site.value, "")
        return RewardLine(file=place.file, line=place.line, code=place.text)

    def _of(self, name: str) -> list[Site]:
        if name not in self._sites:
            path = self._path(name)
            self._sites[name] = [] if path is None else list(sites(name, path))
        return self._sites[name]

    def _path(self, name: str) -> Path | None:
        return next((base / name for base in self._bases if (base / name).is_file()), None)


def sites(name: str, path: Path) -> Iterator[Site]:
    """The lines of a file that give a reward a value.

    Args:
        name: The file's, as the worker tells it.
        path: Where it lies.
    """
    file = parse(path, name)
    for function in () if file is None else ast.walk(file.tree):
        if not isinstance(function, Function):
            continue
        grades = REWARDS.fullmatch(function.name) is not None or function.name in GRADERS
        for node in ast.walk(function):
            value = None
            if isinstance(node, ast.Return) and node.value is not None:
                value = answered(node.value, function, grades=grades)
            if isinstance(node, ast.stmt) and not isinstance(node, Function):
                value = value or written(node)
            if value is not None and isinstance(node, ast.stmt):
                adds = not (isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Sub))
                yield Site(
                    name, (node.lineno, node.end_lineno or node.lineno), value, adds, function.name
                )


def written(node: ast.stmt) -> ast.expr | None:
    """What a statement gives a reward, by a name, an argument or a key; None where it gives none."""
    if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match):
        return None
    found = wanted_value(node, REWARDS)
    if found is not None:
        return found
    for inner in ast.walk(node):
        for key, value in text_items(inner):
            if key == "reward":
                return value
    return None


def answered(value: ast.expr, function: Function, *, grades: bool) -> ast.expr | None:
    """What a function answers as the reward: all of it, or the second of what a step answers; None where neither."""
    if function.name == "step" and isinstance(value, ast.Tuple) and len(value.elts) in {3, 4, 5}:
        return value.elts[1]
    if not grades:
        return None
    return value.elts[0] if isinstance(value, ast.Tuple) and value.elts else value
