"""Lamplight: a street lighting technician works off a round of dark lamps."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server import Environment

try:
    from ..models import LamplightAction, LamplightObservation, LamplightState
except ImportError:
    from models import LamplightAction, LamplightObservation, LamplightState

PARTS = ["driver", "fuse", "led_module", "photocell", "relay", "surge_arrester"]
SYMPTOMS = [
    "buzzes but stays dark",
    "glows faintly at noon",
    "lights for a second, then dies",
    "no voltage behind the hatch",
    "scorch marks at the terminal",
    "voltage present, no current",
]
DEFECTIVE = "defective part"
MAX_STEPS = 40


class LamplightEnvironment(Environment[LamplightAction, LamplightObservation, LamplightState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._sheet: Dict[str, str] = {}
        self._symptom: Dict[str, str] = {}
        self._socket: Dict[str, Optional[str]] = {}
        self._inspected: Dict[str, str] = {}
        self._state = LamplightState()

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> LamplightObservation:
        rng = random.Random(seed)
        parts = rng.sample(PARTS, len(PARTS))
        self._sheet = dict(zip(SYMPTOMS, parts))
        orders = sorted(f"L{i:02d}" for i in rng.sample(range(1, 90), rng.randint(7, 10)))
        self._symptom = {lamp: rng.choice(SYMPTOMS) for lamp in orders}
        self._socket = {lamp: DEFECTIVE for lamp in orders}
        self._inspected = {}
        self._state = LamplightState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            work_orders=orders,
            needed={lamp: self._sheet[self._symptom[lamp]] for lamp in orders},
        )
        return self._observe(f"{len(orders)} lamps are reported dark.", reward=0.0)

    def step(self, action: LamplightAction, timeout_s: Optional[float] = None, **kwargs: Any) -> LamplightObservation:
        if self._state.closed:
            return self._observe("The round is closed.", reward=0.0, done=True)
        self._state.step_count += 1
        before = self._state.repairs
        lamp = action.lamp.strip().upper()

        if lamp not in self._socket:
            message = f"There is no work order for {action.lamp!r}."
        elif action.command == "inspect":
            message = self._inspect(lamp)
        elif action.command == "remove":
            message = self._remove(lamp)
        else:
            message = self._fit(lamp, action.part.strip().lower())

        total = len(self._state.work_orders)
        reward = (self._state.repairs - before) / total
        if self._state.repairs >= total:
            message += " All work orders are done."
            self._state.closed = True
        elif self._state.step_count >= MAX_STEPS:
            message += " The shift is over."
            self._state.closed = True
        observation = self._observe(message, reward=round(reward, 6), done=self._state.closed)
        if self._state.closed:
            observation.metadata = {"success": self._state.repairs >= total}
        return observation

    @property
    def state(self) -> LamplightState:
        return self._state

    # -- work at the lamp post -------------------------------------------

    def _is_lit(self, lamp: str) -> bool:
        return self._socket[lamp] == self._state.needed[lamp]

    def _inspect(self, lamp: str) -> str:
        self._inspected[lamp] = self._symptom[lamp]
        return f"{lamp}: {self._symptom[lamp]}."

    def _remove(self, lamp: str) -> str:
        part = self._socket[lamp]
        if part is None:
            return f"The socket of {lamp} is empty."
        self._socket[lamp] = None
        return f"Took the {part.replace('_', ' ')} out of {lamp}."

    def _fit(self, lamp: str, part: str) -> str:
        if part not in PARTS:
            return f"The van carries no {part!r}."
        if self._socket[lamp] is not None:
            return f"The socket of {lamp} is taken, remove the old part first."
        self._socket[lamp] = part
        if not self._is_lit(lamp):
            return f"Fitted the {part.replace('_', ' ')}, {lamp} stays dark."
        self._state.repairs += 1
        return f"Fitted the {part.replace('_', ' ')}, {lamp} is lit."

    def _observe(self, message: str, reward: float, done: bool = False) -> LamplightObservation:
        return LamplightObservation(
            message=message,
            work_orders=list(self._state.work_orders),
            service_sheet=dict(self._sheet),
            log={
                lamp: {
                    "symptom": self._inspected.get(lamp),
                    "socket": socket or "empty",
                    "lit": self._is_lit(lamp),
                }
                for lamp, socket in self._socket.items()
            },
            repairs=self._state.repairs,
            steps_left=MAX_STEPS - self._state.step_count,
            reward=reward,
            done=done,
        )
