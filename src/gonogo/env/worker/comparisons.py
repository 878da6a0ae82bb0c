"""What an environment's own code compared with what while a step was asked, taken down in the worker process.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. Greybox fuzzers have
such a log (RedQueen's input-to-state correspondence, AFL++'s CMPLOG): whoever looks for a better action puts into it
what the last one was compared with.

**How.** :func:`install` stands between Python and the environment's own source files, whichever way they are imported:
finders, ``spec_from_file_location`` and ``runpy.run_module`` all ask the one loader of source files for its code. It
compiles the file with each comparison ``a < b`` inside a function written as
``(lambda left, right: note(…, left < right))(a, b)``: the operands are worked out where they were and once, the
comparison itself is Python's, and what it gives or raises comes through. A traceback has one more entry, of the same
file and line. Nothing of it is written to ``__pycache__``. A file that cannot be changed is loaded as it is, and so is
one of numba's, which reads Python's bytecode. Code outside of functions runs at import only and stays as it is.

**What.** ``==``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in`` and ``not in``; ``startswith`` and ``endswith`` of a
text; and, as an ``in`` that did not hold, a key that a dictionary has not, as ``d[key]`` or ``d.get(key)`` asks it. A
chain as ``low <= x < high`` is taken down link by link.

**Sides.** Both are numbers, texts, or short lists of these. Nothing foreign is called for it: only values of exactly
Python's types count, numpy's numbers and members of an enumeration, which stand for their values. A truth value and
None are candidates for nothing and are left out, and so is what JSON does not hold.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import enum
import importlib
import importlib.util
import math
import operator
import os
import sys
import typing
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import BuiltinMethodType, CodeType
from typing import Any, TypeVar

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
    from gonogo.env.worker.coverage import INSTALLED, STDLIB
else:
    from worker_boundary import Boundary
    from worker_coverage import INSTALLED, STDLIB

Json = dict[str, Any]
Node = TypeVar("Node", bound=ast.AST)
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
MOST_TEXT = 200_000
"""Characters of all texts of a step: a thousand documents do not fit an answer."""
MOST_ITEMS = 64
"""Of a container: the choices of a field, not a dictionary of a language."""
MOST_SCANNED = 50_000
"""Items of containers that are gone through in a step, which takes some ten milliseconds."""
LARGEST = 1 << 63
"""Whole numbers from here on are hashes and masks, which not every reader of JSON holds."""

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
}
"""What is taken down; ``is`` is not, as nobody can send the very object."""
COMPILERS = frozenset({"numba", "njit", "jit", "vectorize", "guvectorize", "cfunc"})
"""Names of what compiles the bytecode of functions: where one is mentioned, the file stays as it is."""
AFFIXES = ("startswith", "endswith")
NOTE, AFFIX, ITEM, GET = (
    f"__gonogo_{name}__" for name in ("compared", "affixed", "looked_up", "got")
)
"""Names by which changed code calls what is here; Python's own ``builtins`` hold them."""
MIDDLE = "__gonogo_middle__"
OF_THE_FRAME = frozenset({"super", "__class__", "locals", "vars", "dir", "eval", "exec"})
"""Names of what looks at the function that it is called in."""
MEMBERSHIP = frozenset({"in", "not in"})
KEYS: type = type({}.keys())
VALUES: type = type({}.values())
OWN_FOLDER = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..")) + os.sep
"""gonogo's, which may lie below where a user works."""


