"""The bank's credit policy, and loan files to apply it to."""

import random
from dataclasses import dataclass
from typing import Dict, List, Tuple

try:
    from ..models import Application
except ImportError:
    from models import Application


@dataclass(frozen=True)
class Concern:
    name: str
    figure: str
    above: bool  # is it a concern above the limit, or below it?
    limit: float
    fine: Tuple[float, float]
    poor: Tuple[float, float]
    digits: int
    terms: Tuple[str, ...]  # how a memo may put it
    grave: bool = False

    def rule(self) -> str:
        side = "above" if self.above else "below"
        grave = " (grave)" if self.grave else ""
        return f"{self.name}{grave}: {self.figure} {side} {self.limit:g}"

    def applies(self, figures: Dict[str, float]) -> bool:
        value = figures[self.figure]
        return value > self.limit if self.above else value < self.limit


CONCERNS: List[Concern] = [
    Concern("leverage", "debt_to_equity", True, 3, (0.4, 2.8), (3.1, 6), 1,
            ("leverage", "over-indebted", "debt-to-equity")),
    Concern("debt service", "dscr", False, 1.2, (1.3, 2.6), (0.6, 1.1), 2,
            ("debt service", "dscr", "debt-service"), grave=True),
    Concern("liquidity", "current_ratio", False, 1, (1.1, 2.5), (0.4, 0.9), 2,
            ("liquidity", "current ratio")),
    Concern("collateral", "loan_to_value", True, 0.8, (0.3, 0.75), (0.85, 1.4), 2,
            ("collateral", "loan-to-value", "ltv")),
    Concern("concentration", "largest_customer_share", True, 0.4, (0.05, 0.38),
            (0.45, 0.9), 2, ("concentration", "largest customer", "dependence on one customer")),
    Concern("track record", "years_trading", False, 2, (3, 25), (0, 1), 0,
            ("track record", "years trading", "young business")),
    Concern("payment history", "missed_payments_24m", True, 1, (0, 1), (2, 7), 0,
            ("payment history", "missed payment", "arrears"), grave=True),
    Concern("profitability", "operating_margin", False, 0.03, (0.04, 0.25),
            (-0.15, 0.02), 2, ("profitability", "operating margin", "thin margin")),
    Concern("currency", "foreign_revenue_share", True, 0.5, (0, 0.45), (0.55, 0.95), 2,
            ("currency", "exchange rate", "foreign revenue")),
    Concern("receivables", "days_receivable", True, 75, (20, 70), (80, 160), 0,
            ("receivables", "late-paying customers", "days receivable")),
]

NAMES = ["Brandt", "Okafor", "Lindqvist", "Moreau", "Petrov", "Castellano", "Nagy", "Byrne"]
BUSINESSES = ["bakery", "joinery", "freight forwarder", "print shop", "dental practice",
              "garden centre", "software house", "metal works"]


def draw_file(rng: random.Random) -> Application:
    """A file to which two, three or four of the policy's concerns apply."""
    applying = rng.sample(CONCERNS, rng.randint(2, 4))
    figures = {}
    for concern in CONCERNS:
        low, high = concern.poor if concern in applying else concern.fine
        figures[concern.figure] = round(rng.uniform(low, high), concern.digits)
    return Application(
        applicant=f"{rng.choice(NAMES)} & {rng.choice(NAMES)}",
        business=rng.choice(BUSINESSES),
        amount=rng.randrange(20, 600) * 1000,
        figures=figures,
    )


def concerns_of(application: Application) -> List[Concern]:
    return [concern for concern in CONCERNS if concern.applies(application.figures)]


def decision_on(application: Application) -> str:
    """Declined for a grave concern, or for four of any kind."""
    found = concerns_of(application)
    if len(found) >= 4 or any(concern.grave for concern in found):
        return "decline"
    return "approve"
