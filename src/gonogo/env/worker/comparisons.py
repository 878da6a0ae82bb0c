"""What an environment's own code compared with what while a step was asked, taken down in the worker process.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. Greybox fuzzers have
such a log (RedQueen's input-to-state correspondence, AFL++'s CMPLOG): whoever looks for a better action puts into it
what the last one was compared with.

**How.** :func:`install` stands between Python and the environment's own source files, whichever way they are imported:
finders, ``spec_from_file_location`` and ``runpy.run_module`` all ask the one loader of source files for its code. It
compiles the file as :mod:`gonogo.env.worker.rewriting` changes it: what a comparison gives or raises comes through. A
traceback has one more entry, of the same file and line. Nothing of it is written to ``__pycache__``. A file that
cannot be changed is loaded as it is, and so is one of numba's, which reads Python's bytecode. Code outside of functions
runs at import only and stays as it is.

**What.** ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` and ``not in``; ``startswith`` and ``endswith`` of a
text. A chain as ``low <= x < high`` is taken down link by link. As an ``in`` counts

- a key that a dictionary has not, as ``d[key]`` or ``d.get(key)`` asks it: it did not hold;
- ``count``, ``find`` and ``index`` of a text or a list;
- a regular expression that is searched in a text, where it is a literal or an alternation of such.

As an ``==`` counts

- ``a & b``, ``a - b`` and ``a ^ b`` of two sets, and the methods of a set: it holds where the two are equal;
- a difference of numbers that is measured, as ``abs(a - b)``, ``(a - b) ** 2`` or ``math.isclose(a, b)``; no other
  one, as a simulation is full of them;
- ``difflib.SequenceMatcher(None, a, b)``.

**Sides.** Both are numbers, texts, or short lists of these. Nothing foreign is called for it: only values of exactly
Python's types count, those of ``collections`` too, numpy's numbers and members of an enumeration, which stand for their
values. Of a dictionary and a ``Counter`` its keys are told. A truth value and None are candidates for nothing and are
left out, and so is what JSON does not hold.
"""

from __future__ import annotations

import builtins
import contextlib
import difflib
import enum
import importlib
import importlib.util
import math
import operator
import os
import re
import sys
import typing
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import BuiltinMethodType, CodeType
from typing import Any

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker import rewriting
    from gonogo.env.worker.boundary import Boundary
    from gonogo.env.worker.coverage import INSTALLED, STDLIB
    from gonogo.env.worker.pattern_texts import PatternTexts, pattern_texts
else:
    import worker_rewriting as rewriting
    from worker_boundary import Boundary
    from worker_coverage import INSTALLED, STDLIB
    from worker_pattern_texts import PatternTexts, pattern_texts

Json = dict[str, Any]
LoggedValue = str | int | float
LoggedSide = LoggedValue | tuple[LoggedValue, ...]
LoggedEntry = tuple[str, LoggedSide, LoggedSide, bool | None, str]

MOST_ENTRIES = 1000
"""Of a step: about 100 kB on the wire, and far more than anybody tries out."""
MOST_AT_SITE = 64
"""Different entries of one place: a loop over thousands of things leaves room for what comes after it."""
MOST_LOOKS = 1000
"""Times that one place is looked at in a step, the same again or not: what a loop costs is bounded."""
MOST_CHARS = 1000
"""Of a text: a longer one is a document, and half of one is equal to nothing."""
MOST_NUMBERS = 64
"""Of one entry: when it came."""
MOST_NUMBERED = 10_000
"""From here on, only when a new entry came is told: about 60 kB on the wire."""
MOST_TEXT = 200_000
"""Characters of all texts of a step: a thousand documents do not fit an answer."""
MOST_ITEMS = 64
"""Of a container: the choices of a field, not a dictionary of a language."""
MOST_SCANNED = 50_000
"""Items of containers that are gone through in a step, which takes some ten milliseconds."""
LARGEST = 1 << 63
"""Whole numbers from here on are hashes and masks, which not every reader of JSON holds."""

