"""The shapes in which strangers answer a reset and a step, read as one: an observation, a reward, an end, and the rest.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. OpenEnv says what its
environments answer; apps and classes of others answer a tuple as Gymnasium does, an object, or JSON in which the
observation stands alone, below a name, or beside its reward. What is beside the observation is kept as metadata: who
acts does not see it, and who judges may.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ConfigDict, TypeAdapter
from pydantic_core import to_jsonable_python

if typing.TYPE_CHECKING or __package__:
    from gonogo.env.worker.boundary import Boundary
else:
    from worker_boundary import Boundary

Json = dict[str, Any]

OBSERVATION = ("observation", "obs", "next_observation", "next_obs")
STATE = ("state", "next_state")
"""Names of an observation where a reward or an end stands beside them."""
REWARD = ("reward", "step_reward")
NUMBER = ("value", "reward", "total", "total_reward", "step_reward", "score", "step_score")
"""Names of the number in a reward that is an object."""
DONE = ("done", "is_done", "episode_done", "game_over", "finished")
ENDS = ("terminated", "truncated")
INFO = ("info", "metadata")
WRAPPERS = ("result", "data", "response", "payload")
PARTS = {
    2: ("observation", "info"),
    3: ("observation", "reward", "done"),
    4: ("observation", "reward", "done", "info"),
    5: ("observation", "reward", "terminated", "truncated", "info"),
}
"""What a tuple holds, by its length."""


def make_answer(told: Any) -> Any:
    """An observation of OpenEnv's base class, of what a reset or a step returned, in whatever shape.

    Args:
        told: What was returned.
    """
    from openenv.core.env_server.types import Observation

    observation, reward, done, info = read(told)
    kept = {name: value for name, value in observation.items() if name not in _OWN}
    inner = observation.get("metadata")
    metadata = {**(inner if isinstance(inner, Mapping) else {}), **info}
    return _open(Observation).model_construct(
        None, reward=reward, done=done, metadata=metadata, **kept
    )


def make_served(told: Any) -> Any:
    """An observation of OpenEnv's base class, of what an environment of OpenEnv's server answered with.

    That sends all fields of a model but reward, end and metadata as the observation. Of anything else, which it could
    not send, the shape is read.

    Args:
        told: What was answered.
    """
    from openenv.core.env_server.types import Observation

    fields = plain(told) if callable(getattr(told, "model_dump", None)) else None
    if not isinstance(fields, dict):
        return make_answer(told)
    _, reward, done, _ = of_mapping(fields)
    seen = {name: value for name, value in fields.items() if name not in _OWN}
    metadata = fields.get("metadata")
    return _open(Observation).model_construct(
        None,
        reward=reward,
        done=done,
        metadata=metadata if isinstance(metadata, dict) else {},
        **seen,
    )


_OWN = frozenset({"reward", "done", "metadata"})
_opened: dict[type, Any] = {}


def _open(base: Any) -> Any:
    """The base class with any further fields."""
    if base not in _opened:
        config = ConfigDict(extra="allow", arbitrary_types_allowed=True)
        _opened[base] = type("Answer", (base,), {"model_config": config, "__module__": __name__})
    return _opened[base]


def read(told: Any) -> tuple[Json, Any, bool, Json]:
    """Observation, reward, end and metadata of what was returned."""
    if isinstance(told, tuple) and len(told) in PARTS:
        names = PARTS[len(told)]
        if len(told) == 2 and not isinstance(told[1], Mapping):
            names = ("observation", "reward")
        return of_mapping(dict(zip(names, map(plain, told), strict=True)))
    value = plain(told)
    return of_mapping(value if isinstance(value, dict) else {"observation": value})


def of_mapping(told: Json) -> tuple[Json, Any, bool, Json]:
    """Observation, reward, end and metadata of a mapping."""
    told, beside = unwrapped(told)
    ends = [name for name in (*DONE, *ENDS) if name in told]
    pays = [name for name in REWARD if name in told]
    names = OBSERVATION if not (ends or pays) else (*OBSERVATION, *STATE)
    name = next((name for name in names if name in told), None)
    taken = {name, *ends, *pays, *INFO}
    rest = {key: value for key, value in told.items() if key not in taken}
    if name is None:
        observation, rest = rest, {}
    else:
        seen = told[name]
        observation = seen if isinstance(seen, dict) else {"observation": seen}
    info: Json = dict(beside)
    for key in INFO:
        said = told.get(key)
        if isinstance(said, dict):
            info |= said
        elif said not in (None, "", []):
            info[key] = said
    info = {**rest, **info}
    source = told if pays else observation
    paid = next((source[key] for key in REWARD if key in source), None)
    reward, parts = number_in(paid)
    if parts:
        info.setdefault("reward", parts)
    sources = (
        [told] if ends else [observation, parts]
    )  # a reward that is an object may tell the end
    done = any(is_end(source.get(key)) for source in sources for key in (*DONE, *ENDS))
    return observation, reward, done, info


def unwrapped(told: Json) -> tuple[Json, Json]:
    """The inner mapping where an answer stands below one name alone, and what is beside it."""
    known = {*OBSERVATION, *REWARD, *DONE, *ENDS}
    if known & told.keys():
        return told, {}
    for name in WRAPPERS:
        inner = told.get(name)
        if isinstance(inner, dict) and known & inner.keys():
            return inner, {key: value for key, value in told.items() if key != name}
    return told, {}


def number_in(reward: Any) -> tuple[Any, Json]:
    """The number that a reward is, and its parts where it is an object."""
    if not isinstance(reward, dict):
        return reward, {}
    numbers = {key: value for key, value in reward.items() if is_number(value)}
    named = next((numbers[key] for key in NUMBER if key in numbers), None)
    if named is None and len(numbers) == 1:
        named = next(iter(numbers.values()))
    return named, reward


def is_number(value: Any) -> bool:
    """Whether a value is a number, which a truth value is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_end(said: Any) -> bool:
    """Whether a field says that the episode is over."""
    return said is True or (is_number(said) and said == 1) or said in {"true", "True"}


