"""An environment's source file, changed so that what it compares is taken down.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. What the changed code
calls is in :mod:`gonogo.env.worker.comparisons`, and what that takes down is said there.

A comparison ``a < b`` of names and constants inside a function becomes ``compared("<", site, a, b, a < b)``, and so
does each link of a chain of such. Other operands are worked out where they were and once, as in
``(lambda left, right: compared("<", site, left, right, left < right))(f(), b)``. A call ``f(a, b=c)`` of what may
compare becomes ``call(*called(site, f, a, b=c))``, and ``d[k]`` becomes ``item(*looked_up(site, d, k))``, with ``call``
and ``getitem`` of :mod:`operator`: what is foreign is called by the code that did so before. A call with stars stays as
it is.

What an operator gives or raises comes through, but for this. Around operands that are neither names nor constants
there is a lambda: it is one more entry of a traceback, one more frame for code that looks at frames, and one more level
towards the limit of recursion. What follows such an operand within a chain is inside the lambda, where a local name
that is not yet bound raises NameError and not UnboundLocalError. A name within a chain is read for each of its two
links.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from types import CodeType
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)

OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "==",
    ast.IsNot: "!=",
}
"""What is taken down, and as what: members of an enumeration are the same object where they are equal."""
LEFT_ALONE = frozenset({"numba", "jax", "cloudpickle", "dill", "joblib", "loky", "ray"})
"""Packages that compile the bytecode of functions, or send functions by value to processes that have none of our names:
a file that imports one stays as it is."""
MENTIONED = frozenset({"njit", "guvectorize", "AsyncVectorEnv", "SubprocVecEnv"})
"""Names of such, wherever they come from."""
HOOKS = ("compared", "identical", "differed", "operated", "matched", "looked_up", "got", "called")
"""What changed code calls, which :class:`gonogo.env.worker.comparisons.Comparisons` has."""
CALLED = {
    "re": frozenset({"search", "match", "fullmatch", "findall"}),
    "math": frozenset({"isclose"}),
    "difflib": frozenset({"SequenceMatcher"}),
}
"""Functions that compare, by their modules."""
AFFIXES = frozenset({"startswith", "endswith"})
"""Methods of texts."""
FOUND = frozenset({"count", "find", "index", "rfind", "rindex"})
"""The same, and two of them of lists."""
OF_SETS = frozenset(
    {
        "intersection",
        "difference",
        "symmetric_difference",
        "issubset",
        "issuperset",
        "isdisjoint",
    }
)
"""Methods of sets."""
METHODS = AFFIXES.union(FOUND, OF_SETS, *CALLED.values())
SET_OPERATORS = (ast.BitAnd, ast.Sub, ast.BitXor)
SIZES = frozenset({"abs", "fabs", "absolute"})
"""Functions that say how large a difference is."""
NUMERIC = frozenset({"abs", "float", "int", "len", "max", "min", "pow", "round", "sqrt", "sum"})
"""Functions that give no set."""
LEFT, RIGHT = "__gonogo_left__", "__gonogo_right__"
OF_THE_FRAME = frozenset({"super", "__class__", "locals", "vars", "dir", "eval", "exec"})
"""Names of what looks at the function that it is called in."""


class Rewriting(ast.NodeTransformer):
    """A file's code with its comparisons taken down.

    Args:
        file: The file's name, for the sites.
        imported: Names by which it calls functions that compare.
    """

    def __init__(self, file: str, imported: frozenset[str]) -> None:
        self._file, self._in_function, self._imported = file, False, imported
        self._measured: set[ast.BinOp] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        """What a function does; annotations are no code, and tools read them as they stand."""
        node.decorator_list = self._each(node.decorator_list)
        self._defaults(node.args)
        node.body = self._inner(node.body, in_function=True)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

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
        sides = [node.left, *node.comparators]
        by_identity = any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
        if by_identity and any(isinstance(side, ast.Constant) for side in sides):
            return node
        direct = all(map(is_simple, sides[1:-1]))
        if not self._in_function or not (direct or may_wait(sides[2:])):
            return node
        return placed(self._chain(node, node.left, [*zip(node.ops, sides[1:], strict=True)]), node)

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """A match, by the literals that are cases of it."""
        self.generic_visit(node)
        literals = [value for each in node.cases for value in literals_in(each.pattern)]
        if self._in_function and literals:
            site, among = ast.Constant(self._site(node)), ast.Tuple(literals, ast.Load())
            made = ast.Call(read(hook("matched")), [site, node.subject, among], [])
            node.subject = placed(made, node.subject)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of what may compare: ``startswith``, ``get``, ``search`` or ``count`` of something, and their like."""
        if len(node.args) == 1 and last_name(node.func) in SIZES:
            self._measure(node.args[0])
        self.generic_visit(node)
        starred = any(isinstance(each, ast.Starred) for each in node.args)
        if not self._in_function or starred or any(each.arg is None for each in node.keywords):
            return node
        is_get = last_name(node.func) == "get" and len(node.args) in {1, 2} and not node.keywords
        if is_get and isinstance(node.func, ast.Attribute):
            return self._asked("call", "got", node, [node.func, *node.args])
        if not (node.args or node.keywords) or not self._compares(node.func):
            return node
        return self._asked("call", "called", node, [node.func, *node.args], node.keywords)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """A difference of numbers that is measured, or what two sets have in common or not."""
        if isinstance(node.op, ast.Pow) and ast.dump(node.right) == ast.dump(ast.Constant(2)):
            self._measure(node.left)
        of_sets = isinstance(node.op, SET_OPERATORS) and may_be_set(node)
        self.generic_visit(node)
        is_measured = node in self._measured
        if not self._in_function or not (is_measured or of_sets):
            return node

        def noted(left: ast.expr, right: ast.expr) -> ast.expr:
            made = ast.BinOp(left, node.op, right)
            name = "differed" if is_measured else "operated"
            return self._noted(name, "", node, [left, right, made])

        return placed(with_sides(node.left, node.right, noted), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """What is asked of a dictionary, perhaps: by a key that is worked out, and no sum of places."""
        self.generic_visit(node)
        is_read = isinstance(node.ctx, ast.Load) and self._in_function
        if not is_read or not isinstance(node.slice, ast.Name | ast.Attribute | ast.Call):
            return node
        return self._asked("item", "looked_up", node, [node.value, node.slice])

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
        """The first link of a chain, and the others behind an ``and``: they are worked out later, or not at all.

        They are inside the first one's lambda where they need what that holds.
        """
        (op, right), *others = links
        is_inside = bool(others) and not is_simple(right)

        def noted(one: ast.expr, other: ast.expr) -> ast.expr:
            name = "identical" if isinstance(op, ast.Is | ast.IsNot) else "compared"
            sides = [one, other, ast.Compare(one, [op], [other])]
            made = self._noted(name, OPERATORS[type(op)], node, sides)
            return both(made, self._chain(node, other, others)) if is_inside else made

        first = with_sides(left, right, noted)
        if not others or is_inside:
            return first
        return both(first, self._chain(node, right, others))

    def _asked(
        self,
        name: str,
        looked_at_by: str,
        node: ast.Call | ast.Subscript,
        given: list[ast.expr],
        named: Sequence[ast.keyword] = (),
    ) -> ast.expr:
        """``name(*looked_at_by(site, given))``."""
        site = self._site_of_name(node.func) if isinstance(node, ast.Call) else self._site(node)
        asked = ast.Call(read(hook(looked_at_by)), [ast.Constant(site), *given], [*named])
        return placed(ast.Call(read(hook(name)), [ast.Starred(asked, ast.Load())], []), node)

    def _noted(self, name: str, op: str, node: ast.expr, sides: list[ast.expr]) -> ast.expr:
        told: list[ast.expr] = [ast.Constant(op), ast.Constant(self._site(node)), *sides]
        return ast.Call(read(hook(name)), told, [])

    def _measure(self, node: ast.expr) -> None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            self._measured.add(node)

    def _compares(self, function: ast.expr) -> bool:
        """Whether a call of something may compare, by its name."""
        if isinstance(function, ast.Attribute):
            return function.attr in METHODS
        return isinstance(function, ast.Name) and function.id in self._imported

    def _site(self, node: ast.expr | ast.Match) -> str:
        return f"{self._file}:{node.lineno}:{node.col_offset}"

    def _site_of_name(self, function: ast.expr) -> str:
        """Where a function's own name stands: where the whole call begins, something else may be compared."""
        name = last_name(function)
        column = (function.end_col_offset or 0) - len(name.encode())
        return f"{self._file}:{function.end_lineno}:{column}"


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


def hook(name: str) -> str:
    """The name by which changed code calls one of ours; Python's own ``builtins`` hold it."""
    return f"__gonogo_{name}__"


def both(one: ast.expr, other: ast.expr) -> ast.expr:
    """``one and other``."""
    return ast.BoolOp(ast.And(), [one, other])


def is_simple(operand: ast.expr) -> bool:
    """Whether an operand may be written twice: a name or a constant, or a display of constants."""
    if isinstance(operand, ast.Tuple | ast.List | ast.Set):
        return all(isinstance(each, ast.Constant) for each in operand.elts)
    return isinstance(operand, ast.Name | ast.Constant)


def with_sides(
    left: ast.expr, right: ast.expr, make: Callable[[ast.expr, ast.expr], ast.expr]
) -> ast.expr:
    """What is made of two operands, which are worked out once: in ``(lambda left, right: …)(left, right)``, perhaps.

    Args:
        left: The left one.
        right: The right one.
        make: Makes it; each may stand in it more than once.
    """
    if is_simple(left) and is_simple(right):
        return make(left, right)
    arguments = ast.arguments([], [ast.arg(LEFT), ast.arg(RIGHT)], None, [], [], None, [])
    return ast.Call(ast.Lambda(arguments, make(read(LEFT), read(RIGHT))), [left, right], [])


def literals_in(pattern: ast.pattern) -> Iterator[ast.expr]:
    """The literals of which a pattern is one, or an alternation."""
    if isinstance(pattern, ast.MatchValue) and not isinstance(pattern.value, ast.Attribute):
        yield pattern.value
    elif isinstance(pattern, ast.MatchOr):
        for each in pattern.patterns:
            yield from literals_in(each)
    elif isinstance(pattern, ast.MatchAs) and pattern.pattern is not None:
        yield from literals_in(pattern.pattern)


def last_name(function: ast.expr) -> str:
    """A function's own name, without what it belongs to; empty where it has none."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def may_be_set(operand: ast.expr) -> bool:
    """Whether an expression may be a set, as far as that can be read off: a simulation is full of numbers."""
    if isinstance(operand, ast.BinOp):
        both_may = may_be_set(operand.left) and may_be_set(operand.right)
        return both_may and isinstance(operand.op, (*SET_OPERATORS, ast.BitOr))
    if isinstance(operand, ast.Call):
        return last_name(operand.func) not in NUMERIC
    never = (ast.Constant, ast.UnaryOp, ast.Compare, ast.List, ast.ListComp, ast.Tuple, ast.Dict)
    return not isinstance(operand, never)


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
    unreadable = (SyntaxError, ValueError, RecursionError, MemoryError)  # loading it raises that
    try:
        tree = ast.parse(source, path)
    except unreadable:
        return None
    try:
        if is_left_alone(tree):
            return None
        changed = Rewriting(file, imported_in(tree)).visit(tree)
    except RecursionError:
        return None
    try:
        return make(changed, path)
    except unreadable:
        return None


def is_left_alone(tree: ast.AST) -> bool:
    """Whether a file compiles functions' bytecode, or sends functions to other processes."""
    packages, names = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            packages.update(each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            packages.add((node.module or "").partition(".")[0])
        names.update(names_in(node))
        for decorator in getattr(node, "decorator_list", ()):
            if any("jit" in names_in(part) for part in ast.walk(decorator)):
                return True
    return not (LEFT_ALONE.isdisjoint(packages) and MENTIONED.isdisjoint(names))


def names_in(node: ast.AST) -> list[str]:
    """The name that a node reads, or those that it imports."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [each.name for each in node.names]
    return [last_name(node)] if isinstance(node, ast.expr) else []


def imported_in(tree: ast.AST) -> frozenset[str]:
    """Names by which a file calls functions that compare, where it imports them one by one."""
    return frozenset(
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 0
        for each in node.names
        if each.name in CALLED.get(node.module or "", ())
    )
