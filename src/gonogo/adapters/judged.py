"""A connection whose success is an expression's to say, where an environment has no word for it.

The expression is evaluated on what the wire shows after a step: the observation's fields by their names,
``observation``, ``metadata`` and ``done``, as simpleeval reads Python. The reward is not among them: success is
never the reward's word.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from simpleeval import EvalWithCompoundTypes, InvalidExpression

from gonogo.errors import Misuse
from gonogo.rollout.protocols import Description, Failure, Inspection, Json, Transition

__all__ = ["JudgedConnection"]

FUNCTIONS = {function.__name__: function for function in (abs, all, any, len, max, min, round, sum)}
UNSAID = (InvalidExpression, LookupError, TypeError, ArithmeticError, ValueError)


class JudgedConnection:
    """An :class:`~gonogo.rollout.protocols.Inspection` that says ``metadata["success"]`` itself.

    An expression that cannot be evaluated before the end, such as one about a field that is null until then,
    says no success yet.

    Args:
        inner: What is flown.
        success: The expression; true where an episode has succeeded.

    Raises:
        Misuse: It is no expression, or names a field that no observation has.
    """

    def __init__(self, inner: Inspection, success: str) -> None:
        self._inner, self._success = inner, success
        self.schemas, self.capacity = inner.schemas, inner.capacity
        fields: Json = inner.schemas.observation.get("properties", {})
        self._fields = [name for name in fields if name != "reward"]
        self._evaluate = EvalWithCompoundTypes(functions=FUNCTIONS)
        try:
            self._parsed = ast.parse(success.strip(), mode="eval").body
        except SyntaxError as error:
            raise Misuse(f"success must be an expression, not {success!r}: {error.msg}") from None
        known = {*self._fields, "observation", "metadata", "done"}
        if strangers := names_in(self._parsed) - known - FUNCTIONS.keys():
            raise Misuse(
                f"success {success!r} may name {', '.join(sorted(known))}, "
                f"not {', '.join(sorted(strangers))}"
            )

    def reset(self, options: Mapping[int, Json]) -> dict[int, Transition | Failure]:
        """Reset the named slots."""
        return self._inner.reset(options)

    def step(self, actions: Mapping[int, Json]) -> dict[int, Transition | Failure]:
        """Step the named slots, and say of each whether it has succeeded.

        Raises:
            Misuse: The expression cannot be evaluated at an episode's end, or is not true or false.
        """
        answers = self._inner.step(actions)
        for answer in answers.values():
            if isinstance(answer, Transition):
                answer.metadata["success"] = self._judge(answer)
        return answers

    def state(self, slots: Iterable[int]) -> dict[int, Json | Failure]:
        """The state object of each named slot."""
        return self._inner.state(slots)

    def describe(self) -> Description:
        """What the environment says of itself."""
        return self._inner.describe()

    def renew(self, slots: Iterable[int]) -> dict[int, Failure | None]:
        """End the sessions in these slots and open new ones."""
        return self._inner.renew(slots)

    def raw(self, slots: Iterable[int]) -> dict[int, Json | None]:
        """What the wire does not show of each slot's last answer."""
        return self._inner.raw(slots)

    def close(self) -> None:
        """End the environment's process or sockets."""
        self._inner.close()

    def _judge(self, answer: Transition) -> bool:
        names = {**dict.fromkeys(self._fields), **answer.observation}
        own = {"observation": answer.observation, "metadata": answer.metadata, "done": answer.done}
        self._evaluate.names = {**names, **own}
        try:
            said: Any = self._evaluate.eval(self._success, previously_parsed=self._parsed)
        except UNSAID as error:
            if not answer.done:
                return False
            raise Misuse(
                f"success {self._success!r} cannot be told at an episode's end: {error}"
            ) from None
        if not isinstance(said, bool):
            raise Misuse(f"success {self._success!r} must be true or false, not {said!r}")
        return said


def names_in(expression: ast.expr) -> set[str]:
    """The names that an expression reads, without those that its comprehensions make."""
    names = [node for node in ast.walk(expression) if isinstance(node, ast.Name)]
    made = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return {node.id for node in names} - made
