"""Read a tenancy agreement, fill in the registration form."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import TenancyAction, TenancyKind, TenancyObservation, TenancyState
except ImportError:
    from models import TenancyAction, TenancyKind, TenancyObservation, TenancyState

FIRST = ["Agnes", "Bruno", "Carla", "Dilip", "Esther", "Farid", "Greta", "Hamish"]
LAST = ["Abbott", "Bellamy", "Castle", "Drummond", "Ellery", "Forsyth", "Gadd", "Hale"]
MONTHS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight"]
EXAMPLES = {
    "tenant": "Jane Doe",
    "rent": "400 pounds",
    "deposit": "500 pounds",
    "term": "9 months",
    "notice": "1 months",
    "late_fee": "5 pounds",
    "repair_limit": "60 pounds",
    "inspection": "12 hours",
}
UNITS = {
    "rent": "pounds",
    "deposit": "pounds",
    "term": "months",
    "notice": "months",
    "late_fee": "pounds",
    "repair_limit": "pounds",
    "inspection": "hours",
}
ARTICLES = {"a", "an", "the"}
MAX_ACTIONS = 30


def normal(value: str) -> str:
    """The value as it is compared: case, punctuation and articles do not count."""
    words = re.sub(r"[^a-z ]+", "", value.lower()).split()
    return " ".join(word for word in words if word not in ARTICLES)


class TenancyEnvironment(Environment):
    """One agreement, one form."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._clauses: List[str] = []
        self._truth: Dict[str, str] = {}
        self._form: Dict[str, str] = {}
        self._title = ""
        self._done = True
        self._state = TenancyState()

    # ----------------------------------------------------------- the agreement

    @staticmethod
    def _figures(rng: random.Random) -> Dict[str, int]:
        rent = rng.randrange(520, 1480, 5)
        return {
            "rent": rent,
            "deposit": rent + rng.randrange(35, 700, 5),
            "term": rng.choice([10, 11, 13, 14, 15, 16, 18, 20, 21, 22, 24, 30, 36]),
            "notice": rng.randrange(2, 9),
            "late_fee": rng.randrange(11, 48),
            "repair_limit": rng.randrange(75, 260, 5),
            "inspection": rng.choice([18, 24, 30, 36, 40, 48, 60, 72, 96]),
        }

    @staticmethod
    def _clause(rng: random.Random, name: str, n: int) -> str:
        """The wording of one clause, with a sum that must not be taken for it."""
        decoy = n + rng.choice([-3, -2, 2, 3]) * 5
        if name == "rent":
            return f"The rent is {n} pounds a month. It was {decoy} pounds for the former tenant."
        if name == "deposit":
            return f"Deposit. The law allows no more than {n + 85} pounds; the parties agree on {n} pounds."
        if name == "term":
            return f"The tenancy runs for {n} months, and may be renewed for {n // 2} months."
        if name == "notice":
            return f"Either side ends the tenancy by notice of {MONTHS[n]} months, in writing."
        if name == "late_fee":
            return f"Rent that is {rng.randrange(4, 9)} days late carries a fee of {n} pounds."
        if name == "repair_limit":
            return f"Repairs up to {n} pounds are the tenant's, those above the landlord's."
        return f"The landlord announces an inspection {n} hours ahead, and stays {n // 12 + 1} hours at most."

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> TenancyObservation:
        rng = random.Random(seed)
        figures = self._figures(rng)
        tenant = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        landlord = f"{rng.choice(FIRST)} {rng.choice(LAST)} Estates"
        self._title = f"No. {rng.randrange(1000, 9999)}, {landlord}"
        order = list(UNITS)
        rng.shuffle(order)
        self._clauses = [f"This agreement is between {landlord} (landlord) and {tenant} (tenant)."]
        self._clauses += [self._clause(rng, name, figures[name]) for name in order]
        renewed = self._figures(rng)
        varied = sorted(rng.sample(order, 2), key=order.index)
        changes = []
        for name in varied:
            figures[name] = renewed[name]
            changes.append(
                f"In clause {order.index(name) + 2} read {renewed[name]} {UNITS[name]}"
                " for what is agreed there."
            )
        self._clauses.append("Schedule of variations. " + " ".join(changes))
        self._truth = {name: f"{n} {UNITS[name]}" for name, n in figures.items()}
        self._truth["tenant"] = tenant
        self._form = {}
        self._done = False
        self._state = TenancyState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("A new agreement is to be registered.")

    # -------------------------------------------------------------------- play

    def _mark(self) -> float:
        right = sum(
            normal(value) == normal(self._truth[name]) for name, value in self._form.items()
        )
        return round(right / len(self._truth), 4)

    def step(
        self,
        action: TenancyAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> TenancyObservation:
        if self._done:
            return self._observe("The file is closed.")
        self._state.step_count += 1
        text = ""
        if action.kind == TenancyKind.SUBMIT:
            self._done = True
            self._state.submitted = True
            return self._observe("The form is handed in.", reward=self._mark())
        if action.kind == TenancyKind.READ:
            if action.clause is not None and 1 <= action.clause <= len(self._clauses):
                text = self._clauses[action.clause - 1]
                message = f"Clause {action.clause}."
            else:
                message = f"The agreement has clauses 1 to {len(self._clauses)}."
        elif action.field in EXAMPLES and (action.value or "").strip():
            self._form[action.field] = action.value.strip()
            self._state.boxes_filled = len(self._form)
            message = f"Filled in {action.field}."
        else:
            message = "Name a box of the form and a value."
        if self._state.step_count >= MAX_ACTIONS:
            self._done = True
            message = "The office has closed; no form was handed in."
        return self._observe(message, text=text)

    def _observe(self, message: str, text: str = "", reward: float = 0.0) -> TenancyObservation:
        return TenancyObservation(
            message=message,
            title=self._title,
            clauses=len(self._clauses),
            text=text,
            examples=dict(EXAMPLES),
            form=dict(self._form),
            actions_left=max(0, MAX_ACTIONS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> TenancyState:
        return self._state
