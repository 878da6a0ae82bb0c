"""Negotiating a freight contract over two terms."""

import random
from typing import Any, Dict, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import FreightAction, FreightObservation, FreightState
except ImportError:
    from models import FreightAction, FreightObservation, FreightState

ROUNDS = 12
LARGEST_STEP = 0.12

Terms = Dict[str, float]


class FreightDealEnvironment(Environment[FreightAction, FreightObservation, FreightState]):
    """The agent is the shipper, the environment plays the carrier."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = FreightState(episode_id=str(uuid4()))
        self._brief: Dict[str, Any] = {}
        self._carrier: Dict[str, float] = {}
        self._aspiration = 1.0
        self._shipper_offer: Optional[Terms] = None
        self._carrier_offer: Terms = {}
        self._softest = 0.0
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> FreightObservation:
        rng = random.Random(seed)
        list_rate = rng.randint(130, 180)
        weight = rng.choice([0.6, 0.65, 0.7, 0.75])
        self._brief = {
            "lane": f"{rng.choice(['Lyon', 'Graz', 'Porto', 'Brno'])} - "
            f"{rng.choice(['Ghent', 'Turin', 'Aarhus', 'Metz'])}",
            "rate": {"list": list_rate, "best": list_rate - rng.randint(40, 60)},
            "payment_days": {"list": rng.choice([7, 10, 14]), "best": rng.choice([60, 75, 90])},
            "weights": {"rate": weight, "payment_days": round(1 - weight, 2)},
        }
        self._carrier = {
            "rate_weight": rng.choice([0.35, 0.45, 0.55]),
            "limit": rng.uniform(0.34, 0.44),
            "generosity": rng.uniform(0.9, 1.2),
        }
        self._aspiration = rng.uniform(0.90, 0.95)
        self._shipper_offer = None
        self._carrier_offer = self._carrier_terms()
        self._softest = 0.0
        self._done = False
        self._state = FreightState(episode_id=episode_id or str(uuid4()))
        return self._observe("This is our usual offer.")

    # ----------------------------------------------------------------- values

    def _place(self, terms: Terms, name: str) -> float:
        span = self._brief[name]
        return (terms[name] - span["list"]) / (span["best"] - span["list"])

    def _shipper_value(self, terms: Terms) -> float:
        return sum(w * self._place(terms, name) for name, w in self._brief["weights"].items())

    def _carrier_value(self, terms: Terms) -> float:
        w = self._carrier["rate_weight"]
        gain = w * self._place(terms, "rate") + (1 - w) * self._place(terms, "payment_days")
        return 1.0 - gain

    def _carrier_terms(self) -> Terms:
        """An offer of the carrier at its present aspiration, same place on both terms."""
        place = 1.0 - self._aspiration
        offer = {}
        for name in ("rate", "payment_days"):
            span = self._brief[name]
            offer[name] = round(span["list"] + place * (span["best"] - span["list"]), 1)
        return offer

    # ------------------------------------------------------------------- step

    def step(
        self, action: FreightAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> FreightObservation:
        if self._done:
            return self._observe("The talks are over.")
        self._state.step_count += 1
        if action.move == "accept":
            return self._sign("Welcome aboard.")
        if action.move == "walk_away":
            self._done = True
            return self._observe("A pity.", reward=0.0)
        if action.rate is None or action.payment_days is None:
            says = "An offer needs a rate and payment days."
        else:
            self._shipper_offer = self._clip(action.rate, action.payment_days)
            value = self._carrier_value(self._shipper_offer)
            if value >= max(self._carrier["limit"], self._aspiration - 0.02):
                return self._sign("We can work with that.")
            says = self._give_way(value)
        if self._state.step_count >= ROUNDS:
            self._done = True
            return self._observe("We are out of time.", reward=0.0)
        return self._observe(says, reward=0.0)

    def _clip(self, rate: float, days: int) -> Terms:
        r, d = self._brief["rate"], self._brief["payment_days"]
        return {
            "rate": float(min(max(rate, r["best"]), r["list"])),
            "payment_days": float(min(max(days, d["list"]), d["best"])),
        }

    def _give_way(self, value: float) -> str:
        """Answer a move of the shipper with one of about the same size."""
        step = max(0.0, value - self._softest) if self._state.step_count > 1 else 0.0
        self._softest = max(self._softest, value)
        if step <= 0.0:
            return "You will have to move first."
        self._aspiration = max(
            self._carrier["limit"],
            self._aspiration - min(LARGEST_STEP, self._carrier["generosity"] * step),
        )
        self._carrier_offer = self._carrier_terms()
        return "Then we can come down a little."

    def _sign(self, says: str) -> FreightObservation:
        contract = self._shipper_offer or self._carrier_offer
        self._done = True
        self._state.contract = contract
        self._state.value = max(0.0, min(1.0, self._shipper_value(contract)))
        return self._observe(says, reward=self._state.value)

    def _observe(self, says: str, reward: Optional[float] = None) -> FreightObservation:
        return FreightObservation(
            done=self._done,
            reward=reward,
            round=self._state.step_count,
            rounds_left=ROUNDS - self._state.step_count,
            brief=self._brief,
            carrier_offer=dict(self._carrier_offer),
            carrier_says=says,
            contract=self._state.contract,
        )

    @property
    def state(self) -> FreightState:
        return self._state
