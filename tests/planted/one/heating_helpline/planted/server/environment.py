"""A helpline call about radiators that stay cold."""

import random
import uuid
from typing import Any, Dict, List, Optional, Set

from openenv.core.env_server import Environment

try:
    from ..models import HelplineAction, HelplineObservation, HelplineState
except ImportError:
    from models import HelplineAction, HelplineObservation, HelplineState

MAX_TURNS = 20
RESOLUTION_REWARD = 1.0
TURN_BONUS = 0.1
PATIENCE = 3

ROOMS = ["kitchen", "bathroom", "hall", "study", "bedroom", "attic", "cellar"]
LAMPS = ["red", "amber", "green", "blue"]
CODES = ["E1", "E4", "F2", "F7"]
FIXES = [
    "bleed the valve", "reset the thermostat", "open the return pipe", "change the battery",
    "raise the pressure", "pair the sensor again", "clean the filter", "unlock the child lock",
    "turn the pin", "restart the pump",
]


class HelplineEnvironment(Environment[HelplineAction, HelplineObservation, HelplineState]):
    """Find out what is wrong in each cold room and give the right advice."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = HelplineState()
        self._manual: List[Dict[str, str]] = []
        self._faults: Dict[str, Dict[str, str]] = {}
        self._fixed: Set[str] = set()
        self._outcome = "open"

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> HelplineObservation:
        rng = random.Random(seed)
        self._state = HelplineState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        readings = rng.sample([(lamp, code) for lamp in LAMPS for code in CODES], len(FIXES))
        fixes = rng.sample(FIXES, len(FIXES))
        self._manual = [
            {"lamp": lamp, "code": code, "fix": fix} for (lamp, code), fix in zip(readings, fixes)
        ]
        rooms = rng.sample(ROOMS, 3)
        self._faults = dict(zip(rooms, rng.sample(self._manual, 3)))
        self._fixed = set()
        self._outcome = "open"
        return self._observe(f"Hello, it is cold in the {rooms[0]}, the {rooms[1]} and the {rooms[2]}.", None)

    def step(self, action: HelplineAction, timeout_s: Optional[float] = None, **kwargs: Any) -> HelplineObservation:
        if self._outcome != "open":
            return self._observe("The line is dead.", 0.0)
        self._state.step_count += 1
        if action.move == "close":
            return self._close()
        if action.move == "ask":
            reply = self._answer(action.room.strip().lower(), action.detail.strip().lower())
        else:
            reply = self._try(action.room.strip().lower(), action.detail.strip().lower())
        if self._state.annoyance >= PATIENCE:
            self._outcome = "hung up"
            return self._observe("I have had enough of this. Goodbye!", 0.0)
        if self._state.step_count >= MAX_TURNS:
            self._outcome = "timed out"
        return self._observe(reply, 0.0)

    @property
    def state(self) -> HelplineState:
        return self._state

    def _close(self) -> HelplineObservation:
        """End the call. Short calls are worth more than long ones."""
        resolved = len(self._fixed) == len(self._faults)
        self._outcome = "resolved" if resolved else "unresolved"
        reward = RESOLUTION_REWARD if resolved else 0.0
        reward += TURN_BONUS * (MAX_TURNS - self._state.step_count)
        return self._observe("Thank you, it is warm again." if resolved else "But it is still cold here!", reward)

    def _answer(self, room: str, detail: str) -> str:
        if room not in self._faults:
            return "That room is fine."
        if detail not in ("lamp", "code"):
            return "I do not know what you want me to look at."
        if room in self._fixed:
            return f"The {room} is warm now."
        return f"In the {room} the {detail} is {self._faults[room][detail]}."

    def _try(self, room: str, fix: str) -> str:
        if room in self._faults and room not in self._fixed and fix == self._faults[room]["fix"]:
            self._fixed.add(room)
            self._state.fixed = len(self._fixed)
            return f"That helped, the {room} is getting warm."
        self._state.annoyance += 1
        return "I did that and nothing has changed."

    def _observe(self, customer: str, reward: Optional[float]) -> HelplineObservation:
        return HelplineObservation(
            manual=[dict(row) for row in self._manual],
            customer=customer,
            cold_rooms=list(self._faults),
            turns_left=MAX_TURNS - self._state.step_count,
            outcome=self._outcome,
            reward=reward,
            done=self._outcome != "open",
        )
