"""The code that may run in an episode, by an environment's source: what a step reaches, what a reward is computed of.

Functions are followed by their names. Something is *paid* where the code of a reward or a success reads it: expressions
of that name, what they are computed of, the conditions they stand under, the functions that they call, and what is
given for the parameters that stand in them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cached_property

from gonogo.contract.functions import Code, called_here, chain_of, codes_in, is_change
from gonogo.contract.source import REWARDS, Source
from gonogo.contract.syntax import (
    assignments,
    elements_of,
    functions_of,
    name_of,
    names_in,
    reachable,
    taken_names,
    text_items,
    variables_in,
)
from gonogo.records.inspection import EnvironmentCode

SUCCESSES = re.compile(r"_?(is_|task_)?(success(es)?|succeeded|successful|solved|won|wins|passed)")
STEPS = frozenset({"step", "step_async", "_step_impl"})
RESETS = frozenset({"reset", "reset_async"})
BIRTHS = frozenset({"__init__", "__post_init__"})

PlacedExpression = tuple[Code, ast.expr]
"""An expression, after the function in which it stands."""


class FollowedCode:
    """The functions of one environment's source, followed from its step and its reset.

    Args:
        source: The environment's source.
        code: Where its class, reset and step lie.

    Attributes:
        files: The parsed files.
        codes: The functions that may run.
        chain: Names of the environment's class and its bases.
        stepping: The functions that a step may reach; none where no step is known.
        resetting: Those that a reset may reach.
        reset_known: Whether a reset is known.
    """

    def __init__(self, source: Source, code: EnvironmentCode) -> None:
        chain = [cls for place in code.environment.classes if (cls := source.cls(place))]
        own, self.chain = {id(cls) for cls in chain}, {cls.name for cls in chain}
        self.files = list(source.files.values())
        self.codes = list(self._running(chain))
        self._by_name: dict[str, list[Code]] = {}
        for each in self.codes:
            named = [each.function.name]
            if each.cls is not None and each.function.name in BIRTHS:
                named.append(each.cls.name)
            for name in named:
                self._by_name.setdefault(name, []).append(each)
        entered = [
            (steps, found[1])
            for steps, place in ((True, code.step), (False, code.reset))
            if (found := source.function(place))
        ]
        step, reset = (
            [c for c in self.codes if id(c.cls) in own and c.function.name in names]
            + [c for c in self.codes if any(c.function is f for _, f in entered) and c.cls is None]
            for names in (STEPS, RESETS)
        )
        functions = {id(f): steps for steps, f in entered}
        if not chain:  # an app's routes, the step's first
            step = [c for c in step if functions.get(id(c.function)) is True]
            reset = [c for c in reset if functions.get(id(c.function)) is False]
        tools = [
            c
            for c in self.codes
            if any("tool" in ast.unparse(d) for d in c.function.decorator_list)
        ]
        self.stepping = self._reached([*step, *tools]) if step else []
        self.resetting = self._reached(reset, broadly=True)
        self.reset_known = bool(reset)

    def named(self, name: str) -> Sequence[Code]:
        """The functions of a name; of a class's name, those that make its objects."""
        return self._by_name.get(name, ())

    def _running(self, chain: Sequence[ast.ClassDef]) -> Iterator[Code]:
        """The functions that may run: not those of other environments that share a base, nor overridden ones."""
        codes = [each for file in self.files for each in codes_in(file)]
        family, grown = set(self.chain), True
        while grown:
            heirs = {
                c.cls.name
                for c in codes
                if c.cls and any(name_of(base) in family for base in bases_of(c.cls))
            }
            grown = not heirs <= family
            family |= heirs
        own = {id(cls) for cls in chain}
        hidden = {id(f) for cls in chain for f in functions_of(cls)} - set(
            map(id, reachable(chain))
        )
        for each in codes:
            kin = each.cls is not None and each.cls.name in family and id(each.cls) not in own
            if not kin and id(each.function) not in hidden:
                yield each

    def _reached(self, entries: Sequence[Code], *, broadly: bool = False) -> list[Code]:
        """The functions that some call, and those in turn; by any mention of their names where asked."""
        waiting, known = list(entries), {id(each) for each in entries}
        out = list(entries)
        while waiting:
            code = waiting.pop()
            # in one order: which of what is found is looked at first must not hang on a set's
            for name in sorted(code.mentioned if broadly else code.called):
                for each in self._by_name.get(name, ()):
                    if id(each) in known or (each.function.name in RESETS and not broadly):
                        continue
                    known.add(id(each))
                    waiting.append(each)
                    out.append(each)
        return out

    @cached_property
    def _calls(self) -> dict[str, list[tuple[Code, ast.Call]]]:
        """The calls that a step may make, by the name of what is called."""
        found: dict[str, list[tuple[Code, ast.Call]]] = {}
        for each in self.stepping:
            for node, _ in each.nodes:
                if isinstance(node, ast.Call):
                    found.setdefault(name_of(node.func), []).append((each, node))
        return found

    def callers(self, code: Code) -> Iterator[tuple[Code, ast.Call]]:
        """The calls that a step may make of a function, each after the function in which it stands."""
        yield from self._calls.get(called_by(code), ())

    def given(self, code: Code, name: str) -> Iterator[PlacedExpression]:
        """What a step's functions give for a parameter of a function.

        Args:
            code: The function.
            name: The parameter's name.
        """
        taken = taken_names(code.function)
        place = taken.index(name) if name in taken else len(taken)
        for caller, call in self.callers(code):
            yield from ((caller, k.value) for k in call.keywords if k.arg == name)
            if place < len(call.args) and not any(
                isinstance(each, ast.Starred) for each in call.args[: place + 1]
            ):
                yield caller, call.args[place]

    @cached_property
    def paid(self) -> list[PlacedExpression]:
        """The expressions that a reward or a success is computed of."""
        waiting = [
            (each, answers(each) if pays(each.function.name) else list(payments(each)))
            for each in self.stepping
        ]
        out: list[PlacedExpression] = []
        known: set[int] = set()
        computed: dict[int, dict[str, list[ast.expr]]] = {}
        while waiting:
            code, seeds = waiting.pop()
            taken = set(taken_names(code.function))
            if id(code) not in computed:
                computed[id(code)] = computing(code)
            for expression in computed_of(computed[id(code)], seeds):
                if id(expression) in known:
                    continue
                known.add(id(expression))
                out.append((code, expression))
                for node in ast.walk(expression):
                    if isinstance(node, ast.Name) and node.id in taken:
                        given = self.given(code, node.id)
                        waiting += [(who, [what]) for who, what in given if id(what) not in known]
                    for each in (each for name in called_here(node) for each in self.named(name)):
                        if id(each) not in known and each.function.name not in BIRTHS:
                            known.add(id(each))
                            waiting.append((each, answers(each)))
        return out


