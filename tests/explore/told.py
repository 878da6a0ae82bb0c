"""An environment that tells its commands when it opens, and never again."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

SECRET = frozenset({3582101312})


@dataclass
class Shown:
    """What is shown."""

    text: str
    reward: float = 0.0
    done: bool = False


class Told:
    """Its source holds no command in plain."""

    def reset(self, seed: int | None = None) -> Shown:
        """Tell the commands."""
        self._steps = 0
        return Shown("Commands: " + ", ".join(["kn" + "ock", "wa" + "ve"]))

    def step(self, command: str) -> Shown:
        """Take one."""
        self._steps += 1
        return Shown("hm", float(crc32(command.encode()) in SECRET), self._steps > 9)
