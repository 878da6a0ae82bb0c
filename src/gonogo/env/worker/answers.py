"""What a foreign process or server answers: read without trust, held against the episode, and turned into transitions.

**Frames.** Foreign code shares the process that writes them; what they mean says :mod:`gonogo.env.worker.program`.
Whatever breaks their form is :class:`~gonogo.env.worker.process.Malformed`, one sentence, and costs the process: what
came before or comes after it may be forged too.

**Slots.** Over the pipe and over the WebSocket the same JSON arrives; a :class:`Slots` makes a
:class:`~gonogo.rollouts.types.Transition` or a :class:`~gonogo.rollouts.types.Failure` of it, checks the episode's
identity, and remembers what a refusal has to repeat. It moves no bytes.

**Identity.** OpenEnv answers a step on a dropped and reopened socket, a recycled session or a shared instance as
if nothing had happened. The only witnesses are ``episode_id`` and ``step_count`` of the state, so each transport
reports them after every reset and step, and a :class:`Session` holds them against what went before. The rule has to be
sound for environments that nobody here wrote. Some give no id, some give every episode the same one, some count refused
actions and some don't count at all. Therefore:

1. ``episode_id`` is the one that the reset gave.
2. ``step_count`` never goes back; but where the id tells the episode and stays, and what is seen is no opening, an
   environment that sets its own counter back has lost no episode. Nor has it where the action says that it undoes, or
   where the count goes back by a step or two, and not to a first step.
3. Where the id tells nothing (absent, or the same as the episode's before), a count that stays at
   one over an accepted step is what a reset in between looks like, and is taken for it. Above one,
   or past the episode's end, a count that stands still is the environment's own affair.

A count that goes up by more than one loses no episode: an environment may count in its step and in a tool, too. Nor
does it tell whose step the second was: where sessions share an instance, what they see tells.

An id that is no text and a count that is no whole number say nothing: they are taken as absent. That they
break the contract of the state is a finding of the map, which reads the state itself.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import (
    BaseModel,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import from_json

from gonogo.env.worker.process import MOST_BYTES, Malformed
from gonogo.records.inspection import Description, RawAnswer
from gonogo.records.record import Part
from gonogo.records.tables import cut
from gonogo.rollouts.episodes import adds_up
from gonogo.rollouts.schema import bounded
from gonogo.rollouts.types import Comparison, Failure, Operator, Transition
from gonogo.wire import WireObject

HEADER = struct.Struct(">I")
ANSWER = struct.Struct(">Ii")
SHOWN_CHARS = 80
UNREADABLE, GONE = "unreadable", "gone"
"""Kinds of answers that lose the episode: it cannot be read; a server that the worker speaks with is not there."""


class SlotAnswer(NamedTuple):
    """One slot's answer.

    Attributes:
        slot: The slot.
        kind: ``ok``, ``invalid``, ``raised``, ``erred`` where a step raised what its code does not raise itself,
            ``unmade`` or ``reward``; or ``unreadable``, with the reason.
        payload: What was answered, by the kind.
        identity: Episode and count as the state says them; None where it cannot be read.
        reached: Lines that were reached for the first time, where they are measured.
        comparisons: What was compared with what, where it is taken down.
    """

    slot: int
    kind: str
    payload: Any
    identity: Identity | None
    reached: tuple[str, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    @property
    def complaint(self) -> str:
        """What is wrong, in words, where the kind is not ``ok``."""
        if self.kind == "invalid":
            return describe_errors(self.payload)
        return str(self.payload["said"] if self.kind == "erred" else self.payload)

    @property
    def erred(self) -> str:
        """Type and place of an error that nobody meant; empty where it is none."""
        return str(self.payload["at"]) if self.kind == "erred" else ""


def frame(content: Any) -> bytes:
    """One frame of the wire."""
    body = json.dumps(content).encode()
    return HEADER.pack(len(body)) + body


def take_frame(buffer: bytearray) -> tuple[int, bytes] | None:
    """Remove one frame, a slot's answer, from the front of the buffer; None while it is incomplete.

    Raises:
        Malformed: It says that it is longer than an answer may be.
    """
    if len(buffer) < ANSWER.size:
        return None
    length, slot = ANSWER.unpack_from(buffer)
    if length > MOST_BYTES:
        raise Malformed(f"a frame must not be longer than {MOST_BYTES} bytes, as one of {length}")
    end = ANSWER.size + length
    if len(buffer) < end:
        return None
    body = bytes(memoryview(buffer)[ANSWER.size : end])
    del buffer[:end]
    return slot, body


def read_first(body: bytes) -> Any:
    """What the first frame of a process holds.

    Raises:
        Malformed: It is no JSON.
    """
    try:
        return from_json(body)
    except ValueError as error:
        raise Malformed(f"the first frame must hold JSON, and does not: {error}") from None


def is_a(form: Any) -> Callable[[Any], bool]:
    """What finds out whether a value has a form, as pydantic reads a type."""
    adapter = TypeAdapter(form)

    def fits(value: Any) -> bool:
        try:
            adapter.validate_python(value)
        except ValidationError:
            return False
        return True

    return fits


class Greeting(BaseModel):
    """The worker's first frame, where it can load its environment."""

    schemas: dict[Literal["action", "observation", "state"], WireObject] = Field(min_length=3)
    concurrent: StrictBool
    """Whether the environment declares concurrent sessions."""
    reward: list[WireObject] | None = None
    """Name, weight and guards of each component of the reward that was given; None without one."""
    nameless: StrictBool = False
    """Whether its episodes have no names: it is not OpenEnv's."""
    note: str | None = None
    """Why the environment is not that of the first place that could hold one; None where it is."""


