"""Minerals environment: name eight samples with the help of a determination table."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import MineralsAction, MineralsObservation, MineralsState
except ImportError:
    from models import MineralsAction, MineralsObservation, MineralsState

SLOTS = [f"D{i}" for i in range(1, 9)]
TESTS: Dict[str, List[str]] = {
    "streak": ["white", "black", "reddish"],
    "lustre": ["metallic", "vitreous", "dull"],
    "cleavage": ["none", "one plane", "three planes"],
}
MINERALS = [
    "azurite", "barite", "calcite", "dolomite", "epidote", "fluorite",
    "galena", "hematite", "magnetite", "pyrite", "rutile", "sphalerite",
]
MINERALS_PER_DRAWER = 4
MAX_STEPS = 36


class MineralsEnvironment(
    Environment[MineralsAction, MineralsObservation, MineralsState]
):
    SUPPORTS_CONCURRENT_SESSIONS = True

    # slot -> confirmed name
    catalogue: Dict[str, str] = {}

    def __init__(self) -> None:
        super().__init__()
        self._state = MineralsState(episode_id=str(uuid.uuid4()))
        self._table: Dict[str, Dict[str, str]] = {}
        self._drawer: Dict[str, str] = {}
        self._results: Dict[str, Dict[str, str]] = {}
        self._refused: List[str] = []
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> MineralsObservation:
        rng = random.Random(seed)
        names = rng.sample(MINERALS, MINERALS_PER_DRAWER)
        profiles = [
            {"streak": s, "lustre": l, "cleavage": c}
            for s in TESTS["streak"]
            for l in TESTS["lustre"]
            for c in TESTS["cleavage"]
        ]
        self._table = dict(zip(names, rng.sample(profiles, MINERALS_PER_DRAWER)))
        samples = names * (len(SLOTS) // MINERALS_PER_DRAWER)
        rng.shuffle(samples)
        self._drawer = dict(zip(SLOTS, samples))
        self._results = {slot: {} for slot in SLOTS}
        self._refused = []
        self._done = False
        self._state = MineralsState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            drawer_number=rng.randrange(1000, 9999),
        )
        return self._observe(f"Drawer {self._state.drawer_number} is on the bench.")

    def step(
        self, action: MineralsAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> MineralsObservation:
        if self._done:
            return self._observe("The drawer has been handed in. Reset for the next one.", 0.0)
        self._state.step_count += 1

        if action.command == "submit":
            return self._hand_in("Drawer handed in.")
        if action.slot not in self._drawer:
            message = f"There is no slot {action.slot!r}."
        elif action.command == "test":
            message = self._run_test(action.slot, action.test)
        else:
            message = self._identify(action.slot, action.mineral)

        if self._state.step_count >= MAX_STEPS:
            return self._hand_in(message + " Closing time, the drawer is handed in.")
        return self._observe(message, 0.0)

    @property
    def state(self) -> MineralsState:
        return self._state

    def _run_test(self, slot: str, test: Optional[str]) -> str:
        if test not in TESTS:
            return f"Unknown test {test!r}; try one of {', '.join(TESTS)}."
        value = self._table[self._drawer[slot]][test]
        self._results[slot][test] = value
        return f"{slot}: {test} {value}."

    def _identify(self, slot: str, mineral: Optional[str]) -> str:
        if mineral not in self._table:
            return f"{mineral!r} is not in the table of this quarry."
        if slot in self.catalogue:
            return f"{slot} already has its name."
        if slot in self._refused:
            return f"{slot} has been set aside."
        if mineral != self._drawer[slot]:
            self._refused.append(slot)
            return f"The reference collection refuses {mineral} for {slot}."
        self.catalogue[slot] = mineral
        return f"{slot} is catalogued as {mineral}."

    def _hand_in(self, message: str) -> MineralsObservation:
        self._done = True
        named = len(self.catalogue)
        obs = self._observe(f"{message} {named} of {len(SLOTS)} named.", named / len(SLOTS))
        obs.metadata = {"success": named == len(SLOTS)}
        return obs

    def _observe(self, message: str, reward: Optional[float] = None) -> MineralsObservation:
        self._state.catalogued = len(self.catalogue)
        return MineralsObservation(
            message=message,
            slots=list(SLOTS),
            tests=list(TESTS),
            table={name: dict(profile) for name, profile in self._table.items()},
            results={slot: dict(seen) for slot, seen in self._results.items()},
            catalogued=sorted(self.catalogue),
            refused=sorted(self._refused),
            steps_left=MAX_STEPS - self._state.step_count,
            done=self._done,
            reward=reward,
        )
