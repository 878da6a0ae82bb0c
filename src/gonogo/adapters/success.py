"""What success is where an expression says it: one rule, for a connection that judges and for a reward that pays.

Imports nothing of gonogo: `gonogo reward` copies :class:`SuccessRule` into the rewards it writes, which run where
the environment does.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from simpleeval import EvalWithCompoundTypes, InvalidExpression

__all__ = ["SuccessRule"]


class SuccessRule:
    """An expression on what the wire shows of a step, as simpleeval reads Python; true where an episode succeeded.

    It may name the observation's fields, `observation`, `metadata` and `done`, and not the reward. One that
    cannot be evaluated before the end, such as one about a field that is null until then, says no success yet.

    Args:
        expression: The expression.
        fields: Names of the observation's fields; one that a step does not show is null.

    Raises:
        ValueError: It is no expression, or names what is not there.
    """

    FUNCTIONS: ClassVar[dict[str, Callable[..., Any]]] = {
        function.__name__: function for function in (abs, all, any, len, max, min, round, sum)
    }
    UNSAID = (InvalidExpression, LookupError, TypeError, ArithmeticError, ValueError)

    def __init__(self, expression: str, fields: Iterable[str]) -> None:
        self.expression = expression
        self.fields = [name for name in fields if name != "reward"]
        self._evaluate = EvalWithCompoundTypes(functions=self.FUNCTIONS)
        try:
            self._parsed = ast.parse(expression.strip(), mode="eval").body
        except SyntaxError as error:
            raise ValueError(
                f"success must be an expression, not {expression!r}: {error.msg}"
            ) from None
        known = {*self.fields, "observation", "metadata", "done"}
        if strangers := self.names() - known - self.FUNCTIONS.keys():
            raise ValueError(
                f"success {expression!r} may name {', '.join(sorted(known))}, "
                f"not {', '.join(sorted(strangers))}"
            )

    def names(self) -> set[str]:
        """The names that the expression reads, without those that its comprehensions make."""
        names = [node for node in ast.walk(self._parsed) if isinstance(node, ast.Name)]
        return {n.id for n in names} - {n.id for n in names if isinstance(n.ctx, ast.Store)}

    def says(self, observation: dict[str, Any], metadata: dict[str, Any], done: bool) -> bool:
        """Whether a step shows success.

        Args:
            observation: The observation's fields, as JSON has them.
            metadata: What is said beside it. What a given reward put in the place of the environment's own
                `components` is not looked at.
            done: Whether the episode ended with the step.

        Raises:
            ValueError: The expression cannot be evaluated at an episode's end, or is not true or false.
        """
        told = dict(metadata)
        if "environment_components" in told:
            told["components"] = told.pop("environment_components")
        shown = {**dict.fromkeys(self.fields), **observation}
        own = {"observation": observation, "metadata": told, "done": done}
        self._evaluate.names = {**shown, **own}
        try:
            said: Any = self._evaluate.eval(self.expression, previously_parsed=self._parsed)
        except self.UNSAID as error:
            if not done:
                return False
            raise ValueError(
                f"success {self.expression!r} cannot be told at an episode's end: {error}"
            ) from None
        if not isinstance(said, bool):
            raise ValueError(f"success {self.expression!r} must be true or false, not {said!r}")
        return said
