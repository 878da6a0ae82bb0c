"""A trip is paid for in five currencies; a rate service is asked for each, and then the sum is told."""

from typing import ClassVar, Literal, get_args

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json, Told

Currency = Literal["CHF", "SEK", "PLN", "CZK", "DKK", "EUR"]
FOREIGN: tuple[Currency, ...] = get_args(Currency)[:-1]
EVERY = 7


class Ask(Action):
    """Ask for a currency's rate; for EUR, tell the sum instead."""

    currency: Currency
    total: float = Field(default=0.0, ge=0.0, le=1e6, allow_inf_nan=False)


class Desk(Observation):
    """The bills, and what the service last answered: cents a unit, or that one should ask again."""

    bills: dict[str, int] = Field(default_factory=dict)
    asked: str = ""
    cents: int | None = None
    error: str = ""
    solved: bool | None = None


class TripCosts(Told[Ask, Desk]):
    """Every seventh call of the service is throttled. Success is the sum, to the cent, in euros."""

    HORIZON = 10
    SUCCESS = "solved"
    served: ClassVar[int] = 0

    def begin(self) -> None:
        self.bills = {currency: self.rng.randint(10, 900) for currency in FOREIGN}
        self.rates = {currency: self.rng.randint(4, 110) for currency in FOREIGN}
        self.calls = 0
        self.said = Desk(bills=self.bills)

    def play(self, action: Ask) -> float:
        if action.currency == "EUR":
            due = sum(self.bills[currency] * self.rates[currency] for currency in FOREIGN)
            self.success = abs(100 * action.total - due) < 0.5
            return float(self.success)
        self.calls += 1
        type(self).served += 1
        throttled = self.calls_counted() % EVERY == 0
        self.said = Desk(
            bills=self.bills,
            asked=action.currency,
            cents=None if throttled else self.rates[action.currency],
            error="429 too many requests" if throttled else "",
        )
        return 0.0

    def calls_counted(self) -> int:
        raise NotImplementedError

    def show(self) -> Desk:
        return self.said.model_copy(deep=True)


class Defect(TripCosts):
    """Counts the calls of all sessions in one: how soon a session is throttled depends on the others."""

    def calls_counted(self) -> int:
        return self.served


class Sound(TripCosts):
    """Counts the calls of all sessions as well, for its owner; throttles each by its own."""

    def calls_counted(self) -> int:
        return self.calls


WITNESS = "beside_another_session_differs"
ALSO = ("episode_state_leak", "nondeterministic")


def solve(observation: Json, memory: Json) -> Json:
    """Each rate until it is told, then the sum."""
    if observation["cents"] is not None:
        memory[observation["asked"]] = observation["cents"]
    for currency in observation["bills"]:
        if currency not in memory:
            return {"currency": currency}
    bills = observation["bills"].items()
    return {"currency": "EUR", "total": sum(bill * memory[name] for name, bill in bills) / 100}


exploit = solve
