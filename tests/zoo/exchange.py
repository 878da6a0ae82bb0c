"""An exchange that charges a fee for each order: below zero the fee is pay, unless such an order is refused."""

from random import Random
from typing import Any, ClassVar, Literal
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

TURNS, FEE, WEALTH = 8, 0.01, 1000.0
CROPS = ("barley", "hops", "oats", "rye", "wheat")


class Order(Action):
    """What is to be done."""

    side: Literal["buy", "sell"]
    crop: str = ""
    sacks: int = 0


class Market(Observation):
    """What is held, and what it costs."""

    prices: dict[str, float] = Field(default_factory=dict)
    held: dict[str, int] = Field(default_factory=dict)
    said: str = ""


class Exchange(Environment[Order, Market, State]):
    """Pays a little for variety; takes the fee of each order, whatever its sign."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    LEAST: ClassVar[int | None] = None

    def __init__(self) -> None:
        super().__init__()
        self._state = State()
        self.prices: dict[str, float] = {}
        self.held: dict[str, int] = {}

    def reset(self, seed: int | None = None, episode_id: str | None = None, **_: Any) -> Market:
        """Three crops, by the seed."""
        rng = Random(seed)
        self.prices = {crop: float(rng.randint(2, 9)) for crop in rng.sample(CROPS, 3)}
        self.held = dict.fromkeys(self.prices, 5)
        self._state = State(episode_id=episode_id or str(uuid4()))
        return self._market("Good morning.", None)

    def step(self, action: Order, timeout_s: float | None = None, **_: Any) -> Market:
        """Carry out an order."""
        if self._state.step_count >= TURNS:
            return self._market("Closed.", 0.0)
        self._state.step_count += 1
        if action.crop not in self.prices:
            return self._market("Not traded.", -0.01)
        if self.LEAST is not None and action.sacks < self.LEAST:
            return self._market("Too few.", -0.01)
        if action.side == "sell" and action.sacks > self.held[action.crop]:
            return self._market("Not held.", -0.01)
        if action.side == "buy" and action.sacks * self.prices[action.crop] > WEALTH:
            return self._market("Not affordable.", -0.01)
        self.held[action.crop] += action.sacks if action.side == "buy" else -action.sacks
        fee = FEE * action.sacks * self.prices[action.crop] / WEALTH
        return self._market("Done.", 0.02 * len(set(self.held.values())) / 3 - fee)

    def _market(self, said: str, reward: float | None) -> Market:
        done = self._state.step_count >= TURNS
        held, prices = dict(self.held), dict(self.prices)
        return Market(prices=prices, held=held, said=said, reward=reward, done=done)

    @property
    def state(self) -> State:
        """Episode and step."""
        return self._state


class StrictExchange(Exchange):
    """The same, where an order of less than one sack is refused."""

    LEAST = 1
