"""Monthly bank reconciliation: ledger against statement, then a short report."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Set

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import BookkeepingAction, BookkeepingObservation, BookkeepingState
except ImportError:
    from models import BookkeepingAction, BookkeepingObservation, BookkeepingState

PAYEES = [
    "Alder Print", "Bay Fuels", "Corner Deli", "Dune Rentals", "Eltham Water",
    "Fable Books", "Gale Electric", "Hobbs & Son", "Ivy Florist", "Jupiter Media",
    "Kestrel Vans", "Lark Cleaning", "Mill Lane Ltd", "Nettle Foods",
]
SECTIONS = ["Summary", "Unmatched entries", "Closing balance", "Follow-up"]
WEIGHTS = {"sections": 0.35, "layout": 0.25, "style": 0.25, "figures": 0.15}
ENTRIES = 18
MAX_STEPS = 12


def money(cents: int) -> str:
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


class BookkeepingEnvironment(Environment):
    """Two ledger pages, two statement pages, one report."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._pages: Dict[str, List[str]] = {}
        self._opening = 0
        self._closing = 0
        self._unmatched: Set[str] = set()
        self._done = True
        self._state = BookkeepingState()

    # ------------------------------------------------------------------- books

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> BookkeepingObservation:
        rng = random.Random(seed)
        self._opening = rng.randrange(200_000, 900_000)
        first = rng.randrange(100, 800)
        ledger, statement = [], []
        numbers = [f"L-{first + i}" for i in range(ENTRIES)]
        self._unmatched = set(rng.sample(numbers, rng.choice([4, 5, 6])))
        total = 0
        for day, number in enumerate(numbers, start=1):
            payee = rng.choice(PAYEES)
            reference = f"R{rng.randrange(10_000, 99_999)}"
            cents = rng.choice([-1, -1, 1]) * rng.randrange(1_500, 90_000)
            ledger.append(f"{number} | day {day} | {payee} | {reference} | {money(cents)}")
            if number in self._unmatched:
                if rng.random() < 0.5:
                    continue  # never reached the bank
                cents += rng.choice([-1, 1]) * rng.choice([9, 90, 100, 270, 1000])
            total += cents
            booked = day + rng.choice([0, 1, 2])
            statement.append(f"day {booked} | {reference} | {money(cents)}")
        rng.shuffle(statement)
        self._closing = self._opening + total
        half, middle = ENTRIES // 2, len(statement) // 2
        self._pages = {
            "ledger-1": ledger[:half],
            "ledger-2": ledger[half:],
            "statement-1": statement[:middle],
            "statement-2": statement[middle:],
        }
        self._done = False
        self._state = BookkeepingState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._observe("The books of the month are on your desk.")

    # ------------------------------------------------------------------- marks

    @staticmethod
    def _split(report: str) -> Dict[str, str]:
        """Section title -> body, for the sections the house style asks for."""
        bodies = {}
        for part in re.split(r"^## ", report, flags=re.MULTILINE)[1:]:
            title, _, body = part.partition("\n")
            if title.strip() in SECTIONS and title.strip() not in bodies:
                bodies[title.strip()] = body.strip()
        return bodies

    def _marks(self, report: str) -> Dict[str, float]:
        bodies = self._split(report)
        sections = len(bodies) / len(SECTIONS)
        unmatched = bodies.get("Unmatched entries", "")
        bullets = any(l.startswith("- ") for l in unmatched.splitlines())
        title = report.lstrip().startswith("# ")
        layout = (bullets + title) / 2
        words = len(report.split())
        signed = report.rstrip().splitlines()[-1].startswith("Prepared by")
        style = ((40 <= words <= 250) + signed) / 2

        listed = set(re.findall(r"\bL-\d+\b", unmatched))
        right = len(listed & self._unmatched)
        wrong = len(listed - self._unmatched)
        entries = max(0.0, (right - wrong) / len(self._unmatched))
        amounts = re.findall(r"-?\d+\.\d\d", bodies.get("Closing balance", ""))
        balance = float(amounts == [money(self._closing)])
        figures = 0.6 * entries + 0.4 * balance
        return {
            "sections": sections,
            "layout": layout,
            "style": style,
            "figures": figures,
        }

    # -------------------------------------------------------------------- play

    def step(
        self,
        action: BookkeepingAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> BookkeepingObservation:
        if self._done:
            return self._observe("The month is closed.")
        self._state.step_count += 1
        if action.kind == "file" and (action.report or "").strip():
            marks = self._marks(action.report or "")
            score = sum(WEIGHTS[name] * mark for name, mark in marks.items())
            self._done = True
            self._state.filed = True
            grade = next(
                (g for g, bar in zip("ABCD", (0.85, 0.7, 0.55, 0.4)) if score >= bar), "F"
            )
            return self._observe("Report filed.", reward=round(score, 4), grade=grade)
        content: List[str] = []
        if action.kind == "file":
            message = "The report is empty."
        elif action.page in self._pages:
            content = self._pages[action.page]
            self._state.pages_read += 1
            message = f"You read {action.page}."
        else:
            message = f"There is no page {action.page!r}."
        if self._state.step_count >= MAX_STEPS:
            self._done = True
            return self._observe("Time is up, no report was filed.", grade="F")
        return self._observe(message, content=content)

    def _observe(
        self,
        message: str,
        content: Optional[List[str]] = None,
        reward: float = 0.0,
        grade: Optional[str] = None,
    ) -> BookkeepingObservation:
        return BookkeepingObservation(
            message=message,
            pages=sorted(self._pages),
            content=content or [],
            opening_balance=money(self._opening),
            grade=grade,
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> BookkeepingState:
        return self._state
