"""Policies that somebody else wrote: shipped by an environment, a Python function, or an object that the caller gives.

Those of an environment and functions by their path fly as a child process that speaks JSON lines.
``python validation/policies.py NAME`` reads one line a view and answers one line an action; many
episodes are interleaved by key::

    {"type":"reset","episode":"3.1","options":{…},"observation":{…}} -> {"episode":"3.1","action":{…}}
    {"type":"observe","episode":"3.1","observation":{…}}             -> {"episode":"3.1","action":{…}}
    {"type":"end","episode":"3.1"}                                   -> no answer

The observation holds the observation's fields only, never reward or metadata. A policy that dies,
hangs or breaks the protocol is a :class:`~gonogo.errors.PolicyFailure` with its last words: it says
nothing about the environment and is no episode. For a function that somebody else wrote
:mod:`gonogo.env.worker.functions` speaks.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from pydantic_core import from_json

from gonogo.env.target import FolderTarget
from gonogo.env.variables import child_environment
from gonogo.env.worker.process import (
    TIMEOUT_S,
    WORKER,
    Child,
    Unanswered,
    child_spec,
    fork,
    worker_command,
)
from gonogo.errors import GonogoError, Misuse, PolicyFailure
from gonogo.rollouts.types import Policy, Reply, View
from gonogo.wire import Action, JsonObject, Memory, Observation

FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
"""A line of a Python traceback."""
OURS = str(WORKER.parent)


class PolicyProcess:
    """A policy in a child process that speaks the protocol above.

    Args:
        name: Name for the record.
        command: What to start.
        folder: Where to start it.
        timeout_s: Seconds that one batch of actions may take, starting up included.
    """

    Complaint: ClassVar[type[GonogoError]] = PolicyFailure
    """What it is where the policy answers an error."""

    def __init__(
        self, name: str, command: Sequence[str], folder: Path, timeout_s: float = TIMEOUT_S
    ) -> None:
        self.name = name
        self._timeout_s = timeout_s
        self._keys: dict[int, str] = {}
        self._begun = 0
        self._ended: list[str] = []
        self._child = Child(command, folder, child_environment(), fork)

    def begin(self, slots: Iterable[int]) -> None:
        """New episodes start in these slots."""
        for slot in slots:
            self._begun += 1
            self._keys[slot] = f"{slot}.{self._begun}"

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The policy's actions.

        Raises:
            PolicyFailure: It died, was late, or answered something else.
            Misuse: It is a function, and cannot be loaded.
        """
        slots = {self._keys[slot]: slot for slot in views}
        lines = [*self._ended, *(self._message(slot, view) for slot, view in views.items())]
        self._ended = []
        answers = self._exchange("".join(f"{line}\n" for line in lines).encode(), len(slots))
        out: dict[int, Reply] = {}
        for line in answers:
            episode, action = self._read(line)
            slot = slots.get(episode)
            if slot is None or slot in out:
                raise PolicyFailure(f"policy {self.name} answered for {episode!r}, not asked")
            out[slot] = Reply(action=action)
        return out

    def end(self, slots: Iterable[int]) -> None:
        """These episodes have ended; the policy hears of it with the next batch."""
        for slot in slots:
            self._ended.append(json.dumps({"type": "end", "episode": self._keys.pop(slot)}))

    def close(self) -> None:
        """End the process."""
        self._child.close("".join(f"{line}\n" for line in self._ended).encode())
        self._ended = []

    def _message(self, slot: int, view: View) -> str:
        message: JsonObject = {"type": "observe", "episode": self._keys[slot]}
        if view.turn == 0:
            message |= {"type": "reset", "options": view.options}
        return json.dumps({**message, "observation": view.observation})

    def _exchange(self, data: bytes, count: int) -> list[bytes]:
        try:
            return self._child.exchange_lines(data, count, self._timeout_s, blamed)
        except Unanswered as error:
            self._child.close()
            raise PolicyFailure(f"policy {self.name} {error}") from None

    def _read(self, line: bytes) -> tuple[str, Action]:
        try:
            answer: Any = from_json(line)
        except ValueError:
            raise PolicyFailure(f"policy {self.name} answered {line[:200]!r}, not JSON") from None
        if isinstance(answer, dict) and "error" in answer:
            raise self.Complaint(f"policy {self.name} says: {answer['error']}")
        fits = isinstance(answer, dict) and isinstance(answer.get("action"), dict)
        if not fits or not isinstance(answer.get("episode"), str):
            raise PolicyFailure(
                f"policy {self.name} must answer with an episode and an action, not {line[:200]!r}"
            )
        return answer["episode"], answer["action"]