class StepLog:
    """What was compared during one step.

    Attributes:
        is_open: Whether the step is still asked. What it has begun may go on after it.
    """

    __slots__ = ("_at", "_entries", "_looks", "_scanned", "_text", "is_open")

    def __init__(self) -> None:
        self.is_open = True
        self._entries: dict[LoggedEntry, int] = {}
        self._looks: dict[str, int] = {}
        self._at: dict[str, int] = {}
        self._scanned = self._text = 0

    @property
    def entries(self) -> list[tuple[Any, ...]]:
        """They, in the order in which they came first, each with how often it came."""
        return [(*entry, times) for entry, times in self._entries.items()]

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
            if (op, left, right, result, site) in self._entries:
                self._entries[op, left, right, result, site] += 1
                return
        elif op in MEMBERSHIP and (one is tuple or one is list):
            return  # places of a board in a set of places: no number and no text is compared
        said = self.side(left)
        if said is not None and (against := self.side(right)) is not None:
            self._keep((op, said, against, truth_of(result), site))

    def _keep(self, entry: LoggedEntry) -> None:
        if entry in self._entries:
            self._entries[entry] += 1
            return
        site = entry[-1]
        self._text += chars_of(entry[1]) + chars_of(entry[2])
        self._at[site] = at = self._at.get(site, 0) + 1
        if at >= MOST_AT_SITE or len(self._entries) >= MOST_ENTRIES:
            self._looks[site] = MOST_LOOKS
        if self._text <= MOST_TEXT and len(self._entries) < MOST_ENTRIES:
            self._entries[entry] = 1

    def side(self, value: Any) -> LoggedSide | None:
        """A value as it is taken down; None of one that is not."""
        kind = type(value)
        if kind is str or kind is int or kind is float:
            return scalar(value)
        if kind is list or kind is tuple or kind is range:
            return self._items(value[:MOST_ITEMS])
        if kind is set or kind is frozenset:
            return self._items(value, is_sorted=False)
        if kind is dict or kind is KEYS or kind is VALUES:
            return self._items(value)
        return scalar(value)

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
        return {NOTE: self.compared, AFFIX: self.affixed, ITEM: self.looked_up, GET: self.got}

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
        return partial(method, affix)

    def looked_up(self, site: str, mapping: Any, key: Any) -> Callable[[], Any]:
        """Take down that a dictionary which is going to be asked for a key has none such; the asking."""
        if type(mapping) is dict:
            self._missed(site, mapping, key)
        return partial(operator.getitem, mapping, key)

    def got(self, site: str, method: Any, key: Any, *default: Any) -> Callable[[], Any]:
        """The same of the method ``get``."""
        mapping = method.__self__ if type(method) is BuiltinMethodType else None
        if type(mapping) is dict:
            self._missed(site, mapping, key)
        return partial(method, key, *default)

    def _missed(self, site: str, mapping: dict[Any, Any], key: Any) -> None:
        kind, log = type(key), self._current()
        plain = kind is str or kind is int or kind is float
        if log is not None and plain and key not in mapping:
            log.add("in", key, mapping, False, site)


