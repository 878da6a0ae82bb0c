"""A season on the salt road: buy where it is cheap, sell where it is dear."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Kind,
        Quote,
        SaltroadAction,
        SaltroadObservation,
        SaltroadState,
    )
except ImportError:
    from models import Kind, Quote, SaltroadAction, SaltroadObservation, SaltroadState

TOWNS = ["Altmark", "Brenn", "Corvey", "Dornach"]
GOODS = {"salt": 6.0, "wool": 9.0, "iron": 14.0, "wax": 20.0}
DAYS = 60
PURSE = 400.0
ROOM = 30
MARGIN = 0.02  # the dealers' margin, on either side of the price
SWAY = 0.03  # how far a price moves in a day
PULL = 0.2  # how much of it comes back


class SaltroadEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random()
        self._usual: Dict[str, Dict[str, float]] = {}
        self._price: Dict[str, Dict[str, float]] = {}
        self._town = TOWNS[0]
        self._purse = 0.0
        self._pack: Dict[str, int] = {}
        self._day = 0
        self._done = True
        self._state = SaltroadState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SaltroadObservation:
        self._rng = random.Random(seed)
        self._usual = {town: {} for town in TOWNS}
        for good, base in GOODS.items():
            # Some town digs, shears or smelts it; at the far end of the road it is dear.
            levels = [0.65, 0.85, 1.1, 1.4]
            self._rng.shuffle(levels)
            for town, level in zip(TOWNS, levels):
                self._usual[town][good] = base * level * self._rng.uniform(0.93, 1.07)
        self._price = {town: dict(prices) for town, prices in self._usual.items()}
        self._town = self._rng.choice(TOWNS)
        self._purse = PURSE
        self._pack = {good: 0 for good in GOODS}
        self._day = 0
        self._done = False
        self._state = SaltroadState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("The pass is open. The mules are rested.")

    def step(
        self,
        action: SaltroadAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SaltroadObservation:
        if self._done:
            return self._look("The season is over.")
        self._state.step_count += 1
        before = self._worth()
        if action.kind is Kind.BUY:
            message = self._buy(action.good, action.loads)
        elif action.kind is Kind.SELL:
            message = self._sell(action.good, action.loads)
        elif action.kind is Kind.TRAVEL:
            message = self._travel(action.town)
        else:
            message = "You rest."
        self._day += 1
        self._move_prices()
        gain = max(0.0, self._worth() - before)
        if self._day == DAYS:
            self._done = True
            message += " Snow closes the pass: the season is over."
        return self._look(message, reward=round(gain / PURSE, 4))

    def _quote(self, town: str, good: str) -> Quote:
        price = self._price[town][good]
        return Quote(
            ask=round(price * (1 + MARGIN), 2), bid=round(price * (1 - MARGIN), 2)
        )

    def _room(self) -> int:
        return ROOM - sum(self._pack.values())

    def _worth(self) -> float:
        """The merchant's worth: the silver, and what the pack would fetch here."""
        pack = sum(
            loads * self._quote(self._town, good).bid
            for good, loads in self._pack.items()
        )
        return self._purse + pack

    def _buy(self, good: Optional[str], loads: int) -> str:
        if good not in GOODS or loads < 1:
            return "The dealer shrugs: buy what?"
        cost = loads * self._quote(self._town, good).ask
        if loads > self._room():
            return "The mules cannot carry that much."
        if cost > self._purse:
            return "The purse does not reach that far."
        self._purse -= cost
        self._pack[good] += loads
        return f"You buy {loads} loads of {good} for {cost:.2f}."

    def _sell(self, good: Optional[str], loads: int) -> str:
        if good not in GOODS or loads < 1 or loads > self._pack[good]:
            return "You have not got that to sell."
        gets = loads * self._quote(self._town, good).bid
        self._purse += gets
        self._pack[good] -= loads
        return f"You sell {loads} loads of {good} for {gets:.2f}."

    def _travel(self, town: Optional[str]) -> str:
        if town not in TOWNS or town == self._town:
            return "No road leads there. A day is lost."
        self._town = town
        return f"A day on the road. You are in {town}."

    def _move_prices(self) -> None:
        for town in TOWNS:
            for good in GOODS:
                price, usual = self._price[town][good], self._usual[town][good]
                price += PULL * (usual - price) + usual * self._rng.uniform(-SWAY, SWAY)
                self._price[town][good] = price

    def _look(self, message: str, reward: float = 0.0) -> SaltroadObservation:
        worth = round(self._worth(), 2)
        self._state.day = self._day
        self._state.town = self._town
        self._state.purse = round(self._purse, 2)
        self._state.worth = worth
        return SaltroadObservation(
            message=message,
            day=self._day,
            days_left=DAYS - self._day,
            town=self._town,
            purse=round(self._purse, 2),
            pack=dict(self._pack),
            room=self._room(),
            worth=worth,
            boards={
                town: {good: self._quote(town, good) for good in GOODS}
                for town in TOWNS
            },
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> SaltroadState:
        return self._state