class ReferencePolicy(PolicyProcess):
    """A reference policy of a folder target.

    Args:
        target: The environment; must declare reference policies.
        name: One of the declared names.
        seed: Passed on as ``--seed``.
        timeout_s: As for any policy process.

    Raises:
        PolicyFailure: The environment declares no reference policies.
    """

    def __init__(
        self, target: FolderTarget, name: str, *, seed: int = 0, timeout_s: float = TIMEOUT_S
    ) -> None:
        if target.references is None:
            raise PolicyFailure(f"{target.name} declares no reference policies")
        script = {"kind": "script", "script": target.references.script}
        spec = {**child_spec(target), **script}
        command = worker_command(spec, name, "--seed", str(seed))
        super().__init__(name, command, target.folder, timeout_s)


class FunctionPolicy(PolicyProcess):
    """A Python function ``(observation, memory) -> action``, for environments that ship no policies.

    The memory is a dictionary of the episode's own, empty at its beginning. The function is looked up
    from the working directory and then as any import.

    Args:
        path: ``package.module:function``.
        timeout_s: As for any policy process.
    """

    Complaint = Misuse  # of all that it could say, only that the function is not there

    def __init__(self, path: str, *, timeout_s: float = TIMEOUT_S) -> None:
        command = worker_command({"kind": "functions", "role": "policy", "paths": [path]})
        super().__init__(path, command, Path.cwd(), timeout_s)


def blamed(said: str) -> str:
    """How a policy ended: of a Python traceback the last line of the policy's own and the error, else all of it.

    Args:
        said: Its end and its last words.
    """
    frames = [each for each in FRAME.findall(said) if not each[0].startswith(OURS)]
    if not frames:
        return said
    own = [f for f in frames if not f[0].startswith((sys.prefix, sys.base_prefix, "<frozen"))]
    file, line, function = (own or frames)[-1]
    words = [each for each in said.splitlines() if each and not each[0].isspace()]
    return f"failed at {file}, line {line}, in {function}: {words[-1]}"


PolicyFunction: TypeAlias = Callable[[Observation, Memory], Action]
"""Answers an observation with an action; the second argument is a dictionary of the episode's own, empty at first."""


class CallablePolicy:
    """A Python function as a policy, in this process.

    Args:
        name: For records.
        function: Takes an observation and the episode's memory, and answers an action.
    """

    def __init__(self, name: str, function: PolicyFunction) -> None:
        self.name, self._function = name, function
        self._memories: dict[int, Memory] = {}

    def begin(self, slots: Iterable[int]) -> None:
        """New episodes start in these slots, with an empty memory."""
        self._memories |= {slot: {} for slot in slots}

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The function's actions. What it raises is its caller's to see, as it is.

        Raises:
            PolicyFailure: It answered no dictionary.
        """
        return {slot: self._reply(slot, view) for slot, view in views.items()}

    def end(self, slots: Iterable[int]) -> None:
        """These episodes have ended; their memories go."""
        for slot in slots:
            self._memories.pop(slot, None)

    def close(self) -> None:
        """Nothing is to be freed."""

    def _reply(self, slot: int, view: View) -> Reply:
        action: object = self._function(dict(view.observation), self._memories[slot])
        if not isinstance(action, dict):
            raise PolicyFailure(f"policy {self.name} must answer an action, not {action!r:.200}")
        try:
            json.dumps(action)
        except (TypeError, ValueError) as error:
            raise PolicyFailure(f"policy {self.name}: an action is JSON: {error}") from None
        return Reply(action=action)


class LentPolicy:
    """A policy that stays the caller's: whoever flies it does not close it.

    Args:
        name: For records.
        policy: It.
    """

    def __init__(self, name: str, policy: Policy) -> None:
        self.name, self._act = name, policy.act
        self.begin, self.end = policy.begin, policy.end

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """Its replies.

        Raises:
            PolicyFailure: They are none.
        """
        replies: object = self._act(views)
        if isinstance(replies, Mapping):
            found = {slot: reply for slot, reply in replies.items() if isinstance(reply, Reply)}
            if len(found) == len(replies):
                return found
        raise PolicyFailure(
            f"policy {self.name} must answer a Reply for each view, not {replies!r:.200}"
        )

    def close(self) -> None:
        """Its owner closes it."""
