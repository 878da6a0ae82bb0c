"""What an environment's own code compared with what while a step was asked, taken down in the worker process.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. Greybox fuzzers have
such a log (RedQueen's input-to-state correspondence, AFL++'s CMPLOG): whoever looks for a better action puts into it
what the last one was compared with.

**How.** :func:`install` stands between Python and the environment's own source files, whichever way they are imported:
finders, ``spec_from_file_location`` and ``runpy.run_module`` all ask the one loader of source files for its code. It
compiles the file as :mod:`gonogo.env.worker.rewriting` changes it: what a comparison gives or raises comes through,
within the limits that are listed there. Nothing of it is written to ``__pycache__``. A file that cannot be changed is
loaded as it is. Modules and bodies of classes stay as they are: most run at import only.

**What.** ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` and ``not in``; ``startswith`` and ``endswith`` of a
text. A chain as ``low <= x < high`` is taken down link by link. As an ``in`` counts

- a key that a dictionary has not, as ``d[key]`` or ``d.get(key)`` asks it: it did not hold;
- ``count``, ``find`` and ``index`` of a text or a list;
- a regular expression that is searched in a text, where it is a literal or an alternation of such.

As an ``==`` counts

- ``is`` and ``is not`` of members of enumerations, which are the same object where they are equal;
- a literal that is a whole case of a ``match``, or one of its alternatives, up to the one that holds; what stands
  inside a sequence, a mapping or a class is not taken down;
- ``a & b``, ``a - b`` and ``a ^ b`` of two sets, and the methods of a set: it holds where the two are equal;
- a difference of numbers that is measured, as ``abs(a - b)``, ``(a - b) ** 2`` or ``math.isclose(a, b)``; no other
  one, as a simulation is full of them;
- ``difflib.SequenceMatcher(None, a, b)``.

**Sides.** Both are numbers, texts, or short lists of these. Nothing foreign is called for it, except that a default
dictionary is asked twice for a key that it has not: only values of exactly Python's types count, those of
``collections`` too, numpy's numbers and members of an enumeration, which stand for their values. A dictionary stands
for its keys. A truth value and None are candidates for nothing and are left out, and so is what JSON does not hold.
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
    from gonogo.env.worker.coverage import INSTALLED, STDLIB, OwnFiles
    from gonogo.env.worker.pattern_texts import pattern_texts
else:
    import worker_rewriting as rewriting
    from worker_boundary import Boundary
    from worker_coverage import INSTALLED, STDLIB, OwnFiles
    from worker_pattern_texts import pattern_texts

Json = dict[str, Any]
LoggedValue = str | int | float
LoggedSide = LoggedValue | tuple[LoggedValue, ...]
LoggedEntry = tuple[str, LoggedSide, LoggedSide, bool | None, str]

MOST_ENTRIES = 1000
"""Of a step: about 100 kB on the wire, and far more than anybody tries out."""
MOST_AT_SITE = 64
"""Different entries of one place: a loop over thousands of things leaves room for what comes after it."""
MOST_LOOKS = 1000
"""Times that one place is looked at in a step, the same again or not; after these a loop pays for a look-up only."""
MOST_CHARS = 1000
"""Of a text: a longer one is a document, and half of one is equal to nothing."""
MOST_NUMBERS = 64
"""Of one entry: when it came."""
MOST_NUMBERED = 10_000
"""From here on, only the first number of an entry is kept: about 60 kB on the wire."""
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
CONTAINERS = SETS | LISTS | MAPPINGS | frozenset(map(id, (VALUES, ORDERED_VALUES)))
"""What stands for its items; a dictionary stands for its keys."""
PLAIN = frozenset(map(id, (str, int, float, bool, type(None))))
"""What is equal to what, Python alone says."""
BUILT_IN = frozenset(map(id, (BuiltinMethodType, type(re.compile("").search))))
"""Of Python's own methods there are two kinds, one of which has no name."""
SEARCHED = rewriting.CALLED["re"]
HARMLESS = PLAIN | frozenset(map(id, (re.Pattern, re.RegexFlag)))
MISSING = object()


