"""Two weeks on the floor of a commodity exchange."""

import random
import uuid
from dataclasses import dataclass
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import JobberAction, JobberObservation, JobberState, Order, Ticket
except ImportError:
    from models import JobberAction, JobberObservation, JobberState, Order, Ticket

COMMODITIES = ["cocoa", "copper", "cotton", "jute", "rubber", "tin", "wool", "zinc"]
SCARCE = [
    "Dock strike holds up {} shipments",
    "Warehouse fire destroys {} stocks",
    "Export ban on {} announced by the main producer",
    "Storm damage cuts {} output",
]
PLENTY = [
    "Record output of {} expected",
    "Import duty on {} to be lifted",
    "Largest buyer cancels its {} orders",
    "State reserve to sell its {} stocks",
]
IDLE = ["Trade fair for {} opens next month", "New grading rules for {} under discussion"]
DAYS = 14
FEE = 0.3  # percent of the opening price, per ticket
NOISE = 0.006


@dataclass
class Position:
    commodity: str
    side: str
    price: float


class JobberEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._prices: Dict[str, List[float]] = {}
        self._news: Dict[int, List[str]] = {}
        self._par = 1.0
        self._day = 0
        self._done = True
        self._open: Dict[int, Position] = {}
        self._issued = 0
        self._booked = 0.0
        self._state = JobberState()

    # ------------------------------------------------------------------ market

    def _make_market(self, rng: random.Random) -> None:
        """Prices for the whole session: small noise, and a jump some days after news."""
        names = rng.sample(COMMODITIES, len(COMMODITIES))
        sizes = [rng.uniform(0.06, 0.11) for _ in range(3)]
        moves = [s for s in sizes] + [-s for s in sizes] + [0.0, 0.0]
        self._prices, self._news = {}, {}
        for name, move in zip(names, moves):
            news_day = rng.randrange(0, 9)
            jump_day = news_day + rng.choice([1, 2, 3])
            templates = SCARCE if move > 0 else PLENTY if move < 0 else IDLE
            bulletin = rng.choice(templates).format(name)
            self._news.setdefault(news_day, []).append(bulletin)
            price = rng.uniform(40, 400)
            series = []
            for day in range(DAYS):
                if day:
                    price *= 1 + rng.gauss(0, NOISE)
                if day == jump_day:
                    price *= 1 + move
                series.append(round(price, 2))
            self._prices[name] = series
        self._par = 100 * sum(abs(m) for m in moves)

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> JobberObservation:
        self._make_market(random.Random(seed))
        self._day = 0
        self._done = False
        self._open = {}
        self._issued = 0
        self._booked = 0.0
        self._state = JobberState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._screen(["The bell rings, the session is open."])

    # -------------------------------------------------------------------- book

    def _profit(self, position: Position) -> float:
        """Percent of the opening price that closing it today would bring."""
        price = self._prices[position.commodity][min(self._day, DAYS - 1)]
        change = 100 * (price / position.price - 1)
        return (change if position.side == "buy" else -change) - FEE

    def _open_ticket(self, order: Order) -> str:
        if order.commodity not in self._prices:
            return f"There is no market in {order.commodity!r}."
        for position in self._open.values():
            if (position.commodity, position.side) == (order.commodity, order.kind):
                return f"There is a {order.kind} ticket in {order.commodity} already."
        self._issued += 1
        price = self._prices[order.commodity][self._day]
        self._open[self._issued] = Position(order.commodity, order.kind, price)
        return f"Ticket {self._issued}: {order.kind} {order.commodity} at {price:.2f}."

    def _close_ticket(self, number: int) -> float:
        profit = self._profit(self._open.pop(number))
        self._booked += profit
        return profit

    # -------------------------------------------------------------------- play

    def step(
        self,
        action: JobberAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> JobberObservation:
        if self._done:
            return self._screen(["The session is over."])
        self._state.step_count += 1
        notes, profit = [], 0.0
        for order in action.orders:
            if order.kind != "close":
                notes.append(self._open_ticket(order))
            elif order.ticket in self._open:
                gain = self._close_ticket(order.ticket)
                profit += gain
                notes.append(f"Ticket {order.ticket} closed, {gain:+.2f} percent booked.")
            else:
                notes.append(f"There is no open ticket {order.ticket}.")
        self._day += 1
        if self._day == DAYS:
            self._done = True
            notes.append(f"The closing bell. {len(self._open)} tickets are carried over.")
        return self._screen(notes, profit / self._par)

    def _screen(self, notes: List[str], reward: float = 0.0) -> JobberObservation:
        today = min(self._day, DAYS - 1)
        self._state.day = today
        self._state.tickets_opened = self._issued
        self._state.booked_percent = round(self._booked, 3)
        return JobberObservation(
            day=today,
            days=DAYS,
            prices={n: self._prices[n][today] for n in sorted(self._prices)},
            bulletins=[] if self._done else list(self._news.get(today, [])),
            tickets=[
                Ticket(
                    ticket=number,
                    commodity=p.commodity,
                    side=p.side,
                    opened_at=p.price,
                    profit_percent=round(self._profit(p), 3),
                )
                for number, p in self._open.items()
            ],
            booked_percent=round(self._booked, 3),
            notes=notes,
            reward=round(reward, 6),
            done=self._done,
        )

    @property
    def state(self) -> JobberState:
        return self._state
