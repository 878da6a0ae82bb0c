"""What outlives a reset, by the environment's source: parsed and never run.

An attribute that steps change, that the reset neither sets nor empties, and that somebody reads carries one episode
into the next; so does a default argument that is one object for all calls. Functions are followed by their names. What
cannot be told counts as emptied. So this says where to look, and flights decide
(:mod:`gonogo.auditing.checks.left_over`).

What a reward or a success reads is told by :mod:`gonogo.contract.followed`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gonogo.contract.followed import BIRTHS, FollowedCode
from gonogo.contract.functions import (
    Code,
    PlacedChange,
    bound_names,
    called_here,
    chain_of,
    fills,
    mutable_defaults,
    places_of,
    reads,
    touched,
)
from gonogo.contract.source import Source
from gonogo.contract.syntax import (
    Function,
    assignments,
    is_name,
    name_of,
)
from gonogo.records.contract import SourcePlace
from gonogo.records.inspection import EnvironmentCode

UNSUITED = re.compile(
    r"(?i)(^|_)(rng|rand\w*|memo|r?lock|logs?|conn(ection)?s?|pool|process)$|seed|cache|logger|client|executor|thread|"
    r"socket|model|tokeni[sz]er|total|global|lifetime|reset|episode|curricul|difficult|session|registry|stats|metrics"
)
"""Names of what is kept on purpose: generators, caches, logs, connections, counts over episodes, a curriculum."""
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
        self._followed = followed = FollowedCode(source, code)
        self._stepping, self._resetting = followed.stepping, followed.resetting
        self._chain = followed.chain
        self._lives = self._chain | self._living()
        self._paid = dict(self._paid_reads())

    def found(self) -> Iterator[KeptState]:
        """What is kept."""
        if not self._stepping or not self._followed.reset_known or self._rebuilds():
            return
        emptied = {name for each in self._resetting for name in touched(each)}
        yield from self._attributes(emptied)
        yield from self._globals(emptied)
        yield from self._defaults()

    def _living(self) -> set[str]:
        """Classes whose objects are made once: neither by a reset nor by a step."""
        flying = {id(c.function) for c in [*self._stepping, *self._resetting]}
        names = {c.cls.name for c in self._followed.codes if c.cls is not None}
        once: set[str] = set()
        again: set[str] = set()
        for each in self._followed.codes:
            (again if id(each.function) in flying else once).update(names & each.called)
        for file in self._followed.files:
            for node in file.tree.body:
                if not isinstance(node, ast.ClassDef | Function):
                    once |= names & {name for n in ast.walk(node) for name in called_here(n)}
        factories = {
            name_of(k.value)
            for file in self._followed.files
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
        for each in self._followed.codes:
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
            for file in self._followed.files
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
        for each in self._followed.codes:
            called = each.cls.name if each.cls and each.function.name in BIRTHS else ""
            called = called or each.function.name
            for place, name in mutable_defaults(each.function):
                if id(each) not in flying or not self._left_out(called, place, name, each):
                    continue
                yield from self._shared(each, name)

    def _left_out(self, called: str, place: int, name: str, code: Code) -> bool:
        """Whether some call leaves an argument out."""
        first = 1 if code.cls is not None else 0
        for each in self._followed.codes:
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
        for code, expression in self._followed.paid:
            for node in ast.walk(expression):
                if isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
                    yield name_of(node), code.place(node)