MEMBERSHIP = frozenset({"in", "not in"})
KEYS: type = type({}.keys())
VALUES: type = type({}.values())
ORDERED_KEYS: type = type(OrderedDict[str, str]().keys())
ORDERED_VALUES: type = type(OrderedDict[str, str]().values())
MAPPINGS = frozenset(map(id, (dict, Counter, defaultdict, OrderedDict)))
"""Classes by their identities, here and below: a foreign class may have a hash of its own."""
SETS = frozenset(map(id, (set, frozenset, KEYS, ORDERED_KEYS)))
LISTS = frozenset(map(id, (list, tuple, deque)))
TOLD = SETS | LISTS | MAPPINGS | frozenset(map(id, (VALUES, ORDERED_VALUES)))
"""Containers that are told by their items; a dictionary's are its keys."""
PLAIN = frozenset(map(id, (str, int, float, bool, type(None))))
"""What is equal to what, Python alone says."""
BUILT_IN = frozenset(map(id, (BuiltinMethodType, type(re.compile("").search))))
"""Of Python's own methods there are two kinds, one of which has no name."""
SEARCHES = (re.search, re.match, re.fullmatch, re.findall)
SEARCHED = frozenset(each.__name__ for each in SEARCHES)
SET_METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "&": operator.and_,
    "-": operator.sub,
    "^": operator.xor,
}
OWN_FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
"""gonogo's, which may lie below where a user works."""


class StepLog:
    """What was compared during one step.

    Attributes:
        is_open: Whether the step is still asked. What it has begun may go on after it.
    """

    __slots__ = ("_different", "_entries", "_looks", "_number", "_scanned", "_text", "is_open")

    def __init__(self) -> None:
        self.is_open = True
        self._entries: dict[LoggedEntry, list[int]] = {}  # how often it came, and then when
        self._looks: dict[str, int] = {}
        self._different: dict[str, int] = {}
        self._number = self._scanned = self._text = 0

    @property
    def entries(self) -> list[tuple[Any, ...]]:
        """They, in the order in which they came first, each with how often it came and when, as numbers."""
        return [(*entry, came[0], tuple(came[1:])) for entry, came in self._entries.items()]

    def looks_at(self, site: str) -> bool:
        """Whether something more may be taken down at a place."""
        return self._looks.get(site, 0) < MOST_LOOKS

    def add(self, op: str, left: Any, right: Any, result: Any, site: str) -> None:
        """Take down a comparison, where both sides can be.

        Args:
            op: The operator.
            left: Whatever it is.
            right: The same.
            result: Whether it held; None where it is neither true nor false.
            site: Where it stands.
        """
        looks = self._looks.get(site, 0)
        if looks >= MOST_LOOKS:
            return
        self._looks[site] = looks + 1
        one, other = type(left), type(right)
        if (one is str or one is int) and (other is str or other is int):
            # Most often it is one that is known; whatever is a key of these has been looked at.
            if (came := self._entries.get((op, left, right, result, site))) is not None:
                self._comes_again(came)
                return
        elif op in MEMBERSHIP and (one is tuple or one is list):
            return  # places of a board in a set of places: no number and no text is compared
        said = self.side(left)
        if said is not None and (against := self.side(right)) is not None:
            self._keep((op, said, against, truth_of(result), site))

    def add_equal(self, left: Any, right: Any, site: str, *, in_order: bool) -> None:
        """Take down that two containers or texts are held against each other as wholes, by what is told of them.

        Args:
            left: Whatever it is.
            right: The same.
            site: Where it stands.
            in_order: Whether the order of their items counts.
        """
        if not self.looks_at(site):
            return
        self._looks[site] = self._looks.get(site, 0) + 1
        said, against = self.side(left), self.side(right)
        if not isinstance(said, str | tuple) or not isinstance(against, str | tuple):
            return
        held: bool | None = said == against
        if isinstance(said, tuple) and isinstance(against, tuple):
            if not in_order:
                held = set(said) == set(against) and same_counts(left, right)
            if len(said) < len(left) or len(against) < len(right):
                held = None  # not all of them is told
        self._keep(("==", said, against, held, site))

    def _comes_again(self, came: list[int]) -> None:
        came[0] += 1
        if len(came) <= MOST_NUMBERS and self._number < MOST_NUMBERED:
            came.append(self._number)
        self._number += 1

    def _keep(self, entry: LoggedEntry) -> None:
        if (came := self._entries.get(entry)) is not None:
            self._comes_again(came)
            return
        site = entry[-1]
        self._text += chars_of(entry[1]) + chars_of(entry[2])
        self._different[site] = different = self._different.get(site, 0) + 1
        if different >= MOST_AT_SITE or len(self._entries) >= MOST_ENTRIES:
            self._looks[site] = MOST_LOOKS
        if self._text <= MOST_TEXT and len(self._entries) < MOST_ENTRIES:
            self._entries[entry] = [1, self._number]
            self._number += 1

    def side(self, value: Any) -> LoggedSide | None:
        """A value as it is taken down; None of one that is not."""
        kind = type(value)
        if kind is str or kind is int or kind is float:
            return scalar(value)
        if kind is list or kind is tuple or kind is range:
            return self._items(value[:MOST_ITEMS])
        if kind is set or kind is frozenset:
            return self._items(value, is_sorted=False)
        return self._items(value) if id(kind) in TOLD else scalar(value)

    def _items(self, value: Any, *, is_sorted: bool = True) -> tuple[LoggedValue, ...] | None:
        """The first of a container's items that can be told; those of a set in an order of their own."""
        self._scanned += len(value)
        if self._scanned > MOST_SCANNED:
            return None
        # A copy first, which nobody can change while it is gone through; but for a set's, the first are enough.
        items = list(value)[:MOST_ITEMS] if is_sorted else list(value)
        told = [each for each in map(scalar, items) if each is not None]
        if not is_sorted:
            told.sort(key=lambda each: (isinstance(each, str), each))
        return tuple(told[:MOST_ITEMS]) or None