class Unloaded(BaseModel):
    """The worker's first frame, where it can load no environment; and its answer where it can make no instance."""

    error: str
    """Why not, in a line."""
    missing: str | None = None
    """A module that is not installed; None where that is not it."""
    variable: str | None = None
    """An environment variable that is read and not there; None where that is not it."""
    place: str | None = None
    """File and line of the environment's code; None where none of it raised anything."""
    left: bool = False
    """Whether it ended the process by itself; what it printed before may say why."""


class BrokenRewardFile(BaseModel):
    """The worker's first frame, where the reward that was given breaks a rule."""

    broken_reward: str


GREETING: TypeAdapter[Greeting | Unloaded | BrokenRewardFile] = TypeAdapter(
    BrokenRewardFile | Unloaded | Greeting
)


def read_greeting(body: bytes) -> Greeting | Unloaded | BrokenRewardFile:
    """The worker's first frame.

    Raises:
        Malformed: It is none.
    """
    said = read_first(body)
    try:
        return GREETING.validate_python(said)
    except ValidationError:
        raise Malformed(f"the first frame must be a greeting, not {shown(said)}") from None


class Retired(Part):
    """An instance was closed."""

    late: str | None
    """What was late in closing it; None where nothing was."""


class Erred(Part):
    """A step raised what its code does not raise itself."""

    said: str
    at: str
    """Type and place, as `KeyError game.py:12`."""


