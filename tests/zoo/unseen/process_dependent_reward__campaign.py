"""A newsletter: each customer opens mails at one hour of the day, which the log of earlier ones shows."""

import zlib

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json, Told

FIRST = ("amara", "boris", "chloe", "diego", "elif", "farid", "greta", "hana")
LAST = ("abel", "cohen", "duarte", "evans", "fischer", "garcia", "holm", "ito")


class Send(Action):
    """The hour at which the mail is handed to the provider."""

    hour: int = Field(ge=0, le=23)


class Customer(Observation):
    """A customer, and the hours at which mails of the last weeks were opened, with a stray one among them."""

    customer: str = ""
    opened_at: list[int] = Field(default_factory=list)
    hours_to_deliver: int = 0
    mails_left: int = 0


class Newsletter(Told[Send, Customer]):
    """Ten mails; success is that nine are opened. A customer's habit comes from their address."""

    HORIZON = 10
    SUCCESS_KEY = "success"

    def begin(self) -> None:
        self.opened = 0
        self.next_customer()

    def next_customer(self) -> None:
        name = f"{self.rng.choice(FIRST)}.{self.rng.choice(LAST)}{self.rng.randint(1, 99)}"
        self.customer = f"{name}@example.org"
        self.habit = self.bucket(self.customer) % 24
        strays = [(self.habit + self.rng.randint(1, 23)) % 24]
        self.delay = self.rng.randint(1, 6)
        self.log = self.rng.sample([self.habit] * 3 + strays, 4)

    def bucket(self, customer: str) -> int:
        raise NotImplementedError

    def play(self, action: Send) -> float:
        opened = (action.hour + self.delay) % 24 == self.habit
        self.opened += opened
        if self.last:
            self.success = self.opened >= self.HORIZON - 1
        self.next_customer()
        return opened / self.HORIZON

    def show(self) -> Customer:
        return Customer(
            customer=self.customer,
            opened_at=list(self.log),
            hours_to_deliver=self.delay,
            mails_left=self.HORIZON - self.turn,
        )


class Defect(Newsletter):
    """Puts customers into buckets by Python's hash of their address, which every process salts anew."""

    def bucket(self, customer: str) -> int:
        return hash(customer)


class Sound(Newsletter):
    """Puts customers into buckets by their address as well, by a checksum that is the same everywhere."""

    def bucket(self, customer: str) -> int:
        return zlib.crc32(customer.encode())


WITNESS = "another_process_differs"
ALSO = ("process_dependent",)


def solve(observation: Json, memory: Json) -> Json:
    """As long before the hour that the log has most as delivery takes."""
    log = observation["opened_at"]
    return {"hour": (max(log, key=log.count) - observation["hours_to_deliver"]) % 24}


exploit = solve