def chars_of(side: LoggedSide) -> int:
    """Characters of a side's texts."""
    texts = side if isinstance(side, tuple) else (side,)
    return sum(len(text) for text in texts if isinstance(text, str))


def scalar(value: Any) -> LoggedValue | None:
    """A number or a text as JSON has it; None of everything else."""
    kind = type(value)
    if kind is str:
        return value if len(value) <= MOST_CHARS and is_unicode(value) else None
    if kind is int:
        return value if -LARGEST <= value < LARGEST else None
    if kind is float:
        return value if math.isfinite(value) else None
    if kind is bool or value is None:
        return None
    if issubclass(kind, enum.Enum):
        return scalar(object.__getattribute__(value, "__dict__").get("_value_"))
    # By what they are, not by what they are equal to: a class may say that itself.
    return scalar(value.item()) if id(kind) in numpy_numbers() else None


def is_unicode(text: str) -> bool:
    """Whether a text can be sent: half of a pair of surrogates cannot."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


NUMPY_NUMBERS: set[int] = set()


def numpy_numbers() -> set[int]:
    """The classes of numpy's numbers, where somebody has imported it, by their identities."""
    if not NUMPY_NUMBERS and (numpy := sys.modules.get("numpy")) is not None:
        sizes = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
        names = [*sizes, "float16", "float32", "float64"]
        NUMPY_NUMBERS.update(id(getattr(numpy, name)) for name in names if hasattr(numpy, name))
    return NUMPY_NUMBERS


def same_counts(left: Any, right: Any) -> bool | None:
    """Whether two counters of the same keys count the same of each; None where they do not count in numbers.

    Of what is no counter, it is true.
    """
    if type(left) is not Counter or type(right) is not Counter:
        return True
    one, other = ({scalar(key): n for key, n in each.items()} for each in (left, right))
    plain = all(type(n) is int for n in [*one.values(), *other.values()])
    return one == other if plain else None


def is_listed(value: Any) -> bool:
    """Whether a value is a set, a list or a dictionary's keys."""
    return id(type(value)) in SETS or id(type(value)) in LISTS


def is_among(value: Any, items: Any) -> bool | None:
    """Whether a value is in a list; None where what is foreign would have to be asked."""
    if len(items) > MOST_CHARS or id(type(value)) not in PLAIN:
        return None
    return value in items if all(id(type(each)) in PLAIN for each in items) else None


def calls(function: Any, /, *given: Any, **named: Any) -> Callable[[], Any]:
    """A call that is still to be made."""
    try:
        return partial(function, *given, **named)
    except TypeError:  # it cannot be called, which the call says
        return lambda: function(*given, **named)


