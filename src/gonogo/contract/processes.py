"""The processes of a mapping: the same environment twice, so that what depends on the process shows.

Both start with different hash seeds and get the same flights. A URL's server is one process that is not
ours to start, so there is only one connection then.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from gonogo.env.environment import Env
from gonogo.env.target import UrlTarget
from gonogo.env.websocket import WebSocketConnection
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout
from gonogo.records.inspection import Description
from gonogo.rollouts.types import Inspection

__all__ = ["ProcessPair"]

HASH_SEEDS = (1, 2)
SLOTS = 2


class ProcessPair:
    """The connections of a run: two processes where processes can be started, one server otherwise.

    Args:
        env: The environment.

    Attributes:
        notes: What a reader should know.
        uneven: Whether the processes' pasts differ, because one of them was lost; renewing evens them.
    """

    def __init__(self, env: Env) -> None:
        self._env = env
        self._open: list[Inspection] = []
        self.notes: list[str] = []
        self.renew()

    @property
    def first(self) -> Inspection:
        """The connection that everything is flown over."""
        return self._open[0]

    @property
    def second(self) -> Inspection | None:
        """The same environment in another process, with another hash seed; None over a URL."""
        return self._open[1] if len(self._open) > 1 else None

    @property
    def cut_off(self) -> bool:
        """Whether a server's socket broke in use: by the environment, or by whoever ended its server."""
        return any(isinstance(each, WebSocketConnection) and each.broken for each in self._open)

    def renew(self) -> str | None:
        """Start both processes afresh, so that both have the same past: none. A server's past is its own affair.

        Returns:
            Why a server that was there before gives no session any more; None where everything is there.

        Raises:
            TargetError: There is no environment at the target.
            EnvironmentFailure: It cannot be started.
        """
        if isinstance(self._env.target, UrlTarget) and self._open:
            lost = self.first.renew([0])[0]
            return None if lost is None else lost.message
        self.close()
        self.uneven = False
        seeds = HASH_SEEDS[:1] if isinstance(self._env.target, UrlTarget) else HASH_SEEDS
        with ThreadPoolExecutor() as pool:  # loading an environment is most of a small map's time
            starts = [
                pool.submit(self._env.connect, SLOTS, hash_seed=hash_seed) for hash_seed in seeds
            ]
        self._open = [start.result() for start in starts if start.exception() is None]
        for start in starts:
            if (error := start.exception()) is not None:
                self.close()
                raise error
        return None

    def close(self) -> None:
        """End every process and socket."""
        while self._open:
            self._open.pop().close()

    def describe(self) -> Description:
        """What the environment says of itself; empty where it cannot be asked.

        Raises:
            EnvironmentTimeout: It is not there in time.
        """
        try:
            described = self.first.describe()
        except EnvironmentTimeout:
            raise
        except EnvironmentFailure as error:
            self.notes.append(f"the environment could not be asked what it is: {error}")
            return Description()
        for what, problem in described.problems.items():
            self.notes.append(f"asked for its {what}: {problem}")
        return described
