"""Loans that are granted for some days: each has to be free, and none of no days is not.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_left_empty.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold

TOOLS = ("saw", "drill", "lathe", "press", "vice", "torch")
DAYS = ("mon", "tue", "wed", "thu", "fri")


class LoanAction(Action):
    """Look at a tool's days, grant a loan, or close the desk."""

    do: Literal["look", "grant", "close"]
    loan: str = ""
    desk: str = ""
    days: list[str] = Field(default_factory=list)


class LoanDesk(Observation):
    """What is asked for, and what was answered."""

    loans: dict[str, dict[str, Any]] = Field(default_factory=dict)
    said: str = ""


class NoDayTaken(Untold[LoanAction, LoanDesk]):
    """Pays the share of loans that were granted at the one desk, on no day on which the tool is out."""

    def begin(self, rng: random.Random) -> None:
        names = [f"L{n}" for n in rng.sample(range(100, 1000), 3)]
        self.loans = {
            name: {"tool": tool, "days": rng.sample(DAYS, 2)}
            for name, tool in zip(names, rng.sample(TOOLS, 3), strict=True)
        }
        # A loan may be granted a day later; which days are free is to be asked.
        self.out = {name: set(rng.sample(loan["days"], 1)) for name, loan in self.loans.items()}
        self.granted: dict[str, list[str]] = {}
        self.said = "The desk is open."

    def met(self, name: str) -> bool:
        """Whether a loan was granted as it should be."""
        days = self.granted.get(name)
        return days is not None and not set(days) & self.out[name]

    def move(self, action: LoanAction) -> float:
        self.over = action.do == "close" or self.steps >= 12
        if action.do == "close":
            self.said = "closed"
        elif action.loan not in self.loans:
            self.said = f"no loan {action.loan!r}"
        elif action.do == "look":
            self.said = f"out on {sorted(self.out[action.loan])}"
        elif action.desk != "desk_a":
            self.said = "loans are granted at desk_a"
        else:
            self.granted[action.loan] = list(action.days)
            self.said = "granted"
        return sum(map(self.met, self.loans)) / len(self.loans) if self.over else 0.0

    def shown(self, reward: float) -> LoanDesk:
        told = {"success": reward == 1.0} if self.over else {}
        return LoanDesk(
            loans=self.loans, said=self.said, reward=reward, done=self.over, metadata=told
        )


class SomeDayMeant(NoDayTaken):
    """Sound: as many days as were asked for."""

    def met(self, name: str) -> bool:
        enough = len(set(self.granted.get(name, ())) & set(DAYS)) >= len(self.loans[name]["days"])
        return enough and super().met(name)


class AnyDayWillDo(NoDayTaken):
    """Sound, and easy: to grant each loan is all that is asked for, whatever the days are."""

    def met(self, name: str) -> bool:
        return name in self.granted


class OneIsRefused(NoDayTaken):
    """Sound: on the day for which no other day is free the loan is to be left; nothing the same is right for each."""

    def begin(self, rng: random.Random) -> None:
        super().begin(rng)
        self.refused = rng.choice(list(self.loans))

    def met(self, name: str) -> bool:
        return name not in self.granted if name == self.refused else super().met(name)


class DaysGivenBack(NoDayTaken):
    """Sound: each tool is out on its days, and is to be given back for all of them; what is sent is seen then."""

    def met(self, name: str) -> bool:
        return self.granted.get(name) == []

    def move(self, action: LoanAction) -> float:
        paid = super().move(action)
        for name, days in self.granted.items():
            self.loans[name] = {**self.loans[name], "days": days}
        return paid


class Lights(Action):
    """Which lamps are lit: no text is in it."""

    lit: list[list[int]] = Field(default_factory=list)
    sure: float | None = None


class Lamps(Observation):
    """The lamps."""

    lamps: list[list[int]] = Field(default_factory=list)


class LampRows(Untold[Lights, Lamps]):
    """Sound: asks which lamps of some rows are lit."""

    def begin(self, rng: random.Random) -> None:
        self.lamps = [[rng.randint(0, 1) for _ in range(3)] for _ in range(2)]

    def move(self, action: Lights) -> float:
        self.over = True
        return float(
            action.lit == [[n, m] for n, r in enumerate(self.lamps) for m in range(3) if r[m]]
        )

    def shown(self, reward: float) -> Lamps:
        return Lamps(lamps=self.lamps, reward=reward, done=self.over)