def called_by(code: Code) -> str:
    """The name by which a function is called: of one that makes an object, the class's."""
    made = code.cls is not None and code.function.name in BIRTHS
    return code.cls.name if code.cls is not None and made else code.function.name


def bases_of(cls: ast.ClassDef) -> list[ast.expr]:
    """The bases of a class, without what they are given."""
    return [base.value if isinstance(base, ast.Subscript) else base for base in cls.bases]


def pays(name: str) -> bool:
    """Whether a name is a reward's or a success's."""
    return bool(REWARDS.fullmatch(name) or SUCCESSES.fullmatch(name))


def answers(code: Code) -> list[ast.expr]:
    """What a function returns, and the conditions under which it does."""
    out: list[ast.expr] = []
    for node, tests in code.nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            out += [node.value, *tests]
    return out


def payments(code: Code) -> Iterator[ast.expr]:
    """What a function gives to names, arguments and keys of a reward or a success, and under which conditions."""
    for node, tests in code.nodes:
        pairs = assignments(node, augmented=True)
        given = [v for target, v in pairs if any(pays(name) for name in target_names(target))][:1]
        given += [value for key, value in text_items(node) if pays(key)]
        if isinstance(node, ast.keyword) and node.arg and pays(node.arg):
            given.append(node.value)
        elif isinstance(node, ast.Return) and code.function.name in STEPS:
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else []
            given += parts[1:2] if len(parts) in {3, 4, 5} else []
        if given:
            yield from (*given, *tests)


def target_names(target: ast.expr) -> Iterator[str]:
    """The names that a target binds, a key's among them; not the root that it belongs to."""
    for each in elements_of(target):
        if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant):
            yield str(each.slice.value)
        elif isinstance(each, ast.Attribute):
            yield each.attr
        else:
            yield from names_in(each)


def computing(code: Code) -> dict[str, list[ast.expr]]:
    """What the local names of a function are computed of, with the conditions for it."""
    by: dict[str, list[ast.expr]] = {}
    for node, tests in code.nodes:
        pairs = assignments(node, augmented=True)
        names = {name for target, _ in pairs for name in variables_in(target)}
        given = [value for _, value in pairs[:1]]
        if isinstance(node, ast.For | ast.comprehension):
            names, given = set(names_in(node.target)), [node.iter]
        elif isinstance(node, ast.Call) and is_change(node.func):
            names, given = set(chain_of(node.func)[:1]), list(node.args)
        for name in names - {"self"}:
            by.setdefault(name, []).extend([*given, *tests])
    return by


def computed_of(by: dict[str, list[ast.expr]], seeds: Sequence[ast.expr]) -> list[ast.expr]:
    """Some expressions and all that the local names in them are computed of, by :func:`computing`."""
    out, known, waiting = list(seeds), {id(seed) for seed in seeds}, list(seeds)
    while waiting:
        for node in ast.walk(waiting.pop()):
            for each in by.get(node.id, ()) if isinstance(node, ast.Name) else ():
                if id(each) not in known:
                    known.add(id(each))
                    out.append(each)
                    waiting.append(each)
    return out
