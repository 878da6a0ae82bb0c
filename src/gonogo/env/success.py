"""What success is where an expression says it: one rule, for a connection that judges and for a reward that pays.

:class:`SuccessRule` is evaluated on what the wire shows after a step. An expression may name the step's reward too, for
environments that show nothing else; whoever judges a reward by itself is told so. The class uses nothing of gonogo:
`gonogo reward` copies it into the rewards it writes, which run where the environment does.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar

from simpleeval import (
    DEFAULT_OPERATORS,
    AttributeDoesNotExist,
    EvalWithCompoundTypes,
    InvalidExpression,
    NumberTooHigh,
)

from gonogo.errors import Misuse
from gonogo.records.inspection import Description, RawAnswer
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.wire import WireObject


class SuccessRule:
    """An expression on what the wire shows of a step, as simpleeval reads Python; true where an episode succeeded.

    It may name the observation's fields, `observation`, `metadata`, `state`, `done` and `reward`. A step that does not
    show what the expression asks for, such as a field that is null or absent, has no success: before the end not yet,
    at the end none.

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
    SOURCES: ClassVar[tuple[str, ...]] = ("observation", "metadata", "state")

    def __init__(self, expression: str, fields: Iterable[str]) -> None:
        self.expression = expression
        self.fields = [name for name in fields if name != "reward"]
        operators = {**DEFAULT_OPERATORS, ast.Pow: self.power, ast.Mod: self.modulo}
        self._evaluate = EvalWithCompoundTypes(operators=operators, functions=self.FUNCTIONS)
        self._parsed = self.parsed(expression)
        known = {*self.fields, *self.SOURCES, "done", "reward"}
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

    @cached_property
    def reads_state(self) -> bool:
        """Whether it asks for the state, which takes one more question after each step."""
        return "state" in self.names() and "state" not in self.fields

    def names(self) -> set[str]:
        """The names that the expression reads, without those that its comprehensions make."""
        names = [node for node in ast.walk(self._parsed) if isinstance(node, ast.Name)]
        return {n.id for n in names} - {n.id for n in names if isinstance(n.ctx, ast.Store)}

    def keys(self, source: str) -> set[str]:
        """The names that it asks one of its sources for, as `metadata.x` or `metadata["x"]`."""
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
        self,
        observation: dict[str, Any],
        metadata: dict[str, Any],
        done: bool,
        *,
        state: dict[str, Any] | None = None,
        reward: float | None = None,
    ) -> bool | None:
        """Whether a step shows success; None where it does not show what the expression asks for.

        Args:
            observation: The observation's fields, as JSON has them.
            metadata: What is said beside it. What a given reward put in the place of the environment's own
                `components` is not looked at.
            done: Whether the episode ended with the step.
            state: The environment's state after the step; None where it was not asked for.
            reward: What the step was paid; None where it was not.

        Raises:
            ValueError: The expression is neither true nor false nor null, or takes more than is sensible.
        """
        told = dict(metadata)
        if "environment_components" in told:
            told["components"] = told.pop("environment_components")
        shown = {"state": state, **dict.fromkeys(self.fields), **observation}
        own = {"observation": observation, "metadata": told, "done": done, "reward": reward}
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


UNTOLD = "success_untold"
"""In the metadata of an episode's end at which the expression had no value, so that it is no success: the expression,
and the names that it asks for and that nothing knows: no schema, no step, no state."""


def judged(connection: Inspection, success: str | None) -> Inspection:
    """A connection by the success that was given; the same one where none was.

    Raises:
        Misuse: It is no expression, or names a field that no observation has. The connection is closed.
    """
    if success is None:
        return connection
    try:
        return JudgedConnection(connection, success)
    except Misuse:
        connection.close()
        raise