def truth_of(result: Any) -> bool | None:
    """Whether a comparison held; None where it gave something else than a truth value."""
    if result is True or result is False:
        return bool(result)
    numpy = sys.modules.get("numpy")
    known = numpy is not None and type(result) is getattr(numpy, "bool_", None)
    return bool(result) if known else None


class Comparisons:
    """The logs of the steps that are asked just now, and what changed code calls.

    A step that awaits has the log of its own task; what runs in a thread or a task of its own belongs to the only step
    that is asked, or to none.
    """

    def __init__(self) -> None:
        self._log: ContextVar[StepLog | None] = ContextVar("gonogo_comparisons", default=None)
        self._asked: list[StepLog] = []
        self._only: StepLog | None = None

    @property
    def names(self) -> dict[str, Callable[..., Any]]:
        """What changed code calls, by the names that it has there."""
        return {
            rewriting.NOTE: self.compared,
            rewriting.AFFIX: self.affixed,
            rewriting.ITEM: self.looked_up,
            rewriting.GET: self.got,
            rewriting.CALL: self.called,
            rewriting.OPERATE: self.operated,
            rewriting.DIFFER: self.differed,
        }

    @contextlib.contextmanager
    def step(self) -> Iterator[StepLog]:
        """A context in which a step is asked; its log."""
        log = StepLog()
        self._count(log, asked=True)
        token = self._log.set(log)
        try:
            yield log
        finally:
            self._log.reset(token)
            log.is_open = False
            self._count(log, asked=False)

    def _count(self, log: StepLog, *, asked: bool) -> None:
        self._asked = [*(each for each in self._asked if each is not log), *([log] * asked)]
        self._only = self._asked[0] if len(self._asked) == 1 else None

    def _current(self) -> StepLog | None:
        """The log that a comparison belongs to; None where it is not to be taken down."""
        log = self._log.get()
        return log if log is not None and log.is_open else self._only

    def compared(self, op: str, site: str, left: Any, right: Any, result: Any) -> Any:
        """Take down a comparison that was made; its result."""
        log = self._current()
        if log is not None:
            log.add(op, left, right, result, site)
        return result

    def affixed(self, op: str, site: str, method: Any, affix: Any) -> Callable[[], Any]:
        """Take down a method of a text that is going to be called with a text; the call, which is still to be made."""
        own = type(method) is BuiltinMethodType and method.__name__ == op
        text = method.__self__ if own else None
        affixes = affix if type(affix) is tuple else (affix,)
        plain = type(text) is str and all(type(each) is str for each in affixes)
        if plain and (log := self._current()) is not None:
            log.add(op, text, affix, method(affix), site)
        return calls(method, affix)

    def looked_up(self, site: str, mapping: Any, key: Any) -> Callable[[], Any]:
        """Take down that a dictionary which is going to be asked for a key has none such; the asking."""
        if id(type(mapping)) in MAPPINGS:
            self._missed(site, mapping, key)
        return partial(operator.getitem, mapping, key)

    def got(self, site: str, method: Any, key: Any, *default: Any) -> Callable[[], Any]:
        """The same of the method ``get``."""
        mapping: Any = method.__self__ if type(method) is BuiltinMethodType else None
        if id(type(mapping)) not in MAPPINGS:
            return calls(method, key, *default)
        self._missed(site, mapping, key)
        return partial(method, key, *default)

    def called(self, site: str, function: Any, /, *given: Any, **named: Any) -> Callable[[], Any]:
        """Take down what a call compares that is going to be made, if it does; the call."""
        if id(type(function)) in BUILT_IN:
            own = partial(function, *given, **named)
            log = self._looking(site)
            return own if log is None else called_method(log, site, function, given, named, own)
        call = calls(function, *given, **named)
        if any(function is each for each in SEARCHES):
            if (log := self._looking(site)) is not None:
                asked = {**named, **dict(zip(("pattern", "string", "flags"), given, strict=False))}
                flags, text = asked.get("flags", 0), asked.get("string")
                return searched(log, site, asked.get("pattern"), flags, text, call)
        elif function is difflib.SequenceMatcher and (log := self._looking(site)) is not None:
            asked = {**named, **dict(zip(("isjunk", "a", "b"), given, strict=False))}
            log.add_equal(asked.get("a"), asked.get("b"), site, in_order=True)
        return call

    def _looking(self, site: str) -> StepLog | None:
        """The log, if something more may be taken down at a place."""
        log = self._current()
        return log if log is not None and log.looks_at(site) else None

    def operated(self, sign: str, site: str, left: Any, right: Any) -> Callable[[], Any]:
        """Take down two sets, or two counters, that an operator is going to be used on; its use."""
        one, other = type(left), type(right)
        if one is float or one is int:  # most often
            return partial(operator.sub if sign == "-" else SET_METHODS[sign], left, right)
        both = id(one) in SETS and id(other) in SETS
        if (both or (one is Counter and other is Counter)) and (log := self._current()) is not None:
            log.add_equal(left, right, site, in_order=False)
        return partial(SET_METHODS[sign], left, right)

    def differed(self, site: str, left: Any, right: Any) -> Callable[[], Any]:
        """Take down two numbers whose difference is going to be measured; the difference."""
        if (log := self._current()) is not None and log.looks_at(site):
            one, other = scalar(left), scalar(right)
            if isinstance(one, int | float) and isinstance(other, int | float):
                log.add("==", one, other, one == other, site)
        return partial(operator.sub, left, right)

    def _missed(self, site: str, mapping: dict[Any, Any], key: Any) -> None:
        kind, log = type(key), self._current()
        plain = kind is str or kind is int or kind is float
        if log is not None and plain and key not in mapping:
            log.add("in", key, mapping, False, site)


