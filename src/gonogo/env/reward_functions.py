"""Reward functions that live outside the environment: a trainer's, of finished episodes.

They have the signature that TRL gives a reward function, ``function(prompts, completions, **columns)``, and answer
a list of numbers, or None where one says nothing. An episode is a conversation: its prompt is what was first
seen, its completion the replies with what was seen between. Columns: ``success``, what the environment says of
the end, and ``environment_return``. Functions are foreign code and run in a process of their own, one JSON line a
batch each way.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from gonogo.env.variables import child_environment, hint
from gonogo.env.worker.process import TIMEOUT_S, Child, Unanswered, fork, worker_command
from gonogo.errors import Misuse, PolicyFailure
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import WireObject


class RewardFunctions:
    """Functions that pay for episodes in the environment's place; their pay is summed.

    Args:
        paths: ``package.module:function`` of each.
        timeout_s: Seconds that a batch may take, starting up included.
    """

    def __init__(self, paths: Sequence[str], *, timeout_s: float = TIMEOUT_S) -> None:
        self._names = ", ".join(paths)
        self._timeout_s = timeout_s
        command = worker_command({"kind": "functions", "role": "rewards", "paths": list(paths)})
        self._child = Child(command, Path.cwd(), child_environment(), fork)

    def pay(self, episodes: Sequence[Episode]) -> None:
        """Put the functions' pay in place of the environment's: all of it with the last turn.

        Each function is a component by its path. Lost episodes are left as they are.

        Raises:
            Misuse: A function cannot be loaded, or answers something else than a number for each episode.
            PolicyFailure: It died or was late.
        """
        ended = [e for e in episodes if e.error is None and e.turns]
        if not ended:
            return
        paid = self._ask(
            {
                "prompts": [[message("user", e.turns[0].text)] for e in ended],
                "completions": [list(conversation(e)) for e in ended],
                "success": [e.success for e in ended],
                "environment_return": [e.episode_return for e in ended],
            }
        )
        for number, episode in enumerate(ended):
            values = {path: column[number] for path, column in paid.items()}
            known = {path: value for path, value in values.items() if value is not None}
            episode.components = known
            episode.episode_return = math.fsum(known.values()) if known else None
            for turn in episode.turns:
                turn.reward = 0.0
            episode.turns[-1].reward = episode.episode_return

    def close(self) -> None:
        """End the process."""
        self._child.close()

    def _ask(self, batch: WireObject) -> dict[str, list[float | None]]:
        line = json.dumps(batch).encode() + b"\n"
        try:
            (answer,) = self._child.exchange_lines(line, 1, self._timeout_s)
        except Unanswered as error:
            raise PolicyFailure(f"reward function {self._names} {error}") from None
        paid = self._read(answer)
        for path, column in paid.items():
            if len(column) != len(batch["prompts"]):
                raise Misuse(
                    f"reward function {path} must answer a number for each of "
                    f"{len(batch['prompts'])} episodes, not {len(column)}"
                )
            wrong = [value for value in column if value is not None and not math.isfinite(value)]
            if wrong:
                raise Misuse(f"reward function {path} must answer finite numbers, not {wrong[0]}")
        return paid

    def _read(self, answer: bytes) -> dict[str, list[float | None]]:
        try:
            paid: Any = from_json(answer)
        except ValueError:
            paid = answer[:200]
        if isinstance(paid, dict) and "error" in paid:
            raise Misuse(f"reward function {paid['error']}")
        if isinstance(paid, dict) and "raised" in paid:
            raise PolicyFailure(f"reward function {paid['raised']}{hint(str(paid['raised']))}")
        fits = isinstance(paid, dict) and all(
            isinstance(column, list)
            and all(value is None or type(value) is float for value in column)
            for column in paid.values()
        )
        if not fits:
            raise PolicyFailure(f"reward function {self._names} broke the protocol: {paid!r:.200}")
        answered: dict[str, list[float | None]] = paid
        return answered


def conversation(episode: Episode) -> Iterator[WireObject]:
    """The replies, and between them what was seen."""
    for number, turn in enumerate(episode.turns):
        if number:
            yield message("user", turn.text)
        yield message("assistant", said(turn))


def said(turn: Turn) -> str:
    """A reply as a model would have written it: its text, or the action as JSON."""
    return turn.reply if turn.reply is not None else json.dumps(turn.action)


def message(role: str, content: str) -> WireObject:
    """One message of a conversation."""
    return {"role": role, "content": content}