class StepLog:
    """What was compared during one step.

    Attributes:
        is_open: Whether the step is still asked. What it has begun may go on after it.
        shut: Places at which nothing more is taken down.
    """

    __slots__ = (
        "_different",
        "_entries",
        "_looks",
        "_number",
        "_scanned",
        "_text",
        "is_open",
        "shut",
    )

    def __init__(self) -> None:
        self.is_open, self.shut = True, set[str]()
        self._entries: dict[LoggedEntry, list[int]] = {}  # how often it came, and then when
        self._looks: dict[str, int] = {}
        self._different: dict[str, int] = {}
        self._number = self._scanned = self._text = 0

    @property
    def entries(self) -> list[tuple[Any, ...]]:
        """They, in the order in which they came first, each with how often it came and when, as numbers."""
        return [(*entry, came[0], tuple(came[1:])) for entry, came in self._entries.items()]

    def add(self, op: str, left: Any, right: Any, result: Any, site: str) -> None:
        """Take down a comparison, where both sides can be.

        Args:
            op: The operator.
            left: Whatever it is.
            right: The same.
            result: Whether it held; None where it is neither true nor false.
            site: Where it stands.
        """
        self._look(site)
        kind, other_kind = type(left), type(right)
        if (kind is str or kind is int) and (other_kind is str or other_kind is int):
            # Most often it is one that is known; whatever is a key of these has been looked at.
            if (came := self._entries.get((op, left, right, result, site))) is not None:
                self._comes_again(came)
                return
        elif op in MEMBERSHIP and (kind is tuple or kind is list):
            return  # places of a board in a set of places: no number and no text is compared
        one = self.side(left)
        if one is not None and (other := self.side(right)) is not None:
            self._keep((op, one, other, truth_of(result), site))

    def add_equal(self, left: Any, right: Any, site: str) -> None:
        """Take down that two containers or texts are held against each other as wholes, by the items that are kept.

        Args:
            left: Whatever it is; the order of its items counts unless it is a set.
            right: The same.
            site: Where it stands.
        """
        self._look(site)
        one, other = self.side(left), self.side(right)
        if not isinstance(one, str | tuple) or not isinstance(other, str | tuple):
            return
        agreed: bool | None = one == other
        if id(type(left)) in SETS:
            agreed = set(one) == set(other)
        if isinstance(one, tuple) and (len(one) < len(left) or len(other) < len(right)):
            agreed = None  # not all of them is kept
        self._keep(("==", one, other, agreed, site))

    def _look(self, site: str) -> None:
        self._looks[site] = looks = self._looks.get(site, 0) + 1
        if looks >= MOST_LOOKS:
            self.shut.add(site)

    def _comes_again(self, came: list[int]) -> None:
        came[0] += 1
        if len(came) <= MOST_NUMBERS and self._number < MOST_NUMBERED:
            came.append(self._number)
        self._number += 1

    def _keep(self, entry: LoggedEntry) -> None:
        if (came := self._entries.get(entry)) is not None:
            self._comes_again(came)
            return
        site, text = entry[-1], self._text + chars_of(entry[1]) + chars_of(entry[2])
        if text > MOST_TEXT or len(self._entries) >= MOST_ENTRIES:
            return  # a shorter text may still fit
        self._text = text
        self._entries[entry] = [1, self._number]
        self._number += 1
        self._different[site] = different = self._different.get(site, 0) + 1
        if different >= MOST_AT_SITE:
            self.shut.add(site)

    def side(self, value: Any) -> LoggedSide | None:
        """A value as it is taken down; None of one that is not."""
        kind = type(value)
        if kind is str or kind is int or kind is float:
            return scalar(value)
        if kind is list or kind is tuple or kind is range:
            return self._items(value[:MOST_ITEMS])
        if kind is set or kind is frozenset:
            return self._items(value, has_order=False)
        return self._items(value) if id(kind) in CONTAINERS else scalar(value)

    def _items(self, value: Any, *, has_order: bool = True) -> tuple[LoggedValue, ...] | None:
        """The first of a container's items that can be kept; those of a set in an order of their own."""
        self._scanned += len(value)
        if self._scanned > MOST_SCANNED:
            return None
        # A copy first, which nobody can change while it is gone through; but for a set's, the first are enough.
        items = list(value)[:MOST_ITEMS] if has_order else list(value)
        kept = [each for each in map(scalar, items) if each is not None]
        if not has_order:
            kept.sort(key=lambda each: (isinstance(each, str), each))
        return tuple(kept[:MOST_ITEMS]) or None


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


def is_listed(value: Any) -> bool:
    """Whether a value is a set, a list or a dictionary's keys."""
    return id(type(value)) in SETS or id(type(value)) in LISTS


