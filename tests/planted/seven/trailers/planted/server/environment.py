"""A shift at the cross-dock: three trailers, eighteen pallets, one forklift."""

import random
import uuid
from collections import Counter
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Move,
        Pallet,
        Trailer,
        TrailersAction,
        TrailersObservation,
        TrailersState,
    )
except ImportError:
    from models import (
        Move,
        Pallet,
        Trailer,
        TrailersAction,
        TrailersObservation,
        TrailersState,
    )

TOWNS = [
    "Aldbrook", "Barrow", "Crewkerne", "Dunmore", "Elsted", "Farnby",
    "Grasmoor", "Harwick", "Inverlay",
]
TRAILERS = 3
PALLETS = 18
FLOOR = 7  # pallets the dock has room for
MOVES = 48
WELL_LOADED = 1.0
BADLY_LOADED = -1.0
LEFT_BEHIND = -0.25


class TrailersEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._trailers: List[Trailer] = []
        self._floor: List[Pallet] = []
        self._yard: List[Pallet] = []
        self._moves = 0
        self._done = True
        self._state = TrailersState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> TrailersObservation:
        rng = random.Random(seed)
        towns = rng.sample(TOWNS, len(TOWNS))
        stops = len(towns) // TRAILERS
        self._trailers = [
            Trailer(trailer=i, route=towns[i * stops : (i + 1) * stops])
            for i in range(TRAILERS)
        ]
        cargo = towns + rng.choices(towns, k=PALLETS - len(towns))
        rng.shuffle(cargo)
        self._yard = [Pallet(pallet=i, town=town) for i, town in enumerate(cargo)]
        self._floor = []
        self._bring_in()
        self._moves = MOVES
        self._done = False
        self._state = TrailersState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The shift begins. Three empty trailers are at the doors.")

    def step(
        self,
        action: TrailersAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> TrailersObservation:
        if self._done:
            return self._look("The trailers have left.")
        self._state.step_count += 1
        self._moves -= 1
        if action.move is Move.DEPART:
            return self._depart(0.0, "You send the trailers off.")
        if action.trailer is None or not 0 <= action.trailer < TRAILERS:
            reward, message = 0.0, "There is no such trailer."
        elif action.move is Move.LOAD:
            reward, message = self._load(action.pallet, self._trailers[action.trailer])
        else:
            reward, message = self._unload(self._trailers[action.trailer])
        if not self._floor and not self._yard:
            return self._depart(reward, message + " Everything is loaded.")
        if self._moves == 0:
            return self._depart(reward, message + " The shift is over.")
        return self._look(message, reward)

    def _load(self, number: Optional[int], trailer: Trailer) -> "tuple[float, str]":
        pallet = next((p for p in self._floor if p.pallet == number), None)
        if pallet is None:
            return 0.0, "That pallet is not at the dock."
        reward = self._worth(pallet, trailer)
        self._floor.remove(pallet)
        trailer.aboard.append(pallet)
        self._bring_in()
        where = f"Pallet {pallet.pallet} ({pallet.town}) is in trailer {trailer.trailer}"
        if reward > 0:
            return reward, where + ", well loaded."
        return reward, where + ", but it is out of place there."

    def _unload(self, trailer: Trailer) -> "tuple[float, str]":
        if not trailer.aboard:
            return 0.0, f"Trailer {trailer.trailer} is empty."
        pallet = trailer.aboard.pop()
        self._floor.append(pallet)
        return 0.0, f"Pallet {pallet.pallet} ({pallet.town}) is back at the dock."

    @staticmethod
    def _worth(pallet: Pallet, trailer: Trailer) -> float:
        """A pallet is well loaded if its trailer goes there and it blocks no other.

        The trailer is unloaded from the doors, so what stands further in must not be
        due at an earlier stop.
        """
        route = trailer.route
        if pallet.town not in route:
            return BADLY_LOADED
        stop = route.index(pallet.town)
        for other in trailer.aboard:
            if other.town in route and route.index(other.town) < stop:
                return BADLY_LOADED
        return WELL_LOADED

    def _bring_in(self) -> None:
        while self._yard and len(self._floor) < FLOOR:
            self._floor.append(self._yard.pop(0))

    def _depart(self, reward: float, message: str) -> TrailersObservation:
        self._done = True
        left = len(self._floor) + len(self._yard)
        if left:
            message += f" {left} pallets stay behind."
        return self._look(message, reward + LEFT_BEHIND * left)

    def _look(self, message: str, reward: float = 0.0) -> TrailersObservation:
        self._state.loaded = sum(len(trailer.aboard) for trailer in self._trailers)
        self._state.moves_left = self._moves
        return TrailersObservation(
            message=message,
            trailers=[trailer.model_copy(deep=True) for trailer in self._trailers],
            floor=[pallet.model_copy() for pallet in self._floor],
            still_to_come=dict(Counter(pallet.town for pallet in self._yard)),
            moves_left=self._moves,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> TrailersState:
        return self._state