class Rewriting(ast.NodeTransformer):
    """A file's code with its comparisons taken down.

    Args:
        file: The file's name, for the sites.
    """

    def __init__(self, file: str) -> None:
        self._file, self._in_function = file, False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """What a function does; annotations are no code, and tools read them as they stand."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """The same."""
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """The same."""
        self._defaults(node.args)
        (node.body,) = self._inner([node.body], in_function=True)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Of a class its methods alone: its fields and bases may be read by tools."""
        node.decorator_list = self._each(node.decorator_list)
        node.body = self._inner(node.body, in_function=False)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """The value alone."""
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_TypeAlias(self, node: ast.AST) -> ast.AST:
        """Nothing of a type (Python 3.12)."""
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """A comparison, or a chain of them."""
        self.generic_visit(node)
        taken = all(type(op) in OPERATORS for op in node.ops)
        if not (self._in_function and taken and may_wait(node.comparators[1:])):
            return node
        return placed(
            self._chain(node, node.left, list(zip(node.ops, node.comparators, strict=True))), node
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of ``startswith``, ``endswith`` or ``get`` of something."""
        self.generic_visit(node)
        function, given = node.func, node.args
        plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in given)
        if not (self._in_function and plain and isinstance(function, ast.Attribute)):
            return node
        site = ast.Constant(self._site(node))
        if function.attr in AFFIXES and len(given) == 1:
            named = ast.Constant(function.attr)
            return placed(called_later(AFFIX, named, site, function, *given), node)
        if function.attr == "get" and len(given) in {1, 2}:
            return placed(called_later(GET, site, function, *given), node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """What is asked of a dictionary, perhaps: by a key that is worked out, and no sum of places."""
        self.generic_visit(node)
        read = isinstance(node.ctx, ast.Load) and self._in_function
        if not read or not isinstance(node.slice, ast.Name | ast.Attribute | ast.Call):
            return node
        site = ast.Constant(self._site(node))
        return placed(called_later(ITEM, site, node.value, node.slice), node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.decorator_list = self._each(node.decorator_list)
        self._defaults(node.args)
        node.body = self._inner(node.body, in_function=True)
        return node

    def _defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = self._each(arguments.defaults)
        arguments.kw_defaults = [
            None if each is None else self.visit(each) for each in arguments.kw_defaults
        ]

    def _inner(self, nodes: list[Node], *, in_function: bool) -> list[Node]:
        outside, self._in_function = self._in_function, in_function
        inner = self._each(nodes)
        self._in_function = outside
        return inner

    def _each(self, nodes: list[Node]) -> list[Node]:
        return [self.visit(node) for node in nodes]

    def _chain(
        self, node: ast.Compare, left: ast.expr, links: list[tuple[ast.cmpop, ast.expr]]
    ) -> ast.expr:
        """``(lambda left, right: note(op, site, left, right, left op right))(left, right)``.

        Of a chain ``(lambda left, right, rest: note(…) and rest(right))(left, right, lambda middle: middle op …)``, so
        that what comes later in it is worked out later, or not at all.
        """
        (op, right), *others = links
        sides = [read("left"), read("right")]
        made = ast.Compare(sides[0], [op], [sides[1]])
        told = [ast.Constant(OPERATORS[type(op)]), ast.Constant(self._site(node)), *sides, made]
        noted: ast.expr = ast.Call(read(NOTE), told, [])
        if not others:
            return ast.Call(function_of(["left", "right"], noted), [left, right], [])
        rest = function_of([MIDDLE], self._chain(node, read(MIDDLE), others))
        both = ast.BoolOp(ast.And(), [noted, ast.Call(read("rest"), [read("right")], [])])
        return ast.Call(function_of(["left", "right", "rest"], both), [left, right, rest], [])

    def _site(self, node: ast.expr) -> str:
        return f"{self._file}:{node.lineno}:{node.col_offset}"


def may_wait(operands: list[ast.expr]) -> bool:
    """Whether what comes later in a chain may be put into a function of its own, and do the same there."""
    never = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    for part in (part for each in operands for part in ast.walk(each)):
        if isinstance(part, never) or (isinstance(part, ast.comprehension) and part.is_async):
            return False
        if isinstance(part, ast.Name) and part.id in OF_THE_FRAME:
            return False
    return True


def read(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def function_of(names: list[str], body: ast.expr) -> ast.Lambda:
    """``lambda names: body``."""
    parameters = [ast.arg(name) for name in names]
    arguments = ast.arguments(
        posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    return ast.Lambda(arguments, body)


def called_later(name: str, *arguments: ast.expr) -> ast.Call:
    """``name(arguments)()``: what is foreign is called by the code that did so before, and by no function of ours."""
    return ast.Call(ast.Call(read(name), list(arguments), []), [], [])


def placed(made: ast.expr, node: ast.expr) -> ast.expr:
    """What was made in a node's place, with its place in the file."""
    return ast.fix_missing_locations(ast.copy_location(made, node))


def rewritten(
    source: bytes, path: str, file: str, make: Callable[[Any, str], CodeType]
) -> CodeType | None:
    """A file's code with its comparisons taken down; None where that cannot be.

    Args:
        source: What it holds.
        path: Where it is.
        file: Its name, for the sites.
        make: Makes the code of a tree and a path: a loader, which may have changes of its own in mind.
    """
    try:
        tree = ast.parse(source, path)
        if not COMPILERS.isdisjoint(mentioned_in(tree)):
            return None
        return make(Rewriting(file).visit(tree), path)
    except (SyntaxError, TypeError, ValueError, RecursionError, MemoryError):
        return None  # whoever loads it as it is says what is wrong with it


def mentioned_in(tree: ast.AST) -> Iterator[str]:
    """Names that a file mentions: its own, others' attributes, and the packages that it imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")


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
        return rewritten(source, path, name, make)

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
