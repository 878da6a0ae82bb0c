"""A connection whose success is an expression's to say, where an environment has no word for it.

The expression is evaluated on what the wire shows after a step; see :class:`~gonogo.env.success.SuccessRule`.
The reward is not part of it: success is never the reward's word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from gonogo.env.success import SuccessRule
from gonogo.errors import Misuse
from gonogo.records.inspection import Description, RawAnswer
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.wire import JsonObject

__all__ = ["UNTOLD", "JudgedConnection", "judged", "never_shown", "untold"]

UNTOLD = "success_untold"
"""In the metadata of an episode's end at which the expression had no value, so that it is no success: the expression,
and the names that it asks for and that nothing knows: no schema, no step, no state."""
SOURCES = ("observation", "metadata")


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
        fields: JsonObject = inner.schemas.observation.get("properties", {})
        try:
            self._rule = SuccessRule(success, fields)
        except ValueError as error:
            raise Misuse(str(error)) from None
        schemas = (inner.schemas.observation, inner.schemas.state)
        self._named = {name for schema in schemas for name in declared_in(schema)}

    def reset(self, options: Mapping[int, JsonObject]) -> dict[int, Transition | Failure]:
        """Reset the named slots."""
        return self._inner.reset(options)

    def step(self, actions: Mapping[int, JsonObject]) -> dict[int, Transition | Failure]:
        """Step the named slots, and say of each whether it has succeeded.

        Raises:
            Misuse: The expression is neither true nor false nor null, or takes more than is sensible.
        """
        answers = self._inner.step(actions)
        for slot, answer in answers.items():
            if isinstance(answer, Transition):
                self._named.update(answer.observation, answer.metadata)
                self._judge(slot, answer)
        return answers

    def state(self, slots: Iterable[int]) -> dict[int, JsonObject | Failure]:
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

    def raw(self, slots: Iterable[int]) -> dict[int, RawAnswer | None]:
        """What the wire does not show of each slot's last answer."""
        return self._inner.raw(slots)

    def close(self) -> None:
        """End the environment's process or sockets."""
        self._inner.close()

    def _judge(self, slot: int, answer: Transition) -> None:
        try:
            said = self._rule.says(answer.observation, answer.metadata, answer.done)
        except ValueError as error:
            raise Misuse(str(error)) from None
        answer.metadata["success"] = said is True
        if said is None and answer.done:
            missing = asked_in_vain(self._rule, answer, self._named)
            if missing and isinstance(state := self._inner.state([slot])[slot], dict):
                self._named |= set(keys_in(state))
                missing = asked_in_vain(self._rule, answer, self._named)
            answer.metadata[UNTOLD] = {"success": self._rule.expression, "missing": missing}


def asked_in_vain(rule: SuccessRule, answer: Transition, named: Collection[str]) -> list[str]:
    """The names that an expression asks an answer for and that nothing knows.

    What has been named and is not shown yet may be shown at a success; not so what the answer shows elsewhere.

    Args:
        rule: The expression.
        answer: The answer.
        named: Names in the environment's schemas, steps and states.
    """
    held = {"observation": {*rule.fields, *answer.observation}, "metadata": {*answer.metadata}}
    shown = {*answer.observation, *answer.metadata}
    return sorted(
        f"{source}.{name}"
        for source in SOURCES
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
