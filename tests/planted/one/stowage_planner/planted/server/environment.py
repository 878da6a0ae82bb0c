"""Stowage planning for a feeder vessel."""

import logging
import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import StowageAction, StowageObservation, StowageState
except ImportError:
    from models import StowageAction, StowageObservation, StowageState

logger = logging.getLogger(__name__)

MAX_STEPS = 30
N_BAYS = 4
PORTS = 4


class StowageEnvironment(Environment[StowageAction, StowageObservation, StowageState]):
    """The agent assigns containers to bays, then the plan is reviewed."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = StowageState(episode_id=str(uuid4()))
        self._bays: Dict[int, Dict[str, Any]] = {}
        self._manifest: Dict[str, Dict[str, Any]] = {}
        self._plan: Dict[str, int] = {}

    # ------------------------------------------------------------------ setup

    def _generate(self, rng: random.Random) -> None:
        n = rng.randint(8, 10)
        plugs = set(rng.sample(range(1, N_BAYS + 1), 2))
        stacks: Dict[int, List[Dict[str, Any]]] = {b: [] for b in range(1, N_BAYS + 1)}
        for i in range(n):
            stacks[1 + i % N_BAYS].append({})
        boxes = []
        for bay, stack in stacks.items():
            weights = sorted((rng.randint(6, 30) for _ in stack), reverse=True)
            ports = sorted((rng.randint(1, PORTS) for _ in stack), reverse=True)
            for w, p in zip(weights, ports):
                boxes.append(
                    {
                        "weight": w,
                        "port": p,
                        "reefer": bay in plugs and rng.random() < 0.5,
                        "bay": bay,
                    }
                )
        self._bays = {
            b: {
                "bay": b,
                "max_tiers": 3,
                "max_weight": sum(x["weight"] for x in boxes if x["bay"] == b) + rng.randint(2, 6),
                "plug": b in plugs,
            }
            for b in stacks
        }
        rng.shuffle(boxes)
        self._manifest = {}
        for i, box in enumerate(boxes):
            cid = f"{rng.choice('MSHO')}{rng.choice('AKL')}CU{100 + 7 * i + rng.randint(0, 6)}"
            self._manifest[cid] = {
                "id": cid,
                "weight": box["weight"],
                "port": box["port"],
                "reefer": box["reefer"],
            }

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> StowageObservation:
        self._generate(random.Random(seed))
        self._plan = {}
        self._state = StowageState(episode_id=episode_id or str(uuid4()))
        return self._observe("New voyage. Plan the stowage, then finalize.")

    # ------------------------------------------------------------------- step

    def step(
        self, action: StowageAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> StowageObservation:
        if self._state.finalized:
            return self._observe("The plan is already final.", done=True)
        self._state.step_count += 1
        message = ""
        if action.command == "assign":
            if action.container_id not in self._manifest:
                message = f"Unknown container {action.container_id}."
            elif action.bay is None:
                message = "assign needs a bay."
            else:
                self._plan.pop(action.container_id, None)
                self._plan[action.container_id] = action.bay
                message = f"{action.container_id} planned for bay {action.bay}."
        elif action.command == "remove":
            removed = self._plan.pop(action.container_id or "", None)
            message = "Removed." if removed is not None else "Not in the plan."
        elif action.command == "bay_report":
            ids = [c for c, b in self._plan.items() if b == action.bay]
            weight = sum(self._manifest[c]["weight"] for c in ids)
            message = f"Bay {action.bay}: {weight} t, bottom to top {ids}."

        self._state.plan = dict(self._plan)
        if action.command == "finalize" or self._state.step_count >= MAX_STEPS:
            self._state.finalized = True
            notes = self._review()
            score = max(0.0, 1.0 - len(notes) / len(self._manifest))
            return self._observe("Plan reviewed.", done=True, reward=score, notes=notes)
        return self._observe(message, reward=0.0)

    # ----------------------------------------------------------------- review

    def _review(self) -> List[str]:
        """Check the plan against the loading rules, one note per violation."""
        notes: List[str] = []
        try:
            stacks: Dict[int, List[Dict[str, Any]]] = {b: [] for b in self._bays}
            for cid, bay in self._plan.items():
                stacks[bay].append(self._manifest[cid])
            for cid in self._manifest:
                if cid not in self._plan:
                    notes.append(f"{cid} is not loaded")
            for bay, stack in stacks.items():
                spec = self._bays[bay]
                if sum(c["weight"] for c in stack) > spec["max_weight"]:
                    notes.append(f"bay {bay} is overweight")
                for extra in stack[spec["max_tiers"]:]:
                    notes.append(f"{extra['id']} is above the height of bay {bay}")
                for c in stack:
                    if c["reefer"] and not spec["plug"]:
                        notes.append(f"{c['id']} has no plug in bay {bay}")
                for below, above in zip(stack, stack[1:]):
                    if above["weight"] > below["weight"]:
                        notes.append(f"{above['id']} stands on lighter {below['id']}")
                    if above["port"] > below["port"]:
                        notes.append(f"{above['id']} blocks {below['id']} at discharge")
        except Exception:
            logger.exception("review stopped early")
        return notes

    def _observe(
        self,
        message: str,
        done: bool = False,
        reward: Optional[float] = None,
        notes: Optional[List[str]] = None,
    ) -> StowageObservation:
        return StowageObservation(
            done=done,
            reward=reward,
            message=message,
            bays=list(self._bays.values()),
            manifest=list(self._manifest.values()),
            plan=dict(self._plan),
            review_notes=notes or [],
            steps_left=MAX_STEPS - self._state.step_count,
        )

    @property
    def state(self) -> StowageState:
        return self._state
