"""Travel insurance claim desk: copy a letter into a claim form."""

import random
import uuid
from typing import Any, Dict, List, Optional, Set, Tuple

from openenv.core.env_server import Environment

try:
    from ..models import ClaimAction, ClaimObservation, ClaimState
except ImportError:
    from models import ClaimAction, ClaimObservation, ClaimState

MAX_OPERATIONS = 36
SECTION_REWARD = 0.15
SUBMIT_REWARD = 0.4

SECTIONS: Dict[str, List[str]] = {
    "claimant": ["full_name", "policy_number", "phone"],
    "trip": ["destination", "departure_date", "return_date"],
    "loss": ["item", "amount", "currency"],
    "payment": ["bank", "iban", "reference"],
}

FIRST = ["Ada", "Bruno", "Celia", "Dario", "Edith", "Farid", "Greta", "Hugo", "Ines", "Jonas"]
LAST = ["Almeida", "Berger", "Castel", "Dorn", "Ekström", "Fontaine", "Grieve", "Holub"]
PLACES = ["Lisbon", "Tromsø", "Kraków", "Palermo", "Bergen", "Valletta", "Ljubljana", "Porto"]
ITEMS = ["a camera", "a laptop", "a suitcase", "a pair of skis", "a violin", "a phone", "a tent"]
CURRENCIES = ["EUR", "NOK", "PLN", "GBP", "SEK"]
BANKS = ["Harbour Bank", "North Savings", "Union Credit", "Old Mill Bank", "Citadel Trust"]


class ClaimDeskEnvironment(Environment[ClaimAction, ClaimObservation, ClaimState]):
    """Fill in the four sections of a claim form and submit it."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = ClaimState()
        self._truth: Dict[str, str] = {}
        self._letter = ""
        self._form: Dict[str, str] = {}
        self._undo: List[Tuple[str, str, str]] = []
        self._redo: List[Tuple[str, str, str]] = []
        self._completed: Set[str] = set()
        self._accepted = False

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> ClaimObservation:
        rng = random.Random(seed)
        self._state = ClaimState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        self._truth = self._draw(rng)
        self._letter = self._write(self._truth)
        self._form = {name: "" for names in SECTIONS.values() for name in names}
        self._undo, self._redo = [], []
        self._completed = set()
        self._accepted = False
        return self._observe("The form is empty.", None, False)

    def step(self, action: ClaimAction, timeout_s: Optional[float] = None, **kwargs: Any) -> ClaimObservation:
        if self._state.submitted or self._state.step_count >= MAX_OPERATIONS:
            return self._observe("The desk is closed.", 0.0, True)
        self._state.step_count += 1
        if action.op == "submit":
            self._state.submitted = True
            self._accepted = self._form == self._truth
            text = "The claim was accepted." if self._accepted else "The claim was returned as incorrect."
            return self._observe(text, SUBMIT_REWARD if self._accepted else 0.0, True)

        if action.op == "set":
            if action.field not in self._form:
                message = f"There is no field {action.field!r}."
            else:
                change = (action.field, self._form[action.field], action.value.strip())
                self._form[change[0]] = change[2]
                self._undo.append(change)
                self._redo.clear()
                message = f"{action.field} was written."
        elif action.op == "undo":
            message = self._move(self._undo, self._redo, back=True)
        else:
            message = self._move(self._redo, self._undo, back=False)

        reward, finished = self._update_sections()
        if finished:
            message += f" Section complete: {', '.join(finished)}."
        return self._observe(message, reward, self._state.step_count >= MAX_OPERATIONS)

    @property
    def state(self) -> ClaimState:
        return self._state

    def _move(self, source: List, target: List, back: bool) -> str:
        if not source:
            return "Nothing to undo." if back else "Nothing to redo."
        change = source.pop()
        target.append(change)
        self._form[change[0]] = change[1] if back else change[2]
        return f"{change[0]} was {'restored' if back else 'written again'}."

    def _update_sections(self) -> Tuple[float, List[str]]:
        """Credit the sections that have just become complete."""
        complete = {
            section
            for section, names in SECTIONS.items()
            if all(self._form[name] == self._truth[name] for name in names)
        }
        finished = sorted(complete - self._completed)
        self._completed = complete
        self._state.sections_completed = len(complete)
        return SECTION_REWARD * len(finished), finished

    def _observe(self, message: str, reward: Optional[float], done: bool) -> ClaimObservation:
        return ClaimObservation(
            letter=self._letter,
            sections=SECTIONS,
            form=dict(self._form),
            message=message,
            operations_left=MAX_OPERATIONS - self._state.step_count,
            accepted=self._accepted,
            reward=reward,
            done=done,
        )

    @staticmethod
    def _draw(rng: random.Random) -> Dict[str, str]:
        month, day = rng.randint(1, 12), rng.randint(1, 18)
        return {
            "full_name": f"{rng.choice(FIRST)} {rng.choice(LAST)}",
            "policy_number": f"TP-{rng.randint(10000, 99999)}",
            "phone": f"0{rng.randint(100, 999)} {rng.randint(100000, 999999)}",
            "destination": rng.choice(PLACES),
            "departure_date": f"2024-{month:02d}-{day:02d}",
            "return_date": f"2024-{month:02d}-{day + rng.randint(3, 10):02d}",
            "item": rng.choice(ITEMS),
            "amount": str(rng.randint(90, 2400)),
            "currency": rng.choice(CURRENCIES),
            "bank": rng.choice(BANKS),
            "iban": f"XX{rng.randint(10, 99)}{rng.randint(10**9, 10**10 - 1)}",
            "reference": f"R{rng.randint(100, 999)}{rng.choice('ABCDEF')}",
        }

    @staticmethod
    def _write(t: Dict[str, str]) -> str:
        return (
            f"Dear claims team,\n\nmy name is {t['full_name']} and I hold policy {t['policy_number']}. "
            f"I travelled to {t['destination']} on {t['departure_date']} and came home on {t['return_date']}. "
            f"During the trip I lost {t['item']} worth {t['amount']} {t['currency']}. "
            f"Please pay to my account at {t['bank']}, number {t['iban']}, with the reference {t['reference']}. "
            f"You can reach me under {t['phone']}.\n\nKind regards"
        )
