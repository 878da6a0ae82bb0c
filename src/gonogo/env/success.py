"""What success is where an expression says it: one rule, for a connection that judges and for a reward that pays.

Imports nothing of gonogo: `gonogo reward` copies :class:`SuccessRule` into the rewards it writes, which run where
the environment does.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from simpleeval import (
    DEFAULT_OPERATORS,
    AttributeDoesNotExist,
    EvalWithCompoundTypes,
    InvalidExpression,
    NumberTooHigh,
)

__all__ = ["SuccessRule"]


class SuccessRule:
    """An expression on what the wire shows of a step, as simpleeval reads Python; true where an episode succeeded.

    It may name the observation's fields, `observation`, `metadata` and `done`, and not the reward. A step that does
    not show what the expression asks for, such as a field that is null or absent, has no success: before the end not
    yet, at the end none.

    Args:
        expression: The expression.
        fields: Names of the observation's fields; one that a step does not show is null.

    Raises:
        ValueError: It is no expression, is too long or too deep, or names what is not there.
    """

    MOST_CHARS: ClassVar[int] = 2000
    MOST_DEPTH: ClassVar[int] = 60
    MOST_POWER: ClassVar[float] = 100.0
    MOST_BASE: ClassVar[float] = 1e12

    def __init__(self, expression: str, fields: Iterable[str]) -> None:
        self.expression = expression
        self.fields = [name for name in fields if name != "reward"]
        operators = {**DEFAULT_OPERATORS, ast.Pow: self.power, ast.Mod: self.modulo}
        self._evaluate = EvalWithCompoundTypes(operators=operators, functions=self.FUNCTIONS)
        self._parsed = self.parsed(expression)
        known = {*self.fields, "observation", "metadata", "done"}
        if strangers := self.names() - known - self.FUNCTIONS.keys():
            said = (
                f"success {expression!r} may name {', '.join(sorted(known))}, "
                f"not {', '.join(sorted(strangers))}"
            )
            raise ValueError(said + self.nearest(strangers, known))

    @classmethod
    def parsed(cls, expression: str) -> ast.expr:
        """The expression's tree.

        Raises:
            ValueError: It has none, or is too long or too deep.
        """
        if len(expression) > cls.MOST_CHARS:
            raise ValueError(
                f"success must be an expression of at most {cls.MOST_CHARS} characters, not of {len(expression)}"
            )
        try:
            tree = ast.parse(expression.strip(), mode="eval").body
        except SyntaxError as error:
            raise ValueError(
                f"success must be an expression, not {expression!r}: {error.msg}"
            ) from None
        level: list[ast.AST] = [tree]
        for _ in range(cls.MOST_DEPTH):
            level = [child for node in level for child in ast.iter_child_nodes(node)]
        if level:
            raise ValueError(
                f"success must be an expression that nests at most {cls.MOST_DEPTH} deep, "
                f"not {expression[:60]!r}…"
            )
        return tree

    @staticmethod
    def nearest(strangers: Iterable[str], known: Iterable[str]) -> str:
        """The known names that are spelt most like the others, as the end of a sentence; empty where none is."""
        pairs = [
            (stranger, near)
            for stranger in sorted(strangers)
            for near in difflib.get_close_matches(stranger, sorted(known), n=1)
        ]
        return "".join(f"; {near} is nearest to {stranger}" for stranger, near in pairs)

    def names(self) -> set[str]:
        """The names that the expression reads, without those that its comprehensions make."""
        names = [node for node in ast.walk(self._parsed) if isinstance(node, ast.Name)]
        return {n.id for n in names} - {n.id for n in names if isinstance(n.ctx, ast.Store)}

    def keys(self, source: str) -> set[str]:
        """The names that it asks `observation` or `metadata` for, as `metadata.x` or `metadata["x"]`."""
        held = [
            node
            for node in ast.walk(self._parsed)
            if isinstance(node, ast.Attribute | ast.Subscript)
            and isinstance(node.value, ast.Name)
            and node.value.id == source
        ]
        asked = [n.attr if isinstance(n, ast.Attribute) else self.constant(n.slice) for n in held]
        return {name for name in asked if isinstance(name, str)} - set(dir(dict))

    @staticmethod
    def constant(node: ast.expr) -> object:
        """What a node of the tree says as it stands; None where it is to be worked out."""
        return node.value if isinstance(node, ast.Constant) else None

    def says(
        self, observation: dict[str, Any], metadata: dict[str, Any], done: bool
    ) -> bool | None:
        """Whether a step shows success; None where it does not show what the expression asks for.

        Args:
            observation: The observation's fields, as JSON has them.
            metadata: What is said beside it. What a given reward put in the place of the environment's own
                `components` is not looked at.
            done: Whether the episode ended with the step.

        Raises:
            ValueError: The expression is neither true nor false nor null, or takes more than is sensible.
        """
        told = dict(metadata)
        if "environment_components" in told:
            told["components"] = told.pop("environment_components")
        shown = {**dict.fromkeys(self.fields), **observation}
        own = {"observation": observation, "metadata": told, "done": done}
        self._evaluate.names = {**shown, **own}
        try:
            said: Any = self._evaluate.eval(self.expression, previously_parsed=self._parsed)
        except (InvalidExpression, OverflowError, MemoryError, RecursionError) as error:
            if isinstance(error, AttributeDoesNotExist):
                return None
            what = str(error) or type(error).__name__
            raise ValueError(f"success {self.expression!r} cannot be evaluated: {what}") from None
        except (LookupError, TypeError, ArithmeticError, ValueError):
            return None
        if not (said is None or isinstance(said, bool)):
            raise ValueError(
                f"success {self.expression!r} must be true or false, not {repr(said)[:120]}"
            )
        return said

    @classmethod
    def power(cls, base: Any, exponent: Any) -> Any:
        """A power whose digits can be counted.

        Raises:
            NumberTooHigh: They cannot.
        """
        if abs(base) > cls.MOST_BASE or abs(exponent) > cls.MOST_POWER:
            raise NumberTooHigh(f"{base} ** {exponent} is too large a number")
        return base**exponent

    @staticmethod
    def modulo(value: Any, by: Any) -> Any:
        """A remainder; no text is formatted by it.

        Raises:
            InvalidExpression: The value is a text.
        """
        if isinstance(value, str | bytes):
            raise InvalidExpression("a text has no remainder")
        return value % by

    @staticmethod
    def rounded(value: Any, digits: int | None = None) -> Any:
        """A rounded number.

        Raises:
            NumberTooHigh: It is to be rounded to more digits than any number has.
        """
        if digits is not None and abs(digits) > SuccessRule.MOST_POWER:
            raise NumberTooHigh(f"a number has no {digits} digits to round")
        return round(value, digits)

    FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {
        **{function.__name__: function for function in (abs, all, any, len, max, min, sum)},
        "round": lambda value, digits=None: SuccessRule.rounded(value, digits),
    }