def called_method(
    log: StepLog,
    site: str,
    method: Any,
    given: tuple[Any, ...],
    named: Json,
    call: Callable[[], Any],
) -> Callable[[], Any]:
    """Take down what a method or a function of Python's own compares, or have its call do so; the call.

    Args:
        log: Where.
        site: Where it stands.
        method: The method.
        given: What it is called with.
        named: The same, by name.
        call: The call.
    """
    owner, name = method.__self__, method.__name__
    if type(owner) is re.Pattern and name in SEARCHED:
        text = given[0] if given else named.get("string")
        return searched(log, site, owner, 0, text, call)
    if method is math.isclose:
        return measured(log, site, given[:2], call)
    if name in rewriting.FOUND and given and not named:
        look_for(log, site, owner, *given)
    elif (
        name in rewriting.HELD
        and id(type(owner)) in SETS
        and len(given) == 1
        and is_listed(given[0])
    ):
        log.add_equal(owner, given[0], site, in_order=False)
    return call


def look_for(log: StepLog, site: str, within: Any, sought: Any, *between: Any) -> None:
    """Take down that something is going to be looked for in a text or a list.

    Args:
        log: Where.
        site: Where it stands.
        within: The text or the list, if it is one.
        sought: Whatever it is.
        between: Where it is looked for; empty for everywhere.
    """
    bounds = all(each is None or type(each) is int for each in between[:2])
    if type(within) is str:
        if type(sought) is str and bounds and len(between) <= 2:
            log.add("in", sought, within, within.find(sought, *between) >= 0, site)
    elif id(type(within)) in LISTS and scalar(sought) is not None:
        log.add("in", sought, within, None if between else is_among(sought, within), site)


def searched(
    log: StepLog, site: str, pattern: Any, flags: Any, text: Any, call: Callable[[], Any]
) -> Callable[[], Any]:
    """The call of a regular expression, and what it compares taken down when it is made; the call alone of another.

    Args:
        log: Where.
        site: Where it stands.
        pattern: The expression, compiled or not.
        flags: Those that it is to be compiled with.
        text: In what it is searched.
        call: The call.
    """
    if type(pattern) is re.Pattern:
        pattern, flags = pattern.pattern, pattern.flags
    plain = type(pattern) is str and type(text) is str and len(text) <= MOST_CHARS
    if not plain or (type(flags) is not int and type(flags) is not re.RegexFlag):
        return call
    literals = pattern_texts(pattern, int(flags))
    return call if literals is None else partial(search, log, site, literals, text, call)


def search(
    log: StepLog, site: str, literals: PatternTexts, text: str, call: Callable[[], Any]
) -> Any:
    """Make the call of a regular expression, and take down which literals are in the text; its result."""
    result = call()
    for literal in literals.texts:
        held = bool(result) if literals.is_one else literals.has(literal, text)
        log.add("in", literal, text, held, site)
    return result


