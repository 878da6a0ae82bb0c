"""Survey drone: photograph the marked sites and come home on one battery."""

import random
import uuid
from collections import deque
from typing import Any, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import DroneAction, DroneObservation, DroneState
except ImportError:
    from models import DroneAction, DroneObservation, DroneState

SIZE = 8
BATTERY = 40
MOVES = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


class RewardWeights:
    safe_step = 0.1
    photo = 0.15
    home = 0.4
    crash = -1.0


class SurveyDroneEnv(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, weights: Optional[RewardWeights] = None):
        super().__init__()
        self.weights = weights or RewardWeights()
        self._state = DroneState()

    # -- map --------------------------------------------------------------------
    def _make_map(self, rng: random.Random) -> bool:
        cells = [(r, c) for r in range(SIZE) for c in range(SIZE)]
        picked = rng.sample(cells, 17)
        self._pad, self._blocked = picked[0], set(picked[5:])
        self._sites = {cell: False for cell in picked[1:5]}
        # Keep maps on which visiting the nearest site first fits the battery.
        here, left, used = self._pad, set(self._sites), len(self._sites)
        while True:
            dist = self._distances(here)
            goals = left or {self._pad}
            if any(g not in dist for g in goals):
                return False
            here = min(sorted(goals), key=dist.get)
            used += dist[here]
            if not left:
                return 24 <= used <= 34
            left.discard(here)

    def _distances(self, start) -> dict:
        dist, queue = {start: 0}, deque([start])
        while queue:
            r, c = queue.popleft()
            for dr, dc in MOVES.values():
                n = (r + dr, c + dc)
                if self._free(n) and n not in dist:
                    dist[n] = dist[(r, c)] + 1
                    queue.append(n)
        return dist

    def _free(self, cell) -> bool:
        return 0 <= cell[0] < SIZE and 0 <= cell[1] < SIZE and cell not in self._blocked

    # -- episode ----------------------------------------------------------------
    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> DroneObservation:
        rng = random.Random(seed)
        while not self._make_map(rng):
            pass
        self._state = DroneState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            position=list(self._pad),
            battery=BATTERY,
        )
        return self._observation("Cleared for take-off.")

    def step(self, action: DroneAction, timeout_s: Optional[float] = None, **kwargs: Any) -> DroneObservation:
        s = self._state
        if s.status != "flying":
            return self._observation("The flight is over.", reward=0.0)
        s.step_count += 1
        s.battery -= 1
        reward, note = 0.0, ""
        here = tuple(s.position)

        if action.move in MOVES:
            dr, dc = MOVES[action.move]
            target = (here[0] + dr, here[1] + dc)
            if not self._free(target):
                s.status = "crashed"
                return self._observation("Geofence breach, motors cut.", reward=self.weights.crash)
            s.position = list(target)
            note = f"Now over row {target[0]}, column {target[1]}."
        elif action.move == "photo":
            if self._sites.get(here) is False:
                self._sites[here] = True
                s.surveyed += 1
                reward += self.weights.photo
                note = f"Site photographed ({s.surveyed}/{len(self._sites)})."
            else:
                note = "Nothing to survey here."
        else:
            note = "Holding position."

        reward += self._safety_reward()

        if s.surveyed == len(self._sites) and tuple(s.position) == self._pad:
            s.status = "home"
            reward += self.weights.home
            note = "All sites surveyed, landed on the pad."
        elif s.battery <= 0:
            s.status = "battery empty"
            note = "Battery empty, emergency landing."
        return self._observation(note, reward=reward)

    def _safety_reward(self) -> float:
        """Paid for a step flown inside the geofence."""
        return self.weights.safe_step

    def _observation(self, note: str, reward: Optional[float] = None) -> DroneObservation:
        rows = [["." for _ in range(SIZE)] for _ in range(SIZE)]
        for r, c in self._blocked:
            rows[r][c] = "#"
        rows[self._pad[0]][self._pad[1]] = "H"
        for (r, c), seen in self._sites.items():
            rows[r][c] = "s" if seen else "S"
        done = self._state.status != "flying"
        return DroneObservation(
            grid=["".join(row) for row in rows],
            position=list(self._state.position),
            battery=self._state.battery,
            note=note,
            done=done,
            reward=reward,
            metadata={"mission_complete": self._state.status == "home"} if done else {},
        )

    @property
    def state(self) -> DroneState:
        return self._state
