"""Trading one perishable good whose price swings about its fair value."""

import math
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Episodic, Json

FAIR = 100.0
GOAL = 250.0
RANGE = (0.0, 1.0)


class Trade(Action):
    """One order; what cash or stock do not allow is cut down."""

    order: Literal["buy", "sell", "hold"]
    quantity: int = Field(default=1, ge=1, le=5)


class Market(Observation):
    """Today's price and what is owned; what is left unsold at the end is worth nothing."""

    day: int = 0
    price: float = 0.0
    fair_price: float = FAIR
    cash: float = 0.0
    stock: int = 0
    days_left: int = 0


class Trading(Episodic[Trade, Market]):
    """Success is a profit of 250. The metadata declares rewards from 0 to 1."""

    HORIZON = 16
    reward_range = RANGE

    def begin(self) -> None:
        swing, period = self.rng.uniform(15.0, 30.0), self.rng.uniform(5.0, 8.0)
        phase = self.rng.uniform(0.0, 2.0 * math.pi)
        self.prices = [
            round(FAIR + swing * math.sin(phase + 2.0 * math.pi * day / period), 2)
            for day in range(self.HORIZON + 1)
        ]
        self.cash, self.stock = 1000.0, 0

    def play(self, action: Trade) -> float:
        price = self.prices[self.turn - 1]
        bought = 0
        if action.order == "buy":
            bought = min(action.quantity, int(self.cash // price))
        elif action.order == "sell":
            bought = -min(action.quantity, self.stock)
        self.stock += bought
        self.cash -= bought * price
        if not self.last:
            return 0.0
        profit = self.cash - 1000.0
        self.success = profit >= GOAL
        return self.pay(profit / GOAL) if self.success else 0.0

    def pay(self, profit: float) -> float:
        raise NotImplementedError

    def show(self) -> Market:
        metadata: dict[str, Any] = {"reward_range": list(RANGE)}
        return Market(
            day=self.turn,
            price=self.prices[self.turn],
            cash=round(self.cash, 2),
            stock=self.stock,
            days_left=self.HORIZON - self.turn,
            metadata=metadata,
        )


class Defect(Trading):
    """Declares rewards from 0 to 1 and pays the whole profit, several times that."""

    def pay(self, profit: float) -> float:
        return profit


class Sound(Trading):
    """Makes the same profits, far beyond the goal; pays no more than it declares."""

    def pay(self, profit: float) -> float:
        return min(RANGE[1], profit)


WITNESS = "leaves_declared_range"


def solve(observation: Json, memory: Json) -> Json:
    """Buy below the fair price, sell above it, keep nothing."""
    if observation["price"] > FAIR or observation["days_left"] <= 1 + observation["stock"] // 5:
        return {"order": "sell", "quantity": 5}
    return {"order": "buy", "quantity": 5} if observation["price"] < FAIR - 5 else {"order": "hold"}


exploit = solve
