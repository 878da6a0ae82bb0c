"""The booking system of the campsite: the tools and the books behind them."""

import random
from typing import Any, Dict, List

try:
    from ..models import Booking, Tool
except ImportError:
    from models import Booking, Tool

PITCHES = 12
NUMBERS = ("pitch", "arrive", "nights", "amount")
GUESTS = [
    "Abels", "Brandt", "Castelli", "Dubois", "Eriksen", "Fontaine", "Garcia", "Hughes",
    "Ivanova", "Jansen", "Keller", "Lindqvist", "Moreau", "Novak", "Okafor", "Petersen",
]  # fmt: skip


class ToolError(Exception):
    pass


class Office:
    def __init__(self, rng: random.Random, today: int) -> None:
        self.today = today
        self.books: Dict[str, Booking] = {}
        self.repairs: List[int] = []
        for guest, number in zip(GUESTS, rng.sample(range(100, 1000), len(GUESTS))):
            booking = Booking(
                booking=f"C{number}",
                guest=guest,
                pitch=rng.randrange(1, PITCHES + 1),
                arrive=today + rng.randrange(1, 40),
                nights=rng.randrange(2, 9),
                price=rng.choice([24, 28, 31, 36]),
            )
            while not self.free(booking.pitch, booking.arrive, booking.nights):
                booking.pitch = booking.pitch % PITCHES + 1
                booking.arrive += 1
            self.books[booking.booking] = booking

    def free(self, pitch: int, arrive: int, nights: int, but: str = "") -> bool:
        return not any(
            b.pitch == pitch
            and not b.cancelled
            and b.booking != but
            and b.arrive < arrive + nights
            and arrive < b.arrive + b.nights
            for b in self.books.values()
        )

    def call(self, tool: Tool, arguments: Dict[str, Any]) -> Dict[str, Any]:
        """Runs a tool; raises ToolError where it can't be done."""
        for name, value in arguments.items():
            if name in NUMBERS and (not isinstance(value, int) or isinstance(value, bool)):
                raise ToolError(f"{name} has to be a whole number")
        try:
            return getattr(self, "_" + tool.value)(**arguments)
        except TypeError:
            raise ToolError(f"{tool.value}: wrong arguments") from None

    def _get(self, booking: Any) -> Booking:
        if not isinstance(booking, str) or booking not in self.books:
            raise ToolError("no such booking")
        return self.books[booking]

    def _find_booking(self, guest: str) -> Dict[str, Any]:
        for booking in self.books.values():
            if booking.guest == guest:
                return booking.model_dump()
        raise ToolError("no booking under this name")

    def _check_pitch(self, pitch: int, arrive: int, nights: int) -> Dict[str, Any]:
        if not 1 <= pitch <= PITCHES or nights < 1:
            raise ToolError("no such pitch or stay")
        return {"free": self.free(pitch, arrive, nights)}

    def _move_booking(self, booking: str, pitch: int, arrive: int) -> Dict[str, Any]:
        entry = self._get(booking)
        if entry.cancelled or not 1 <= pitch <= PITCHES or arrive <= self.today:
            raise ToolError("this booking can't be moved there")
        if not self.free(pitch, arrive, entry.nights, but=booking):
            raise ToolError("the pitch is taken")
        entry.pitch, entry.arrive = pitch, arrive
        return entry.model_dump()

    def _cancel_booking(self, booking: str) -> Dict[str, Any]:
        entry = self._get(booking)
        if entry.cancelled:
            raise ToolError("already cancelled")
        entry.cancelled = True
        return entry.model_dump()

    def _refund(self, booking: str, amount: int) -> Dict[str, Any]:
        entry = self._get(booking)
        if not 0 < amount <= entry.price * entry.nights - entry.refunded:
            raise ToolError("amount out of range")
        entry.refunded += amount
        return entry.model_dump()

    def _log_repair(self, pitch: int) -> Dict[str, Any]:
        if not 1 <= pitch <= PITCHES:
            raise ToolError("no such pitch")
        self.repairs.append(pitch)
        return {"logged": pitch}
