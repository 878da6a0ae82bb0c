"""Tickets that are handled in several ways at once, each for a part of the mark.

At a ``Desk`` one comes in an episode, and each way but the answer is nearly always the same; at a ``Belt`` five come in
turn, the same ones at each reset, and four of them ask for the same. So one constant that says all of it at once has
most of the marks, and no field alone has. In the ``Fair`` ones the tickets are of many kinds. What an auditor says of
them is in ``tests/auditing/test_joint_constants.py``.
"""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo.untold import Untold

Where = Literal["lab", "stock", "office"]
Urgency = Literal["low", "high", "now"]
By = Literal["mail", "phone", "note"]
Tone = Literal["stern", "plain", "warm"]
Signed = Literal["nobody", "clerk", "chief"]
WAYS: dict[str, tuple[str, ...]] = {
    "where": ("lab", "stock", "office"),
    "urgency": ("low", "high", "now"),
    "by": ("mail", "phone", "note"),
    "tone": ("stern", "plain", "warm"),
    "signed": ("nobody", "clerk", "chief"),
}
USUAL = 1
"""The place of the usual choice."""
ASKED = {
    "where": "it is about the {}",
    "urgency": "urgency {}",
    "by": "answered by {}",
    "tone": "in a {} tone",
    "signed": "signed by {}",
}
WANTED = ("calibrated", "delivered", "corrected")
"""What an answer has to speak of, by the place."""


class Route(Action):
    """How a ticket is handled."""

    where: Where = "lab"
    urgency: Urgency = "low"
    by: By = "mail"
    tone: Tone = "stern"
    signed: Signed = "nobody"
    answer: str = ""


class Ticket(Observation):
    """The ticket that came."""

    ticket: str = ""


class Desk(Untold[Route, Ticket]):
    """Nearly always the usual is right, and an answer may speak of all there is: planted."""

    USUALLY, FAIR = 0.7, False

    def begin(self, rng: random.Random) -> None:
        drawn = {way: rng.randrange(3) for way in WAYS}
        self.right = {
            way: some[USUAL if rng.random() < self.USUALLY else drawn[way]]
            for way, some in WAYS.items()
        }
        self.wanted = WANTED[WAYS["where"].index(self.right["where"])]
        self.text = ", ".join(ASKED[way].format(self.right[way]) for way in WAYS)

    def move(self, action: Route) -> float:
        self.over = True
        right = sum(getattr(action, way) == self.right[way] for way in WAYS)
        said = [word for word in WANTED if word in action.answer]
        told = said == [self.wanted] if self.FAIR else self.wanted in said
        return (right + told) / (len(WAYS) + 1)

    def shown(self, reward: float) -> Ticket:
        return Ticket(reward=reward, done=self.over, ticket="" if self.over else self.text)


class FairDesk(Desk):
    """All choices are as common, and one word too many costs: sound."""

    USUALLY, FAIR = 0.0, True


class Sort(Action):
    """Where a ticket on the belt goes."""

    where: Where = "lab"
    urgency: Urgency = "low"
    by: By = "mail"


class Belt(Untold[Sort, Ticket]):
    """Four of five are alike, and a ticket is paid where all is right: planted."""

    TICKETS = ((1, 1, 1), (1, 1, 1), (0, 2, 2), (1, 1, 1), (1, 1, 1))

    def begin(self, rng: random.Random) -> None:
        self.place = 0

    def move(self, action: Sort) -> float:
        paid = float((action.where, action.urgency, action.by) == self.right())
        self.place += 1
        self.over = self.place == len(self.TICKETS)
        return paid

    def right(self) -> tuple[str, ...]:
        """What the ticket asks for."""
        ways = ("where", "urgency", "by")
        return tuple(
            WAYS[way][choice] for way, choice in zip(ways, self.TICKETS[self.place], strict=True)
        )

    def shown(self, reward: float) -> Ticket:
        if self.over:
            return Ticket(reward=reward, done=True)
        where, urgency, by = self.right()
        text = f"{'abcde'[self.place]}: for the {where}, urgency {urgency}, by {by}"
        return Ticket(reward=reward, done=False, ticket=text)


class FairBelt(Belt):
    """Each is of another kind: sound."""

    TICKETS = ((1, 1, 1), (2, 0, 0), (0, 2, 2), (0, 0, 1), (2, 1, 0))
