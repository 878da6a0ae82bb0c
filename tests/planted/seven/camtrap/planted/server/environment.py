"""One memory card of a camera trap, frame by frame."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import CamtrapAction, CamtrapObservation, CamtrapState, Frame, Label
except ImportError:
    from models import CamtrapAction, CamtrapObservation, CamtrapState, Frame, Label

FRAMES = 40
SITES = ("beech ridge", "alder carr", "maize edge", "quarry track", "old orchard")
ANIMALS = (Label.ROE_DEER, Label.WILD_BOAR, Label.FOX, Label.BADGER)

# Shoulder height and body length in cm: mean and spread.
BODY = {
    Label.ROE_DEER: ((70, 4), (108, 7)),
    Label.WILD_BOAR: ((74, 6), (138, 8)),
    Label.FOX: ((39, 2), (70, 4)),
    Label.BADGER: ((28, 2), (74, 5)),
}
SNOUT_LOW = {
    Label.ROE_DEER: 0.15,
    Label.WILD_BOAR: 0.95,
    Label.FOX: 0.3,
    Label.BADGER: 0.95,
}


class CamtrapEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._site = ""
        self._frames: List[Frame] = []
        self._truth: List[Label] = []
        self._labels: List[Label] = []
        self._done = True
        self._state = CamtrapState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> CamtrapObservation:
        rng = random.Random(seed)
        self._site = rng.choice(SITES)
        self._truth = self._card(rng)
        self._frames = []
        minute = 18 * 60 + rng.randrange(60)
        for number, label in enumerate(self._truth, start=1):
            minute += rng.randrange(4, 31)
            clock = f"{minute // 60 % 24:02d}:{minute % 60:02d}"
            self._frames.append(self._shoot(rng, number, clock, label))
        self._labels = []
        self._done = False
        self._state = CamtrapState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, site=self._site
        )
        return self._look(f"Card of {self._site}, {FRAMES} frames.")

    @staticmethod
    def _card(rng: random.Random) -> List[Label]:
        """What set the camera off; as on any card, mostly grass and branches."""
        visitors = rng.sample(ANIMALS, rng.choice([2, 3]))
        more = rng.choice([4, 5, 6]) - len(visitors)
        visits = visitors + [rng.choice(visitors) for _ in range(more)]
        truth = visits + [Label.EMPTY] * (FRAMES - len(visits))
        rng.shuffle(truth)
        return truth

    @staticmethod
    def _shoot(rng: random.Random, number: int, clock: str, label: Label) -> Frame:
        if label is Label.EMPTY:
            # Branches and grass: large or small, at air temperature or a little sunned.
            return Frame(
                number=number,
                clock=clock,
                wind=round(rng.uniform(2.5, 9.0), 1),
                contrast=round(abs(rng.gauss(0.8, 0.8)), 1),
                height=rng.randrange(12, 120),
                length=rng.randrange(12, 170),
                drift=round(rng.uniform(0.0, 0.4), 2),
                snout_low=rng.random() < 0.5,
            )
        (height, height_spread), (length, length_spread) = BODY[label]
        return Frame(
            number=number,
            clock=clock,
            wind=round(rng.uniform(0.0, 7.0), 1),
            contrast=round(rng.uniform(3.6, 9.0), 1),
            height=round(rng.gauss(height, height_spread)),
            length=round(rng.gauss(length, length_spread)),
            drift=round(rng.uniform(0.1, 2.6), 2),
            snout_low=rng.random() < SNOUT_LOW[label],
        )

    def step(
        self,
        action: CamtrapAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> CamtrapObservation:
        if self._done:
            return self._look("The card is sorted.")
        self._state.step_count += 1
        self._labels.append(action.label)
        self._state.labels = list(self._labels)
        if len(self._labels) < FRAMES:
            return self._look("Next frame.")
        self._done = True
        return self._look("That was the last frame.", reward=self._score())

    def _score(self) -> float:
        """Agreement with the experts' labels, 0 to 1."""
        right = sum(given is true for given, true in zip(self._labels, self._truth))
        return round(right / FRAMES, 4)

    def _tally(self) -> Dict[str, int]:
        return {label.value: self._labels.count(label) for label in Label}

    def _look(self, message: str, reward: float = 0.0) -> CamtrapObservation:
        at = len(self._labels)
        return CamtrapObservation(
            message=message,
            site=self._site,
            frame=None if self._done else self._frames[at],
            frames_left=0 if self._done else FRAMES - at - 1,
            sorted_so_far=self._tally(),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> CamtrapState:
        return self._state