def plain(value: Any) -> Any:
    """A value as JSON; what has no JSON form as its list, its fields or its text."""
    return to_jsonable_python(value, fallback=unknown, inf_nan_mode="constants")


def unknown(value: Any) -> Any:
    """What JSON knows nothing of: an array as its list, an object as its fields, all else as its text."""
    for name in ("tolist", "dict", "to_dict", "_asdict"):
        method = getattr(value, name, None)
        if callable(method) and not isinstance(value, type):
            return method()
    fields = getattr(value, "__dict__", None)
    if fields and not callable(value):
        return {key: inner for key, inner in fields.items() if not key.startswith("_")}
    return str(value)


class Payload(dict[str, Any]):
    """An action as it came, whose fields are attributes, too: a reward from outside may read either."""

    def __getattr__(self, name: str) -> Any:
        """A field.

        Raises:
            AttributeError: There is none of that name.
        """
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class SchemaForm:
    """What stands where OpenEnv has a model's class: a schema, and what checks a value.

    Args:
        name: Its name.
        schema: JSON schema.
        check: Checks a value, and raises pydantic's ``ValidationError``; None where only the environment can.
    """

    def __init__(self, name: str, schema: Json, check: Callable[[Json], Any] | None = None) -> None:
        self.__name__, self._schema, self._check = name, schema, check

    def model_json_schema(self) -> Json:
        """The schema."""
        return self._schema

    def model_validate(self, value: Json) -> Payload:
        """The value as it is, where it fits.

        Raises:
            ValidationError: It does not.
        """
        if self._check is not None:
            self._check(value)
        return Payload(value)


def form_of(hint: Any, name: str) -> SchemaForm | None:
    """The form of an annotation that is an object in JSON; None where it is none."""
    # Any type may stand there, and pydantic has many errors for them.
    with Boundary():
        adapter: TypeAdapter[Any] = TypeAdapter(hint)
        schema = adapter.json_schema()
        if is_object(schema):
            return SchemaForm(getattr(hint, "__name__", name), schema, adapter.validate_python)
    return None


def is_object(schema: Json) -> bool:
    """Whether a schema says which fields an object has."""
    if isinstance(schema.get("$ref"), str):
        defs = schema.get("$defs", {})
        return is_object(defs.get(schema["$ref"].rpartition("/")[2], {}))
    branches = schema.get("anyOf") or schema.get("oneOf")
    if isinstance(branches, list) and branches:
        return all(is_object({**each, "$defs": schema.get("$defs", {})}) for each in branches)
    return bool(schema.get("properties"))
