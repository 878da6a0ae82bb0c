"""A frog crosses eight lanes; on each one cars come in even gaps. Three lives."""

from collections import deque
from random import Random
from typing import Any, ClassVar, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field

from ._base import Json

LANES, LIVES = 8, 3
Hop = Literal["forward", "stay", "back"]
HOPS: dict[Hop, int] = {"forward": 1, "stay": 0, "back": -1}


class Frog(Action):
    """A hop."""

    hop: Hop


class Lane(BaseModel):
    """A car passes every so many moments, the next one in so many from now."""

    every: int
    next_in: int


class Road(Observation):
    """The frog's lane, 0 being the kerb, and the lanes from 1 on."""

    frog: int = 0
    lives: int = LIVES
    lanes: list[Lane] = Field(default_factory=list)
    squashed: bool = False


class Crossing(Environment[Frog, Road, State]):
    """Success is the other side. A frog that is run over loses a life and starts again from the kerb."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    HORIZON: ClassVar[int] = 40

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self.over = True

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> Road:
        rng = Random(seed or 0)
        self.seed = seed or 0
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self.frog, self.lives, self.over, self.won = 0, LIVES, False, False
        self.lanes: list[tuple[int, int]] = []
        while len(way(self.lanes, 0, 0)) < LANES:
            gaps = [rng.randint(2, 3) for _ in range(LANES)]
            self.lanes = [(gap, rng.randrange(gap)) for gap in gaps]
        return self.look()

    def step(self, action: Frog, timeout_s: float | None = None, **kwargs: Any) -> Road:
        if self._state.episode_id is None:
            raise RuntimeError("reset comes before step")
        if self.over:
            return self.look(reward=0.0)
        self._state.step_count += 1
        now = self._state.step_count
        self.frog = max(0, self.frog + HOPS[action.hop])
        squashed = is_hit(self.lanes, self.frog, now)
        if squashed:
            self.frog, self.lives = 0, self.lives - 1
        if self.lives == 0:
            return self.without_lives()
        self.won = self.frog > LANES
        self.over = self.won or now >= self.HORIZON
        return self.look(reward=float(self.won), squashed=squashed)

    def without_lives(self) -> Road:
        raise NotImplementedError

    def look(self, reward: float | None = None, squashed: bool = False) -> Road:
        now = self._state.step_count
        lanes = [Lane(every=gap, next_in=(phase - now) % gap) for gap, phase in self.lanes]
        return Road(
            frog=self.frog,
            lives=self.lives,
            lanes=lanes,
            squashed=squashed,
            done=self.over,
            reward=reward,
            metadata={"won": self.won} if self.over else {"won": None},
        )

    @property
    def state(self) -> State:
        return self._state


def is_hit(lanes: list[tuple[int, int]], frog: int, now: int) -> bool:
    """Whether a car passes where the frog is; kerb and far side are safe."""
    if not 1 <= frog <= len(lanes):
        return False
    gap, phase = lanes[frog - 1]
    return now % gap == phase


def way(lanes: list[tuple[int, int]], frog: int, now: int) -> list[Hop]:
    """The shortest safe hops to the other side; empty where there are none."""
    queue: deque[tuple[int, int, list[Hop]]] = deque([(frog, now, [])])
    seen = {(frog, now)}
    while queue:
        at, moment, hops = queue.popleft()
        if at > len(lanes):
            return hops
        for hop, by in HOPS.items():
            then = (max(0, at + by), moment + 1)
            if then not in seen and moment < now + 30 and not is_hit(lanes, *then):
                seen.add(then)
                queue.append((*then, [*hops, hop]))
    return []


class Defect(Crossing):
    """Without a life left it resets itself, as vectorised games do, and answers with the first sight of a new road."""

    def without_lives(self) -> Road:
        return self.reset(seed=self.seed + 1)


class Sound(Crossing):
    """Sets the frog back to the kerb as silently after each squash, in the same episode; without lives it is over."""

    def without_lives(self) -> Road:
        self.over = True
        return self.look(reward=0.0, squashed=True)


WITNESS = "steps_go_back"


def exploit(observation: Json, memory: Json) -> Json:
    """Sit down in the first lane, whatever comes."""
    return {"hop": "forward" if observation["frog"] == 0 else "stay"}


def solve(observation: Json, memory: Json) -> Json:
    """The first hop of the way over."""
    lanes = [(lane["every"], lane["next_in"]) for lane in observation["lanes"]]
    return {"hop": way(lanes, observation["frog"], 0)[0]}
