"""What outlives a reset, by the environment's source: parsed and never run.

An attribute that steps change, that the reset neither sets nor empties, and that somebody reads carries one episode
into the next; so does a default argument that is one object for all calls. Functions are followed by their names. What
cannot be told counts as emptied. So this says where to look, and flights decide
(:mod:`gonogo.auditing.checks.left_over`).

Something is *paid* where the code of a reward or a success reads it: expressions of that name, what they are computed
of, and the conditions they stand under, through the functions that they call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.contract.functions import (
    Code,
    PlacedChange,
    bound_names,
    called_here,
    chain_of,
    codes_in,
    fills,
    is_change,
    mutable_defaults,
    places_of,
    reads,
    touched,
)
from gonogo.contract.source import REWARDS, Source
from gonogo.contract.syntax import (
    Function,
    assignments,
    elements_of,
    functions_of,
    is_name,
    name_of,
    names_in,
    reachable,
    text_items,
    variables_in,
)
from gonogo.records.contract import SourcePlace
from gonogo.records.inspection import EnvironmentCode

SUCCESSES = re.compile(r"_?(is_|task_)?(success(es)?|succeeded|successful|solved|won|wins|passed)")
UNSUITED = re.compile(
    r"(?i)(^|_)(rng|rand\w*|memo|r?lock|logs?|conn(ection)?s?|pool|process)$|seed|cache|logger|client|executor|thread|"
    r"socket|model|tokeni[sz]er|total|global|lifetime|reset|episode|curricul|difficult|session|registry|stats|metrics"
)
"""Names of what is kept on purpose: generators, caches, logs, connections, counts over episodes, a curriculum."""
STEPS = frozenset({"step", "step_async", "_step_impl"})
RESETS = frozenset({"reset", "reset_async"})
BIRTHS = frozenset({"__init__", "__post_init__"})
MOST = 8


@dataclass(frozen=True, slots=True)
class KeptState:
    """Something that steps change and that a reset leaves as it is.

    Attributes:
        name: The attribute, or the module's name.
        owner: Its class; a file for a name of a module.
        default: Whether it is a default argument, one object for all calls.
        changed: Where steps change it.
        paid: Where the code of a reward or a success reads it; None where none was seen to.
    """

    name: str
    owner: str
    default: bool
    changed: tuple[SourcePlace, ...]
    paid: SourcePlace | None

    def __str__(self) -> str:
        where = f"{self.changed[0].file}:{self.changed[0].line}"
        why = "begins as a default argument, which is one object for all calls"
        kept = why if self.default else "is neither set nor emptied by a reset"
        return f"{self.owner}.{self.name}, which {where} changes, {kept}"


def kept_over_resets(source: Source, code: EnvironmentCode | None) -> list[KeptState]:
    """What steps change and resets leave, what is paid first.

    Args:
        source: The environment's source.
        code: Where its class, reset and step lie; None where that is not known, and nothing is found.
    """
    if code is None:
        return []
    found = KeptSearch(source, code).found()
    return sorted(found, key=lambda each: (each.paid is None, not each.default))[:MOST]


class KeptSearch:
    """The search through one environment's source.

    Args:
        source: The environment's source.
        code: Where its class, reset and step lie.
    """

    def __init__(self, source: Source, code: EnvironmentCode) -> None:
        chain = [cls for place in code.environment.classes if (cls := source.cls(place))]
        own, self._chain = {id(cls) for cls in chain}, {cls.name for cls in chain}
        self._files = list(source.files.values())
        self._codes = list(self._running(chain))
        self._by_name: dict[str, list[Code]] = {}
        for each in self._codes:
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
            [c for c in self._codes if id(c.cls) in own and c.function.name in names]
            + [c for c in self._codes if any(c.function is f for _, f in entered) and c.cls is None]
            for names in (STEPS, RESETS)
        )
        functions = {id(f): steps for steps, f in entered}
        if not chain:  # an app's routes, the step's first
            step = [c for c in step if functions.get(id(c.function)) is True]
            reset = [c for c in reset if functions.get(id(c.function)) is False]
        tools = [
            c
            for c in self._codes
            if any("tool" in ast.unparse(d) for d in c.function.decorator_list)
        ]
        self._stepping = self._reached([*step, *tools]) if step else []
        self._resetting = self._reached(reset, broadly=True)
        self._reset_known = bool(reset)
        self._lives = self._chain | self._living()
        self._paid = dict(self._paid_reads())

    def _running(self, chain: Sequence[ast.ClassDef]) -> Iterator[Code]:
        """The functions that may run: not those of other environments that share a base, nor overridden ones."""
        codes = [each for file in self._files for each in codes_in(file)]
        family, grown = set(self._chain), True
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

    def found(self) -> Iterator[KeptState]:
        """What is kept."""
        if not self._stepping or not self._reset_known or self._rebuilds():
            return
        emptied = {name for each in self._resetting for name in touched(each)}
        yield from self._attributes(emptied)
        yield from self._globals(emptied)
        yield from self._defaults()

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

    def _living(self) -> set[str]:
        """Classes whose objects are made once: neither by a reset nor by a step."""
        flying = {id(c.function) for c in [*self._stepping, *self._resetting]}
        names = {c.cls.name for c in self._codes if c.cls is not None}
        once: set[str] = set()
        again: set[str] = set()
        for each in self._codes:
            (again if id(each.function) in flying else once).update(names & each.called)
        for file in self._files:
            for node in file.tree.body:
                if not isinstance(node, ast.ClassDef | Function):
                    once |= names & {name for n in ast.walk(node) for name in called_here(n)}
        factories = {
            name_of(k.value)
            for file in self._files
            for k in ast.walk(file.tree)
            if isinstance(k, ast.keyword) and k.arg == "default_factory"
        }
        return once - again - factories

    def _rebuilds(self) -> bool:
        """Whether a reset makes everything anew in a way that cannot be followed."""
        anew = {"setattr", "getattr", "vars", "delattr", "__dict__", "__init__"}
        return any(anew & each.called for each in self._resetting)

    def _changes(self, lives: set[str]) -> Iterator[PlacedChange]:
        """What steps change in objects of some classes, or in any module."""
        for each in self._stepping:
            if each.function.name in BIRTHS:
                continue
            for change in each.changes:
                if not change.of_self or each.owner in lives:
                    yield each, change

    def _attributes(self, emptied: set[str]) -> Iterator[KeptState]:
        """Attributes of what lives as long as the environment does."""
        for owner in sorted(self._lives):
            own = self._begun(owner)
            by: dict[str, list[PlacedChange]] = {}
            for code, change in self._changes(self._lives):
                if len(change.names) < 2:
                    continue
                mine = code.owner == owner or (owner in self._chain and code.owner in self._chain)
                name = change.names[1] if change.of_self else change.names[-1]
                if name in own and (mine or not change.of_self):
                    by.setdefault(name, []).append((code, change))
            for name, changed in by.items():
                if name not in emptied and not UNSUITED.search(name):
                    yield from self._kept(name, owner, changed)

    def _begun(self, owner: str) -> set[str]:
        """The attributes that a class's objects begin with."""
        out: set[str] = set()
        for each in self._codes:
            if each.owner == owner and each.function.name in BIRTHS:
                out |= {c.names[1] for c in each.changes if c.of_self and c.outright}
                if each.cls is not None:
                    out |= {n for node in each.cls.body for n in bound_names(node)}
        return out

    def _kept(self, name: str, owner: str, changed: Sequence[PlacedChange]) -> Iterator[KeptState]:
        """What is kept under a name, if it is not set before each use, or made once where it was missing."""
        if any(x.outright and not c.conditions(x.node) for c, x in changed):
            return
        lasting = [(c, x) for c, x in changed if not fills(c, x.node, name)]
        paid = self._paid.get(name)
        read = paid is not None or any(reads(c, name) for c in self._stepping)
        if lasting and read:
            yield KeptState(name, owner, False, places_of(lasting), paid)

    def _globals(self, emptied: set[str]) -> Iterator[KeptState]:
        """Names of modules."""
        own = {
            file.name: {name for node in file.tree.body for name in bound_names(node)}
            for file in self._files
        }
        by: dict[tuple[str, str], list[PlacedChange]] = {}
        for code, change in self._changes(self._lives):
            name = change.names[0]
            if name in code.foreign & own[code.file.name]:
                by.setdefault((name, code.file.name), []).append((code, change))
        for (name, file), changed in by.items():
            if name not in emptied and not UNSUITED.search(name):
                yield from self._kept(name, file, changed)

    def _defaults(self) -> Iterator[KeptState]:
        """Default arguments that are one object for all calls, kept or changed, where a call leaves them out."""
        flying = {id(c) for c in [*self._stepping, *self._resetting]}
        for each in self._codes:
            called = each.cls.name if each.cls and each.function.name in BIRTHS else ""
            called = called or each.function.name
            for place, name in mutable_defaults(each.function):
                if id(each) not in flying or not self._left_out(called, place, name, each):
                    continue
                yield from self._shared(each, name)

    def _left_out(self, called: str, place: int, name: str, code: Code) -> bool:
        """Whether some call leaves an argument out."""
        first = 1 if code.cls is not None else 0
        for each in self._codes:
            for call, _ in each.nodes if called in each.called else ():
                if not isinstance(call, ast.Call) or name_of(call.func) != called:
                    continue
                named = [keyword.arg for keyword in call.keywords]
                starred = None in named or any(isinstance(a, ast.Starred) for a in call.args)
                if not starred and len(call.args) <= place - first and name not in named:
                    return True
        return False

    def _shared(self, code: Code, name: str) -> Iterator[KeptState]:
        """What becomes of one default argument."""
        if any(c.outright and c.names == (name,) for c in code.changes):
            return
        kept = {
            target.attr
            for node, _ in code.nodes
            for target, value in assignments(node)
            if isinstance(target, ast.Attribute) and is_name(value, name)
        }
        for attribute in sorted(kept):
            changed = [
                (each, change)
                for each in self._stepping
                if each.owner == code.owner and each.function is not code.function
                for change in each.changes
                if change.of_self and change.names[1:2] == (attribute,)
            ]
            emptied = any(c.outright for _, c in changed) or any(
                isinstance(n, ast.Attribute) and n.attr == "clear" and attribute in chain_of(n)
                for each in self._resetting
                for n, _ in each.nodes
            )
            if changed and not emptied:
                paid = self._paid.get(attribute)
                yield KeptState(attribute, code.owner, True, places_of(changed), paid)
        direct = [(code, change) for change in code.changes if change.names[0] == name]
        if direct:
            owner = f"{code.owner}.{code.function.name}"
            yield KeptState(name, owner, True, places_of(direct), None)

    def _paid_reads(self) -> Iterator[tuple[str, SourcePlace]]:
        """Attributes and names that the code of a reward or a success reads, each with where."""
        waiting = [
            (each, answers(each) if pays(each.function.name) else list(payments(each)))
            for each in self._stepping
        ]
        known: set[int] = set()
        while waiting:
            code, seeds = waiting.pop()
            for expression in computed_of(code, seeds):
                for node in ast.walk(expression):
                    if isinstance(node, ast.Attribute | ast.Name) and isinstance(
                        node.ctx, ast.Load
                    ):
                        yield name_of(node), code.place(node)
                    for name in called_here(node):
                        for each in self._by_name.get(name, ()):
                            if id(each) not in known and each.function.name not in BIRTHS:
                                known.add(id(each))
                                waiting.append((each, answers(each)))


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


def computed_of(code: Code, seeds: Sequence[ast.expr]) -> list[ast.expr]:
    """Some expressions and all that the local names in them are computed of, with the conditions for it."""
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
    out, known, waiting = list(seeds), {id(seed) for seed in seeds}, list(seeds)
    while waiting:
        for node in ast.walk(waiting.pop()):
            for each in by.pop(node.id, ()) if isinstance(node, ast.Name) else ():
                if id(each) not in known:
                    known.add(id(each))
                    out.append(each)
                    waiting.append(each)
    return out
