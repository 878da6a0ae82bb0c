"""Policies that the caller gives as objects: a Python function, or a policy of the caller's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from gonogo.errors import PolicyFailure
from gonogo.rollouts.types import Policy, Reply, View
from gonogo.wire import Action, JsonObject, Observation

__all__ = ["CallablePolicy", "LentPolicy", "PolicyFunction"]

PolicyFunction: TypeAlias = Callable[[Observation, JsonObject], Action]
"""Answers an observation with an action; the second argument is a dictionary of the episode's own, empty at first."""


class CallablePolicy:
    """A Python function as a policy, in this process.

    Args:
        name: For records.
        function: Takes an observation and the episode's memory, and answers an action.
    """

    def __init__(self, name: str, function: PolicyFunction) -> None:
        self.name, self._function = name, function
        self._memories: dict[int, JsonObject] = {}

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
