"""Moderation queue of a hobby forum with house rules that change by episode."""

import random
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server import Environment

try:
    from ..models import ModerationAction, QueueObservation, QueueState
except ImportError:
    from models import ModerationAction, QueueObservation, QueueState

QUEUE_LENGTH = 14

# What a decision costs, by (right decision, decision taken).
COST: Dict[Tuple[str, str], float] = {
    ("approve", "remove"): 1.5,
    ("remove", "approve"): 1.5,
    ("escalate", "approve"): 1.5,
    ("escalate", "remove"): 1.0,
}

SUBJECTS = ["tomato seedlings", "the greenhouse", "my compost heap", "a pear tree", "raised beds", "the rose cuttings"]
OPENERS = ["I have a question about {s}.", "A short report on {s}.", "Some news from {s}.", "Here is what I learned about {s}."]
CLOSERS = ["Thank you all for the help.", "What do you think?", "Pictures will follow.", "It took me two summers."]
SLURS = ["blockhead", "windbag", "numbskull", "muttonhead", "nitwit", "dunderhead"]
DOMAINS = ["seedsale.example", "growfast.example", "bulbking.example", "plotdeals.example", "soilpro.example"]
HAZARDS = ["eating", "burning", "boiling", "smoking"]
PLANTS = ["foxglove", "yew", "oleander", "hemlock", "laburnum"]
AUTHORS = ["marigold7", "oldspade", "fernweh", "plot_42", "thistle", "drizzle", "peatbog", "sundew"]


class ModerationQueueEnvironment(Environment[ModerationAction, QueueObservation, QueueState]):
    """Decide on fourteen posts by the rules of the house."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = QueueState()
        self._rules: List[str] = []
        self._queue: List[Tuple[Dict[str, str], str]] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> QueueObservation:
        rng = random.Random(seed)
        self._state = QueueState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        slurs, domains = rng.sample(SLURS, 3), rng.sample(DOMAINS, 2)
        plants, hazards = rng.sample(PLANTS, 3), rng.sample(HAZARDS, 2)
        self._rules = [
            f"Remove posts that call anybody a {slurs[0]} or a {slurs[1]}.",
            f"Remove posts with a link to {domains[0]}.",
            f"Escalate posts that speak of {hazards[0]} {plants[0]} or {plants[1]}, a moderator with training will answer.",
            "Approve everything else.",
        ]
        n_escalate = rng.randint(1, 2)
        n_remove = (QUEUE_LENGTH - n_escalate) // 2
        queue: List[Tuple[Dict[str, str], str]] = []
        for i in range(QUEUE_LENGTH):
            if i < n_escalate:
                extra, gold = f"Is {hazards[0]} {rng.choice(plants[:2])} safe?", "escalate"
            elif i < n_escalate + n_remove:
                gold = "remove"
                extra = rng.choice(
                    [f"Whoever said otherwise is a {rng.choice(slurs[:2])}.", f"Get yours at https://{domains[0]}/now."]
                )
            else:
                gold = "approve"
                extra = rng.choice(
                    [
                        f"My uncle, the old {slurs[2]}, says hello.",
                        f"I bought it at https://{domains[1]}/shop.",
                        f"Is {hazards[0]} {plants[2]} safe?",
                        f"Has anybody tried {hazards[1]} the leaves?",
                        "No complaints so far.",
                    ]
                )
            subject = rng.choice(SUBJECTS)
            text = f"{rng.choice(OPENERS).format(s=subject)} {extra} {rng.choice(CLOSERS)}"
            queue.append(({"author": rng.choice(AUTHORS), "text": text}, gold))
        rng.shuffle(queue)
        self._queue = queue
        return self._observe(None)

    def step(self, action: ModerationAction, timeout_s: Optional[float] = None, **kwargs: Any) -> QueueObservation:
        if self._state.decided >= QUEUE_LENGTH:
            return self._observe(0.0)
        _, gold = self._queue[self._state.decided]
        self._state.step_count += 1
        self._state.decided += 1
        return self._observe(self._credit(gold, action.decision))

    @property
    def state(self) -> QueueState:
        return self._state

    @staticmethod
    def _credit(gold: str, decision: str) -> float:
        """A post is worth its share of the episode, less what the decision costs."""
        return (1.0 - COST.get((gold, decision), 0.0)) / QUEUE_LENGTH

    def _observe(self, reward: Optional[float]) -> QueueObservation:
        done = self._state.decided >= QUEUE_LENGTH
        return QueueObservation(
            rules=list(self._rules),
            post={} if done else dict(self._queue[self._state.decided][0]),
            position=min(self._state.decided + 1, QUEUE_LENGTH),
            queue_length=QUEUE_LENGTH,
            reward=reward,
            done=done,
        )