def is_among(value: Any, items: Any) -> bool | None:
    """Whether a value is in a list; None where what is foreign would have to be asked."""
    if len(items) > MOST_CHARS or id(type(value)) not in PLAIN:
        return None
    return value in items if all(id(type(each)) in PLAIN for each in items) else None


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
        self._shut = set[str]()  # of the only log, which a hook looks at first

    @property
    def names(self) -> dict[str, Callable[..., Any]]:
        """What changed code calls, by the names that it has there."""
        hooks = {rewriting.hook(name): getattr(self, name) for name in rewriting.HOOKS}
        return hooks | {
            rewriting.hook("item"): operator.getitem,
            rewriting.hook("call"): operator.call,
        }

    @contextlib.contextmanager
    def step(self) -> Iterator[StepLog]:
        """A context in which a step is asked; its log."""
        log = StepLog()
        self._ask([*self._asked, log])
        token = self._log.set(log)
        try:
            yield log
        finally:
            self._log.reset(token)
            log.is_open = False
            self._ask([each for each in self._asked if each is not log])

    def _ask(self, logs: list[StepLog]) -> None:
        self._asked = logs
        self._only = logs[0] if len(logs) == 1 else None
        self._shut = set() if self._only is None else self._only.shut

    def _current(self, site: str) -> StepLog | None:
        """The log that a comparison belongs to; None where it is not to be taken down."""
        log = self._only or self._log.get()
        return log if log is not None and log.is_open and site not in log.shut else None

    def compared(self, op: str, site: str, left: Any, right: Any, result: Any) -> Any:
        """Take down a comparison that was made; its result."""
        if site not in self._shut and (log := self._current(site)) is not None:
            log.add(op, left, right, result, site)
        return result

    def identical(self, op: str, site: str, left: Any, right: Any, result: Any) -> Any:
        """The same of ``is``, where both are members of enumerations."""
        if issubclass(type(left), enum.Enum) and issubclass(type(right), enum.Enum):
            self.compared(op, site, left, right, result)
        return result

    def differed(self, op: str, site: str, left: Any, right: Any, result: Any) -> Any:
        """Take down two numbers whose difference is measured; the difference."""
        if site not in self._shut and (log := self._current(site)) is not None:
            one, other = scalar(left), scalar(right)
            if isinstance(one, int | float) and isinstance(other, int | float):
                log.add("==", one, other, one == other, site)
        return result

    def operated(self, op: str, site: str, left: Any, right: Any, result: Any) -> Any:
        """Take down two sets that an operator was used on; what it gave."""
        both = id(type(left)) in SETS and id(type(right)) in SETS and site not in self._shut
        if both and (log := self._current(site)) is not None:
            log.add_equal(left, right, site)
        return result

    def matched(self, site: str, subject: Any, literals: tuple[Any, ...]) -> Any:
        """Take down the literals that a match holds its subject against; the subject."""
        for literal in literals if id(type(subject)) in PLAIN else ():
            if self.compared("==", site, subject, literal, subject == literal):
                break
        return subject

    def looked_up(self, site: str, mapping: Any, key: Any) -> tuple[Any, Any]:
        """Take down that a dictionary has not a key; what is to be asked, and for what, with the same outcome."""
        if id(type(mapping)) not in MAPPINGS:
            return mapping, key
        if found := self._found(site, mapping, key):
            return found, 0
        return {} if found is not None and type(mapping) is dict else mapping, key

    def got(self, site: str, method: Any, key: Any, *default: Any) -> tuple[Any, ...]:
        """The same of the method ``get``; what is to be called, and with what."""
        is_get = type(method) is BuiltinMethodType and method.__name__ == "get"
        owner: Any = method.__self__ if is_get else None
        found = None if id(type(owner)) not in MAPPINGS else self._found(site, owner, key)
        if found is None:
            return method, key, *default
        return ((found or [*default, None][:1]).pop,)

    def _found(self, site: str, mapping: dict[Any, Any], key: Any) -> list[Any] | None:
        """What a dictionary has for a key, in a list, which is empty if it has none; None where that is not asked."""
        if site in self._shut or id(type(key)) not in PLAIN:
            return None
        value = dict.get(mapping, key, MISSING)
        if value is MISSING:
            self.compared("in", site, key, mapping, False)
            return []
        return [value]

    def called(self, site: str, function: Any, /, *given: Any, **named: Any) -> tuple[Any, ...]:
        """Take down what a call compares, if it does; what is to be called, and with what, with the same outcome."""
        by_name = id(type(function)) in BUILT_IN
        take_down = METHODS.get(function.__name__) if by_name else FUNCTIONS.get(id(function))
        is_open = take_down is not None and site not in self._shut
        log = self._current(site) if is_open else None
        if take_down is not None and log is not None:
            return (take_down(log, site, partial(function, *given, **named)),)
        if not named:
            return function, *given
        return (partial(operator.call, function, *given, **named),)


def affixed(log: StepLog, site: str, call: Any) -> Any:
    """Take down with what a text starts or ends; the call."""
    text, given = call.func.__self__, call.args
    if type(text) is str and len(given) == 1:
        affixes = given[0] if type(given[0]) is tuple else given
        if all(type(each) is str for each in affixes):
            log.add(call.func.__name__, text, given[0], call(), site)
    return call


