"""A morning at the guest desk of a campsite, with the desk's handbook."""

import random
import uuid
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Booking,
        CampsiteAction,
        CampsiteObservation,
        CampsiteState,
        Ticket,
        Tool,
    )
    from .office import PITCHES, Office, ToolError
except ImportError:
    from models import (
        Booking,
        CampsiteAction,
        CampsiteObservation,
        CampsiteState,
        Ticket,
        Tool,
    )
    from server.office import PITCHES, Office, ToolError

TICKETS = 5
CALLS = 8  # on one ticket
FULL_REFUND, HALF_REFUND = 14, 5  # days before arrival

CHANGES = (Tool.MOVE_BOOKING, Tool.CANCEL_BOOKING, Tool.REFUND, Tool.LOG_REPAIR)


class Call(NamedTuple):
    tool: Tool
    arguments: Dict[str, Any]


class CampsiteEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._office = Office(random.Random(0), 0)
        self._desk: List[Tuple[Ticket, List[Call]]] = []  # ticket, what it takes
        self._next = 0
        self._calls: List[Call] = []  # on the ticket on the desk
        self._changes: List[Call] = []  # those that altered the books
        self._resolved = 0
        self._done = True
        self._state = CampsiteState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> CampsiteObservation:
        rng = random.Random(seed)
        self._office = Office(rng, today=rng.randrange(90, 130))
        writers = rng.sample(list(self._office.books.values()), TICKETS)
        kinds = [self._move, self._cancel, self._complaint]
        kinds += rng.choices(kinds, k=TICKETS - len(kinds))
        rng.shuffle(kinds)
        self._desk = []
        promised: List[Tuple[int, int, int]] = []
        for number, (booking, kind) in enumerate(zip(writers, kinds)):
            message, steps = kind(rng, booking, promised)
            ticket = Ticket(ticket=number + 1, guest=booking.guest, message=message)
            self._desk.append((ticket, steps))
        self._next = self._resolved = 0
        self._calls, self._changes = [], []
        self._done = False
        self._state = CampsiteState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("Good morning. The first ticket is on the desk.")

    # What guests write, and what the handbook says is to be done.

    def _move(
        self, rng: random.Random, b: Booking, promised: List[Tuple[int, int, int]]
    ) -> Tuple[str, List[Call]]:
        while True:
            pitch = rng.randrange(1, PITCHES + 1)
            arrive = self._office.today + rng.randrange(3, 60)
            clash = any(
                p == pitch and a < arrive + b.nights and arrive < a + n
                for p, a, n in promised
            )
            if arrive != b.arrive and not clash and self._office.free(pitch, arrive, b.nights):
                break
        promised.append((pitch, arrive, b.nights))
        message = rng.choice(
            [
                "Our ferry has been changed. Could we arrive on day {a} instead, and have "
                "pitch {p} if nobody else is there? Same number of nights.",
                "Please put our stay to day {a}. We'd love pitch {p} this time, if it's free.",
            ]
        ).format(a=arrive, p=pitch)
        return message, [
            Call(Tool.FIND_BOOKING, {"guest": b.guest}),
            Call(Tool.CHECK_PITCH, {"pitch": pitch, "arrive": arrive, "nights": b.nights}),
            Call(Tool.MOVE_BOOKING, {"booking": b.booking, "pitch": pitch, "arrive": arrive}),
        ]

    def _cancel(
        self, rng: random.Random, b: Booking, promised: List[Tuple[int, int, int]]
    ) -> Tuple[str, List[Call]]:
        message = rng.choice(
            [
                "I am sorry, we have to cancel. What do we get back?",
                "The car is broken and we can't come. Please cancel, and refund what is due.",
            ]
        )
        steps = [
            Call(Tool.FIND_BOOKING, {"guest": b.guest}),
            Call(Tool.CANCEL_BOOKING, {"booking": b.booking}),
        ]
        ahead, total = b.arrive - self._office.today, b.price * b.nights
        due = total if ahead >= FULL_REFUND else total // 2 if ahead >= HALF_REFUND else 0
        if due:
            steps.append(Call(Tool.REFUND, {"booking": b.booking, "amount": due}))
        return message, steps

    def _complaint(
        self, rng: random.Random, b: Booking, promised: List[Tuple[int, int, int]]
    ) -> Tuple[str, List[Call]]:
        nights, pitch = rng.randrange(1, 4), rng.randrange(1, PITCHES + 1)
        message = rng.choice(
            [
                "On our last stay, on pitch {p}, the power was out for {n} night(s). You "
                "promised to take those nights off our next booking.",
                "The tap on pitch {p} did not work for {n} night(s) when we were there in "
                "spring. We were told that it counts against our coming stay.",
            ]
        ).format(p=pitch, n=nights)
        amount = b.price * min(nights, b.nights)
        return message, [
            Call(Tool.FIND_BOOKING, {"guest": b.guest}),
            Call(Tool.LOG_REPAIR, {"pitch": pitch}),
            Call(Tool.REFUND, {"booking": b.booking, "amount": amount}),
        ]

    def step(
        self,
        action: CampsiteAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> CampsiteObservation:
        if self._done:
            return self._look("The desk is closed.")
        self._state.step_count += 1
        if action.tool is Tool.CLOSE_TICKET:
            return self._close("Ticket closed.")
        call = Call(action.tool, action.arguments)
        self._calls.append(call)
        try:
            result = self._office.call(call.tool, call.arguments)
        except ToolError as error:
            result = {"error": str(error)}
        else:
            if call.tool in CHANGES:
                self._changes.append(call)
        if len(self._calls) == CALLS:
            return self._close("No calls left on this ticket, it is closed.", result)
        return self._look(f"{call.tool.value} called.", result=result)

    def _close(
        self, message: str, result: Optional[Dict[str, Any]] = None
    ) -> CampsiteObservation:
        share = self._review(self._desk[self._next][1])
        self._resolved += share == 1.0
        message += f" Handbook followed: {share:.0%}."
        self._next += 1
        self._calls, self._changes = [], []
        self._done = self._next == TICKETS
        return self._look(message, share / TICKETS, result)

    def _review(self, steps: List[Call]) -> float:
        """The share of the handbook's steps that this ticket has seen."""
        wanted = {step.tool for step in steps}
        if any(call.tool not in wanted for call in self._changes):
            return 0.0  # something was changed that nobody asked for
        used = {call.tool for call in self._calls}
        return sum(step.tool in used for step in steps) / len(steps)

    def _look(
        self,
        message: str,
        reward: float = 0.0,
        result: Optional[Dict[str, Any]] = None,
    ) -> CampsiteObservation:
        self._state.tickets_done = self._next
        self._state.resolved = self._resolved
        return CampsiteObservation(
            message=message,
            today=self._office.today,
            ticket=None if self._done else self._desk[self._next][0],
            result=result or {},
            calls_left=0 if self._done else CALLS - len(self._calls),
            tickets_left=TICKETS - self._next,
            resolved=self._resolved,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> CampsiteState:
        return self._state