def measured(
    log: StepLog, site: str, sides: tuple[Any, ...], call: Callable[[], Any]
) -> Callable[[], Any]:
    """The call that says whether two numbers are nearly equal, and they taken down when it is made."""
    numbers = [each for each in map(scalar, sides) if isinstance(each, int | float)]
    return partial(measure, log, site, numbers, call) if len(numbers) == len(sides) == 2 else call


def measure(log: StepLog, site: str, numbers: list[float], call: Callable[[], Any]) -> Any:
    """Make the call, and take down the numbers; its result."""
    result = call()
    log.add("==", numbers[0], numbers[1], result, site)
    return result


class OwnFiles:
    """Which files are the environment's own.

    Args:
        roots: Its folders, or its one file.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = [os.path.realpath(root) for root in roots]
        self._names: dict[str, str | None] = {}

    def name(self, path: str) -> str | None:
        """A file's name below its root; None where it is not the environment's own."""
        if path not in self._names:
            self._names[path] = self._name(os.path.realpath(path))
        return self._names[path]

    def changed(self, path: str, make: Callable[[Any, str], CodeType]) -> CodeType | None:
        """A file's code with its comparisons taken down; None where it is to be loaded as it is.

        Args:
            path: Where it is.
            make: Makes the code of a tree and a path.
        """
        name = self.name(path)
        if name is None:
            return None
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError:  # whoever loads it says so
            return None
        return rewriting.rewritten(source, path, name, make)

    def _name(self, real: str) -> str | None:
        if real.startswith(OWN_FOLDER):
            return None
        for root in self._roots:
            if real == root:
                return os.path.basename(real)
            library = real.startswith(STDLIB) and not root.startswith(STDLIB)
            if real.startswith(os.path.join(root, "")) and not library:
                name = os.path.relpath(real, root)
                if not any(part in INSTALLED for part in name.split(os.sep)):
                    return name.replace(os.sep, "/")
        return None


def install(roots: Iterable[str]) -> Comparisons:
    """Have the environment's own files loaded with their comparisons taken down, from now on and to the process's end.

    Args:
        roots: Its folders, or its one file.
    """
    comparisons, own = Comparisons(), OwnFiles(roots)
    vars(builtins).update(comparisons.names)
    load = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        if fullname.partition(".")[0] != "openenv":  # a folder's own copy is not the environment
            code = own.changed(str(self.get_filename(fullname)), self.source_to_code)
            if code is not None:
                return code
        return load(self, fullname)

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]

    return comparisons


def roots_of(spec: Json) -> list[str]:
    """Where the code of what is to be loaded lies, none of which is imported for it; a server's is elsewhere.

    Args:
        spec: What is to be loaded.
    """
    if spec["kind"] == "folder":
        return [spec["folder"]]
    if spec["kind"] == "class":
        return places_of(spec["path"].partition(":")[0].partition(".")[0])
    if spec["kind"] != "gym":
        return []
    before, _, name = spec["path"].rpartition(":")
    if before:  # the module registers it
        return places_of(before.partition(".")[0])
    with Boundary():  # an id that is none is said by whoever loads it
        entry = importlib.import_module("gymnasium").spec(name).entry_point
        module = entry.partition(":")[0] if isinstance(entry, str) else entry.__module__
        top, *inner = module.split(".")
        return [os.path.join(place, *inner[:-1]) for place in places_of(top)]
    return []


def places_of(top: str) -> list[str]:
    """The folders of a package, or the file of a module; that of a folder where anybody may work is the whole folder.

    Args:
        top: Its name, without a dot.
    """
    with Boundary():  # finders may be anybody's
        spec = importlib.util.find_spec(top)
        return [] if spec is None else places_in(spec)
    return []


def places_in(spec: ModuleSpec) -> list[str]:
    """The same, of what the import system knows of it."""
    if spec.submodule_search_locations is not None:
        return list(spec.submodule_search_locations)
    file = os.path.realpath(spec.origin or os.devnull)
    installed = any(part in INSTALLED for part in file.split(os.sep))
    return [file if installed or file.startswith(STDLIB) else os.path.dirname(file)]
