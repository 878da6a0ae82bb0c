"""Watch repair bench: rebuild a movement from a tray of parts."""

import random
from typing import Any, Dict, List, Optional, Set
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import HorologyAction, HorologyObservation, HorologyState
except ImportError:
    from models import HorologyAction, HorologyObservation, HorologyState

NAMES = [
    "barrel", "centre wheel", "third wheel", "fourth wheel", "escape wheel", "pallet fork",
    "balance", "click", "ratchet", "cannon pinion", "setting lever", "winding stem",
]
PARTS = 8
MAX_OPERATIONS = 36
ASSEMBLY_SHARE = 0.5
RUNNING_SHARE = 0.5


class HorologyEnvironment(Environment):
    """A part seats where its pivot size matches a free socket of a part already in the movement."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = HorologyState()
        self._sizes: Dict[str, Dict[str, Any]] = {}
        self._calibre: List[str] = []
        self._movement: List[str] = []
        self._worn: List[str] = []
        self._order: List[str] = []
        self._credited: Set[str] = set()
        self._done = True

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> HorologyObservation:
        rng = random.Random(seed)
        self._calibre = rng.sample(NAMES, PARTS)
        bores = rng.sample(range(20, 99), 2 * PARTS + 2)
        free = [bores.pop(), bores.pop()]
        self._sizes = {"base plate": {"pivot": None, "sockets": list(free)}}
        for name in self._calibre:
            pivot = free.pop(rng.randrange(len(free)))
            sockets = [bores.pop()] if not free or rng.random() < 0.7 else []
            free += sockets
            self._sizes[name] = {"pivot": pivot, "sockets": sockets}
        # The old part still sits where its replacement has to go.
        old = next(n for n in self._calibre if self._sizes[n]["pivot"] in self._sizes["base plate"]["sockets"])
        self._worn = [f"worn {old}"]
        self._sizes[self._worn[0]] = {"pivot": self._sizes[old]["pivot"], "sockets": []}
        self._movement = ["base plate", self._worn[0]]
        self._credited = set()
        self._done = False
        self._state = HorologyState(episode_id=episode_id or str(uuid4()), step_count=0, operations_left=MAX_OPERATIONS)
        self._order = sorted(self._sizes, key=lambda n: rng.random())
        return self._observe("Rebuild the movement with every part of the calibre.", None)

    def step(self, action: HorologyAction, timeout_s: Optional[float] = None, **kwargs: Any) -> HorologyObservation:
        if self._done:
            return self._observe("The bench is closed.", 0.0)
        self._state.step_count += 1
        self._state.operations_left -= 1
        part = action.part.strip().lower()
        reward = 0.0
        if part not in self._sizes or part == "base plate":
            note = f"There is no loose part called {action.part!r}."
        elif action.op == "fit":
            note = self._fit(part)
            if note.endswith("seated."):
                reward = self._credit(part)
        else:
            note = self._remove(part)

        self._state.fitted = sum(n in self._movement for n in self._calibre)
        if self._state.fitted == PARTS:
            self._done = True
            reward += RUNNING_SHARE
            note += " The watch is running."
        elif self._state.operations_left <= 0:
            self._done = True
            note += " Closing time."
        return self._observe(note, round(reward, 4))

    def _taken(self) -> Set[int]:
        return {self._sizes[n]["pivot"] for n in self._movement if n != "base plate"}

    def _fit(self, part: str) -> str:
        pivot = self._sizes[part]["pivot"]
        if part in self._movement:
            return f"The {part} is already in the movement."
        if not any(pivot in self._sizes[n]["sockets"] for n in self._movement):
            return f"Nothing in the movement takes a pivot of {pivot}."
        if pivot in self._taken():
            return f"The socket for {pivot} is occupied."
        self._movement.append(part)
        return f"The {part} is seated."

    def _remove(self, part: str) -> str:
        if part not in self._movement:
            return f"The {part} is not in the movement."
        if any(s in self._taken() for s in self._sizes[part]["sockets"]):
            return f"Another part sits on the {part}."
        self._movement.remove(part)
        return f"The {part} is out."

    def _credit(self, part: str) -> float:
        """Each seated part of the calibre is a step towards a running watch."""
        if part not in self._calibre:
            return 0.0
        self._credited.add(part)
        return ASSEMBLY_SHARE / PARTS

    def _observe(self, note: str, reward: Optional[float]) -> HorologyObservation:
        return HorologyObservation(
            note=note,
            tray={n: self._sizes[n] for n in self._order if n not in self._movement},
            movement={n: self._sizes[n] for n in self._movement},
            discard=list(self._worn),
            operations_left=self._state.operations_left,
            done=self._done,
            reward=reward,
            metadata={"success": bool(self._calibre) and self._state.fitted == PARTS, "parts_seated": len(self._credited)},
        )

    @property
    def state(self) -> HorologyState:
        return self._state
