"""An environment's source file, changed so that what it compares is taken down.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. What the changed code
calls is in :mod:`gonogo.env.worker.comparisons`, and what that takes down is said there.

Each comparison ``a < b`` inside a function is written as ``(lambda left, right: note(…, left < right))(a, b)``: the
operands are worked out where they were and once, the comparison itself is Python's, and what it gives or raises comes
through. A call ``f(a, b=c)`` of what may compare becomes ``called(…, f, a, b=c)()``, and ``a & b`` becomes
``operated(…, a, b)()``: what is foreign is called by the code that did so before. A call with stars stays as it is.
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
COMPILERS = frozenset({"numba", "njit", "jit", "vectorize", "guvectorize", "cfunc"})
"""Names of what compiles the bytecode of functions: where one is mentioned, the file stays as it is."""
AFFIXES = ("startswith", "endswith")
NOTE, AFFIX, ITEM, GET, CALL, OPERATE, DIFFER = (
    f"__gonogo_{name}__"
    for name in ("compared", "affixed", "looked_up", "got", "called", "operated", "differed")
)
"""Names by which changed code calls what is here; Python's own ``builtins`` hold them."""
CALLED = {
    "re": frozenset({"search", "match", "fullmatch", "findall"}),
    "math": frozenset({"isclose"}),
    "difflib": frozenset({"SequenceMatcher"}),
}
"""Functions that compare, by their modules."""
FOUND = frozenset({"count", "find", "index", "rfind", "rindex"})
"""Methods of texts, and two of them of lists."""
HELD = frozenset(
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
METHODS = FOUND | HELD | frozenset().union(*CALLED.values())
SET_OPERATORS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}
SIZES = frozenset({"abs", "fabs", "absolute"})
"""Functions that say how large a difference is."""
NUMERIC = frozenset({"abs", "float", "int", "len", "max", "min", "pow", "round", "sum"})
"""Functions that give no set."""
ARITHMETIC = (ast.Add, ast.Mult, ast.Div, ast.FloorDiv, ast.Pow)
"""Operators that no set has."""
NUMERIC_MODULES = frozenset({"math", "np", "numpy", "random", "time"})
MIDDLE = "__gonogo_middle__"
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
        self._calculated: set[ast.BinOp] = set()
        self._numeric: frozenset[str] = frozenset()

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
        taken = not any(isinstance(op, ast.Is | ast.IsNot) for op in node.ops) or not any(
            isinstance(side, ast.Constant) for side in [node.left, *node.comparators]
        )
        if not (self._in_function and taken and may_wait(node.comparators[1:])):
            return node
        return placed(
            self._chain(node, node.left, list(zip(node.ops, node.comparators, strict=True))), node
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A call of what may compare: ``startswith``, ``get``, ``search`` or ``count`` of something, and their like."""
        if len(node.args) == 1 and last_name(node.func) in SIZES:
            self._measure(node.args[0])
        self.generic_visit(node)
        function, given = node.func, node.args
        starred = any(isinstance(each, ast.Starred) for each in given)
        if not self._in_function or starred or any(each.arg is None for each in node.keywords):
            return node
        if isinstance(function, ast.Attribute) and not node.keywords:
            site = ast.Constant(self._site(node))
            if function.attr in AFFIXES and len(given) == 1:
                named = ast.Constant(function.attr)
                return placed(called_later(AFFIX, [named, site, function, *given]), node)
            if function.attr == "get" and len(given) in {1, 2}:
                return placed(called_later(GET, [site, function, *given]), node)
        if (given or node.keywords) and self._compares(function):
            told = [ast.Constant(self._site_of_name(function)), function, *given]
            return placed(called_later(CALL, told, node.keywords), node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """A difference of numbers that is measured, or what two sets have in common or not."""
        both = [node.left, node.right]
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant):
            if node.right.value == 2:
                self._measure(node.left)
        elif isinstance(node.op, ast.Mult) and are_alike(*both):
            self._measure(node.left)
        if isinstance(node.op, ARITHMETIC):
            self._calculated.update(each for each in both if isinstance(each, ast.BinOp))
        may_be_sets = type(node.op) in SET_OPERATORS and all(map(self._may_be_set, both))
        self.generic_visit(node)
        if not self._in_function:
            return node
        site, sides = ast.Constant(self._site(node)), [node.left, node.right]
        if node in self._measured:
            return placed(called_later(DIFFER, [site, *sides]), node)
        if may_be_sets and node not in self._calculated:
            sign = ast.Constant(SET_OPERATORS[type(node.op)])
            return placed(called_later(OPERATE, [sign, site, *sides]), node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """What is asked of a dictionary, perhaps: by a key that is worked out, and no sum of places."""
        self.generic_visit(node)
        read = isinstance(node.ctx, ast.Load) and self._in_function
        if not read or not isinstance(node.slice, ast.Name | ast.Attribute | ast.Call):
            return node
        site = ast.Constant(self._site(node))
        return placed(called_later(ITEM, [site, node.value, node.slice]), node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.decorator_list = self._each(node.decorator_list)
        self._defaults(node.args)
        outside, self._numeric = self._numeric, self._numeric | numbers_in(node)
        node.body = self._inner(node.body, in_function=True)
        self._numeric = outside
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

    def _measure(self, node: ast.expr) -> None:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub):
            self._measured.add(node)

    def _may_be_set(self, operand: ast.expr) -> bool:
        return may_be_set(operand) and named(operand) not in self._numeric

    def _compares(self, function: ast.expr) -> bool:
        """Whether a call of something may compare, by its name."""
        if isinstance(function, ast.Attribute):
            return function.attr in METHODS
        return isinstance(function, ast.Name) and function.id in self._imported

    def _site(self, node: ast.expr) -> str:
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


def function_of(names: list[str], body: ast.expr) -> ast.Lambda:
    """``lambda names: body``."""
    parameters = [ast.arg(name) for name in names]
    arguments = ast.arguments(
        posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[]
    )
    return ast.Lambda(arguments, body)


def last_name(function: ast.expr) -> str:
    """A function's own name, without what it belongs to; empty where it has none."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def are_alike(one: ast.expr, other: ast.expr) -> bool:
    """Whether two sums or differences are written alike."""
    both = isinstance(one, ast.BinOp) and isinstance(other, ast.BinOp)
    return both and ast.dump(one) == ast.dump(other)


def named(operand: ast.expr) -> str:
    """A variable's name, and an attribute's with a dot before it; a dot of anything else."""
    if isinstance(operand, ast.Attribute):
        return f".{operand.attr}"
    return operand.id if isinstance(operand, ast.Name) else "."


def numbers_in(function: ast.AST) -> frozenset[str]:
    """Names of what is calculated with in a function, which are no sets: a simulation is full of them."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
            found |= {named(node.left), named(node.right)}
        elif isinstance(node, ast.AugAssign) and isinstance(node.op, ARITHMETIC):
            found.add(named(node.target))
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            found.add(named(node.operand))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if type(node.value.value) in {int, float}:
                found.update(map(named, node.targets))
        elif isinstance(node, ast.arg) and isinstance(node.annotation, ast.Name):
            found |= {node.arg} if node.annotation.id in NUMERIC else set()
    return frozenset(found - {"."})


def may_be_set(operand: ast.expr) -> bool:
    """Whether what stands on a side of an operator may be a set, as far as that can be read off."""
    if isinstance(operand, ast.BinOp):
        both = may_be_set(operand.left) and may_be_set(operand.right)
        return both and isinstance(operand.op, ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor)
    if isinstance(operand, ast.Call):
        function = operand.func
        if isinstance(function, ast.Attribute):
            owner = function.value
            return not (isinstance(owner, ast.Name) and owner.id in NUMERIC_MODULES)
        return last_name(function) not in NUMERIC
    never = (ast.Constant, ast.UnaryOp, ast.Compare, ast.List, ast.ListComp, ast.Tuple, ast.Dict)
    return not isinstance(operand, never)


def called_later(
    name: str, arguments: list[ast.expr], keywords: Sequence[ast.keyword] = ()
) -> ast.Call:
    """``name(arguments)()``: what is foreign is called by the code that did so before, and by no function of ours."""
    return ast.Call(ast.Call(read(name), arguments, list(keywords)), [], [])


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
        return make(Rewriting(file, imported_in(tree)).visit(tree), path)
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


def imported_in(tree: ast.AST) -> frozenset[str]:
    """Names by which a file calls functions that compare, where it imports them one by one."""
    return frozenset(
        each.asname or each.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.level == 0
        for each in node.names
        if each.name in CALLED.get(node.module or "", ())
    )