class JudgedConnection:
    """An :class:`~gonogo.rollouts.types.Inspection` that says ``metadata["success"]`` itself.

    Args:
        inner: What is flown.
        success: The expression; true where an episode has succeeded.

    Raises:
        Misuse: It is no expression, or names a field that no observation has.
    """

    def __init__(self, inner: Inspection, success: str) -> None:
        self._inner = inner
        self.schemas, self.capacity = inner.schemas, inner.capacity
        fields: WireObject = inner.schemas.observation.get("properties", {})
        try:
            self._rule = SuccessRule(success, fields)
        except ValueError as error:
            raise Misuse(str(error)) from None
        schemas = (inner.schemas.observation, inner.schemas.state)
        self._named = {name for schema in schemas for name in declared_in(schema)}

    def reset(self, options: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Reset the named slots."""
        return self._inner.reset(options)

    def step(self, actions: Mapping[int, WireObject]) -> dict[int, Transition | Failure]:
        """Step the named slots, and say of each whether it has succeeded.

        Raises:
            Misuse: The expression is neither true nor false nor null, or takes more than is sensible.
        """
        answers = self._inner.step(actions)
        flown = [slot for slot, answer in answers.items() if isinstance(answer, Transition)]
        states = self._inner.state(flown) if flown and self._rule.reads_state else {}
        for slot, answer in answers.items():
            if isinstance(answer, Transition):
                self._named.update(answer.observation, answer.metadata)
                self._judge(slot, answer, states.get(slot))
        return answers

    def state(self, slots: Iterable[int]) -> dict[int, WireObject | Failure]:
        """The state object of each named slot."""
        return self._inner.state(slots)

    @property
    def pid(self) -> int | None:
        """The process that the environment runs in."""
        return self._inner.pid

    def describe(self) -> Description:
        """What the environment says of itself."""
        return self._inner.describe()

    def renew(self, slots: Iterable[int]) -> dict[int, Failure | None]:
        """End the sessions in these slots and open new ones."""
        return self._inner.renew(slots)

    def cover(self) -> tuple[str, ...] | None:
        """Measure the lines that are reached from now on."""
        return self._inner.cover()

    def raw(self, slots: Iterable[int]) -> dict[int, RawAnswer | None]:
        """What the wire does not show of each slot's last answer."""
        return self._inner.raw(slots)

    def close(self) -> None:
        """End the environment's process or sockets."""
        self._inner.close()

    def _judge(self, slot: int, answer: Transition, known: WireObject | Failure | None) -> None:
        state = known if isinstance(known, dict) else None
        try:
            said = self._rule.says(
                answer.observation, answer.metadata, answer.done, state=state, reward=answer.reward
            )
        except ValueError as error:
            raise Misuse(str(error)) from None
        answer.metadata["success"] = said is True
        if said is None and answer.done:
            missing = asked_in_vain(self._rule, answer, self._named, state)
            if missing and isinstance(asked := self._inner.state([slot])[slot], dict):
                self._named |= set(keys_in(asked))
                missing = asked_in_vain(self._rule, answer, self._named, state)
            answer.metadata[UNTOLD] = {"success": self._rule.expression, "missing": missing}


def judge_flown(episodes: Iterable[Episode], success: str, fields: Iterable[str]) -> None:
    """Say of episodes that were flown already whether they succeeded, as a :class:`JudgedConnection` would have.

    Args:
        episodes: They; ``success`` of each is set. A lost one is left as it is.
        success: The expression. Where it reads the state, an episode that does not hold it is no success.
        fields: Names of the observation's fields.

    Raises:
        ValueError: It is no expression, or is neither true nor false nor null.
    """
    rule = SuccessRule(success, fields)
    for episode in episodes:
        if episode.error is not None or not episode.turns:
            continue
        last = episode.turns[-1]
        shown = episode.final_observation, episode.final_metadata
        paid = episode.rewards[-1]
        said = rule.says(*shown, last.done, state=episode.final_state, reward=paid)
        episode.success = said is True


def asked_in_vain(
    rule: SuccessRule, answer: Transition, named: Collection[str], state: WireObject | None = None
) -> list[str]:
    """The names that an expression asks an answer for and that nothing knows.

    What has been named and is not shown yet may be shown at a success; not so what the answer shows elsewhere.

    Args:
        rule: The expression.
        answer: The answer.
        named: Names in the environment's schemas, steps and states.
        state: The state after it; None where it was not asked for.
    """
    held = {
        "observation": {*rule.fields, *answer.observation},
        "metadata": {*answer.metadata},
        "state": {*(state or {})},
    }
    shown = {*answer.observation, *answer.metadata}
    return sorted(
        f"{source}.{name}"
        for source in rule.SOURCES
        for name in rule.keys(source) - held[source]
        if name in shown or name not in named
    )


def declared_in(schema: Any) -> Iterator[str]:
    """The names of the fields that a schema declares, at any depth."""
    if isinstance(schema, list):
        for each in schema:
            yield from declared_in(each)
    elif isinstance(schema, dict):
        fields = schema.get("properties")
        yield from fields if isinstance(fields, dict) else ()
        for each in schema.values():
            yield from declared_in(each)


def keys_in(value: Any) -> Iterator[str]:
    """The names in a JSON value, at any depth."""
    if isinstance(value, list):
        for each in value:
            yield from keys_in(each)
    elif isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from keys_in(each)


def untold(episodes: Iterable[Episode]) -> int:
    """How many of some episodes ended where the expression had no value."""
    return sum(UNTOLD in episode.final_metadata for episode in episodes)


def never_shown(episodes: Iterable[Episode]) -> None:
    """Refuse an expression that asks for what is nowhere.

    Args:
        episodes: What was flown and judged by it.

    Raises:
        Misuse: It had a value at no end, and asks for what nothing knows.
    """
    ended = [e for e in episodes if e.error is None and e.turns and e.turns[-1].done]
    if not ended or untold(ended) < len(ended):
        return
    told = [e.final_metadata[UNTOLD] for e in ended]
    missing = set[str].intersection(*(set(each["missing"]) for each in told))
    if missing:
        held = {
            *(f"observation.{name}" for e in ended for name in e.final_observation),
            *(
                f"metadata.{n}"
                for e in ended
                for n in e.final_metadata.keys() - {UNTOLD, "success"}
            ),
        }
        raise Misuse(
            f"success {told[0]['success']!r} asks for {', '.join(sorted(missing))}, which none of {len(ended)} "
            f"ends shows; they show {', '.join(sorted(held))}{SuccessRule.nearest(missing, held)}"
        )