def looked_for(log: StepLog, site: str, call: Any) -> Any:
    """Take down what is looked for in a text or a list; the call."""
    within, given = call.func.__self__, call.args
    if not given or call.keywords:
        return call
    sought, *between = given
    bounds = len(between) <= 2 and all(each is None or type(each) is int for each in between)
    if type(within) is str:
        if type(sought) is str and bounds:
            log.add("in", sought, within, within.find(sought, *between) >= 0, site)
    elif id(type(within)) in LISTS and scalar(sought) is not None:
        log.add("in", sought, within, None if between else is_among(sought, within), site)
    return call


def combined(log: StepLog, site: str, call: Any) -> Any:
    """Take down a set and what a method of it is called with; the call."""
    owner, given = call.func.__self__, call.args
    if id(type(owner)) in SETS and len(given) == 1 and is_listed(given[0]):
        log.add_equal(owner, given[0], site)
    return call


def asked(call: Any, *names: str) -> Any:
    """What a call gives for a parameter, by the parameter's name; the first ones have these names."""
    return {**call.keywords, **dict(zip(names, call.args, strict=False))}.get


def in_sequence(log: StepLog, site: str, call: Any) -> Any:
    """Take down what is matched with what; the call."""
    given = asked(call, "isjunk", "a", "b")
    log.add_equal(given("a"), given("b"), site)
    return call


def searched_for(log: StepLog, site: str, call: Any) -> Any:
    """The same as :func:`searched`, of a function of ``re``."""
    given = asked(call, "pattern", "string", "flags")
    return searched(log, site, given("pattern"), given("flags", 0), given("string"), call)


def searched_by(log: StepLog, site: str, call: Any) -> Any:
    """The same as :func:`searched`, of a compiled expression's own method."""
    pattern, text = call.func.__self__, asked(call, "string")("string")
    return searched(log, site, pattern, 0, text, call) if type(pattern) is re.Pattern else call


def searched(log: StepLog, site: str, pattern: Any, flags: Any, text: Any, call: Any) -> Any:
    """Take down which literals of a regular expression are in a text; the call, or what gives the same.

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
    if literals is None or not (given := outcome(call)):
        return call
    for literal in literals.texts:
        held = bool(given[0]) if literals.is_one else literals.has(literal, text)
        log.add("in", literal, text, held, site)
    return given.pop


def is_close(log: StepLog, site: str, call: Any) -> Any:
    """Take down two numbers that may nearly be equal; the call, or what gives the same."""
    if call.func is not math.isclose or len(call.args) != 2 or not (given := outcome(call)):
        return call
    log.add("==", call.args[0], call.args[1], given[0], site)
    return given.pop


def outcome(call: Any) -> list[Any]:
    """What a call gives, as a list of one; an empty one where it raises or anything foreign may take part in it."""
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        for each in (*call.args, *call.keywords.values()):
            if id(type(each)) not in HARMLESS and scalar(each) is None:
                return []
        return [call()]
    return []


METHODS: dict[str, Callable[[StepLog, str, Any], Any]] = {
    "isclose": is_close,
    **dict.fromkeys(rewriting.AFFIXES, affixed),
    **dict.fromkeys(rewriting.FOUND, looked_for),
    **dict.fromkeys(rewriting.OF_SETS, combined),
    **dict.fromkeys(SEARCHED, searched_by),
}
"""What takes down a call of Python's own methods and built-in functions, by their names."""
FUNCTIONS: dict[int, Callable[[StepLog, str, Any], Any]] = {
    id(difflib.SequenceMatcher): in_sequence,
    **{id(getattr(re, name)): searched_for for name in SEARCHED},
}
"""The same of other functions, by their identities."""


def install(roots: Iterable[str]) -> Comparisons:
    """Have the environment's own files loaded with their comparisons taken down, from now on and to the process's end.

    Args:
        roots: Its folders, or its one file.
    """
    comparisons, own = Comparisons(), OwnFiles(roots)
    vars(builtins).update(comparisons.names)
    load = SourceFileLoader.get_code

    def get_code(self: SourceFileLoader, fullname: str) -> CodeType | None:
        path, code = str(self.get_filename(fullname)), None
        # A folder's own copy of openenv is not the environment.
        name = None if fullname.partition(".")[0] == "openenv" else own.name(path)
        if name is not None:
            with contextlib.suppress(OSError):  # loading it raises that
                source = self.get_data(path)
                code = rewriting.rewritten(source, path, name, self.source_to_code)
        return load(self, fullname) if code is None else code

    SourceFileLoader.get_code = get_code  # type: ignore[assignment, method-assign]

    return comparisons


def roots_of(spec: Json) -> list[str]:
    """Where the code of what is to be loaded lies, for which gymnasium may be imported; a server's is elsewhere.

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
    installed = not INSTALLED.isdisjoint(file.split(os.sep))
    return [file if installed or file.startswith(STDLIB) else os.path.dirname(file)]