def is_observation(value: Any) -> bool:
    """Whether a value has the form of OpenEnv's answers: an observation with its reward and end."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("observation"), dict)
        and {"reward", "done"} <= value.keys()
    )


is_text, is_list_of_objects = is_a(str), is_a(list[WireObject])
is_lines = is_a(list[str])
PlainScalar = StrictStr | StrictInt | StrictFloat
COMPARED = TypeAdapter(
    list[
        tuple[
            Operator,
            PlainScalar | list[PlainScalar],
            PlainScalar | list[PlainScalar],
            StrictBool | None,
            StrictStr,
            StrictInt,
            tuple[StrictInt, ...],
        ]
    ]
)
FORMS: Mapping[str, Callable[[Any], bool]] = {
    "reset": is_observation,
    "step": is_observation,
    "state": is_a(WireObject),
    "describe": is_a(Description),
    "retire": is_a(Retired),
    "renew": is_a(None),
    "raw": is_a(RawAnswer),
    "fits": is_a(list[StrictBool]),
    "cover": is_a(list[str]),
}
"""What the payload of an ``ok`` is, by what was asked."""
COMPLAINTS: Mapping[str, Callable[[Any], bool]] = {
    "invalid": is_list_of_objects,
    "raised": is_text,
    "erred": is_a(Erred),
    "unmade": is_a(Unloaded),
    GONE: is_text,
    "reward": is_text,
}
"""What the payload is of every other kind."""


def read_answer(slot: int, body: bytes, name: str, waiting: Container[int]) -> SlotAnswer:
    """A slot's answer.

    Args:
        slot: The slot that the frame names.
        body: What it holds. What cannot be read costs its slot alone: an environment may have put it there.
        name: What was asked.
        waiting: Slots that were asked and have not answered.

    Raises:
        Malformed: It has not the form of an answer, or answers what was not asked, or twice.
    """
    if slot not in waiting:
        raise Malformed(f"an answer to {name} is of slot {slot}, which was not asked")
    try:
        said = from_json(body)
    except ValueError as error:
        return SlotAnswer(slot, UNREADABLE, f"the answer cannot be read: {error}", None)
    if not isinstance(said, list) or len(said) not in (3, 4, 5):
        raise Malformed(f"an answer to {name} must have three parts, not be {shown(said)}")
    kind, payload, identity, reached, compared = [*said, [], []][:5]
    form = FORMS[name] if kind == "ok" else COMPLAINTS.get(kind) if isinstance(kind, str) else None
    if form is None:
        raise Malformed(f"an answer to {name} must be of a known kind, not {shown(kind)}")
    if not form(payload):
        raise Malformed(f"an answer to {name} of kind {kind} must not hold {shown(payload)}")
    if identity is not None and not (isinstance(identity, list) and len(identity) == 2):
        raise Malformed(
            f"an answer to {name} must say its episode and count, not {shown(identity)}"
        )
    if not is_lines(reached):
        raise Malformed(f"an answer to {name} must say the lines it reached, not {shown(reached)}")
    known = None if identity is None else identity_of(*identity)
    comparisons = read_comparisons(compared, name)
    return SlotAnswer(slot, kind, payload, known, tuple(reached), comparisons)


def read_comparisons(said: Any, name: str) -> tuple[Comparison, ...]:
    """What an answer says that was compared with what.

    Args:
        said: That part of the answer.
        name: What was asked.

    Raises:
        Malformed: It is nothing of the kind.
    """
    try:
        return tuple(Comparison(*each) for each in COMPARED.validate_python(said))
    except ValidationError:
        raise Malformed(
            f"an answer to {name} must say what was compared with what, not {shown(said)}"
        ) from None


def read_message(text: str | bytes) -> WireObject:
    """A message of an OpenEnv server.

    Raises:
        Malformed: It is none: it has a type and data, which is an object but for a state.
    """
    try:
        said = from_json(text)
    except ValueError as error:
        raise Malformed(f"it cannot be read: {error}") from None
    if not (isinstance(said, dict) and isinstance(said.get("type"), str)):
        raise Malformed(f"it must be a message with a type, not {shown(said)}")
    if said["type"] != "state" and not isinstance(said.get("data"), dict):
        raise Malformed(
            f"a message of type {said['type']} must hold data, not {shown(said.get('data'))}"
        )
    return {"data": None, **said}


def shown(value: Any) -> str:
    """The beginning of a value, for a message."""
    said = json.dumps(value)
    return said if len(said) <= SHOWN_CHARS else f"{said[:SHOWN_CHARS]}…"


Identity = tuple[str | None, int | None]
"""``(episode_id, step_count)`` of a state; None for what the environment does not say."""


def identity_of(episode_id: Any, step_count: Any) -> Identity:
    """What a state's two fields say, whatever they hold: a foreign environment may put anything there.

    Args:
        episode_id: Counts only as a text.
        step_count: Counts only as a whole number, which a truth value is not.
    """
    said = episode_id if isinstance(episode_id, str) else None
    return said, step_count if type(step_count) is int else None


class Session:
    """The identity of the episode in one slot, from its reset on.

    Args:
        identity: What the state said right after the reset; None where it offers no state.
        previous_id: The id of the slot's episode before, to know whether ids tell episodes apart.
        first: Whether the slot had no episode before, and the id was not asked for: it may be every episode's.
    """

    __slots__ = ("_apart", "_began", "_count", "_id_tells", "_stepped", "_stride", "episode_id")

    def __init__(
        self, identity: Identity | None, previous_id: str | None = None, *, first: bool = False
    ) -> None:
        self.episode_id, self._count = identity if identity is not None else (None, None)
        self._began, self._stride = self._count or 0, 1
        self._id_tells = self.episode_id is not None and self.episode_id != previous_id
        self._apart = self._id_tells and not first
        self._stepped = False

    def check(
        self,
        identity: Identity | None,
        *,
        refused: bool = False,
        ended: bool = False,
        opens: bool = True,
        undoes: bool = False,
    ) -> str | None:
        """Hold the state after a step against the episode.

        Args:
            identity: What the state says after the step; None where it said nothing.
            refused: Whether the environment refused the action. It may or may not have counted it.
            ended: Whether the episode had ended before the step, which then need not count either.
            opens: Whether what the step shows may be the opening of an episode.
            undoes: Whether the action says that it takes something back, as a counter may be.

        Returns:
            What is wrong, as a sentence; None where the step belongs to the episode.
        """
        if identity is None:
            if self._count is None and self.episode_id is None:
                return None
            return "the state, given at reset, can no longer be read"
        episode_id, count = identity
        if episode_id != self.episode_id:
            return (
                f"episode_id changed from {self.episode_id!r} to {episode_id!r} within the episode"
            )
        if count is None or self._count is None:
            return None if count is self._count else "step_count came or went within the episode"
        before, self._count = self._count, count
        if count < before:
            own = undoes or (self._apart and not opens) or self._takes_back(before, count)
            return None if own else f"step_count went back from {before} to {count}"
        self._stride = max(self._stride, count - before)
        return None if refused else self._check_still(before, count, ended)

    def _takes_back(self, before: int, count: int) -> bool:
        """Whether a lower count may be an undo by another name: it goes back little, and not to a first step.

        An episode that was begun again counts its first step. Where sessions share an instance, another one may have
        stepped as well, after its reset: that rarely comes near to how far this episode was.
        """
        return count > self._began + self._stride and before - count <= MOST_BACK * self._stride

    def _check_still(self, before: int, count: int, ended: bool) -> str | None:
        """Rule 3, for a step that the environment accepted; the first tells nothing: a reset may be counted, too."""
        first, self._stepped = not self._stepped, True
        if not (first or self._id_tells or ended) and count == before == 1:
            return "step_count stayed at 1: the environment was reset in between, or does not count"
        return None


MOST_BACK = 2
"""Steps that are taken back at once by an action which does not say so."""
UNDO = re.compile(
    r"(?i)(?<![a-z])(?:undo|unmake|revert|rewind|roll[_ -]?back|backtrack|(?:take|step|go)[_ -]?back)(?![a-z])"
)
"""What an action is called that takes something back."""
INPUT_CHARS = 120
RULE_CHARS = 300
"""Of the rule that an action broke: one of four thousand choices names them all."""
REFUSAL_CHARS = 1000
"""Of a refusal, whoever worded it."""
LONGER = "if it needs longer to start, give --startup-s (rollout.startup_s in a config)"


def describe_errors(errors: Sequence[WireObject]) -> str:
    """One line from pydantic's errors: each field, the rule it broke and the value.

    Args:
        errors: Objects with ``loc``, ``msg`` and ``input``, as OpenEnv sends them.
    """
    parts = []
    for error in errors:
        where = error.get("loc")
        field = ".".join(map(str, where)) if isinstance(where, list) else str(where or "")
        field = field or "action"
        value = cut(repr(error.get("input")), INPUT_CHARS)
        said = cut(str(error.get("msg", "invalid")), RULE_CHARS)
        parts.append(f"{cut(field, INPUT_CHARS)}: {said} (got {value})")
    return bounded(parts, "; ", REFUSAL_CHARS, len(parts)) or "the action is invalid"


class Slots:
    """The live episodes of a connection: their identity and their last transition."""

    def __init__(self) -> None:
        self._sessions: dict[int, Session] = {}
        self._last: dict[int, Transition] = {}
        self._opening: dict[int, Transition] = {}
        self._lost: dict[int, Failure] = {}

    def lost(self, slot: int) -> Failure | None:
        """Why this slot has no episode to step any more, or None where it may be stepped."""
        return self._lost.get(slot)

    def lost_of(self, slots: Iterable[int]) -> dict[int, Failure]:
        """Those of some slots that have no episode to step any more, with the reason."""
        return {slot: self._lost[slot] for slot in slots if slot in self._lost}

    def lose(self, slot: int, failure: Failure) -> Failure:
        """The episode in this slot is gone; it stays gone until the next reset."""
        self._lost[slot] = failure
        return failure

    def lose_others(self, failure: Failure) -> None:
        """Every live episode is gone: the process that held them all ended."""
        for slot in self._sessions:
            self._lost.setdefault(slot, failure)

    def forget(self, slot: int) -> None:
        """The slot's session is a new one: nothing is known of it."""
        for known in (self._sessions, self._last, self._opening, self._lost):
            known.pop(slot, None)

    def began(
        self, slot: int, answer: WireObject, identity: Identity | None, asked: object = None
    ) -> Transition | Failure:
        """A reset was answered: a new episode lives in the slot.

        Args:
            slot: The slot.
            answer: What was answered.
            identity: What the state says.
            asked: The ``episode_id`` that the reset asked for, or None. An id that was asked for and given
                tells this episode from any that is started without asking, the one before it or not.
        """
        before = self._sessions.get(slot)
        given = identity is not None and identity[0] == asked
        previous = None if before is None or given else before.episode_id
        self._sessions[slot] = Session(identity, previous, first=before is None and not given)
        self._lost.pop(slot, None)
        opening = self._taken(slot, answer)
        if not isinstance(opening, Failure):
            self._opening[slot] = opening
        return opening

    def stepped(
        self,
        slot: int,
        answer: WireObject,
        identity: Identity | None,
        action: WireObject,
    ) -> Transition | Failure:
        """A step was answered.

        Args:
            slot: The slot.
            answer: The ``data`` of OpenEnv's observation message.
            identity: Episode and count as the state says them; None where it cannot be read.
            action: What was sent.
        """
        opens, undoes = self._opens(slot, answer, identity), says_undo(action)
        failure = self._check(slot, identity, refused=False, opens=opens, undoes=undoes)
        if failure is not None:
            return failure
        return self._taken(slot, answer)

    def _opens(self, slot: int, answer: WireObject, identity: Identity | None) -> bool:
        """Whether a step's answer may be an episode's opening: nothing is counted, or it is the reset's again."""
        opening, seen = self._opening.get(slot), answer.get("observation")
        uncounted = identity is None or not identity[1]
        if opening is None or uncounted or not isinstance(seen, dict):
            return True
        return {name: seen[name] for name in seen if name != "metadata"} == opening.observation

    def _taken(self, slot: int, answer: WireObject) -> Transition | Failure:
        try:
            transition = self._last[slot] = to_transition(answer)
        except Malformed as error:
            return self.lose(slot, Failure(str(error), "malformed"))
        return transition

    def refused(
        self, slot: int, message: str, identity: Identity | None, *, erred: str = ""
    ) -> Transition | Failure:
        """A step was refused: the episode stands where it stood.

        Args:
            slot: The slot.
            message: Why.
            identity: Episode and count as the state says them; None where it cannot be read.
            erred: Type and place of the error that nobody meant which refused it; empty where it was none.
        """
        if (failure := self._check(slot, identity, refused=True)) is not None:
            return failure
        last, said = self._last.get(slot), cut(message, REFUSAL_CHARS)
        if last is None:
            return Transition({}, None, False, refusal=said, erred=erred)
        return Transition(last.observation, None, last.done, last.metadata, said, erred=erred)

    def _check(
        self,
        slot: int,
        identity: Identity | None,
        *,
        refused: bool,
        opens: bool = True,
        undoes: bool = False,
    ) -> Failure | None:
        session = self._sessions.get(slot)
        if session is None:
            return None
        last = self._last.get(slot)
        ended = last is not None and last.done
        wrong = session.check(identity, refused=refused, ended=ended, opens=opens, undoes=undoes)
        if wrong is None:
            return None
        return self.lose(slot, Failure(f"the episode was lost: {wrong}", "identity"))


