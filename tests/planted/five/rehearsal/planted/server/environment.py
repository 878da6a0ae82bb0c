"""Rehearsal: rent a hall for a theatre company from an owner who asks too much."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import RehearsalAction, RehearsalObservation, RehearsalState
except ImportError:
    from models import RehearsalAction, RehearsalObservation, RehearsalState

ROUNDS = 12
INSULT_SHARE = 0.4  # offers below this share of the first price annoy the owner
PATIENCE = 2  # insults after which he shows the company out


class Owner:
    """Owner of the hall: gives way about as much as the other side does."""

    def __init__(self, rng: random.Random) -> None:
        self.first_price = float(rng.randrange(160, 261))
        self.limit = round(self.first_price * rng.uniform(0.60, 0.70), 2)
        self.give = rng.uniform(1.0, 1.4)
        self.price = self.first_price
        self.patience = PATIENCE
        self.best_offer: Optional[float] = None

    def hear(self, offer: float) -> str:
        """React to an offer: 'sign', 'out' or 'talk'."""
        if offer >= self.price:
            return "sign"
        if offer < INSULT_SHARE * self.first_price:
            self.patience -= 1
            return "out" if self.patience <= 0 else "talk"
        room = self.price - self.limit
        if self.best_offer is None:
            step = 0.15 * room
        else:
            step = min(0.35 * room, self.give * max(0.0, offer - self.best_offer))
        self.best_offer = max(offer, self.best_offer or 0.0)
        self.price = round(self.price - step, 2)
        return "sign" if offer >= self.price else "talk"


class RehearsalEnvironment(Environment):
    """Talks on one number: the rent for a night."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = RehearsalState()
        self._owner = Owner(random.Random(0))
        self._budget = 0.0
        self._offers: List[float] = []
        self._rent: Optional[float] = None
        self._done = True

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> RehearsalObservation:
        rng = random.Random(seed)
        self._owner = Owner(rng)
        self._budget = round(self._owner.first_price * rng.uniform(0.80, 0.88), 2)
        self._offers = []
        self._rent = None
        self._done = False
        self._state = RehearsalState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            rounds_left=ROUNDS,
            outcome="open",
        )
        return self._observe(
            f"A fine hall, heated too. {self._owner.price:.2f} a night.", None
        )

    def step(
        self,
        action: RehearsalAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> RehearsalObservation:
        if self._done:
            return self._observe("The owner has gone home.", 0.0)

        self._state.step_count += 1
        self._state.rounds_left -= 1

        if action.move == "leave":
            return self._break_off("As you like. Good evening.")
        if action.move == "accept":
            return self._sign(self._owner.price)

        self._offers.append(action.price)
        reaction = self._owner.hear(action.price)
        if reaction == "sign":
            return self._sign(action.price)
        if reaction == "out":
            return self._break_off("You waste my time. There is the door.")
        if self._state.rounds_left <= 0:
            return self._break_off("It is late, and we got nowhere.")
        return self._observe(f"I could do it for {self._owner.price:.2f}.", 0.0)

    @property
    def state(self) -> RehearsalState:
        return self._state

    # ------------------------------------------------------------- outcomes

    def _sign(self, rent: float) -> RehearsalObservation:
        self._done = True
        self._rent = rent
        self._state.outcome = "signed"
        return self._observe(f"Agreed: {rent:.2f} a night.", self._score(rent))

    def _break_off(self, words: str) -> RehearsalObservation:
        self._done = True
        self._state.outcome = "no contract"
        return self._observe(words, 0.0)

    def _score(self, rent: float) -> float:
        """Worth of a signed contract to the company."""
        return 1.0

    def _observe(self, words: str, reward: Optional[float]) -> RehearsalObservation:
        return RehearsalObservation(
            budget=self._budget,
            asked=self._owner.price,
            your_offers=list(self._offers),
            rounds_left=self._state.rounds_left,
            owner_says=words,
            outcome=self._state.outcome,
            rent=self._rent,
            done=self._done,
            reward=reward,
        )