def says_undo(held: Any) -> bool:
    """Whether an action says that it takes something back: in a text, or by a field of that name that is set.

    Args:
        held: The action, or a part of it.
    """
    if isinstance(held, dict):
        named = (held[name] is True and UNDO.search(str(name)) is not None for name in held)
        return any(named) or any(map(says_undo, held.values()))
    if isinstance(held, list):
        return any(map(says_undo, held))
    return isinstance(held, str) and len(held) <= SHOWN_CHARS and UNDO.search(held) is not None


def to_transition(answer: WireObject) -> Transition:
    """A transition from the ``data`` of OpenEnv's observation message.

    Raises:
        Malformed: It has not the form of one.
    """
    observation, done = answer.get("observation"), answer.get("done")
    if not isinstance(observation, dict):
        raise Malformed(f"an answer must hold an observation, not {shown(observation)}")
    if not isinstance(done, bool):
        raise Malformed(f"done must be true or false, not {shown(done)}")
    inner = observation.pop("metadata", None)
    metadata = answer.get("metadata") or inner or {}
    if not isinstance(metadata, dict):
        raise Malformed(f"metadata must be an object, not {shown(metadata)}")
    return Transition(observation, addable(answer.get("reward")), done, metadata)


def addable(reward: Any) -> Any:
    """A reward as it was given; a number beyond what can be added up is said in words, and is no number."""
    if isinstance(reward, int) and not adds_up(reward):
        return f"a whole number of {len(str(abs(reward)))} digits"
    if isinstance(reward, float) and math.isfinite(reward) and not adds_up(reward):
        return f"the number {reward}"
    return reward
